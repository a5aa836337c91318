"""Finite differences and inner products over trees, against known derivatives."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

from tests.support.finite_differences import (
    assert_trees_close,
    central_difference_gradient,
    directional_difference,
    tree_dot,
    tree_random_like,
)


class Point(NamedTuple):
    x: float
    y: np.ndarray


@dataclasses.dataclass(frozen=True)
class Layer:
    w: np.ndarray
    name: str


TREE = {
    "point": Point(2.0, np.array([1.0, 3.0])),
    "layers": [Layer(np.array([[0.5]]), "first"), (np.float64(1.5), 4)],
}


def cost(tree):
    point, layers = tree["point"], tree["layers"]
    return (
        point.x**2 * np.sum(point.y) + np.sum(layers[0].w) ** 3 + layers[1][0] * point.x
    )


EXPECTED = {
    "point": Point(17.5, np.array([4.0, 4.0])),
    "layers": [Layer(np.array([[0.75]]), None), (2.0, None)],
}


def test_gradient_has_the_structure_of_the_argument():
    gradient = central_difference_gradient(cost, (TREE,))
    assert_trees_close(gradient, EXPECTED, rtol=1e-8)
    assert type(gradient["layers"][1][0]) is np.float64


def test_wrt_by_name_and_tuple():
    def product(a, b):
        return a * np.sum(b)

    args = (2.0, np.array([1.0, 2.0]))
    gradients = central_difference_gradient(product, args, ("b", 0))
    assert_trees_close(gradients, (np.array([2.0, 2.0]), 3.0), rtol=1e-9)
    with pytest.raises(ValueError, match="no parameter 'c'"):
        central_difference_gradient(product, args, "c")


def test_complex_gradient_convention():
    z = np.array([1.0 + 2.0j])
    gradient = central_difference_gradient(lambda z: np.sum(np.abs(z) ** 2), (z,))
    assert_trees_close(gradient, 2.0 * z, rtol=1e-9)


def test_vector_value_is_refused():
    with pytest.raises(ValueError, match="not a real scalar"):
        central_difference_gradient(lambda x: x, (np.ones(2),))


def test_directional_difference_agrees_with_gradient():
    tangent = tree_random_like(np.random.default_rng(0), TREE)
    derivative = directional_difference(cost, (TREE,), (tangent,))
    np.testing.assert_allclose(derivative, tree_dot(EXPECTED, tangent), rtol=1e-8)


def test_directional_difference_of_structures_with_fixed_arguments():
    def pair(x, y):
        return {"product": x * y, "square": y**2}

    value = directional_difference(pair, (np.array([1.0, 2.0]), 3.0), (None, 2.0))
    expected = {"product": np.array([2.0, 4.0]), "square": 12.0}
    assert_trees_close(value, expected, rtol=1e-9)


@pytest.mark.parametrize(
    "other",
    [
        {"a": 1.0},
        {"a": np.array([1.0]), "b": (1.0,)},
        {"a": np.array([1.0, 2.0]), "b": [1.0]},
        {"a": np.array([1.0, 2.1]), "b": (1.0,)},
        {"a": np.array([1.0, 2.0]), "b": (None,)},
    ],
)
def test_differing_trees_are_found(other):
    with pytest.raises(AssertionError):
        assert_trees_close(other, {"a": np.array([1.0, 2.0]), "b": (1.0,)}, rtol=1e-3)


def test_tree_dot_refuses_other_shapes():
    with pytest.raises(ValueError, match="shapes differ"):
        tree_dot(np.ones(2), np.ones((2, 1)))
