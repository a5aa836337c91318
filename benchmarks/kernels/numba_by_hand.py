"""Derivatives by hand for Numba: loops over numbers, results kept in arrays.

What is here has a derivative in the kernel's own module that Numba doesn't compile, or
for which loops over numbers are faster. The formulas are the same.
"""

import math

import numba
import numpy as np
from numba.extending import overload

from benchmarks.kernels import finance, flows, log_sum_exp, scalar_loops
from benchmarks.kernels.k_means import cost_in_loops_grad
from benchmarks.kernels.runge_kutta import runge_kutta_in_loops_grad

njit = numba.njit(error_model="numpy")


def backwards(values):
    """``reversed``, which Numba doesn't have."""
    return reversed(values)


@overload(backwards)
def _backwards(values):
    if isinstance(values, numba.types.RangeType):
        return lambda values: range(values.stop - 1, values.start - 1, -1)
    return lambda values: values[::-1]


@njit
def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


@njit
def lstm(main, extra, state, sequence):
    layers, b = main.shape[0], sequence.shape[1]
    steps = len(sequence) - 1
    hidden, cells = state[:, 0].copy(), state[:, 1].copy()
    # x, hidden, cell, forget, into, out, change, tanh of the cell
    kept = np.empty((steps, layers, 8, b))
    exponentials = np.empty((steps, b))
    outputs = np.empty((steps, b))
    totals = np.empty(steps)
    for t in range(steps):
        x = outputs[t]
        for j in range(b):
            x[j] = sequence[t, j] * extra[0, j]
        for layer in range(layers):
            w, bias, k = main[layer, 0], main[layer, 1], kept[t, layer]
            for j in range(b):
                h, cell = hidden[layer, j], cells[layer, j]
                forget = sigmoid(x[j] * w[0, j] + bias[0, j])
                into = sigmoid(h * w[1, j] + bias[1, j])
                out = sigmoid(x[j] * w[2, j] + bias[2, j])
                change = math.tanh(h * w[3, j] + bias[3, j])
                after = cell * forget + into * change
                tanh_cell = math.tanh(after)
                k[0, j], k[1, j], k[2, j], k[3, j] = x[j], h, cell, forget
                k[4, j], k[5, j], k[6, j], k[7, j] = into, out, change, tanh_cell
                cells[layer, j] = after
                hidden[layer, j] = x[j] = out * tanh_cell
        total = 2.0
        for j in range(b):
            exponentials[t, j] = math.exp(x[j] * extra[1, j] + extra[2, j])
            total += exponentials[t, j]
        totals[t] = total
    main_bar, extra_bar = np.zeros(main.shape), np.zeros(extra.shape)
    hidden_bar, cells_bar = np.zeros((layers, b)), np.zeros((layers, b))
    x_bar = np.empty(b)
    scale = -1.0 / (b * steps)
    for t in range(steps - 1, -1, -1):
        wanted, x = sequence[t + 1], outputs[t]
        share = np.sum(wanted) / totals[t]
        for j in range(b):
            prediction_bar = scale * (wanted[j] - share * exponentials[t, j])
            extra_bar[2, j] += prediction_bar
            extra_bar[1, j] += prediction_bar * x[j]
            x_bar[j] = prediction_bar * extra[1, j]
        for layer in range(layers - 1, -1, -1):
            w, k = main[layer, 0], kept[t, layer]
            w_bar, bias_bar = main_bar[layer, 0], main_bar[layer, 1]
            for j in range(b):
                into, out, change, tanh_cell = k[4, j], k[5, j], k[6, j], k[7, j]
                forget = k[3, j]
                h_bar = hidden_bar[layer, j] + x_bar[j]
                out_bar = h_bar * tanh_cell * out * (1.0 - out)
                cell_bar = cells_bar[layer, j]
                cell_bar += h_bar * out * (1.0 - tanh_cell * tanh_cell)
                cells_bar[layer, j] = cell_bar * forget
                change_bar = cell_bar * into * (1.0 - change * change)
                into_bar = cell_bar * change * into * (1.0 - into)
                forget_bar = cell_bar * k[2, j] * forget * (1.0 - forget)
                w_bar[0, j] += forget_bar * k[0, j]
                w_bar[1, j] += into_bar * k[1, j]
                w_bar[2, j] += out_bar * k[0, j]
                w_bar[3, j] += change_bar * k[1, j]
                bias_bar[0, j] += forget_bar
                bias_bar[1, j] += into_bar
                bias_bar[2, j] += out_bar
                bias_bar[3, j] += change_bar
                hidden_bar[layer, j] = into_bar * w[1, j] + change_bar * w[3, j]
                x_bar[j] = forget_bar * w[0, j] + out_bar * w[2, j]
        for j in range(b):
            extra_bar[0, j] += x_bar[j] * sequence[t, j]
    return main_bar, extra_bar


@njit
def _place_of_nearest(centres, point):
    nearest, place = np.inf, 0
    for j in range(centres.shape[0]):
        distance = 0.0
        for c in range(centres.shape[1]):
            difference = point[c] - centres[j, c]
            distance += difference * difference
        if distance < nearest:
            nearest, place = distance, j
    return place


@njit
def k_means(centres, points):
    centres_bar = np.zeros(centres.shape)
    for i in range(points.shape[0]):
        place = _place_of_nearest(centres, points[i])
        for c in range(centres.shape[1]):
            centres_bar[place, c] -= 2.0 * (points[i, c] - centres[place, c])
    return centres_bar


@njit
def k_means_hessian_diagonal(centres, points):
    centres_bar, diagonal = np.zeros(centres.shape), np.zeros(centres.shape)
    for i in range(points.shape[0]):
        place = _place_of_nearest(centres, points[i])
        for c in range(centres.shape[1]):
            centres_bar[place, c] -= 2.0 * (points[i, c] - centres[place, c])
            diagonal[place, c] += 2.0
    return centres_bar, diagonal


@njit
def least_squares(x, n):
    x_bar, powers = np.zeros(len(x)), np.empty(len(x))
    for i in range(n):
        t = -1.0 + 2.0 * i / (n - 1)
        model, power = 0.0, 1.0
        for j in range(len(x)):
            powers[j] = power
            model += x[j] * power
            power *= t
        sign = 1.0 if t > 0.0 else (-1.0 if t < 0.0 else 0.0)
        for j in range(len(x)):
            x_bar[j] += (model - sign) * powers[j]
    return x_bar


@njit
def runge_kutta(x, steps):
    """A component depends on the one before it alone, so that one sweep over them does
    all four stages."""
    h, n = 2.0 / steps, len(x)
    y = np.zeros(n)
    kept = np.empty((steps, n, 4))  # what each stage multiplies x by
    for step in range(steps):
        y1 = y2 = y3 = y4 = 1.0
        for i in range(n):
            k1, k2, k3, k4 = x[i] * y1, x[i] * y2, x[i] * y3, x[i] * y4
            k = kept[step, i]
            k[0], k[1], k[2], k[3] = y1, y2, y3, y4
            y1 = y[i]
            y2, y3, y4 = y1 + 0.5 * h * k1, y1 + 0.5 * h * k2, y1 + h * k3
            y[i] = y1 + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    x_bar, y_bar = np.zeros(n), np.zeros(n)
    y_bar[n - 1] = 1.0
    for step in range(steps - 1, -1, -1):
        y1_bar = y2_bar = y3_bar = y4_bar = 0.0
        for i in range(n - 1, -1, -1):
            outer, inner = h / 6.0 * y_bar[i], h / 3.0 * y_bar[i]
            k4_bar, k3_bar = outer, inner + h * y4_bar
            k2_bar, k1_bar = inner + 0.5 * h * y3_bar, outer + 0.5 * h * y2_bar
            k = kept[step, i]
            x_bar[i] += k1_bar * k[0] + k2_bar * k[1] + k3_bar * k[2] + k4_bar * k[3]
            y_bar[i] += y1_bar + y2_bar + y3_bar + y4_bar
            y1_bar, y2_bar = k1_bar * x[i], k2_bar * x[i]
            y3_bar, y4_bar = k3_bar * x[i], k4_bar * x[i]
    return x_bar


@njit
def _minor_adjoint(a, row, columns, total_bar, a_bar):
    """Adds to ``a_bar``, and returns the determinant; ``columns`` is a set of bits."""
    n = len(a)
    if row == n:
        return 1.0
    total, sign = 0.0, 1.0
    for column in range(n):
        if columns >> column & 1:
            rest = columns & ~(1 << column)
            factor = sign * a[row, column]
            minor = _minor_adjoint(a, row + 1, rest, total_bar * factor, a_bar)
            a_bar[row, column] += total_bar * sign * minor
            total += factor * minor
            sign = -sign
    return total


@njit
def determinant(a, rows, columns):
    a_bar = np.zeros(a.shape)
    _minor_adjoint(a, 0, (1 << len(a)) - 1, 1.0, a_bar)
    return a_bar


@njit
def damped_map(x, theta, n):
    kept = np.empty(n)
    for i in range(n):
        kept[i] = x
        x = x + 0.1 * math.sin(theta * x)
    x_bar = theta_bar = 0.0
    for i in range(n - 1, -1, -1):
        x_bar += 2.0 / n * x
        x = kept[i]
        phase_bar = 0.1 * x_bar * math.cos(theta * x)
        theta_bar += phase_bar * x
        x_bar += phase_bar * theta
    return x_bar, theta_bar


@njit
def heat(u, steps, rate):
    rows, columns = u.shape
    u, moved = u.copy(), u.copy()
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1]
                moved[i, j] = u[i, j] + rate * (around - 4.0 * u[i, j])
        u, moved = moved, u
    u_bar, inner = np.empty(u.shape), np.zeros(u.shape)
    for i in range(rows):
        for j in range(columns):
            u_bar[i, j] = 2.0 / u.size * u[i, j]
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                inner[i, j] = u_bar[i, j]
        for i in range(rows):
            for j in range(columns):
                around = -4.0 * inner[i, j]
                if i > 0:
                    around += inner[i - 1, j]
                if i < rows - 1:
                    around += inner[i + 1, j]
                if j > 0:
                    around += inner[i, j - 1]
                if j < columns - 1:
                    around += inner[i, j + 1]
                u_bar[i, j] += rate * around
    return u_bar


@njit
def softmax_regression(w, b, x, labels):
    n, k = len(labels), len(b)
    logits = x @ w
    b_bar = np.zeros(k)
    for i in range(n):
        top = -np.inf
        for j in range(k):
            logits[i, j] += b[j]
            top = max(top, logits[i, j])
        total = 0.0
        for j in range(k):
            logits[i, j] = math.exp(logits[i, j] - top)
            total += logits[i, j]
        for j in range(k):
            logits[i, j] /= n * total
        logits[i, labels[i]] -= 1.0 / n
        for j in range(k):
            b_bar[j] += logits[i, j]
    return x.T @ logits, b_bar


@njit
def softmax(x):
    rows = np.empty(x.shape)
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            rows[i, j] = math.exp(x[i, j])
            total += rows[i, j]
        rows[i] /= total
    return rows


@njit
def softmax_adjoint(rows, rows_bar):
    for i in range(rows.shape[0]):
        inner = 0.0
        for j in range(rows.shape[1]):
            inner += rows_bar[i, j] * rows[i, j]
        for j in range(rows.shape[1]):
            rows_bar[i, j] = rows[i, j] * (rows_bar[i, j] - inner)
    return rows_bar


@njit
def hidden_markov(start, transition, emission, observations):
    k, steps = len(start), len(observations)
    first = softmax(start.reshape(1, k))
    chances, seen = softmax(transition), softmax(emission)
    alpha = first[0] * seen[:, observations[0]]
    scales = np.empty(steps)
    scaled, moved = np.empty((steps, k)), np.empty((steps, k))
    for t in range(1, steps):
        scales[t] = np.sum(alpha)
        for j in range(k):
            scaled[t, j] = alpha[j] / scales[t]
        moved[t] = 0.0
        for i in range(k):
            for j in range(k):
                moved[t, j] += scaled[t, i] * chances[i, j]
        for j in range(k):
            alpha[j] = moved[t, j] * seen[j, observations[t]]
    alpha_bar, moved_bar = np.full(k, 1.0 / np.sum(alpha)), np.empty(k)
    chances_bar, seen_bar = np.zeros(chances.shape), np.zeros(seen.shape)
    for t in range(steps - 1, 0, -1):
        symbol = observations[t]
        for j in range(k):
            seen_bar[j, symbol] += alpha_bar[j] * moved[t, j]
            moved_bar[j] = alpha_bar[j] * seen[j, symbol]
        inner = 0.0
        for i in range(k):
            alpha_bar[i] = 0.0
            for j in range(k):
                chances_bar[i, j] += scaled[t, i] * moved_bar[j]
                alpha_bar[i] += chances[i, j] * moved_bar[j]
            inner += alpha_bar[i] * scaled[t, i]
        for i in range(k):
            alpha_bar[i] = (alpha_bar[i] + 1.0 - inner) / scales[t]
    first_bar = np.empty((1, k))
    for j in range(k):
        seen_bar[j, observations[0]] += alpha_bar[j] * first[0, j]
        first_bar[0, j] = alpha_bar[j] * seen[j, observations[0]]
    return (
        softmax_adjoint(first, first_bar)[0],
        softmax_adjoint(chances, chances_bar),
        softmax_adjoint(seen, seen_bar),
    )


WRITTEN = {
    "lstm": lstm,
    "lstm_wide": lstm,
    "k_means": k_means,
    "k_means_in_loops": k_means,
    "k_means_hessian_diagonal": k_means_hessian_diagonal,
    "least_squares": least_squares,
    "least_squares_in_loops": least_squares,
    "runge_kutta": runge_kutta,
    "runge_kutta_in_loops": runge_kutta,
    "determinant_by_minors": determinant,
    "scalar_loop": damped_map,
    "heat_in_place": heat,
    "softmax_regression": softmax_regression,
    "hidden_markov_model": hidden_markov,
}
IN_LOOPS = {
    "k_means": cost_in_loops_grad,
    "runge_kutta": runge_kutta_in_loops_grad,
    "log_sum_exp": log_sum_exp.log_sum_exp_in_loops_grad,
    "burgers_in_place": flows.burgers_in_loops_grad,
    "black_scholes": finance.worth_in_a_loop_grad,
    "rosenbrock": scalar_loops.rosenbrock_in_a_loop_grad,
    "bodies": scalar_loops.bodies_in_loops_grad,
}
"""Kernels whose derivative in loops, under another name, compiles as it stands."""
