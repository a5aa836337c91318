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

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from s2sad.analysis.dataflow import Analysis, Facts, solve_forward
from s2sad.codegen.effects import ends_raising
from s2sad.ir.nodes import (
    COMPOUND,
    Assign,
    Block,
    For,
    If,
    Restore,
    Save,
    Statement,
    Try,
    Var,
    While,
    With,
)
from s2sad.ir.walking import (
    blocks_of,
    direct_writes,
    names_written,
    value_variables,
    walk,
)

Held = Mapping[str, Assign]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(slots=True)
class Lasting:
    """An equation that holds from one place of the text to another."""

    statement: Assign
    first: int
    last: int
    closed: bool
    """True where the same is true of the equations of all variables it is made of."""


class Equations:
    """The equations that hold at one place, by variable."""

    __slots__ = ("held", "lasting", "place")

    def __init__(
        self,
        held: Held = _NOTHING,
        lasting: Mapping[str, Lasting] = _NOTHING,
        place: int = 0,
    ) -> None:
        self.held, self.lasting, self.place = held, lasting, place

    def get(self, name: str, default: Any = None) -> Any:
        """The equation of a variable."""
        found = self.held.get(name)
        if found is not None:
            return found
        known = self.lasting.get(name)
        if known is None or not known.first <= self.place <= known.last:
            return default
        return known.statement

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> Assign:
        found: Assign | None = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def unchanged_by(self, name: str) -> int:
        """A number for what is known of a variable and of all that it is made of: they
        have the same equations wherever it is the same."""
        known = self.lasting.get(name)
        if known is None or name in self.held:
            return id(self.held)
        if not known.first <= self.place <= known.last:
            return -1
        return 0 if known.closed else id(self.held)

    def also_in(self, after: Equations) -> Equations:
        """Those that hold also behind the statement in front of which these hold."""
        if self.held is after.held:
            return self
        still = {n: s for n, s in self.held.items() if after.get(n) is s}
        return Equations(still, self.lasting, self.place)

    def with_those_of(self, names: Iterable[str], other: Equations) -> Equations:
        """These, and those of some variables as they hold elsewhere."""
        own = {name: other[name] for name in names if name in other}
        if not own:
            return self
        return Equations({**self.held, **own}, self.lasting, self.place)


class AvailableEquations(Analysis[Held]):
    """Maps each variable to the assignment whose equation holds, lasting ones left
    out."""

    def __init__(self, body: Block, lasting: Mapping[str, Lasting]) -> None:
        self.lasting = lasting
        self.readers: dict[str, set[str]] = {}
        """The variables of which some equation reads a variable."""
        for s in walk(body):
            if isinstance(s, Assign) and isinstance(s.target, Var):
                if s.target.name in self.lasting:
                    continue
                for variable in value_variables(s.value):
                    self.readers.setdefault(variable.name, set()).add(s.target.name)

    def join(self, a: Held, b: Held) -> Held:
        if a is b:
            return a
        return {name: s for name, s in a.items() if b.get(name) is s}

    def leaf(self, statement: Statement, fact: Held) -> Held:
        match statement:
            case Assign(target=Var(name=name), value=value):
                fact = self._without(fact, name)
                if name not in self.lasting and all(
                    v.name != name for v in value_variables(value)
                ):
                    fact = {**fact, name: statement}
                return fact
            case Assign(target=target):
                for variable in value_variables(target):
                    fact = self._without(fact, variable.name)
                return fact
            case Restore(target=target):
                return self._without(fact, target.name)
            case Save(stack=stack):
                return self._without(fact, stack.name)
        return fact

    def iteration(self, statement: For, fact: Held) -> Held:
        return self._without(fact, statement.target.name)

    def _without(self, fact: Held, name: str) -> Held:
        """The equations that hold when a variable has been assigned."""
        lost = {
            reader
            for reader in self.readers.get(name, ())
            if reader in fact
            and any(v.name == name for v in value_variables(fact[reader].value))
        }
        if name in fact:
            lost.add(name)
        return {n: s for n, s in fact.items() if n not in lost} if lost else fact


class _Places:
    """The places of a program, numbered in the order of its text: in front of each
    statement and behind it; and for each variable that is assigned once from where to
    where it has that value, whatever iteration of the loops around is under way."""

    def __init__(self, body: Block) -> None:
        self.before: dict[int, int] = {}
        self.after: dict[int, int] = {}
        self.first: dict[str, int] = {}
        self.last: dict[str, int] = {}
        writes = Counter(v.name for s in walk(body) for v in direct_writes(s))
        self.writes: Mapping[str, int] = writes
        self.now = 0
        self._end(self._block(body, True))

    def _end(self, names: Iterable[str]) -> None:
        for name in names:
            self.last[name] = self.now

    def _block(self, block: Block, followed: bool) -> list[str]:
        """Number the places of a block. The variables that are assigned once in it, on
        every path to its end; nobody knows (``followed``) where a try may be left."""
        self.now += 1
        names: list[str] = []
        for s in block:
            self.before[id(s)] = self.now
            self.now += 1
            if type(s) in COMPOUND:
                names += self._compound(s, followed)
            elif followed:
                names += self._written(s)
            self.after[id(s)] = self.now
        return names

    def _written(self, s: Statement) -> list[str]:
        names = [n for n in names_written(s) if self.writes[n] == 1]
        self.first.update(dict.fromkeys(names, self.now))
        return names

    def _compound(self, s: Statement, followed: bool) -> list[str]:
        followed = followed and not isinstance(s, Try) and not getattr(s, "swallows", 0)
        target = self._written(s) if followed else []  # of a For
        left: list[str] = []
        for inner in blocks_of(s):
            of_test = isinstance(s, While) and inner is s.condition
            names = self._block(inner, followed and not of_test)
            if isinstance(s, With) or (isinstance(s, If) and _other_raises(s, inner)):
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


def _other_raises(s: If, block: Block) -> bool:
    return ends_raising(s.orelse if block is s.body else s.body)


def _lasting_equations(body: Block, places: _Places) -> dict[str, Lasting]:
    """Equations of variables that have one value, over such."""
    found: dict[str, Lasting] = {}
    made: set[str] = set()
    """Variables with an equation, lasting or not."""
    for s in walk(body):
        if not isinstance(s, Assign) or not isinstance(s.target, Var):
            continue
        name = s.target.name
        made.add(name)
        if name not in places.first:
            continue
        first, last = places.first[name], places.last[name]
        operands = value_variables(s.value)
        if all(places.holds(v.name, first) for v in operands):
            closed = all(
                v.name not in made or (v.name in found and found[v.name].closed)
                for v in operands
            )
            found[name] = Lasting(s, first, last, closed)
    return found


@lru_cache(maxsize=4)
def available_equations(body: Block) -> Facts[Equations]:
    """The equations that hold before and after each statement. Passes ask again where
    none has changed the program; blocks of the same statements are the same block."""
    places = _Places(body)
    lasting = _lasting_equations(body, places)
    found = solve_forward(body, _NOTHING, AvailableEquations(body, lasting))

    def at(facts: Mapping[int, Held], numbers: Mapping[int, int]) -> Any:
        return {
            key: Equations(held, lasting, numbers[key]) for key, held in facts.items()
        }

    return Facts(at(found.before, places.before), at(found.after, places.after))
