"""Sums, products, derivatives, integrals and fits of the series of
``numpy.polynomial``; fits are made by ``np.linalg.lstsq``."""

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

from s2sad import rules
from s2sad.frontend.library.polynomials import series
from s2sad.frontend.library.polynomials.series import chebval, legval, polyval
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.runtime.broadcasting import as_dtype_of

SERIES = (polynomial, chebyshev, legendre, hermite, hermite_e, laguerre)
ADDING = ("polyadd", "chebadd", "legadd", "hermadd", "hermeadd", "lagadd")
SUBTRACTING = ("polysub", "chebsub", "legsub", "hermsub", "hermesub", "lagsub")


def _floats(c):
    """Coefficients as an array; ints become floats."""
    c = c if rules.is_array(c) else np.asarray(c)
    return c if rules.is_floating(c) else np.asarray(c, float)


def _trimmed(c):
    """The coefficients up to the last that isn't zero."""
    c = np.atleast_1d(c if rules.is_array(c) else np.asarray(c))
    present = np.flatnonzero(c)
    return c[: present[-1] + 1] if len(present) > 0 else c[:1]


@stands_for(*map(getattr, SERIES, ADDING))
def added(c1, c2):
    """``polyadd(c1, c2)`` and its like."""
    c1, c2 = _trimmed(c1), _trimmed(c2)
    count = max(len(c1), len(c2))
    return _trimmed(np.pad(c1, (0, count - len(c1))) + np.pad(c2, (0, count - len(c2))))


@stands_for(*map(getattr, SERIES, SUBTRACTING))
def subtracted(c1, c2):
    """``polysub(c1, c2)`` and its like."""
    c1, c2 = _trimmed(c1), _trimmed(c2)
    count = max(len(c1), len(c2))
    return _trimmed(np.pad(c1, (0, count - len(c1))) - np.pad(c2, (0, count - len(c2))))


@stands_for(polynomial.polymul)
def polymul(c1, c2):
    """``polymul(c1, c2)``."""
    return _trimmed(np.convolve(_trimmed(c1), _trimmed(c2)))


@stands_for(polynomial.polypow)
def polypow(c, pow, maxpower=None):
    """``polypow(c, pow)``."""
    c = _trimmed(c)
    made = np.ones(1, c.dtype)
    for _ in range(pow):
        made = np.convolve(made, c)
    return made


@stands_for(polynomial.polymulx)
def polymulx(c):
    """``polymulx(c)``."""
    c = _trimmed(c)
    return np.concatenate((c[:1] * 0.0, c))


@stands_for(polynomial.polyfromroots)
def polyfromroots(roots):
    """``polyfromroots(roots)``."""
    made = np.ones(1)
    for root in np.sort(roots if rules.is_array(roots) else np.asarray(roots)):
        made = np.convolve(made, np.stack((-root, 1.0)))
    return made


@stands_for(chebyshev.chebmul)
def chebmul(c1, c2):
    """``chebmul(c1, c2)``: as series in z and 1/z."""
    first, second = _in_z(_trimmed(c1)), _in_z(_trimmed(c2))
    product = np.convolve(first, second)
    half = product[(len(product) - 1) // 2 :]
    return _trimmed(np.concatenate((half[:1], 2.0 * half[1:])))


def _in_z(c):
    """The coefficients of z**-n, ..., z**n of a Chebyshev series, 2 x = z + 1/z."""
    return np.concatenate((0.5 * c[:0:-1], c[:1], 0.5 * c[1:]))


# ------------------------------------------------------------------ derivatives


def _check_axis(axis: Any, c: Any) -> None:
    if rules.settled_axis(axis, c) != 0:
        rules.not_supported("a series along another axis", "use np.moveaxis")


def _by_degree(n, c):
    """1, 2, ..., n to multiply the coefficients along the first axis."""
    degrees = np.arange(1.0, n + 1)
    degrees = degrees if rules.is_double(c) else as_dtype_of(degrees, c)
    return np.reshape(degrees, (-1,) + (1,) * (rules.known_rank(c) - 1))


@stands_for(polynomial.polyder)
def polyder(c, m=1, scl=1, axis=0):
    """``polyder(c, m, scl)``."""
    c = _floats(c)
    _check_axis(axis, c)
    if m >= len(c):
        return c[:1] * 0.0
    for _ in range(m):
        c = _by_degree(len(c) - 1, c) * (scl * c[1:])
    return c


@stands_for(hermite.hermder)
def hermder(c, m=1, scl=1, axis=0):
    """``hermder(c, m, scl)``: H_n' = 2 n H_{n-1} (DLMF 18.9.25)."""
    return polyder(c, m, 2 * scl, axis)


@stands_for(hermite_e.hermeder)
def hermeder(c, m=1, scl=1, axis=0):
    """``hermeder(c, m, scl)``: He_n' = n He_{n-1} (DLMF 18.9.27)."""
    return polyder(c, m, scl, axis)


@stands_for(chebyshev.chebder)
def chebder(c, m=1, scl=1, axis=0):
    """``chebder(c, m, scl)``."""
    c = _floats(c)
    _check_axis(axis, c)
    if m >= len(c):
        return c[:1] * 0.0
    for _ in range(m):
        n = len(c) - 1
        c = c * scl
        slopes = np.zeros((n, *c.shape[1:]), c.dtype)
        for k in range(n, 2, -1):
            slopes[k - 1] = (2 * k) * c[k]
            c[k - 2] += (k * c[k]) / (k - 2)
        if n > 1:
            slopes[1] = 4 * c[2]
        slopes[0] = c[1]
        c = slopes
    return c


@stands_for(legendre.legder)
def legder(c, m=1, scl=1, axis=0):
    """``legder(c, m, scl)``."""
    c = _floats(c)
    _check_axis(axis, c)
    if m >= len(c):
        return c[:1] * 0.0
    for _ in range(m):
        n = len(c) - 1
        c = c * scl
        slopes = np.zeros((n, *c.shape[1:]), c.dtype)
        for k in range(n, 2, -1):
            slopes[k - 1] = (2 * k - 1) * c[k]
            c[k - 2] += c[k]
        if n > 1:
            slopes[1] = 3 * c[2]
        slopes[0] = c[1]
        c = slopes
    return c


@stands_for(laguerre.lagder)
def lagder(c, m=1, scl=1, axis=0):
    """``lagder(c, m, scl)``: L_n' = -(L_0 + ... + L_{n-1}) (DLMF 18.9.23)."""
    c = _floats(c)
    _check_axis(axis, c)
    if m >= len(c):
        return c[:1] * 0.0
    for _ in range(m):
        c = -np.flip(np.cumsum(np.flip(scl * c[1:], 0), 0), 0)
    return c


# ------------------------------------------------------------------ integrals


def _constants(k, m):
    """The constants of so many integrations; 0 where none is given."""
    given = (k,) if rules.known_rank(k) == 0 else tuple(k)
    return given + (0.0,) * (m - len(given))


@stands_for(polynomial.polyint)
def polyint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """``polyint(c, m, k, lbnd, scl)``."""
    c = _floats(c)
    _check_axis(axis, c)
    for constant in _constants(k, m):
        c = c * scl
        made = np.concatenate((c[:1] * 0.0, c / _by_degree(len(c), c)))
        made[0] += constant - polyval(lbnd, made)
        c = made
    return c


@stands_for(chebyshev.chebint)
def chebint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """``chebint(c, m, k, lbnd, scl)``."""
    c = _floats(c)
    _check_axis(axis, c)
    for constant in _constants(k, m):
        n = len(c)
        c = c * scl
        made = np.zeros((n + 1, *c.shape[1:]), c.dtype)
        made[1] = c[0]
        if n > 1:
            made[2] = c[1] / 4
        for j in range(2, n):
            made[j + 1] = c[j] / (2 * (j + 1))
            made[j - 1] -= c[j] / (2 * (j - 1))
        made[0] += constant - chebval(lbnd, made)
        c = made
    return c


@stands_for(legendre.legint)
def legint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """``legint(c, m, k, lbnd, scl)``."""
    c = _floats(c)
    _check_axis(axis, c)
    for constant in _constants(k, m):
        n = len(c)
        c = c * scl
        made = np.zeros((n + 1, *c.shape[1:]), c.dtype)
        made[1] = c[0]
        if n > 1:
            made[2] = c[1] / 3
        for j in range(2, n):
            share = c[j] / (2 * j + 1)
            made[j + 1] = share
            made[j - 1] -= share
        made[0] += constant - legval(lbnd, made)
        c = made
    return c


def _fitted(matrix, x, y, deg, rcond, full, w):
    """The coefficients of a fit of all degrees up to ``deg``."""
    if full or rules.known_rank(deg) != 0:
        rules.not_supported(
            "a fit with full=True, or of some degrees", "fit all of them"
        )
    x, y = (v if rules.is_array(v) else np.asarray(v) for v in (x, y))
    x = x if x.dtype.kind in "fc" else x + 0.0
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
