"""Programs over lists and tuples of numbers, of arrays, and of such lists."""

from __future__ import annotations

import math
from itertools import accumulate, pairwise

import numpy as np

from tests.scale.program import Programs

PROGRAMS = Programs()
WEIGHTS = [math.sin(1.0 + k) for k in range(200)]
TABLE = [(math.sin(k), math.cos(k)) for k in range(70)]


def numbers(size, rng):
    return rng.uniform(0.5, 1.5, size).tolist()


def one_list(size, rng):
    return (numbers(size, rng),)


def with_rate(size, rng):
    return numbers(size, rng), 0.7


def two_lists(size, rng):
    return numbers(size, rng), tuple(numbers(size + 3, rng))


def rows(size, rng):
    return ([numbers(k % 4, rng) for k in range(size)],)


def points(size, rng):
    return ([tuple(numbers(2, rng)) for _ in range(size)],)


def matrices(size, rng):
    return [rng.normal(size=(3, 3)) / 2.0 for _ in range(size)], rng.normal(size=3)


def unlike_vectors(size, rng):
    return ([rng.normal(size=1 + k % 3) for k in range(size)],)


# ------------------------------------------------------------------ one list


@PROGRAMS.over(one_list)
def sum_of_squares(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total


@PROGRAMS.over(with_rate)
def recurrence(xs, rate):
    state = 0.0
    for k, x in enumerate(xs):
        state = math.tanh(rate * state + x / (k + 1.0))
    return state


@PROGRAMS.over(one_list)
def windows(xs):
    return sum((b - a) ** 2 * c for a, b, c in zip(xs, xs[1:], xs[2:], strict=False))


@PROGRAMS.over(one_list)
def in_pairs(xs):
    return sum(math.exp(-((a - b) ** 2)) for a, b in pairwise(xs))


@PROGRAMS.over(one_list)
def backwards(xs):
    total = 0.0
    for x in reversed(xs):
        total = 0.5 * total + x * x
    return total * xs[-1]


@PROGRAMS.over(one_list)
def spread(xs):
    ordered = sorted(xs)
    middle = ordered[len(ordered) // 2]
    return (max(xs) - min(xs)) * middle**2 + sum(ordered[:3])


@PROGRAMS.over(one_list)
def chosen(xs):
    return sum([x**3 for x in xs if x > 1.0]) / len(xs)


@PROGRAMS.over(one_list)
def head_and_rest(xs):
    a, b, *rest = xs
    return a * b * sum(x * x for x in rest)


@PROGRAMS.over(one_list)
def by_place(xs):
    total = 0.0
    for k in range(1, len(xs)):
        total += xs[k] * xs[k - 1] ** 2
    return total


@PROGRAMS.over(one_list)
def until_it_is_large(xs):
    total, k = 0.0, 0
    while k < len(xs) and total < 3.0:
        total += xs[k] ** 2
        k += 1
    return total


@PROGRAMS.over(one_list)
def as_an_array(xs):
    x = np.array(xs)
    return np.sum((x - x.mean()) ** 2) * xs[0]


@PROGRAMS.over(one_list)
def running_sums(xs):
    return list(accumulate(x * x for x in xs))


@PROGRAMS.over(one_list)
def made_and_read(xs):
    squares = [x * x for x in xs]
    slopes = []
    for a, b in zip(squares, squares[1:], strict=False):
        slopes.append(b - a)
    return sum(math.sin(s) for s in slopes)


@PROGRAMS.over(one_list)
def of_the_module(xs):
    total = 0.0
    for x, w in zip(xs, WEIGHTS, strict=False):
        total += w * x * x
    for a, b in TABLE:
        total += a * math.sin(b * xs[0])
    return total


@PROGRAMS.over(one_list)
def in_functions(xs):
    def weight(x):
        return energy(x, xs[0])

    return sum(map(weight, xs))


def energy(x, y):
    return x * x * math.exp(-x * y) + x


# ------------------------------------------------------------------ several lists


@PROGRAMS.over(two_lists)
def together(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys, strict=False):
        if total > 4.0:
            break
        total += x * y**2
    return total


@PROGRAMS.over(two_lists)
def one_behind_the_other(xs, ys):
    return sum(k * x * x for k, x in enumerate([*xs, *ys])) / len(xs) ** 2


@PROGRAMS.over(two_lists)
def products(xs, ys):
    return [x * y * xs[0] for x, y in zip(xs, ys, strict=False)]


# ------------------------------------------------------------------ lists of lists


@PROGRAMS.over(rows)
def lists_of_lists(rows):
    total = 0.0
    for row in rows:
        product = 1.0
        for x in row:
            product *= x
        total += product**2
    return total


@PROGRAMS.over(rows)
def lengths_of_rows(rows):
    return sum(row[0] * row[-1] / len(row) for row in rows if row)


@PROGRAMS.over(points)
def polygon(points):
    area = 0.0
    for (x, y), (u, v) in zip(points, points[1:] + points[:1], strict=True):
        area += x * v - u * y
    return area * area


@PROGRAMS.over(points)
def columns(points):
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    return sum(x * y for x, y in zip(xs, ys, strict=True)) * max(xs) - min(ys)


# ------------------------------------------------------------------ lists of arrays


@PROGRAMS.over(matrices)
def layers(ws, x):
    for w in ws:
        x = np.tanh(w @ x)
    return np.sum(x * x)


@PROGRAMS.over(unlike_vectors)
def vectors(vs):
    return sum(np.sum(v * v) * v[0] for v in vs) / len(vs)


@PROGRAMS.over(unlike_vectors)
def end_to_end(vs):
    x = np.concatenate(vs)
    return np.sum(np.sin(x)) * np.max(vs[0])
