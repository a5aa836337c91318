"""At kinks, ties and borders both modes follow the conventions, to second order."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, vjp
from tests.rules.cases.conventions import ANY, CASES, NONE


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


cases = pytest.mark.parametrize("case", CASES, ids=[c.about for c in CASES])


def arguments_of(case):
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in case.arguments)


def positions_of(case):
    """Those of the arguments that have derivatives."""
    real = (float, np.ndarray)
    return [k for k, a in enumerate(case.arguments) if isinstance(a, real)]


def filled(value, number):
    return np.full(np.shape(value), number) if np.ndim(value) else number


def summed(case):
    """The function whose gradient is that for a cotangent of ones."""
    f = case.function
    by_count = {
        1: lambda a: np.sum(f(a)),
        2: lambda a, b: np.sum(f(a, b)),
        3: lambda a, b, c: np.sum(f(a, b, c)),
    }
    return by_count[len(case.arguments)]


def assert_close(actual, expected):
    expected = np.broadcast_to(expected, np.shape(actual))
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)


def is_finite(case):
    return all(np.all(np.isfinite(case.gradient[k])) for k in positions_of(case))


@cases
def test_reverse_mode(case):
    value, pullback = vjp(case.function, *arguments_of(case))
    found = pullback(np.ones(np.shape(value)) if np.ndim(value) else 1.0)
    for k in positions_of(case):
        assert_close(found[k], case.gradient[k])


@pytest.mark.sampled(8)
@cases
def test_reverse_mode_without_optimisations(case):
    wrt = tuple(positions_of(case))
    found = grad(summed(case), wrt, optimise=False)(*arguments_of(case))
    for k, gradient in zip(wrt, found, strict=True):
        assert_close(gradient, case.gradient[k])


@pytest.mark.sampled(4)
@cases
def test_forward_mode(case):
    """Along each element; along all of them at once where a derivative is infinite,
    which times 0 is nan."""
    positions = positions_of(case)
    arguments = arguments_of(case)
    if not is_finite(case):
        ones = tuple(
            filled(a, 1.0) if k in positions else None for k, a in enumerate(arguments)
        )
        _, tangent = jvp(case.function, arguments, ones)
        assert_close(np.sum(tangent), sum(np.sum(case.gradient[k]) for k in positions))
        return
    for k in positions:
        for index in np.ndindex(np.shape(arguments[k])):
            tangents = [
                filled(a, 0.0) if n in positions else None
                for n, a in enumerate(arguments)
            ]
            if index:
                tangents[k][index] = 1.0
            else:
                tangents[k] = filled(arguments[k], 1.0)
            _, tangent = jvp(case.function, arguments_of(case), tuple(tangents))
            assert_close(np.sum(tangent), np.asarray(case.gradient[k])[index])


@pytest.mark.sampled(12)
@cases
@pytest.mark.parametrize("optimise", [True, False])
def test_second_order(case, optimise):
    wrt = tuple(positions_of(case))
    arguments = arguments_of(case)
    ones = tuple(filled(arguments[k], 1.0) for k in wrt)
    found = hvp(summed(case), wrt, optimise=optimise)(*arguments, ones)
    for k, product in zip(wrt, found, strict=True):
        if case.second is ANY:
            assert np.all(np.isfinite(product)) or not is_finite(case)
        elif case.second is not NONE:
            by_argument = isinstance(case.second, tuple)
            assert_close(product, case.second[k] if by_argument else case.second)


def test_the_names_of_the_cases_differ():
    assert len({c.about for c in CASES}) == len(CASES)
