"""Fits of the series of ``numpy.polynomial``, through ``np.linalg.lstsq``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import (
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
)

from s2sad.frontend.library.polynomials.series import (
    chebvander,
    hermevander,
    hermvander,
    lagvander,
    legvander,
    polyvander,
)
from s2sad.frontend.library.texts import stands_for
from s2sad.rules.predicates import is_array, known_rank, not_supported


def _fitted(
    matrix: Any, x: Any, y: Any, deg: Any, rcond: Any, full: Any, w: Any
) -> Any:
    """The coefficients of a fit of all degrees up to ``deg``."""
    if full or known_rank(deg) != 0:
        not_supported("a fit with full=True, or of some degrees", "fit all of them")
    x, y = (v if is_array(v) else np.asarray(v) for v in (x, y))
    rows, values = matrix(x, deg).T, y.T
    if w is not None:
        w = w if is_array(w) else np.asarray(w)
        rows, values = rows * w, values * w
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    scale = np.sqrt(np.sum(np.square(rows), axis=1))
    columns = rows.T / scale
    c = np.linalg.lstsq(columns, values.T, rcond)[0]
    return (c.T / scale).T


@stands_for(polynomial.polyfit)
def polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None
) -> Any:
    """``polyfit(x, y, deg, rcond, w=w)``."""
    return _fitted(polyvander, x, y, deg, rcond, full, w)


@stands_for(chebyshev.chebfit)
def chebfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None
) -> Any:
    """``chebfit(x, y, deg, rcond, w=w)``."""
    return _fitted(chebvander, x, y, deg, rcond, full, w)


@stands_for(legendre.legfit)
def legfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None
) -> Any:
    """``legfit(x, y, deg, rcond, w=w)``."""
    return _fitted(legvander, x, y, deg, rcond, full, w)


@stands_for(hermite.hermfit)
def hermfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None
) -> Any:
    """``hermfit(x, y, deg, rcond, w=w)``."""
    return _fitted(hermvander, x, y, deg, rcond, full, w)


@stands_for(hermite_e.hermefit)
def hermefit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None
) -> Any:
    """``hermefit(x, y, deg, rcond, w=w)``."""
    return _fitted(hermevander, x, y, deg, rcond, full, w)


@stands_for(laguerre.lagfit)
def lagfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None
) -> Any:
    """``lagfit(x, y, deg, rcond, w=w)``."""
    return _fitted(lagvander, x, y, deg, rcond, full, w)
