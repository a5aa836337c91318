"""Starred names in assignments, patterns and calls, over what is kept as it is."""

from __future__ import annotations

import math

from tests.run_time.programs.table import (
    number,
    program,
    springs_of,
)


def expressions(n):
    leaves = [("leaf", number()) for _ in range(4)]
    product = ("product", *leaves[:3])
    made = [
        leaves[0],
        ("sum", leaves[1], product),
        ("sum", product, leaves[2], leaves[3]),
        product,
    ]
    return [made[k % 4] for k in range(n)]


@program(lambda n: (springs_of(n),))
def x_assigned(springs):
    first, *rest = springs
    *front, last = rest
    return first.k * sum(s.rest for s in front) + last.k * len(rest)


@program(lambda n: (springs_of(n),))
def x_matched(springs):
    match springs:
        case [first, *rest, last]:
            return first.k * sum(s.rest for s in rest) * last.k
    return 0.0


@program(lambda n: ([("row", number(), number(), 2.0) for _ in range(n)],))
def x_records(rows):
    t = 0.0
    for row in rows:
        name, *values, weight = row
        t += weight * sum(v * v for v in values) * len(name)
    return t


@program(lambda n: ([(number(), 2.0, number()) for _ in range(n)],))
def x_matched_records(rows):
    t = 0.0
    for row in rows:
        match row:
            case [x, y, z, w, *rest]:
                t += x * y * z * w
            case [x, *rest] if x > 1.0:
                t += x * sum(rest)
            case [*front, last]:
                t += last**2 * len(front)
    return t


@program(lambda n: (expressions(n),))
def x_told_by_texts(es):
    t = 0.0
    for e in es:
        match e:
            case ["leaf", *rest]:
                t += rest[0] ** 2
            case ["product", *_, x]:
                t += x[1] ** 3
            case [_, *rest]:
                for part in rest:
                    t += valued(part) * len(rest)
    return t


def valued(e):
    match e:
        case ["leaf", x]:
            return math.sin(x)
        case ["sum", first, second]:
            return valued(first) + valued(second)
        case ["sum", first, *rest]:
            return valued(first) * valued(rest[0]) + valued(rest[1])
        case ["product", *parts]:
            t = 1.0
            for part in parts:
                t *= valued(part)
            return t
    return 0.0


@program(lambda n: (expressions(n),))
def x_expressions(es):
    return sum(valued(e) for e in es)


def of_all(first, *others):
    return first.k * sum(s.rest for s in others)


@program(lambda n: (springs_of(n),))
def x_called(springs):
    lengths = math.hypot(*(s.k for s in springs), 2.0)
    return of_all(*springs) + lengths * max(*(s.rest for s in springs))
