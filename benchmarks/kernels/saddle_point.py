"""A saddle point found by gradient descent inside of gradient descent.

    min_a max_b |a|^2 - |b|^2 + c a . b

The outer optimiser asks for the derivative of the result of the inner one, which itself
takes derivatives. That derivative is measured. The coupling c makes the way of the
inner optimiser depend on a; the published problem has none.

Source: B. Pearlmutter, J. Siskind, Using programming language theory to make automatic
differentiation sound and efficient, in Advances in Automatic Differentiation (2008).
"""

import numpy as np

import s2sad
from benchmarks.kernels.kernel import Kernel, timed


def norm(x):
    return np.sqrt(np.sum(x**2))


def height(a, b, c):
    return np.sum(a**2) - np.sum(b**2) + c * np.dot(a, b)


def depth(b, a, c):
    return -height(a, b, c)


def highest(a, b, c):
    """max_b, by descent from b with a step that adapts itself."""
    value, slope = depth(b, a, c), s2sad.grad(depth)(b, a, c)
    step, successes = 1e-5, 0
    while norm(slope) > 1e-5:
        if successes == 10:
            step, successes = 2.0 * step, 0
            continue
        candidate = b - step * slope
        if norm(candidate - b) <= 1e-5:
            break
        candidate_value = depth(candidate, a, c)
        if candidate_value < value:
            b, value, slope = (
                candidate,
                candidate_value,
                s2sad.grad(depth)(candidate, a, c),
            )
            successes += 1
        else:
            step, successes = step / 2.0, 0
    return height(a, b, c)


def highest_grad(a, b, c):
    value = -height(a, b, c)
    slope = 2.0 * b - c * a
    step, successes = 1e-5, 0
    steps = []
    while norm(slope) > 1e-5:
        if successes == 10:
            step, successes = 2.0 * step, 0
            continue
        candidate = b - step * slope
        if norm(candidate - b) <= 1e-5:
            break
        candidate_value = -height(a, candidate, c)
        if candidate_value < value:
            b, value, slope = candidate, candidate_value, 2.0 * candidate - c * a
            successes += 1
            steps.append(step)
        else:
            step, successes = step / 2.0, 0
    a_bar = 2.0 * a + c * b
    b_bar = c * a - 2.0 * b
    for step in reversed(steps):
        # b = b - step * (2 b - c a)
        slope_bar = -step * b_bar
        a_bar -= c * slope_bar
        b_bar += 2.0 * slope_bar
    return a_bar


def data(rng, n):
    return 1.0 + rng.random(n), 1.0 + rng.random(n), 0.5


KERNELS = (
    Kernel(
        "saddle_point",
        highest,
        highest_grad,
        data,
        timed((2,), 100, 10_000, tiny=(2,)),
    ),
)
