"""``match``: decided by kinds, or by tests when the program runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, vjp
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated
from tests.fuzz.checking import ALL_OFF
from tests.support.compiled import compiled
from tests.support.finite_differences import (
    assert_trees_close,
    central_difference_gradient,
)

PROGRAMS = {
    "numbers at run time": """
        def program(x, y, k):
            match k:
                case 0:
                    return x * y
                case 1 | 2:
                    z = x * x * y
                case _:
                    z = y * y
            return z * x
    """,
    "no case fits": """
        def program(x, y, k):
            z = x
            match k + 1:
                case 2:
                    z = x * y
                case 3:
                    z = y * y
            return z * z
    """,
    "strings": """
        def step(kind, x, y):
            match kind:
                case "linear":
                    return x * y
                case "square" | "quadratic":
                    return x * x * y
            return y

        def program(x, y):
            return step("linear", x, y) + step("quadratic", x, y) + step("?", x, y)
    """,
    "guards": """
        def program(x, y, k):
            match k:
                case 0 if x > 0.0:
                    z = x * y
                case n if n > 1 and y > 0.0:
                    z = x * x * n
                case 1 | 2 as m if x < 0.0:
                    z = x * y * y * m
                case n:
                    z = y * n + x * y
            return z * z
    """,
    "sequences": """
        def program(x, y):
            total = 0.0
            for item in ((x,), (x, y), [x, y, x * y], (), (y, x, x, y), 3):
                match item:
                    case ():
                        total = total + x
                    case [a]:
                        total = total + a * a
                    case (a, b):
                        total = total + a * b
                    case [first, *middle, last]:
                        total = total + first * last * middle[0] * len(middle)
                    case other:
                        total = total + other * y
            return total
    """,
    "nested": """
        def program(x, y):
            match (("scale", x), [y, x * y]):
                case (("shift", a), [b, c]):
                    return a + b + c
                case (("scale", a), [_, c] as pair):
                    return a * c * pair[0]
    """,
    "values inside": """
        def program(x, y, k):
            match (k, x, y):
                case (0, a, _):
                    return a * a * y
                case (1, a, b) | (2, b, a):
                    return a * a * b
                case (_, a, b) if a > b:
                    return a * b
                case (n, *rest):
                    return rest[0] * rest[1] * rest[1] * n
    """,
    "mappings": """
        def layer(config, x):
            match config:
                case {"kind": "affine", "w": w, "b": b}:
                    return w * x + b
                case {"kind": "power", **rest}:
                    return x * x * rest["w"] * len(rest)
                case {}:
                    return x

        def program(x, y):
            z = layer({"kind": "affine", "w": x, "b": y}, y)
            z = layer({"kind": "power", "w": x}, z)
            return layer({"other": 1}, z) * layer({}, y)
    """,
    "singletons": """
        def scaled(x, factor):
            match factor:
                case None:
                    return x
                case True:
                    return 2.0 * x
                case False:
                    return 3.0 * x
                case _:
                    return factor * x

        def program(x, y):
            return scaled(x, None) * scaled(x, True) * scaled(y, False) * scaled(x, y)
    """,
    "a known truth value is not a number": """
        def program(x, y):
            match 1:
                case True:
                    return x
                case 1.0:
                    return x * y
    """,
    "classes": """
        from typing import NamedTuple

        class Point(NamedTuple):
            a: float
            b: float

        class Line(NamedTuple):
            start: Point
            end: Point

        def size(shape):
            match shape:
                case Point(a, b=b):
                    return a * b
                case Line(Point(a, b), end=Point() as e):
                    return a * e.b + b * e.a * size_of_point(e)
                case tuple((a, b)):
                    return a * a * b

        def size_of_point(p):
            match p:
                case Point(a=c) if c > 0.0:
                    return c * p.b
                case Point(c, d):
                    return c * c * d

        def program(x, y):
            p, q = Point(x, y), Point(x * y, x)
            return size(p) + size(Line(p, q)) + size((x, y))
    """,
    "dataclasses": """
        from dataclasses import dataclass

        @dataclass
        class Dense:
            w: float
            b: float

        @dataclass
        class Scale:
            factor: float

        def apply(layer, x):
            match layer:
                case Dense(w, b):
                    return w * x + b
                case Scale(factor=f):
                    return f * x
                case _:
                    raise TypeError(layer)

        def program(x, y):
            z = x
            for layer in (Dense(x, y), Scale(y), Dense(y, 1.0)):
                z = apply(layer, z)
            return z
    """,
    "dotted values": """
        class Order:
            FIRST = 1
            SECOND = 2

        def program(x, y, k):
            match k:
                case Order.FIRST:
                    return x * y
                case Order.SECOND:
                    return x * x * y
            return y * x * x * x
    """,
    "floats at run time": """
        def program(x, y):
            match x:
                case 0.0:
                    return y
                case -1.5 | 2.5:
                    return y * y
                case z:
                    return z * z * y
    """,
    "a subject that several cases bind": """
        def program(x, y):
            match (1, np.clip(x, -0.9, 1.05), x * y):
                case (1, a, b) | (2, b, a) if a > 0.3:
                    z = a * b
                case (1, c, d) if c < -0.3:
                    z = c * c * d
                case (n, *rest):
                    z = rest[0] * rest[1] * rest[1] * n
            return z * y
    """,
    "in a loop": """
        def program(x, y, k):
            for i in range(k + 2):
                match i % 3:
                    case 0:
                        x = x * y
                    case 1:
                        x = x + y
                    case n:
                        x = x - n * y
            return x
    """,
    "the subject is bound anew": """
        def program(x, y):
            match x, y:
                case y, x:
                    return x * y * y
    """,
    "names after the match": """
        def program(x, y, k):
            match (x, k):
                case (a, 0 | 1 as b):
                    pass
                case (a, b):
                    a = a * y
            return a * b * x
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text)


class Affine(NamedTuple):
    w: np.ndarray
    b: float


@dataclass
class Tanh:
    scale: float


def by_kind(value):
    match value:
        case bool():
            return 1.0
        case int(n):
            return 2.0 * n
        case float(v):
            return v * v
        case str():
            return 3.0
        case np.ndarray():
            return np.sum(value * value)
        case [first, *_]:
            return by_first(first)
        case None:
            return 4.0


def by_first(first):
    match first:
        case float() | int():
            return first * 3.0
    return 0.0


def kinds(x, v, n):
    total = by_kind(x) + by_kind(v) + by_kind(n) * x
    return total + (by_kind(True) + by_kind("a") + by_kind([x]) + by_kind(None)) * x


def layers(network, x):
    for layer in network:
        match layer:
            case Affine(w, b):
                x = w @ x + b
            case Tanh(scale=s):
                x = np.tanh(s * x)
    return np.sum(x)


W = np.array([[1.0, 0.5], [-0.3, 0.2]])
CASES = [
    (kinds, (1.5, np.array([1.0, 2.0]), 3), ("x", "v")),
    (layers, ((Affine(W, 0.5), Tanh(0.7), Affine(W, -1.0)), np.ones(2)), ("x",)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("off", [frozenset(), ALL_OFF])
@pytest.mark.parametrize(("function", "arguments", "wrt"), CASES)
def test_kinds_and_classes(function, arguments, wrt, off):
    names = function.__code__.co_varnames[: len(arguments)]
    places = tuple(names.index(n) for n in wrt)
    want = tuple(central_difference_gradient(function, arguments, p) for p in places)
    made = compiled("gradient", function, arguments, wrt, switched_off=off)
    assert_trees_close(made(*arguments), want, 1e-6, 1e-8)
    tangents = tuple(np.ones_like(arguments[p]) for p in places)
    made = compiled("pushforward", function, arguments, wrt, switched_off=off)
    value, tangent = made(*arguments, *tangents)
    assert value == function(*arguments)
    assert tangent == pytest.approx(sum(np.sum(w) for w in want), rel=1e-6)
    made = compiled("vjp", function, arguments, wrt, switched_off=off)
    value, residuals = made(*arguments)
    assert_trees_close(made.functions[1](residuals, 1.0), want, 1e-6, 1e-8)


def test_gradient_of_the_layers():
    network = CASES[1][1][0]
    found = grad(layers)(network, np.ones(2))
    want = central_difference_gradient(layers, (network, np.ones(2)), 0)
    assert isinstance(found[0], Affine) and isinstance(found[1], Tanh)
    assert_trees_close(found, want, 1e-6, 1e-8)
    _, pullback = vjp(layers, network, np.ones(2))
    assert_trees_close(pullback(1.0)[0], want, 1e-6, 1e-8)
    jvp(layers, (network, np.ones(2)), (found, np.ones(2)))
    hvp(layers)(network, np.ones(2), found)


def chosen(x, order):
    match order:
        case 1:
            return x
        case 2 | 3:
            return x * x
        case _:
            raise ValueError(f"order {order}")


def test_cases_are_written_as_branches():
    text = grad(chosen).source_for(2.0, 1)
    assert 'raise ValueError(f"order {order}")' in text
    assert [grad(chosen)(3.0, n) for n in (1, 2, 3)] == [1.0, 6.0, 6.0]
    with pytest.raises(ValueError, match="order 4"):
        grad(chosen)(3.0, 4)


def array_is_no_sequence(x):
    match x:
        case [a, b]:
            return a * b
        case _:
            return np.sum(x)


@pytest.mark.skipif(
    array_is_no_sequence(np.array([2.0, 3.0])) != 5.0,
    reason="arrays are sequences from NumPy 2.5 on, and refused",
)
def test_arrays_are_no_sequences():
    assert array_is_no_sequence(np.array([2.0, 3.0])) == 5.0
    assert grad(array_is_no_sequence)(np.array([2.0, 3.0])).tolist() == [1.0, 1.0]


def too_many(p):
    match p:
        case Affine(a, b, c):
            return a


def unknown_class(x):
    match x:
        case W(a):
            return x
    return x


def test_refused():
    with pytest.raises(UnsupportedError, match="Affine has 2 positional patterns"):
        grad(too_many)(Affine(1.0, 2.0))
    with pytest.raises(UnsupportedError, match="the class in a pattern isn't known"):
        grad(unknown_class)(1.0)
