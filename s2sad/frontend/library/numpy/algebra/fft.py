"""Transforms of ``numpy.fft`` that are made of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.library.texts import stands_for
from s2sad.rules.numpy.fft import norm_of_adjoint


@stands_for(np.fft.hfft)
def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """``np.fft.hfft(a, n, axis, norm)``."""
    return np.fft.irfft(np.conj(a), n, axis=axis, norm=norm_of_adjoint(norm))


@stands_for(np.fft.ihfft)
def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    """``np.fft.ihfft(a, n, axis, norm)``."""
    return np.conj(np.fft.rfft(a, n, axis=axis, norm=norm_of_adjoint(norm)))
