"""Heaps whose items lead to one another: trees that are built up, paths that grow."""

from __future__ import annotations

import heapq
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
