"""The parts of a graph while they are found: nodes, edges and clusters.

What nothing reads is left out of the graph that they become in the end.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from s2sad import ir
from s2sad.graphs.drawing import Cluster, Edge, Graph, Node

LONGEST = 72
"""Characters of a text; longer ones are cut."""


class Parts:
    """Nodes, edges and clusters, each by what it stands for: the body of a loop is met
    twice."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: dict[tuple[int, int, int | None], Edge] = {}
        self.clusters: list[Cluster] = []
        self.known: dict[Hashable, int] = {}
        self.optional: set[int] = set()
        """Nodes that are left out where nothing reads them."""
        self.heads: set[int] = set()
        """The tests of loops, which stay as long as there is anything in the loop."""

    def node(self, key: Hashable, made: Node) -> int:
        """The node that stands for something: the one made now where it is new."""
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = len(self.nodes)
            self.nodes.append(replace(made, number=found, text=_cut(made.text)))
        return found

    def cluster(
        self, s: ir.Statement, key: Hashable, text: str, parent: int | None
    ) -> int:
        """The cluster of a block; ``key`` tells it from others of the statement."""
        found = self.known.get((id(s), key, "cluster"))
        if found is None:
            found = self.known[id(s), key, "cluster"] = len(self.clusters)
            self.clusters.append(Cluster(found, _cut(text), parent))
        return found

    def decides(self, test: int, cluster: int | None) -> None:
        """A test decides whether a cluster is run."""
        self.edges.setdefault((test, -1, cluster), Edge(test, -1, decides=cluster))

    def edge(
        self, source: int, target: int, active: bool = False, carried: bool = False
    ) -> None:
        """The node ``target`` reads what ``source`` gives."""
        key = (source, target, None)
        found = self.edges.get(key)
        if found is None:
            self.edges[key] = Edge(source, target, active, carried)
        elif active and not found.active:
            self.edges[key] = replace(found, active=True)

    def graph(self, name: str) -> Graph:
        """What was found, without what nothing reads, numbered anew."""
        nodes = {node.number: node for node in self.nodes}
        edges = [e for e in self.edges.values() if e.target != -1]
        deciding = [e for e in self.edges.values() if e.target == -1]
        while True:
            first = self._first_inside(nodes.values())
            read = {e.source for e in edges if e.source != e.target}
            read |= {e.source for e in deciding if e.decides in first}
            counted = {n.number for n in nodes.values() if self._heads(n, nodes)}
            gone = {n for n in nodes if n in self.optional - read - counted}
            if not gone:
                break
            nodes = {n: node for n, node in nodes.items() if n not in gone}
            edges = [e for e in edges if e.source in nodes and e.target in nodes]
            deciding = [e for e in deciding if e.source in nodes]
        edges += [
            replace(e, target=first[e.decides])
            for e in deciding
            if e.decides is not None and e.decides in first
        ]
        anew = {old: new for new, old in enumerate(nodes)}
        kept = (c.number for c in self.clusters if c.number in first)
        inside = {number: k for k, number in enumerate(kept)}
        return Graph(
            name,
            tuple(
                replace(node, number=anew[n], cluster=_at(inside, node.cluster))
                for n, node in nodes.items()
            ),
            tuple(
                replace(
                    e,
                    source=anew[e.source],
                    target=anew[e.target],
                    decides=_at(inside, e.decides),
                )
                for e in edges
            ),
            tuple(
                Cluster(inside[c.number], c.text, _at(inside, c.parent))
                for c in self.clusters
                if c.number in inside
            ),
        )

    def _first_inside(self, nodes: Iterable[Node]) -> dict[int, int]:
        """The first node of each cluster that holds any, below it included."""
        found: dict[int, int] = {}
        for node in nodes:
            cluster = node.cluster
            while cluster is not None:
                found.setdefault(cluster, node.number)
                cluster = self.clusters[cluster].parent
        return found

    def _heads(self, node: Node, nodes: Mapping[int, Node]) -> bool:
        """The test of a loop that holds anything else."""
        return node.number in self.heads and any(
            other.number != node.number and self._is_inside(other, node.cluster)
            for other in nodes.values()
        )

    def _is_inside(self, node: Node, cluster: int | None) -> bool:
        around = node.cluster
        while around is not None and around != cluster:
            around = self.clusters[around].parent
        return around == cluster


def with_place(node: Node, s: ir.Statement, cluster: int | None) -> Node:
    """A node with the cluster it stands in and the line of source it comes from."""
    if s.span is None:
        return replace(node, cluster=cluster)
    statement = s.span.statement
    return replace(node, cluster=cluster, line=s.span.line, statement=statement)


def _at(numbers: Mapping[int, int], number: int | None) -> int | None:
    return None if number is None else numbers.get(number)


def _cut(text: str) -> str:
    """A text that isn't too long for a node."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
