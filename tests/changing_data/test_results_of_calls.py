"""Results of calls that stay calls: with what they may share memory."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedError, grad
from tests.frontend.whole_programs import assert_differentiated
from tests.support.finite_differences import central_difference_gradient

PROGRAMS = {
    "a parameter that was written into, or a copy": """
        def cycle(u, f, h):
            if len(u) <= 2:
                u = u.copy()
                u[1] += h * f[1]
                return u
            for _ in range(2):
                u[1:] += 0.5 * (f[1:] - u[:-1])
            u[::2] += cycle(np.zeros((len(u) + 1) // 2), f[::2] - u[::2], 2.0 * h)
            return u
        def program(x, v):
            f = np.concatenate((v, [x], v))
            u = np.zeros(7)
            u[0] = x
            for _ in range(3):
                u = cycle(u, f, x)
            return np.sum(u**2)
    """,
    "a parameter, twice": """
        def cycle(u, f, n):
            if n <= 0:
                u += f
                return u
            e = cycle(np.zeros(len(u)), f * 0.5, n - 1)
            e = cycle(e, f - u, n - 1)
            u += e
            return u
        def program(x, v, k):
            u = cycle(v * x, v, k)
            u[0] *= x
            return np.sum(u**3)
    """,
    "what both wrote into, read by either name": """
        def turned(u, w, n):
            if n <= 0:
                return u
            u[n % 3] += w[n % 2] * u[0]
            w[n % 2] *= 2.0
            return turned(w, u, n - 1)
        def program(x, v, k):
            u, w = v * x, v**2
            return np.sum(turned(u, w, k) * u * w)
    """,
    "a new array of functions that call each other": """
        def even(u, n):
            u = u * 1.5
            u[0] += u[1]
            return odd(u, n - 1) if n > 0 else u
        def odd(u, n):
            u[1] *= u[0]
            return even(u, n - 1) if n > 0 else u[:2].copy()
        def program(x, v, k):
            u = v * x
            r = even(u, k)
            r[0] *= u[0]
            u[1] = r[0]
            return np.sum(r**2) + np.sum(u**2)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_of_what_calls_itself(name):
    assert_differentiated(PROGRAMS[name])


def halved(u, n):
    if n == 0:
        return u
    u[n] *= u[0]
    return halved(u, n - 1)


def written_behind(x):
    u = x.copy()
    r = halved(u, 2)
    u[1] = r[0] ** 2
    return np.sum(r**2)


def result_written_behind(x):
    u = x.copy()
    r = halved(u, 2)
    r[1] = u[0] ** 2
    return np.sum(u**2)


@pytest.mark.parametrize("program", [written_behind, result_written_behind])
def test_what_may_be_a_parameter_is_seen_to_share_its_memory(program):
    with pytest.raises(UnsupportedError, match="may share"):
        grad(program)(np.array([0.7, 0.9, 1.3]))


def one_of_two(x):
    first, last = x * 2.0, x * 3.0
    either = first if x[0] > 0.0 else last
    return first, either, last


def seen_in_either(x):
    first, either, last = one_of_two(x)
    first[0] = 5.0 * x[1]
    return np.sum(either * last)


@pytest.mark.parametrize("x0", [0.7, -0.7])
def test_a_result_that_is_one_of_two_others(x0):
    """The first was told apart from the others, and the store wasn't seen."""
    x = np.array([x0, 0.9])
    expected = central_difference_gradient(seen_in_either, [x], 0)
    found = grad(seen_in_either, optimise={"inlining": False})(x)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
