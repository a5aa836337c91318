"""Pullbacks under Numba, whose residuals go through Python: those of calls and of loops
that keep lists."""

import math

import numpy as np
import pytest

from s2sad import differentiate, grad, vjp
from tests.codegen.numba import calls
from tests.codegen.numba.comparing import assert_same
from tests.support.numba_text import run_as_python

numba = pytest.importorskip("numba")


def pullback_of(function, arguments, **words):
    """The value, and a pullback that is called after arrays were overwritten."""
    own = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    value, pullback = differentiate(function, **words).vjp(*own)
    for argument in own:
        if isinstance(argument, np.ndarray):
            argument[...] = np.nan
    return value, pullback


def check_pullback(function, arguments, **words):
    found, pullback = pullback_of(function, arguments, backend="numba", **words)
    wanted, other = vjp(function, *arguments)
    assert_same(found, wanted)
    for seed in (1.0, -0.5):  # more than once
        seed = seed * np.ones_like(wanted)
        assert_same(pullback(seed)[0], other(seed)[0])


@pytest.mark.sampled(8, of_long=2)
@pytest.mark.parametrize(("function", "arguments"), calls.CASES)
def test_of_functions_that_call_others(function, arguments):
    check_pullback(function, arguments, optimise={"inlining": False})


@pytest.mark.parametrize(("function", "arguments"), calls.CASES)
def test_of_functions_that_call_others_as_python(function, arguments, monkeypatch):
    monkeypatch.setattr(numba.typed, "List", list)
    with run_as_python():
        # no compiled form is found again
        own = {"inlining": False, "cancelling": False}
        check_pullback(function, arguments, optimise=own)


def halves(x, depth):
    if depth == 0:
        return x * np.sin(x)
    return np.sin(halves(x[::2], depth - 1)) + halves(x[1::2] ** 2, depth - 1)


def two(x, n):
    if n == 0:
        return x, np.cos(x)
    a, b = two(x * 0.5, n - 1)
    return a * b, a + np.sin(b)


def even(x, n):
    return np.sin(x) if n <= 0 else odd(x * x, n - 1) * x


def odd(x, n):
    return np.cos(x) if n <= 0 else even(0.5 * x, n - 1) + halves(x, 1)[0]


def of_two(x):
    a, b = two(x, 3)
    return np.sum(a * b)


def of_two_recursions(x, n):
    return np.sum(even(x, n)) * np.sum(halves(x, 2))


def of_gradient(x):
    return np.sum(grad(of_two)(x) ** 2)


def in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        total = total + np.sum(halves(x * (k + 1.0), 2)) * (total + 1.0)
    return total


def in_a_branch_of_a_loop(x, n):
    total = 0.0
    while n > 0:
        if x[n] > 0.4:
            total = total * 0.5 + np.sum(halves(x * total + x, 1))
        else:
            a, b = two(x + total, n)
            total = total + np.sum(a * b)
        n = n - 1
    return total


def vector(x, depth):
    return halves(x, depth)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (of_two, (np.linspace(0.1, 0.9, 4),)),
        (of_two_recursions, (np.linspace(0.1, 0.9, 8), 5)),
        (of_two_recursions, (np.linspace(0.1, 0.9, 8), 0)),
        (vector, (np.linspace(0.1, 0.9, 16), 3)),
        (of_gradient, (np.linspace(0.1, 0.9, 4),)),
        (in_a_loop, (np.linspace(0.1, 0.9, 8), 0)),
        (in_a_loop, (np.linspace(0.1, 0.9, 8), 5)),
        (in_a_branch_of_a_loop, (np.linspace(0.1, 0.9, 8), 5)),
    ],
)
def test_of_recursions(function, arguments):
    check_pullback(function, arguments)


def growing(x, n):
    y = x
    for _ in range(n):
        y = np.concatenate((y, np.sin(y[:1])))
        y = y * y[0]
    return np.sum(y)


def parts(x, n):
    total = 0.0
    for k in range(n):
        if x[k] > 0.3:
            part = x[k:] * (1.0 + total)
            total += np.sum(np.sin(part) * part)
    return total


def collected(x, n):
    ys = [x]
    for k in range(n):
        ys.append(np.sin(ys[-1]) * x[k : k + 1])
    total = 0.0
    for y in ys:
        total += np.sum(y * y)
    return total


def read_again(x, n):
    ys = [x]
    for _ in range(n):
        ys.append(ys[-1] * np.sin(x))
    total = 0.0
    for k in range(n):
        total += np.sum(ys[k] * ys[k + 1]) * total + ys[-1 - k][0]
    return total + np.sum(np.array(ys) ** 3)


def numbers_of_lists(x, n):
    ys = [0.1]
    for k in range(n):
        ys.append(math.sin(x[k]) * k)
    return math.fsum(ys) * min(ys) + np.sum(np.array(ys) ** 2)


def numbers(x, n):
    total = 1.0
    for k in range(n):
        while total > 0.5:
            total = total * math.sin(x[k])
        total = total + 1.5
    return total


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize(
    "function",
    [growing, parts, collected, read_again, numbers_of_lists, numbers],
)
def test_of_loops_that_keep_lists(function, n):
    check_pullback(function, (np.linspace(0.2, 0.9, 5), n))


def chain(x, n):
    return x if n == 0 else np.sin(chain(x * 1.001, n - 1))


def total_of_chain(x, n):
    return np.sum(chain(x, n))


def test_of_a_thousand_calls_once_more_without_compiling(monkeypatch):
    pair = differentiate(total_of_chain, backend="numba")
    pair.vjp(calls.X, 2)
    for n in (0, 3000):
        _, pullback = pair.vjp(calls.X, n)
        with monkeypatch.context() as patch:
            patch.setattr(numba, "njit", None)  # nothing is compiled anew
            _, again = pair.vjp(calls.X, n)
        wanted = grad(total_of_chain)(calls.X, min(n, 400))
        assert_same(again(1.0)[0], pullback(1.0)[0])
        if n == 0:
            assert_same(again(1.0)[0], wanted)
