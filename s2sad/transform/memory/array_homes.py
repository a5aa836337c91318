"""Array homes: one variable for each piece of memory, and what is called by numbers.

Takes a function and what its lines do with the names of a group; gives the names of
the homes and of the variables that tell what a name means. ``v``, which may be row
``k`` of the second of two arguments ``a`` and ``b``, is told so by::

    v.which = 1
    v.at.0 = k

and where it is read, the path is gone along::

    v.now = b[v.at.0]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from s2sad.ir.kinds import Array, Kind
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Span,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.ir.walking import map_value, value_variables, walk
from s2sad.transform.memory.array_paths import OLDEST, UNSET, Lines, Path

NOW = ".now"


class Homes:
    """The homes of a function's arrays, and the numbers of what names mean."""

    def __init__(self, function: Function, lines: Lines) -> None:
        self.original, self.lines = function, lines
        self.numbers: dict[Path, int] = {UNSET: -1}
        self.counters: set[str] = set()
        """The variables that tell what a name means."""
        self.names: dict[tuple[str | int, int], str] = {}
        """The home of each root of a path."""
        self.kinds: dict[tuple[str | int, int], Kind | None] = {}
        self._name_homes()
        self._places = {root: place for place, root in enumerate(self.names)}
        self._steps = {id(s): k for k, s in enumerate(walk(function.body))}

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
                self.names[p, 0] = p
                self.kinds[p, 0] = self.original.kinds.get(p)
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
                self.names[id(s), age] = home
                self.kinds[id(s), age] = s.kind

    def in_order(self, paths: Iterable[Path]) -> list[Path]:
        """Paths in the order of their numbers, new ones in that of the program."""

        def order(path: Path) -> tuple[float, int, tuple[int, ...]]:
            steps = tuple(self._steps[step] for step in path.steps)
            number = self.numbers.get(path, math.inf)
            return number, self._places.get(path.root, -1), steps

        return sorted(paths, key=order)

    def number(self, path: Path) -> int:
        """The number that says that a name means this."""
        return self.numbers.setdefault(path, len(self.numbers) - 1)

    def which(self, name: str) -> Var:
        """The variable with the number of what a name means."""
        return self._counter(f"{name}.which")

    def index(self, name: str, place: int) -> Var:
        """The variable with a number in the index of the view that a name means."""
        return self._counter(f"{name}.at.{place}")

    def _counter(self, name: str) -> Var:
        self.counters.add(name)
        return Var(name)

    @staticmethod
    def now(name: str) -> Var:
        """The variable with the array that a name means."""
        return Var(f"{name}{NOW}")

    def array(self, path: Path, name: str, span: Span | None) -> tuple[Block, Var]:
        """The array that a name means, and the lines that look it up."""
        array = Var(self.names[path.root])
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


def placeholder(name: str, kind: Kind | None) -> Block:
    """An empty array for a home that some paths don't fill: no name means it there."""
    if not isinstance(kind, Array) or not kind.axes or kind.dtype != "float64":
        return ()
    none = Const(0)
    shape = none if len(kind.axes) == 1 else pack_tuple(*(none for _ in kind.axes))
    return (Assign(None, Var(name), Apply(np.zeros, (shape,)), kind),)


def is_placeholder(statement: Statement) -> bool:
    """True for such an array: its length is not that of its kind."""
    return (
        isinstance(statement, Assign)
        and isinstance(statement.target, Var)
        and statement.span is None
        and isinstance(statement.value, Apply)
        and statement.value.function is np.zeros
    )


def _renamed(names: Mapping[str, Var], variable: Var) -> Var:
    return names[variable.name]
