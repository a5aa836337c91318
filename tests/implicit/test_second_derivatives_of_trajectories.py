"""Second derivatives of ``odeint`` and ``solve_ivp`` by their start, the times and
parameters: every order of the two modes, against differences of the gradient."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

from s2sad import UnsupportedError, grad, hessian, hvp, jacfwd, jacrev, jvp
from tests.implicit.test_scipy_equations import (
    PROGRAMS,
    TIGHT,
    TIMES,
    W,
    by_times,
    over_a_span,
    populations,
    prey,
)


def in_pieces(a):
    """Each solution starts where the last one ends."""
    y = np.array([1.0, 0.3])
    for _ in range(3):
        y = integrate.odeint(prey, y, [0.0, 0.4], args=(a, 0.5), **TIGHT)[-1]
    return np.sum(y**2)


def with_loops(y, t, a):
    slope = np.zeros(2)
    for k in range(2):
        if k == 0:
            slope[k] = -a * y[0] * y[1]
        else:
            slope[k] = a * y[0] - y[1] ** 3
    return slope


def of_loops(a):
    found = integrate.odeint(with_loops, [1.0, 0.4], TIMES, args=(a,), **TIGHT)
    return np.sum(found**2)


def of_moving_times(a):
    """The right-hand side reads the time, and all times move with the parameter."""
    found = integrate.solve_ivp(
        lambda t, y: [np.sin(a * t) * y[0]],
        (0.1 * a, 2.0 * a),
        [a],
        t_eval=[0.2 * a, a, 1.5 * a],
        **TIGHT,
    )
    return found.y[0] @ np.array([1.0, 2.0, 3.0])


def of_a_state_that_rests(a):
    """The right-hand side neither varies nor is made of floats."""
    found = integrate.odeint(lambda y, t: [1, 0], [a, 1.0], TIMES, **TIGHT)
    return found[-1, 0] ** 2 * found[-1, 1]


def of_one_equation_twice(a):
    """The calls differ in what is known of them when the derivative is compiled."""
    early = integrate.solve_ivp(
        _growth, (0, 0.5), [a, 1.0], "DOP853", args=(a,), **TIGHT
    )
    late = integrate.solve_ivp(_growth, (1, 2.5), [1.0, a], args=(2.0,), **TIGHT)
    return np.sum(early.y[:, -1] ** 2) + late.y[0, -1] * late.y[1, -1]


def _growth(t, y, a):
    return [a * np.cos(t) * y[1], -t * y[0]]


MORE = (
    of_one_equation_twice,
    in_pieces,
    of_loops,
    of_moving_times,
    of_a_state_that_rests,
)


def by_differences(f, x, step=1e-3):
    steps = [(f(x + h) - f(x - h)) / (2 * h) for h in (step, 2 * step)]
    return (4 * steps[0] - steps[1]) / 3


@pytest.mark.sampled(16)
@pytest.mark.parametrize("program", (*PROGRAMS, *MORE), ids=lambda f: f.__name__)
def test_both_modes_again(program):
    """The tangent in reverse mode, and the gradient in forward mode."""
    expected = pytest.approx(by_differences(grad(program), 1.3), rel=1e-6)
    assert hvp(program)(1.3, 1.0) == expected
    assert hessian(program)(1.3) == expected


COMPOSED = (populations, by_times, over_a_span, in_pieces)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("program", COMPOSED, ids=lambda f: f.__name__)
def test_derivatives_of_derivatives(program):
    def gradient(a):
        return grad(program)(a)

    def tangent(a):
        return jvp(program, (a,), (1.0,))[1]

    expected = pytest.approx(by_differences(grad(program), 1.3), rel=1e-6)
    assert grad(gradient)(1.3) == expected
    assert grad(tangent)(1.3) == expected
    assert jvp(tangent, (1.3,), (1.0,))[1] == expected


def network(w, y0):
    found = integrate.solve_ivp(
        lambda t, y: np.tanh(w @ y), (0.0, 3.0), y0, t_eval=TIMES, **TIGHT
    )
    return np.sum(found.y**2)


def test_a_matrix_of_parameters_and_the_start():
    start, rng = np.array([1.0, 0.5]), np.random.default_rng(3)
    along = rng.normal(size=W.shape), rng.normal(size=2)
    first = grad(network, ("w", "y0"))
    by_w, by_start = hvp(network, ("w", "y0"))(W, start, along)

    def moved(step):
        return first(W + step * along[0], start + step * along[1])

    expected_w = by_differences(lambda step: moved(step)[0], 0.0)
    expected_start = by_differences(lambda step: moved(step)[1], 0.0)
    np.testing.assert_allclose(by_w, expected_w, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(by_start, expected_start, rtol=1e-6, atol=1e-6)
    whole = hessian(network)(W, start)
    np.testing.assert_allclose(whole, whole.transpose(2, 3, 0, 1), atol=1e-8)
    np.testing.assert_allclose(
        np.tensordot(whole, along[0]), hvp(network)(W, start, along[0]), atol=1e-8
    )


@pytest.mark.long
def test_a_jacobian_of_a_jacobian():
    def last(p):
        return integrate.odeint(prey, p[:2], TIMES, args=(p[2], p[3]), **TIGHT)[-1]

    def jacobian(p):
        return jacfwd(last)(p)

    p = np.array([1.0, 2.0, 1.3, 0.5])
    found = jacrev(jacobian)(p)
    np.testing.assert_allclose(found, jacfwd(jacobian)(p), atol=1e-7)
    expected = [
        by_differences(lambda h, unit=unit: jacfwd(last)(p + h * unit), 0.0)
        for unit in np.eye(4)
    ]
    np.testing.assert_allclose(found, np.stack(expected, axis=-1), atol=1e-6)


@pytest.mark.long
def test_third_derivatives(program=over_a_span):
    def gradient(a):
        return grad(program)(a)

    def second(a):
        return grad(gradient)(a)

    expected = by_differences(grad(gradient), 1.3)
    assert grad(second)(1.3) == pytest.approx(expected, rel=1e-6)
    assert hvp(gradient)(1.3, 1.0) == pytest.approx(expected, rel=1e-6)


def test_complex_equations_are_refused():
    def program(a):
        found = integrate.solve_ivp(lambda t, y: 1j * a * y, (0.0, 1.0), [1.0])
        return np.abs(found.y[0, -1])

    with pytest.raises(UnsupportedError, match="an equation of complex numbers"):
        grad(program)(1.3)
