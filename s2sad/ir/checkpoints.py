"""Regions that the reverse sweep computes again: a ``with`` statement of the IR whose
manager is ``checkpointed``.

::

    with checkpointed(s):            a loop, of which s states are kept
        for t in range(0, n, 1): ...

    with checkpointed():             a block
        y = ...

Reverse mode takes them away (:mod:`s2sad.transform.programs.checkpoints`), and so do
the optimisations, first of all: what is left is the block."""

from typing import Any

from s2sad.ir.nodes import Apply, Block, Function, Operand, Span, Statement, With
from s2sad.ir.walking import altered, rewritten, walk


def checkpointed(*snapshots: int) -> Any:
    """Stands for the manager of a region."""
    raise NotImplementedError


def region(span: Span | None, body: Block, *snapshots: Operand) -> With:
    """A block that the reverse sweep computes again."""
    return With(span, Apply(checkpointed, snapshots), body, reentered=True)


def is_region(statement: Statement) -> bool:
    """True for a region."""
    return (
        isinstance(statement, With)
        and isinstance(statement.value, Apply)
        and statement.value.function is checkpointed
    )


def without_regions(function: Function) -> Function:
    """The function with the blocks of regions in their place."""
    if not any(map(is_region, walk(function.body))):
        return function
    return altered(function, body=opened(function.body))


def opened(block: Block) -> Block:
    """A block with the blocks of regions in their place."""

    def lines(s: Statement) -> Block:
        return s.body if isinstance(s, With) and is_region(s) else (s,)

    return rewritten(block, lines)
