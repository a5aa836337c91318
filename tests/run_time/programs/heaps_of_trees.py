"""Heaps whose items lead to one another: trees that are built up, paths that grow."""

from __future__ import annotations

import bisect
import heapq
from collections import defaultdict
from heapq import heapify, heappop, heappush

from tests.run_time.programs.table import number, program


def numbers(n):
    return ([number() for _ in range(n)],)


@program(numbers)
def code_of_huffman(weights):
    heap = [(w, i, None) for i, w in enumerate(weights)]
    heapify(heap)
    n = len(weights)
    while len(heap) > 1:
        a = heappop(heap)
        b = heappop(heap)
        heappush(heap, (a[0] + b[0], n, (a, b)))
        n += 1
    return code_length(heap[0], 0)


def code_length(node, depth):
    weight, _, children = node
    if children is None:
        return weight * weight * depth
    left, right = children
    return code_length(left, depth + 1) + code_length(right, depth + 1)


def graph_of(n):
    graph = {i: [] for i in range(n)}
    for i in range(n):
        for j in range(max(0, i - 3), i):
            length = number() * (i - j) ** 1.1
            graph[i].append((j, length))
            graph[j].append((i, length))
    return graph, 0, n - 1


@program(graph_of)
def path_of_dijkstra(graph, source, target):
    heap = [(0.0, source, None)]
    done = set()
    while heap:
        cost, node, previous = heappop(heap)
        if node in done:
            continue
        done.add(node)
        if node == target:
            break
        for neighbour, length in graph[node]:
            if neighbour not in done:
                heappush(heap, (cost + length, neighbour, (node, previous)))
    hops = 0
    while previous is not None:
        _, previous = previous
        hops += 1
    return cost * cost / hops


@program(graph_of)
def states_of_dijkstra(graph, source, target):
    heap = [(0.0, source, None)]
    done = set()
    while heap:
        state = heapq.heappop(heap)
        cost, node, _ = state
        if node in done:
            continue
        done.add(node)
        if node == target:
            break
        for neighbour, length in graph[node]:
            if neighbour not in done:
                heapq.heappush(heap, (cost + length, neighbour, state))
    total = 0.0
    while state is not None:
        total += state[0] ** 2
        state = state[2]
    return total


class Events:
    def __init__(self):
        self.waiting = []
        self.now = 0.0

    def plan(self, delay, name):
        heapq.heappush(self.waiting, (self.now + delay, name))

    def run(self, rate):
        total = 0.0
        while self.waiting:
            self.now, name = heapq.heappop(self.waiting)
            total = 0.8 * total + self.now * (name + 1)
            if self.now < 2.0:
                self.plan(rate * (name % 3 + 1), name + 1)
        return total


@program(lambda n: ([number() for _ in range(n)], 0.7))
def events_of_several(delays, rate):
    machines = [Events() for _ in range(3)]
    for k, delay in enumerate(delays):
        machines[k % 3].plan(delay, k)
    return sum(m.run(rate) for m in machines)


@program(lambda n: ([number() for _ in range(n)], 0.7))
def shortest_ways_through_what_is_made(lengths, x):
    count = len(lengths)
    ways = defaultdict(dict)
    for k, length in enumerate(lengths):
        ways[k][(k + 1) % count] = length
        ways[k][(3 * k + 1) % count] = 1.7 * length * x
    known, heap = {0: 0.0}, [(0.0, 0)]
    while heap:
        far, place = heapq.heappop(heap)
        if far > known[place]:
            continue
        for other, length in ways[place].items():
            if other not in known or far + length < known[other]:
                known[other] = far + length
                heapq.heappush(heap, (known[other], other))
    return sum(known.values())


class Sorted:
    def __init__(self):
        self.kept = []

    def put(self, x):
        bisect.insort(self.kept, x)
        return self.kept[len(self.kept) // 2]


@program(lambda n: ([number() for _ in range(n)],))
def medians_of_several(xs):
    parts, total = [Sorted() for _ in range(2)], 0.0
    for k, x in enumerate(xs):
        total = 0.9 * total + parts[k % 2].put(x * x)
    return total
