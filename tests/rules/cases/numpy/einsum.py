"""Calls of ``np.einsum``: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from tests.rules.cases.arrays import (
    M14,
    M33,
    M34,
    M43,
    T234,
    V3,
    V4,
    complex_,
    draw,
    single,
)
from tests.rules.cases.form import case_by_first


def einsum(subscripts, *operands, **keywords):
    wrt = tuple(range(1, len(operands) + 1))
    return case_by_first(np.einsum, subscripts, *operands, wrt=wrt, note=subscripts, **keywords)


CASES = [
    einsum("i,i->", V3, V3),
    einsum("i,i", V3, V3),
    einsum("ij,jk->ik", M34, M43),
    einsum("ij,jk", M34, M43),
    einsum("ij,kj->ki", M34, draw(2, 4)),
    einsum("ij->", M34),
    einsum("ij->ji", M34),
    einsum("ij->i", M34),
    einsum("ba", M34),
    einsum("ij,ij->", M34, M34),
    einsum("ij,ij->i", M34, M34),
    einsum("i,j->ij", V3, V4),
    einsum("i,ij,j->", V3, M34, V4),
    einsum("i,ij,j->", V3, M34, V4, optimize=True),
    einsum("bij,bjk->bik", T234, draw(2, 4, 2)),
    einsum("ii->i", M33),
    einsum("ii", M33),
    einsum("ii->", single(3, 3)),
    einsum("ij,jj->i", M33, M33),
    einsum("iij->j", draw(3, 3, 2)),
    einsum("iii->i", draw(3, 3, 3)),
    einsum("...ij,...jk->...ik", draw(2, 1, 3, 4), draw(5, 4, 2)),
    einsum("...i,i->...", T234, V4),
    einsum("i...->...", T234),
    einsum("...j,jk", M34, M43),
    einsum("ij,j->i", M34, draw(1)),
    einsum("ij,ij->ij", M14, M34),
    einsum("i,->i", V3, np.float64(2.0)),
    einsum("ij, jk -> ik", complex_(3, 4), complex_(4, 2)),
    einsum("ij,k->ijk", M34, draw(2)),
    einsum("ij,k->i", M34, draw(2)),
    case_by_first(np.einsum, "ij,j->i", M34, V4, wrt=(2,), note="one active"),
]
