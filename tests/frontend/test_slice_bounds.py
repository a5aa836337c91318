"""Slices with equal bounds are equally long; slices of which a bound changed between
them aren't: one of length one is broadcast beside the other, and its cotangent is a
sum."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a slice of the iteration before": """
        def program(x, v):
            prev, total = v[:1] * x, 0.0
            for j in range(1, 3):
                cur = v[j:] * x
                total += np.sum(prev * cur * j)
                prev = cur
            return total
    """,
    "a name first bound in the loop": """
        def program(x, v):
            total = 0.0
            for j in range(1, 3):
                if j > 1:
                    total += np.sum(prev * v[j:] ** 2)
                prev = v[j:] * x
            return total * x
    """,
    "a bound changes between two slices": """
        def program(x, v, k):
            j = k % 2 + 1
            a = v[j:] * x
            j = 2
            b = v[j:]
            j -= 1
            return np.sum(a * b) + np.sum(v[j:] * b * x)
    """,
    "a bound changes in a branch": """
        def program(x, v, k):
            i = k % 2 + 1
            y = v[i:] * x
            if k > 1:
                i = 2
            z = v[i:]
            if k > 2:
                i += 0
                w = v[i:]
            else:
                w = v[2:]
            return np.sum(y * z * x) + np.sum(v[i:] * w)
    """,
    "a sum as bound": """
        def program(x, v, k):
            j = k % 2
            a = v[j + 1 :] * x
            b = v[j + 1 :]
            j = 1
            c = v[j + 1 :]
            return np.sum(a * b) + np.sum(a * c * x)
    """,
    "a while loop moves the bound": """
        def program(x, v):
            i, total, prev = 0, 0.0, v[:1]
            while i < 3:
                cur = v[i:] * x
                if len(cur) == 1 or len(prev) == 1:
                    total += np.sum(prev * cur)
                i += 1
                prev = v[i:] if i == 2 else v[:1]
                total += np.sum(prev * cur[:1])
            return total
    """,
    "two calls of one function": """
        def tail(v, j):
            return v[j:]

        def program(x, v, k):
            a = tail(v, k % 2 + 1) * x
            b = tail(v * x, 2)
            for n in range(1, 3):
                b = b * np.sum(tail(a, n - 1) * tail(b, 0))
            return np.sum(a * b)
    """,
    "a walrus and a try": """
        def program(x, v, k):
            j = k % 2 + 1
            a = v[j:] * x
            try:
                if k > 1:
                    raise ValueError
                j = 2
            except ValueError:
                j = 2
            b = v[j:] * v[(j := 1) :]
            return np.sum(a * b) + np.sum(a * v[j:][-1:])
    """,
    "an array that grows": """
        def program(x, v, k):
            u = v[2:] * x
            total = 0.0
            for i in range(k):
                w = np.concatenate((u, v[:1]))
                if i == 0:
                    total += np.sum(u * w)
                u = w * x
            return total + np.sum(u)
    """,
    "ranges of other lengths": """
        def program(x, k):
            total, u = 0.0, np.arange(1.0, 2.0) * x
            for i in range(1, k):
                w = np.arange(1.0, i + 1.0) * x
                if i < 3:
                    total += np.sum(u * w)
                u = w if i == 1 else w[:1]
            return total
    """,
    "a factorisation in place": """
        def program(m, x):
            a = m.T * x
            for j in range(a.shape[1]):
                u = a[j:, j].copy()
                u[0] += np.sign(u[0]) * np.sqrt(u @ u)
                u /= np.sqrt(u @ u)
                a[j:, j:] -= 2.0 * np.outer(u, u @ a[j:, j:])
            return np.sum(np.log(np.abs(np.diag(a))))
    """,
    "a tree that is rolled back in place": """
        def program(x, k):
            prices = x**2 * 1.1 ** np.arange(-4.0, 5.0, 2.0)
            value = np.maximum(1.0 - prices, 0.0)
            for step in range(4, 0, -1):
                value[:step] = 0.6 * value[1 : step + 1] + 0.4 * value[:step]
                prices[:step] = prices[:step] * 1.1
                value[:step] = np.maximum(value[:step], 1.05 - prices[:step])
            return value[0]
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text, range(4))


def test_equal_bounds_need_no_sum():
    def reflected(a):
        a = a.copy()
        for j in range(2):
            u = a[j:, j].copy()
            a[j:, j:] -= 2.0 * np.outer(u, u @ a[j:, j:])
        return np.sum(a)

    text = grad(reflected).source_for(np.ones((3, 2)))
    assert "sum_to_shape_of" not in text and "broadcast_to(u" not in text
