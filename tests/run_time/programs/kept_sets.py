"""Sets that only the run tells apart: in dicts, lists, objects and helpers."""

from __future__ import annotations

from collections import defaultdict

from tests.run_time.programs.table import number, program


def numbers(n):
    return ([number() for _ in range(n + 3)],)


@program(numbers)
def sets_in_a_dict(xs):
    groups = {}
    total = 0.0
    for k, x in enumerate(xs):
        group = groups.setdefault(k % 3, set())
        if k % 5 not in group:
            group.add(k % 5)
            total += x * x
    return total + sum(len(group) for group in groups.values()) * xs[0]


@program(numbers)
def sets_of_a_defaultdict(xs):
    met = defaultdict(set)
    total = 0.0
    for k, x in enumerate(xs):
        if k * k % 7 in met[k % 2]:
            total += x
        met[k % 2].add(k * k % 7)
        met[k % 3].discard(4)
    return total + len(met[0]) * xs[1]


@program(numbers)
def sets_in_a_list(xs):
    seen = [set() for _ in range(3)]
    total = 0.0
    for k, x in enumerate(xs):
        own = seen[k % 3]
        if k * k % 4 in own:
            own.discard(k * k % 4)
            total += x
        else:
            own.add(k * k % 4)
            total += x * x
    return total


class Visitor:
    def __init__(self):
        self.seen = set()

    def visits(self, k):
        if k in self.seen:
            return False
        self.seen.add(k)
        return True


@program(numbers)
def sets_in_objects(xs):
    visitors = [Visitor() for _ in range(4)]
    total = 0.0
    for k, x in enumerate(xs):
        if visitors[k % 4].visits(k * k % 7):
            total += x * x
    return total


def visited(k, xs, seen):
    if k in seen or k >= len(xs):
        return 0.0
    seen.add(k)
    rest = 0.5 * visited(2 * k + 1, xs, seen) + 0.3 * visited(2 * k + 2, xs, seen)
    return xs[k] ** 2 + rest


@program(numbers)
def handed_through_a_recursion(xs):
    seen = set()
    return visited(0, xs, seen) + visited(1, xs, seen) * len(seen)
