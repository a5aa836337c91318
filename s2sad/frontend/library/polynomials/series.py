"""``numpy.polynomial``: series by their coefficients, those of the lowest degrees
first, in powers and in orthogonal polynomials.

Values are computed by Horner's scheme and by Clenshaw's recurrence as NumPy does (C. W.
Clenshaw, A note on the summation of Chebyshev series, Mathematical Tables and Other
Aids to Computation 9, 1955); the recurrences of the polynomials are those of the NIST
Digital Library of Mathematical Functions, table 18.9.1.
"""

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
from s2sad.frontend.library.texts import stands_for

# ------------------------------------------------------------------ values


def _ready(x, c, tensor):
    """Coefficients to broadcast against positions."""
    c = np.atleast_1d(c if rules.is_array(c) else np.asarray(c))
    if tensor and rules.known_rank(x) > 0:
        c = np.reshape(c, c.shape + (1,) * rules.known_rank(x))
    return c


def _spread(x, coefficient):
    """A coefficient at each position."""
    if rules.known_rank(x) == 0:
        return coefficient + 0.0
    return coefficient + np.zeros_like(x)


@stands_for(polynomial.polyval)
def polyval(x, c, tensor=True):
    """``polyval(x, c)``."""
    x = np.asarray(x) if rules.is_sequence(x) else x
    c = _ready(x, c, tensor)
    y = _spread(x, c[-1])
    for k in range(2, len(c) + 1):
        y = c[-k] + y * x
    return y


@stands_for(chebyshev.chebval)
def chebval(x, c, tensor=True):
    """``chebval(x, c)``."""
    x = np.asarray(x) if rules.is_sequence(x) else x
    c = _ready(x, c, tensor)
    if len(c) == 1:
        return _spread(x, c[0])
    c0, c1 = _spread(x, c[-2]), _spread(x, c[-1])
    for k in range(3, len(c) + 1):
        c0, c1 = c[-k] - c1, c0 + c1 * (2 * x)
    return c0 + c1 * x


@stands_for(legendre.legval)
def legval(x, c, tensor=True):
    """``legval(x, c)``."""
    x = np.asarray(x) if rules.is_sequence(x) else x
    c = _ready(x, c, tensor)
    if len(c) == 1:
        return _spread(x, c[0])
    c0, c1 = _spread(x, c[-2]), _spread(x, c[-1])
    for k in range(3, len(c) + 1):
        n = len(c) + 2 - k
        before = c0
        c0 = c[-k] - c1 * ((n - 1) / n)
        c1 = before + c1 * x * ((2 * n - 1) / n)
    return c0 + c1 * x


@stands_for(hermite.hermval)
def hermval(x, c, tensor=True):
    """``hermval(x, c)``."""
    x = np.asarray(x) if rules.is_sequence(x) else x
    c = _ready(x, c, tensor)
    if len(c) == 1:
        return _spread(x, c[0])
    c0, c1 = _spread(x, c[-2]), _spread(x, c[-1])
    for k in range(3, len(c) + 1):
        n = len(c) + 2 - k
        c0, c1 = c[-k] - c1 * (2 * (n - 1)), c0 + c1 * (x * 2)
    return c0 + c1 * (x * 2)


@stands_for(hermite_e.hermeval)
def hermeval(x, c, tensor=True):
    """``hermeval(x, c)``."""
    x = np.asarray(x) if rules.is_sequence(x) else x
    c = _ready(x, c, tensor)
    if len(c) == 1:
        return _spread(x, c[0])
    c0, c1 = _spread(x, c[-2]), _spread(x, c[-1])
    for k in range(3, len(c) + 1):
        n = len(c) + 2 - k
        c0, c1 = c[-k] - c1 * (n - 1), c0 + c1 * x
    return c0 + c1 * x


@stands_for(laguerre.lagval)
def lagval(x, c, tensor=True):
    """``lagval(x, c)``."""
    x = np.asarray(x) if rules.is_sequence(x) else x
    c = _ready(x, c, tensor)
    if len(c) == 1:
        return _spread(x, c[0])
    c0, c1 = _spread(x, c[-2]), _spread(x, c[-1])
    for k in range(3, len(c) + 1):
        n = len(c) + 2 - k
        before = c0
        c0 = c[-k] - (c1 * (n - 1)) / n
        c1 = before + (c1 * ((2 * n - 1) - x)) / n
    return c0 + c1 * (1 - x)


@stands_for(polynomial.polyval2d)
def polyval2d(x, y, c):
    """``polyval2d(x, y, c)``."""
    return polyval(y, polyval(x, c), False)


@stands_for(polynomial.polyval3d)
def polyval3d(x, y, z, c):
    """``polyval3d(x, y, z, c)``."""
    return polyval(z, polyval(y, polyval(x, c), False), False)


@stands_for(polynomial.polygrid2d)
def polygrid2d(x, y, c):
    """``polygrid2d(x, y, c)``."""
    return polyval(y, polyval(x, c))


@stands_for(chebyshev.chebval2d)
def chebval2d(x, y, c):
    """``chebval2d(x, y, c)``."""
    return chebval(y, chebval(x, c), False)


@stands_for(legendre.legval2d)
def legval2d(x, y, c):
    """``legval2d(x, y, c)``."""
    return legval(y, legval(x, c), False)


# ------------------------------------------------------------------ matrices


def _first_two(x, deg, first):
    """The columns of degree 0 and 1, as many as are asked for."""
    ones = np.ones_like(x)
    return [ones, first] if deg > 0 else [ones]


def _positions(x):
    return np.atleast_1d(x if rules.is_array(x) else np.asarray(x)) + 0.0


@stands_for(polynomial.polyvander)
def polyvander(x, deg):
    """``polyvander(x, deg)``."""
    x = _positions(x)
    columns = _first_two(x, deg, x)
    for _ in range(2, deg + 1):
        columns.append(columns[-1] * x)
    return np.stack(columns, axis=-1)


@stands_for(chebyshev.chebvander)
def chebvander(x, deg):
    """``chebvander(x, deg)``."""
    x = _positions(x)
    columns = _first_two(x, deg, x)
    for _ in range(2, deg + 1):
        columns.append(columns[-1] * (2 * x) - columns[-2])
    return np.stack(columns, axis=-1)


@stands_for(legendre.legvander)
def legvander(x, deg):
    """``legvander(x, deg)``."""
    x = _positions(x)
    columns = _first_two(x, deg, x)
    for n in range(2, deg + 1):
        columns.append((columns[-1] * x * (2 * n - 1) - columns[-2] * (n - 1)) / n)
    return np.stack(columns, axis=-1)


@stands_for(hermite.hermvander)
def hermvander(x, deg):
    """``hermvander(x, deg)``."""
    x = _positions(x)
    columns = _first_two(x, deg, x * 2)
    for n in range(2, deg + 1):
        columns.append(columns[-1] * (x * 2) - columns[-2] * (2 * (n - 1)))
    return np.stack(columns, axis=-1)


@stands_for(hermite_e.hermevander)
def hermevander(x, deg):
    """``hermevander(x, deg)``."""
    x = _positions(x)
    columns = _first_two(x, deg, x)
    for n in range(2, deg + 1):
        columns.append(columns[-1] * x - columns[-2] * (n - 1))
    return np.stack(columns, axis=-1)


@stands_for(laguerre.lagvander)
def lagvander(x, deg):
    """``lagvander(x, deg)``."""
    x = _positions(x)
    columns = _first_two(x, deg, 1 - x)
    for n in range(2, deg + 1):
        columns.append((columns[-1] * (2 * n - 1 - x) - columns[-2] * (n - 1)) / n)
    return np.stack(columns, axis=-1)


# ------------------------------------------------------------------ objects


def _mapped(x, domain, window):
    """Positions in a domain, in the window."""
    x = x if rules.is_double(x) else np.asarray(x, float)
    if domain is None:
        return x
    width = domain[1] - domain[0]
    shift = (domain[1] * window[0] - domain[0] * window[1]) / width
    return shift + (window[1] - window[0]) / width * x


def _series(value, coef, domain, window, usual):
    """The object that NumPy makes of coefficients, as a function."""
    coef = np.atleast_1d(np.asarray(coef))
    if domain is None and window is not None:
        domain = usual
    window = usual if window is None else window

    def called(x):
        return value(_mapped(x, domain, window), coef)

    return called


@stands_for(np.polynomial.Polynomial, always=True)
def make_polynomial(coef, domain=None, window=None):
    """``Polynomial(coef)``."""
    return _series(polyval, coef, domain, window, (-1.0, 1.0))


@stands_for(np.polynomial.Chebyshev, always=True)
def make_chebyshev(coef, domain=None, window=None):
    """``Chebyshev(coef)``."""
    return _series(chebval, coef, domain, window, (-1.0, 1.0))


@stands_for(np.polynomial.Legendre, always=True)
def make_legendre(coef, domain=None, window=None):
    """``Legendre(coef)``."""
    return _series(legval, coef, domain, window, (-1.0, 1.0))


@stands_for(np.polynomial.Hermite, always=True)
def make_hermite(coef, domain=None, window=None):
    """``Hermite(coef)``."""
    return _series(hermval, coef, domain, window, (-1.0, 1.0))


@stands_for(np.polynomial.HermiteE, always=True)
def make_hermite_e(coef, domain=None, window=None):
    """``HermiteE(coef)``."""
    return _series(hermeval, coef, domain, window, (-1.0, 1.0))


@stands_for(np.polynomial.Laguerre, always=True)
def make_laguerre(coef, domain=None, window=None):
    """``Laguerre(coef)``."""
    return _series(lagval, coef, domain, window, (0.0, 1.0))
