"""Calls of ``numpy.linalg`` and of the functions behind its derivatives: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from s2sad.ops.numerics.decompositions import complex_eig, complex_eigvals
from s2sad.ops.numerics.matrices import (
    cofactors,
    inverse_or_nan,
    lower_with_half_diagonal,
    order_of_products,
    solve_or_nan,
)
from tests.rules.cases.arrays import (
    M33,
    M34,
    M43,
    T234,
    V3,
    V4,
    complex_,
    draw,
    positive,
    regular,
    single,
)
from tests.rules.cases.form import case_by_first

R3, SYMMETRIC = regular(3), positive(3)
LOWER = SYMMETRIC + np.triu(M33, 1)
HERMITIAN = SYMMETRIC + 0.2j * (M33 - M33.T)
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])
CASES = [
    case_by_first(np.linalg.solve, R3, V3, wrt=(0, 1)),
    case_by_first(np.linalg.solve, R3, draw(3, 2), wrt=(0, 1)),
    case_by_first(np.linalg.solve, regular(3, 2), draw(2, 3, 4), wrt=(0, 1)),
    case_by_first(np.linalg.solve, regular(3, 2), draw(3, 4), wrt=(0, 1)),
    case_by_first(np.linalg.solve, R3, draw(2, 3, 4), wrt=(0, 1)),
    case_by_first(np.linalg.solve, regular(3, 2), V3, wrt=(0, 1)),
    case_by_first(np.linalg.solve, regular(3, 2), V3, wrt=(1,)),
    case_by_first(np.linalg.solve, R3.astype("f"), single(3), wrt=(0, 1)),
    case_by_first(np.linalg.solve, R3 + 1j * M33, complex_(3), wrt=(0, 1)),
    case_by_first(np.linalg.inv, R3),
    case_by_first(np.linalg.inv, regular(3, 2)),
    case_by_first(np.linalg.inv, R3 + 1j * M33),
    case_by_first(np.linalg.inv, R3.astype("f")),
    case_by_first(inverse_or_nan, R3),
    case_by_first(np.linalg.det, R3),
    case_by_first(np.linalg.det, regular(3, 2)),
    case_by_first(np.linalg.det, R3 + 1j * M33),
    case_by_first(np.linalg.det, R3.astype("f")),
    case_by_first(np.linalg.det, SINGULAR, note="singular"),
    case_by_first(np.linalg.det, np.zeros((3, 3)), note="zero"),
    case_by_first(np.linalg.slogdet, R3),
    case_by_first(np.linalg.slogdet, regular(3, 2)),
    *(case_by_first(np.linalg.cholesky, a, note="symmetric") for a in (SYMMETRIC, positive(3, 2), HERMITIAN)),
    case_by_first(np.linalg.cholesky, LOWER),
    *(case_by_first(np.linalg.cholesky, a, upper=True, note="upper") for a in (SYMMETRIC, LOWER.T, HERMITIAN)),
    *(case_by_first(f, a, note="symmetric") for f in (np.linalg.eigh, np.linalg.eigvalsh) for a in (SYMMETRIC, positive(3, 2))),
    *(case_by_first(f, LOWER, "L") for f in (np.linalg.eigh, np.linalg.eigvalsh)),
    *(case_by_first(f, LOWER.T, UPLO="U", note="upper") for f in (np.linalg.eigh, np.linalg.eigvalsh)),
    *(case_by_first(f, a, full_matrices=False) for f in (np.linalg.svd,) for a in (M34, M43, R3, T234)),
    *(case_by_first(np.linalg.qr, a) for a in (M34, M43, R3, T234)),
    *(case_by_first(np.linalg.pinv, a) for a in (M34, M43, T234)),
    case_by_first(np.linalg.lstsq, M43, V4, wrt=(0, 1)),
    case_by_first(np.linalg.lstsq, M34, V3, wrt=(0, 1)),
    *(case_by_first(f, a) for f in (complex_eig, complex_eigvals) for a in (R3, regular(3, 2))),
    case_by_first(solve_or_nan, R3, M34, wrt=(0, 1)),
    case_by_first(order_of_products, [3, 4, 2], wrt=()),
    case_by_first(cofactors, R3),
    case_by_first(cofactors, regular(3, 2)),
    case_by_first(lower_with_half_diagonal, M33),
]
