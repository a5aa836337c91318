"""Arrays whose old parts the reverse sweep puts back are read again, not kept twice."""

import numpy as np
import pytest

from s2sad import grad, hvp
from tests.support.finite_differences import central_difference_gradient


def scaled(x):
    v = np.exp(x)
    for i in range(len(x)):
        v[i] = v[i] * np.cos(x[i])
    return np.sum(v)


def chained(x):
    v = np.exp(x)
    for i in range(1, len(x)):
        v[i] = np.sin(v[i - 1]) * v[i] * x[i]
    return np.sum(v * v)


def sliced(x):
    v = np.exp(x)
    for i in range(1, len(x)):
        v[:i] = v[:i] * v[1 : i + 1]
    return np.sum(v)


def twice(x):
    v = np.exp(x)
    for i in range(len(x) - 1):
        v[i] = v[i] * v[i + 1]
        v[i + 1] = v[i] * v[i + 1] * x[i]
    return np.sum(v)


def two_arrays(x):
    v = np.exp(x)
    w = np.sin(x)
    for i in range(1, len(x)):
        v[i] = v[i] * w[i - 1]
        w[i] = w[i] * v[i] * v[i - 1]
    return np.sum(v * w)


def read_before_and_after(x):
    v = np.tanh(x)
    total = 0.0
    for i in range(1, len(x)):
        total += v[i] * v[i]
        v[i - 1] = v[i] * x[i]
        total += v[i - 1] * v[i]
    return total


PROGRAMS = [scaled, chained, sliced, twice, two_arrays, read_before_and_after]
X = np.array([0.3, -0.7, 1.1, 0.4, -0.2])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("optimise", [None, {"recompute": False}], ids=["on", "off"])
def test_derivatives(program, optimise):
    reference = central_difference_gradient(program, [X])
    np.testing.assert_allclose(grad(program, optimise=optimise)(X), reference, 1e-6)
    direction, step = np.cos(np.arange(5.0)), 1e-6
    ahead, behind = (grad(program)(X + s * direction) for s in (step, -step))
    np.testing.assert_allclose(
        hvp(program, optimise=optimise)(X, direction),
        (ahead - behind) / (2 * step),
        rtol=1e-5,
        atol=1e-7,
    )


def test_an_element_is_kept_once():
    source = grad(scaled).source_for(X)
    assert "old_saved.append(old)" in source
    assert "item_saved" not in source
    kept = grad(scaled, optimise={"recompute": False}).source_for(X)
    assert "kept.append((cos, item, item_2, old))" in kept
