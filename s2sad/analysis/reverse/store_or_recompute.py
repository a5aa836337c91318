"""Store or recompute: which values of loops the reverse sweep computes again, as a
minimum cut.

::

    u ----> p = 0.1 * u           ----> read in reverse
      ----> d = u[1:] - u[:-1]    ----> read in reverse

Both can be kept, or ``u`` alone, from which both are computed again. A value is at hand
in reverse where it is kept, where no loop overwrites it, or where it is computed again
from values at hand. Each value is two nodes: the edge from the first to the second has
what keeping it costs as capacity, the edge from the source to the first what computing
it again costs. Values that both stand on the sink's side of the least cut are computed
again; those of which only the second node does are kept. Costs
(:mod:`s2sad.analysis.reverse.costs`) count ten times for each loop around. Source of
such graphs: Picard, Maximal closure of a graph and applications to combinatorial
problems, Management Science 22 (1976)."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from s2sad import ir
from s2sad.analysis.dataflow.available import Equations
from s2sad.analysis.reverse import costs, minimum_cut

_SOURCE, _SINK = "source", "sink"


@dataclass(frozen=True)
class Read:
    """A place where the reverse sweep reads a value."""

    name: str
    equations: Equations
    """Those that hold there."""
    depth: int
    """The number of loops around the place."""
    since: int
    """The place, as a number in the order of the program, or that of the outermost loop
    around it: whatever is assigned from there on loses its value."""
    counters: frozenset[str]
    """The variables of the loops around, which reverse loops count by themselves."""


@dataclass
class _Value:
    """What is known of a value that a loop overwrites."""

    needed: bool = False
    """True where a reverse line itself reads it."""
    equation: ir.Assign | None = None
    pinned: bool = False
    """True where it can't be computed again everywhere it may be read."""
    depth: int = 0
    """The most loops around a place where it may be read."""
    operands: set[str] = field(default_factory=set)
    """What it is computed from, of values that are lost."""
    seen: set[tuple[int, int, int, frozenset[str]]] = field(default_factory=set)


class StoreOrRecompute:
    """The choice. ``lost`` tells which variables are assigned again behind a place (a
    number, ``since`` of :class:`Read`); ``repeated`` what an equation costs once (None:
    it is never computed again)."""

    def __init__(
        self,
        lost: Callable[[str, int], bool],
        keeping: costs.CostsOfKeeping,
        repeated: Callable[[ir.Assign], float | None],
    ) -> None:
        self.lost, self.keeping, self.repeated = lost, keeping, repeated
        self.values: dict[str, _Value] = {}

    def read(self, reads: Iterable[Read]) -> None:
        """The reverse sweep reads lost values at these places."""
        for read in reads:
            if self._is_lost(read.name, read):
                self._visit(read)
                self.values[read.name].needed = True

    def pinned(self) -> set[str]:
        """Variables that are kept if they are needed at all."""
        return {name for name, value in self.values.items() if value.pinned}

    def recomputed(self, runs_anyway: Callable[[ir.Assign], bool]) -> set[str]:
        """The variables to compute again. What the forward sweep would run only to keep
        it, as ``runs_anyway`` tells, costs nothing to move to the reverse sweep."""
        if all(value.pinned for value in self.values.values()):
            return set()
        behind = self._network(runs_anyway).side_of_sink(_SOURCE, _SINK)
        return {name for name in self.values if (name, "computed") in behind}

    def _visit(self, read: Read) -> None:
        """Note a value, and all from which it could be computed at that place."""
        pending = [read.name]
        while pending:
            name = pending.pop()
            value = self.values.setdefault(name, _Value())
            known = read.equations.unchanged_by(name)
            place = (known, read.depth, read.since, read.counters)
            if place in value.seen:
                continue
            value.seen.add(place)
            value.depth = max(value.depth, read.depth)
            equation = read.equations.get(name)
            if value.equation is None:
                value.equation = equation
            if (
                equation is None
                or value.equation is not equation
                or self.repeated(equation) is None
            ):
                value.pinned = True
            else:
                operands = {v.name for v in ir.value_variables(equation.value)}
                operands = {n for n in operands if self._is_lost(n, read)}
                value.operands |= operands
                pending += operands

    def _is_lost(self, name: str, read: Read) -> bool:
        return name not in read.counters and self.lost(name, read.since)

    def _network(self, runs_anyway: Callable[[ir.Assign], bool]) -> minimum_cut.Network:
        network = minimum_cut.Network()
        for name, value in self.values.items():
            computed, at_hand = (name, "computed"), (name, "at hand")
            again = math.inf
            if not value.pinned and value.equation is not None:
                # what is the same in all turns of a loop is computed in front of it
                depth = min(value.depth, self.keeping.depth(name))
                times = costs.TURNS**depth if runs_anyway(value.equation) else 0.0
                again = (self.repeated(value.equation) or 0.0) * times
                for operand in value.operands:
                    network.add((operand, "at hand"), computed, math.inf)
            network.add(_SOURCE, computed, again)
            network.add(computed, at_hand, self.keeping.cost(name))
            if value.needed:
                network.add(at_hand, _SINK, math.inf)
        return network
