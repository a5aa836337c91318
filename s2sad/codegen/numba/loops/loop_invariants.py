"""What is the same in all turns of a loop over elements, in front of it.

::

    for j in range(0, m, 1):                 for j in range(0, m, 1):
        for k in range(0, n, 1):                 share = getitem(shares, j)
            share = getitem(shares, j)   ->      for k in range(0, n, 1):
            t = mul(share, getitem(x, k))            t = mul(share, getitem(x, k))
            y = index_add(y, k, t)                   y = index_add(y, k, t)

The compiler of the machine's code doesn't know that a write into ``y`` leaves
``shares`` alone, and reads it again each time. Only loops that were written for
operations on arrays are changed: what their turns read is there even if there are none.
"""

import operator
from collections.abc import Container

from s2sad import ir, ops
from s2sad.codegen.numba.programs import Facts
from s2sad.rules.steps.shape_queries import axis_length, shape_of


def with_invariants_in_front(
    block: ir.Block, places: Container[str], facts: Facts
) -> ir.Block:
    """The block with lines moved; ``places`` are the variables of loops over
    elements."""

    def lines(s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.For) or s.target.name not in places:
            return (s,)
        moved = _invariants(s, facts)
        own = {id(line) for line in moved}
        body = [line for line in s.body if id(line) not in own]
        return (*moved, ir.altered(s, body=ir.as_block(body, s.body)))

    return ir.rewritten(block, lines)


def _invariants(loop: ir.For, facts: Facts) -> list[ir.Statement]:
    """The lines of a loop's body that needn't be run in each turn, where one of them
    reads an array."""
    changing = {loop.target.name}
    for s in ir.walk(loop.body):
        changing |= ir.names_written(s)
        if ir.applies(s, *ops.WRITES):
            changing |= {n for name in ir.names_written(s) for n in facts.sharing(name)}
    found: list[ir.Statement] = []
    for s in loop.body:
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            continue
        value = s.value
        if not isinstance(value, ir.Apply) or not facts.is_number(s.target):
            continue
        if value.function in (axis_length, shape_of):
            continue  # in registers anyway
        once = sum(
            s.target.name in ir.names_written(line) for line in ir.walk(loop.body)
        )
        if once == 1 and not ir.names_read(s) & changing:
            found.append(s)
            changing -= {s.target.name}
    reads = any(ir.applies(s, operator.getitem) for s in found)
    return found if reads and len(found) < len(loop.body) else []
