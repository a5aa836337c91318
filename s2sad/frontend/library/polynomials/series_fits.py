"""Fits of the series of ``numpy.polynomial``, through ``np.linalg.lstsq``."""

import numpy as np
from numpy.polynomial import (
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
)

from s2sad import rules
from s2sad.frontend.library.polynomials import series
from s2sad.frontend.library.texts import stands_for


def _fitted(matrix, x, y, deg, rcond, full, w):
    """The coefficients of a fit of all degrees up to ``deg``."""
    if full or rules.known_rank(deg) != 0:
        rules.not_supported(
            "a fit with full=True, or of some degrees", "fit all of them"
        )
    x, y = (v if rules.is_array(v) else np.asarray(v) for v in (x, y))
    rows, values = matrix(x, deg).T, y.T
    if w is not None:
        w = w if rules.is_array(w) else np.asarray(w)
        rows, values = rows * w, values * w
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    scale = np.sqrt(np.sum(np.square(rows), axis=1))
    columns = rows.T / scale
    c = np.linalg.lstsq(columns, values.T, rcond)[0]
    return (c.T / scale).T


@stands_for(polynomial.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None):
    """``polyfit(x, y, deg, rcond, w=w)``."""
    return _fitted(series.polyvander, x, y, deg, rcond, full, w)


@stands_for(chebyshev.chebfit)
def chebfit(x, y, deg, rcond=None, full=False, w=None):
    """``chebfit(x, y, deg, rcond, w=w)``."""
    return _fitted(series.chebvander, x, y, deg, rcond, full, w)


@stands_for(legendre.legfit)
def legfit(x, y, deg, rcond=None, full=False, w=None):
    """``legfit(x, y, deg, rcond, w=w)``."""
    return _fitted(series.legvander, x, y, deg, rcond, full, w)


@stands_for(hermite.hermfit)
def hermfit(x, y, deg, rcond=None, full=False, w=None):
    """``hermfit(x, y, deg, rcond, w=w)``."""
    return _fitted(series.hermvander, x, y, deg, rcond, full, w)


@stands_for(hermite_e.hermefit)
def hermefit(x, y, deg, rcond=None, full=False, w=None):
    """``hermefit(x, y, deg, rcond, w=w)``."""
    return _fitted(series.hermevander, x, y, deg, rcond, full, w)


@stands_for(laguerre.lagfit)
def lagfit(x, y, deg, rcond=None, full=False, w=None):
    """``lagfit(x, y, deg, rcond, w=w)``."""
    return _fitted(series.lagvander, x, y, deg, rcond, full, w)
