"""Regions: how control goes through the blocks of a compound statement.

What follows the paths of a program (the solvers of dataflow equations, which values
are kept, what an attempt leaves half done) asks a statement for its regions and for the
edges between them, and need not know the statements one by one. What gives a statement
its meaning (the reverse sweep, the writer of the text) names the classes. Source of the
interface: RegionBranchOpInterface of MLIR.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

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
from s2sad.ir.walking import blocks_of, walk

Fact = TypeVar("Fact")

OUTSIDE = -1
"""The place before a statement, as the source of an edge, and behind it, as target."""


class Region(NamedTuple):
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
    heads: bool = False
    """True where an iteration of a loop starts with it."""
    raises_to: tuple[int, ...] = ()
    """Where control goes from anywhere in it, because something was raised."""
    unwinds: bool = False
    """True where something may be raised at its end: a final region that was run on the
    way out raises again, and so may the exit of a manager that hides exceptions."""


class Edge(NamedTuple):
    """Control goes from the end of a region to the start of another."""

    source: int
    target: int
    raised: bool = False
    """True where it goes from anywhere in the source, because something was raised."""


Ways = Mapping[int, tuple[int, ...]]
"""By place: where control comes from, or goes to."""


class Flow(NamedTuple):
    """How control goes through a statement."""

    regions: tuple[Region, ...]
    into: Ways
    """The ends from which control comes to a place, and ``anywhere_in`` others."""
    out_of: Ways
    """Where control goes on from an end. A loop without a test counts as left there
    all the same: what is behind it is somewhere."""


def anywhere_in(place: int) -> int:
    """Stands for all places in a region where something may be raised."""
    return OUTSIDE - 1 - place


def flow_of(statement: Statement) -> Flow:
    """The regions of a statement, and the edges at each."""
    try:
        return statement.known_flow
    except AttributeError:
        found = _flow_of(statement)
        object.__setattr__(statement, "known_flow", found)
        return found


def _flow_of(statement: Statement) -> Flow:
    regions, into, out_of = _shape(statement.holds, edges_of(statement))
    false: dict[int, Operand | None] = {}
    match statement:
        case If(test=test):
            false[1] = test
        case For(until=until) | While(until=until):
            false[0] = until
    filled = [
        region._replace(block=block, unless=false.get(region.place))
        for region, block in zip(regions, blocks_of(statement), strict=True)
    ]
    return Flow(tuple(filled), into, out_of)


@functools.cache
def _shape(holds: tuple[str, ...], edges: tuple[Edge, ...]) -> Flow:
    """The flow of statements with such parts and edges, their blocks left out."""
    places = sorted({edge.source for edge in edges})
    plain = [edge for edge in edges if not edge.raised]
    into = {k: tuple(e.source for e in plain if e.target == k) for k in places}
    out_of = {k: tuple(e.target for e in plain if e.source == k) for k in places}
    raised = {
        k: tuple(e.target for e in edges if e.raised and e.source == k) for k in places
    }
    roles = list(holds)
    if "handlers" in holds:
        roles[1:2] = ["handler"] * (len(places) - len(holds))
    regions = tuple(
        Region(
            *(place, role, (), None, into[place] == (OUTSIDE,)),
            heads=place == 0 and max(into[0]) > OUTSIDE,
            raises_to=raised[place],
            unwinds=OUTSIDE in raised[place]
            or any(place in raised[inner] for inner in into[place]),
        )
        for place, role in enumerate(roles)
    )
    for place, known in into.items():
        if place == OUTSIDE or not known:  # what else is raised goes on raising
            into[place] += tuple(anywhere_in(k) for k in places if place in raised[k])
    if "condition" in holds:
        out_of[0] = (1, OUTSIDE)
    return Flow(regions, into, out_of)


def regions_of(statement: Statement) -> tuple[Region, ...]:
    """The regions of a compound statement; none of others."""
    return flow_of(statement).regions


def edges_of(statement: Statement) -> tuple[Edge, ...]:
    """The ways of control through a compound statement. Where what was raised comes to
    a final region, control doesn't come out behind the statement but goes on raising.

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
            unwinding = range(final) if statement.final else ()
            passed = (Edge(inner, final, True) for inner in unwinding)
            out = Edge(final, OUTSIDE)
            return (first, *caught, Edge(0, orelse), *ends, out, *passed)
    return ()


def follow(
    statement: Statement,
    entry: Fact,
    run: Callable[[Region, Fact], Fact | None],
    join: Callable[[Fact, Fact], Fact],
    raised: Callable[[Region, Fact], Fact] | None = None,
    starts: dict[int, Fact] | None = None,
    *,
    again: bool = True,
) -> Fact | None:
    """What holds behind a compound statement in front of which ``entry`` holds.

    ``run`` gives what holds at the end of a region from what holds at its start,
    ``raised`` what holds where something in it may be raised; None stands for a place
    that no path comes to. Loops are run until nothing changes. Without ``raised``,
    control is followed backwards: from what holds behind the statement, and at the
    ends of regions, to what holds in front. ``starts`` is what held where regions start
    when the statement was followed before, from which it goes on. Where it isn't to go
    ``again``, an iteration has nothing from earlier ones.
    """
    flow = flow_of(statement)
    regions, ways = flow.regions, flow.into
    is_loop = isinstance(statement, Loop)
    if raised is None:
        regions = regions if is_loop else regions[::-1]
        ways = flow.out_of
    starts = {} if starts is None else starts
    ends: dict[int, Fact | None] = {OUTSIDE: entry}
    changed = True
    while changed:
        changed = False
        for region in regions:
            place = region.place
            start = _met(ways[place], ends, join)
            if start is None:
                continue
            if place in starts:
                known = starts[place]
                start = join(known, start)
                if place in ends and start == known:
                    continue
            starts[place] = start
            ends[place] = run(region, start)
            if raised is not None and region.raises_to:
                ends[anywhere_in(place)] = raised(region, start)
            changed = is_loop and again
    return _met(ways[OUTSIDE], ends, join)


def _met(
    ways: Iterable[int],
    ends: Mapping[int, Fact | None],
    join: Callable[[Fact, Fact], Fact],
) -> Fact | None:
    found: Fact | None = None
    for place in ways:
        fact = ends.get(place)
        if fact is not None:
            found = fact if found is None else join(found, fact)
    return found


def catches(statement: Statement) -> bool:
    """True for what may hide an exception, so that control goes on behind it: a try
    statement with handlers, or a manager."""
    into = flow_of(statement).into
    return any(place < OUTSIDE for ways in into.values() for place in ways)


def loops_in(block: Block) -> Iterator[Loop]:
    """The loops in a block and in the blocks below, in order of text."""
    return (s for s in walk(block) if isinstance(s, Loop))
