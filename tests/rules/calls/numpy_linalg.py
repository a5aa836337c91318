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
]
