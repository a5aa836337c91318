"""A chain of linear differential equations, integrated by the fourth-order method of
Runge and Kutta; the last component at the end is differentiated by the rates.

    y_0' = x_0,   y_i' = x_i y_{i-1},   y(0) = 0,   0 <= t <= 2

so y_i(t) = x_0 ... x_i t^(i+1) / (i+1)!. A step of the method multiplies by a matrix of
bandwidth four, so s steps give the last of n components a derivative that isn't zero
where n <= 4 s; with n = 2 s it is exact to several digits.
"""

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def derivative(x, y):
    return x * np.concatenate((np.ones(1), y[:-1]))


def runge_kutta(x, steps):
    h = 2.0 / steps
    y = np.zeros_like(x)
    for _ in range(steps):
        k1 = derivative(x, y)
        k2 = derivative(x, y + 0.5 * h * k1)
        k3 = derivative(x, y + 0.5 * h * k2)
        k4 = derivative(x, y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y[-1]


def runge_kutta_grad(x, steps):
    h = 2.0 / steps
    y = np.zeros_like(x)
    one = np.ones(1)
    kept = []
    for _ in range(steps):
        shifted1 = np.concatenate((one, y[:-1]))
        k1 = x * shifted1
        shifted2 = np.concatenate((one, (y + 0.5 * h * k1)[:-1]))
        k2 = x * shifted2
        shifted3 = np.concatenate((one, (y + 0.5 * h * k2)[:-1]))
        k3 = x * shifted3
        shifted4 = np.concatenate((one, (y + h * k3)[:-1]))
        kept.append((shifted1, shifted2, shifted3, shifted4))
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + x * shifted4)
    x_bar = np.zeros_like(x)
    y_bar = np.zeros_like(x)
    y_bar[-1] = 1.0
    for shifted1, shifted2, shifted3, shifted4 in reversed(kept):
        outer = h / 6.0 * y_bar
        inner = h / 3.0 * y_bar
        x_bar += outer * shifted4
        moved = (outer * x)[1:]
        y_bar[:-1] += moved
        k_bar = inner.copy()
        k_bar[:-1] += h * moved
        x_bar += k_bar * shifted3
        moved = (k_bar * x)[1:]
        y_bar[:-1] += moved
        inner[:-1] += 0.5 * h * moved
        x_bar += inner * shifted2
        moved = (inner * x)[1:]
        y_bar[:-1] += moved
        outer[:-1] += 0.5 * h * moved
        x_bar += outer * shifted1
        y_bar[:-1] += (outer * x)[1:]
    return x_bar


def derivative_in_loops(x, y):
    result = np.zeros(len(x))
    result[0] = x[0]
    for i in range(1, len(x)):
        result[i] = x[i] * y[i - 1]
    return result


def runge_kutta_in_loops(x, steps):
    h = 2.0 / steps
    y = np.zeros(len(x))
    for _ in range(steps):
        k1 = derivative_in_loops(x, y)
        k2 = derivative_in_loops(x, y + 0.5 * h * k1)
        k3 = derivative_in_loops(x, y + 0.5 * h * k2)
        k4 = derivative_in_loops(x, y + h * k3)
        for i in range(len(x)):
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
    return y[-1]


def _derivative_in_loops_adjoint(x, y, result_bar, x_bar):
    """Adds to x_bar, and returns the cotangent of y."""
    y_bar = np.zeros(len(x))
    x_bar[0] += result_bar[0]
    for i in range(1, len(x)):
        x_bar[i] += result_bar[i] * y[i - 1]
        y_bar[i - 1] = result_bar[i] * x[i]
    return y_bar


def runge_kutta_in_loops_grad(x, steps):
    h = 2.0 / steps
    y = np.zeros(len(x))
    kept = []
    for _ in range(steps):
        k1 = derivative_in_loops(x, y)
        y2 = y + 0.5 * h * k1
        k2 = derivative_in_loops(x, y2)
        y3 = y + 0.5 * h * k2
        k3 = derivative_in_loops(x, y3)
        y4 = y + h * k3
        k4 = derivative_in_loops(x, y4)
        kept.append((y.copy(), y2, y3, y4))
        for i in range(len(x)):
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
    x_bar = np.zeros_like(x)
    y_bar = np.zeros_like(x)
    y_bar[-1] = 1.0
    for y1, y2, y3, y4 in reversed(kept):
        outer = np.zeros(len(x))
        inner = np.zeros(len(x))
        for i in range(len(x)):
            outer[i] = h / 6.0 * y_bar[i]
            inner[i] = h / 3.0 * y_bar[i]
        y4_bar = _derivative_in_loops_adjoint(x, y4, outer, x_bar)
        y3_bar = _derivative_in_loops_adjoint(x, y3, inner + h * y4_bar, x_bar)
        y2_bar = _derivative_in_loops_adjoint(x, y2, inner + 0.5 * h * y3_bar, x_bar)
        y1_bar = _derivative_in_loops_adjoint(x, y1, outer + 0.5 * h * y2_bar, x_bar)
        y_bar += y4_bar + y3_bar + y2_bar + y1_bar
    return x_bar


def data_for_many_steps(rng, steps, n):
    return 1.0 + rng.random(n), steps


KERNELS = (
    Kernel(
        "runge_kutta",
        runge_kutta,
        runge_kutta_grad,
        data_for_many_steps,
        timed((10, 20), 100, 1_000, tiny=(3, 5)),
    ),
    Kernel(
        "runge_kutta_in_loops",
        runge_kutta_in_loops,
        runge_kutta_in_loops_grad,
        data_for_many_steps,
        timed((5, 8), 20, 100, tiny=(3, 5)),
    ),
)
