"""Every way to bind a name: starred and nested targets, chains, augmented assignment,
assignment expressions, del, imports."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "augmented by a member of an IntEnum": """
        from enum import IntEnum

        class Charge(IntEnum):
            SODIUM = 1
            CALCIUM = 2

        def program(x, y):
            total = x * y
            total *= Charge.CALCIUM
            total -= Charge.SODIUM
            return total * x
    """,
    "augmented by an object": """
        class Scale:
            def __init__(self, factor):
                self.factor = factor

            def __rmul__(self, other):
                return other * self.factor

        def program(x, y):
            total = x * x
            total *= Scale(y)
            return total * x
    """,
    "starred": """
        def program(x, y):
            first, *rest, last = x, x * y, y * y, 2.0 * x
            a, b = rest
            return first * a + b * last
    """,
    "starred that takes nothing": """
        def program(x, y):
            first, *rest = (x * y,)
            return first * first + len(rest)
    """,
    "starred in front": """
        def program(x, y):
            *front, last = [x, y, x * y]
            total = 0.0
            for item in front:
                total = total + item * last
            return total
    """,
    "starred array": """
        def program(v, y):
            first, *rest = v
            *_, last = v
            return first * rest[0] * rest[-1] * y + last * len(rest)
    """,
    "nested": """
        def program(x, y):
            (a, b), c = (x * y, y), x
            [d, (e, f)] = a, (b, c)
            return d * e + f * a
    """,
    "nested and starred": """
        def program(x, y):
            (a, *b), *c = (x, y, x * y), (y, x), x
            return a * b[0] * b[1] + c[0][0] * c[1]
    """,
    "unpacking a dict gives its keys": """
        def program(x, y):
            parts = {"w": x, "b": y}
            first, second = parts
            return parts[first] * parts[first] * parts[second]
    """,
    "unpacking an array": """
        def program(v):
            a, b, c = v
            a, b, c = b, c, a * b
            return a * b + c
    """,
    "unpacking rows": """
        def program(m):
            first, second = m
            (a, b, c), d = first, second
            return a * b * c + np.sum(d * d) * a
    """,
    "unpacking a string": """
        def program(x, y):
            a, b = "xy"
            parts = {"x": x, "y": y}
            return parts[a] * parts[b] * parts[b]
    """,
    "chain": """
        def program(x, y):
            a = b = x * y
            a = a * b
            return a * b
    """,
    "chain of structures": """
        def program(x, y):
            a = (x, y)
            a = b = (a[1], a[0] * a[1])
            c = d, e = b
            return a[0] * b[1] + c[0] * d * e
    """,
    "chain of swapped targets": """
        def program(x, y):
            a, b = b, a = x * y, y
            return a * a * b
    """,
    "swap in a loop": """
        def program(x, y, k):
            for i in range(k):
                x, y = y, x * y
            return x * y
    """,
    "rotation through structures": """
        def program(x, y, k):
            state = (x, y)
            for i in range(k):
                a, b = state
                state = (b, a * 0.5 + b * b * 0.1)
            return state[0] * state[1]
    """,
    "augmented numbers": """
        def program(x, y, k):
            x += y
            x -= 2 * y
            x *= y * x
            x /= 3
            x **= 2
            k += 3
            k //= 2
            k <<= 1
            k %= 5
            k |= 4
            k &= 6
            k ^= 1
            k >>= 1
            return x * k
    """,
    "augmented tuple and string": """
        def program(x, y):
            values = (x,)
            values += (y, x * y)
            values *= 2
            key = "a"
            key += "b"
            return {"ab": values[1] * values[5]}[key]
    """,
    "annotated": """
        def program(x, y):
            a: float
            b: float = x * y
            a = b * b
            return a
    """,
    "assignment expression": """
        def program(x, y):
            return (z := x * y) * z + (z := z * x) * z
    """,
    "assignment expression after a read": """
        def program(x, y):
            z = x
            return z * (z := y * y) * z
    """,
    "assignment expression of its own name": """
        def program(x, y):
            return x * (x := x * y) * x
    """,
    "assignment expression in an item": """
        def program(x, y):
            pair = (x, (x := y * y), x)
            return pair[0] * pair[1] * pair[2] * x
    """,
    "assignment expression of a structure": """
        def program(x, y):
            first = (pair := (x, x * y))[0]
            return first * pair[1]
    """,
    "assignment expression in a branch": """
        def program(x, y):
            if (z := x * y) > 0.0:
                return z * z
            return z * x
    """,
    "assignment expression that may not be reached": """
        def program(x, y):
            z = y
            if x > 0.0 and (z := x * x * y) > 0.0:
                return z * y
            return z * x
    """,
    "assignment expression in a while test": """
        def program(x, y):
            n = 0
            while (z := x * x + y * y) < 5.0 and n < 4:
                x = x + 0.5 * z
                n += 1
            return x * z
    """,
    "del": """
        def program(x, y):
            z = x * y
            w = z
            del z
            z = w * w
            del w, x
            return z * y
    """,
    "del in a branch": """
        def program(x, y):
            z = x * y
            if x > 0.0:
                y = y * z
                del z
            return y * x
    """,
    "del in a loop": """
        def program(x, y, k):
            for i in range(k):
                t = x * y
                x = t + 0.1
                del t
            return x
    """,
    "global that is read": """
        scale = 3.0

        def program(x):
            global scale
            return scale * x * x
    """,
    "constants as statements": """
        def program(x):
            "text"
            ...
            1
            pass
            return x * x
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_forms(text):
    assert_differentiated(text)


def importing(x):
    import math as m

    import numpy.linalg
    from numpy import linalg
    from numpy import sin as sine

    return m.cos(x) * sine(x) + numpy.linalg.norm(x) * linalg.norm(x)


def test_imports_inside_a_function():
    want = np.cos(1.0) ** 2 - np.sin(1.0) ** 2 + 2.0
    assert grad(importing)(1.0) == pytest.approx(want)
    text = grad(importing).source_for(1.0)
    assert "math.cos(x)" in text and "np.linalg.norm(x)" in text


def unpacked(x):
    a, b = x
    return a * b


def test_an_array_of_another_length_raises():
    derivative = grad(unpacked)
    assert derivative(np.array([2.0, 3.0])).tolist() == [3.0, 2.0]
    for length in (1, 3):
        with pytest.raises(ValueError):
            unpacked(np.ones(length))
        with pytest.raises(ValueError, match="values to unpack"):
            derivative(np.ones(length))


def too_few(x):
    a, b, *c = (x,)
    return a


def read_after_del(x):
    y = x
    del y
    return y  # noqa: F821


def deleted_on_one_path(x):
    y = x
    if x > 0.0:
        del y
    return y


def deleted_twice(x):
    y = x
    del y
    del y  # noqa: F821
    return x


def unknown_module(x):
    import not_there

    return not_there.f(x)


def unknown_member(x):
    from math import not_there

    return not_there(x)


counter = 0


def global_written(x):
    global counter
    counter = counter + 1
    return x


REFUSED = [
    (too_few, 1.0, "1 values are unpacked into 2 names or more"),
    (read_after_del, 1.0, "'y' is read after it was deleted"),
    (deleted_on_one_path, 1.0, "'y' is read after it was deleted"),
    (deleted_twice, 1.0, "'y' is read after it was deleted"),
    (unknown_module, 1.0, "the module not_there can't be imported"),
    (unknown_member, 1.0, "there is no 'not_there' in math"),
    (global_written, 1.0, "'counter' is a global variable"),
]


@pytest.mark.parametrize(
    ("function", "argument", "reason"), REFUSED, ids=[f.__name__ for f, *_ in REFUSED]
)
def test_refused(function, argument, reason):
    with pytest.raises(UnsupportedError) as caught:
        grad(function)(argument)
    assert reason in str(caught.value)
