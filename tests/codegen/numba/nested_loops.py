"""Loops in loops whose bounds depend on each other, which overwrite numbers that the
reverse sweep reads."""

import math

import numpy as np


def triangle(x):
    value = 1.0
    for i in range(len(x)):
        for j in range(i + 1):
            value = math.sin(value * x[j]) + x[i]
    return value


def upper_triangle(x, first):
    value = 1.0
    for i in range(first, len(x)):
        for j in range(i + 1, len(x)):
            value = math.sin(value * x[j]) + x[i]
    return value


def band(x, width):
    value = 1.0
    for i in range(width, len(x) - width):
        for j in range(i - width, i + width + 1):
            value = math.sin(value * x[j]) + x[i]
    return value


def band_of_three(x):
    value = 1.0
    for i in range(1, len(x) - 1):
        for j in range(i - 1, i + 2):
            value = math.sin(value * x[j]) + x[i]
    return value


def downwards(x, n):
    value = 1.0
    for i in range(n - 1, -1, -1):
        for j in range(i, -1, -1):
            value = math.sin(value * x[j]) + x[i]
    return value


def from_below_zero(x, low):
    value = 1.0
    for i in range(low, 3):
        value = math.sin(value * x[i + 3])
        for j in range(low, i):
            value = math.sin(value + x[j + 3] * i)
    return value


def pyramid(x):
    """Two triangles in one another."""
    value = 1.0
    for i in range(len(x)):
        for j in range(i):
            for k in range(j):
                value = math.sin(value * x[k]) + x[i] * x[j]
    return value


def now_and_then(x):
    value = 1.0
    for i in range(len(x)):
        for j in range(i, len(x)):
            if (i + j) % 2 == 0:
                value = math.sin(value * x[j]) + x[i]
                if value > 0.5:
                    value = value * value
    return value


def length_of_what_changes(x, steps):
    u = x.copy()
    for _ in range(steps):
        left = u[0]
        for i in range(1, len(u) - 1):
            here = u[i]
            u[i] = here + 0.1 * here * left
            left = here
    return np.sum(u * u)


def count_that_changes(x, steps):
    value = 1.0
    n = 1
    for _ in range(steps):
        for j in range(n):
            value = math.sin(value * x[j])
        n = n + 1 if value > 0.3 else n
    return value


def scaled_counter(x):
    value = 1.0
    for i in range(9):
        for j in range(2 * i, 2 * i + 2):
            value = math.sin(value * x[j % 3])
    return value


X = np.linspace(0.3, 1.4, 6)
CASES = [
    (triangle, (X,)),
    (triangle, (X[:0],)),
    (upper_triangle, (X, 1)),
    (upper_triangle, (X, 9)),
    (band, (X, 1)),
    (band, (X, 4)),
    (band_of_three, (X,)),
    (band_of_three, (X[:1],)),
    (downwards, (X, 5)),
    (downwards, (X, 0)),
    (from_below_zero, (X, -3)),
    (from_below_zero, (X, 5)),
    (pyramid, (X,)),
    (now_and_then, (X,)),
    (length_of_what_changes, (X, 3)),
    (length_of_what_changes, (X[:1], 3)),
    (count_that_changes, (X, 5)),
    (scaled_counter, (X,)),
]
IN_ARRAYS = (
    triangle,
    upper_triangle,
    band,
    band_of_three,
    downwards,
    from_below_zero,
    now_and_then,
    length_of_what_changes,
    scaled_counter,
)
