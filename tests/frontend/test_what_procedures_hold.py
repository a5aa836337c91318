"""What procedures are given and give beside numbers and arrays: functions that hold
values, deques, iterators. With calls kept and written out."""

import pytest

from s2sad import compiler
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "functions that hold others": """
        import functools
        def f(a, b):
            return a * a * b
        def g(a, b):
            return a + b * b * b
        def twice(h, x):
            return h(h(x))
        def repeated(h, x, n):
            return h(x) if n == 0 else repeated(h, h(x), n - 1)
        class Scale:
            def __init__(self, a): self.a = a
            def up(self, x): return self.a * x
            def down(self, x): return x / (2.0 + self.a * self.a)
        def program(x, y, k):
            with_x = functools.partial(f, 0.3 * x), functools.partial(f, b=0.3 * x)
            t = twice(with_x[0], y) + twice(with_x[1], 0.5 * y)
            t = t + twice(functools.partial(g, x), y) + twice(Scale(x).up, y)
            t = t + twice(Scale(y).down, x) + twice(functools.partial(with_x[0]), x)
            t = t + repeated(with_x[0], 0.1, 2) + repeated(with_x[1], 0.1, 2)
            return t + repeated(functools.partial(g, x), 0.1, 1)
    """,
    "deques with a maxlen, defaultdicts": """
        from collections import defaultdict, deque
        def push(d, x):
            d.append(x * x)
            return sum(d) / len(d)
        def fill(d, x, n):
            if n > 0:
                d.append(x * n)
                fill(d, 0.5 * x, n - 1)
        def count(d, key, x, n):
            d[key] += x * n
            if n > 0:
                count(d, key, x, n - 1)
        def program(x, v, k):
            d = deque([x], maxlen=3)
            t = 0.0
            for e in v:
                t += push(d, e * x) ** 2
            fill(d, x, 3)
            c = defaultdict(float)
            count(c, "a", x, 2)
            count(c, "b", t, 1)
            return t * sum(d) + c["a"] * c["b"]
    """,
    "deep copies of what others hold": """
        import copy
        def longer(rows, x):
            own = copy.deepcopy(rows)
            own[0].append(x * len(rows[0]))
            return own
        def program(x, y):
            rows = [[x], [y]]
            a = longer(rows, y)
            b = longer(a, x * y)
            rows[0][0] = x * x
            return sum(rows[0]) * sum(a[0]) * sum(b[0]) + len(rows[0])
    """,
}


@pytest.fixture(params=["kept", "budget"])
def calls(request, monkeypatch):
    monkeypatch.setattr(compiler, "calls_of", lambda *_: request.param)


@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name], range(3))
