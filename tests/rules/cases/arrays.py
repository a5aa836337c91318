"""Arrays at which the rules of array functions are tested."""

from __future__ import annotations

import numpy as np

_random = np.random.default_rng(20240918)


def draw(*shape):
    """Distinct numbers, away from 0 and from one another."""
    size = int(np.prod(shape))
    numbers = np.linspace(0.4, 2.0, max(size, 1))[:size] * _random.choice(
        [-1.0, 1.0], size
    )
    return _random.permutation(numbers).reshape(shape)


def single(*shape):
    return draw(*shape).astype(np.float32)


def complex_(*shape):
    return draw(*shape) + 1j * draw(*shape)


def strided(*shape):
    return draw(*(2 * n for n in shape[::-1])).T[(slice(None, None, 2),) * len(shape)]


def positive(n, *batch):
    """Symmetric positive definite matrices with distinct eigenvalues."""
    root = _random.normal(size=(*batch, n, n))
    return root @ np.swapaxes(root, -1, -2) + np.diag(np.arange(1.0, n + 1))


def regular(n, *batch):
    return _random.normal(size=(*batch, n, n)) + 3 * np.eye(n)


V3, V4, M34, M43, M33, T234 = (
    draw(3),
    draw(4),
    draw(3, 4),
    draw(4, 3),
    draw(3, 3),
    draw(2, 3, 4),
)
M14, M31, EMPTY = draw(1, 4), draw(3, 1), np.zeros((0, 4))
ZEROS = np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 4.0], [1.0, 2.0, 3.0]])
ROWS, COLUMNS = np.array([0, 2, 0, 1]), np.array([1, 1, 3, 0])
