"""Tuples that are told by their text in front, where only the run knows it."""

from __future__ import annotations

import pytest

from s2sad import grad, hvp, value_and_grad
from tests.run_time.programs.symbolic import at, newton_step
from tests.support.compilations import counted


def name_at(k):
    return ("+", "leaf")[k // 3 % 2]


def built(xs, low, high):
    if high - low == 1:
        return ("leaf", xs[low], None)
    middle = (low + high) // 2
    return (name_at(low), built(xs, low, middle), built(xs, middle, high))


def value_of(node):
    op, a, b = node
    return a if op == "leaf" else value_of(a) + value_of(b)


def summed(xs):
    return value_of(built(xs, 0, len(xs)))


def test_a_text_that_tells_another_tuple_is_refused_when_it_is_met():
    derivative = grad(summed)
    assert derivative([1.0, 2.0, 3.0]) == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="begins with 'leaf' and holds other things"):
        derivative([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


def calculated(e, x):
    if isinstance(e, float):
        return e * x
    if e[0] == "+":
        return calculated(e[1], x) + calculated(e[2], x)
    return calculated(e[1], x) * calculated(e[2], x[0] if isinstance(x, list) else x)


def chained(e, x):
    if e is None:
        return 0.0
    return (x if e[0] == "add" else -x) * e[1] + chained(e[2], x)


@pytest.mark.parametrize("wrt", [0, 1])
@pytest.mark.parametrize(
    ("function", "first", "second", "gradients"),
    [
        pytest.param(
            calculated,
            ("+", ("+", ("+", 2.0, 3.0), 4.0), 5.0),
            ("+", ("*", ("+", 2.0, 3.0), 4.0), 5.0),
            ((None, (None, (None, 1.0, 1.0), 1.25), 0.5), 25.0),
            id="beside numbers",
        ),
        pytest.param(
            chained,
            ("add", 1.0, ("add", 2.0, None)),
            ("add", 1.0, ("sub", 2.0, None)),
            ((None, 0.5, (None, -0.5, None)), -1.0),
            id="beside None",
        ),
    ],
)
def test_other_texts_than_those_seen_are_compiled_for(
    function, first, second, gradients, wrt
):
    derivative = value_and_grad(function, wrt)
    derivative(first, 0.5)
    value, gradient = derivative(second, 0.5)
    assert value == function(second, 0.5)
    assert gradient == gradients[wrt]


def test_letters_of_a_text_are_not_unpacked():
    derivative = grad(newton_step, wrt="x")
    # x - f / f' with f = x + x**2
    slope = (0.5 + 0.25) * 2.0 / (1.0 + 2.0 * 0.5) ** 2
    given = ("+", "x", ("*", "x", ("*", 1.0, "x")))
    assert derivative(given, 0.5) == pytest.approx(slope)
    with pytest.raises(TypeError, match="a text is unpacked where a tuple is expected"):
        derivative(("+", "x", ("*", "x", ("*", 1.0, "sum"))), 0.5)


def test_a_number_that_doesnt_vary_has_no_tangent():
    """It was that of a structure, and hvp raised TypeError."""
    given = ("+", "x", ("*", "x", ("*", 1.0, "x")))
    assert hvp(at, wrt="x")(given, 0.5, 1.0) == pytest.approx(2.0)


def product(e, x):
    if isinstance(e, float):
        return e
    if isinstance(e, str):
        return x
    op, a, b = e
    if op == "+":
        return product(a, x) + product(b, x)
    return product(a, x) * product(b, x)


@pytest.mark.parametrize(
    "small", [("+", 0.3, ("*", "x", "x")), ("*", "x", ("+", "x", 2.0))]
)
def test_small_expressions_are_expressions(small):
    """Each of whose slots holds values of one sort alone."""
    derivative, along = grad(product, wrt="x"), hvp(product, wrt="x")
    derivative(small, 0.8), along(small, 0.8, 1.0)
    with counted() as made:
        for e in (small, ("+", small, ("*", 0.5, small)), ("*", "x", ("*", "x", "x"))):
            slope = (product(e, 0.8 + 1e-6) - product(e, 0.8 - 1e-6)) / 2e-6
            assert derivative(e, 0.8) == pytest.approx(slope)
            bend = (derivative(e, 0.8 + 1e-6) - derivative(e, 0.8 - 1e-6)) / 2e-6
            assert along(e, 0.8, 1.0) == pytest.approx(bend)
    assert made == []
