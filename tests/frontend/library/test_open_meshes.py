"""``np.ix_``: rows and columns by lists, index arrays and masks; diagonals."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.testing import check_grads

STIFFNESS = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])
FORCE = np.array([1.0, 2.0, 3.0])


def solved(k, f, free):
    return np.sum(np.linalg.solve(k[np.ix_(free, free)], f[free]))


@pytest.mark.parametrize(
    "free", [[1, 2], np.array([2, 0]), np.array([True, False, True])]
)
def test_equations_of_free_nodes(free):
    check_grads(solved, (STIFFNESS, FORCE, free), wrt=("k", "f"))


def of_fixed_nodes(k, f):
    free = np.setdiff1d(np.arange(3), [0])
    u = np.zeros(3)
    u[free] = np.linalg.solve(k[np.ix_(free, free)], f[free])
    return np.sum(u**2)


def of_other_rows(k, f):
    rows = [i for i in range(3) if i != 1]
    return np.sum(k[np.ix_(rows, [0])] * f[0]) + np.sum(f[np.ix_(rows)] ** 2)


def of_three_axes(k, f):
    a, b, c = np.ix_([0, 1], [1], f > 1.5)
    whole = k[:, :, None] * f
    return np.sum(whole[a, b, c] ** 2)


@pytest.mark.parametrize("function", [of_fixed_nodes, of_other_rows, of_three_axes])
def test_meshes(function):
    check_grads(function, (STIFFNESS, FORCE))


def assembled(element, count):
    whole = np.zeros((count + 1, count + 1))
    for e in range(count):
        nodes = np.array([e, e + 1])
        whole[np.ix_(nodes, nodes)] += element * (e + 1)
    return np.linalg.det(whole[1:, 1:])


@pytest.mark.parametrize("count", [1, 4])
def test_matrices_are_assembled(count):
    element = np.array([[1.0, -0.9], [-0.8, 1.5]])
    check_grads(assembled, (element, count), wrt="element")


def test_the_text_names_rows_and_columns():
    derivative = grad(assembled)
    text = derivative.source_for(STIFFNESS[:2, :2], 3)
    assert "nodes[:, None]" in text and "nodes[None, :]" in text


def with_noise(x, noise):
    kernel = np.outer(x, x)
    kernel[np.diag_indices_from(kernel)] += noise
    kernel[np.diag_indices(2)] *= x[0]
    return np.linalg.slogdet(kernel)[1] + np.sum(kernel[np.diag_indices_from(kernel)])


def test_diagonals_by_indices():
    check_grads(with_noise, (FORCE, 0.5))
    cube = FORCE[:, None, None] * np.ones((3, 3, 3))
    check_grads(lambda a: np.sum(a[np.diag_indices(3, 3)] ** 2), (cube,))


def test_a_matrix_that_is_not_square_raises():
    def loss(m):
        return np.sum(m[np.diag_indices_from(m)])

    with pytest.raises(ValueError, match="equal length"):
        grad(loss)(np.ones((2, 3)))
