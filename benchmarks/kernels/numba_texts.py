"""Kernels as users of Numba write them, where the backend refuses the kernel's own
text: with arrays instead of lists, and loops instead of what Numba doesn't have."""

import math

import numpy as np

from benchmarks.kernels.lstm import lstm_cell


def lstm(main, extra, state, sequence):
    layers, b = len(main), sequence.shape[1]
    hidden, cells = state[:, 0].copy(), state[:, 1].copy()
    total = 0.0
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for layer in range(layers):
            weights, biases = main[layer, 0], main[layer, 1]
            x, cell = lstm_cell(weights, biases, hidden[layer], cells[layer], x)
            cells[layer] = cell
            hidden[layer] = x
        prediction = x * extra[1] + extra[2]
        normed = prediction - np.log(np.sum(np.exp(prediction)) + 2.0)
        total += np.dot(sequence[t + 1], normed)
    return -total / (b * (len(sequence) - 1))


def log_likelihood(alphas, means, icf, x, gamma, m):
    """Constants of the prior, which no gradient needs, are left out."""
    n, d = x.shape
    k = len(alphas)
    q = np.zeros((k, d, d))
    sums = np.zeros(k)
    total = 0.0
    for j in range(k):
        place = d
        for column in range(d):
            q[j, column, column] = math.exp(icf[j, column])
            sums[j] += icf[j, column]
            total += 0.5 * gamma**2 * q[j, column, column] ** 2
            for row in range(column + 1, d):
                q[j, row, column] = icf[j, place]
                total += 0.5 * gamma**2 * icf[j, place] ** 2
                place += 1
        total -= m * sums[j]
    for i in range(n):
        terms = np.zeros(k)
        for j in range(k):
            square = 0.0
            for row in range(d):
                scaled = 0.0
                for column in range(row + 1):
                    scaled += q[j, row, column] * (x[i, column] - means[j, column])
                square += scaled**2
            terms[j] = alphas[j] + sums[j] - 0.5 * square
        top = np.max(terms)
        total += top + np.log(np.sum(np.exp(terms - top)))
    top = np.max(alphas)
    return total - n * (top + np.log(np.sum(np.exp(alphas - top))))


def log_likelihood_by_products(alphas, means, icf, x, gamma, m):
    """The same with products of matrices, which are faster where d is large."""
    n, d = x.shape
    k = len(alphas)
    terms = np.zeros((k, n))
    total = 0.0
    for j in range(k):
        q = np.zeros((d, d))
        place = d
        for column in range(d):
            q[column, column] = math.exp(icf[j, column])
            for row in range(column + 1, d):
                q[row, column] = icf[j, place]
                place += 1
        sum_of_logs = np.sum(icf[j, :d])
        total += 0.5 * gamma**2 * np.sum(q**2) - m * sum_of_logs
        scaled = (x - means[j]) @ q.T
        terms[j] = alphas[j] + sum_of_logs - 0.5 * np.sum(scaled**2, axis=1)
    for i in range(n):
        top = np.max(terms[:, i])
        total += top + np.log(np.sum(np.exp(terms[:, i] - top)))
    top = np.max(alphas)
    return total - n * (top + np.log(np.sum(np.exp(alphas - top))))


def worth(spot, strike, volatility, rate, time):
    deviation = volatility * np.sqrt(time)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / deviation
    d2 = d1 - deviation
    total = 0.0
    for i in range(len(spot)):
        first = 0.5 * (1.0 + math.erf(d1[i] / math.sqrt(2.0)))
        second = 0.5 * (1.0 + math.erf(d2[i] / math.sqrt(2.0)))
        total += spot[i] * first - strike[i] * math.exp(-rate * time[i]) * second
    return total


def error_along(camera, point, weight, feature, along_x, along_y):
    """The product of the error of an observation with a direction."""
    mx, my, mz = point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]
    square_angle = camera[0] ** 2 + camera[1] ** 2 + camera[2] ** 2
    if square_angle != 0.0:
        angle = math.sqrt(square_angle)
        ax, ay, az = camera[0] / angle, camera[1] / angle, camera[2] / angle
        cosine, sine = math.cos(angle), math.sin(angle)
        along = (ax * mx + ay * my + az * mz) * (1.0 - cosine)
        x = mx * cosine + (ay * mz - az * my) * sine + ax * along
        y = my * cosine + (az * mx - ax * mz) * sine + ay * along
        z = mz * cosine + (ax * my - ay * mx) * sine + az * along
    else:
        x = mx + camera[1] * mz - camera[2] * my
        y = my + camera[2] * mx - camera[0] * mz
        z = mz + camera[0] * my - camera[1] * mx
    plane_x, plane_y = x / z, y / z
    square = plane_x**2 + plane_y**2
    scale = (1.0 + camera[9] * square + camera[10] * square**2) * camera[6]
    error_x = plane_x * scale + camera[7] - feature[0]
    error_y = plane_y * scale + camera[8] - feature[1]
    return weight * (along_x * error_x + along_y * error_y)
