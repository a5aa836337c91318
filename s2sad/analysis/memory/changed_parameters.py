"""Changed parameters: what a program writes into, or into what calls give for it.

::

    def f(a, n):
        a = g(a, n)          # changes a, if g changes it and hands it back
        a = stored(a, 0, 1.0)

Variables are one class where one is assigned to another, or is what an operation or
call makes of it. Sources: Steensgaard, Points-to analysis in almost linear time (POPL
1996).
"""

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from s2sad import ir, ops
from s2sad.analysis.memory.ownership import Place, called, handed, targets
from s2sad.analysis.memory.view_operations import is_number

Programs = Mapping[ir.Procedure, ir.Function]


@dataclass(frozen=True)
class Changes:
    """What a procedure does with its parameters."""

    changed: frozenset[Place] = frozenset()
    through: frozenset[tuple[Place, int]] = frozenset()
    """The parameters with the results that may be what became of them."""


def changed_parameters(programs: Programs) -> Mapping[ir.Procedure, Changes]:
    """What each procedure may change of its parameters, calls of others included."""
    found = dict.fromkeys(programs, Changes())
    pending = True
    while pending:
        pending = False
        for procedure, function in programs.items():
            own = _Classes(function, found).changes(_places(procedure, programs))
            if own != found[procedure]:
                found[procedure], pending = own, True
    return found


def _places(procedure: ir.Procedure, programs: Programs) -> Iterator[Place]:
    """The parameters of a procedure, and the items of its tuples."""
    function = programs[procedure]
    for k, name in enumerate(function.parameters):
        kind = function.kinds.get(name)
        if isinstance(kind, ir.Structure):
            yield from ((k, item) for item in range(len(kind.items)))
        else:
            yield k, None


class _Classes:
    """The variables of a program, together where one becomes the other."""

    def __init__(
        self, function: ir.Function, known: Mapping[ir.Procedure, Changes]
    ) -> None:
        self.function, self.known = function, known
        self.roots: dict[str, str] = {}
        self.changed: set[str] = set()
        for s in ir.walk(function.body):
            self._note(s)

    def changes(self, places: Iterator[Place]) -> Changes:
        """What becomes of the parameters."""
        changed = {self._root(name) for name in self.changed}
        own = {place: self._root(self._spelled(place)) for place in places}
        results = {
            k: self._root(v.name)
            for k, item in enumerate(ir.tuple_items(self.function.final.value))
            for v in ir.operand_variables(item)
        }
        return Changes(
            frozenset(place for place, root in own.items() if root in changed),
            frozenset(
                (place, k)
                for place, root in own.items()
                for k, result in results.items()
                if result == root
            ),
        )

    def _spelled(self, place: Place) -> str:
        k, item = place
        name = self.function.parameters[k]
        return name if item is None else f"{name}[{item}]"

    def _note(self, s: ir.Statement) -> None:
        procedure = called(s)
        if procedure is not None:
            return self._note_call(s, procedure)
        if not isinstance(s, ir.Assign):
            return
        value = s.value
        if isinstance(s.target, ir.Pack):
            if isinstance(value, ir.Var):
                for k, item in enumerate(s.target.items):
                    self._unite(str(item), f"{value.name}[{k}]")
        elif isinstance(value, ir.Var):
            self._unite(s.target.name, value.name)
        elif ir.is_line(s, *ops.WRITES, *ops.CONTAINER_CHANGES):
            self.changed.add(s.target.name)
            self._unite(s.target.name, str(value.args[0]))  # type: ignore[union-attr]
        elif ir.is_line(s, operator.getitem):
            first, index = value.args[:2]  # type: ignore[union-attr]
            self._unite(s.target.name, f"{first}[{index}]")

    def _note_call(self, s: ir.Statement, procedure: ir.Procedure) -> None:
        assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
        given, found = dict(handed(s.value)), targets(s)
        changes = self.known.get(procedure, Changes())
        for place, variable in given.items():
            if place in changes.changed:
                self.changed.add(variable.name)
        for place, k in changes.through:
            if place in given and k < len(found):
                self._unite(given[place].name, str(found[k]))

    def _root(self, name: str) -> str:
        while (above := self.roots.get(name, name)) != name:
            name = above
        return name

    def _unite(self, first: str, second: str) -> None:
        kinds = self.function.kinds
        if is_number(kinds.get(first)) or is_number(kinds.get(second)):
            return
        one, other = self._root(first), self._root(second)
        if one != other:
            self.roots[one] = other
