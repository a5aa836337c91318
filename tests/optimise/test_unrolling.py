"""Without unrolling, and beyond its budget, loops over items that the program itself
makes stay loops, if the items are alike."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, vjp
from s2sad.errors import UnsupportedError

LOOPS = {"unrolling": False}
AT = (1.3, 0.7, 0.9)


def differences(function, at=AT, step=1e-6):
    found = []
    for k in range(len(at)):
        sides = []
        for sign in (1.0, -1.0):
            moved = list(at)
            moved[k] += sign * step
            sides.append(function(*moved))
        found.append((sides[0] - sides[1]) / (2.0 * step))
    return found


@dataclass
class Spring:
    k: float
    rest: float


def numbers(a, b, x):
    total = 0.0
    for w in [a, b, a * b]:
        total = total * x + w * w
    return total


def with_places(a, b, x):
    total = 0.0
    for i, (w, c) in enumerate([(a, 1.0), (b, 0.5), (x, 2.0)]):
        total = total * x + w * w * c * i
    return total


def comprehension(a, b, x):
    xs = [a * k + x for k in range(3)]
    return sum(u * u for u in xs) + xs[0] * b


def appended(a, b, x):
    xs = []
    for u in (a, b, x):
        xs.append(u * u)
    xs[1] = xs[0] * 3.0
    total = 1.0
    for y in xs:
        total = total * y + x
    return total


def zipped(a, b, x):
    total = 0.0
    for u, v in zip([a, b, x], (x, 2.0 * x)):
        total += u * v * v
    for u in map(lambda q: q * q, [a, b, x]):
        total = total * u
    return total + functools.reduce(lambda p, q: p * q + 1.0, [a, b, x])


def left_early(a, b, x):
    total = 0.0
    for k in (1, 2, 3):
        for u in [a, x, b, 0.1]:
            if u < x:
                break
            total += u * k
        else:
            total = total * b
        total = total * x + k
    return total + u * k


def objects(a, b, x):
    springs = [Spring(a, x), Spring(b, 2.0), Spring(x, x)]
    total = 0.0
    for s in springs:
        total = total * s.k + s.rest
    for s in springs:
        s.k *= 2.0
    return total + sum(s.k**2 for s in springs)


def rows(a, b, x):
    table = [[a, b], [b, x], [x, a]]
    total = 0.0
    for row in table:
        for e in row:
            total = total * x + e * e
    return total


def arrays(a, b, x):
    h = np.ones(2)
    for w in [np.array([a, b]), np.array([b, x])]:
        h = np.tanh(w * h)
    return np.sum(h)


def entries(a, b, x):
    total = 0.0
    for name, w in {"p": a, "q": b}.items():
        total = total * x + (w if name == "p" else w * w)
    return total


def bound_anew(a, b, x):
    for w in [a, b, x]:
        a, b = a * w + b, a
    return a * b


def changed_meanwhile(a, b, x):
    xs = [a, b, x]
    total = 0.0
    for i, u in enumerate(xs):
        xs[2] = xs[2] + u * i
        total = total * 0.5 + u * u
    return total + xs[2]


def grown_meanwhile(a, b, x):
    xs = [a, b]
    for u in xs:
        if len(xs) < 5:
            xs.append(u * x)
    return sum(v * v for v in xs)


def one_list_twice(a, b, x):
    row, other = [a, b], [x, a]
    for r in [row, other, row]:
        r[0] = r[0] * x + r[1]
        r.append(x)
    return sum(row) * sum(other)


def mixed(a, b, x):
    total = 0.0
    for w in [2, a, 3.5, b * x]:
        total = total * w + x
    return total


def raising(a, b, x):
    total = 0.0
    for w in [a, 0.0, b]:
        try:
            total += x / w
        except ZeroDivisionError:
            total = total * x
    return total


def generated(a, b, x):
    def some():
        for w in (a, b, x):
            if w > 0.8:
                yield w * x

    return sum(v * v for v in some())


def pairs(a, b, x):
    total = 0.0
    for p, q in itertools.combinations([a, b, x], 2):
        total = total * p + q * q
    return total


def through_calls(a, b, x):
    def one(values, scale):
        total = 0.0
        for v in values:
            total = total * scale + v * v
        return total

    return one([a, b], x) + one([x, a * b], b)


PROGRAMS = [
    *(numbers, with_places, comprehension, appended, zipped, left_early, objects, rows),
    *(arrays, entries, bound_anew, changed_meanwhile, grown_meanwhile, one_list_twice),
    *(mixed, raising, generated, pairs, through_calls),
]
programs = pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)


@programs
def test_all_derivatives(function, monkeypatch):
    expected = differences(function)
    gradient = grad(function, (0, 1, 2), optimise=LOOPS)
    np.testing.assert_allclose(gradient(*AT), expected, rtol=1e-6, atol=1e-8)
    monkeypatch.setenv("S2SAD_NO_OPT", "unrolling")
    tangents = (0.3, -0.4, 1.0)
    value, tangent = jvp(function, AT, tangents)
    assert value == pytest.approx(function(*AT), rel=1e-14)  # sum() rounds better
    assert tangent == pytest.approx(np.dot(expected, tangents), rel=1e-6, abs=1e-8)
    value, pullback = vjp(function, *AT)
    for factor in (1.0, -2.0):
        scaled = factor * np.array(expected)
        np.testing.assert_allclose(pullback(factor), scaled, rtol=1e-6, atol=1e-8)


@programs
def test_second_derivatives(function):
    for k in range(3):
        product = hvp(function, k, optimise=LOOPS)(*AT, 1.0)

        def slope(z, k=k):
            return grad(function, k)(*AT[:k], z, *AT[k + 1 :])

        expected = differences(slope, (AT[k],))[0]
        assert product == pytest.approx(expected, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize(
    "function",
    [numbers, with_places, comprehension, appended, zipped, rows, arrays, entries],
    ids=lambda f: f.__name__,
)
def test_loops_stay_loops(function):
    text = grad(function, (0, 1, 2), optimise=LOOPS).source_for(*AT)
    assert "    for " in text.split('"""')[2]


def test_what_is_unlike_is_unrolled():
    def functions(x):
        for f in (math.sin, math.exp):
            x = f(x * x)
        return x

    def named(x):
        weights = {"p": x, "q": (x, x)}
        return sum(np.sum(weights[name]) for name in ("p", "q"))

    for function in (functions, named):
        plain = grad(function).source_for(0.5)
        assert grad(function, optimise=LOOPS).source_for(0.5) == plain


def test_where_a_body_needs_known_items_it_is_unrolled():
    def sums(x):
        total = 0.0
        for axis in (0, 1):
            total += np.sum(np.sum(x, axis=axis) ** 2)
        return total

    x = np.arange(6.0).reshape(2, 3)
    gradient = grad(sums, optimise=LOOPS)
    np.testing.assert_allclose(gradient(x), grad(sums)(x))
    assert " for " not in gradient.source_for(x).split('"""')[2].replace("# for", "")


def long_program(body, count, tmp_path):
    """A function of x and r whose ``{items}`` are so many."""
    items = ", ".join(f"x * {k}.5" for k in range(count))
    text = f"import math\n\n\ndef program(x, r):\n{body}".replace("{items}", items)
    path = tmp_path / f"program_{count}.py"
    path.write_text(text)
    namespace: dict = {}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace["program"]


BODIES = {
    "list": """
    total = 0.0
    for y in [{items}]:
        total = total * r + y * y
    return total
""",
    "enumerate": """
    total = 0.0
    for i, y in enumerate(({items})):
        total = total * r + y * i
    return total
""",
    "comprehension": """
    ys = [y * y for y in ({items})]
    return sum(ys) * r + ys[3]
""",
    "changed": """
    ys = [{items}]
    ys.append(x)
    total = 0.0
    for y in ys:
        total = total * r + y
    ys[3] = 2.0
    return total + ys[3] * ys[4]
""",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_beyond_the_budget_loops_stay_loops(body, tmp_path):
    function = long_program(body, 70, tmp_path)
    derivative = grad(function, (0, 1))
    expected = differences(function, (0.3, 0.9))
    np.testing.assert_allclose(derivative(0.3, 0.9), expected, rtol=1e-6)
    assert "    for " in derivative.source_for(0.3, 0.9).split('"""')[2]


def test_beyond_the_budget_what_is_unlike_is_refused(tmp_path):
    functions = ", ".join(["math.sin", "math.exp"] * 35)
    body = f"    for f in ({functions}):\n        x = f(x * r)\n    return x\n"
    with pytest.raises(UnsupportedError, match="a loop over 70 values of a tuple"):
        grad(long_program(body, 0, tmp_path))(0.5, 0.5)
