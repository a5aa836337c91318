"""Results of procedures that some paths alone give, and what procedures take with
them: with calls kept and written out."""

import pytest

from s2sad import compiler
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a structure or None": """
        def f(x, n):
            if n <= 0:
                return None
            r = f(0.9 * x, n - 1)
            if r is None:
                return (x, x * x)
            return (r[0] + x, r[1] * x)
        def program(x, y, k):
            a = f(x, abs(k))
            b = f(x * y, 0)
            t = x * y
            if a is not None:
                t += a[0] * a[1]
            if b is not None:
                t += b[0]
            return t
    """,
    "None handed on": """
        def root(v, lo, hi, x):
            if hi - lo < 1:
                return None
            mid = (lo + hi) // 2
            if v[mid] * x > 0:
                return (v[mid] * x, v * v[mid])
            left = root(v, lo, mid, x)
            if left is not None:
                return left
            return root(v, mid + 1, hi, x)
        def program(v, x):
            a = root(v, 0, len(v), x)
            if a is None:
                return x * x
            return a[0] * np.sum(a[1]) * x
    """,
    "an item of a tuple may be None": """
        def f(x, n):
            if n <= 0:
                return 0.0, None
            a, b = f(0.9 * x, n - 1)
            return a + x, (x * x, a)
        def program(x, y, k):
            a, b = f(x, abs(k))
            return a * y + (b[0] * b[1] if b is not None else 0.0)
    """,
    "arrays that are there on some paths": """
        def find(v, t):
            best = None
            for i, a in enumerate(v):
                if a > t and (best is None or a < best[1]):
                    best = (v * a, a)
            return best
        def hit(v, x):
            if x < 0:
                return None
            return (v * x, x * x)
        def program(v, x):
            b = find(v, x)
            c = hit(v, x)
            d = hit(v*v, x*x)
            e = hit(v, 0.3 - x)
            if b is None:
                return x
            w, a = b
            if c is None:
                return np.sum(w) * x
            more = e[1] + np.sum(e[0]) if e is not None else 0.0
            return np.sum(w) * x * np.sum(c[0]) * c[1] * a + np.sum(d[0]) + more
    """,
    "an object that changes, or None": """
        class A:
            def __init__(self, x): self.x = x
            def grow(self, y): self.x += y
        def made(x):
            if x > 0.3:
                a = A(x)
                a.grow(x * x)
                return a
            return None
        def program(x, y):
            a = made(x)
            b = made(y)
            t = x * y
            if a is not None:
                a.grow(y)
                t += a.x
            if b is not None:
                b.grow(t)
                t += b.x * x
            return t
    """,
    "lists of unknown length, or None": """
        def made(x, n):
            if x > 0.3:
                a = [x]
                for i in range(n):
                    a.append(x * x)
                return a, n
            return None
        def program(x, y, k):
            a = made(x, abs(k))
            b = made(y, 2)
            t = x * y
            if a is not None:
                a[0].append(y)
                t += sum(a[0])
            if b is not None:
                b[0].append(t)
                t += b[0][0] * b[0][2]
            return t
    """,
    "one of two functions that were made": """
        def made(x, n):
            def up(y):
                return y * x
            def down(y):
                return y - x
            if x > 0.3:
                return up
            return down
        def program(x, y, k):
            return made(x, 1)(y) + made(y, k)(x)
    """,
    "bound methods of what was made": """
        class A:
            def __init__(self, x): self.x = x
            def up(self, y): return self.x * y
            def down(self, y): return self.x - y
        def made(x, k):
            z = A(x * x)
            if x > 0.3:
                return z.up
            return z.down
        def program(x, y, k):
            return made(x, abs(k))(y) + made(y, 0)(x)
    """,
    "a function that takes part in another's making is given up": """
        def program(x, y, k):
            count = 0.0
            def b(x, n):
                return c(0.9 * x, n - 1) * x if n > 0 else x * x
            def c(x, n):
                nonlocal count
                r = b(0.5 * x, n - 1)
                count += x
                return r
            return c(x, abs(k) + 2) * y + count
    """,
    "items of lists of unknown length": """
        class Acc:
            def __init__(self, b):
                self.b = b; self.log = []
            def add(self, e, n):
                self.b += e
                i = n * 2
                self.log.append(self.b * i)
                if n > 0:
                    self.add(e * 0.5, n - 1)
        def program(x, v, k):
            accs = []
            for e in v:
                accs.append(Acc(e * x))
            for i in range(k + 2):
                accs[i % 3].add(x, 2)
            j = abs(k) % 3
            accs[j].add(x * x, 1)
            return sum(a.b * sum(a.log) for a in accs)
    """,
}


@pytest.fixture(params=["kept", "budget"])
def calls(request, monkeypatch):
    monkeypatch.setattr(compiler, "calls_of", lambda *_: request.param)


@pytest.mark.sampled(6)
@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name], range(3))
