"""The kernels of the benchmark suite: derivatives by hand against central differences,
and s2sad's against those by hand."""

import numpy as np
import pytest

import s2sad
from benchmarks.kernels import all_kernels
from tests.support.finite_differences import (
    assert_trees_close,
    central_difference_gradient,
    tree_leaves,
    tree_map,
)

KERNELS = all_kernels()
kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def copied(tree):
    return tree_map(lambda v: v.copy() if isinstance(v, np.ndarray) else v, tree)


def by_differences(kernel, arguments):
    """What ``kernel.by_hand`` gives, by central differences."""
    if kernel.wanted == "gradient":
        return central_difference_gradient(kernel.function, arguments, kernel.wrt)
    return OTHERS[kernel.wanted, kernel.name.removesuffix("_in_a_loop")](
        kernel, arguments
    )


def jacobian_by_differences(function, x, step=1e-6):
    columns = []
    for place in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[place] = step
        columns.append((function(x + moved) - function(x - moved)) / (2.0 * step))
    return np.stack(columns, axis=-1)


def blocks_of_observations(kernel, arguments):
    cameras, points, weights, observations, features = arguments
    blocks = []
    for k, (camera, point) in enumerate(observations):

        def error(x):
            return kernel.function(
                x[None, :11],
                x[None, 11:14],
                x[14:],
                np.zeros((1, 2), int),
                features[[k]],
            )[0]

        own = np.concatenate([cameras[camera], points[point], weights[[k]]])
        blocks.append(jacobian_by_differences(error, own))
    return np.stack(blocks)


def jacobian_by_pose(kernel, arguments):
    theta, *rest = arguments
    return jacobian_by_differences(lambda x: kernel.function(x, *rest), theta)


def jacobian_by_pose_and_coordinates(kernel, arguments):
    theta, us, *rest = arguments
    own = [
        jacobian_by_differences(
            lambda x: kernel.function(theta, us + x * np.eye(2)[k], *rest), np.zeros(())
        )
        for k in range(2)
    ]
    pose = jacobian_by_differences(lambda x: kernel.function(x, us, *rest), theta)
    return np.concatenate([*own, pose], axis=-1)


def gradient_and_hessian_diagonal(kernel, arguments):
    centres, points = arguments
    gradient = central_difference_gradient(kernel.function, arguments, kernel.wrt)
    step, diagonal = 1e-4, np.empty_like(centres)
    for place in np.ndindex(centres.shape):
        moved = np.zeros_like(centres)
        moved[place] = step
        ahead, behind = (kernel.function(centres + s * moved, points) for s in (1, -1))
        here = kernel.function(centres, points)
        diagonal[place] = (ahead - 2.0 * here + behind) / step**2
    return gradient, diagonal


OTHERS = {
    ("Jacobian by blocks", "bundle_adjustment"): blocks_of_observations,
    ("Jacobian", "hand_tracking_simple"): jacobian_by_pose,
    ("Jacobian", "hand_tracking_complicated"): jacobian_by_pose_and_coordinates,
    (
        "gradient and Hessian diagonal",
        "k_means_hessian_diagonal",
    ): gradient_and_hessian_diagonal,
}


@kernels
def test_by_hand_agrees_with_central_differences(kernel):
    arguments = kernel.arguments("tiny")
    before = copied(arguments)
    found = kernel.by_hand(*arguments)
    assert_trees_close(found, by_differences(kernel, arguments), rtol=1e-5, atol=1e-6)
    assert_trees_close(arguments, before, rtol=0.0)
    if kernel.closed_form is not None:
        assert_trees_close(kernel.closed_form(*arguments), found, rtol=1e-9, atol=1e-9)


@kernels
def test_data_exercises_every_part(kernel):
    """No leaf of the derivative is zero throughout."""
    leaves = tree_leaves(kernel.by_hand(*kernel.arguments("small")))
    assert all(np.all(np.isfinite(leaf)) and np.any(leaf) for leaf in leaves)


@pytest.mark.sampled(16)
@kernels
@pytest.mark.parametrize("size", ["tiny", "small"])
def test_s2sad_agrees_with_the_derivative_by_hand(kernel, size):
    arguments = kernel.arguments(size, seed=1)
    before = copied(arguments)
    found = kernel.called()(*arguments)
    expected = kernel.by_hand(*arguments)
    scale = max(np.max(np.abs(leaf)) for leaf in tree_leaves(expected))
    assert_trees_close(found, expected, rtol=1e-8, atol=1e-11 * max(1.0, scale))
    assert_trees_close(arguments, before, rtol=0.0)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "kernel",
    [pytest.param(k, id=n) for n, k in KERNELS.items() if k.derivative is None],
)
def test_both_modes_agree(kernel):
    """The tangent along a direction is the product of the gradient with it."""
    arguments = kernel.arguments("tiny")
    rng = np.random.default_rng(2)
    wrt = kernel.wrt if isinstance(kernel.wrt, tuple) else (kernel.wrt,)
    names = kernel.function.__code__.co_varnames[: len(arguments)]
    places = [w if isinstance(w, int) else names.index(w) for w in wrt]
    tangents = [_nothing(value) for value in arguments]
    for place in places:
        value = arguments[place]
        tangents[place] = rng.normal(size=np.shape(value)) if np.ndim(value) else 0.7
    _, tangent = s2sad.jvp(kernel.function, arguments, tuple(tangents))
    gradient = kernel.by_hand(*arguments)
    parts = gradient if isinstance(kernel.wrt, tuple) else (gradient,)
    expected = sum(np.sum(g * tangents[p]) for g, p in zip(parts, places))
    np.testing.assert_allclose(tangent, expected, rtol=1e-8)


def _nothing(value):
    if isinstance(value, float):
        return 0.0
    floats = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return np.zeros_like(value) if floats else None
