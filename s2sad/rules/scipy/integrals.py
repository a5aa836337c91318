"""``scipy.special``: exponential, trigonometric and elliptic integrals, hypergeometric
functions and orthogonal polynomials.

Sources: DLMF 6.2, 7.2, 15.5.1, 13.3.15, 13.3.22, 18.9 and 19.4; those of elliptic
integrals by 19.5.1, 19.5.2 and 19.25.13, without cancellation where m is small.
"""

import math

import numpy as np
from scipy import special

from s2sad import ir, rules
from s2sad.ops.numerics.special import elliptic_d
from s2sad.rules.python.numbers import divided

# Exponential integrals.
rules.elementwise(special.exp1, lambda x, out: divided(-np.exp(-x), x), singular=True)
rules.elementwise(special.expi, lambda x, out: divided(np.exp(x), x), singular=True)


def _expn(n, x, out):
    """DLMF 8.19.13, or with 8.19.12 where SciPy may have no function of order n - 1."""
    if rules.is_literal_positive(n):
        return -special.expn(n - 1, x)
    return -(np.exp(-x) - (n - 1) * out) / x


rules.in_last_argument(special.expn, _expn, singular=True)
rules.elementwise(
    special.spence,
    lambda z, out: -special.hyp2f1(1.0, 1.0, 2.0, 1.0 - z),
    singular=True,
)


# Pairs of integrals.
def _pair_kind(x: ir.Kind) -> ir.Kind:
    part = rules.elementwise_result(_first_fresnel, (x,))
    return ir.Structure(tuple, (0, 1), (part, part))


def _first_fresnel(x):
    return special.fresnel(x)[0]


def slopes_of_sici(x):
    """sin(x) / x and cos(x) / x."""
    return np.sinc(x / math.pi), divided(np.cos(x), x)


def slopes_of_shichi(x):
    """sinh(x) / x and cosh(x) / x."""
    even = 0.5 * (special.exprel(x) + special.exprel(-x))
    return even, divided(np.cosh(x), x)


def slopes_of_fresnel(x):
    """sin(pi x^2 / 2) and cos(pi x^2 / 2)."""
    angle = 0.5 * math.pi * x * x
    return np.sin(angle), np.cos(angle)


@rules.reverse_of(special.sici, kind=_pair_kind, singular=True)
def _sici(x, *, out, out_bar):
    slopes = slopes_of_sici(x)
    return slopes[0] * out_bar[0] + slopes[1] * out_bar[1]


@rules.forward_of(special.sici)
def _sici_forward(x, *, out, x_dot):
    slopes = slopes_of_sici(x)
    return slopes[0] * x_dot, slopes[1] * x_dot


@rules.reverse_of(special.shichi, kind=_pair_kind, singular=True)
def _shichi(x, *, out, out_bar):
    slopes = slopes_of_shichi(x)
    return slopes[0] * out_bar[0] + slopes[1] * out_bar[1]


@rules.forward_of(special.shichi)
def _shichi_forward(x, *, out, x_dot):
    slopes = slopes_of_shichi(x)
    return slopes[0] * x_dot, slopes[1] * x_dot


@rules.reverse_of(special.fresnel, kind=_pair_kind)
def _fresnel(x, *, out, out_bar):
    slopes = slopes_of_fresnel(x)
    return slopes[0] * out_bar[0] + slopes[1] * out_bar[1]


@rules.forward_of(special.fresnel)
def _fresnel_forward(x, *, out, x_dot):
    slopes = slopes_of_fresnel(x)
    return slopes[0] * x_dot, slopes[1] * x_dot


# Elliptic integrals.
rules.elementwise(
    special.ellipk,
    lambda m, out: math.pi / 8.0 * special.hyp2f1(1.5, 1.5, 2.0, m),
    singular=True,
)
rules.elementwise(
    special.ellipe,
    lambda m, out: -math.pi / 8.0 * special.hyp2f1(0.5, 1.5, 2.0, m),
    singular=True,
)
rules.elementwise(
    special.ellipkm1,
    lambda p, out: (out - special.ellipe(1.0 - p) / p) / (2.0 * (1.0 - p)),
    singular=True,
)


def _ellipkinc(phi, m, out):
    root = np.sqrt(1.0 - m * np.sin(phi) ** 2)
    corner = 0.5 * np.sin(2.0 * phi) / root
    return 1.0 / root, (out - elliptic_d(phi, m) - corner) / (2.0 * (1.0 - m))


def _ellipeinc(phi, m, out):
    return np.sqrt(1.0 - m * np.sin(phi) ** 2), -0.5 * elliptic_d(phi, m)


def _elliptic_d(phi, m, out):
    root = np.sqrt(1.0 - m * np.sin(phi) ** 2)
    corner = 0.5 * np.sin(2.0 * phi) / root
    of_first = (special.ellipkinc(phi, m) - out - corner) / (1.0 - m)
    return np.sin(phi) ** 2 / root, 0.5 * (of_first - out) / m


rules.elementwise(
    elliptic_d,
    _elliptic_d,
    kind=lambda phi, m: rules.elementwise_result(special.ellipkinc, (phi, m)),
    singular=True,
)
rules.elementwise(special.ellipkinc, _ellipkinc, singular=True)
rules.elementwise(special.ellipeinc, _ellipeinc, singular=True)

# Hypergeometric functions, by their argument.
rules.in_last_argument(
    special.hyp0f1, lambda v, z, out: special.hyp0f1(v + 1, z) / v, singular=True
)
rules.in_last_argument(
    special.hyp1f1,
    lambda a, b, x, out: a / b * special.hyp1f1(a + 1, b + 1, x),
    singular=True,
)
rules.in_last_argument(
    special.hyperu,
    lambda a, b, x, out: -a * special.hyperu(a + 1, b + 1, x),
    singular=True,
)
rules.in_last_argument(
    special.hyp2f1,
    lambda a, b, c, z, out: a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z),
    singular=True,
)

# Orthogonal polynomials. Of degree n - 1 there is none where n is 0, and the factor 0.
rules.in_last_argument(
    special.eval_legendre, lambda n, x, out: special.eval_gegenbauer(n - 1, 1.5, x)
)
rules.in_last_argument(
    special.eval_jacobi,
    lambda n, alpha, beta, x, out: (
        0.5
        * (n > 0)
        * (n + alpha + beta + 1)
        * special.eval_jacobi(abs(n - 1), alpha + 1, beta + 1, x)
    ),
)
rules.in_last_argument(
    special.eval_gegenbauer,
    lambda n, alpha, x, out: 2 * alpha * special.eval_gegenbauer(n - 1, alpha + 1, x),
)
rules.in_last_argument(
    special.eval_chebyt, lambda n, x, out: n * special.eval_chebyu(n - 1, x)
)
rules.in_last_argument(
    special.eval_chebyu, lambda n, x, out: 2 * special.eval_gegenbauer(n - 1, 2.0, x)
)
rules.in_last_argument(
    special.eval_laguerre, lambda n, x, out: -special.eval_genlaguerre(n - 1, 1.0, x)
)
rules.in_last_argument(
    special.eval_genlaguerre,
    lambda n, alpha, x, out: -special.eval_genlaguerre(n - 1, alpha + 1, x),
)
rules.in_last_argument(
    special.eval_hermite, lambda n, x, out: 2 * n * special.eval_hermite(abs(n - 1), x)
)
rules.in_last_argument(
    special.eval_hermitenorm,
    lambda n, x, out: n * special.eval_hermitenorm(abs(n - 1), x),
)
