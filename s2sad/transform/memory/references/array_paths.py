"""Array paths: what each name of an array may mean at each place.

Takes a function and a group of names that may share memory; gives for each place the
*paths* of each name: a parameter, or the line that has allocated the array and how
often it has since, and the views on the way from there::

    x = zeros_like(a)
    for i in range(n):
        y = x                      y: what line 1 allocated
        x = zeros_like(a)          x: what line 4 allocated
        r = y[i]                   r: what line 1 allocated, or line 4 once more since,
                                      and then line 5
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from s2sad import ir, ops
from s2sad.analysis.dataflow import dataflow, liveness
from s2sad.analysis.memory.memory import OUTSIDE, SLOTS
from s2sad.analysis.memory.parts_of_arguments import parts_of_arguments
from s2sad.analysis.memory.points_to import PointsTo
from s2sad.analysis.passes.dead_code import must_run
from s2sad.transform.memory import plain_views, views

MOST_STEPS = 4
"""A view of a view of a view: so many are followed."""
OLDEST = 3
"""Arrays that a line has allocated in so many earlier iterations have homes."""


@dataclass(frozen=True)
class Path:
    """What a name may mean: a home, or a view of it."""

    origin: str | int
    """A parameter, or the identity of the line that allocates."""
    age: int = 0
    """How often the line has allocated since."""
    steps: tuple[int, ...] = ()
    """The lines, by identity, that make views of views."""

    @property
    def root(self) -> tuple[str | int, int]:
        return self.origin, self.age


UNSET = Path("", -1)
"""The name has no value yet."""
UNKNOWN = Path("", -2)
Paths = frozenset[Path]
Fact = Mapping[str, Paths]


def group_of(names: Iterable[str], memory: PointsTo) -> frozenset[str] | None:
    """All names that may ever share memory with some names; None where others may hold
    it, too."""
    found = set(names)
    anywhere = memory.anywhere.buffers
    buffers: set[object] = set()
    while True:
        for name in found:
            buffers |= memory.anywhere.of(name)
        if not buffers.isdisjoint((OUTSIDE, SLOTS)):
            return None
        more = {n for n, held in anywhere.items() if not held.isdisjoint(buffers)}
        if more <= found:
            return frozenset(found)
        found |= more


class Lines:
    """What the lines of a function do with the names of a group."""

    def __init__(
        self, plain: plain_views.PlainViews, group: frozenset[str], memory: PointsTo
    ) -> None:
        function = plain.function
        self.group, self.kinds, self.memory = group, function.kinds, memory
        self.unsure, self.parts = plain.unsure, parts_of_arguments(function)
        self.views: dict[int, ir.Assign] = {}
        facts, self.liveness = liveness.live_variables(
            function.body, lambda s: must_run(s) or ops.is_write(s)
        )
        self.live = facts.after
        """The variables that are read after each line, what is stored into among
        them."""
        self.start = {
            name: frozenset((Path(name) if name in function.parameters else UNSET,))
            for name in group
        }

    def is_live(self, s: ir.Statement) -> bool:
        """False for lines whose result nobody reads."""
        return self.liveness.is_live(s, self.live.get(id(s), frozenset()))

    def may_fail(self, s: ir.Statement) -> bool:
        """True for a view that may not be there: an index out of range."""
        return self.source(s) is not None and isinstance(s.value, ir.Apply)  # type: ignore[attr-defined]

    def names_read(self, s: ir.Statement) -> list[str]:
        """The names of the group that a line reads, once each."""
        names = dict.fromkeys(v.name for v in ir.direct_reads(s))
        return [n for n in names if n in self.group]

    def defined(self, s: ir.Statement) -> str | None:
        """The one name of the group that a line binds."""
        if (
            isinstance(s, ir.Assign)
            and isinstance(s.target, ir.Var)
            and not ops.is_write(s)
        ):
            return s.target.name if s.target.name in self.group else None
        return None

    def older_names(self, s: ir.Statement, target: str, fact: Fact) -> list[str]:
        """The names, read later, that may mean what a line has allocated before."""
        live = self.live.get(id(s), frozenset[str]()) - {target}
        return [
            name
            for name, paths in fact.items()
            if name in live and any(p.origin == id(s) for p in paths)
        ]

    def written(self, s: ir.Statement) -> str | None:
        """The name of the group through which a line stores."""
        if not ops.is_write(s):
            return None
        return s.target.name if s.target.name in self.group else None

    def source(self, s: ir.Statement) -> str | None:
        """The array that a line gives another name, or makes a view of."""
        if not isinstance(s, ir.Assign) or not views.is_view(s, self.kinds):
            return None
        if id(s) in self.unsure:
            return None
        source, *index = ir.value_variables(s.value)
        numbers = all(isinstance(self.kinds.get(v.name), ir.Scalar) for v in index)
        return source.name if numbers and source.name in self.group else None

    def allocates(self, s: ir.Statement) -> bool:
        """True where what a line gives is new memory, or a part of an argument."""
        if not ir.applies(s):
            return False
        name = self.defined(s)
        after = self.memory.facts.after.get(id(s))
        if id(s) in self.parts:
            return name is not None
        if name is None or after is None or name in after.views:
            return False
        return after.of(name) == {("fresh", id(s))}

    def index_of(self, step: int) -> list[ir.Var]:
        """The variables in the index of a view."""
        value = self.views[step].value
        return list(ir.value_variables(value))[1:]

    def places(self, path: Path) -> int:
        """The number of variables in the indices of a path."""
        return sum(len(self.index_of(step)) for step in path.steps)


class FollowPaths(dataflow.Analysis[Fact]):
    """What each name may mean. Names that aren't read again are forgotten."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines

    def join(self, a: Fact, b: Fact) -> Fact:
        none: Paths = frozenset()
        return {n: a.get(n, none) | b.get(n, none) for n in sorted({*a, *b})}

    def leaf(self, statement: ir.Statement, fact: Fact) -> Fact:
        lines = self.lines
        changed = dict(fact)
        name = lines.defined(statement)
        live = lines.live.get(id(statement), frozenset[str]())
        if name is not None:
            assert isinstance(statement, ir.Assign)
            source = lines.source(statement)
            if source is not None:
                held = fact.get(source, frozenset())
                changed[name] = frozenset(viewed(p, statement, lines) for p in held)
            elif lines.allocates(statement):
                others = lines.older_names(statement, name, fact)
                for other in others:
                    aged = (
                        older(p, id(statement), len(others) == 1)
                        for p in changed[other]
                    )
                    changed[other] = frozenset(aged)
                changed[name] = frozenset((Path(id(statement)),))
            else:
                changed[name] = frozenset((UNKNOWN,))
        elif not ops.is_write(statement):
            for variable in ir.direct_writes(statement):
                if variable.name in lines.group:
                    changed[variable.name] = frozenset((UNKNOWN,))
        written = ir.names_written(statement)
        return {n: p for n, p in changed.items() if n in live or n in written}


def viewed(path: Path, s: ir.Assign, lines: Lines) -> Path:
    """What a line's target means where its source means ``path``."""
    if path in (UNSET, UNKNOWN) or isinstance(s.value, ir.Var):
        return path
    if len(path.steps) >= MOST_STEPS:
        return UNKNOWN
    lines.views[id(s)] = s
    return replace(path, steps=(*path.steps, id(s)))


def older(path: Path, origin: int, alone: bool) -> Path:
    """What a path is once the line has allocated again; ``alone``: no other name means
    anything that the line has allocated."""
    if path.origin != origin or (alone and path.age):
        return path
    return UNKNOWN if path.age >= OLDEST else replace(path, age=path.age + 1)
