"""Array homes: one variable for each piece of memory, and what is called by numbers.

Takes a function and what its lines do with the names of a group; gives the names of
the homes and of the variables that tell what a name means. ``v``, which may be row
``k`` of the second of two arguments ``a`` and ``b``, is told so by::

    v.which = 1
    v.at.0 = k

and where it is read, the path is gone along::

    v.now = b[v.at.0]
"""

import math
from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from s2sad import ir
from s2sad.transform.memory.references.array_paths import OLDEST, UNSET, Lines, Path

NOW = ".now"


class Homes:
    """The homes of a function's arrays, and the numbers of what names mean."""

    def __init__(self, function: ir.Function, lines: Lines) -> None:
        self.original, self.lines = function, lines
        self.numbers: dict[Path, int] = {UNSET: -1}
        self.counters: set[str] = set()
        """The variables that tell what a name means."""
        self.names: dict[tuple[str | int, int], str] = {}
        """The home of each root of a path."""
        self.kinds: dict[tuple[str | int, int], ir.Kind | None] = {}
        self._name_homes()
        self._places = {root: place for place, root in enumerate(self.names)}
        self._steps = {id(s): k for k, s in enumerate(ir.walk(function.body))}

    def _name_homes(self) -> None:
        """Homes are called as the user calls the array that is put into them."""
        taken = set(self.original.kinds) - self.lines.group
        copies: dict[str, str] = {}
        for s in ir.walk(self.original.body):
            if isinstance(s, ir.Assign) and isinstance(s.value, ir.Var):
                if isinstance(s.target, ir.Var) and s.value.name in self.lines.group:
                    copies.setdefault(s.value.name, s.target.name)
        for p in self.original.parameters:
            if p in self.lines.group:
                taken.add(p)
                self.names[p, 0] = p
                self.kinds[p, 0] = self.original.kinds.get(p)
        for s in ir.walk(self.original.body):
            name = self.lines.defined(s)
            if name is None or not self.lines.allocates(s):
                continue
            assert isinstance(s, ir.Assign)
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

    def which(self, name: str) -> ir.Var:
        """The variable with the number of what a name means."""
        return self._counter(f"{name}.which")

    def index(self, name: str, place: int) -> ir.Var:
        """The variable with a number in the index of the view that a name means."""
        return self._counter(f"{name}.at.{place}")

    def _counter(self, name: str) -> ir.Var:
        self.counters.add(name)
        return ir.Var(name)

    @staticmethod
    def now(name: str) -> ir.Var:
        """The variable with the array that a name means."""
        return ir.Var(f"{name}{NOW}")

    def array(
        self, path: Path, name: str, span: ir.Span | None
    ) -> tuple[ir.Block, ir.Var]:
        """The array that a name means, and the lines that look it up."""
        array = ir.Var(self.names[path.root])
        lines: list[ir.Statement] = []
        place = 0
        for count, step in enumerate(path.steps, 1):
            made = self.lines.views[step]
            names: dict[str, ir.Var] = {}
            for variable in self.lines.index_of(step):
                names[variable.name] = self.index(name, place)
                place += 1
            source, *_ = ir.value_variables(made.value)
            names[source.name] = array
            last = count == len(path.steps)
            target = self.now(name) if last else ir.Var(f"{name}.part.{count}")
            value = ir.map_value(made.value, partial(_renamed, names))
            lines.append(ir.Assign(span, target, value, made.kind))
            array = target
        return tuple(lines), array


def placeholder(name: str, kind: ir.Kind | None) -> ir.Block:
    """An empty array for a home that some paths don't fill: no name means it there."""
    if not isinstance(kind, ir.Array) or not kind.axes or kind.dtype != "float64":
        return ()
    none = ir.Const(0)
    shape = none if len(kind.axes) == 1 else ir.pack_tuple(*(none for _ in kind.axes))
    return (ir.Assign(None, ir.Var(name), ir.Apply(np.zeros, (shape,)), kind),)


def is_placeholder(statement: ir.Statement) -> bool:
    """True for such an array: its length is not that of its kind."""
    return ir.is_line(statement, np.zeros) and statement.span is None


def _renamed(names: Mapping[str, ir.Var], variable: ir.Var) -> ir.Var:
    return names[variable.name]
