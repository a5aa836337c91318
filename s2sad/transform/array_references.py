"""Array references: where the run decides which array a name means, it is told by a
number.

Takes a function in which names of arrays that are written into may or may not be the
same array, on the path that is taken or in an iteration; gives one in which each piece
of memory has one variable, its *home*, and such a name is a number that tells which
home it means. A store becomes a branch on the number::

    c = a if k else b              if k: c.which = 0    (else 1)
    c[i] = v                ->     if c.which == 0: a = stored(a, i, v)
    use(c)                         else:            b = stored(b, i, v)
                                   if c.which == 0: c.now = a    (else b)
                                   use(c.now)

Views are followed in the same way: the numbers in their index are kept beside. Memory
that a loop allocates anew has a home for each of the last few iterations, as far as
names still mean the older ones.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from s2sad.analysis.assigned import assigned_variables
from s2sad.analysis.dataflow import Analysis, Facts, solve_forward
from s2sad.analysis.liveness import live_variables
from s2sad.analysis.parts_of_arguments import parts_of_arguments
from s2sad.analysis.points_to import OUTSIDE, PointsTo
from s2sad.ir.kinds import BOOL, INT, Array, Kind, Scalar
from s2sad.ir.nodes import (
    COMPOUND,
    Apply,
    Assign,
    Block,
    Const,
    Function,
    If,
    Span,
    Statement,
    Try,
    Var,
    With,
    pack_tuple,
)
from s2sad.ir.walking import (
    direct_reads,
    direct_writes,
    map_value,
    operand_variables,
    value_variables,
    walk,
    with_blocks,
    with_leaves,
)
from s2sad.optimise.dead_code import must_run
from s2sad.rules.shape_queries import SHAPE_QUERIES
from s2sad.transform.buffers import overwritten_part
from s2sad.transform.plain_views import PlainViews
from s2sad.transform.stores import is_write
from s2sad.transform.views import is_view

MOST_STEPS = 4
"""A view of a view of a view: so many are followed."""
OLDEST = 3
"""Arrays that a line has allocated in so many earlier iterations have homes."""
MOST_PATHS = 12
"""A name may mean one of so many arrays and views."""


@dataclass(frozen=True)
class _Path:
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


_NOW = ".now"
_UNSET = _Path("", -1)
"""The name has no value yet."""
_UNKNOWN = _Path("", -2)
_Paths = frozenset[_Path]
_Fact = Mapping[str, _Paths]


def _group_of(names: Iterable[str], memory: PointsTo) -> frozenset[str] | None:
    """All names that may ever share memory with some names; None where others may hold
    it, too."""
    found = set(names)
    anywhere = memory.anywhere.buffers
    buffers: set[object] = set()
    while True:
        for name in found:
            buffers |= memory.anywhere.of(name)
        if OUTSIDE in buffers:
            return None
        more = {n for n, held in anywhere.items() if not held.isdisjoint(buffers)}
        if more <= found:
            return frozenset(found)
        found |= more


def with_references(
    plain: PlainViews, names: Iterable[str], memory: PointsTo
) -> Function | None:
    """The function with numbers for some names, and for all others that may ever share
    their memory; None where that isn't followed."""
    function, group = plain.function, _group_of(names, memory)
    if group is None or any(name.endswith(_NOW) for name in group):
        return None
    if not all(_is_followed(function.kinds.get(name)) for name in group):
        return None
    lines = _Lines(plain, group, memory)
    body = tuple(walk(function.body))
    if any(map(_catches, body)) and any(map(lines.may_fail, body)):
        return None  # a view is made where it is read, and would raise there
    paths = solve_forward(function.body, lines.start, _FollowPaths(lines))
    for s in walk(function.body):
        if not any(v.name in group for v in direct_reads(s)):
            continue
        if id(s) not in paths.before or not lines.is_live(s):
            continue
        if isinstance(s, COMPOUND):
            return None
        for variable in direct_reads(s):
            held = paths.before[id(s)].get(variable.name, frozenset())
            unclear = _UNKNOWN in held or len(held) > MOST_PATHS
            if variable.name in group and (unclear or held <= {_UNSET}):
                return None
    return _Rewriting(function, lines, paths).function()


def _is_followed(kind: Kind | None) -> bool:
    return isinstance(kind, Array) and not kind.promoted


def _catches(s: Statement) -> bool:
    return (isinstance(s, Try) and bool(s.handlers)) or (
        isinstance(s, With) and s.swallows
    )


def _renamed(names: Mapping[str, Var], variable: Var) -> Var:
    return names[variable.name]


class _Lines:
    """What the lines of a function do with the names of a group."""

    def __init__(
        self, plain: PlainViews, group: frozenset[str], memory: PointsTo
    ) -> None:
        function = plain.function
        self.group, self.kinds, self.memory = group, function.kinds, memory
        self.unsure, self.parts = plain.unsure, parts_of_arguments(function)
        self.views: dict[int, Assign] = {}
        facts, self.liveness = live_variables(
            function.body, lambda s: must_run(s) or is_write(s)
        )
        self.live = facts.after
        """The variables that are read after each line, what is stored into among
        them."""
        self.start = {
            name: frozenset((_Path(name) if name in function.parameters else _UNSET,))
            for name in group
        }

    def is_live(self, s: Statement) -> bool:
        """False for lines whose result nobody reads."""
        return self.liveness.is_live(s, self.live.get(id(s), frozenset()))

    def may_fail(self, s: Statement) -> bool:
        """True for a view that may not be there: an index out of range."""
        return self.source(s) is not None and isinstance(s.value, Apply)  # type: ignore[attr-defined]

    def names_read(self, s: Statement) -> list[str]:
        """The names of the group that a line reads, once each."""
        names = dict.fromkeys(v.name for v in direct_reads(s))
        return [n for n in names if n in self.group]

    def defined(self, s: Statement) -> str | None:
        """The one name of the group that a line binds."""
        if isinstance(s, Assign) and isinstance(s.target, Var) and not is_write(s):
            return s.target.name if s.target.name in self.group else None
        return None

    def older_names(self, s: Statement, target: str, fact: _Fact) -> list[str]:
        """The names, read later, that may mean what a line has allocated before."""
        live = self.live.get(id(s), frozenset()) - {target}
        return [
            name
            for name, paths in fact.items()
            if name in live and any(p.origin == id(s) for p in paths)
        ]

    def written(self, s: Statement) -> str | None:
        """The name of the group through which a line stores."""
        if not is_write(s):
            return None
        assert isinstance(s, Assign) and isinstance(s.target, Var)
        return s.target.name if s.target.name in self.group else None

    def source(self, s: Statement) -> str | None:
        """The array that a line gives another name, or makes a view of."""
        if not isinstance(s, Assign) or not is_view(s, self.kinds):
            return None
        if id(s) in self.unsure:
            return None
        source, *index = value_variables(s.value)
        numbers = all(isinstance(self.kinds.get(v.name), Scalar) for v in index)
        return source.name if numbers and source.name in self.group else None

    def allocates(self, s: Statement) -> bool:
        """True where what a line gives is new memory, or a part of an argument."""
        if not isinstance(s, Assign) or not isinstance(s.value, Apply):
            return False
        name = self.defined(s)
        after = self.memory.facts.after.get(id(s))
        if id(s) in self.parts:
            return name is not None
        if name is None or after is None or name in after.views:
            return False
        return after.of(name) == {("fresh", id(s))}

    def index_of(self, step: int) -> list[Var]:
        """The variables in the index of a view."""
        value = self.views[step].value
        return list(value_variables(value))[1:]

    def places(self, path: _Path) -> int:
        """The number of variables in the indices of a path."""
        return sum(len(self.index_of(step)) for step in path.steps)


class _FollowPaths(Analysis[_Fact]):
    """What each name may mean. Names that aren't read again are forgotten."""

    def __init__(self, lines: _Lines) -> None:
        self.lines = lines

    def join(self, a: _Fact, b: _Fact) -> _Fact:
        none: _Paths = frozenset()
        return {n: a.get(n, none) | b.get(n, none) for n in sorted({*a, *b})}

    def leaf(self, statement: Statement, fact: _Fact) -> _Fact:
        lines = self.lines
        changed = dict(fact)
        name = lines.defined(statement)
        live = lines.live.get(id(statement), frozenset())
        if name is not None:
            assert isinstance(statement, Assign)
            source = lines.source(statement)
            if source is not None:
                held = fact.get(source, frozenset())
                changed[name] = frozenset(viewed(p, statement, lines) for p in held)
            elif lines.allocates(statement):
                others = lines.older_names(statement, name, fact)
                for other in others:
                    aged = (
                        _older(p, id(statement), len(others) == 1)
                        for p in changed[other]
                    )
                    changed[other] = frozenset(aged)
                changed[name] = frozenset((_Path(id(statement)),))
            else:
                changed[name] = frozenset((_UNKNOWN,))
        elif not is_write(statement):
            for variable in direct_writes(statement):
                if variable.name in lines.group:
                    changed[variable.name] = frozenset((_UNKNOWN,))
        written = {v.name for v in direct_writes(statement)}
        return {n: p for n, p in changed.items() if n in live or n in written}


def viewed(path: _Path, s: Assign, lines: _Lines) -> _Path:
    """What a line's target means where its source means ``path``."""
    if path in (_UNSET, _UNKNOWN) or isinstance(s.value, Var):
        return path
    if len(path.steps) >= MOST_STEPS:
        return _UNKNOWN
    lines.views[id(s)] = s
    return replace(path, steps=(*path.steps, id(s)))


def _older(path: _Path, origin: int, alone: bool) -> _Path:
    """What a path is once the line has allocated again; ``alone``: no other name means
    anything that the line has allocated."""
    if path.origin != origin or (alone and path.age):
        return path
    return _UNKNOWN if path.age >= OLDEST else replace(path, age=path.age + 1)


class _UpToDate(Analysis[frozenset[str]]):
    """The names whose arrays, once looked up, no store has changed since."""

    def __init__(self, rewriting: _Rewriting) -> None:
        self.rewriting = rewriting

    def join(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return a & b

    def leaf(self, statement: Statement, fact: frozenset[str]) -> frozenset[str]:
        rewriting = self.rewriting
        held = rewriting.paths.before.get(id(statement), {})
        fact |= frozenset(rewriting.looked_up(statement))
        name = rewriting.lines.written(statement)
        if name is not None:
            written = {p.root for p in held.get(name, ())}
            changed = {
                n for n, ps in held.items() if any(p.root in written for p in ps)
            }
            return fact - changed
        return fact - {v.name for v in direct_writes(statement)}


@dataclass(frozen=True, slots=True, eq=False)
class _Choice(Statement):
    """A branch on what a name means; it becomes ``if`` statements in the end."""

    name: str = ""
    blocks: Mapping[int, Block] = field(default_factory=dict)


class _Rewriting:
    """Writes the lines that work on homes and numbers."""

    def __init__(
        self,
        function: Function,
        lines: _Lines,
        paths: Facts[_Fact],
    ) -> None:
        self.original, self.lines, self.paths = function, lines, paths
        self.numbers: dict[_Path, int] = {_UNSET: -1}
        self.counters: set[str] = set()
        """The variables that tell what a name means."""
        self._tested: dict[str, str] = {}
        """For each variable of a test: the name of which it asks what it means."""
        self.homes: dict[tuple[str | int, int], str] = {}
        self.home_kinds: dict[tuple[str | int, int], Kind | None] = {}
        self._name_homes()
        self.up_to_date = solve_forward(function.body, frozenset(), _UpToDate(self))

    def function(self) -> Function:
        """The rewritten function."""
        body = self._lowered(with_leaves(self.original.body, self.line))
        start: list[Statement] = []
        for name in self.original.parameters:
            if name in self.lines.group:
                number = Const(self.number(_Path(name)))
                start.append(Assign(None, self.which(name), number, INT))
        assigned = assigned_variables((*start, *body), self.original.parameters)
        unset = {
            v.name
            for s in walk(body)
            for v in direct_reads(s)
            if v.name not in assigned.before.get(id(s), frozenset())
        }
        for name in sorted(unset & self.counters):
            start.append(Assign(None, Var(name), Const(-1), INT))
        homes = {name: self.home_kinds[root] for root, name in self.homes.items()}
        for name in sorted(unset & set(homes)):
            start += self._placeholder(name, homes[name])
        return replace(self.original, body=(*start, *body))

    def _placeholder(self, name: str, kind: Kind | None) -> Block:
        """An empty array for a home that some paths don't fill: no name means it
        there."""
        if not isinstance(kind, Array) or not kind.axes or kind.dtype != "float64":
            return ()
        none = Const(0)
        shape = none if len(kind.axes) == 1 else pack_tuple(*(none for _ in kind.axes))
        return (Assign(None, Var(name), Apply(np.zeros, (shape,)), kind),)

    # ---------------------------------------------------------------- names

    def _name_homes(self) -> None:
        """Homes are called as the user calls the array that is put into them."""
        taken = set(self.original.kinds) - self.lines.group
        copies: dict[str, str] = {}
        for s in walk(self.original.body):
            if isinstance(s, Assign) and isinstance(s.value, Var):
                if isinstance(s.target, Var) and s.value.name in self.lines.group:
                    copies.setdefault(s.value.name, s.target.name)
        for p in self.original.parameters:
            if p in self.lines.group:
                taken.add(p)
                self.homes[p, 0] = p
                self.home_kinds[p, 0] = self.original.kinds.get(p)
        for s in walk(self.original.body):
            name = self.lines.defined(s)
            if name is None or not self.lines.allocates(s):
                continue
            assert isinstance(s, Assign)
            wish = copies.get(name, name) if "." in name else name
            count, chosen = 1, wish
            while chosen in taken:
                count += 1
                chosen = f"{wish}_{count}"
            taken.add(chosen)
            for age in range(OLDEST + 1):
                home = f"{chosen}.older.{age}" if age else chosen
                self.homes[id(s), age] = home
                self.home_kinds[id(s), age] = s.kind

    def number(self, path: _Path) -> int:
        return self.numbers.setdefault(path, len(self.numbers) - 1)

    def which(self, name: str) -> Var:
        return self._counter(f"{name}.which")

    def index(self, name: str, place: int) -> Var:
        return self._counter(f"{name}.at.{place}")

    def _counter(self, name: str) -> Var:
        self.counters.add(name)
        return Var(name)

    @staticmethod
    def now(name: str) -> Var:
        return Var(f"{name}{_NOW}")

    def held(self, s: Statement, name: str) -> list[_Path]:
        """What a name may mean where a line starts, in a fixed order."""
        held = self.paths.before[id(s)].get(name, frozenset())
        return sorted(held - {_UNSET}, key=self.number)

    # ---------------------------------------------------------------- reads

    def looked_up(self, s: Statement) -> list[str]:
        """The names whose arrays a line needs in a variable."""
        if id(s) not in self.paths.before or not self.lines.is_live(s):
            return []
        if self._only_refers(s):
            return []
        if self.chosen_read(s) is not None:
            return []
        names = self.lines.names_read(s)
        if self.lines.written(s) is not None:
            assert isinstance(s, Assign) and isinstance(s.value, Apply)
            others = [v for a in s.value.args[1:] for v in operand_variables(a)]
            names = [n for n in names if any(v.name == n for v in others)]
        return [n for n in names if self._home_alone(s, n) is None]

    def _home_alone(self, s: Statement, name: str) -> str | None:
        """The home that a name surely means."""
        held = self.held(s, name)
        if len(held) == 1 and not held[0].steps:
            return self.homes[held[0].root]
        return None

    def _only_refers(self, s: Statement) -> bool:
        """True for a line that gives an array another name, or makes a view."""
        return self.lines.defined(s) is not None and self.lines.source(s) is not None

    def chosen_read(self, s: Statement) -> str | None:
        """The array of which a line reads elements, or the shape."""
        if not isinstance(s, Assign) or not isinstance(s.value, Apply):
            return None
        if s.value.function not in (operator.getitem, overwritten_part):
            if s.value.function not in SHAPE_QUERIES:
                return None
        names = [v.name for v in value_variables(s.value) if v.name in self.lines.group]
        target = s.target.name if isinstance(s.target, Var) else None
        first = s.value.args[0]
        if target in self.lines.group or not isinstance(first, Var):
            return None
        if names != [first.name] or self._home_alone(s, first.name):
            return None
        return first.name

    def array(self, path: _Path, name: str, span: Span | None) -> tuple[Block, Var]:
        """The array that a name means, and the lines that look it up."""
        array = Var(self.homes[path.root])
        lines: list[Statement] = []
        place = 0
        for count, step in enumerate(path.steps, 1):
            made = self.lines.views[step]
            assert isinstance(made.value, Apply)
            names: dict[str, Var] = {}
            for variable in self.lines.index_of(step):
                names[variable.name] = self.index(name, place)
                place += 1
            source, *_ = value_variables(made.value)
            names[source.name] = array
            last = count == len(path.steps)
            target = self.now(name) if last else Var(f"{name}.part.{count}")
            value = map_value(made.value, partial(_renamed, names))
            lines.append(Assign(span, target, value, made.kind))
            array = target
        return tuple(lines), array

    def _look_up(self, s: Statement, name: str) -> Block:
        """``name.now``, if it isn't up to date."""
        if name in self.up_to_date.before.get(id(s), frozenset()):
            return ()

        def each(path: _Path) -> Block:
            lines, array = self.array(path, name, s.span)
            if array != self.now(name):
                kind = self.home_kinds[path.root]
                lines = (*lines, Assign(s.span, self.now(name), array, kind))
            return lines

        return self._choice(s, name, each)

    def _choice(self, s: Statement, name: str, each) -> Block:
        held = self.held(s, name)
        if len(held) == 1:
            return each(held[0])
        blocks = {self.number(path): each(path) for path in held}
        return (_Choice(s.span, name, blocks),)

    # ---------------------------------------------------------------- lines

    def line(self, s: Statement) -> Block:
        """What a line becomes."""
        if id(s) not in self.paths.before:
            return (s,)
        if not self.lines.is_live(s):
            return ()
        if self._only_refers(s):
            assert isinstance(s, Assign)
            return self._refers(s)
        if self.lines.written(s) is not None:
            return self._written(s)
        chosen = self.chosen_read(s)
        if chosen is not None:
            assert isinstance(s, Assign)

            def read(path: _Path) -> Block:
                lines, array = self.array(path, chosen, s.span)
                value = map_value(s.value, lambda v: array if v.name == chosen else v)
                return *lines, replace(s, value=value)

            return self._choice(s, chosen, read)
        lines, changed = self._with_arrays(s, self.lines.names_read(s))
        name = self.lines.defined(s)
        if name is None:
            return *lines, changed
        assert isinstance(changed, Assign)
        if not self.lines.allocates(s):  # what isn't followed isn't read either
            return *lines, changed
        return *lines, *self._allocated(s, changed, name)

    def _with_arrays(
        self, s: Statement, names: Iterable[str]
    ) -> tuple[Block, Statement]:
        """A line that reads arrays in place of names, and what comes before it."""
        lines: list[Statement] = []
        arrays: dict[str, Var] = {}
        for name in names:
            home = self._home_alone(s, name)
            arrays[name] = self.now(name) if home is None else Var(home)
            if home is None:
                lines += self._look_up(s, name)
        if not arrays:
            return (), s
        value = map_value(s.value, lambda v: arrays.get(v.name, v))  # type: ignore[attr-defined]
        changed = replace(s, value=value)  # type: ignore[call-arg]
        return tuple(lines), changed

    def _written(self, s: Statement) -> Block:
        """A store, into what the name means."""
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        assert isinstance(s.target, Var)
        name, first = s.target.name, s.value.args[0]
        assert first == s.target
        read = {v.name for a in s.value.args[1:] for v in operand_variables(a)}
        lines, changed = self._with_arrays(
            s, [n for n in self.lines.names_read(s) if n in read]
        )
        assert isinstance(changed, Assign) and isinstance(changed.value, Apply)
        function, rest = changed.value.function, changed.value.args[1:]

        def each(path: _Path) -> Block:
            ahead, array = self.array(path, name, s.span)
            value = Apply(function, (array, *rest), (), changed.value.spelling)  # type: ignore[union-attr]
            return *ahead, replace(s, target=array, value=value)

        return (*lines, *self._choice(s, name, each))

    def _refers(self, s: Assign) -> Block:
        """Another name, or a view: the number, and the numbers in its index."""
        name, source = s.target.name, self.lines.source(s)  # type: ignore[union-attr]
        assert source is not None and isinstance(name, str)

        def each(path: _Path) -> Block:
            new = viewed(path, s, self.lines)
            places = self.lines.places(path)
            index: list[Statement] = []
            if isinstance(s.value, Apply):
                for k, variable in enumerate(self.lines.index_of(id(s)), places):
                    index.append(Assign(s.span, self.index(name, k), variable, INT))
            number = Const(self.number(new))
            return *index, Assign(s.span, self.which(name), number, INT)

        held = self.held(s, source)
        places = max(map(self.lines.places, held), default=0)
        copied = [
            Assign(s.span, self.index(name, k), self.index(source, k), INT)
            for k in range(places if name != source else 0)
        ]
        plain = isinstance(s.value, Var)
        if plain and len(held) > 1:
            return (*copied, Assign(s.span, self.which(name), self.which(source), INT))
        return (*copied, *self._choice(s, source, each))

    def _allocated(self, original: Statement, s: Assign, name: str) -> Block:
        """New memory; what older names mean moves on."""
        origin = id(original)
        home = Var(self.homes[origin, 0])
        fact = self.paths.before[origin]
        aged = {
            other: [p for p in fact[other] if p.origin == origin]
            for other in sorted(self.lines.older_names(original, name, fact))
        }
        alone = len(aged) == 1
        moves: list[Statement] = []
        numbers: list[Statement] = []
        for age in range(OLDEST - 1, -1, -1):
            for other, paths in aged.items():
                for path in (p for p in paths if p.age == age):
                    older = _older(path, origin, alone)
                    if older == path:
                        continue
                    moved = Var(self.homes[older.root])
                    kind = self.home_kinds[origin, age]
                    line = Assign(s.span, moved, Var(self.homes[path.root]), kind)
                    number = Const(self.number(older))
                    renumbered = Assign(s.span, self.which(other), number, INT)
                    sure = fact[other] == {path}
                    moves += self._where(other, path, (line,), sure, s.span)
                    numbers += self._where(other, path, (renumbered,), sure, s.span)
        number = Const(self.number(_Path(origin)))
        told = Assign(s.span, self.which(name), number, INT)
        if not moves:
            return replace(s, target=home), told
        made = Var(f"{home.name}.new")
        return (
            replace(s, target=made),
            *moves,
            *numbers,
            Assign(s.span, home, made, s.kind),
            told,
        )

    def _where(
        self, name: str, path: _Path, lines: Block, sure: bool, span: Span | None
    ) -> Block:
        if sure:
            return lines
        return (_Choice(span, name, {self.number(path): lines, -2: ()}),)

    # ------------------------------------------------------------- branches

    def _lowered(self, block: Block, known: frozenset[str] = frozenset()) -> Block:
        """The block with ``if`` statements; neighbours on the same name are one.
        ``known`` are the tests that have been made."""
        merged: list[Statement] = []
        for s in block:
            last = merged[-1] if merged else None
            if isinstance(s, _Choice) and isinstance(last, _Choice):
                if last.name == s.name and list(last.blocks) == list(s.blocks):
                    if not self._changes_number(last):
                        blocks = {k: (*b, *s.blocks[k]) for k, b in last.blocks.items()}
                        merged[-1] = replace(last, blocks=blocks)
                        continue
            merged.append(s)
        lines: list[Statement] = []
        for s in merged:
            if isinstance(s, _Choice):
                lines += self._ifs(s, known)
                first, *others = s.blocks
                if others:
                    known |= {self._test(s.name, first).name}
            elif isinstance(s, COMPOUND):
                inside = known
                if not isinstance(s, If):
                    inside = self._still_known(known, (s,))
                lines.append(
                    with_blocks(s, lambda b, k=inside: self._lowered(b, k))  # type: ignore[misc]
                )
            else:
                lines.append(s)
            known = self._still_known(known, (s,))
        return tuple(lines)

    def _still_known(self, known: frozenset[str], block: Block) -> frozenset[str]:
        """The tests that hold behind a block, too."""
        written: set[str] = set()
        for s in walk(block):
            written |= {v.name for v in direct_writes(s)}
            if isinstance(s, _Choice):
                for inner in s.blocks.values():
                    written |= {v.name for x in inner for v in direct_writes(x)}
        return frozenset(
            test for test in known if self.which(self._tested[test]).name not in written
        )

    def _changes_number(self, choice: _Choice) -> bool:
        number = self.which(choice.name)
        return any(
            number in direct_writes(s) for b in choice.blocks.values() for s in b
        )

    def _test(self, name: str, number: int) -> Var:
        test = Var(f"{name}.is.{number}")
        self._tested[test.name] = name
        return test

    def _ifs(self, choice: _Choice, known: frozenset[str] = frozenset()) -> Block:
        (number, block), *others = choice.blocks.items()
        if not others:
            return block
        test = self._test(choice.name, number)
        compared = Apply(operator.eq, (self.which(choice.name), Const(number)))
        rest = self._ifs(replace(choice, blocks=dict(others)))
        made = Assign(choice.span, test, compared, BOOL)
        branch = If(choice.span, test, block, rest)
        return (branch,) if test.name in known else (made, branch)
