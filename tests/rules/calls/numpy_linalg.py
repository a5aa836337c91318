"""``np.linalg``: least squares, factorisations, eigenvalues, norms."""

import numpy as np

from tests.rules.calls.form import call

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


CALLS = [
    call(solution, M53, V5),
    call(solution, M53, draw(5, 2)),
    call(solution, M34, V3),
    call(solution, M34, draw(3, 2)),
    call(of_rank_two, V4, V3),
    call(of_rank_two, V3, V4),
    call(solution_of_rank_two, V4, V3, V4**3),
    call(solution_of_rank_two, V3, V4, V3**3),
    call(solution, C53, complex_(5)),
    call(solution, C34, complex_(3)),
    call(residuals, M53, V5),
    call(residuals, M53, draw(5, 2)),
    call(residuals, M34, draw(3, 2)),
    call(least_squares, M53, V5),
    call(linalg.lstsq, M53, V5),
    *(call(linalg.pinv, a, note=str(a.dtype)) for a in (M53, M34, M33, B35, C53, C34)),
    *(
        call(linalg.svd, a, full_matrices=False, note=str(a.dtype))
        for a in (M53, M34, M33, B33, B35, C53, C34, C33)
    ),
    *(
        call(linalg.svd, a, compute_uv=False, note=str(a.dtype))
        for a in (M53, M34, B35, C53)
    ),
    *(call(linalg.svd, a, note=str(a.dtype)) for a in (M33, M34, M43, C33)),
    *(call(f, a) for f in (singular_triple, left_vectors) for a in (M53, M34)),
    *(call(low_rank, a) for a in (M53, M34)),
    call(null_vector, M34),
    call(null_projection, M34),
    *(
        call(linalg.qr, a, note=str(a.dtype))
        for a in (M53, M34, M33, B33, B35, C53, C34, C33)
    ),
    *(call(linalg.qr, a, "r", note=str(a.dtype)) for a in (M53, M34, B35, C53)),
    *(
        call(linalg.qr, a, mode="complete", note=str(a.dtype))
        for a in (M43, M34, M33, C34)
    ),
    *(
        call(f, a, note=str(a.dtype))
        for f in (linalg.eig, linalg.eigvals)
        for a in (SPIRAL, np.stack([SPIRAL, SPIRAL.T + 0.1]), C33)
    ),
    *(
        call(f, a, UPLO=u, note=str(a.dtype))
        for f in (linalg.eigh, linalg.eigvalsh)
        for a in (H33, M33 + M33.T)
        for u in "LU"
    ),
    call(linalg.slogdet, C33),
    call(of_rank, M34),
    *(
        call(linalg.svd, a, hermitian=True, note=str(a.dtype))
        for a in (M33 + M33.T, H33)
    ),
    call(linalg.svd, M33 + M33.T, compute_uv=False, hermitian=True),
    *(
        call(linalg.pinv, a + 4.0 * np.eye(3), hermitian=True, note=str(a.dtype))
        for a in (M33 + M33.T, H33)
    ),
    *(call(linalg.cond, M33, p=p) for p in (None, 2, -2, 1, -1, np.inf, "fro", "nuc")),
    call(linalg.cond, M53),
    call(linalg.cond, B33, 1),
    call(linalg.cond, C33),
    *(
        call(linalg.matrix_power, M33, n, note=str(n))
        for n in (0, 1, 2, 3, 4, 7, 12, -1, -3)
    ),
    call(linalg.matrix_power, B33, 5),
    call(power, M33, 12),
    call(linalg.matrix_power, C33, -2),
    call(linalg.tensorsolve, draw(2, 3, 6), draw(2, 3)),
    call(linalg.tensorsolve, draw(2, 6, 3), draw(2, 3), axes=(1,)),
    call(linalg.tensorinv, draw(4, 2, 2, 4), 2),
    call(linalg.tensorinv, draw(6, 2, 3), ind=1),
    call(linalg.svdvals, B35),
    call(linalg.outer, V3, V4),
    call(linalg.matmul, M33, M34),
    call(linalg.tensordot, M34, M43, axes=1),
    call(linalg.cross, V3, draw(3)),
    call(linalg.cross, M33, draw(3, 3), axis=0),
    call(linalg.vecdot, M34, V4),
    call(linalg.vecdot, C34, complex_(4)),
    call(np.vecdot, C34, complex_(3, 4), axis=0),
    call(linalg.trace, B33, offset=1),
    call(linalg.diagonal, B33),
    call(linalg.matrix_transpose, B35),
    *(call(linalg.norm, M34, ord=p) for p in (2, -2, "nuc", "f")),
    *(
        call(linalg.norm, draw(3, 2, 4), p, axis=(0, -1), keepdims=k, note=str(p))
        for p in (2, -2, "nuc")
        for k in (False, True)
    ),
    *(
        call(linalg.norm, C34, ord=p, note="complex")
        for p in (2, "nuc", 1, -np.inf, "fro")
    ),
    *(
        call(linalg.norm, complex_(4), ord=p, note="complex")
        for p in (None, 2, 1, 3, np.inf)
    ),
    *(
        call(linalg.matrix_norm, B35, ord=p, note=str(p))
        for p in ("fro", "nuc", 2, 1, np.inf)
    ),
    call(linalg.matrix_norm, B35, keepdims=True),
    *(
        call(linalg.vector_norm, B35, ord=p, axis=a, note=f"{p} {a}")
        for p in (2, 1, 3, np.inf)
        for a in (None, 1, (0, 2))
    ),
    *(
        call(linalg.vector_norm, B35, axis=a, keepdims=True, note=str(a))
        for a in (None, -1, (0, 2))
    ),
    *(
        call(linalg.multi_dot, list(a), note=str(len(a)))
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
