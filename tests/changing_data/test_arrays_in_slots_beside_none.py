"""Arrays that are written into and stand in objects which are kept, where None stands
at first."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

CLASSES = """
        class P:
            def __init__(self, pos):
                self.pos, self.f = pos, None
        class Spring:
            def __init__(self, a, b):
                self.a, self.b = a, b
            def pull(self):
                d = self.b.pos - self.a.pos
                self.a.f += d
                self.b.f -= d
"""
PROGRAMS = {
    "forces of springs": """
        def program(x, v, k):
            ps = {(i, j): P(v * x + i - j) for i in range(k + 2) for j in range(2)}
            springs = []
            for (i, j), p in ps.items():
                q = ps.get((i + 1, j))
                if q is not None:
                    springs.append(Spring(p, q))
            for p in ps.values():
                p.f = x * p.pos
            for s in springs:
                s.pull()
            return sum(np.sum(p.f ** 2) for p in ps.values())
    """,
    "a name that is bound by two loops": """
        def program(x, v, k):
            ps = {}
            for i in range(k + 2):
                p = v * i
                ps[i] = P(p)
            for p in ps.values():
                p.f = p.pos * x
            for i in range(k + 5):
                ps[i % 2].f *= v
                ps[i % 2].f[0] += x * ps[(i + 1) % 2].f[1]
            return sum(np.sum(p.f ** 2) for p in ps.values())
    """,
    "None again, and told apart": """
        def size(f):
            return 0.0 if f is None else np.sum(f ** 2)
        def program(x, v, k):
            ps = [P(v * (i + x)) for i in range(k + 3)]
            total = 0.0
            for n in range(3):
                for p in ps:
                    if p.f is None:
                        p.f = v * x
                    p.f += n * p.pos
                for i in range(0, k + 3, 2):
                    total += np.sum(ps[i].f ** 2)
                    ps[i].f = None
            for p in ps:
                f = p.f if p.f is not None else v
                total += f[1] * x
            return total + sum(size(p.f) for p in ps)
    """,
    "other names of the arrays": """
        def program(x, v, k):
            y = v * x
            ps = [P(v * (i + x)) for i in range(k + 3)]
            for i in range(k + 3):
                ps[i].f = y if i > 1 else ps[i].pos
            for p in ps:
                p.f += x
            f = ps[1].f
            f[0] = y[1] * x
            return np.sum(y ** 2) + sum(np.sum(p.pos ** 2) for p in ps)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_arrays_that_were_none(name):
    assert_differentiated(CLASSES + PROGRAMS[name], seeds=range(3))


class P:
    def __init__(self, f):
        self.f = f


def added(ps, x):
    for p in ps:
        p.f += x
    return sum(np.sum(p.f**2) for p in ps)


def test_none_raises_what_python_raises():
    x = np.array([0.3, 0.7])
    ps = [P(x * k) for k in range(3)]
    np.testing.assert_allclose(grad(added, wrt="x")(ps, x), 12.0 * x)
    ps[1].f = None
    with pytest.raises(TypeError):
        grad(added, wrt="x")(ps, x)
