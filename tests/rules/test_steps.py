"""Functions that are constant between steps: their derivative is 0 in every mode, for
numbers and arrays, also inside of functions that are differentiated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad, hvp, jacfwd, jacrev, jvp, value_and_grad, vjp

STEPS = {
    "np.floor": lambda x: np.floor(x),
    "np.ceil": lambda x: np.ceil(x),
    "np.sign": lambda x: np.sign(x),
    "np.rint": lambda x: np.rint(x),
    "np.trunc": lambda x: np.trunc(x),
    "np.round": lambda x: np.round(x),
    "x.round": lambda x: np.asarray(x).round(),
    "np.heaviside": lambda x: np.heaviside(x, 0.5),
    "//": lambda x: x // 0.7,
    "a constant": lambda x: 2.0,
}
OF_NUMBERS = {
    **STEPS,
    "math.floor": lambda x: float(math.floor(x)),
    "math.ceil": lambda x: 1.0 * math.ceil(x),
    "math.trunc": lambda x: 1.0 * math.trunc(x),
    "round": lambda x: 1.0 * round(x),
}
NUMBERS = {
    "x.jvp": lambda f, x: x * jvp(f, (x,), (1.0,))[1],
    "value of jvp": lambda f, x: x * jvp(f, (x,), (1.0,))[0],
    "grad": lambda f, x: x * grad(f)(x),
    "value_and_grad": lambda f, x: x * value_and_grad(f)(x)[0],
    "vjp": lambda f, x: x * vjp(f, x)[1](1.0)[0],
    "jacfwd": lambda f, x: x * jacfwd(f)(x),
    "jacrev": lambda f, x: x * jacrev(f)(x),
    "hvp": lambda f, x: x * hvp(f)(x, 1.0),
}


@pytest.mark.parametrize("number", [2.3, np.float64(-1.6)], ids=["float", "np.float64"])
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_numbers(name, number):
    step = OF_NUMBERS[name]
    if name == "x.round" and isinstance(number, float):
        number = np.float64(number)
    value, tangent = jvp(step, (number,), (1.0,))
    assert (value, tangent) == (step(number), 0.0)
    assert grad(lambda x: step(x) * x)(number) == step(number)
    assert jacfwd(step)(number) == jacrev(step)(number) == 0.0
    assert hvp(lambda x: step(x) * x)(number, 1.0) == 0.0


@pytest.mark.parametrize("name", STEPS)
def test_arrays(name):
    step, x = STEPS[name], np.array([2.3, -1.6])
    _, tangent = jvp(lambda x: step(x) * x, (x,), (x,))
    np.testing.assert_array_equal(tangent, step(x) * x)
    first = grad(lambda x: np.sum(step(x) * x))(x)
    np.testing.assert_array_equal(first, np.broadcast_to(step(x), 2))
    again = hvp(lambda x: np.sum(step(x) * x))(x, np.ones(2))
    np.testing.assert_array_equal(again, np.zeros(2))


@pytest.mark.parametrize("derivative", NUMBERS)
@pytest.mark.parametrize("name", ["np.floor", "round", "a constant"])
def test_derivatives_of_steps_inside(name, derivative):
    step, inside = OF_NUMBERS[name], NUMBERS[derivative]
    expected = step(2.3) if derivative.startswith("value") else 0.0
    assert grad(lambda x: inside(step, x))(2.3) == expected
    assert jvp(lambda x: inside(step, x), (2.3,), (1.0,)) == (2.3 * expected, expected)
