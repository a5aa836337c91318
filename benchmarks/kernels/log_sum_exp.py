"""The logarithm of a sum of exponentials, shifted by the largest of them."""

import math

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def log_sum_exp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def log_sum_exp_grad(x):
    weights = np.exp(x - np.max(x))
    weights /= np.sum(weights)
    return weights


def log_sum_exp_in_loops(x):
    top = x[0]
    for i in range(1, len(x)):
        if x[i] > top:
            top = x[i]
    total = 0.0
    for i in range(len(x)):
        total += math.exp(x[i] - top)
    return top + math.log(total)


def log_sum_exp_in_loops_grad(x):
    top = x[0]
    for i in range(1, len(x)):
        if x[i] > top:
            top = x[i]
    weights = np.empty_like(x)
    total = 0.0
    for i in range(len(x)):
        weight = math.exp(x[i] - top)
        weights[i] = weight
        total += weight
    return weights / total


def data(rng, n):
    return (rng.normal(size=n),)


KERNELS = (
    Kernel(
        "log_sum_exp",
        log_sum_exp,
        log_sum_exp_grad,
        data,
        timed((1_000,), 30_000, 1_000_000, tiny=(6,)),
    ),
    Kernel(
        "log_sum_exp_in_loops",
        log_sum_exp_in_loops,
        log_sum_exp_in_loops_grad,
        data,
        timed((100,), 1_000, 10_000, tiny=(6,)),
    ),
)
