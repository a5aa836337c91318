"""``np.hanning`` and the like: vectors that are made from their length. By ``beta``
``np.kaiser`` has the derivative of a text (``frontend/library/numpy/arrays.py``)."""

from __future__ import annotations

import numpy as np

from s2sad import ir
from s2sad.rules.registry import without_derivative


def _taper_kind(M: ir.Kind) -> ir.Kind:
    return ir.Array("float64", (ir.Axis("any"),))


def _kaiser_kind(M: ir.Kind, beta: ir.Kind) -> ir.Kind:
    return _taper_kind(M)


without_derivative(
    (np.hanning, np.hamming, np.bartlett, np.blackman), lambda M: ..., kind=_taper_kind
)
without_derivative(np.kaiser, lambda M, beta: ..., kind=_kaiser_kind)
