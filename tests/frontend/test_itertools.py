"""Functions of itertools over what is known only when the program runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "takewhile of an array": """
def program(v, a):
    total = a
    for x in itertools.takewhile(lambda x: x < 0.5, v):
        total += x * x
    return total
""",
    "takewhile of a generator": """
def program(a, b):
    def powers(x):
        while True:
            yield x
            x = x * 1.7 + 0.1

    total = sum(x * x for x in itertools.takewhile(lambda x: x < 20.0, powers(a * a)))
    for x in itertools.takewhile(lambda x: x < 20.0, powers(b * b)):
        total += x * a
        if x > 10.0:
            break
    return total
""",
    "takewhile of a structure": """
def program(a, b):
    first = itertools.takewhile(lambda x: x < 1.0, (a, b, a * b, 3.0))
    return sum(x * x for x in first)
""",
    "dropwhile": """
def program(v, a, b):
    total = a
    for x in itertools.dropwhile(lambda x: x < 0.2, v):
        total += x * x
    for x in itertools.dropwhile(lambda x: x < 0.5, (a, b, a * b, 3.0)):
        total = total * 0.5 + x * x
    for x in itertools.dropwhile(lambda k: k < 3, range(6)):
        total = total * 0.5 + x * a
    return total
""",
    "dropwhile left early": """
def program(v, a):
    total = a
    for x in itertools.dropwhile(lambda x: x < -0.5, v):
        total += x * x
        if total > 0.7:
            break
    return total
""",
    "filterfalse and starmap": """
def program(v, m, a):
    total = sum(itertools.starmap(lambda x, y: x * y * a, zip(v, m[0])))
    for x in itertools.filterfalse(lambda x: x > 0.3, (x * a for x in v if x != 0)):
        total += x * x
    for d in itertools.starmap(lambda i, x: x**2 * i, enumerate(x for x in v if x > 0)):
        total += d
    return total
""",
    "compress": """
def program(v, m, a):
    total = sum(itertools.compress(v, m[0] > 0.0))
    for x in itertools.compress([a, a * a, 2.0], [True, False, True]):
        total += x * a
    for x in itertools.compress((x * x for x in v), [True, False, True]):
        total += x * a
    return total
""",
    "islice of a generator": """
def program(a, k):
    def powers(x):
        while True:
            yield x
            x = x * 0.7 + 0.1

    total = sum(x * x for x in itertools.islice(powers(a), 4))
    for x in itertools.islice(powers(a), k):
        total += x * a
    for x in itertools.islice(powers(a), 1, 7, 2):
        total = total * 0.5 + x * x
    for x in itertools.islice(powers(a), k, 5):
        total = total * 0.5 + x * x
        if total > 3.0:
            break
    first, second = itertools.islice(powers(a * a), 2)
    return total + first * second
""",
    "islice of islice": """
def program(v, a, k):
    total = sum(x * x for x in itertools.islice(v, 1, None))
    for x in itertools.islice(v, 0, None, 2):
        total += x * a
    for x in itertools.islice((a, 2.0, a * a), k):
        total = 0.5 * total + x * a
    for x in itertools.islice((a, 2.0, a * a, 1.0), 1, None, 2):
        total = 0.5 * total + x * a
    for x in itertools.islice(itertools.islice((x * a for x in v if x > 0), 0, 2), 1):
        total = 0.5 * total + x * x
    for n in itertools.islice(itertools.count(1), 2, 6, 3):
        total = 0.5 * total + a * n
    return total
""",
    "takewhile of islice": """
def program(a, b):
    def powers(x):
        while True:
            yield x, x * x
            x = x * 1.3 + 0.1

    def small(pairs):
        return itertools.takewhile(lambda pair: pair[1] < 9.0, pairs)

    total = 0.0
    for x, y in itertools.islice(small(powers(a)), 3):
        total += x * y
    for x, y in small(itertools.islice(powers(b), 5)):
        total += x * y
    return total
""",
    "zip_longest": """
def program(v, m, a):
    total = 0.0
    for x, y in itertools.zip_longest(v, m[0, :2], fillvalue=a):
        total += x * y * y
    for x, y in itertools.zip_longest(v, (a, 2.0), fillvalue=1.0):
        total += x * y * y
    for x, y in itertools.zip_longest((a, 2.0), (a * a, 1.0, 3.0), fillvalue=a):
        total += x * y * y
    return total
""",
    "zip_longest with None": """
def program(v, a):
    total = 0.0
    for x, y in itertools.zip_longest(v, [x for x in v if x > 0]):
        total += x * (y if y is not None else a)
    for x, y in itertools.zip_longest((x for x in v if x < 0), v[:0]):
        if y is None:
            total += x * a
    return total
""",
    "accumulate of a generator": """
def program(v, a):
    def powers(x):
        while True:
            yield x
            x = x * 1.7 + 0.1

    total = 0.0
    for x in itertools.accumulate(x * x for x in v if x > -1.0):
        total += x * a
    sums = itertools.accumulate(powers(a * a))
    for x in itertools.takewhile(lambda s: s < 30.0, sums):
        total += x
    for x in itertools.accumulate((x for x in v if x > 0), lambda s, x: s * x + a):
        total += x
    return total
""",
    "accumulate of rows": """
def program(m, v):
    total = 0.0
    for row in itertools.accumulate(row * v for row in m if row[0] < 5.0):
        total += np.sum(row * row)
    for row in itertools.accumulate(m, np.maximum):
        total += np.sum(row * row)
    return total
""",
    "accumulate of a dynamic list": """
def program(v, a):
    xs = [x * a for x in v if x > -0.5]
    sums = list(itertools.accumulate(xs, max))
    total = sum(s * s for s in sums)
    for s in itertools.accumulate(xs, lambda p, x: p * x, initial=a):
        total += s
    return total + len(sums)
""",
    "pairs of a generator": """
def program(v, a):
    total = 0.0
    for x, y in itertools.pairwise(x * a for x in v if x > -0.5):
        total += (y - x) ** 2 * x
    for x, y in itertools.pairwise(v[:1]):
        total += x
    return total + a
""",
    "zip of a generator and arrays": """
def program(v, a, k):
    def powers(x):
        while True:
            yield x
            x = x * 1.7 + 0.1

    total = 0.0
    for x, y in zip(v, powers(a)):
        total += x * y
    for y, i in zip(powers(a), range(k)):
        total += y * i
    for y, w in zip(powers(a), (1.0, a, 2.0)):
        total += y * w
    for n, y in zip(itertools.count(1), (x * a for x in v if x > 0)):
        total += y / n
    for n, y in zip(itertools.count(1), itertools.accumulate((a, a * a, 2.0))):
        total += y / n
        if total > 3.0:
            break
    return total + n
""",
    "cycle": """
def program(v, a, k):
    total = 0.0
    for x, w in zip(v, itertools.cycle((a, 2.0))):
        total += x * w
    for x, w in zip((a, 2.0, 3.0), itertools.cycle((a, 2.0))):
        total += x * w
    for i, w in zip(range(k), itertools.cycle(v)):
        total += i * w * w
    return total
""",
    "groups of known keys": """
def program(a, b):
    total = 0.0
    for letter, run in itertools.groupby("aabccc"):
        total += len(list(run)) * math.exp(a if letter == "a" else b)
    for sign, run in itertools.groupby([1, 2, -3, 4], key=lambda n: n > 0):
        total += sum(n * b for n in run) if sign else a
    pairs = [(0, a), (0, b), (1, a * b)]
    for day, run in itertools.groupby(pairs, lambda pair: pair[0]):
        total += math.prod(value for _, value in run) * (day + 1)
    return total
""",
    "groups of an array": """
def program(v, a):
    total = 0.0
    for positive, run in itertools.groupby(v, lambda x: x > 0):
        total += sum(x * x for x in run) * (a if positive else 2.0)
    for x, run in itertools.groupby(v):
        total += x * len(list(run))
    for positive, run in itertools.groupby(v[:0], lambda x: x > 0):
        total += sum(run)
    return total
""",
    "groups of a list and structure": """
def program(v, a, b):
    xs = [x * a for x in v if x > -1.0]
    runs = itertools.groupby(xs, lambda x: x > 0)
    longest = [max(run) for positive, run in runs if positive]
    total = sum(x * x for x in longest)
    for sign, run in itertools.groupby((a, b, a * b, 1.0), np.sign):
        total += sign * sum(run)
    return total
""",
    "groups of pairs": """
def program(v, m, k):
    pairs = list(zip([i // 2 for i in range(k + 3)], itertools.cycle(v)))
    total = 0.0
    for key, group in itertools.groupby(pairs, key=lambda pair: pair[0]):
        for _, x in group:
            total += x * x * (key + 1)
    return total
""",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_itertools(name):
    assert_differentiated(f"import itertools\n{PROGRAMS[name]}", range(4))


def test_a_group_is_gone_when_the_next_is_reached():
    def program(v):
        for _, run in itertools.groupby(v, lambda x: x > 0):
            pass
        return sum(run) + v[0]

    with pytest.raises(UnsupportedError, match="after groupby has gone on"):
        grad(program)(np.array([1.0, 2.0, -1.0]))


def test_pairs_of_values_that_may_be_none():
    def program(v):
        values = (x if x > 0 else None for x in v)
        return sum(x * y for x, y in itertools.pairwise(y for y in values if y != 2.0))

    with pytest.raises(UnsupportedError, match="may be None"):
        grad(program)(np.array([1.0, 2.0, -1.0]))
