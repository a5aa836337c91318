"""Derivatives by hand for Numba of problems with many small blocks: the Jacobian of
bundle adjustment, the gradient of a Gaussian mixture. As in ``numba_by_hand``."""

import math

import numpy as np

from benchmarks.kernels.numba_by_hand import njit


@njit
def cross(a, b):
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@njit
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit
def jacobian_blocks(cameras, points, weights, observations, features):
    blocks = np.zeros((len(weights), 2, 15))
    for k in range(len(weights)):
        camera, point = cameras[observations[k, 0]], points[observations[k, 1]]
        weight = weights[k]
        r = (camera[0], camera[1], camera[2])
        m = (point[0] - camera[3], point[1] - camera[4], point[2] - camera[5])
        angle = math.sqrt(dot(r, r))
        turned = angle != 0.0
        if turned:
            axis = (r[0] / angle, r[1] / angle, r[2] / angle)
            cosine, sine = math.cos(angle), math.sin(angle)
        else:  # m + r x m
            axis, cosine, sine = r, 1.0, 1.0
        rest, inner = 1.0 - cosine, dot(axis, m)
        along = inner * rest
        c = cross(axis, m)
        x = m[0] * cosine + c[0] * sine + axis[0] * along
        y = m[1] * cosine + c[1] * sine + axis[1] * along
        depth = m[2] * cosine + c[2] * sine + axis[2] * along
        plane = (x / depth, y / depth)
        square = plane[0] ** 2 + plane[1] ** 2
        radial = 1.0 + camera[9] * square + camera[10] * square**2
        focal = camera[6]
        slope = focal * (camera[9] + 2.0 * camera[10] * square)
        for row in range(2):
            block = blocks[k, row]
            scale_bar = weight * plane[row]
            block[6] = scale_bar * radial
            block[7 + row] = weight
            block[9] = scale_bar * focal * square
            block[10] = block[9] * square
            seen = plane[row] * radial * focal + camera[7 + row]
            block[14] = seen - features[k, row]
            factor, more = 2.0 * scale_bar * slope, weight * radial * focal
            bar0 = (factor * plane[0] + (more if row == 0 else 0.0)) / depth
            bar1 = (factor * plane[1] + (more if row == 1 else 0.0)) / depth
            bar = (bar0, bar1, -(bar0 * plane[0] + bar1 * plane[1]))
            c_bar = (bar[0] * sine, bar[1] * sine, bar[2] * sine)
            along_bar = dot(bar, axis)
            inner_bar = along_bar * rest
            by_m, by_axis = cross(c_bar, axis), cross(m, c_bar)
            if turned:
                cosine_bar = dot(bar, m) - along_bar * inner
                angle_bar = dot(bar, c) * cosine - cosine_bar * sine
                axis_bar = (
                    (bar[0] * along + by_axis[0] + inner_bar * m[0]) / angle,
                    (bar[1] * along + by_axis[1] + inner_bar * m[1]) / angle,
                    (bar[2] * along + by_axis[2] + inner_bar * m[2]) / angle,
                )
                angle_bar -= dot(axis_bar, axis)
                by_axis = (
                    axis_bar[0] + angle_bar * axis[0],
                    axis_bar[1] + angle_bar * axis[1],
                    axis_bar[2] + angle_bar * axis[2],
                )
            for i in range(3):
                m_bar = bar[i] * cosine + by_m[i] + inner_bar * axis[i]
                block[i] = by_axis[i]
                block[3 + i] = -m_bar
                block[11 + i] = m_bar
    return blocks


@njit
def log_likelihood(alphas, means, icf, x, gamma, m):
    (n, d), k = x.shape, len(alphas)
    q = np.zeros((k, d, d))
    sums = np.zeros(k)
    for j in range(k):
        place = d
        for column in range(d):
            q[j, column, column] = math.exp(icf[j, column])
            sums[j] += icf[j, column]
            for row in range(column + 1, d):
                q[j, row, column] = icf[j, place]
                place += 1
    weights = np.exp(alphas - np.max(alphas))
    alphas_bar = -n / np.sum(weights) * weights
    sums_bar = np.full(k, -float(m))
    means_bar = np.zeros((k, d))
    q_bar = gamma**2 * q
    centred, scaled, terms = np.empty((k, d)), np.empty((k, d)), np.empty(k)
    for i in range(n):
        top = -np.inf
        for j in range(k):
            square = 0.0
            for row in range(d):
                centred[j, row] = x[i, row] - means[j, row]
                total = 0.0
                for column in range(row + 1):
                    total += q[j, row, column] * centred[j, column]
                scaled[j, row] = total
                square += total * total
            terms[j] = alphas[j] + sums[j] - 0.5 * square
            top = max(top, terms[j])
        total = 0.0
        for j in range(k):
            terms[j] = math.exp(terms[j] - top)
            total += terms[j]
        for j in range(k):
            share = terms[j] / total
            alphas_bar[j] += share
            sums_bar[j] += share
            for row in range(d):
                scaled_bar = -share * scaled[j, row]
                for column in range(row + 1):
                    q_bar[j, row, column] += scaled_bar * centred[j, column]
                    means_bar[j, column] -= q[j, row, column] * scaled_bar
    icf_bar = np.empty(icf.shape)
    for j in range(k):
        place = d
        for column in range(d):
            diagonal_bar = q_bar[j, column, column] * q[j, column, column]
            icf_bar[j, column] = sums_bar[j] + diagonal_bar
            for row in range(column + 1, d):
                icf_bar[j, place] = q_bar[j, row, column]
                place += 1
    return alphas_bar, means_bar, icf_bar


@njit
def log_likelihood_by_products(alphas, means, icf, x, gamma, m):
    """The same with products of matrices, which are faster where d is large."""
    (n, d), k = x.shape, len(alphas)
    q = np.zeros((k, d, d))
    sums = np.zeros(k)
    centred, scaled = np.empty((k, n, d)), np.empty((k, n, d))
    terms = np.empty((k, n))
    for j in range(k):
        place = d
        for column in range(d):
            q[j, column, column] = math.exp(icf[j, column])
            sums[j] += icf[j, column]
            for row in range(column + 1, d):
                q[j, row, column] = icf[j, place]
                place += 1
        centred[j] = x - means[j]
        np.dot(centred[j], q[j].T, scaled[j])
        for i in range(n):
            square = 0.0
            for row in range(d):
                square += scaled[j, i, row] * scaled[j, i, row]
            terms[j, i] = alphas[j] + sums[j] - 0.5 * square
    for i in range(n):
        top = np.max(terms[:, i])
        terms[:, i] = np.exp(terms[:, i] - top)
        terms[:, i] /= np.sum(terms[:, i])
    weights = np.exp(alphas - np.max(alphas))
    alphas_bar = -n / np.sum(weights) * weights
    means_bar, icf_bar = np.zeros((k, d)), np.empty(icf.shape)
    for j in range(k):
        share = np.sum(terms[j])
        alphas_bar[j] += share
        for i in range(n):
            for row in range(d):
                scaled[j, i, row] *= -terms[j, i]
        q_bar = scaled[j].T @ centred[j]
        centred_bar = scaled[j] @ q[j]
        for i in range(n):
            for column in range(d):
                means_bar[j, column] -= centred_bar[i, column]
        place = d
        for column in range(d):
            e = q[j, column, column]
            diagonal_bar = q_bar[column, column] + gamma**2 * e
            icf_bar[j, column] = diagonal_bar * e + share - m
            for row in range(column + 1, d):
                icf_bar[j, place] = q_bar[row, column] + gamma**2 * icf[j, place]
                place += 1
    return alphas_bar, means_bar, icf_bar


WRITTEN = {
    "bundle_adjustment": jacobian_blocks,
    "bundle_adjustment_in_a_loop": jacobian_blocks,
    "gaussian_mixture": log_likelihood_by_products,
    "gaussian_mixture_low_dimension": log_likelihood,
    "gaussian_mixture_in_loops": log_likelihood,
}
