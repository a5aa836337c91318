"""Fourier transforms: the texts of their derivatives, lists, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import fft

from s2sad import UnsupportedError, grad, jacfwd, jacrev

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


PROGRAMS = {
    "one axis": lambda x: np.real(np.fft.ifft(np.fft.fft(x, axis=0) * x, axis=0)),
    "half": lambda x: np.fft.irfft(np.fft.rfft(x) * np.arange(3), 4),
    "continued": lambda x: np.abs(np.fft.rfft(x, 6, axis=0)),
    "all axes": lambda x: np.abs(np.fft.fftn(x)),
    "other lengths": lambda x: np.fft.irfftn(np.fft.rfftn(x), (2, 6), axes=(1, 0)),
    "planes": lambda x: np.abs(np.fft.fft2(x, axes=(0, 1))),
    "of SciPy": lambda x: (
        fft.irfft(fft.rfft(x, 7, axis=0), 4)[:3] * fft.fftn(x).real[:, :1]
    ),
    "cosines": lambda x: fft.dct(x, 1, axis=0) + fft.idctn(x, norm="ortho"),
    "sines": lambda x: fft.dst(x, 3, 6) ** 2 + fft.dstn(x, s=(3, 6), axes=(0, 1)),
    "last axes": lambda x: np.abs(np.fft.rfft2(np.stack([x, x**2]))),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_jacobians(name):
    """The transforms of many tangents are those of each."""
    program = PROGRAMS[name]
    units = np.eye(X.size).reshape(X.size, *X.shape)
    step = 1e-6
    columns = [
        (program(X + step * u) - program(X - step * u)) / (2 * step) for u in units
    ]
    expected = np.moveaxis(np.stack(columns), 0, -1)
    expected = expected.reshape(*expected.shape[:-1], *X.shape)
    for jacobian in (jacfwd, jacrev):
        np.testing.assert_allclose(jacobian(program)(X), expected, atol=1e-8)


def test_jacobians_transform_at_once():
    def smoothed(x):
        return np.fft.irfft(np.fft.rfft(x) * np.arange(3), 4)

    for jacobian in (jacfwd, jacrev):
        assert "for k" not in jacobian(smoothed).source_for(X[0])
