"""Descent of functions of structures: ``grad(x, i)`` is the gradient at step i.

The variable SHIM_MAX_ITERS bounds the steps, for examples that would take long.
"""

import os

import numpy as np

from .flatten import flatten

MOST = int(os.environ.get("SHIM_MAX_ITERS", 10**9))


def sgd(grad, x0, callback=None, num_iters=200, step_size=0.1, mass=0.9):
    """Gradient descent with momentum."""
    x, unflatten = flatten(x0)
    velocity = np.zeros_like(x)
    for i in range(min(num_iters, MOST)):
        g = _gradient(grad, x, unflatten, i, callback)
        velocity = mass * velocity - (1.0 - mass) * g
        x = x + step_size * velocity
    return unflatten(x)


def rmsprop(grad, x0, callback=None, num_iters=100, step_size=0.1, gamma=0.9, eps=1e-8):
    """Steps by the running mean of squares (Tieleman and Hinton, 2012)."""
    x, unflatten = flatten(x0)
    squares = np.ones_like(x)
    for i in range(min(num_iters, MOST)):
        g = _gradient(grad, x, unflatten, i, callback)
        squares = gamma * squares + (1.0 - gamma) * g**2
        x = x - step_size * g / (np.sqrt(squares) + eps)
    return unflatten(x)


def adam(
    grad,
    x0,
    callback=None,
    num_iters=100,
    step_size=0.001,
    b1=0.9,
    b2=0.999,
    eps=1e-8,
):
    """Adam (Kingma and Ba, 2015, algorithm 1)."""
    x, unflatten = flatten(x0)
    mean, squares = np.zeros_like(x), np.zeros_like(x)
    for i in range(min(num_iters, MOST)):
        g = _gradient(grad, x, unflatten, i, callback)
        mean = b1 * mean + (1.0 - b1) * g
        squares = b2 * squares + (1.0 - b2) * g**2
        step = step_size * mean / (1.0 - b1 ** (i + 1))
        x = x - step / (np.sqrt(squares / (1.0 - b2 ** (i + 1))) + eps)
    return unflatten(x)


def _gradient(grad, x, unflatten, i, callback):
    found = grad(unflatten(x), i)
    if callback:
        callback(unflatten(x), i, found)
    return flatten(found)[0]
