"""``np.hanning`` and the like: vectors that are made from their length. By ``beta``
``np.kaiser`` has the derivative of a text (``frontend/library/numpy/arrays.py``)."""

from __future__ import annotations

import numpy as np

from s2sad.ir.kinds import Array, Axis, Kind
from s2sad.rules.registry import without_derivative


def _taper_kind(M: Kind) -> Kind:
    return Array("float64", (Axis("any"),))


def _kaiser_kind(M: Kind, beta: Kind) -> Kind:
    return _taper_kind(M)


without_derivative(
    (np.hanning, np.hamming, np.bartlett, np.blackman), lambda M: ..., kind=_taper_kind
)
without_derivative(np.kaiser, lambda M, beta: ..., kind=_kaiser_kind)
