"""Polynomials of NumPy: by their coefficients, and of ``numpy.polynomial``."""

import numpy as np
from numpy.polynomial import (
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
)

from tests.rules.calls.form import call

V = np.array([0.3, -1.2, 0.7, 2.0])
W = np.array([1.1, 0.4, -0.6])
W4 = np.array([1.1, 0.4, -0.6, 0.9])
M = np.array([[0.5, -0.3, 0.8, 1.4], [1.2, 0.1, -0.9, -0.2], [2.0, 0.6, 0.3, -1.1]])
T = np.linspace(-1.0, 2.0, 12).reshape(2, 3, 2) ** 2
SERIES = (polynomial, chebyshev, legendre, hermite, hermite_e, laguerre)
VALUES = ("polyval", "chebval", "legval", "hermval", "hermeval", "lagval")
MATRICES = (
    *("polyvander", "chebvander", "legvander"),
    *("hermvander", "hermevander", "lagvander"),
)
SLOPES = ("polyder", "chebder", "legder", "hermder", "hermeder", "lagder")
FITTING = ("polyfit", "chebfit", "legfit", "hermfit", "hermefit", "lagfit")
SUMS = ("polyadd", "chebadd", "legadd", "hermadd", "hermeadd", "lagadd")
DIFFERENCES = ("polysub", "chebsub", "legsub", "hermsub", "hermesub", "lagsub")
INTEGRALS = (polynomial.polyint, chebyshev.chebint, legendre.legint)
CLASSES = (
    *(np.polynomial.Polynomial, np.polynomial.Chebyshev, np.polynomial.Legendre),
    *(np.polynomial.Hermite, np.polynomial.HermiteE, np.polynomial.Laguerre),
)
CUBIC = np.poly1d([0.5, -1.0, 2.0, 0.3])
STRETCHED = np.polynomial.Chebyshev([0.5, -1.0, 2.0], domain=[0.0, 3.0])


def of_objects(x):
    return CUBIC(x) * STRETCHED(x) + np.polynomial.Polynomial([1.0, 2.0])(x)


def made_and_called(cls):
    def value(c, x):
        return cls(c)(x)

    value.__name__ = f"value of {cls.__name__}"
    return value


def in_domain(c, x):
    return np.polynomial.Legendre(c, domain=(-2.0, 3.0), window=(0.0, 1.0))(x)


CALLS = [
    call(np.polyval, V, 0.7),
    call(np.polyval, V, M),
    call(np.polyadd, V, W),
    call(np.polyadd, W, [0.5, 2.0, 1.5, 1.0]),
    call(np.polysub, W, V),
    call(np.polymul, V, W),
    call(np.polymul, V, W[:0], note="empty"),
    call(np.polydiv, V, W[:2]),
    call(np.polydiv, W, V),
    call(np.polyder, V),
    call(np.polyder, V, 2),
    call(np.polyint, V),
    call(np.polyint, V, 2, [0.5, 2.0]),
    call(np.polyint, V, 2, 0.5),
    call(np.poly, V),
    call(made_and_called(np.poly1d), V, M),
    call(of_objects, V),
    *(call(getattr(s, f), 0.4, V) for s, f in zip(SERIES, VALUES)),
    *(call(getattr(s, f), M, V) for s, f in zip(SERIES, VALUES)),
    *(call(getattr(s, f), W, M) for s, f in zip(SERIES, VALUES)),
    *(call(getattr(s, f), V, W[:k]) for s, f in zip(SERIES, VALUES) for k in (1, 2)),
    *(call(getattr(s, f), V, M, False) for s, f in zip(SERIES, VALUES)),
    *(call(getattr(s, f), V, 3) for s, f in zip(SERIES, MATRICES)),
    *(call(getattr(s, f), 0.4, 2) for s, f in zip(SERIES, MATRICES)),
    *(call(getattr(s, f), M, 1) for s, f in zip(SERIES, MATRICES)),
    *(call(getattr(s, f), V) for s, f in zip(SERIES, SLOPES)),
    *(call(getattr(s, f), V, 2, 1.5) for s, f in zip(SERIES, SLOPES)),
    *(call(getattr(s, f), M.T) for s, f in zip(SERIES, SLOPES)),
    *(call(getattr(s, f), V, W) for s, f in zip(SERIES, SUMS)),
    *(call(getattr(s, f), W, V) for s, f in zip(SERIES, DIFFERENCES)),
    *(call(f, V) for f in INTEGRALS),
    *(call(f, V, 2, [0.5], 1.5, 2.0) for f in INTEGRALS),
    *(call(f, M, 1, 0.5) for f in INTEGRALS),
    call(polynomial.polyval2d, V, V * V, M),
    call(polynomial.polyval3d, V, V * V, 0.5 * V, T),
    call(polynomial.polygrid2d, V, W, M),
    call(chebyshev.chebval2d, V, V * V, M),
    call(legendre.legval2d, V, V * V, M),
    call(polynomial.polymul, V, W),
    call(polynomial.polymulx, V),
    call(polynomial.polypow, W, 3),
    call(polynomial.polyfromroots, V),
    call(chebyshev.chebmul, V, W),
    *(call(made_and_called(cls), V, M) for cls in CLASSES),
    call(in_domain, V, M),
]
FITS = [
    call(np.polyfit, V, W4, 1),
    call(np.polyfit, V, W4, 2),
    call(np.polyfit, V, M.T, 1),
    call(np.polyfit, V, W4, 1, None, False, V * V + 0.5),
    call(np.polyfit, V, W4, 1, cov=True),
    call(np.polyfit, V, W4, 1, cov="unscaled"),
    *(call(getattr(s, f), V, W4, 2) for s, f in zip(SERIES, FITTING)),
    call(chebyshev.chebfit, V, M.T, 1, None, False, V * V + 0.5),
]
CALLS += FITS
