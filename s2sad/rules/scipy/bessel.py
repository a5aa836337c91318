"""``scipy.special``: Bessel functions and their kin, by their argument.

Sources: DLMF 10.6.1, 10.29.1, 10.51.1, 11.4.33 and 11.4.34.
"""

import functools

import numpy as np
from scipy import special

from s2sad import ir, rules

_of_order = functools.partial(rules.in_last_argument, singular=True)

rules.elementwise(special.j0, lambda x, out: -special.j1(x))
rules.elementwise(special.j1, lambda x, out: 0.5 * (special.j0(x) - special.jv(2, x)))
rules.elementwise(special.y0, lambda x, out: -special.y1(x), singular=True)
rules.elementwise(
    special.y1, lambda x, out: 0.5 * (special.y0(x) - special.yn(2, x)), singular=True
)
rules.elementwise(special.i0, lambda x, out: special.i1(x), singular=True)
rules.elementwise(
    special.i1, lambda x, out: 0.5 * (special.i0(x) + special.iv(2, x)), singular=True
)
rules.elementwise(special.k0, lambda x, out: -special.k1(x), singular=True)
rules.elementwise(
    special.k1, lambda x, out: -0.5 * (special.k0(x) + special.kn(2, x)), singular=True
)

# Scaled by exp(-abs(x)), or by exp(x).
rules.elementwise(special.i0e, lambda x, out: special.i1e(x) - np.sign(x) * out)
rules.elementwise(
    special.i1e,
    lambda x, out: 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * out,
)
rules.elementwise(special.k0e, lambda x, out: out - special.k1e(x), singular=True)
rules.elementwise(
    special.k1e,
    lambda x, out: out - 0.5 * (special.k0e(x) + special.kve(2, x)),
    singular=True,
)

# Of any order.
_of_order(
    special.jv, lambda v, z, out: 0.5 * (special.jv(v - 1, z) - special.jv(v + 1, z))
)
_of_order(
    special.jve, lambda v, z, out: 0.5 * (special.jve(v - 1, z) - special.jve(v + 1, z))
)
_of_order(
    special.yn, lambda n, x, out: 0.5 * (special.yn(n - 1, x) - special.yn(n + 1, x))
)
_of_order(
    special.yv, lambda v, z, out: 0.5 * (special.yv(v - 1, z) - special.yv(v + 1, z))
)
_of_order(
    special.yve, lambda v, z, out: 0.5 * (special.yve(v - 1, z) - special.yve(v + 1, z))
)
_of_order(
    special.iv, lambda v, z, out: 0.5 * (special.iv(v - 1, z) + special.iv(v + 1, z))
)
_of_order(
    special.ive,
    lambda v, z, out: (
        0.5 * (special.ive(v - 1, z) + special.ive(v + 1, z)) - np.sign(z) * out
    ),
)
_of_order(
    special.kn, lambda n, x, out: -0.5 * (special.kn(n - 1, x) + special.kn(n + 1, x))
)
_of_order(
    special.kv, lambda v, z, out: -0.5 * (special.kv(v - 1, z) + special.kv(v + 1, z))
)
_of_order(
    special.kve,
    lambda v, z, out: out - 0.5 * (special.kve(v - 1, z) + special.kve(v + 1, z)),
)


# Struve's functions.
def _struve(v, x, out):
    return special.struve(v - 1, x) - v * out / x


def _modstruve(v, x, out):
    return special.modstruve(v - 1, x) - v * out / x


_of_order(special.struve, _struve)
_of_order(special.modstruve, _modstruve)


# Spherical functions f solve z^2 f'' + 2 z f' + (s z^2 - n (n + 1)) f = 0 with s = 1
# for jn and yn, and s = -1 for in and kn.
def _spherical_jn(n, z, derivative=False, *, out):
    if derivative:
        return (n * (n + 1) / (z * z) - 1.0) * special.spherical_jn(n, z) - 2 * out / z
    return special.spherical_jn(n, z, True)


def _spherical_yn(n, z, derivative=False, *, out):
    if derivative:
        return (n * (n + 1) / (z * z) - 1.0) * special.spherical_yn(n, z) - 2 * out / z
    return special.spherical_yn(n, z, True)


def _spherical_in(n, z, derivative=False, *, out):
    if derivative:
        return (n * (n + 1) / (z * z) + 1.0) * special.spherical_in(n, z) - 2 * out / z
    return special.spherical_in(n, z, True)


def _spherical_kn(n, z, derivative=False, *, out):
    if derivative:
        return (n * (n + 1) / (z * z) + 1.0) * special.spherical_kn(n, z) - 2 * out / z
    return special.spherical_kn(n, z, True)


def _spherical_kind(
    n: ir.Kind, z: ir.Kind, derivative: ir.Kind | None = None
) -> ir.Kind:
    return rules.elementwise_result(special.spherical_jn, (n, z))


for _function, _partials in (
    (special.spherical_jn, _spherical_jn),
    (special.spherical_yn, _spherical_yn),
    (special.spherical_in, _spherical_in),
    (special.spherical_kn, _spherical_kn),
):
    rules.elementwise(
        _function,
        _partials,
        kind=_spherical_kind,
        differentiable=("z",),
        refused=("n",),
        singular=True,
    )


# Airy's functions Ai, Ai', Bi, Bi': DLMF 9.2.1.
def _airy_kind(z: ir.Kind) -> ir.Kind:
    part = rules.elementwise_result(_first_airy, (z,))
    return ir.Structure(tuple, (0, 1, 2, 3), (part,) * 4)


def _first_airy(z):
    return special.airy(z)[0]


@rules.reverse_of(special.airy, kind=_airy_kind, singular=True)
def _airy(z, *, out, out_bar):
    return (
        out[1] * out_bar[0]
        + z * out[0] * out_bar[1]
        + out[3] * out_bar[2]
        + z * out[2] * out_bar[3]
    )


@rules.forward_of(special.airy)
def _airy_forward(z, *, out, z_dot):
    return out[1] * z_dot, z * out[0] * z_dot, out[3] * z_dot, z * out[2] * z_dot
