"""Programs whose iterators read lists that change between making and running them."""

from __future__ import annotations

import itertools

from tests.run_time.programs.resized import tanks
from tests.run_time.programs.table import number, program


@program(lambda n: (tanks(n), 0.7))
def products_of_what_was(ts, x):
    total = 0.0
    for t in ts:
        pairs = itertools.product(t.levels, [1.0, x])
        t.levels[0] = x
        t.levels.append(x)
        for k, (a, b) in enumerate(pairs):
            total += a * b * (k + 1)
    return total


@program(lambda n: (tanks(n), 0.7))
def combinations_of_what_was(ts, x):
    total = 0.0
    for t in ts:
        pairs = itertools.combinations(t.levels, 2)
        t.levels[0] = x
        t.levels.append(x)
        for k, (a, b) in enumerate(pairs):
            total += a * b * (k + 1)
    return total


@program(lambda n: (tanks(n), 0.7))
def pairs_that_change(ts, x):
    total = 0.0
    for t in ts:
        for a, b in itertools.pairwise(t.levels):
            t.levels[0] = t.levels[0] * x
            t.levels[1] = t.levels[1] + x
            total += a * b
    return total


@program(lambda n: (tanks(n), 0.7))
def read_when_it_runs(ts, x):
    total = 0.0
    for t in ts:
        squares = (v * v for v in t.levels)
        joined = itertools.chain(t.levels, [x])
        rest = itertools.islice(t.levels, 1, None)
        t.levels.append(x * t.gain)
        total += sum(squares) * sum(joined) + sum(rest)
    return total


@program(lambda n: (tanks(n), 0.7))
def backwards_while_it_changes(ts, x):
    total = 0.0
    for t in ts:
        backwards = reversed(t.levels)
        t.levels[0] = x
        for k, v in enumerate(backwards):
            total += v * (k + 1)
        t.levels.append(total * 0.01)
    return total + sum(v * t.gain for t in ts for v in t.levels)


@program(lambda n: ([number() for _ in range(n)], 0.7), ("xs", "x"))
def first_two_above(xs, x):
    return sum(itertools.islice((v * v * x for v in xs if v > 0.6), 2))


@program(lambda n: ([number() for _ in range(n)], 0.7), ("xs", "x"))
def first_three_of_a_generator(xs, x):
    def gen():
        k = 0
        while k < len(xs):
            yield xs[k] * x
            k += 1

    return sum(itertools.islice(gen(), 3))


class Scaled:
    def __init__(self, xs, x):
        self.xs = xs
        self.x = x
        self.reads = 0.0

    def __getitem__(self, k):
        self.reads = self.reads + 1.0
        return self.xs[k] * self.x


@program(lambda n: ([number() for _ in range(n)], 0.7), ("xs", "x"))
def items_by_index_alone(xs, x):
    scaled = Scaled(xs, x)
    total = 0.0
    for v in scaled:
        total = total * x + v * scaled.reads
        if total > 20.0:
            break
    return total * scaled.reads + sum(k * v for k, v in enumerate(Scaled(xs, x)))
