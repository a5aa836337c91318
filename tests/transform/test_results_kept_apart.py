"""What is returned behind the reverse sweep is the result, also where the sweep takes
older values of its variables back."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp, value_and_grad


def carried(w, x):
    t = x
    for s in w:
        t = t * s
    return t, (w, t)


def beside(w, x):
    t = x
    for s in w:
        t = t * s
    return t * 2.0, t


def stored(w, x):
    a = np.zeros(3)
    for i in range(3):
        a[i] = w[i] * x
        x = x * a[i]
    return x, (a, x)


def lists(w, x):
    items = [x]
    for s in w:
        items.append(items[-1] * s)
        x = x * s
    return x * x, (x, items)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize("function", [carried, beside, stored, lists])
def test_values_and_what_stands_beside_them(function, optimise):
    args = np.array([2.0, 3.0, 0.5]), 0.7
    value, aux = function(*args)
    both = value_and_grad(function, wrt=(0, 1), has_aux=True, optimise=optimise)
    (found, found_aux), gradient = both(*args)
    assert found == value
    np.testing.assert_equal(found_aux, aux)
    again, found_aux = grad(function, wrt=(0, 1), has_aux=True)(*args)
    np.testing.assert_allclose(gradient[0], again[0])
    np.testing.assert_equal(found_aux, aux)
    _, found_aux = hvp(function, wrt=(0, 1), has_aux=True)(*args, args)
    np.testing.assert_equal(found_aux, aux)
