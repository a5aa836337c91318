"""The log-likelihood of a mixture of Gaussians with a Wishart prior.

The precision matrix of component k is Q_k^T Q_k with Q_k lower triangular, given by the
logarithms of its diagonal and the entries below it, column by column (``icf``), so that

    log p = sum_i log sum_k exp(alpha_k + sum(q_k) - |Q_k (x_i - mu_k)|^2 / 2)
            - n log sum_k exp(alpha_k) + log prior + constant.

Source: F. Srajer, Z. Kukelova, A. Fitzgibbon, A benchmark of selected algorithmic
differentiation tools on some problems in computer vision and machine learning,
Optimization Methods and Software 33 (2018).
"""

import math

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def log_wishart_constant(d, m, gamma):
    """The logarithm of the constant of the prior of one component."""
    n = d + m + 1
    log_gammas = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        log_gammas += math.lgamma(0.5 * (n - j))
    return n * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gammas


def log_sum_exp(x, axis):
    top = np.max(x, axis=axis, keepdims=True)
    return np.log(np.sum(np.exp(x - top), axis=axis)) + np.squeeze(top, axis=axis)


def log_likelihood(alphas, means, icf, x, gamma, m):
    """Log-likelihood of points: (k,), (k, d), (k, d (d + 1) / 2), (n, d), prior."""
    n, d = x.shape
    k = alphas.shape[0]
    sums = np.sum(icf[:, :d], axis=1)
    diagonals = np.exp(icf[:, :d])
    columns, rows = np.triu_indices(d, 1)
    q = np.zeros((k, d, d))
    q[:, rows, columns] = icf[:, d:]
    q[:, np.arange(d), np.arange(d)] = diagonals
    centred = x - means[:, None, :]
    scaled = np.matmul(centred, np.swapaxes(q, 1, 2))
    terms = (alphas + sums)[:, None] - 0.5 * np.sum(scaled**2, axis=2)
    data_term = np.sum(log_sum_exp(terms, 0)) - n * log_sum_exp(alphas, 0)
    squares = np.sum(diagonals**2) + np.sum(icf[:, d:] ** 2)
    prior = 0.5 * gamma**2 * squares - m * np.sum(sums)
    constant = -0.5 * n * d * math.log(2.0 * math.pi)
    return constant + data_term + prior - k * log_wishart_constant(d, m, gamma)


def log_likelihood_grad(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    sums = np.sum(icf[:, :d], axis=1)
    diagonals = np.exp(icf[:, :d])
    columns, rows = np.triu_indices(d, 1)
    q = np.zeros((k, d, d))
    q[:, rows, columns] = icf[:, d:]
    q[:, np.arange(d), np.arange(d)] = diagonals
    centred = x - means[:, None, :]
    scaled = np.matmul(centred, np.swapaxes(q, 1, 2))
    terms = (alphas + sums)[:, None] - 0.5 * np.sum(scaled**2, axis=2)

    terms_bar = np.exp(terms - np.max(terms, axis=0))
    terms_bar /= np.sum(terms_bar, axis=0)
    weights = np.exp(alphas - np.max(alphas))
    totals = np.sum(terms_bar, axis=1)
    alphas_bar = totals - n / np.sum(weights) * weights
    scaled *= -terms_bar[:, :, None]
    means_bar = -np.sum(np.matmul(scaled, q), axis=1)
    q_bar = np.matmul(np.swapaxes(scaled, 1, 2), centred)
    icf_bar = np.empty_like(icf)
    icf_bar[:, d:] = q_bar[:, rows, columns] + gamma**2 * icf[:, d:]
    diagonals_bar = q_bar[:, np.arange(d), np.arange(d)] + gamma**2 * diagonals
    icf_bar[:, :d] = diagonals_bar * diagonals + (totals - m)[:, None]
    return alphas_bar, means_bar, icf_bar


def log_likelihood_in_loops(alphas, means, icf, x, gamma, m):
    """The same, one point and one component after the other."""
    n, d = x.shape
    k = alphas.shape[0]
    total = -0.5 * n * d * math.log(2.0 * math.pi)
    prior = -k * log_wishart_constant(d, m, gamma)
    matrices = []
    sums = []
    for j in range(k):
        q = np.zeros((d, d))
        place = d
        for column in range(d):
            q[column, column] = np.exp(icf[j, column])
            for row in range(column + 1, d):
                q[row, column] = icf[j, place]
                place += 1
        matrices.append(q)
        sums.append(np.sum(icf[j, :d]))
        prior += 0.5 * gamma**2 * np.sum(q**2) - m * sums[j]
    for i in range(n):
        terms = np.zeros(k)
        for j in range(k):
            scaled = matrices[j] @ (x[i] - means[j])
            terms[j] = alphas[j] + sums[j] - 0.5 * np.dot(scaled, scaled)
        top = np.max(terms)
        total += top + np.log(np.sum(np.exp(terms - top)))
    top = np.max(alphas)
    return total - n * (top + np.log(np.sum(np.exp(alphas - top)))) + prior


def log_likelihood_in_loops_grad(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    matrices = []
    sums = []
    for j in range(k):
        q = np.zeros((d, d))
        place = d
        for column in range(d):
            q[column, column] = np.exp(icf[j, column])
            for row in range(column + 1, d):
                q[row, column] = icf[j, place]
                place += 1
        matrices.append(q)
        sums.append(np.sum(icf[j, :d]))
    weights = np.exp(alphas - np.max(alphas))
    alphas_bar = -n / np.sum(weights) * weights
    sums_bar = np.full(k, -float(m))
    means_bar = np.zeros_like(means)
    matrices_bar = [gamma**2 * q for q in matrices]
    for i in range(n):
        terms = np.zeros(k)
        kept = []
        for j in range(k):
            centred = x[i] - means[j]
            scaled = matrices[j] @ centred
            kept.append((centred, scaled))
            terms[j] = alphas[j] + sums[j] - 0.5 * np.dot(scaled, scaled)
        terms_bar = np.exp(terms - np.max(terms))
        terms_bar /= np.sum(terms_bar)
        alphas_bar += terms_bar
        sums_bar += terms_bar
        for j in range(k):
            centred, scaled = kept[j]
            scaled_bar = -terms_bar[j] * scaled
            matrices_bar[j] += np.outer(scaled_bar, centred)
            means_bar[j] -= matrices[j].T @ scaled_bar
    icf_bar = np.zeros_like(icf)
    for j in range(k):
        icf_bar[j, :d] = sums_bar[j]
        place = d
        for column in range(d):
            diagonal_bar = matrices_bar[j][column, column] * matrices[j][column, column]
            icf_bar[j, column] += diagonal_bar
            for row in range(column + 1, d):
                icf_bar[j, place] = matrices_bar[j][row, column]
                place += 1
    return alphas_bar, means_bar, icf_bar


def data(rng, n, d, k):
    return (
        rng.normal(size=k),
        rng.normal(size=(k, d)),
        0.3 * rng.normal(size=(k, d * (d + 1) // 2)),
        rng.normal(size=(n, d)),
        1.5,
        2,
    )


WRT = ("alphas", "means", "icf")
KERNELS = (
    Kernel(
        "gaussian_mixture",
        log_likelihood,
        log_likelihood_grad,
        data,
        timed((30, 64, 25), 100, 300, tiny=(5, 3, 2)),
        WRT,
    ),
    Kernel(
        "gaussian_mixture_low_dimension",
        log_likelihood,
        log_likelihood_grad,
        data,
        timed((100, 2, 5), 1000, 10_000, tiny=(4, 2, 3)),
        WRT,
    ),
    Kernel(
        "gaussian_mixture_in_loops",
        log_likelihood_in_loops,
        log_likelihood_in_loops_grad,
        data,
        timed((10, 4, 3), 30, 100, tiny=(4, 2, 3)),
        WRT,
    ),
)
