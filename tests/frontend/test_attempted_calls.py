"""Calls in try statements of functions that raise when they have changed what others
hold: with calls kept and written out."""

import math

import numpy as np
import pytest

from s2sad import compiler, value_and_grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a list grows": """
        def push(log, x):
            log.append(x * x)
            log.append(math.sqrt(x))
            log.append(x)
        def program(x, y):
            log = [y]
            try:
                push(log, x)
                push(log, y)
            except ValueError:
                log.append(2.0 * x)
            t = 0.0
            for a in log:
                t = t * 0.5 + a * a
            return t + len(log) * x
    """,
    "an object, in a loop": """
        class Acc:
            def __init__(self): self.x = 0.0; self.n = 0
            def add(self, y):
                self.x += y
                if y < -0.2:
                    raise ValueError("neg")
                self.x *= 1.5
                self.n += 1
                return self.x
        def program(v, x):
            a = Acc()
            t = 0.0
            for c in v:
                try:
                    t += a.add(c * x) * x
                except ValueError as e:
                    t += a.x + len(str(e))
            return t * a.x + a.n
    """,
    "a recursion that catches": """
        def walk(x, n, log):
            log.append(x * n)
            if n <= 0:
                if x < 0:
                    raise KeyError("a")
                return x * x
            try:
                r = walk(0.9 * x, n - 1, log)
                r += walk(-0.8 * x, n - 2, log)
            except KeyError:
                r = sum(log) * x
                if n == 2:
                    raise
            return r * x
        def program(x, y, k):
            log = [y]
            t = 1.0
            try:
                t = walk(x, abs(k) % 5, log)
            except KeyError:
                t = t + log[-1] * 2.0
            return t + sum(log) * log[0]
    """,
    "another exception is raised": """
        def push(log, x):
            log.append(x * x)
            log.append(math.sqrt(x))
        def outer(log, x):
            try:
                push(log, x)
            except ValueError:
                raise KeyError("bad")
            log.append(7.0 * x)
        def program(x, y):
            log = [y]
            try:
                outer(log, x)
            except KeyError:
                log.append(2.0 * x)
            try:
                try:
                    push(log, y)
                except ValueError as e:
                    raise KeyError("z") from e
            except KeyError:
                log[0] = log[0] * log[-1]
            t = 0.0
            for a in log:
                t = t * 0.5 + a * a
            return t + len(log) * x
    """,
    "suppressed": """
        from contextlib import suppress
        def push(log, x, w):
            log.append(x * x)
            w *= x
            log.append(math.sqrt(x))
            w += 1.0
            return x * 3.0
        def program(x, y, v):
            log = [y]
            w = v * 2.0
            t = 1.0
            with suppress(ValueError):
                t = push(log, x, w) * t
                t = t * push(log, y, w)
            return t + sum(log) * np.sum(w) * w[0]
    """,
    "a variable of the function around, and a finally block": """
        def program(x, y):
            total = x
            count = 0
            def step(a):
                nonlocal total, count
                total = total * a
                count += 1
                if a > 0.8:
                    raise ValueError
                total += math.log(a)
                return (a, total) if a > 0.1 else None
            t = 0.0
            for a in (x, y, 0.5 * x, 1.1):
                try:
                    r = step(a)
                    if r is not None:
                        t += r[0] * r[1]
                except ValueError:
                    t += total
                else:
                    t *= 1.1
                finally:
                    t += total * 0.1
            return t * total + count
    """,
    "a recursion that changes an array and a list": """
        def walk(w, x, n, log):
            w[n % 3] = w[n % 3] * x + 1.0
            log.append(x * n)
            if n <= 0:
                return math.sqrt(x)
            r = walk(w, 0.9 * x, n - 1, log)
            log.append(r)
            return r * x

        def program(v, x, k):
            w = np.array(v) * 1.0
            log = [x]
            try:
                t = walk(w, x, abs(k) % 4, log)
            except ValueError:
                t = log[-1] * 2.0
            return t + np.sum(w * w) * sum(log)
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


class Body:
    def __init__(self, q, p):
        self.q = q
        self.path = [p, q * p]

    def push(self, e):
        self.path[0] *= e
        self.q += math.log(e) * self.path[-1]
        return self.q


def pushed(x, v, k):
    bodies = [Body(e, x) for e in v]
    y = 1.0
    try:
        y = bodies[k % 3].push(x)
        y *= bodies[0].push(x - 0.3)
    except ValueError:
        y = y * x
    return y * sum(b.q * b.path[0] for b in bodies)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("x", [0.7, 0.2, -0.3])
def test_a_handler_reads_what_a_name_held_before_the_call_that_raised(x):
    v = np.array([0.3, 0.4, 0.5])
    kept = {"inlining": False}
    value, gradient = value_and_grad(pushed, optimise=kept)(x, v, 4)
    assert np.isclose(value, pushed(x, v, 4))
    expected = (pushed(x + 1e-6, v, 4) - pushed(x - 1e-6, v, 4)) / 2e-6
    assert np.isclose(gradient, expected, rtol=1e-5)
