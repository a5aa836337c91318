"""Kernels that write into arrays, as they are written where arrays can't be changed."""

import math

import numpy as np

from benchmarks.kernels.gaussian_mixture import log_sum_exp, log_wishart_constant
from benchmarks.kernels.hand_tracking import BONES, PARENTS


def log_likelihood(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    sums = np.sum(icf[:, :d], axis=1)
    diagonals = np.exp(icf[:, :d])
    rows, columns = np.arange(d)[:, None], np.arange(d)
    below = rows > columns
    places = d + columns * d - columns * (columns + 1) // 2 + rows - columns - 1
    places = np.where(below, places, 0)
    q = below * icf[:, places] + np.eye(d) * diagonals[:, None, :]
    centred = x - means[:, None, :]
    scaled = np.matmul(centred, np.swapaxes(q, 1, 2))
    terms = (alphas + sums)[:, None] - 0.5 * np.sum(scaled**2, axis=2)
    data_term = np.sum(log_sum_exp(terms, 0)) - n * log_sum_exp(alphas, 0)
    squares = np.sum(diagonals**2) + np.sum(icf[:, d:] ** 2)
    prior = 0.5 * gamma**2 * squares - m * np.sum(sums)
    constant = -0.5 * n * d * math.log(2.0 * math.pi)
    return constant + data_term + prior - k * log_wishart_constant(d, m, gamma)


def burgers(u, steps, ratio, diffusion):
    for _ in range(steps):
        u = burgers_step(u, ratio, diffusion)
    return 0.5 * np.sum(u**2)


def burgers_step(u, ratio, diffusion):
    inner = u[1:-1] + diffusion * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    inner = inner - ratio * u[1:-1] * (u[1:-1] - u[:-2])
    return np.concatenate((u[:1], inner, u[-1:]))


def heat(u, steps, rate):
    for _ in range(steps):
        u = heat_step(u, rate)
    return np.mean(u**2)


def heat_step(u, rate):
    laplacian = (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
    )
    inner = u[1:-1, 1:-1] + rate * laplacian
    inner = np.concatenate((u[1:-1, :1], inner, u[1:-1, -1:]), axis=1)
    return np.concatenate((u[:1], inner, u[-1:]))


def attention(wq, wk, wv, wo, x, target, heads):
    n, d = x.shape
    width = d // heads
    q = np.transpose(np.reshape(x @ wq, (n, heads, width)), (1, 0, 2))
    k = np.transpose(np.reshape(x @ wk, (n, heads, width)), (1, 2, 0))
    v = np.transpose(np.reshape(x @ wv, (n, heads, width)), (1, 0, 2))
    scores = q @ k / math.sqrt(width)
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    shares = np.exp(scores)
    shares = shares / np.sum(shares, axis=-1, keepdims=True)
    mixed = np.reshape(np.transpose(shares @ v, (1, 0, 2)), (n, d))
    return np.mean((mixed @ wo - target) ** 2)


def turn(x, z):
    """The matrix (4, 4) of turns about x, then z."""
    cx, sx, cz, sz = np.cos(x), np.sin(x), np.cos(z), np.sin(z)
    zero, one = 0.0 * cx, 0.0 * cx + 1.0
    return np.array(
        [
            [cz, -cx * sz, sx * sz, zero],
            [sz, cx * cz, -sx * cz, zero],
            [zero, sx, cx, zero],
            [zero, zero, zero, one],
        ]
    )


def hand_errors(theta, relatives, inverses, weights, positions, chosen, points):
    return points - hand(theta, relatives, inverses, weights, positions)[chosen]


def hand_errors_on_triangles(
    theta, us, relatives, inverses, weights, positions, triangles, points
):
    posed = hand(theta, relatives, inverses, weights, positions)
    last = 1.0 - us[:, 0] - us[:, 1]
    return points - (
        us[:, :1] * posed[triangles[:, 0]]
        + us[:, 1:] * posed[triangles[:, 1]]
        + last[:, None] * posed[triangles[:, 2]]
    )


def hand(theta, relatives, inverses, weights, positions):
    absolutes = []
    posed = 0.0
    place = 6
    for bone in range(BONES):
        absolute = relatives[bone]
        joint = (bone - 2) % 4 if bone >= 2 else 3
        if joint == 0:
            absolute = absolute @ turn(theta[place], theta[place + 1])
            place += 2
        elif joint < 3:
            absolute = absolute @ turn(theta[place], 0.0 * theta[place])
            place += 1
        if PARENTS[bone] >= 0:
            absolute = absolutes[PARENTS[bone]] @ absolute
        absolutes.append(absolute)
        transform = absolute @ inverses[bone]
        posed = posed + weights[:, bone, None] * (positions @ transform[:3].T)
    return posed @ rotation_about(theta[:3]).T + theta[3:6]


def rotation_about(r):
    """As ``rotation_of_axis``, where the angle isn't zero."""
    angle = np.sqrt(np.sum(r**2))
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    s, c = np.sin(angle), np.cos(angle)
    return np.array(
        [
            [x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s],
            [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c],
        ]
    )


WITHOUT_STORES = {
    "attention": attention,
    "hand_tracking_simple": hand_errors,
    "hand_tracking_complicated": hand_errors_on_triangles,
    "gaussian_mixture": log_likelihood,
    "gaussian_mixture_low_dimension": log_likelihood,
    "burgers_in_place": burgers,
    "heat_in_place": heat,
}
