"""Linear least squares: a polynomial fitted to the sign function on [-1, 1].

f(x) = 1/2 sum_i (sign(t_i) - sum_j x_j t_i^j)^2,  t_i = -1 + 2 i / (n - 1).
"""

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def least_squares(x, n):
    t = np.linspace(-1.0, 1.0, n)
    powers = t[:, None] ** np.arange(x.shape[0])
    residual = np.sign(t) - powers @ x
    return 0.5 * np.sum(residual**2)


def least_squares_grad(x, n):
    t = np.linspace(-1.0, 1.0, n)
    powers = t[:, None] ** np.arange(x.shape[0])
    residual = np.sign(t) - powers @ x
    return -(powers.T @ residual)


def least_squares_in_loops(x, n):
    total = 0.0
    for i in range(n):
        t = -1.0 + 2.0 * i / (n - 1)
        model = 0.0
        power = 1.0
        for j in range(len(x)):
            model += x[j] * power
            power *= t
        sign = 1.0 if t > 0.0 else (-1.0 if t < 0.0 else 0.0)
        total += 0.5 * (sign - model) ** 2
    return total


def least_squares_in_loops_grad(x, n):
    x_bar = np.zeros_like(x)
    for i in range(n):
        t = -1.0 + 2.0 * i / (n - 1)
        model = 0.0
        power = 1.0
        powers = []
        for j in range(len(x)):
            powers.append(power)
            model += x[j] * power
            power *= t
        sign = 1.0 if t > 0.0 else (-1.0 if t < 0.0 else 0.0)
        model_bar = model - sign
        for j in range(len(x)):
            x_bar[j] += model_bar * powers[j]
    return x_bar


def data(rng, n, m):
    return rng.normal(size=m), n


KERNELS = (
    Kernel(
        "least_squares",
        least_squares,
        least_squares_grad,
        data,
        timed((100, 32), 1_000, 10_000, tiny=(7, 3)),
    ),
    Kernel(
        "least_squares_in_loops",
        least_squares_in_loops,
        least_squares_in_loops_grad,
        data,
        timed((10, 8), 100, 1_000, tiny=(7, 3)),
    ),
)
