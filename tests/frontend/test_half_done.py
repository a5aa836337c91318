"""Handlers that go on with what the body of the try had done when something raised."""

from __future__ import annotations

import math
import textwrap

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import IMPORTS, assert_differentiated

PROGRAMS = {
    "an explicit raise": """
        def program(x, v, k):
            total = x
            try:
                total = total * 2.0
                if v[0] > -100.0:
                    raise ValueError("no")
                total = total + 1.0
            except ValueError:
                total = total * x
            return total
    """,
    "a root that may fail, in a loop": """
        def program(x, v, k):
            total = x
            for a in v:
                try:
                    total = total * 2.0
                    y = math.sqrt(a)
                    total = total + y
                except ValueError:
                    total = total * x
            return total
    """,
    "a list that grows": """
        def program(x, v, k):
            out = []
            for a in v:
                try:
                    out.append(a)
                    y = math.sqrt(a)
                    out.append(y * x)
                except ValueError:
                    out.append(x)
            return sum(out)
    """,
    "a dict, and the exception has a name": """
        def program(x, v, k):
            b = {"a": x, "b": 2 * x}
            for a in v:
                try:
                    b["a"] -= a
                    if a < 0.2:
                        raise ValueError("low")
                    b["b"] += a * a
                except ValueError as e:
                    b["a"] += 0.5 * a
            return b["a"] * b["b"]
    """,
    "stores into an array": """
        def program(x, v, k):
            w = v * x
            try:
                w[0] = x
                w[1] = math.sqrt(-abs(x))
                w[2] = 3 * x
            except ValueError:
                pass
            return np.sum(w * v)
    """,
    "extend of a generator that raises": """
        def program(x, v, k):
            out = [x]
            try:
                out.extend(math.sqrt(a) * x for a in v)
            except ValueError:
                out.append(2 * x)
            return sum(out)
    """,
    "tries in tries": """
        def program(x, v, k):
            t, s = x, 0.0
            for a in v:
                try:
                    t = t * a
                    try:
                        s = s + t
                        s = s + math.sqrt(a)
                        t = t + math.log(a + 1.0)
                    except ValueError:
                        t = t + s
                        raise KeyError("x")
                    s = s + math.sqrt(0.5 - a)
                except KeyError:
                    s = s * 2.0 + t
                except ValueError as e:
                    t = t - s
            return t * s
    """,
    "loops, break, continue and else": """
        def program(x, v, k):
            t = x
            for a in v:
                try:
                    for b in v:
                        t = t + b * x
                        if b > 0.3:
                            break
                        if b < -1.0:
                            continue
                        t = t * math.sqrt(b + 0.5)
                    else:
                        t = t * 1.5
                    t = t + math.sqrt(a)
                except ValueError:
                    t = t * 0.5 + x * x
            return t
    """,
    "a while that returns inside a try": """
        def program(x, v, k):
            def inner(t):
                n = 0
                while n < 4:
                    try:
                        t = t * 1.5
                        n += 1
                        if t > 1.0:
                            return t * x
                        t = t + math.sqrt(v[n])
                        t = t - 0.1
                    except (ValueError, IndexError):
                        t = t - x
                return t
            return inner(x) + inner(2 * x)
    """,
    "under errstate, with a finally": """
        def program(x, v, k):
            t = x
            try:
                t = t * 2.0
                with np.errstate(all="ignore"):
                    t = t * x
                    t = t + math.sqrt(v[0])
                t = t + math.sqrt(v[1])
            except ValueError:
                t = t + x
            finally:
                t = t * 3.0
            return t
    """,
    "an object's method raises": """
        class Acc:
            def __init__(self, b):
                self.b = b
                self.h = []

            def take(self, a):
                self.b = self.b - a
                self.h.append(self.b)
                if self.b < 0:
                    raise ValueError("empty")
                self.h[-1] = self.h[-1] * 2.0

        def program(x, v, k):
            acc = Acc(x)
            for a in v:
                try:
                    acc.take(a)
                except ValueError:
                    acc.b += 1.0 * x
            return acc.b + sum(acc.h)
    """,
    "raise again on a condition": """
        def program(x, v, k):
            t = x
            u = 0.0
            try:
                t = t * 2.0
                u = math.sqrt(v[0]) * t
                t = t + math.sqrt(v[1])
            except ValueError as error:
                if u > 100.0:
                    raise
                t = t + len(str(error))
            return t + u
    """,
    "a generator raises": """
        def gen(v, x):
            t = x
            for a in v:
                t = t * a
                yield t
                if a < 0:
                    raise ValueError("neg")

        def program(x, v, k):
            s = 0.0
            try:
                for q in gen(v, x):
                    s += q
                    s *= 1.1
            except ValueError:
                s = s + x
            return s
    """,
    "aliases": """
        def program(x, v, k):
            w = v.copy()
            u = w
            try:
                w[0] = x
                w = w * 2.0
                w[1] = math.sqrt(v[1]) * x
                w = w * x
                w[2] = math.sqrt(v[0])
            except ValueError:
                u[1] = x * x
            return np.sum(u * w)
    """,
    "stores that raise": """
        def program(x, v, k):
            w = v * x
            try:
                w[[0, 5]] = x
            except IndexError:
                w[1] *= x
            try:
                np.add.at(w, [0, 7], x)
            except IndexError:
                w[1] *= x
            try:
                w[:] = [x, x]
            except ValueError:
                w[2] *= x
            return np.sum(w * w)
    """,
    "two handlers, and one that raises": """
        def program(x, v, k):
            s = x
            for a in v:
                try:
                    try:
                        s = s * a
                        t = math.sqrt(a)
                        s = s + t
                        t = 1.0 / (k - 1)
                        s = s * t
                    except ZeroDivisionError as error:
                        s = s - x
                        raise OverflowError from error
                    except ValueError:
                        s = s + 2 * x
                except OverflowError:
                    s = s * 0.5
            return s
    """,
    "a bare raise to the handler around": """
        def program(x, v, k):
            s = x
            for a in v:
                try:
                    try:
                        s = s * a
                        s = s + math.sqrt(a)
                    except ValueError:
                        s = s - x
                        if s > 0.0:
                            raise
                        s = s * 3.0
                except ValueError as error:
                    s = s * 0.5 + len(str(error))
            return s
    """,
    "a branch raises in the middle of a loop": """
        def program(x, v, k):
            s, c = x, 0.0
            try:
                for a in v:
                    s = s + a * x
                    if a < -0.4:
                        c = s
                        raise ValueError
                    s = s * 1.1
                s = s * s
            except ValueError:
                s = s * c + x
            return s
    """,
    "a handler in a function that is called": """
        def guarded(s, a):
            try:
                s = s * 2.0
                s = s + math.log(a)
            except ValueError:
                return s * a
            return s
        def program(x, v, k):
            s = x
            for a in v:
                s = guarded(s, a) * x
            return s
    """,
    "a handler in a recursion": """
        def descend(s, a, n):
            if n == 0:
                return s
            try:
                s = s * 1.5
                s = s + math.sqrt(a - 0.2 * n)
            except ValueError:
                s = s - a
            return descend(s, a, n - 1)
        def program(x, v, k):
            return descend(x, x * x + v[0], 3)
    """,
    "slices and masks": """
        def program(x, v, k):
            w = v * x
            try:
                w[1:] *= 2.0
                w[v > 0] = x
                w[:2] = np.array([x, x, x])[:2 + k]
                w[::2] += x * x
            except ValueError:
                w[0] *= w[1]
            return np.sum(w * w)
    """,
    "while loops with a test that fails": """
        def program(x, v, k):
            n, s = 0, x
            try:
                while True:
                    s = s * 1.2 + v[n] * x
                    n += 1
            except IndexError:
                s = s * s
            return s
    """,
    "a handler that breaks, and one that continues": """
        def program(x, v, k):
            s = x
            for a in v:
                try:
                    s = s + a * x
                    s = s * math.sqrt(a + 0.3)
                    s = s / (k - 2)
                except ValueError:
                    s = s * 2.0
                    continue
                except ZeroDivisionError:
                    s = s * 3.0
                    break
                s = s - 0.1 * x
            else:
                s = s * s
            return s
    """,
    "the condition of a while raises": """
        def program(x, v):
            s, n = x, 0
            try:
                while math.sqrt(v[n] + 0.5) < 1.2:
                    s = s * x
                    n += 1
                    if n == 2:
                        break
                s = s + math.sqrt(v[2] + 0.3)
            except ValueError:
                s = s + x
            return s
    """,
    "a list is shorter when something raises": """
        def program(x, v):
            path = [x * e for e in v]
            try:
                while len(path) > 2:
                    path.pop(0)
                q = math.sqrt(path[0] - 0.5)
            except ValueError:
                return np.dot(v, v) * x
            return x + path[1] + path[-1] + q
    """,
    "one raise, with a finally before the handler": """
        def program(x, v):
            try:
                try:
                    x = x * 1.5
                    if x > -0.5:
                        raise ValueError
                    x = x + 1
                finally:
                    x = x * 2.0
            except ValueError:
                x = x * x + v[0]
            return x
    """,
    "nothing in the body raises": """
        def program(x, v):
            try:
                pass
            except ValueError:
                v[1] = 0.5
            return x * v[1]
    """,
    "a handler reads what the body changed": """
        def program(x):
            try:
                y = math.log(x + 1.0)
                x = x * 2.0
                y = math.log(x) * y
            except ValueError:
                y = x
            return y
    """,
    "overwritten twice in a loop": """
        def program(x, v):
            y = 0.0
            for a in v:
                try:
                    y = math.sqrt(a) * x
                    y = y * math.sqrt(a - 0.3)
                except ValueError:
                    x = x * a
            return x * y
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text, range(6))


def emitted(text: str) -> str:
    from tests.fuzz.checking import draw_arguments, load

    module = IMPORTS + textwrap.dedent(text)
    program = load(module)["program"]
    return grad(program).source_for(*draw_arguments(module, 0)[1])


def test_a_raise_that_is_caught_here_is_a_jump():
    text = emitted(PROGRAMS["an explicit raise"])
    assert "try" not in text.replace("# try:", "") and "raise" not in text


def test_what_can_not_raise_what_is_caught_is_no_part():
    text = emitted(PROGRAMS["stores into an array"])
    assert text.count("    try:") == 1


def fill(w, n, x):
    if n < 0:
        raise ValueError("end")
    w[n] = x * (n + 1)
    if n > -5:
        fill(w, n - 1, x)


def grow(items, n, x):
    items.append(x * n)
    if n == 0:
        raise ValueError("end")
    if n > -3:
        grow(items, n - 1, x * 1.1)


def array_of_a_recursion(x, n):
    w = np.ones(3) * x
    try:
        fill(w, n, x)
    except ValueError:
        w[1] *= x
    return np.sum(w * w)


def list_of_a_recursion(x, n):
    items = [x]
    try:
        grow(items, n, x)
    except ValueError:
        items.append(x)
    return sum(items)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [array_of_a_recursion, list_of_a_recursion])
def test_what_a_recursion_changed_before_it_raised_is_known(function):
    value, slope = value_and_grad(function)(2.0, 2)
    assert value == function(2.0, 2)
    low, high = function(2.0 - 1e-6, 2), function(2.0 + 1e-6, 2)
    assert slope == pytest.approx((high - low) / 2e-6, rel=1e-7)


def test_a_recursion_that_does_not_raise():
    value, slope = value_and_grad(list_of_a_recursion)(2.0, -1)
    assert value == list_of_a_recursion(2.0, -1)
    low, high = list_of_a_recursion(2.0 - 1e-6, -1), list_of_a_recursion(2.0 + 1e-6, -1)
    assert slope == pytest.approx((high - low) / 2e-6, rel=1e-7)


def divided(x, v):
    w = v * x
    with np.errstate(all="raise"):
        try:
            w /= v - 1.0
        except FloatingPointError:
            w *= 2.0
    return np.sum(w * w)


def test_arithmetic_in_place_that_raises_under_errstate_is_not_guessed():
    v = np.array([2.0, 3.0])
    low, high = divided(2.0 - 1e-6, v), divided(2.0 + 1e-6, v)
    assert grad(divided)(2.0, v) == pytest.approx((high - low) / 2e-6, rel=1e-7)
    with pytest.raises(RuntimeError, match="arithmetic that writes into an array"):
        grad(divided)(2.0, np.array([1.0, 2.0]))


class Noting:
    """A manager of the user's that asks for the exception."""

    notes: list

    def __init__(self):
        self.notes = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.notes.append(exception[0])


NOTING = Noting()


def test_a_manager_that_sees_the_exception_is_refused():
    def program(x):
        y = x
        try:
            with NOTING:
                y = y * 2.0
                y = y + math.sqrt(x)
        except ValueError:
            y = y * x
        return y

    with pytest.raises(UnsupportedError, match="asks for the exception"):
        grad(program)(2.0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lines", [12, 40])
def test_long_bodies_are_taken_apart_or_refused(lines):
    """Each line is a part, in the else of the one before."""
    line = "        s = s * 1.01 + math.sqrt(v[{}] + 1.5)\n"
    start = "def program(x, v):\n    s = x\n    try:\n"
    end = "    except ValueError:\n        s = s + x\n    return s\n"
    text = IMPORTS + start + "".join(line.format(k % 3) for k in range(lines)) + end
    from tests.fuzz.checking import check_one

    verdict = check_one(text, 0, "vjp").verdict
    assert verdict == ("differentiated" if lines == 12 else "refused")
