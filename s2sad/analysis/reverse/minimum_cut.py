"""The minimum cut of a graph with capacities.

Source: Dinic, Algorithm for solution of a problem of maximum flow in networks with
power estimation (1970), in the form of Cormen, Leiserson, Rivest and Stein,
Introduction to Algorithms (3rd ed.), chapter 26: paths along which flow grows run over
levels that a breadth-first search finds.
"""

from collections import deque
from collections.abc import Hashable
from itertools import pairwise

_NEGLIGIBLE = 1e-9
"""What is left of a capacity by rounding alone."""


class Network:
    """A graph whose edges have capacities."""

    def __init__(self) -> None:
        self.left: dict[Hashable, dict[Hashable, float]] = {}
        """What more each edge, and the edge against it, can take."""

    def add(self, start: Hashable, end: Hashable, capacity: float) -> None:
        """An edge; capacities of edges between the same nodes add up."""
        ahead = self.left.setdefault(start, {})
        ahead[end] = ahead.get(end, 0.0) + capacity
        self.left.setdefault(end, {}).setdefault(start, 0.0)

    def side_of_sink(self, source: Hashable, sink: Hashable) -> set[Hashable]:
        """The nodes behind the least cut, the cut nearest to the sink: those from which
        the sink can still be reached when the flow is greatest.

        >>> network = Network()
        >>> for start, end, capacity in [("s", "a", 3), ("a", "b", 1), ("b", "t", 2)]:
        ...     network.add(start, end, capacity)
        >>> sorted(network.side_of_sink("s", "t"))
        ['b', 't']
        """
        for node in (source, sink):
            self.left.setdefault(node, {})
        while (levels := self._levels(source, sink)) is not None:
            edges = {node: list(ends) for node, ends in self.left.items()}
            while self._augment(source, sink, levels, edges):
                pass
        found = {sink}
        pending = [sink]
        while pending:
            end = pending.pop()
            for start in self.left[end]:
                if start not in found and self.left[start][end] > _NEGLIGIBLE:
                    found.add(start)
                    pending.append(start)
        return found

    def _levels(self, source: Hashable, sink: Hashable) -> dict[Hashable, int] | None:
        """Distances from the source; None where the sink is out of reach."""
        levels = {source: 0}
        pending = deque([source])
        while pending:
            node = pending.popleft()
            for end, left in self.left[node].items():
                if end not in levels and left > _NEGLIGIBLE:
                    levels[end] = levels[node] + 1
                    pending.append(end)
        return levels if sink in levels else None

    def _augment(
        self,
        source: Hashable,
        sink: Hashable,
        levels: dict[Hashable, int],
        edges: dict[Hashable, list[Hashable]],
    ) -> bool:
        """Send what one more path can take. ``edges`` are those that may still lead to
        the sink; what doesn't is dropped for the paths to come."""
        path = [source]
        while path[-1] != sink:
            node, ends = path[-1], edges[path[-1]]
            while ends and not self._leads_on(node, ends[-1], levels):
                ends.pop()
            if ends:
                path.append(ends[-1])
                continue
            path.pop()
            if not path:
                return False
            edges[path[-1]].pop()
        steps = list(pairwise(path))
        amount = min(self.left[a][b] for a, b in steps)
        for a, b in steps:
            self.left[a][b] -= amount
            self.left[b][a] += amount
        return True

    def _leads_on(
        self, start: Hashable, end: Hashable, levels: dict[Hashable, int]
    ) -> bool:
        further = levels.get(end) == levels[start] + 1
        return further and self.left[start][end] > _NEGLIGIBLE
