"""Fourier transforms: the texts of their derivatives, lists, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import fft

from s2sad import UnsupportedError, grad

X = np.random.default_rng(5).normal(size=(3, 4))


def test_the_adjoint_is_a_transform():
    def power(x):
        return np.sum(np.abs(np.fft.fft(x)) ** 2)

    text = grad(power).source_for(X)
    assert 'np.fft.ifft(2.0 * np.abs(fft) * unit_complex(fft), norm="forward")' in text
    np.testing.assert_allclose(grad(power)(X), 8.0 * X, atol=1e-12)  # Parseval


def test_a_list_is_a_signal():
    def power(x):
        return np.sum(np.abs(np.fft.rfft([x, 2.0 * x, 1.0])) ** 2)

    slope = (power(0.5 + 1e-6) - power(0.5 - 1e-6)) / 2e-6
    assert grad(power)(0.5) == pytest.approx(slope, rel=1e-8)


def test_single_precision_stays():
    def power(x):
        spectrum = fft.rfft(x, axis=0)
        return np.sum(np.abs(spectrum) ** 2) + np.sum(fft.dct(x) ** 2)

    assert grad(power)(X.astype(np.float32)).dtype == np.float32


def test_scipy_leaves_a_keyword_unread():
    def transformed(x):
        return np.sum(np.abs(fft.dct(x, orthogonalize=True)))

    grad(transformed)(X)
    with pytest.raises(UnsupportedError, match="leaves the keyword unread"):
        grad(transformed)(X + 1j)


def test_an_axis_is_named_once():
    def twice(x):
        return np.sum(np.abs(np.fft.fftn(x, axes=(0, 0))))

    with pytest.raises(UnsupportedError, match="names an axis twice"):
        grad(twice)(X)
