"""``scipy.special``."""

import numpy as np
from scipy import special

from s2sad.ops.numerics.special import elliptic_d
from tests.rules.cases.form import case

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


def signed_gamma(x):
    return special.gammasgn(x) * np.exp(special.gammaln(x))


CASES = [
    case(signed_gamma, R),
    case(special.lambertw, Z),
    case(special.lambertw, P + 0j, -1),
    case(inverse_of_growth, P),
    *[
        case(f, Z)
        for f in (special.erf, special.erfc, special.erfi, special.erfcx, special.dawsn)
    ],
    *(case(function, R) for function in OF_REALS),
    *(case(function, P) for function in OF_POSITIVE),
    *(case(function, U) for function in OF_SHARES),
    *(case(function, P, ROW) for function in OF_TWO_POSITIVE),
    *(case(function, 2, P) for function in OF_ORDER),
    *(case(function, N, P) for function in OF_SHAPE),
    *(case(function, N, U) for function in OF_SHAPE_AND_SHARE),
    *(case(function, N, 2, U) for function in OF_SHAPES_AND_SHARE),
    case(special.ndtri_exp, -P),
    case(special.zeta, 3, P),
    case(special.factorial, P),
    case(special.comb, P + 3.0, P),
    case(special.perm, P + 3.0, P),
    case(special.multigammaln, P + 1.0, 3),
    case(special.radian, 1.0, ROW, R[:, :2]),
    case(special.gdtr, P, N, ROW),
    case(special.gdtrc, P, N, ROW),
    case(special.fdtr, N, 3, P),
    case(special.fdtrc, N, 3, P),
    case(special.bdtr, 1, 5, U),
    case(special.bdtrc, 1, 5, U),
    case(special.nbdtr, 1, 5, U),
    case(special.ellipkinc, P, np.array([0.7, 0.2])),
    case(special.ellipeinc, P, np.array([0.7, 0.2])),
    *(
        case(f, 4 * P - 3, np.array([0.0, 1e-9]), note="small m", second_order=False)
        for f in (special.ellipkinc, special.ellipeinc)
    ),
    case(elliptic_d, 4 * P - 3, np.array([0.7, -0.2])),
    case(special.hyp1f1, 1, 2, R),
    case(special.hyperu, 1, 2, P),
    case(special.hyp2f1, 1, 2, 4, U),
    case(special.eval_jacobi, 3, 1, 2, R),
    case(special.eval_gegenbauer, 3, 2, R),
    case(special.eval_genlaguerre, 3, 2, R),
    case(special.sici, P),
    case(special.shichi, R),
    case(special.fresnel, R),
    case(special.airy, R),
    case(special.logsumexp, R),
    case(special.logsumexp, R, axis=1),
    case(special.logsumexp, R, axis=-2, keepdims=True),
    case(special.logsumexp, R, axis=(0, 1)),
    case(special.logsumexp, R, None, np.array([0.4, 1.3, 2.0]), note="b"),
    case(special.logsumexp, R[0], 1, P.T[:, :, None] * np.ones(3), note="wide b"),
    case(special.logsumexp, R, 0, None, True, True, note="sign"),
    case(special.logsumexp, R, 1, np.array([1.0, -2.0, 0.5]), False, True, note="s"),
    case(special.logsumexp, R[:, ::2].T, axis=0),
    case(special.logsumexp, NARROW),
    case(special.softmax, R),
    case(special.softmax, R, axis=1),
    case(special.softmax, R.T, axis=(0, 1)),
    case(special.softmax, NARROW),
    case(special.log_softmax, R),
    case(special.log_softmax, R, axis=-1),
    case(special.log_softmax, R[0]),
    # Numbers, dtypes and other regions.
    *(case(function, 0.7) for function in (*OF_REALS, *OF_POSITIVE, *OF_SHARES)),
    *(case(function, 1.3, 0.4) for function in OF_TWO_POSITIVE),
    *(case(function, 1, 0.4) for function in (*OF_ORDER, *OF_SHAPE)),
    *(case(function, NARROW) for function in OF_REALS if function != special.expi),
    *(
        case(function, FAR, note="far")
        for function in (special.erfc, special.log_ndtr, special.expit)
    ),
    *(case(special.erfcx, x, note=str(x)) for x in (-4.0, 0.0, 9.0)),
    *(
        case(function, LARGE, note="large")
        for function in (special.gammaln, special.digamma, special.k0e, special.i1e)
    ),
    *(case(function, -1.7, note="-1.7") for function in (special.j1, special.i1)),
    *(
        case(function, 0.0, note="at 0")
        for function in (special.j0, special.j1, special.i0, special.i1, special.erf)
    ),
    case(special.jv, 0, 0.0, note="at 0"),
    case(of_half_order, LARGE),
    case(up_to_a_fraction, P),
    case(trigamma, -R),
    case(of_fractions, U),
    case(special.exprel, 0.0, note="at 0"),
    case(special.ellipk, np.array([0.0, -3.0]), note="at 0"),
    case(special.ellipe, np.array([0.0, -3.0]), note="at 0"),
    case(special.boxcox, ROW, 0.0, note="at 0"),
    case(special.inv_boxcox, ROW, 0.0, note="at 0"),
    case(special.boxcox1p, ROW, 0.0, note="at 0"),
    case(special.inv_boxcox1p, ROW, 0.0, note="at 0"),
    case(special.shichi, 0.4, note="one"),
    case(special.expn, 0, P, note="of order 0"),
    case(special.expn, 1, P, note="of order 1"),
    case(special.expn, N, P, note="of orders"),
    case(special.spherical_jn, 2, P, True, note="derivative"),
    case(special.spherical_yn, 2, P, True, note="derivative"),
    case(special.spherical_in, 2, P, True, note="derivative"),
    case(special.spherical_kn, 2, P, True, note="derivative"),
    case(special.eval_hermite, 0, P, note="of degree 0"),
    case(special.eval_legendre, 0, P, note="of degree 0"),
    case(special.eval_legendre, 3, ENDS, note="at the ends"),
    case(special.eval_jacobi, 0, 1, 2, ENDS, note="of degree 0"),
    case(special.huber, 0.5, R),
    case(special.comb, P + 3.0, 2),
    case(special.comb, P, 4.0, note="outside"),
    case(special.factorial, P - 2.0, note="outside"),
    case(special.multigammaln, 2.3, 2),
    case(special.airy, 0.3),
]
if hasattr(special, "betaincc"):
    CASES += [
        case(special.betaincc, N, 2, U),
        case(special.betainccinv, N, 2, U),
    ]
if hasattr(special, "softplus"):
    CASES += [case(special.softplus, R), case(special.softplus, FAR)]
