"""The cost of a clustering: the squared distance of each point to its nearest centre.

Its gradient, and the diagonal of its Hessian, which is diagonal: the product of the
Hessian with a vector of ones.
"""

import numpy as np

import s2sad
from benchmarks.kernels.kernel import Kernel, timed


def cost(centres, points):
    differences = points[:, None, :] - centres
    return np.sum(np.min(np.sum(differences**2, axis=2), axis=1))


def cost_grad(centres, points):
    differences = points[:, None, :] - centres
    distances = np.sum(differences**2, axis=2)
    nearest = np.argmin(distances, axis=1)
    chosen = differences[np.arange(len(points)), nearest]
    centres_bar = np.zeros_like(centres)
    np.add.at(centres_bar, nearest, -2.0 * chosen)
    return centres_bar


def cost_grad_and_diagonal(centres, points):
    differences = points[:, None, :] - centres
    distances = np.sum(differences**2, axis=2)
    nearest = np.argmin(distances, axis=1)
    chosen = differences[np.arange(len(points)), nearest]
    centres_bar = np.zeros_like(centres)
    np.add.at(centres_bar, nearest, -2.0 * chosen)
    counts = np.bincount(nearest, minlength=len(centres))
    return centres_bar, np.broadcast_to(2.0 * counts[:, None], centres.shape).copy()


_gradient = s2sad.grad(cost)


def cost_derivatives(centres, points):
    """The gradient, and its tangent along a vector of ones, from one sweep."""
    return s2sad.jvp(_gradient, (centres, points), (np.ones_like(centres), None))


def cost_in_loops(centres, points):
    total = 0.0
    for i in range(len(points)):
        nearest = np.inf
        for j in range(len(centres)):
            difference = points[i] - centres[j]
            distance = np.dot(difference, difference)
            if distance < nearest:
                nearest = distance
        total += nearest
    return total


def cost_in_loops_grad(centres, points):
    centres_bar = np.zeros_like(centres)
    for i in range(len(points)):
        nearest = np.inf
        for j in range(len(centres)):
            difference = points[i] - centres[j]
            distance = np.dot(difference, difference)
            if distance < nearest:
                nearest = distance
                chosen, place = difference, j
        centres_bar[place] -= 2.0 * chosen
    return centres_bar


def data(rng, n, k, d):
    return rng.normal(size=(k, d)), rng.normal(size=(n, d))


KERNELS = (
    Kernel(
        "k_means",
        cost,
        cost_grad,
        data,
        timed((100, 10, 8), 1_000, 10_000, tiny=(7, 3, 2)),
    ),
    Kernel(
        "k_means_hessian_diagonal",
        cost,
        cost_grad_and_diagonal,
        data,
        timed((100, 10, 8), 1_000, 10_000, tiny=(7, 3, 2)),
        derivative=cost_derivatives,
        wanted="gradient and Hessian diagonal",
    ),
    Kernel(
        "k_means_in_loops",
        cost_in_loops,
        cost_in_loops_grad,
        data,
        timed((10, 5, 4), 100, 1_000, tiny=(7, 3, 2)),
    ),
)
