"""Handed back arrays: what a call gives for an array that it has written into takes the
array's place.

::

    new = fill(x, k)                     new = fill(x, k)
    x = stored(x, ..., new, old)   ->    x = new

Takes a function in which all names of what is written into have their new values, so
that no memory has to stay the same.
"""

from collections.abc import Iterator
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.memory.ownership import targets


def with_handed_back_arrays(function: ir.Function) -> ir.Function:
    """The function in which arrays are what calls hand back of them."""
    names = set(_handed_back(function))

    def change(s: ir.Statement) -> ir.Block:
        if not ops.is_store(s):
            return (s,)
        _, index, value, _ = s.value.args
        whole = index == ir.Const(Ellipsis) and s.value.function is ops.stored
        if not whole or not isinstance(value, ir.Var) or value.name not in names:
            return (s,)
        return (replace(s, value=value),)

    if not names:
        return function
    return replace(function, body=ir.with_leaves(function.body, change))


def _handed_back(function: ir.Function) -> Iterator[str]:
    """The variables that get what calls have written into, and nothing else."""
    uses = ir.uses_in(function.body)
    for s in ir.walk(function.body):
        value = s.value if isinstance(s, ir.Assign) else None
        if isinstance(value, ir.Apply) and isinstance(value.function, ir.Procedure):
            details = value.function.details
            for place in details.handed_back if details is not None else ():
                name = str(targets(s)[place])
                if uses.writes[name] == 1:
                    yield name
