"""Handed back arrays: what a call gives for an array that it has written into takes the
array's place.

::

    new = fill(x, k)                     new = fill(x, k)
    x = stored(x, ..., new, old)   ->    x = new

Takes a function in which all names of what is written into have their new values, so
that no memory has to stay the same.
"""

from collections.abc import Mapping
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.memory.ownership import targets


def with_handed_back_arrays(function: ir.Function) -> ir.Function:
    """The function in which arrays are what calls hand back of them."""
    names = results_beside(function)

    def change(s: ir.Statement) -> ir.Block:
        if not results_read(s, names):
            return (s,)
        assert ir.is_line(s)
        return (replace(s, value=s.value.args[2]),)

    if not names:
        return function
    return replace(function, body=ir.with_leaves(function.body, change))


def results_read(
    s: ir.Statement, beside: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """For the store of what a call hands back: all results of the call. They were read
    behind what it wrote, so that the store changes none of them."""
    if not ops.is_store(s):
        return frozenset()
    _, index, value, _ = s.value.args
    whole = index == ir.Const(Ellipsis) and s.value.function is ops.stored
    if not whole or not isinstance(value, ir.Var):
        return frozenset()
    return beside.get(value.name, frozenset())


def results_beside(function: ir.Function) -> dict[str, frozenset[str]]:
    """By the variables that get what calls have written into, and nothing else: the
    results of the call."""
    uses = ir.uses_in(function.body)
    found = {}
    for s in ir.walk(function.body):
        value = s.value if isinstance(s, ir.Assign) else None
        if isinstance(value, ir.Apply) and isinstance(value.function, ir.Procedure):
            details = value.function.details
            results = list(map(str, targets(s)))
            for place in details.handed_back if details is not None else ():
                if uses.writes[results[place]] == 1:
                    found[results[place]] = frozenset(results)
    return found
