"""Kernels that write into arrays, as they are written where arrays can't be changed."""

import math

import numpy as np

from benchmarks.kernels.gaussian_mixture import log_sum_exp, log_wishart_constant


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


WITHOUT_STORES = {
    "gaussian_mixture": log_likelihood,
    "gaussian_mixture_low_dimension": log_likelihood,
    "burgers_in_place": burgers,
    "heat_in_place": heat,
}
