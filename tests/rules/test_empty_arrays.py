"""Of an empty array NumPy makes nan, with a warning; derivatives don't raise there, and
divide plainly by lengths that are known not to be 0."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, value_and_grad, vjp

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SHAPES = ((0,), (0, 3), (3, 0))
FORMS = {
    "mean": lambda x, **how: np.mean(x, **how),
    "mean, method": lambda x, **how: x.mean(**how),
    "mean of squares": lambda x, **how: np.mean(x * x, **how),
    "var": lambda x, **how: np.var(x, **how),
    "var, ddof": lambda x, **how: np.var(x, ddof=1, **how),
    "var, method": lambda x, **how: x.var(**how),
    "std": lambda x, **how: np.std(x, **how),
    "average": lambda x, **how: np.average(x, **how),
    "median": lambda x, **how: np.median(x, **how),
    "sum over size": lambda x, **how: np.sum(x, **how) / x.size,
    "a part": lambda x, **how: np.mean(x[x > 5.0]),
}
AXES = {
    "whole": lambda f: lambda x: np.sum(f(x)),
    "axis 0": lambda f: lambda x: np.sum(f(x, axis=0)),
    "last axis": lambda f: lambda x: np.sum(f(x, axis=-1)),
    "keepdims": lambda f: lambda x: np.sum(f(x, axis=0, keepdims=True) * x),
}


def assert_nothing_raises(function, x):
    assert grad(function)(x).shape == x.shape
    assert value_and_grad(function)(x)[1].shape == x.shape
    assert vjp(function, x)[1](1.0)[0].shape == x.shape
    assert np.shape(jvp(function, (x,), (x,))[1]) == ()
    assert hvp(function)(x, x).shape == x.shape


@pytest.mark.sampled(8)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("form", FORMS)
def test_nothing_raises(form, axes, shape):
    function, x = AXES[axes](FORMS[form]), np.zeros(shape)
    try:
        function(x)
    except ZeroDivisionError:
        assert form == "average"  # of which NumPy itself divides by an int
        return
    assert_nothing_raises(function, x)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_raises_by_the_gradient(form):
    for shape in SHAPES:
        assert grad(AXES["whole"](FORMS[form]))(np.zeros(shape)).shape == shape


def test_nothing_raises_in_a_part_of_an_argument_or_in_what_is_made():
    def deep(p, n):
        return np.mean(p["x"]) + p["w"] * np.mean(np.zeros(n)) + np.var(p["x"][2:])

    found = grad(deep)({"x": np.zeros(0), "w": 2.0}, 0)
    assert found["x"].shape == (0,) and np.isnan(found["w"])
    found = grad(deep)({"x": np.ones(2), "w": 2.0}, 3)
    np.testing.assert_array_equal(found["x"], [0.5, 0.5])


def test_a_sample_of_one_element():
    def spread(x, n):
        return np.var(x, ddof=n)

    assert np.isnan(grad(spread)(np.ones(1), 1)).all()
    assert np.isnan(grad(spread)(np.ones(3), 3)).all()


def mean_square(x):
    return np.mean(x**2)


def test_an_argument_that_is_empty_has_a_text_of_its_own():
    gradient = grad(mean_square)
    assert "quotient(2.0, x.size)" in gradient.source_for(np.ones(0))
    assert "2.0 / x.size" in gradient.source_for(np.ones(4))
    for n in (0, 4, 1, 0, 2):
        x = np.arange(n) + 1.0
        np.testing.assert_allclose(gradient(x), 2 * x / max(n, 1))


@pytest.mark.parametrize(
    ("function", "plain"),
    [
        (lambda x: np.sum(x) / x.size, True),
        (lambda x: np.sum(x) / len(x), True),
        (lambda x: np.sum(x) / (x.shape[0] * x.shape[1]), True),
        (lambda x: np.var(x, ddof=1), True),
        (lambda x: np.var(x, ddof=4), False),
        (lambda x: np.mean(x[1:]), False),
        (lambda x: np.mean(x @ np.ones(2)), True),
    ],
)
def test_a_length_that_is_known_not_to_be_zero_divides_plainly(function, plain):
    text = grad(function).source_for(np.ones((3, 2)))
    assert ("quotient(" not in text) == plain, text
