"""``scipy.special``."""

import numpy as np
from scipy import special

from tests.rules.calls.form import call

P = np.array([[0.3, 1.7], [2.9, 0.6]])
"""Positive numbers."""
R = np.array([[0.3, -1.2, 2.1], [-0.4, 0.8, -3.3]])
"""Real numbers."""
U = np.array([[0.3, 0.05], [0.92, 0.6]])
"""Numbers between 0 and 1."""
ROW = np.array([0.7, 1.9])
N = np.array([[1], [3]])
FAR = np.array([-30.0, -6.5, 7.1, 28.0])
ENDS = np.array([-1.0, 1.0])
NARROW = np.array([0.3, -0.8, 1.4], np.float32)
LARGE = np.array([11.3, 63.0, 402.5])


def of_half_order(x):
    return special.jv(2.5, x)


def up_to_a_fraction(m):
    return special.pdtr(1.7, m)


def trigamma(x):
    return special.polygamma(1, x)


def of_fractions(x):
    """Shapes that aren't whole numbers."""
    return (
        special.betainc(0.5, 2.5, x)
        + special.gammainc(0.5, x)
        + special.stdtr(2.5, x)
        + special.hyp2f1(0.5, 1.5, 2.5, x)
    )


OF_REALS = (
    *(special.erf, special.erfc, special.erfi, special.erfcx, special.dawsn),
    *(special.ndtr, special.log_ndtr, special.expit, special.log_expit),
    *(special.expm1, special.exp2, special.exp10, special.cbrt, special.cosm1),
    *(special.exprel, special.wrightomega, special.sindg, special.cosdg),
    *(special.tandg, special.cotdg, special.j0, special.j1, special.i0, special.i1),
    *(special.i0e, special.i1e, special.rgamma, special.gamma, special.gammaln),
    *(special.digamma, special.psi, special.expi),
)
OF_POSITIVE = (
    *(special.loggamma, special.log1p, special.entr, special.y0, special.y1),
    *(special.k0, special.k1, special.k0e, special.k1e, special.exp1, special.spence),
)
OF_SHARES = (
    *(special.logit, special.erfinv, special.erfcinv, special.ndtri, special.ellipk),
    *(special.ellipe, special.ellipkm1),
)
OF_TWO_POSITIVE = (
    *(special.beta, special.betaln, special.poch, special.binom, special.xlogy),
    *(special.xlog1py, special.rel_entr, special.kl_div, special.powm1),
    *(special.boxcox, special.inv_boxcox, special.boxcox1p, special.inv_boxcox1p),
    *(special.huber, special.pseudo_huber, special.owens_t),
)
OF_ORDER = (
    *(special.jv, special.jve, special.yv, special.yve, special.iv, special.ive),
    *(special.kv, special.kve, special.struve, special.modstruve, special.yn),
    *(special.kn, special.expn, special.spherical_jn, special.spherical_yn),
    *(special.spherical_in, special.spherical_kn, special.eval_legendre),
    *(special.eval_chebyt, special.eval_chebyu, special.eval_laguerre),
    *(special.eval_hermite, special.eval_hermitenorm, special.polygamma),
)
OF_SHAPE = (
    *(special.gammainc, special.gammaincc, special.chdtr, special.chdtrc),
    *(special.stdtr, special.pdtr, special.pdtrc, special.hyp0f1),
)
OF_SHAPE_AND_SHARE = (
    *(special.gammaincinv, special.gammainccinv, special.chdtri, special.stdtrit),
)
OF_SHAPES_AND_SHARE = (special.betainc, special.betaincinv, special.fdtri)

Z = np.array([0.3 + 0.5j, -1.2 + 0.1j, 0.8 - 0.7j])


def inverse_of_growth(x):
    return special.lambertw(x).real * special.lambertw(x + 1.0, 0).real


CALLS = [
    call(special.lambertw, Z),
    call(special.lambertw, P + 0j, -1),
    call(inverse_of_growth, P),
    *[
        call(f, Z)
        for f in (special.erf, special.erfc, special.erfi, special.erfcx, special.dawsn)
    ],
    *(call(function, R) for function in OF_REALS),
    *(call(function, P) for function in OF_POSITIVE),
    *(call(function, U) for function in OF_SHARES),
    *(call(function, P, ROW) for function in OF_TWO_POSITIVE),
    *(call(function, 2, P) for function in OF_ORDER),
    *(call(function, N, P) for function in OF_SHAPE),
    *(call(function, N, U) for function in OF_SHAPE_AND_SHARE),
    *(call(function, N, 2, U) for function in OF_SHAPES_AND_SHARE),
    call(special.ndtri_exp, -P),
    call(special.zeta, 3, P),
    call(special.factorial, P),
    call(special.comb, P + 3.0, P),
    call(special.perm, P + 3.0, P),
    call(special.multigammaln, P + 1.0, 3),
    call(special.radian, 1.0, ROW, R[:, :2]),
    call(special.gdtr, P, N, ROW),
    call(special.gdtrc, P, N, ROW),
    call(special.fdtr, N, 3, P),
    call(special.fdtrc, N, 3, P),
    call(special.bdtr, 1, 5, U),
    call(special.bdtrc, 1, 5, U),
    call(special.nbdtr, 1, 5, U),
    call(special.ellipkinc, P, np.array([0.7, 0.2])),
    call(special.ellipeinc, P, np.array([0.7, 0.2])),
    call(special.hyp1f1, 1, 2, R),
    call(special.hyperu, 1, 2, P),
    call(special.hyp2f1, 1, 2, 4, U),
    call(special.eval_jacobi, 3, 1, 2, R),
    call(special.eval_gegenbauer, 3, 2, R),
    call(special.eval_genlaguerre, 3, 2, R),
    call(special.sici, P),
    call(special.shichi, R),
    call(special.fresnel, R),
    call(special.airy, R),
    call(special.logsumexp, R),
    call(special.logsumexp, R, axis=1),
    call(special.logsumexp, R, axis=-2, keepdims=True),
    call(special.logsumexp, R, axis=(0, 1)),
    call(special.logsumexp, R, None, np.array([0.4, 1.3, 2.0]), note="b"),
    call(special.logsumexp, R[0], 1, P.T[:, :, None] * np.ones(3), note="wide b"),
    call(special.logsumexp, R, 0, None, True, True, note="sign"),
    call(special.logsumexp, R, 1, np.array([1.0, -2.0, 0.5]), False, True, note="s"),
    call(special.logsumexp, R[:, ::2].T, axis=0),
    call(special.logsumexp, NARROW),
    call(special.softmax, R),
    call(special.softmax, R, axis=1),
    call(special.softmax, R.T, axis=(0, 1)),
    call(special.softmax, NARROW),
    call(special.log_softmax, R),
    call(special.log_softmax, R, axis=-1),
    call(special.log_softmax, R[0]),
    # Numbers, dtypes and other regions.
    *(call(function, 0.7) for function in (*OF_REALS, *OF_POSITIVE, *OF_SHARES)),
    *(call(function, 1.3, 0.4) for function in OF_TWO_POSITIVE),
    *(call(function, 1, 0.4) for function in (*OF_ORDER, *OF_SHAPE)),
    *(call(function, NARROW) for function in OF_REALS if function != special.expi),
    *(
        call(function, FAR, note="far")
        for function in (special.erfc, special.log_ndtr, special.expit)
    ),
    *(call(special.erfcx, x, note=str(x)) for x in (-4.0, 0.0, 9.0)),
    *(
        call(function, LARGE, note="large")
        for function in (special.gammaln, special.digamma, special.k0e, special.i1e)
    ),
    *(call(function, -1.7, note="-1.7") for function in (special.j1, special.i1)),
    *(
        call(function, 0.0, note="at 0")
        for function in (special.j0, special.j1, special.i0, special.i1, special.erf)
    ),
    call(special.jv, 0, 0.0, note="at 0"),
    call(of_half_order, LARGE),
    call(up_to_a_fraction, P),
    call(trigamma, -R),
    call(of_fractions, U),
    call(special.exprel, 0.0, note="at 0"),
    call(special.ellipk, np.array([0.0, -3.0]), note="at 0"),
    call(special.ellipe, np.array([0.0, -3.0]), note="at 0"),
    call(special.boxcox, ROW, 0.0, note="at 0"),
    call(special.inv_boxcox, ROW, 0.0, note="at 0"),
    call(special.boxcox1p, ROW, 0.0, note="at 0"),
    call(special.inv_boxcox1p, ROW, 0.0, note="at 0"),
    call(special.shichi, 0.4, note="one"),
    call(special.expn, 0, P, note="of order 0"),
    call(special.expn, 1, P, note="of order 1"),
    call(special.expn, N, P, note="of orders"),
    call(special.spherical_jn, 2, P, True, note="derivative"),
    call(special.spherical_yn, 2, P, True, note="derivative"),
    call(special.spherical_in, 2, P, True, note="derivative"),
    call(special.spherical_kn, 2, P, True, note="derivative"),
    call(special.eval_hermite, 0, P, note="of degree 0"),
    call(special.eval_legendre, 0, P, note="of degree 0"),
    call(special.eval_legendre, 3, ENDS, note="at the ends"),
    call(special.eval_jacobi, 0, 1, 2, ENDS, note="of degree 0"),
    call(special.huber, 0.5, R),
    call(special.comb, P + 3.0, 2),
    call(special.comb, P, 4.0, note="outside"),
    call(special.factorial, P - 2.0, note="outside"),
    call(special.multigammaln, 2.3, 2),
    call(special.airy, 0.3),
]
if hasattr(special, "betaincc"):
    CALLS += [
        call(special.betaincc, N, 2, U),
        call(special.betainccinv, N, 2, U),
    ]
if hasattr(special, "softplus"):
    CALLS += [call(special.softplus, R), call(special.softplus, FAR)]
