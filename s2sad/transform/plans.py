"""Plans: what the reverse mode has to say about each statement, before assembly.

A plan holds the statement's reverse lines; a compound statement's plan holds those of its blocks.
The reverse lines of a plan stand at the statement's own place: they may read the values that
variables have there, and assembly sees to it that they do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from s2sad.ir.nodes import Block, Statement, Var


@dataclass(eq=False)
class Plan:
    """One statement and its reverse lines."""

    statement: Statement
    reverse: Block = ()
    """For a leaf: the reverse lines, in order of execution. They read the values of before the
    statement, and the new value of its target unless the statement also reads the target."""
    before: Block = ()
    """For a compound: lines that run before its reverse, at the place behind the statement."""
    blocks: tuple[BlockPlan, ...] = ()
    reverse_count: Var | None = None
    """The variable that counts the iterations of a While."""


@dataclass(eq=False)
class BlockPlan:
    """The plans of a block, in order of execution."""

    plans: list[Plan] = field(default_factory=list)
    entry: Block = ()
    """Lines that run at the end of the block's reverse, at the place where the block starts."""
