"""Programs with lists whose length only the run knows."""

import math

import numpy as np


def kept_numbers(x):
    kept = []
    for v in x:
        if v > 0.5:
            kept.append(v * v)
    return sum(kept) + 0.1 * len(kept)


def kept_rows(x):
    rows = []
    for row in x:
        if row[0] > 0.0:
            rows.append(np.tanh(row))
    return np.sum(np.stack(rows) ** 2)


def begun_with_whole_numbers(x):
    """Numba would cut what is stored down to whole numbers."""
    items = [0, 0, 1]
    for k in range(3):
        items[k] = items[k] + x[k] * 1.5
        items.append(x[k])
    return items[0] * items[1] + items[2] * items[-1]


def pops(x, n):
    stack = [x[0]]
    while len(stack) < n:
        stack.append(stack[-1] * x[1])
        if stack[-1] > 2.0:
            stack.append(stack.pop() - 1.0)
    total = 0.0
    while stack:
        total += stack.pop() ** 2
    return total


def inserts(x):
    items = []
    for v in x:
        items.insert(0, v)
        if len(items) > 2:
            items.pop(1)
    return items[0] * items[1]


def lists_of_lists(x):
    table = [[v * j for j in range(3)] for v in x]
    total = 0.0
    for row in table:
        for v in row:
            total += v * v
    return total


def ragged(x):
    rows = []
    for k in range(len(x)):
        rows.append(x[k:] * x[k])
    total = 0.0
    for row in rows:
        total += np.sum(row) ** 2
    return total


def tuples_grow(x, n):
    row = (x[0],)
    for _ in range(n):
        new = (1.0,)
        for v in row:
            new = (*new, new[-1] * v + x[1])
        row = new
    return row[-1]


def exactly(x):
    return math.fsum(v**2 for v in x if v > 0.4)


def in_order(x):
    items = sorted(v * v for v in x)
    return items[0] + 3.0 * items[-1]


def as_array(x):
    items = []
    for v in x:
        items.append(math.sin(v))
    return np.sum(np.array(items) * np.cumsum(x))


def in_while(x):
    y, k = x[0], 0
    while y < 10.0:
        y = y * (1.0 + x[k % 3] ** 2)
        k += 1
    return y


X = np.array([0.9, 0.6, 1.3])
ROWS = np.array([[0.3, -0.4], [-0.2, 0.5], [0.8, 0.1]])
CASES = [
    (kept_numbers, (X,)),
    (kept_rows, (ROWS,)),
    (begun_with_whole_numbers, (X,)),
    (pops, (X, 5)),
    (inserts, (X,)),
    (lists_of_lists, (X,)),
    (ragged, (X,)),
    (tuples_grow, (X, 3)),
    (exactly, (X,)),
    (in_order, (X,)),
    (as_array, (X,)),
    (in_while, (X,)),
]
