"""Available equations: at each place, the assignments ``v = operation`` that still hold
there.

An equation holds where it has been executed on every path and neither ``v`` nor any
operand has been assigned since. A variable with an available equation can be recomputed
instead of kept. Source: available expressions, Aho, Lam, Sethi and Ullman, Compilers
(2nd ed.), section 9.2.6.

Most variables are assigned once, from others of that sort, and their equation holds
from there to the end of the block, wherever that may be entered. Such *lasting*
equations are one table of places for the whole program, so that a long one needs no
table a statement. Only the others are followed along the paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Analysis, Facts, solve_forward
from s2sad.analysis.dataflow.name_sets import Names, NameSet


@dataclass(slots=True)
class Lasting:
    """An equation that holds from one place of the text to another."""

    statement: ir.Assign
    first: int
    last: int
    closed: bool
    """True where the same is true of the equations of all variables it is made of."""


class Made:
    """The assignments that make equations, by variable, each with a name of its own."""

    def __init__(self, body: ir.Block = ()) -> None:
        self.of: dict[str, list[tuple[str, ir.Assign]]] = {}
        self.keys: dict[int, str] = {}
        for s in ir.walk(body):
            if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
                same = self.of.setdefault(s.target.name, [])
                key = f"{s.target.name} {len(same)}"
                same.append((key, s))
                self.keys[id(s)] = key
        self.nothing = Names().set_of(())


class Equations:
    """The equations that hold at one place, by variable."""

    __slots__ = ("_held", "lasting", "place", "program")

    def __init__(
        self,
        program: _Program | None = None,
        place: int = 0,
        held: NameSet | None = None,
    ) -> None:
        self.program = program or _NO_PROGRAM
        self.lasting, self.place = self.program.lasting, place
        self._held = held

    @property
    def held(self) -> NameSet:
        """The equations, by the names that :class:`Made` gives them, that don't last
        for sure."""
        if self._held is None:
            self._held = self.program.held_at(self.place)
        return self._held

    def get(self, name: str, default: Any = None) -> Any:
        """The equation of a variable."""
        known = self.lasting.get(name)
        if known is not None and known.first <= self.place <= known.last:
            return known.statement
        if self._held is None and name not in self.program.followed:
            return default
        for key, statement in self.program.made.of.get(name, ()):
            if key in self.held:
                return statement
        return default

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> ir.Assign:
        found: ir.Assign | None = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def unchanged_by(self, name: str) -> int:
        """A number for what is known of a variable and of all that it is made of: they
        have the same equations wherever it is the same."""
        known = self.lasting.get(name)
        if (
            known is not None
            and known.closed
            and known.first <= self.place <= known.last
        ):
            return 0
        return id(self.held)

    def also_in(self, after: Equations) -> Equations:
        """Those that hold also behind the statement in front of which these hold."""
        if self.held is after.held:
            return self
        return Equations(self.program, self.place, self.held & after.held)

    def with_those_of(self, names: Iterable[str], other: Equations) -> Equations:
        """These, and those of some variables as they hold elsewhere."""
        keys = other.program.made.keys
        own = [keys[id(other[name])] for name in names if name in other]
        if not own:
            return self
        return Equations(other.program, self.place, self.held.replaced((), own))


class AvailableEquations(Analysis[NameSet]):
    """The equations that hold, lasting ones left out."""

    def __init__(
        self, body: ir.Block, made: Made, lasting: Mapping[str, Lasting]
    ) -> None:
        self.made, self.lasting = made, lasting
        lost: dict[str, list[str]] = {}
        for name, same in made.of.items():
            for key, s in () if name in lasting else same:
                for variable in (name, *(v.name for v in ir.value_variables(s.value))):
                    lost.setdefault(variable, []).append(key)
        self.lost = {
            name: made.nothing.replaced((), keys) for name, keys in lost.items()
        }
        """By variable: the equations that end where it is assigned."""

    def join(self, a: NameSet, b: NameSet) -> NameSet:
        return a & b

    def leaf(self, statement: ir.Statement, fact: NameSet) -> NameSet:
        match statement:
            case ir.Assign(target=ir.Var(name=name), value=value):
                fact = self._without(fact, name)
                if name not in self.lasting:
                    if all(v.name != name for v in ir.value_variables(value)):
                        fact = fact.replaced((), (self.made.keys[id(statement)],))
                return fact
            case ir.Assign(target=target):
                for variable in ir.value_variables(target):
                    fact = self._without(fact, variable.name)
                return fact
            case ir.Restore(target=target):
                return self._without(fact, target.name)
            case ir.Save(stack=stack):
                return self._without(fact, stack.name)
        return fact

    def iteration(self, statement: ir.For, fact: NameSet) -> NameSet:
        return self._without(fact, statement.target.name)

    def _without(self, fact: NameSet, name: str) -> NameSet:
        """The equations that hold when a variable has been assigned."""
        lost = self.lost.get(name)
        return fact if lost is None else fact - lost


class _Places:
    """The places of a program, numbered in the order of its text: in front of each
    statement and behind it; and for each variable that is assigned once from where to
    where it has that value, whatever iteration of the loops around is under way."""

    def __init__(self, body: ir.Block) -> None:
        self.before: dict[int, int] = {}
        self.after: dict[int, int] = {}
        self.first: dict[str, int] = {}
        self.last: dict[str, int] = {}
        self.writes = ir.uses_in(body).writes
        self.now = 0
        self._end(self._block(body, True))

    def _end(self, names: Iterable[str]) -> None:
        for name in names:
            self.last[name] = self.now

    def _block(self, block: ir.Block, followed: bool) -> list[str]:
        """Number the places of a block. The variables that are assigned once in it, on
        every path to its end; nobody knows (``followed``) where a try may be left."""
        self.now += 1
        names: list[str] = []
        for s in block:
            self.before[id(s)] = self.now
            self.now += 1
            if type(s) in ir.COMPOUND:
                names += self._compound(s, followed)
            elif followed:
                names += self._written(s)
            self.after[id(s)] = self.now
        return names

    def _written(self, s: ir.Statement) -> list[str]:
        names = [n for n in ir.names_written(s) if self.writes[n] == 1]
        for name in names:
            self.first[name] = self.now
        return names

    def _compound(self, s: ir.Statement, followed: bool) -> list[str]:
        flow = ir.flow_of(s)
        followed = followed and not (isinstance(s, ir.Try) or ir.catches(s))
        target = self._written(s) if followed else []  # of a For
        left: list[str] = []
        ends = () if flow.regions[0].heads else flow.regions
        behind = [r.place for r in ends if not ops.ends_raising(r.block)]
        for region in flow.regions:
            names = self._block(region.block, followed and region.role != "condition")
            if ends and behind in ([], [region.place]):
                left += names
            else:
                self._end(names)
        self._end(target)
        self.now += 1
        return left

    def holds(self, name: str, place: int) -> bool:
        """True where a variable has the only value that it is given, or none is."""
        if not self.writes[name]:
            return True
        return name in self.first and self.first[name] < place <= self.last[name]


def _lasting_equations(
    body: ir.Block, places: _Places
) -> tuple[dict[str, Lasting], frozenset[str]]:
    """Equations of variables that have one value, over such; and the variables that
    have others."""
    found: dict[str, Lasting] = {}
    others: set[str] = set()
    holds = places.holds
    for s in ir.walk(body):
        if type(s) is not ir.Assign or type(s.target) is not ir.Var:
            continue
        name = s.target.name
        first = places.first.get(name)
        if first is None:
            others.add(name)
            continue
        operands = ir.names_read(s)
        closed = name not in operands and others.isdisjoint(operands)
        for operand in operands:
            if not holds(operand, first):
                others.add(name)
                break
            if closed and operand in found:
                closed = found[operand].closed
        else:
            found[name] = Lasting(s, first, places.last[name], closed)
            others.discard(name)
    return found, frozenset(others)


class _Program:
    """The equations of a program, found where one is asked for: many passes never do.
    Those that don't last are followed along the paths where it is one of them."""

    def __init__(self, body: ir.Block) -> None:
        self.body = body

    @cached_property
    def places(self) -> _Places:
        return _Places(self.body)

    @cached_property
    def _sorts(self) -> tuple[dict[str, Lasting], frozenset[str]]:
        return _lasting_equations(self.body, self.places)

    @cached_property
    def lasting(self) -> Mapping[str, Lasting]:
        return self._sorts[0]

    @cached_property
    def followed(self) -> frozenset[str]:
        """The variables with equations that don't last."""
        return self._sorts[1]

    @cached_property
    def made(self) -> Made:
        return Made(self.body)

    @cached_property
    def _found(self) -> Mapping[int, NameSet]:
        if not self.followed:
            return {}
        analysis = AvailableEquations(self.body, self.made, self.lasting)
        facts = solve_forward(self.body, self.made.nothing, analysis)
        before, after = self.places.before, self.places.after
        found = {after[key]: held for key, held in facts.after.items()}
        return found | {before[key]: held for key, held in facts.before.items()}

    def held_at(self, place: int) -> NameSet:
        """Those that are followed, at a place."""
        return self._found.get(place, self.made.nothing)


_NO_PROGRAM = _Program(())


@lru_cache(maxsize=4)
def available_equations(body: ir.Block) -> Facts[Equations]:
    """The equations that hold before and after each statement. Passes ask again where
    none has changed the program; blocks of the same statements are the same block."""
    program = _Program(body)
    return Facts(
        _AtPlaces(lambda key: Equations(program, program.places.before[key])),
        _AtPlaces(lambda key: Equations(program, program.places.after[key])),
    )


class _AtPlaces(dict[int, Equations]):
    """Equations by statement, made where they are asked for."""

    def __init__(self, made: Callable[[int], Equations]) -> None:
        self._made = made

    def __missing__(self, key: int) -> Equations:
        found = self[key] = self._made(key)
        return found

    def get(self, key: int, default: Any = None) -> Any:
        """Those of a statement; of one that the program doesn't have, ``default``."""
        try:
            return self[key]
        except KeyError:
            return default
