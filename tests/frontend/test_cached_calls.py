"""Cached functions of values without derivatives."""

from __future__ import annotations

import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a tuple of tuples": """
@functools.lru_cache
def offsets(reach):
    return tuple(
        (i, (i % 2, math.sqrt(i)))
        for i in range(1, reach + 4)
        if i * i <= reach * reach + 3
    )

def program(v, a, k):
    total = 0.0
    for i, (parity, distance) in offsets(k):
        total += a * distance * v[parity] ** i
    return total + len(offsets(k))
""",
    "a tuple of numbers": """
@functools.cache
def times(years, frequency):
    return tuple(n / frequency for n in range(1, years * frequency + 2))

def program(a, k):
    *early, final = times(k, 2)
    total = sum(a * math.exp(-a * t) for t in early)
    return total + math.exp(-a * final) + times(k, 2)[0] * a
""",
    "a number": """
@functools.cache
def binomial(n, k):
    result = 1
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result

def program(a, k):
    return sum(binomial(k + 3, i) * a**i for i in range(k + 1))
""",
    "a structure": """
@functools.cache
def scheme(order):
    nodes = np.linspace(0.0, 1.0, order + 2)
    return {"nodes": nodes, "weight": 1.0 / (order + 2), "range": (order, order + 1)}

def program(a, k):
    found = scheme(k)
    low, high = found["range"]
    return found["weight"] * np.sum(np.sin(a * found["nodes"])) * low + high * a
""",
    "known arguments": """
@functools.lru_cache(maxsize=None)
def splits(n):
    return tuple((k, n - k) for k in range(1, n))

def program(a, b):
    sizes = (a, b, a * b, 2.0)
    total = 0.0
    for left, right in splits(len(sizes)):
        total += sum(sizes[:left]) * sum(sizes[left:]) / right
    return total
""",
    "recursion": """
@functools.cache
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

def program(a, k):
    return sum(a**i * fibonacci(i) for i in range(k + 3))
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_cached_functions(name):
    assert_differentiated(f"import functools\n{PROGRAMS[name]}", range(4))


def test_a_cached_function_is_called_once():
    import functools

    @functools.cache
    def table(n):
        return tuple(float(k) for k in range(n))

    def program(x, n):
        return sum(x**2 * t for t in table(n))

    assert grad(program)(2.0, 4) == 24.0
    assert grad(program)(3.0, 4) == 36.0
    assert table.cache_info().misses == 1
