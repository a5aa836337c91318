"""Programs that ask for the identity of objects: what was seen, and what is kept for
each of them."""

from __future__ import annotations

import math

from tests.run_time.programs.table import number, program


class Node:
    def __init__(self, value):
        self.value = value
        self.kids = []


def graph(values):
    """Nodes of which some have two parents."""
    nodes = [Node(v) for v in values]
    for k in range(1, len(nodes)):
        nodes[(k - 1) // 2].kids.append(nodes[k])
    nodes[0].kids.append(nodes[-1])
    return nodes


def numbers(n):
    return [number() for _ in range(n + 2)], 0.8


@program(numbers)
def each_once(xs, rate):
    seen, total = set(), 0.0
    waiting = [graph(xs)[0]]
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            total = 0.9 * total + math.sin(node.value) * rate
            waiting.extend(node.kids)
    return total


@program(numbers)
def depths_by_identity(xs, rate):
    nodes = graph(xs)
    depth = {id(node): k + 1.0 for k, node in enumerate(nodes)}
    for node in nodes:
        for kid in node.kids:
            depth[id(kid)] = rate * depth[id(node)] + kid.value
    return sum(node.value * depth[id(node)] for node in nodes) / len(nodes)


@program(lambda n: (graph([number() for _ in range(n + 2)])[0], 0.8))
def given_nodes_once(root, rate):
    known = {}

    def total_of(node):
        if id(node) not in known:
            known[id(node)] = node.value**2 + rate * sum(map(total_of, node.kids))
        return known[id(node)]

    return total_of(root)


class Tracked:
    """A number that knows what it was computed from."""

    def __init__(self, value, parents=()):
        self.value, self.parents, self.bar = value, list(parents), 0.0

    def __add__(self, other):
        return Tracked(self.value + other.value, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        parents = [(self, other.value), (other, self.value)]
        return Tracked(self.value * other.value, parents)


def swept(result):
    order, seen = [], set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for parent, _ in node.parents:
                visit(parent)
            order.append(node)

    visit(result)
    result.bar = 1.0
    for node in reversed(order):
        for parent, slope in node.parents:
            parent.bar += slope * node.bar


@program(numbers)
def own_reverse_mode(xs, rate):
    leaf = Tracked(rate)
    found = leaf
    for x in xs:
        found = found * Tracked(0.5 * x) + leaf
    swept(found)
    return leaf.bar + 0.1 * found.value


class Scalar:
    """A number whose operations make functions that hand cotangents back."""

    def __init__(self, value, parents=()):
        self.value, self.parents, self.bar = value, parents, 0.0
        self.pull_back = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Scalar) else Scalar(other)
        made = Scalar(self.value + other.value, (self, other))

        def pull_back():
            self.bar += made.bar
            other.bar += made.bar

        made.pull_back = pull_back
        return made

    def __mul__(self, other):
        other = other if isinstance(other, Scalar) else Scalar(other)
        made = Scalar(self.value * other.value, (self, other))

        def pull_back():
            self.bar += other.value * made.bar
            other.bar += self.value * made.bar

        made.pull_back = pull_back
        return made

    def tanh(self):
        made = Scalar(math.tanh(self.value), (self,))

        def pull_back():
            self.bar += (1.0 - made.value**2) * made.bar

        made.pull_back = pull_back
        return made

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for parent in node.parents:
                    visit(parent)
                order.append(node)

        visit(self)
        self.bar = 1.0
        for node in reversed(order):
            node.pull_back()


@program(numbers)
def reverse_mode_by_closures(xs, rate):
    leaf = Scalar(rate)
    found = leaf
    for x in xs:
        found = (found * Scalar(0.5 * x) + leaf * 0.3).tanh()
    found.backward()
    return leaf.bar + 0.1 * found.value
