"""``np.tril`` and ``np.triu`` of a vector: triangles of the matrix whose rows it is."""

import numpy as np
import pytest

from s2sad import grad, jacfwd, jacobian
from s2sad.testing import check_grads

VECTOR = np.array([1.5, -0.4, 0.8])
PROGRAMS = [
    lambda v: np.tril(v),
    lambda v: np.triu(v),
    lambda v: np.tril(v, -1),
    lambda v: np.triu(v, k=1),
    lambda v: np.tril(m=v, k=1),
    lambda v: np.triu(k=-1, m=v),
    lambda v: np.tril([v[0], v[0] * v[-1], 2.0]),
    lambda v: np.tril(list(v)),
    lambda v: np.tril(v[1:]),
    lambda v: np.tril(v) @ v,
    lambda v: np.tril(np.ones(2)) * v[0],
]


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_derivatives(function, length):
    v = VECTOR[:length]

    def energy(v):
        return np.sum(np.sin(function(v)))

    check_grads(energy, (v,))
    found, plain = grad(energy)(v), grad(energy, optimise=False)(v)
    assert found.shape == plain.shape == v.shape
    np.testing.assert_allclose(found, plain)
    whole = jacobian(function)(v)
    assert whole.shape == (*np.shape(function(v)), length)
    np.testing.assert_allclose(jacfwd(function)(v), whole)


def test_matrices_need_no_rows():
    text = grad(lambda m: np.sum(np.tril(m) ** 2)).source_for(np.ones((3, 3)))
    assert "np.broadcast_to" not in text
