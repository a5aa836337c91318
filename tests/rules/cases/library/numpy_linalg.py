"""``np.linalg``: least squares, factorisations, eigenvalues, norms."""

import numpy as np

from tests.rules.cases.form import case

linalg = np.linalg
_random = np.random.default_rng(20240918)


def draw(*shape):
    return _random.normal(size=shape)


def complex_(*shape):
    return draw(*shape) + 1j * draw(*shape)


V3, V4, V5 = draw(3), draw(4), draw(5)
M33, M34, M43, M53 = draw(3, 3), draw(3, 4), draw(4, 3), draw(5, 3)
B33, B35 = draw(2, 3, 3), draw(2, 3, 5)
SHAPES = (3, 3), (3, 4), (4, 3), (5, 3), (3, 5)
C33, C34, C43, C53, C35 = (complex_(*shape) for shape in SHAPES)
H33 = C33 + C33.conj().T
SPIRAL = np.array([[0.5, -1.2, 0.3], [0.9, 0.2, -0.4], [-0.1, 0.8, -0.7]])


def solution(a, b):
    return linalg.lstsq(a, b)[0]


def residuals(a, b):
    return linalg.lstsq(a, b, rcond=None)[1]


def least_squares(a, b):
    x, rest, rank, s = linalg.lstsq(a, b, rcond=1e-10)
    return np.sum(x * x) * s + np.sum(rest) * rank


def low_rank_matrix(x, y):
    return np.outer(x, y) + np.outer(x**2, y**2)


def of_rank_two(x, y):
    return linalg.pinv(low_rank_matrix(x, y), 1e-10)


def solution_of_rank_two(x, y, b):
    return linalg.lstsq(low_rank_matrix(x, y), b, 1e-10)[0]


def singular_triple(a):
    u, s, vh = linalg.svd(a, full_matrices=False)
    return u * s[..., None, :], vh


def left_vectors(a):
    return linalg.svd(a, False)[0]


def low_rank(a):
    u, s, vh = linalg.svd(a)
    return (u[:, :2] * s[:2]) @ vh[:2]


def of_rank(a):
    return linalg.matrix_rank(a) * a * a


def power(a, n):
    return linalg.matrix_power(a, n)


def null_vector(a):
    return linalg.svd(a)[2][-1]


def null_projection(a):
    rest = linalg.svd(a)[2][a.shape[0] :]
    return rest.T @ rest


def eigenvalues(a):
    w, v = linalg.eig(a)
    return w, v


def eigenvectors(a):
    return linalg.eigh(a).eigenvectors


CASES = [
    case(solution, M53, V5),
    case(solution, M53, draw(5, 2)),
    case(solution, M34, V3),
    case(solution, M34, draw(3, 2)),
    case(of_rank_two, V4, V3),
    case(of_rank_two, V3, V4),
    case(solution_of_rank_two, V4, V3, V4**3),
    case(solution_of_rank_two, V3, V4, V3**3),
    case(solution, C53, complex_(5)),
    case(solution, C34, complex_(3)),
    case(residuals, M53, V5),
    case(residuals, M53, draw(5, 2)),
    case(residuals, M34, draw(3, 2)),
    case(least_squares, M53, V5),
    case(linalg.lstsq, M53, V5),
    *(case(linalg.pinv, a, note=str(a.dtype)) for a in (M53, M34, M33, B35, C53, C34)),
    *(
        case(linalg.svd, a, full_matrices=False, note=str(a.dtype))
        for a in (M53, M34, M33, B33, B35, C53, C34, C33)
    ),
    *(
        case(linalg.svd, a, compute_uv=False, note=str(a.dtype))
        for a in (M53, M34, B35, C53)
    ),
    *(case(linalg.svd, a, note=str(a.dtype)) for a in (M33, M34, M43, C33)),
    *(case(f, a) for f in (singular_triple, left_vectors) for a in (M53, M34)),
    *(case(low_rank, a) for a in (M53, M34)),
    case(null_vector, M34),
    case(null_projection, M34),
    *(
        case(linalg.qr, a, note=str(a.dtype))
        for a in (M53, M34, M33, B33, B35, C53, C34, C33)
    ),
    *(case(linalg.qr, a, "r", note=str(a.dtype)) for a in (M53, M34, B35, C53)),
    *(
        case(linalg.qr, a, mode="complete", note=str(a.dtype))
        for a in (M43, M34, M33, C34)
    ),
    *(
        case(f, a, note=str(a.dtype))
        for f in (linalg.eig, linalg.eigvals)
        for a in (SPIRAL, np.stack([SPIRAL, SPIRAL.T + 0.1]), C33)
    ),
    *(
        case(f, a, UPLO=u, note=str(a.dtype))
        for f in (linalg.eigh, linalg.eigvalsh)
        for a in (H33, M33 + M33.T)
        for u in "LU"
    ),
    case(linalg.slogdet, C33),
    case(of_rank, M34),
    *(
        case(linalg.svd, a, hermitian=True, note=str(a.dtype))
        for a in (M33 + M33.T, H33)
    ),
    case(linalg.svd, M33 + M33.T, compute_uv=False, hermitian=True),
    *(
        case(linalg.pinv, a + 4.0 * np.eye(3), hermitian=True, note=str(a.dtype))
        for a in (M33 + M33.T, H33)
    ),
    *(case(linalg.cond, M33, p=p) for p in (None, 2, -2, 1, -1, np.inf, "fro", "nuc")),
    case(linalg.cond, M53),
    case(linalg.cond, B33, 1),
    case(linalg.cond, C33),
    *(
        case(linalg.matrix_power, M33, n, note=str(n))
        for n in (0, 1, 2, 3, 4, 7, 12, -1, -3)
    ),
    case(linalg.matrix_power, B33, 5),
    case(power, M33, 12),
    case(linalg.matrix_power, C33, -2),
    case(linalg.tensorsolve, draw(2, 3, 6), draw(2, 3)),
    case(linalg.tensorsolve, draw(2, 6, 3), draw(2, 3), axes=(1,)),
    case(linalg.tensorinv, draw(4, 2, 2, 4), 2),
    case(linalg.tensorinv, draw(6, 2, 3), ind=1),
    case(linalg.svdvals, B35),
    case(linalg.outer, V3, V4),
    case(linalg.matmul, M33, M34),
    case(linalg.tensordot, M34, M43, axes=1),
    case(linalg.cross, V3, draw(3)),
    case(linalg.cross, M33, draw(3, 3), axis=0),
    case(linalg.vecdot, M34, V4),
    case(linalg.vecdot, C34, complex_(4)),
    case(np.vecdot, C34, complex_(3, 4), axis=0),
    case(linalg.trace, B33, offset=1),
    case(linalg.diagonal, B33),
    case(linalg.matrix_transpose, B35),
    *(case(linalg.norm, M34, ord=p) for p in (2, -2, "nuc", "f")),
    *(
        case(linalg.norm, draw(3, 2, 4), p, axis=(0, -1), keepdims=k, note=str(p))
        for p in (2, -2, "nuc")
        for k in (False, True)
    ),
    *(
        case(linalg.norm, C34, ord=p, note="complex")
        for p in (2, "nuc", 1, -np.inf, "fro")
    ),
    *(
        case(linalg.norm, complex_(4), ord=p, note="complex")
        for p in (None, 2, 1, 3, np.inf)
    ),
    *(
        case(linalg.matrix_norm, B35, ord=p, note=str(p))
        for p in ("fro", "nuc", 2, 1, np.inf)
    ),
    case(linalg.matrix_norm, B35, keepdims=True),
    *(
        case(linalg.vector_norm, B35, ord=p, axis=a, note=f"{p} {a}")
        for p in (2, 1, 3, np.inf)
        for a in (None, 1, (0, 2))
    ),
    *(
        case(linalg.vector_norm, B35, axis=a, keepdims=True, note=str(a))
        for a in (None, -1, (0, 2))
    ),
    *(
        case(linalg.multi_dot, list(a), note=str(len(a)))
        for a in (
            (M34, M43),
            (M34, M43, M34),
            (V3, M34, M43),
            (M34, M43, V3),
            (V3, M33, V3),
            (M34, M43, M33, M34),
            (V3, M33, M34, M43),
            (M33, M34, M43, V3),
            (C33, C34, C43),
        )
    ),
]
