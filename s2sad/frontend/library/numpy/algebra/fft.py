"""Transforms of ``numpy.fft`` that are made of others."""

import numpy as np

from s2sad.frontend.library.texts import stands_for
from s2sad.rules.numpy.fft import norm_of_adjoint


@stands_for(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None):
    """``np.fft.hfft(a, n, axis, norm)``."""
    return np.fft.irfft(np.conj(a), n, axis=axis, norm=norm_of_adjoint(norm))


@stands_for(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None):
    """``np.fft.ihfft(a, n, axis, norm)``."""
    return np.conj(np.fft.rfft(a, n, axis=axis, norm=norm_of_adjoint(norm)))
