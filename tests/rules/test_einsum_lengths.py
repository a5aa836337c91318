"""``np.einsum`` of slices, whose lengths only the run knows: an axis of length 1 is
broadcast, whether the result has its label or not."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, jvp
from s2sad.testing import check_grads
from tests.codegen.numba.comparing import differences

TEXTS = ["i,i->i", "i,i->", "ij,i->j", "ij,j->i", "ij,ij->", "i,ij,j->", "ij,jk->ik"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", TEXTS)
def test_axes_of_length_one(text):
    terms = text.split("->")[0].split(",")

    def product(x, n):
        """Each axis of an operand is as long as one of the numbers says."""
        operands = ()
        for number, term in enumerate(terms):
            first = x[: n[number]]
            if len(term) == 2:
                first = first[:, None] * np.sin(x[1 : 1 + n[number + 1]])
            operands = (*operands, first)
        return np.sum(np.sin(np.einsum(text, *operands)))

    x = np.array([0.5, -0.4, 0.3, 0.8])
    direction = np.array([0.2, 1.0, -0.7, 0.4])
    lengths = [(3, 3, 3, 3), (1, 3, 3, 3), (3, 1, 3, 3), (3, 3, 1, 3), (1, 1, 3, 3)]
    compiled = grad(product, "x")
    for n in lengths:
        (wanted,) = differences(product, (x, n), (0,))
        np.testing.assert_allclose(compiled(x, n), wanted, rtol=1e-5, atol=1e-7)
    _, tangent = jvp(lambda x: product(x, lengths[1]), (x,), (direction,))
    (wanted,) = differences(product, (x, lengths[1]), (0,))
    np.testing.assert_allclose(tangent, wanted @ direction, rtol=1e-5, atol=1e-7)


SUMMED_AWAY = [
    *[("ij->j", s) for s in [(1, 3), (1, 1), (2, 3)]],
    *[("ij->i", s) for s in [(3, 1), (1, 1)]],
    *[("ij->", s) for s in [(1, 3), (3, 1), (1, 1)]],
    *[("i->", s) for s in [(1,), (3,)]],
    *[("ijk->j", s) for s in [(1, 3, 1), (1, 3, 2), (2, 3, 1)]],
    *[("...i->...", s) for s in [(3, 1), (1, 1)]],
    *[("iij->i", s) for s in [(2, 2, 1), (1, 1, 1)]],
    *[("iij->j", s) for s in [(1, 1, 3), (2, 2, 1)]],
    *[("ij,kl->jl", s) for s in [(1, 3), (3, 1)]],
    *[("ij,kj->", s) for s in [(1, 3), (3, 1)]],
    *[("ij,ik->k", s) for s in [(1, 3), (3, 1)]],
]


@pytest.mark.parametrize("text, shape", SUMMED_AWAY)
def test_labels_of_length_one_that_one_operand_has_and_the_result_has_not(text, shape):
    def program(m):
        operands = (m,) if "," not in text else (m, np.sin(m))
        return np.sum(np.sin(np.einsum(text, *operands)))

    m = np.random.default_rng(2).normal(size=shape)
    check_grads(program, (m,))
    plain = grad(program, optimise=False)(m)
    assert plain.shape == shape
    np.testing.assert_allclose(grad(program)(m), plain)
