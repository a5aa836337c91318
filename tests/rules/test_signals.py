"""Programs with ``scipy.signal``: texts of derivatives, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from s2sad import UnsupportedError, grad
from s2sad.testing import check_grads

RNG = np.random.default_rng(6)
X, TAPS = RNG.normal(size=12), RNG.normal(size=3)


def test_the_adjoint_of_a_convolution_is_a_correlation():
    def energy(x, taps):
        return np.sum(signal.convolve(x, taps) ** 2)

    text = grad(energy).source_for(X, TAPS)
    assert 'signal.correlate(2.0 * signal.convolve(x, taps), taps, "valid"' in text


def test_the_adjoint_of_a_filter_runs_backwards():
    def energy(x):
        return np.sum(signal.lfilter([0.3], [1.0, -0.7], x) ** 2)

    text = grad(energy).source_for(X)
    assert "lagged_products" not in text
    assert text.count("np.flip") == 2


def test_coefficients_are_learnt():
    def error(b, a, x):
        y = signal.lfilter(b, np.concatenate(([1.0], a)), x)
        return np.sum((y - np.sin(x)) ** 2)

    check_grads(error, (TAPS, np.array([0.2, -0.1]), X))


def test_a_window_whose_shape_varies_is_refused():
    def tapered(std):
        return np.sum(signal.windows.gaussian(12, std) * X)

    with pytest.raises(UnsupportedError, match="with respect to 'std'"):
        grad(tapered)(2.0)

    def chosen(beta):
        return np.sum(signal.get_window(("kaiser", beta), 12) * X)

    with pytest.raises(UnsupportedError):
        grad(chosen)(2.0)


def test_scipy_conjugates_the_wrong_array():
    def part(x):
        return np.abs(np.sum(signal.correlate2d(x, np.eye(3) * 1j, "valid")))

    with pytest.raises(UnsupportedError, match="SciPy gives the conjugate"):
        grad(part)(np.ones((2, 2)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("width", [4, 5])
def test_savgol_takes_odd_windows(width):
    def smoothed(x):
        return np.sum(signal.savgol_filter(x, width, 2) ** 2)

    if width % 2:
        check_grads(smoothed, (X,))
    else:
        with pytest.raises(ValueError, match="odd length"):
            grad(smoothed)(X)
