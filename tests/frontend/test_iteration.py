"""Everything that Python iterates over, against hyper-dual numbers in every mode."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from s2sad import grad
from tests.fuzz.checking import check

HEAD = """
import functools
import itertools
import math

import numpy as np

"""

LOOPS = {
    "rows": """
def program(m):
    total = 0.0
    for row in m:
        total = total + np.sum(row * row) * row[0]
    return total
""",
    "zip of arrays": """
def program(v, r):
    total = 0.0
    for a, b in zip(v, r[0]):
        total += a * b * b
    return total
""",
    "zip of an array and a tuple": """
def program(v, a):
    total = 0.0
    for x, w in zip(v, (a, 2.0, a * a, 5.0)):
        total += x * x * w
    return total
""",
    "zip, strict": """
def program(v, a):
    total = 0.0
    for x, w in zip(v, [a, 2.0, a * a], strict=True):
        total += x * x * w
    return total
""",
    "enumerate from a number": """
def program(v, k):
    total = 0.0
    for i, x in enumerate(v, start=k + 1):
        total += x * x * i
    return total
""",
    "reversed": """
def program(v):
    total = 0.0
    for x in reversed(v):
        total = total * 0.5 + x * x
    return total
""",
    "reversed enumerate of a list": """
def program(v):
    total = 0.0
    for i, x in reversed(list(enumerate(v))):
        total = total * 0.5 + x * x * i
    return total
""",
    "items of a dict": """
def program(a, b):
    p = {"w": a, "u": a * b}
    total = 0.0
    for key, value in p.items():
        total += value * value if key == "w" else value
    for value in p.values():
        total *= value
    for key in p:
        total += p[key]
    return total
""",
    "a string": """
def program(a):
    x = a
    for letter in "sds":
        x = x * x if letter == "s" else x + a
    return x
""",
    "items of ranges": """
def program(v):
    n = len(v)
    total = range(n)[-1] * v[0]
    for i in range(n):
        total += range(3, 3 + 2 * n, 2)[i] * v[i] ** i
    return total
""",
    "product": """
def program(v):
    total = 0.0
    for x, y in itertools.product(v, repeat=2):
        total += x * y * y
    return total
""",
    "product of an array and a structure": """
def program(v, a):
    total = 0.0
    for x, y in itertools.product(v, (a, 1.5)):
        total += x * y * y
    for pair in itertools.product(v, (0.5, a), v):
        total += pair[0] * pair[1] * pair[2]
    return total
""",
    "product of ranges": """
def program(m):
    total = 0.0
    for i, j in itertools.product(range(2), range(3)):
        total += m[i, j] ** 2 * (i + j)
    return total
""",
    "combinations": """
def program(v):
    total = 0.0
    for x, y in itertools.combinations(v, 2):
        total += (x - y) ** 2
    return total
""",
    "permutations": """
def program(a, b):
    total = 0.0
    for x, y in itertools.permutations([a, b, a * b], 2):
        total += x * y * y
    return total
""",
    "accumulate": """
def program(v):
    total = 0.0
    for x in itertools.accumulate(v):
        total += x * x
    return total
""",
    "accumulate with a function": """
def program(v, a):
    total = 0.0
    for x in itertools.accumulate(v, lambda s, x: s * 0.5 + x * x, initial=a):
        total += x * x
    return total
""",
    "chain": """
def program(v, m):
    total = 1.0
    for x in itertools.chain(v, m[0], (1.0, 2.0)):
        total = total * 0.5 + x * x
    return total
""",
    "chain from rows": """
def program(m):
    total = 1.0
    for x in itertools.chain.from_iterable(m):
        total = total * 0.5 + x * x
    return total
""",
    "pairwise": """
def program(v):
    total = 0.0
    for x, y in itertools.pairwise(v):
        total += x * y
    return total
""",
    "islice": """
def program(v):
    total = 0.0
    for x in itertools.islice(v, 1, None):
        total += x * x
    return total
""",
    "count and repeat": """
def program(v, a):
    total = 0.0
    for i, x, w in zip(itertools.count(1), v, itertools.repeat(a)):
        total += x * x * i * w
    return total
""",
    "cycle": """
def program(v, m):
    total = 0.0
    for x, y in zip(m[0], itertools.cycle(v[:2])):
        total += x * y
    return total
""",
    "ndindex": """
def program(m):
    total = 0.0
    for i, j in np.ndindex(2, 3):
        total += m[i, j] ** 2
    return total
""",
    "ndindex of a shape": """
def program(m):
    total = 0.0
    for index in np.ndindex(*m.shape):
        total += m[index] ** 2
    return total
""",
    "ndenumerate": """
def program(m):
    total = 0.0
    for (i, j), x in np.ndenumerate(m):
        total += x * x * (i + 2 * j)
    return total
""",
    "map": """
def program(v):
    total = 0.0
    for x in map(math.sin, v):
        total += x * x
    return total
""",
    "map of two": """
def program(v, m):
    total = 0.0
    for x in map(lambda a, b: a * b, v, m[1]):
        total += x * x
    return total
""",
    "filter": """
def program(v):
    total = 0.0
    for x in filter(lambda x: x > 0, v):
        total += x * x
    return total
""",
    "a range in a variable": """
def program(v):
    numbers = range(1, 3)
    total = 0.0
    for i in numbers:
        for j in numbers:
            total += v[i] * v[j]
    return total
""",
    "an iterator in a variable": """
def program(v, m):
    pairs = zip(v, m[0])
    v = 2.0 * v
    total = 0.0
    for x, y in pairs:
        total += x * y * v[0]
    return total
""",
    "a range backwards": """
def program(v):
    total = 0.0
    for i in range(2, -1, -2):
        total = total * v[i] + v[i]
    return total
""",
    "a break in a stream": """
def program(v, m):
    total = 0.0
    for x in itertools.chain(v, m[0]):
        if total > 1.5:
            break
        total += x * x
    return total
""",
    "a break over a structure and an array": """
def program(v, a):
    total = 0.0
    for x, w in zip(v, (a, 2.0, a * a)):
        if total > 1.0:
            break
        total += x * x + w * w
    return total
""",
    "continue and else in a stream": """
def program(v):
    total = 0.0
    for x, y in itertools.product(v, v):
        if x < 0:
            continue
        total += x * y
        if total > 5.0:
            break
    else:
        total *= 2.0
    return total
""",
    "a break ends every loop behind": """
def tail(w):
    yield w * w
    for u in (w, 1.5):
        yield u * w

def program(v, a):
    total = 0.0
    for x in itertools.chain(v, [a, 0.3], tail(a), v[1:]):
        total = total * 0.7 + x * x
        if total > 0.5:
            break
    for x in itertools.accumulate(v):
        total = total * 0.8 + x
        if total > 0.2:
            break
    for x in itertools.accumulate((a, 0.4, v[0])):
        total = total * 0.8 - x
        if total < 0.3:
            break
    for x in itertools.accumulate(v, lambda s, u: s * u, initial=a):
        total = total + x
        break
    for i, x in enumerate(itertools.chain.from_iterable((v, (a, a * a)))):
        total = total + x * i
        if total > 0.4:
            break
    return total if any(x > 0.9 for x in itertools.chain(v, v[1:])) else total * a
""",
    "return from a stream": """
def program(v, a):
    total = a
    for x, y in itertools.combinations(v, 2):
        total += x * y
        if total > 0.5:
            return total * a
    return total
""",
}

CONSUMERS = {
    "sum with a start": "def program(v, a): return sum(v, a * a)",
    "sum of a generator": "def program(v): return sum(x * x for x in v)",
    "sum from a start": "def program(v, a): return sum((x * x for x in v), start=a)",
    "max of a generator": "def program(v): return max(x * x for x in v)",
    "max of values": "def program(a, b): return max(a, b, a * b)",
    "max by a key": "def program(v): return max(v, key=lambda x: (x - 0.3) ** 2)",
    "min of a few by a key": "def program(a, b): return min(a, b, key=abs)",
    "max with a default": (
        "def program(v, a): return max((x * x for x in v if x > 0), default=a)"
    ),
    "any": "def program(v, a): return a * a if any(x > 1 for x in v) else a",
    "all": "def program(v, a): return a * a if all(x > -1 for x in v) else a",
    "any in a loop": """
def program(m, a):
    for row in m:
        if any(x > 0.5 for x in row):
            a = a * a
    return a
""",
    "reduce": (
        "def program(v): return functools.reduce(lambda a, b: a * 0.5 + b * b, v)"
    ),
    "reduce with a start": (
        "def program(v, a): return functools.reduce(lambda s, x: s * x, v, a)"
    ),
    "list of a map": "def program(v): return sum(list(map(math.sin, v)))",
    "tuple of a map": """
def program(a, b):
    x, y = tuple(map(math.sin, (a, b)))
    return x * y
""",
    "dict of a zip": """
def program(a, b):
    d = dict(zip(("a", "b"), (a, b)))
    return d["a"] * d["b"]
""",
    "sorted structures": """
def program(a, b):
    x, y = sorted([(2, a), (1, b)], key=lambda pair: pair[0])
    return x[1] * x[1] * y[1]
""",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", LOOPS)
def test_loops_over(name):
    differentiates(LOOPS[name])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", CONSUMERS)
def test_consumes(name):
    differentiates(CONSUMERS[name])


def log_of_sum(x):
    return math.log(math.fsum(math.exp(v) for v in x))


def log_of_product(x):
    return math.log(math.prod(math.exp(v * v) for v in x))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function, expected",
    [
        (log_of_sum, lambda x: np.exp(x) / np.sum(np.exp(x))),
        (log_of_product, lambda x: 2.0 * x),
        (lambda x: statistics.mean(x * x), lambda x: 2.0 * x / x.size),
        (lambda x: statistics.fmean(v * v for v in x), lambda x: 2.0 * x / x.size),
        (lambda x: np.sum(np.fromiter((v * v for v in x), float)), lambda x: 2.0 * x),
    ],
)
def test_consumes_with_functions_of_the_library(function, expected):
    x = np.array([0.3, -0.4, 1.2])
    np.testing.assert_allclose(grad(function)(x), expected(x))


def differentiates(text, seeds=(0, 1, 2)):
    """The program has the right derivatives in every mode, for several arguments."""
    verdicts = set()
    for seed in seeds:
        outcome = check(HEAD + text, seed)
        assert outcome.verdict in ("differentiated", "left out"), (
            f"{outcome.verdict}: {outcome.detail}\n{outcome.text}"
        )
        verdicts.add(outcome.verdict)
    assert "differentiated" in verdicts, outcome.detail
