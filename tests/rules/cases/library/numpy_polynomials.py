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

from tests.rules.cases.form import case

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


CASES = [
    case(np.polyval, V, 0.7),
    case(np.polyval, V, M),
    case(np.polyadd, V, W),
    case(np.polyadd, W, [0.5, 2.0, 1.5, 1.0]),
    case(np.polysub, W, V),
    case(np.polymul, V, W),
    case(np.polymul, V, W[:0], note="empty"),
    case(np.polydiv, V, W[:2]),
    case(np.polydiv, W, V),
    case(np.polyder, V),
    case(np.polyder, V, 2),
    case(np.polyint, V),
    case(np.polyint, V, 2, [0.5, 2.0]),
    case(np.polyint, V, 2, 0.5),
    case(np.poly, V),
    case(made_and_called(np.poly1d), V, M),
    case(of_objects, V),
    *(case(getattr(s, f), 0.4, V) for s, f in zip(SERIES, VALUES)),
    *(case(getattr(s, f), M, V) for s, f in zip(SERIES, VALUES)),
    *(case(getattr(s, f), W, M) for s, f in zip(SERIES, VALUES)),
    *(case(getattr(s, f), V, W[:k]) for s, f in zip(SERIES, VALUES) for k in (1, 2)),
    *(case(getattr(s, f), V, M, False) for s, f in zip(SERIES, VALUES)),
    *(case(getattr(s, f), V, 3) for s, f in zip(SERIES, MATRICES)),
    *(case(getattr(s, f), 0.4, 2) for s, f in zip(SERIES, MATRICES)),
    *(case(getattr(s, f), M, 1) for s, f in zip(SERIES, MATRICES)),
    *(case(getattr(s, f), V) for s, f in zip(SERIES, SLOPES)),
    *(case(getattr(s, f), V, 2, 1.5) for s, f in zip(SERIES, SLOPES)),
    *(case(getattr(s, f), M.T) for s, f in zip(SERIES, SLOPES)),
    *(case(getattr(s, f), V, W) for s, f in zip(SERIES, SUMS)),
    *(case(getattr(s, f), W, V) for s, f in zip(SERIES, DIFFERENCES)),
    *(case(f, V) for f in INTEGRALS),
    *(case(f, V, 2, [0.5], 1.5, 2.0) for f in INTEGRALS),
    *(case(f, M, 1, 0.5) for f in INTEGRALS),
    case(polynomial.polyval2d, V, V * V, M),
    case(polynomial.polyval3d, V, V * V, 0.5 * V, T),
    case(polynomial.polygrid2d, V, W, M),
    case(chebyshev.chebval2d, V, V * V, M),
    case(legendre.legval2d, V, V * V, M),
    case(polynomial.polymul, V, W),
    case(polynomial.polymulx, V),
    case(polynomial.polypow, W, 3),
    case(polynomial.polyfromroots, V),
    case(chebyshev.chebmul, V, W),
    *(case(made_and_called(cls), V, M) for cls in CLASSES),
    case(in_domain, V, M),
]
FITS = [
    case(np.polyfit, V, W4, 1),
    case(np.polyfit, V, W4, 2),
    case(np.polyfit, np.arange(4), W4, 2),
    case(np.polyfit, V, M.T, 1),
    case(np.polyfit, V, W4, 1, None, False, V * V + 0.5),
    case(np.polyfit, V, W4, 1, cov=True),
    case(np.polyfit, V, W4, 1, cov="unscaled"),
    *(case(getattr(s, f), V, W4, 2) for s, f in zip(SERIES, FITTING)),
    case(chebyshev.chebfit, V, M.T, 1, None, False, V * V + 0.5),
]
CASES += FITS
