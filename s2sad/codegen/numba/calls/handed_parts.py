"""Parts of arrays that a call adds to, under names of their own.

::

    f_reverse(r, g, getitem(x.bar, 1:))   ->   part = getitem(x.bar, 1:)
                                               f_reverse(r, g, part)

The passes for Numba take operations alone, each with a kind for what it gives.
"""

import operator
from typing import Any

from s2sad import ir
from s2sad.codegen.numba.programs import Facts, call_of_procedure


def with_named_parts(function: ir.Function) -> ir.Function:
    """The program without operations among the arguments of calls."""
    facts = Facts(function)

    def lines(s: ir.Statement) -> ir.Block:
        call = call_of_procedure(s)
        if call is None:
            return (s,)
        named: list[ir.Statement] = []

        def operand(argument: Any) -> Any:
            if not isinstance(argument, ir.Apply):
                return argument
            kind = _kind_of_part(argument, facts)
            part = facts.fresh("part", kind)
            named.append(ir.Assign(s.span, part, argument, kind, derived=True))
            return part

        args = tuple(map(operand, call.value.args))
        return (*named, call.given(args)) if named else (s,)

    body = ir.with_leaves(function.body, lines)
    if not facts.added:
        return function
    return facts.program(body)


def _kind_of_part(value: ir.Apply, facts: Facts) -> ir.Kind:
    """The kind of a view of an array."""
    whole = facts.kind(value.args[0])
    if not isinstance(whole, ir.Array) or whole.axes is None:
        return ir.UNKNOWN
    if value.function is not operator.getitem:
        return ir.UNKNOWN
    index = value.args[1]
    items = index.items if isinstance(index, ir.Pack) else (index,)
    if ir.Const(Ellipsis) in items:
        return ir.UNKNOWN
    taken = [i for i in items if i != ir.Const(None)]
    kept = [i for i in items if isinstance(i, ir.Slice) or i == ir.Const(None)]
    if not all(isinstance(i, ir.Slice) or facts.is_number(i) for i in taken):
        return ir.UNKNOWN
    rest = whole.axes[len(taken) :]
    return ir.Array(whole.dtype, (*(ir.Axis("any") for _ in kept), *rest))
