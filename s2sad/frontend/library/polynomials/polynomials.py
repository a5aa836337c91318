"""Polynomials of NumPy by their coefficients, those of the highest powers first:
``np.polyval`` and its like, and fits of them by ``np.linalg.lstsq``. Those of
``numpy.polynomial`` are in files of their own."""

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(np.polyval)
def polyval(p, x):
    """``np.polyval(p, x)``."""
    p = np.asarray(p) if rules.is_sequence(p) and not rules.is_double(x) else p
    y = 0.0 if rules.is_double(x) and rules.is_number(x) else np.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y


@stands_for(np.polyadd)
def polyadd(a1, a2):
    """``np.polyadd(a1, a2)``."""
    a1, a2 = np.atleast_1d(np.asarray(a1)), np.atleast_1d(np.asarray(a2))
    count = max(len(a1), len(a2))
    return _in_front(a1, count) + _in_front(a2, count)


@stands_for(np.polysub)
def polysub(a1, a2):
    """``np.polysub(a1, a2)``."""
    a1, a2 = np.atleast_1d(np.asarray(a1)), np.atleast_1d(np.asarray(a2))
    count = max(len(a1), len(a2))
    return _in_front(a1, count) - _in_front(a2, count)


def _in_front(a, count):
    """So many coefficients, zeros in front."""
    return np.pad(a, (count - len(a), 0))


@stands_for(np.polymul)
def polymul(a1, a2):
    """``np.polymul(a1, a2)``."""
    return np.convolve(_without_zeros(a1), _without_zeros(a2))


def _without_zeros(a):
    """The coefficients from the first that isn't zero."""
    a = np.atleast_1d(np.asarray(a))
    present = np.flatnonzero(a)
    if not rules.surely_has_elements(a) and len(a) == 0:
        return np.zeros(1, a.dtype)
    return a[present[0] :] if len(present) > 0 else a[-1:]


@stands_for(np.polydiv)
def polydiv(u, v):
    """``np.polydiv(u, v)``: quotient and remainder."""
    u, v = np.atleast_1d(np.asarray(u)), np.atleast_1d(np.asarray(v))
    steps = len(u) - len(v) + 1
    scale = 1.0 / v[0]
    q = np.zeros(max(steps, 1), u.dtype)
    r = u + 0.0
    for k in range(steps):
        d = scale * r[k]
        q[k] = d
        r[k : k + len(v)] -= d * v
    zeros = 0
    while zeros < len(r) - 1 and np.allclose(r[zeros], 0, rtol=1e-14):
        zeros = zeros + 1
    return q, r[zeros:]


@stands_for(np.polyder)
def polyder(p, m=1):
    """``np.polyder(p, m)``."""
    p = p if rules.is_array(p) else np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@stands_for(np.polyint)
def polyint(p, m=1, k=None):
    """``np.polyint(p, m, k)``."""
    p = p if rules.is_array(p) else np.asarray(p)
    if k is None:
        k = (0.0,) * m
    elif rules.known_rank(k) == 0:
        k = (k,) * m
    for position in range(m):
        divided = p / np.arange(len(p), 0, -1)
        p = np.concatenate((divided, np.atleast_1d(k[position])))
    return p


@stands_for(np.poly)
def poly(seq_of_zeros):
    """``np.poly(seq_of_zeros)``."""
    seq_of_zeros = np.atleast_1d(np.asarray(seq_of_zeros))
    if rules.known_rank(seq_of_zeros) != 1:
        rules.not_supported("np.poly of a matrix", "pass its eigenvalues")
    made = np.ones(1, seq_of_zeros.dtype)
    for zero in seq_of_zeros:
        made = np.convolve(made, np.stack((np.ones_like(zero), -zero)))
    return made


@stands_for(np.poly1d, always=True)
def poly1d(c_or_r, r=False, variable=None):
    """``np.poly1d(c_or_r)``, as a function."""
    coefficients = poly(c_or_r) if r else c_or_r

    def polynomial(x):
        return polyval(coefficients, x)

    return polynomial


@stands_for(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """``np.polyfit(x, y, deg, rcond, w=w, cov=cov)``."""
    if full:
        rules.not_supported("np.polyfit with full=True", "take the coefficients alone")
    x, y = (v if rules.is_array(v) else np.asarray(v) for v in (x, y))
    x = x if x.dtype.kind in "fc" else x + 0.0
    powers = np.vander(x, deg + 1)
    if w is not None:
        w = w if rules.is_array(w) else np.asarray(w)
        powers = powers * w[:, None]
        y = y * (w[:, None] if rules.known_rank(y) == 2 else w)
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    columns = powers / scale
    scaled = np.linalg.lstsq(columns, y, rcond)[0]
    c = (scaled.T / scale).T
    if not cov:
        return c
    spread = np.linalg.inv(columns.T @ columns) / np.outer(scale, scale)
    if cov == "unscaled":
        return c, spread
    if rules.known_rank(y) != 1:
        rules.not_supported(
            "np.polyfit with cov= of several sets", "fit them one by one"
        )
    residuals = y - columns @ scaled
    return c, spread * (np.sum(residuals * residuals) / (len(x) - deg - 1))
