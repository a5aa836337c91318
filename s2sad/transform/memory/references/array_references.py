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
from collections.abc import Iterable, Iterator
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.dataflow.dataflow import Analysis, Facts, solve_forward
from s2sad.analysis.memory.points_to import PointsTo
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES
from s2sad.transform.memory.plain_views import PlainViews
from s2sad.transform.memory.references import array_homes, array_paths
from s2sad.transform.memory.references.array_choices import Branches, Choice

MOST_PATHS = 12
"""A name may mean one of so many arrays and views."""


def with_references(
    plain: PlainViews, names: Iterable[str], memory: PointsTo
) -> ir.Function | None:
    """The function with numbers for some names, and for all others that may ever share
    their memory; None where that isn't followed."""
    function, group = plain.function, array_paths.group_of(names, memory)
    if group is None or any(name.endswith(array_homes.NOW) for name in group):
        return None
    if not all(_is_followed(function.kinds.get(name)) for name in group):
        return None
    lines = array_paths.Lines(plain, group, memory)
    body = tuple(ir.walk(function.body))
    failing = {
        v.name for s in filter(lines.may_fail, body) for v in ir.direct_writes(s)
    }
    for s in _attempted(body):  # a view is made where it is read, and would raise there
        if failing & {v.name for v in (*ir.direct_reads(s), *ir.direct_writes(s))}:
            return None
    paths = solve_forward(function.body, lines.start, array_paths.FollowPaths(lines))
    for s in ir.walk(function.body):
        if not any(v.name in group for v in ir.direct_reads(s)):
            continue
        if id(s) not in paths.before or not lines.is_live(s):
            continue
        if isinstance(s, ir.COMPOUND):
            return None
        for variable in ir.direct_reads(s):
            held = paths.before[id(s)].get(variable.name, frozenset())
            unclear = array_paths.UNKNOWN in held or len(held) > MOST_PATHS
            if variable.name in group and (unclear or held <= {array_paths.UNSET}):
                return None
    return _Rewriting(function, lines, paths).function()


def _is_followed(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Array) and not kind.promoted


def _attempted(statements: Iterable[ir.Statement]) -> Iterator[ir.Statement]:
    """The statements for whose exceptions a handler or a manager waits."""
    for s in statements:
        if ir.catches(s):
            yield from ir.walk(s.body)  # type: ignore[attr-defined]


class _UpToDate(Analysis[frozenset[str]]):
    """The names whose arrays, once looked up, no store has changed since."""

    def __init__(self, rewriting: _Rewriting) -> None:
        self.rewriting = rewriting

    def join(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return a & b

    def leaf(self, statement: ir.Statement, fact: frozenset[str]) -> frozenset[str]:
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
        return fact - ir.names_written(statement)


class _Rewriting:
    """Writes the lines that work on homes and numbers."""

    def __init__(
        self,
        function: ir.Function,
        lines: array_paths.Lines,
        paths: Facts[array_paths.Fact],
    ) -> None:
        self.original, self.lines, self.paths = function, lines, paths
        self.homes = array_homes.Homes(function, lines)
        self.up_to_date = solve_forward(function.body, frozenset(), _UpToDate(self))

    def function(self) -> ir.Function:
        """The rewritten function."""
        lines = ir.with_leaves(self.original.body, self.line)
        body = Branches(self.homes.which).lowered(lines)
        start: list[ir.Statement] = []
        for name in self.original.parameters:
            if name in self.lines.group:
                start.append(self._told(None, name, array_paths.Path(name)))
        assigned = assigned_variables((*start, *body), self.original.parameters)
        unset = {
            v.name
            for s in ir.walk(body)
            for v in ir.direct_reads(s)
            if v.name not in assigned.before.get(id(s), frozenset())
        }
        for name in sorted(unset & self.homes.counters):
            start.append(ir.Assign(None, ir.Var(name), ir.Const(-1), ir.INT))
        named = self.homes.names.items()
        homes = {name: self.homes.kinds[root] for root, name in named}
        for name in sorted(unset & set(homes)):
            start += array_homes.placeholder(name, homes[name])
        return replace(self.original, body=(*start, *body))

    def _told(
        self, span: ir.Span | None, name: str, path: array_paths.Path
    ) -> ir.Assign:
        """The line by which a name means what a path leads to."""
        number = ir.Const(self.homes.number(path))
        return ir.Assign(span, self.homes.which(name), number, ir.INT)

    def held(self, s: ir.Statement, name: str) -> list[array_paths.Path]:
        """What a name may mean where a line starts, in a fixed order."""
        held = self.paths.before[id(s)].get(name, frozenset())
        return self.homes.in_order(held - {array_paths.UNSET})

    def looked_up(self, s: ir.Statement) -> list[str]:
        """The names whose arrays a line needs in a variable."""
        if id(s) not in self.paths.before or not self.lines.is_live(s):
            return []
        if self._only_refers(s):
            return []
        if self.chosen_read(s) is not None:
            return []
        names = self.lines.names_read(s)
        if self.lines.written(s) is not None:
            assert ir.applies(s)
            others = [v for a in s.value.args[1:] for v in ir.operand_variables(a)]
            names = [n for n in names if any(v.name == n for v in others)]
        return [n for n in names if self._home_alone(s, n) is None]

    def _home_alone(self, s: ir.Statement, name: str) -> str | None:
        """The home that a name surely means."""
        held = self.held(s, name)
        if len(held) == 1 and not held[0].steps:
            return self.homes.names[held[0].root]
        return None

    def _only_refers(self, s: ir.Statement) -> bool:
        """True for a line that gives an array another name, or makes a view."""
        return self.lines.defined(s) is not None and self.lines.source(s) is not None

    def chosen_read(self, s: ir.Statement) -> str | None:
        """The array of which a line reads elements, or the shape."""
        if not ir.applies(s):
            return None
        if s.value.function not in (operator.getitem, ops.overwritten_part):
            if s.value.function not in SHAPE_QUERIES:
                return None
        read = (v.name for v in ir.value_variables(s.value))
        names = [name for name in read if name in self.lines.group]
        target = s.target.name if isinstance(s.target, ir.Var) else None
        first = s.value.args[0]
        if target in self.lines.group or not isinstance(first, ir.Var):
            return None
        if names != [first.name] or self._home_alone(s, first.name):
            return None
        return first.name

    def _look_up(self, s: ir.Statement, name: str) -> ir.Block:
        """``name.now``, if it isn't up to date."""
        if name in self.up_to_date.before.get(id(s), frozenset()):
            return ()

        def each(path: array_paths.Path) -> ir.Block:
            lines, array = self.homes.array(path, name, s.span)
            if array != self.homes.now(name):
                kind = self.homes.kinds[path.root]
                lines = (*lines, ir.Assign(s.span, self.homes.now(name), array, kind))
            return lines

        return self._choice(s, name, each)

    def _choice(self, s: ir.Statement, name: str, each) -> ir.Block:
        held = self.held(s, name)
        if len(held) == 1:
            return each(held[0])
        blocks = {self.homes.number(path): each(path) for path in held}
        return (Choice(s.span, name, blocks),)

    def line(self, s: ir.Statement) -> ir.Block:
        """What a line becomes."""
        if id(s) not in self.paths.before:
            return (s,)
        if not self.lines.is_live(s):
            return ()
        if self._only_refers(s):
            assert isinstance(s, ir.Assign)
            return self._refers(s)
        if self.lines.written(s) is not None:
            return self._written(s)
        chosen = self.chosen_read(s)
        if chosen is not None:
            assert isinstance(s, ir.Assign)

            def read(path: array_paths.Path) -> ir.Block:
                lines, array = self.homes.array(path, chosen, s.span)
                new = ir.map_value(s.value, lambda v: array if v.name == chosen else v)
                return *lines, replace(s, value=new)

            return self._choice(s, chosen, read)
        lines, changed = self._with_arrays(s, self.lines.names_read(s))
        name = self.lines.defined(s)
        if name is None:
            return *lines, changed
        assert isinstance(changed, ir.Assign)
        if not self.lines.allocates(s):  # what isn't followed isn't read either
            return *lines, changed
        return *lines, *self._allocated(s, changed, name)

    def _with_arrays(
        self, s: ir.Statement, names: Iterable[str]
    ) -> tuple[ir.Block, ir.Statement]:
        """A line that reads arrays in place of names, and what comes before it."""
        lines: list[ir.Statement] = []
        arrays: dict[str, ir.Var] = {}
        for name in names:
            home = self._home_alone(s, name)
            arrays[name] = self.homes.now(name) if home is None else ir.Var(home)
            if home is None:
                lines += self._look_up(s, name)
        if not arrays:
            return (), s
        value = ir.map_value(s.value, lambda v: arrays.get(v.name, v))  # type: ignore[attr-defined]
        changed = replace(s, value=value)  # type: ignore[call-arg]
        return tuple(lines), changed

    def _written(self, s: ir.Statement) -> ir.Block:
        """A store, into what the name means."""
        assert ops.is_write(s)
        name, first = s.target.name, s.value.args[0]
        assert first == s.target
        read = {v.name for a in s.value.args[1:] for v in ir.operand_variables(a)}
        names = [n for n in self.lines.names_read(s) if n in read]
        lines, changed = self._with_arrays(s, names)
        assert ir.applies(changed)
        function, rest = changed.value.function, changed.value.args[1:]

        def each(path: array_paths.Path) -> ir.Block:
            ahead, array = self.homes.array(path, name, s.span)
            value = ir.Apply(function, (array, *rest), (), changed.value.spelling)
            return *ahead, replace(s, target=array, value=value)

        return (*lines, *self._choice(s, name, each))

    def _refers(self, s: ir.Assign) -> ir.Block:
        """Another name, or a view: the number, and the numbers in its index."""
        name, source = s.target.name, self.lines.source(s)  # type: ignore[union-attr]
        assert source is not None and isinstance(name, str)

        def each(path: array_paths.Path) -> ir.Block:
            new = array_paths.viewed(path, s, self.lines)
            places = self.lines.places(path)
            made = isinstance(s.value, ir.Apply)
            index = self.lines.index_of(id(s)) if made else []
            lines = (
                ir.Assign(s.span, self.homes.index(name, k), variable, ir.INT)
                for k, variable in enumerate(index, places)
            )
            return *lines, self._told(s.span, name, new)

        held = self.held(s, source)
        places = max(map(self.lines.places, held), default=0)
        index, which = self.homes.index, self.homes.which
        copied = [
            ir.Assign(s.span, index(name, k), index(source, k), ir.INT)
            for k in range(places if name != source else 0)
        ]
        if isinstance(s.value, ir.Var) and len(held) > 1:
            return *copied, ir.Assign(s.span, which(name), which(source), ir.INT)
        return (*copied, *self._choice(s, source, each))

    def _allocated(self, original: ir.Statement, s: ir.Assign, name: str) -> ir.Block:
        """New memory; what older names mean moves on."""
        origin = id(original)
        home = ir.Var(self.homes.names[origin, 0])
        fact = self.paths.before[origin]
        aged = {
            other: [p for p in fact[other] if p.origin == origin]
            for other in sorted(self.lines.older_names(original, name, fact))
        }
        alone = len(aged) == 1
        moves: list[ir.Statement] = []
        numbers: list[ir.Statement] = []
        for age in range(array_paths.OLDEST - 1, -1, -1):
            for other, paths in aged.items():
                for path in (p for p in paths if p.age == age):
                    moved_on = array_paths.older(path, origin, alone)
                    if moved_on == path:
                        continue
                    moved = ir.Var(self.homes.names[moved_on.root])
                    kind = self.homes.kinds[origin, age]
                    own = ir.Var(self.homes.names[path.root])
                    line = ir.Assign(s.span, moved, own, kind)
                    renumbered = self._told(s.span, other, moved_on)
                    sure = fact[other] == {path}
                    moves += self._where(other, path, (line,), sure, s.span)
                    numbers += self._where(other, path, (renumbered,), sure, s.span)
        told = self._told(s.span, name, array_paths.Path(origin))
        if not moves:
            return replace(s, target=home), told
        made = ir.Var(f"{home.name}.new")
        placed = ir.Assign(s.span, home, made, s.kind)
        return replace(s, target=made), *moves, *numbers, placed, told

    def _where(
        self,
        name: str,
        path: array_paths.Path,
        lines: ir.Block,
        sure: bool,
        span: ir.Span | None,
    ) -> ir.Block:
        if sure:
            return lines
        return (Choice(span, name, {self.homes.number(path): lines, -2: ()}),)
