"""``np.hanning`` and the like: vectors, by whose shape nobody has a derivative."""

from __future__ import annotations

import inspect

import numpy as np

from s2sad.ir.kinds import Array, Axis, Kind
from s2sad.rules.registry import Rule, register, without_derivative


def _taper_kind(M: Kind) -> Kind:
    return Array("float64", (Axis("any"),))


def _kaiser_kind(M: Kind, beta: Kind) -> Kind:
    return _taper_kind(M)


without_derivative(
    (np.hanning, np.hamming, np.bartlett, np.blackman), lambda M: ..., kind=_taper_kind
)
register(
    Rule(
        np.kaiser,
        inspect.signature(lambda M, beta: ...),
        kind=_kaiser_kind,
        lazy=True,
        refused=("beta",),
    )
)
