"""Results that have no derivative are refused by every transform that asks for one."""

import math

import numpy as np
import pytest

import s2sad
from s2sad import grad, hvp, jacfwd, jacobian, jvp, value_and_grad, vjp


def counted(x):
    count = 0
    while x > 1.0:
        x = x / 2.0
        count += 1
    return count


def nothing(x):
    math.sin(x)


WITHOUT = {
    "a bool": lambda x: x > 1,
    "an int": lambda x: int(x),
    "an int ": counted,
    "an int  ": lambda x: 0,
    "an int   ": lambda x: len([x, x]),
    "an int    ": lambda x: math.floor(x),
    "a bool ": lambda x: not x,
    "a NumPy bool": lambda x: np.greater(x, 1),
    "a NumPy int64": lambda x: np.argmax(np.array([x, 2.0])),
    "a NumPy int64 ": lambda x: np.sum(np.array([x, x]) > 1.0),
    "an array of int64": lambda x: np.array([x, x]).astype(int),
    "an array of bool": lambda x: np.array([x, x]) > 1.0,
    "a tuple of 2": lambda x: (1, x > 1),
    "'a'": lambda x: "a",
    "None": nothing,
}
TRANSFORMS = {
    "grad": lambda f: grad(f)(1.5),
    "with a cotangent": lambda f: grad(f)(1.5, gradient=1.0),
    "value_and_grad": lambda f: value_and_grad(f)(1.5),
    "vjp": lambda f: vjp(f, 1.5),
    "jvp": lambda f: jvp(f, (1.5,), (1.0,)),
    "linearize": lambda f: s2sad.linearize(f, 1.5),
    "hvp": lambda f: hvp(f)(1.5, 1.0),
    "jacobian": lambda f: jacobian(f)(1.5),
    "jacfwd": lambda f: jacfwd(f)(1.5),
    "elementwise_grad": lambda f: s2sad.elementwise_grad(f)(1.5),
    "has_aux": lambda f: grad(lambda x: (f(x), x), has_aux=True)(1.5),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("result", WITHOUT)
def test_what_has_no_derivative_is_refused(result, transform):
    with pytest.raises(s2sad.S2sadError) as caught:
        TRANSFORMS[transform](WITHOUT[result])
    assert f"returns {result.strip()}, which has no derivative" in str(caught.value)


def joined(x):
    if x < 0.0:
        return 0
    return 2.0 * x


@pytest.mark.parametrize(
    ("function", "gradient"),
    [(joined, 2.0), (lambda x: 1.0, 0.0), (lambda x: np.mean(np.ones(2) > x), 0.0)],
)
def test_floats_on_any_path_are_floats(function, gradient):
    assert grad(function)(1.5) == gradient
    assert type(grad(function)(-1.5)) is float
    assert grad(function)(-1.5) == 0.0
    assert jvp(function, (1.5,), (1.0,))[1] == gradient
    assert vjp(function, 1.5)[1](1.0) == (gradient,)


def test_floats_beside_other_results_have_derivatives():
    def several(x):
        return x * x, 1, x > 1.0

    assert jvp(several, (1.5,), (1.0,)) == ((2.25, 1, True), (3.0, None, None))
    assert jacobian(several)(1.5) == (3.0, None, None)
    assert vjp(several, 1.5)[1]((1.0, None, None)) == (3.0,)
    assert grad(lambda x: (x * x, 1), has_aux=True)(1.5) == (3.0, 1)
