"""Programs that read, behind their stores or before them, what they store."""

from __future__ import annotations

import math

from tests.run_time.programs.stores import bodies, chain
from tests.run_time.programs.table import number, program


@program(lambda n: (bodies(n), 0.3))
def moved_then_read(bodies, k):
    for b in bodies:
        b.x = b.x * math.sin(k * b.v)
        b.v += b.x
    return sum(b.x * b.v for b in bodies)


@program(lambda n: (bodies(n), 0.3))
def read_between_turns(bodies, k):
    total = 0.0
    for _ in range(3):
        total += sum(b.x * b.x * b.v for b in bodies)
        for b in bodies:
            b.x = math.sin(k * b.x)
    return total + sum(b.x * b.v for b in bodies)


@program(lambda n: (bodies(n), 0.3))
def read_before_another_name_stores(bodies, k):
    first = bodies[0]
    first.x = k * first.x
    total = first.x * first.x * first.v
    for b in bodies:
        b.x = b.x * b.v
    return total + first.x * bodies[-1].x


@program(lambda n: (bodies(n), 0.3))
def read_beside_a_store(bodies, k):
    total = 0.0
    for b in bodies:
        b.v = k * b.v
    for b in bodies:
        if b.v > 0.3:
            total += b.v * b.v * b.x
        else:
            b.v = b.x * b.x
            total += b.v * b.v * b.m
    return total + math.sin(bodies[0].v)


@program(lambda n: ([number() for _ in range(n)], {"a": number(), "b": number()}, 0.3))
def items_read_behind(xs, d, k):
    for i in range(1, len(xs)):
        xs[i] = xs[i] * xs[i - 1] + k
    d["a"] = d["a"] * xs[-1]
    total = 0.0
    for i in range(len(xs)):
        total += xs[i] ** 3 * d["a"] * d["b"]
    return total


@program(lambda n: ([[number(), number()] for _ in range(n)], 0.3))
def rows_read_before_they_go(rows, k):
    for row in rows:
        row[0] = row[0] * row[1]
    total = 0.0
    for row in rows:
        total += row[0] ** 2 * math.sin(k * row[1])
    for row in rows:
        row.pop()
        row.append(k)
    return total + sum(row[0] * row[1] for row in rows)


def forgotten(link, k):
    if link is None:
        return 0.0
    before = link.weight
    link.weight = k
    return before * before + forgotten(link.behind, k)


@program(lambda n: (chain(n), 0.3))
def read_before_a_call_stores(link, k):
    link.weight = k * link.weight
    total = link.weight**2
    return total * forgotten(link, k) + link.weight


def summed(link):
    if link is None:
        return 0.0
    return link.weight**2 * math.sin(link.seen) + summed(link.behind)


@program(lambda n: (chain(n), 0.3))
def read_by_a_call(link, k):
    one = link
    while one is not None:
        one.seen = math.sin(k * one.weight)
        one = one.behind
    return summed(link) * link.seen**2
