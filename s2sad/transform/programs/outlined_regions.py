"""Outlined regions: a block of a program as one operation.

Where a loop is checkpointed, assembly must not look into it: what it keeps for its
reverse, it keeps by itself. Until the rest of the program has been assembled, the loop
is one assignment of the variables that it assigns, from those that it reads, with one
reverse line, which is such a block too::

    (t, x) = checkpointed(n, x)          for t in range(0, n, 1):
                                   ->        ...
"""

from collections.abc import Iterable
from typing import Any

from s2sad import ir, ops
from s2sad.transform.reverse import assemble, repetition


class OutlinedRegion:
    """A block as one operation; opened when what is around it has been assembled."""

    __name__ = "checkpointed"

    def __init__(
        self, block: ir.Block, stacks: Iterable[str] = (), unbound: Iterable[str] = ()
    ) -> None:
        self.block = block
        self.stacks, self.unbound = frozenset(stacks), frozenset(unbound)
        """The stacks of its snapshots, and what it keeps that may have no value yet."""

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError("a block of a program, not a function")


def _outlined(statement: ir.Statement) -> OutlinedRegion | None:
    function = statement.value.function if ir.applies(statement) else None
    return function if isinstance(function, OutlinedRegion) else None


def inlined(block: ir.Block) -> ir.Block:
    """A block of the reverse sweep with the blocks of outlined regions in their
    place."""
    return ir.with_leaves(
        block, lambda s: found.block if (found := _outlined(s)) else (s,)
    )


def inlined_forward(block: ir.Block, parameters: Iterable[str] = ()) -> ir.Block:
    """A forward sweep with the blocks of outlined regions in their place, and the
    stacks of their snapshots."""
    found = [outlined for s in ir.walk(block) if (outlined := _outlined(s)) is not None]
    stacks = frozenset(name for outlined in found for name in outlined.stacks)
    unbound = {name for outlined in found for name in outlined.unbound}
    block = ops.with_stacks(inlined(block), stacks)
    return assemble.with_unbound(block, unbound.difference(parameters))


def plain(block: ir.Block) -> ir.Block:
    """Lines of the program that keep nothing."""
    return ops.without_old_parts(ir.opened(block))


def outlined_plan(
    span: ir.Span | None,
    outlined: OutlinedRegion,
    reverse: ir.Block,
    old: Iterable[str] = (),
) -> ir.Plan:
    """The plan of an outlined region. ``old`` are variables of which its reverse reads
    the value that they had before."""
    targets = ir.in_order(ir.names_written_in(outlined.block) - outlined.stacks)
    reads = ir.in_order((repetition.free(outlined.block) | {*old}) - outlined.stacks)
    statement = _operation(span, targets, outlined, reads)
    adjoints = ir.in_order(ir.names_written_in(reverse) - outlined.stacks)
    lines = _operation(
        span,
        adjoints,
        OutlinedRegion(reverse),
        ir.in_order(repetition.free(reverse) - outlined.stacks),
    )
    return ir.Plan(statement, (lines,))


def _operation(
    span: ir.Span | None, targets: list[str], outlined: OutlinedRegion, reads: list[str]
) -> ir.Assign:
    value = ir.Apply(outlined, tuple(map(ir.Var, reads)))
    return ir.Assign(span, ir.pack_tuple(*map(ir.Var, targets)), value, ir.OPAQUE)
