"""``scipy.linalg``: systems, factorisations, functions of matrices, equations."""

import numpy as np
from scipy import linalg

from tests.rules.cases.form import case

_random = np.random.default_rng(20240918)


def draw(*shape):
    return _random.normal(size=shape)


def complex_(*shape):
    return draw(*shape) + 1j * draw(*shape)


V3, V5, M33, M34, M43, M53, M32 = (
    draw(3),
    draw(5),
    draw(3, 3),
    draw(3, 4),
    draw(4, 3),
    draw(5, 3),
    draw(3, 2),
)
C33, C53, CV3, C32 = complex_(3, 3), complex_(5, 3), complex_(3), complex_(3, 2)
SYMMETRIC = M33 + M33.T
HERMITIAN = C33 + C33.conj().T
POSITIVE = M33 @ M33.T + np.eye(3)
POSITIVE_HERMITIAN = C33 @ C33.conj().T + np.eye(3)
STABLE = 0.3 * M33


def by_cholesky(a, b, lower):
    return linalg.cho_solve(linalg.cho_factor(a, lower, check_finite=False), b)


def overwriting(a, b):
    x = linalg.solve(a + 0.0, b + 0.0, overwrite_a=True, overwrite_b=True)
    return x, linalg.solve_triangular(a, b + 0.0, overwrite_b=True)


def spectrum(a, b=None, lower=True):
    """Free of signs, which LAPACK's drivers for eigh give as it happens."""
    w, v = linalg.eigh(a, b, lower=lower)
    return w, np.abs(v) ** 2, v[0] * np.conj(v[1])


BANDS = draw(3, 5) + np.array([[0.0], [4.0], [0.0]])


def banded(ab, b):
    return linalg.solve_banded((1, 1), ab + 0.0, b + 0.0, overwrite_ab=True)


def by_lu(a, b, trans):
    return linalg.lu_solve(linalg.lu_factor(a), b, trans)


def smallest_norm(a, b):
    x, _, rank, _ = linalg.lstsq(a, b)
    return x * rank


CASES = [
    *(case(linalg.solve, M33, b) for b in (V3, M32)),
    case(linalg.solve, M33, V3, transposed=True),
    case(overwriting, M33, V3),
    case(linalg.solve, C33, C32, assume_a="gen"),
    *(
        case(linalg.solve, SYMMETRIC, b, assume_a="sym", lower=lo)
        for b in (V3, M32)
        for lo in (True, False)
    ),
    *(
        case(linalg.solve, POSITIVE, V3, assume_a="pos", lower=lo)
        for lo in (True, False)
    ),
    *(
        case(linalg.solve, HERMITIAN, CV3, assume_a="her", lower=lo)
        for lo in (True, False)
    ),
    case(linalg.solve, POSITIVE_HERMITIAN, C32, assume_a="pos"),
    *(
        case(linalg.solve_triangular, a, b, trans=t, lower=lo, note=str(a.dtype))
        for a, b in ((M33, V3), (M33, M32), (C33, C32))
        for t in (0, "T", 2)
        for lo in (True, False)
    ),
    *(
        case(linalg.solve_triangular, C33, CV3, trans=t, unit_diagonal=True)
        for t in "NTC"
    ),
    case(
        linalg.solve_triangular,
        M33,
        V3,
        lower=True,
        check_finite=False,
    ),
    *(
        case(linalg.cholesky, a, lower=lo, note=str(a.dtype))
        for a in (POSITIVE, POSITIVE_HERMITIAN)
        for lo in (True, False)
    ),
    *(
        case(by_cholesky, a, b, lo, note=f"{a.dtype} {lo}")
        for a, b in ((POSITIVE, V3), (POSITIVE, M32), (POSITIVE_HERMITIAN, C32))
        for lo in (True, False)
    ),
    case(linalg.cho_solve, (np.triu(POSITIVE), False), V3),
    case(linalg.inv, M33, check_finite=False),
    case(linalg.det, M33),
    *(case(linalg.pinv, a) for a in (M53, M34)),
    *(case(linalg.pinvh, POSITIVE, lower=lo) for lo in (True, False)),
    *(case(linalg.norm, M34, ord=p) for p in (None, 1, 2, "nuc")),
    case(linalg.norm, M34, axis=1),
    *(case(smallest_norm, a, b) for a, b in ((M53, V5), (M34, V3), (M34, M32))),
    case(linalg.lstsq, M53, V5),
    *(case(linalg.svd, a, full_matrices=False) for a in (M53, M34, C53)),
    case(linalg.svd, M33),
    case(linalg.svd, M34, compute_uv=False),
    case(linalg.svdvals, M53),
    *(
        case(linalg.qr, a, mode=m)
        for a in (M43, M34, M33)
        for m in ("full", "economic", "r")
    ),
    case(linalg.qr, C53, mode="economic"),
    *(
        case(f, a, note=str(a.dtype))
        for f in (linalg.eig, linalg.eigvals)
        for a in (M33, C33)
    ),
    case(linalg.eig, M33, right=False),
    *(
        case(linalg.expm, a, note=str(a.dtype))
        for a in (M33, C33, draw(2, 3, 3), 3.0 * M33)
    ),
    *(
        case(f, a, note=str(a.dtype))
        for f in (linalg.logm, linalg.sqrtm)
        for a in (POSITIVE, POSITIVE + 0.2 * M33, C33)
    ),
    *(
        case(linalg.solve_sylvester, *m, note=str(m[0].dtype))
        for m in ((M33, POSITIVE[:2, :2], M32), (C33, POSITIVE_HERMITIAN[:2, :2], C32))
    ),
    *(
        case(linalg.solve_continuous_lyapunov, *m, note=str(m[0].dtype))
        for m in ((M33, SYMMETRIC), (M33, POSITIVE + M33), (C33, HERMITIAN))
    ),
    *(
        case(linalg.solve_discrete_lyapunov, *m, note=str(m[0].dtype))
        for m in ((STABLE, SYMMETRIC), (STABLE, M33), (0.2 * C33, C33))
    ),
    case(linalg.solve_discrete_lyapunov, STABLE, M33, method="bilinear"),
    *(
        case(linalg.lu, a, permute_l=p, note=str(a.dtype))
        for a in (M33, M43, M34, C33, C53)
        for p in (False, True)
    ),
    case(linalg.lu, M43, p_indices=True),
    *(case(linalg.lu_factor, a, note=str(a.dtype)) for a in (M33, C33)),
    *(
        case(by_lu, a, b, t, note=f"{a.dtype} {t}")
        for a, b in ((M33, V3), (M33, M32), (C33, C32))
        for t in (0, 1, 2)
    ),
    case(linalg.lu_solve, (M33, np.array([2, 1, 2])), V3),
    *(
        case(spectrum, a, lower=lo, note=str(a.dtype))
        for a in (SYMMETRIC, HERMITIAN)
        for lo in (True, False)
    ),
    *(case(spectrum, SYMMETRIC, POSITIVE, lower=lo) for lo in (True, False)),
    case(linalg.eigh, SYMMETRIC, POSITIVE, eigvals_only=True, check_finite=False),
    *(
        case(linalg.eigvalsh, a, lower=lo)
        for a in (SYMMETRIC, HERMITIAN)
        for lo in (True, False)
    ),
    case(linalg.eigvalsh, SYMMETRIC, POSITIVE),
    *(
        case(linalg.toeplitz, *v)
        for v in ((V3,), (V3, V5), (V5, V3), (CV3,), (CV3, V5))
    ),
    case(linalg.circulant, V5),
    *(case(linalg.hankel, *v) for v in ((V3,), (V3, V5), (V5, V3))),
    *(
        case(linalg.block_diag, *m)
        for m in ((M33,), (M34, M43), (M32, V3, 2.0), (M32, C33))
    ),
    case(linalg.khatri_rao, M33, M43),
    case(linalg.solve_toeplitz, V5 + np.array([4.0, 0.0, 0.0, 0.0, 0.0]), V5),
    case(linalg.solve_toeplitz, (V5 + 3.0, V5**2), V5),
    case(linalg.solve_toeplitz, (CV3 + 3.0, CV3**2), V3),
    *(case(linalg.polar, m) for m in (M33, M43, M34, C33, C53, C32.T)),
    *(case(linalg.polar, m, "left") for m in (M33, M43, M34, C32)),
    case(linalg.polar, 2.0 * np.eye(3), note="of equal singular values"),
    case(linalg.polar, M43.astype(np.float32), note="float32"),
    case(linalg.solve_circulant, V5 + np.array([4.0, 0.0, 0.0, 0.0, 0.0]), V5),
    case(linalg.solve_circulant, V5 + np.array([4.0, 0.0, 0.0, 0.0, 0.0]), M53),
    case(linalg.solve_circulant, CV3 + np.array([4.0, 0.0, 0.0]), V3),
    case(linalg.solve_circulant, M33 + 4.0 * np.eye(3)[0], M33, baxis=1, outaxis=-1),
    *(
        case(linalg.solve_banded, (lo, up), bands, b, note=f"{lo} {up} {b.dtype}")
        for lo, up, bands, b in (
            (1, 1, BANDS, V5),
            (1, 1, BANDS, M53),
            (2, 0, np.roll(BANDS, -1, 0), V5),
            (0, 2, np.roll(BANDS, 1, 0), M53),
            (1, 1, BANDS + 1j, C53),
        )
    ),
    case(banded, BANDS, V5),
]
