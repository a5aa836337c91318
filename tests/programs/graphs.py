"""Networks, trees and dynamic programmes."""

import math
from functools import lru_cache
from itertools import combinations, permutations

import numpy as np

from tests.programs.registry import normal, program, uniform

GRAPH = {"a": ("b", "c"), "b": ("d",), "c": ("b", "d"), "d": ()}
ORDER = ("a", "b", "c", "d")
LENGTHS = {
    ("a", "b"): 1.0,
    ("a", "c"): 0.4,
    ("c", "b"): 0.3,
    ("b", "d"): 0.8,
    ("c", "d"): 1.6,
}


@program(LENGTHS, 0.2, wrt=("lengths", "temperature"), scalar=True)
def soft_shortest_path(lengths, temperature):
    """Soft length of the paths from one node to another, by recursion."""

    def remaining(node):
        if node == "d":
            return 0.0
        through = [lengths[node, n] + remaining(n) for n in GRAPH[node]]
        lowest = min(through)
        weights = [math.exp((lowest - t) / temperature) for t in through]
        return lowest - temperature * math.log(sum(weights))

    return remaining("a")


@program(LENGTHS, wrt="lengths", scalar=True)
def bellman_ford(lengths):
    """Length of the shortest path, by relaxing edges until nothing changes."""
    infinity = 100.0
    distance = {node: 0.0 if node == "a" else infinity for node in ORDER}
    for sweep in range(len(ORDER)):
        relaxed = {
            node: min(
                [distance[node]]
                + [distance[u] + w for (u, v), w in lengths.items() if v == node]
            )
            for node in ORDER
        }
        if all(relaxed[node] == distance[node] for node in ORDER):
            break
        distance = relaxed
    return distance["d"] ** 2 + 0.1 * sweep


@program(uniform(140, 0.1, 1.0, 4, 4), 0.85, wrt=("links", "damping"))
def page_rank(links, damping):
    """Rank of a page, by power iteration."""
    n = len(links)
    transition = links / np.sum(links, axis=1, keepdims=True)
    rank = np.full(n, 1.0 / n)
    for _ in range(100):
        new = (1.0 - damping) / n + damping * rank @ transition
        settled = np.max(np.abs(new - rank)) < 1e-10
        rank = new
        if settled:
            break
    return rank[0] / rank[-1]


TREE = (0.5, (1.2, (0.3,), (0.7, (2.0,))), (0.9,))


@program(TREE, 0.6, wrt=("tree", "damping"), scalar=True)
def tree_messages(tree, damping):
    """Messages from the leaves of a tree to its root."""

    def message(node, depth=0):
        value, *children = node
        incoming = sum(message(child, depth + 1) for child in children)
        return math.tanh(value + damping * incoming) * (1.0 + 0.1 * depth)

    return message(tree)


@program(uniform(141, 0.5, 2.0, 4, 4), wrt="costs")
def assignment(costs):
    """Soft cost of assignments: all permutations of a small table."""
    totals = [
        sum(costs[i, j] for i, j in enumerate(order))
        for order in permutations(range(len(costs)))
        if order[0] != 0
    ]
    lowest = min(totals)
    return lowest - math.log(sum(math.exp(lowest - t) for t in totals))


@program(normal(142, 4, 3), normal(143, 3, 3), wrt=("features", "weight"))
def graph_convolution(features, weight):
    """Two rounds of messages between the nodes of a graph."""
    index = {node: k for k, node in enumerate(ORDER)}
    edges = [(index[u], index[v]) for u, targets in GRAPH.items() for v in targets]

    def neighbours(k):
        return {a if b == k else b for a, b in edges if k in (a, b)}

    h = features
    for _ in range(2):
        gathered = [
            h[k] + sum(h[j] for j in sorted(neighbours(k))) / len(neighbours(k))
            for k in range(len(h))
        ]
        h = np.tanh(np.stack(gathered) @ weight)
    return np.sum(h[0] * h[-1])


@lru_cache(maxsize=None)
def splits(n):
    """The ways to cut a range in two."""
    return tuple((k, n - k) for k in range(1, n))


@program((1.0, 1.5, 0.7, 1.2), wrt="sizes", scalar=True)
def chain_order(sizes):
    """Least cost of multiplying a chain, over all orders, on slices."""

    def cost(part):
        if len(part) < 3:
            return 0.0
        ways = [
            cost(part[: left + 1]) + cost(part[left:]) + part[0] * part[left] * part[-1]
            for left, _ in splits(len(part) - 1)
        ]
        return min(ways)

    return cost(sizes)


@program(normal(144, 4), 0.5, wrt=("potentials", "coupling"), scalar=True)
def belief_chain(potentials, coupling):
    """Free energy of a chain of spins, even and odd sites in turn."""

    def even(k, up, down):
        if k == len(potentials):
            return math.log(up + down)
        plus, minus = math.exp(potentials[k]), math.exp(-potentials[k])
        same, other = math.exp(coupling), math.exp(-coupling)
        return odd(
            k + 1, plus * (same * up + other * down), minus * (other * up + same * down)
        )

    def odd(k, up, down):
        if k == len(potentials):
            return math.log(up + down)
        plus, minus = math.exp(potentials[k]), math.exp(-potentials[k])
        return even(k + 1, plus * (up + 0.5 * down), minus * (0.5 * up + down))

    return even(0, 1.0, 1.0)


@program(uniform(145, 0.2, 1.0, 4), wrt="reliability", scalar=True)
def network_reliability(reliability):
    """The chance that at least two of the links hold."""
    n = len(reliability)
    total = 0.0
    for size in range(2, n + 1):
        for chosen in combinations(range(n), size):
            chance = 1.0
            for link in range(n):
                chance *= (
                    reliability[link] if link in chosen else 1.0 - reliability[link]
                )
            total += chance
    return total


EDGES = [(k, k * k % 12) for k in range(12)] + [(k, (k + 1) % 12) for k in range(12)]


@program(uniform(146, 0.5, 2.0, 12).tolist(), EDGES, wrt="values", scalar=True)
def smoothness(values, edges):
    """How much values differ from those of their neighbours."""
    near = [set() for _ in values]
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    total = 0.0
    for a, others in enumerate(near):
        for b in others - {a}:
            total += (values[a] - values[b]) ** 2 / len(others | near[b])
    return total
