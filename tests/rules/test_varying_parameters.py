"""Parameters that are constants in most programs, where they vary: they have their
derivative, or the call is refused."""

import numpy as np
import pytest
from scipy import signal, stats

from s2sad import UnsupportedError, grad
from s2sad.testing import check_grads

LINE = np.array([1.0, 2.1, 4.0, 3.3])
GRID = np.random.default_rng(3).normal(size=(4, 3))


def lines(f, *more):
    """A program of the array and the number, for each array."""
    return [(f, x) for x in (LINE, GRID, *more)]


DEGREES = [
    *lines(lambda x, lost: np.var(x, ddof=lost)),
    *lines(lambda x, lost: np.std(x, ddof=lost)),
    *lines(lambda x, lost: x.var(0, ddof=lost * lost)),
    *lines(lambda x, lost: x.std(-1, ddof=lost, keepdims=True)),
    *lines(lambda x, lost: np.var(x, -1, correction=lost)),
    *lines(lambda x, lost: np.std(x, correction=lost)),
    *lines(lambda x, lost: np.var(x, where=x > 0, ddof=lost)),
    *lines(lambda x, lost: np.nanstd(x, ddof=lost)),
    *lines(lambda x, lost: np.var(x + 1j * x * x, ddof=lost)),
    *lines(lambda x, lost: stats.zscore(x, ddof=lost)),
    *lines(lambda x, lost: stats.zmap(x, x * x, ddof=lost)),
    *lines(lambda x, lost: stats.sem(x, ddof=lost)),
    *lines(lambda x, lost: stats.variation(x, ddof=lost)),
]


@pytest.mark.parametrize("function, x", DEGREES)
def test_degrees_of_freedom(function, x):
    def energy(x, lost):
        return np.sum(np.sin(function(x, lost)))

    check_grads(energy, (x, 0.3))
    found = grad(energy, (0, 1))(x, 0.3)
    assert found[1] != 0.0
    plain = grad(energy, (0, 1), optimise=False)(x, 0.3)
    for one, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(one, other)


def test_equal_elements_have_no_deviation_for_any_degrees():
    gradient = grad(lambda x, lost: np.std(x, ddof=lost), (0, 1))
    by_x, by_lost = gradient(np.full(4, 2.0), 0.3)
    assert not by_x.any() and by_lost == 0.0


@pytest.mark.parametrize("function", [np.var, np.std])
def test_degrees_that_do_not_vary_leave_no_line(function):
    text = grad(lambda x: function(x, ddof=1)).source_for(LINE)
    assert "np.sum(" not in text


TAPERS = [np.hanning, np.hamming, np.bartlett, np.blackman]
REFUSED = [
    (lambda s: signal.savgol_coeffs(5, 2, pos=s + 1), "pos"),
    *((lambda s, taper=taper: taper(5 + s), "M") for taper in TAPERS),
]


@pytest.mark.parametrize("function, name", REFUSED)
def test_what_has_no_known_derivative_is_refused(function, name):
    with pytest.raises(UnsupportedError, match=f"'{name}' isn't known, and that"):
        grad(lambda s: np.sum(np.sin(function(s))))(0.3)


WHOLE = [
    lambda s: signal.savgol_coeffs(5, 2, pos=int(s) + 1),
    *(lambda s, taper=taper: taper(5 + int(s)) for taper in TAPERS),
    *(lambda s, taper=taper: taper(np.ones(5).size) for taper in TAPERS),
]


@pytest.mark.parametrize("function", WHOLE)
def test_whole_numbers_of_what_varies_do_not_vary(function):
    check_grads(lambda s: np.sum(np.sin(s * function(s))), (0.3,))
