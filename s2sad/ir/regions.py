"""Regions: how control goes through the blocks of a compound statement.

What follows the paths of a program (which flags may be true, what an attempt leaves
half done, which values are kept) asks a statement for its regions and for the edges
between them, and need not know the statements one by one. The two solvers of dataflow
equations, and what gives a statement its meaning (the reverse sweep, the writer of the
text), name the classes. Source of the interface: RegionBranchOpInterface of MLIR.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from s2sad.ir.nodes import (
    Block,
    Const,
    For,
    If,
    Loop,
    Operand,
    Statement,
    Try,
    While,
    With,
)
from s2sad.ir.quick_making import quickly_made
from s2sad.ir.walking import blocks_of, walk

Fact = TypeVar("Fact")

OUTSIDE = -1
"""The place before a statement, as the source of an edge, and behind it, as target."""


@dataclass(frozen=True, slots=True)
class Region:
    """A block of a compound statement, as control sees it."""

    place: int
    """Which one it is, in the order of ``blocks_of``."""
    role: str
    """``"condition"``, ``"body"``, ``"handler"``, ``"orelse"`` or ``"final"``."""
    block: Block
    unless: Operand | None = None
    """What is false where it starts: the test of an If in front of its other branch,
    the flag that ends a loop in front of an iteration."""
    first: bool = False
    """True where control comes to it from in front of the statement alone."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Edge:
    """Control goes from the end of a region to the start of another."""

    source: int
    target: int
    raised: bool = False
    """True where it goes from anywhere in the source, because something was raised."""


def regions_of(statement: Statement) -> tuple[Region, ...]:
    """The regions of a compound statement; none of others."""
    roles = list(statement.holds)
    if isinstance(statement, Try):
        roles[1:2] = ["handler"] * len(statement.handlers)
    later = {edge.target for edge in edges_of(statement) if edge.source != OUTSIDE}
    false: dict[int, Operand | None] = {}
    if isinstance(statement, Loop):
        false[0] = statement.until
    elif isinstance(statement, If):
        false[1] = statement.test
    return tuple(
        Region(place, roles[place], block, false.get(place), place not in later)
        for place, block in enumerate(blocks_of(statement))
    )


def edges_of(statement: Statement) -> tuple[Edge, ...]:
    """The ways of control through a compound statement that come out behind it. (Where
    nothing handles what is raised, a final region is run besides, and control doesn't
    come out.)

    >>> from s2sad import ir
    >>> loop = ir.While(None, (), ir.Var("test"), (), until=ir.Var("left"))
    >>> [(edge.source, edge.target) for edge in edges_of(loop)]
    [(-1, 0), (0, 1), (1, 0), (0, -1), (1, -1)]
    """
    first = Edge(OUTSIDE, 0)
    match statement:
        case If():
            branches = (Edge(OUTSIDE, 1), Edge(0, OUTSIDE), Edge(1, OUTSIDE))
            return (first, *branches)
        case For():
            return (first, Edge(0, 0), Edge(OUTSIDE, OUTSIDE), Edge(0, OUTSIDE))
        case While():
            tested = () if statement.test == Const(True) else (Edge(0, OUTSIDE),)
            left = () if statement.until is None else (Edge(1, OUTSIDE),)
            return (first, Edge(0, 1), Edge(1, 0), *tested, *left)
        case With():
            hidden = (Edge(0, OUTSIDE, True),) if statement.swallows else ()
            return (first, Edge(0, OUTSIDE), *hidden)
        case Try():
            *handlers, orelse, final = range(1, len(statement.handlers) + 3)
            caught = (Edge(0, handler, True) for handler in handlers)
            ends = (Edge(end, final) for end in (orelse, *handlers))
            return (first, *caught, Edge(0, orelse), *ends, Edge(final, OUTSIDE))
    return ()


def follow(
    statement: Statement,
    entry: Fact,
    run: Callable[[Region, Fact], Fact | None],
    join: Callable[[Fact, Fact], Fact],
    raised: Callable[[Region, Fact], Fact],
) -> Fact | None:
    """What holds behind a compound statement in front of which ``entry`` holds.

    ``run`` gives what holds at the end of a region from what holds at its start,
    ``raised`` what holds where something in it may be raised; None stands for a place
    that no path comes to. Loops are run until nothing changes.
    """
    inside, ways = regions_of(statement), edges_of(statement)
    starts: dict[int, Fact] = {}
    ends: dict[int, Fact | None] = {OUTSIDE: entry}

    def met(place: int) -> Fact | None:
        found = [
            raised(inside[edge.source], starts[edge.source])
            if edge.raised
            else ends.get(edge.source)
            for edge in ways
            if edge.target == place and (edge.source in starts or not edge.raised)
        ]
        reached = [fact for fact in found if fact is not None]
        return functools.reduce(join, reached) if reached else None

    changed = True
    while changed:
        changed = False
        for region in inside:
            start = met(region.place)
            if start is not None and starts.get(region.place) != start:
                starts[region.place] = start
                ends[region.place] = run(region, start)
                changed = isinstance(statement, Loop)
    return met(OUTSIDE)


def catches(statement: Statement) -> bool:
    """True for what may hide an exception, so that control goes on behind it: a try
    statement with handlers, or a manager."""
    return any(edge.raised for edge in edges_of(statement))


def loops_in(block: Block) -> Iterator[Loop]:
    """The loops in a block and in the blocks below, in order of text."""
    return (s for s in walk(block) if isinstance(s, Loop))
