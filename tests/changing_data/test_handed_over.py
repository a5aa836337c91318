"""Lists, dicts and arrays that a recursion hands on from call to call: they are changed
in place where nobody sees them again, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a memo": """
        def program(x, v, k):
            known = {}

            def f(n):
                if n < 2:
                    return x + v[n]
                if n not in known:
                    known[n] = f(n - 1) * 0.5 + f(n - 2) * x
                return known[n]

            return f(k + 3) * f(k) + len(known)
    """,
    "a memo with keys of two numbers": """
        def program(x, v, k):
            known = {}

            def walk(a, b):
                if a == 0 or b == 0:
                    return v[(a + b) % 3]
                if (a, b) not in known:
                    known[a, b] = x * walk(a - 1, b) + walk(a, b - 1) * v[0]
                return known[a, b]

            return walk(k + 1, 3)
    """,
    "a list that all calls append to": """
        def program(x, v, k):
            found = []

            def visit(n, weight):
                if n > 0:
                    found.append(weight * v[n % 3])
                    visit(n - 1, weight * x)
                    visit(n - 2, weight)

            visit(k + 1, x)
            return sum(a * a for a in found)
    """,
    "a list that is taken from and put back": """
        def program(x, v, k):
            path = [x]

            def search(n):
                if n == 0:
                    return path[-1] * path[0]
                total = 0.0
                for i in range(2):
                    path.append(path[-1] * v[i])
                    total += search(n - 1)
                    path.pop()
                return total

            return search(min(k, 3))
    """,
    "an argument that the caller reads again": """
        def program(x, v, k):
            def f(y, n):
                if n == 0:
                    return np.sum(y * y)
                z = y * x
                z[0] = z[1] * v[0]
                return f(z, n - 1) * y[0] + z[-1]

            return f(v, min(k, 3))
    """,
    "one array for two calls": """
        def program(x, v, k):
            def f(y, n):
                if n == 0:
                    return y[0] * y[-1]
                z = y.copy()
                z[n % 3] = z[0] * x
                return f(z, n - 1) + f(z, 0) * x

            return f(v, min(k, 3))
    """,
    "what stood in a list before a call": """
        def program(x, v, k):
            found = [v[0]]

            def visit(n):
                place, last = len(found), found[-1]
                found.append(x * last)
                if n > 0:
                    visit(n - 1)
                found[place] *= last + found[-1]

            visit(min(k, 3))
            return sum(found)
    """,
    "an attribute of an object": """
        class Log:
            def __init__(self):
                self.seen, self.total = [], 0.0

            def visit(self, n, x):
                if n > 0:
                    self.seen.append(x * n)
                    self.total += self.seen[-1] * self.seen[0]
                    self.visit(n - 1, x * 0.5)

        def program(x, v, k):
            log = Log()
            log.visit(k, x)
            log.visit(2, v[0])
            return log.total + sum(log.seen)
    """,
    "an array that calls write into": """
        def program(x, v, k):
            y = v.copy()

            def fill(i):
                if i < 3:
                    y[i] = y[i] * x + (y[i - 1] if i else 0.0)
                    fill(i + 1)

            fill(0)
            fill(k % 3)
            return np.sum(y * y)
    """,
    "an exception on the way": """
        def program(x, v, k):
            found = [x]

            def visit(n):
                found.append(found[-1] * v[n % 3])
                if n > 0:
                    visit(n - 1)

            visit(k)
            before = len(found)
            visit(1)
            return sum(found) * before
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_recursions(name):
    assert_differentiated(PROGRAMS[name], range(4))


def memo(x, n):
    known = {}

    def f(k):
        if k < 2:
            return x
        if k not in known:
            known[k] = f(k - 1) * 0.5 + 0.25 * f(k - 2) * x
        return known[k]

    return f(n)


def test_a_memo_is_never_copied():
    on, off = (grad(memo, optimise={"ownership": flag}) for flag in (True, False))
    assert on(1.1, 9) == pytest.approx(off(1.1, 9))
    assert ".copy()" not in on.source_for(1.1, 9)


def fill(out, lo, hi, x):
    if hi - lo == 1:
        out[lo] = out[lo] * x[lo] + x[lo] ** 2
        return
    mid = (lo + hi) // 2
    fill(out, lo, mid, x)
    fill(out, mid, hi, x)


def filled_array(x):
    out = np.zeros(len(x))
    fill(out, 0, len(x), x)
    return np.sum(out * out)


def filled_list(x):
    out = [0.0] * len(x)
    fill(out, 0, len(x), x)
    return sum(v * v for v in out)


def swapped(x):
    a = list(x)
    swap(a, 0, len(a) - 1)
    return a[0] * a[1] + x[0]


def swap(a, lo, hi):
    if lo < hi:
        a[lo], a[hi] = a[hi], a[lo] * 0.5
        swap(a, lo + 1, hi - 1)


@pytest.mark.parametrize(
    ("program", "copies"), [(filled_array, 0), (filled_list, 0), (swapped, 1)]
)
def test_what_a_recursion_stores_into_is_copied_in_no_call_of_its_own(program, copies):
    x = [0.5, 0.7, 1.1, 0.9, 1.3, 0.8]
    x = np.array(x) if program is filled_array else x
    on, off = (grad(program, optimise={"ownership": flag}) for flag in (True, False))
    np.testing.assert_allclose(on(x), off(x))
    assert on.source_for(x).count(".copy()") == copies
    assert off.source_for(x).count(".copy()") > copies


def relax(u, k, a):
    before = u[k - 1] if k else 0.3
    u[k] = a * before + 0.3 * np.sin(u[k] + before)
    u[k] += 0.1 * np.cos(before * u[k])


def relaxed(x, a):
    u = list(x)
    for k in range(len(u)):
        relax(u, k, a)
    return sum(v * w for v, w in zip(u, x))


def test_a_list_is_copied_in_front_of_a_loop_whose_calls_change_it():
    x = [0.5, 0.7, 1.1, 0.9, 1.3, 0.8]
    kept = {"inlining": False}
    on, off = (
        grad(relaxed, optimise=kept | {"ownership": flag}) for flag in (True, False)
    )
    np.testing.assert_allclose(on(x, 0.7), off(x, 0.7))
    np.testing.assert_allclose(on(x, 0.7), grad(relaxed)(x, 0.7))
    text = on.source_for(x, 0.7)
    start, end = text.index("def relax_forward"), text.index("def relax_reverse")
    assert ".copy()" not in text[start:end]
    assert ".copy()" in text[: text.index("for k in")]


def test_what_the_caller_reads_later_is_as_it_was():
    def program(x):
        out = np.array(x)
        before = np.sum(out * out)
        view = out[1:]
        fill(out, 0, len(x), x)
        return before * np.sum(view * view)

    x = np.array([0.5, 0.7, 1.1, 0.9])
    given = x.copy()
    found = grad(program)(x)
    np.testing.assert_array_equal(x, given)
    for k, step in enumerate(1e-6 * np.eye(4)):
        slope = (program(x + step) - program(x - step)) / 2e-6
        assert found[k] == pytest.approx(slope, rel=1e-5)
