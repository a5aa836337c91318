"""Plans: what the reverse mode has to say about each statement, before assembly.

A plan holds the statement's reverse lines; a compound statement's plan holds those of
its blocks. The reverse lines of a plan stand at the statement's own place: they may
read the values that variables have there, and assembly sees to it that they do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    For,
    If,
    Operand,
    Statement,
    Try,
    Var,
    With,
)
from s2sad.ir.regions import loops_in
from s2sad.ir.walking import blocks_of, rebuilt


@dataclass(eq=False)
class Plan:
    """One statement and its reverse lines."""

    statement: Statement
    reverse: Block = ()
    """For a leaf: the reverse lines, in order of execution. They read the values of
    before the statement, and the new value of its target unless the statement also
    reads the target."""
    before: Block = ()
    """For a compound: lines that run before its reverse, at the place behind the
    statement."""
    blocks: tuple[BlockPlan, ...] = ()
    reverse_count: Var | None = None
    """The variable that counts the iterations of a loop, where only the program itself
    knows how many there are."""
    reverse_bounds: tuple[Operand, Operand] | None = None
    """For a For that may end early: between which the numbers are that it reached."""
    reverse_test: Operand | None = None
    """For an If of which one branch leaves the loop: the flag, which tells behind the
    statement which branch was taken."""
    swapped: bool = False
    """True where that is the branch for a false test."""

    def control(self) -> tuple[Operand, ...]:
        """What the reverse of the statement itself reads."""
        match self.statement:
            case If(test=test):
                return (test if self.reverse_test is None else self.reverse_test,)
            case For(start=start, stop=stop, step=step):
                reached = self.reverse_bounds or (start, stop)
                return (*reached, step)
            case With(value=Apply(args=args, keywords=words), reentered=True):
                return (*args, *(value for _, value in words))
            case Try():
                return self.flags()
        return () if self.reverse_count is None else (self.reverse_count,)

    def flags(self) -> tuple[Var, ...]:
        """For a Try: the flags of the handlers from which control goes on."""
        assert isinstance(self.statement, Try)
        flags = (handler.flag for handler in self.statement.handlers)
        return tuple(flag for flag in flags if flag is not None)


@dataclass(eq=False)
class BlockPlan:
    """The plans of a block, in order of execution."""

    plans: list[Plan] = field(default_factory=list)
    entry: Block = ()
    """Lines that run at the end of the block's reverse, at the place where the block
    starts."""

    def statements(self) -> Block:
        """The statements of the block."""
        return tuple(plan.statement for plan in self.plans)


def forward_statements(plan: BlockPlan) -> Block:
    """The statements of a block of plans.

    Planning adds statements (counters of loops, results kept under another name); the
    compound statements are rebuilt to hold them, and the plans refer to the rebuilt
    ones.
    """
    result = []
    for inner in plan.plans:
        blocks = [forward_statements(block) for block in inner.blocks]
        statement = inner.statement
        if blocks:
            statement = rebuilt(statement, blocks)
        inner.statement = statement
        result.append(statement)
    return tuple(result)


def reverse_lines(plan: BlockPlan) -> Iterator[Statement]:
    """The reverse lines of all statements of a block, and of those inside."""
    for inner in plan.plans:
        yield from (*inner.before, *inner.reverse)
        for block in inner.blocks:
            yield from block.entry
            yield from reverse_lines(block)


def flags_of(body: Block) -> frozenset[str]:
    """The flags that end loops."""
    flags = (loop.until for loop in loops_in(body))
    return frozenset(flag.name for flag in flags if flag is not None)


def is_flag_set(statement: Statement, flags: frozenset[str]) -> bool:
    """True for ``flag = True``. The flag was false before: once it is true, nothing but
    tests of it runs until the loop ends."""
    return (
        isinstance(statement, Assign)
        and isinstance(statement.target, Var)
        and statement.target.name in flags
        and statement.value == Const(True)
    )


def plans_without_reverse(block: Block) -> BlockPlan:
    """Plans for statements that have no reverse lines."""
    return BlockPlan(
        [Plan(s, blocks=tuple(map(plans_without_reverse, blocks_of(s)))) for s in block]
    )
