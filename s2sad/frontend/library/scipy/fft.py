"""Transforms of ``scipy.fft`` that are made of others."""

import numpy as np
from scipy import fft

from s2sad.frontend.library.texts import stands_for
from s2sad.rules.numpy.fft import norm_of_adjoint


@stands_for(fft.hfft)
def hfft(x, n=None, axis=-1, norm=None):
    """``fft.hfft(x, n, axis, norm)``."""
    return fft.irfft(np.conj(x), n, axis=axis, norm=norm_of_adjoint(norm))


@stands_for(fft.ihfft)
def ihfft(x, n=None, axis=-1, norm=None):
    """``fft.ihfft(x, n, axis, norm)``."""
    return np.conj(fft.rfft(x, n, axis=axis, norm=norm_of_adjoint(norm)))


@stands_for(fft.hfft2)
def hfft2(x, s=None, axes=(-2, -1), norm=None):
    """``fft.hfft2(x, s, axes, norm)``."""
    return fft.irfft2(np.conj(x), s, axes=axes, norm=norm_of_adjoint(norm))


@stands_for(fft.ihfft2)
def ihfft2(x, s=None, axes=(-2, -1), norm=None):
    """``fft.ihfft2(x, s, axes, norm)``."""
    return np.conj(fft.rfft2(x, s, axes=axes, norm=norm_of_adjoint(norm)))


@stands_for(fft.hfftn)
def hfftn(x, s=None, axes=None, norm=None):
    """``fft.hfftn(x, s, axes, norm)``."""
    return fft.irfftn(np.conj(x), s, axes=axes, norm=norm_of_adjoint(norm))


@stands_for(fft.ihfftn)
def ihfftn(x, s=None, axes=None, norm=None):
    """``fft.ihfftn(x, s, axes, norm)``."""
    return np.conj(fft.rfftn(x, s, axes=axes, norm=norm_of_adjoint(norm)))
