"""Transforms of ``scipy.fft`` that are made of others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from s2sad.frontend.library.texts import stands_for
from s2sad.rules.numpy.fft import norm_of_adjoint


@stands_for(fft.hfft)
def hfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """``fft.hfft(x, n, axis, norm)``."""
    return fft.irfft(np.conj(x), n, axis=axis, norm=norm_of_adjoint(norm))


@stands_for(fft.ihfft)
def ihfft(x: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """``fft.ihfft(x, n, axis, norm)``."""
    return np.conj(fft.rfft(x, n, axis=axis, norm=norm_of_adjoint(norm)))


@stands_for(fft.hfft2)
def hfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    """``fft.hfft2(x, s, axes, norm)``."""
    return fft.irfft2(np.conj(x), s, axes=axes, norm=norm_of_adjoint(norm))


@stands_for(fft.ihfft2)
def ihfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    """``fft.ihfft2(x, s, axes, norm)``."""
    return np.conj(fft.rfft2(x, s, axes=axes, norm=norm_of_adjoint(norm)))


@stands_for(fft.hfftn)
def hfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """``fft.hfftn(x, s, axes, norm)``."""
    return fft.irfftn(np.conj(x), s, axes=axes, norm=norm_of_adjoint(norm))


@stands_for(fft.ihfftn)
def ihfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """``fft.ihfftn(x, s, axes, norm)``."""
    return np.conj(fft.rfftn(x, s, axes=axes, norm=norm_of_adjoint(norm)))
