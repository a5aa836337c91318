"""Functions from an array to an array, and from an array to a number, whose derivatives
have few entries, or have them in awkward places."""

import numpy as np


def three_point(x):
    y = 2.0 * x * x
    y[1:] += np.sin(x[:-1]) * x[1:]
    y[:-1] -= x[1:] ** 2 * x[:-1]
    return y


def seven_point(x):
    n = x.shape[0]
    padded = np.concatenate([np.zeros(3), x, np.zeros(3)])
    y = x**2
    for k in range(7):
        y = y + (k + 1.0) * np.sin(padded[k : k + n]) * x
    return y


def five_point_grid(x):
    u = x.reshape(4, -1)
    w = np.exp(-u)
    w[1:] += u[:-1]
    w[:-1] += u[1:] ** 2
    w[:, 1:] -= u[:, :-1] * u[:, 1:]
    w[:, :-1] += u[:, 1:]
    return w


def periodic(x):
    return (np.roll(x, 1) - np.roll(x, -1)) * np.cos(x)


def gathered(x):
    return x[np.array([0, 2, 2, 5, 1])] * np.take(x, [3, 3, 0, 1, 1])


def scattered(x):
    y = np.zeros(9)
    np.add.at(y, np.array([0, 0, 4, 8, 4, 2, 2, 0]), x**2)
    y[1:4] += x[:3]
    return y


def loop_with_stores(x):
    y = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        y[i] = x[i - 1] * x[i + 1] - x[i] ** 2
        y[i - 1] += np.sin(x[i])
    return y


def recurrence(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i] if i % 3 else x[i] ** 2
    return y


def branch_by_value(x):
    if x[0] > 0.5:
        return x * np.roll(x, 1)
    return x**2


def branches_in_loop(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.6:
            y[i] = x[i] * x[0]
        elif i:
            y[i] = x[i - 1]
        else:
            y[i] = 3.0
    return y


def chosen_elements(x):
    return np.where(x > 0.5, x**2, x[::-1])


def sums_of_rows(x):
    u = x.reshape(2, -1)
    return np.sum(u**2, axis=1) * np.max(u, axis=1)


def product_with_sparse(x):
    a = np.diag(np.arange(1.0, len(x) + 1)) + np.diag(np.ones(len(x) - 1), 1)
    return np.tanh(a @ x) + x @ a


def products_of_rows(x):
    u = x.reshape(2, 4)
    v = x[:4].reshape(4, 1)
    return (u @ v) * np.ones((2, 3))


def einsum_of_rows(x):
    u = x.reshape(2, 4)
    return np.einsum("ij,j->i", u, np.ones(4)) + np.einsum("ij,ij->i", u, u)


def arrow_head(x):
    y = x**2 * x[0]
    y[0] = np.sum(x)
    return y


def one_row(x):
    return np.sum(x**3)


def from_first(x):
    return x[0] * np.arange(1.0, 6.0)


def list_of_parts(x):
    parts = []
    for k in range(0, len(x), 2):
        parts.append(x[k] * x[k + 1])
    return np.array(parts)


def rows_stacked(x):
    rows = [np.sin(row) * row[0] for row in x.reshape(4, 2)]
    return np.stack(rows)


def differences(x):
    return np.diff(x, 2) * x[1:-1]


def smoothed(x):
    return np.convolve(x**2, np.array([0.2, 0.5, 0.3]), "same")


def running_sum(x):
    return np.cumsum(x.reshape(2, 4), axis=1)


def sorted_elements(x):
    return np.sort(x)[:3] * x[-1]


def solved(x):
    a = np.diag(2.0 + x[:3]) + 0.1
    return np.concatenate([np.linalg.solve(a, x[3:6]), x[6:] ** 2])


def until_small(x):
    y = x.copy()
    while np.max(y) > 0.3:
        y = 0.5 * y
        y[0] = y[0] * y[1]
    return y


def without_dependence(x):
    return np.ones(3) * len(x)


def nested_lists(x):
    return np.array([[x[0], 2.0], [x[1] * x[2], x[0]]])


def helper(x, k):
    return x if k == 0 else helper(x * x[::-1], k - 1)


def recursion(x):
    return helper(x[:3], 2)


FROM_ARRAYS = [
    three_point,
    seven_point,
    five_point_grid,
    periodic,
    gathered,
    scattered,
    loop_with_stores,
    recurrence,
    branch_by_value,
    branches_in_loop,
    chosen_elements,
    sums_of_rows,
    product_with_sparse,
    products_of_rows,
    einsum_of_rows,
    arrow_head,
    one_row,
    from_first,
    list_of_parts,
    rows_stacked,
    differences,
    smoothed,
    running_sum,
    sorted_elements,
    solved,
    until_small,
    without_dependence,
    nested_lists,
    recursion,
]


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_in_a_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def energy_of_springs(x):
    u = x.reshape(2, 4)
    across = u[:, 1:] - u[:, :-1]
    down = u[1:] - u[:-1]
    return np.sum(np.sqrt(1.0 + across**2)) + np.sum(down**4)


def separable(x):
    return np.sum(np.exp(x) * np.cos(x))


def coupled_to_first(x):
    return np.sum(x[1:] ** 2 * x[0])


def square_of_sum(x):
    return np.sum(x[:4]) ** 2 + np.sum(x[4:] ** 3)


def squares_in_branches(x):
    total = 0.0
    for i in range(1, len(x)):
        if x[i] > 0.5:
            total += x[i] ** 2 * x[i - 1]
        else:
            total += np.sin(x[i])
    return total


def matrix_form(x):
    a = np.diag(np.arange(1.0, len(x) + 1))
    return x @ (a @ x) + np.sum(np.maximum(x, 0.5) ** 3)


def linear(x):
    return np.sum(x[::2])


NUMBERS = [
    rosenbrock,
    rosenbrock_in_a_loop,
    energy_of_springs,
    separable,
    coupled_to_first,
    square_of_sum,
    squares_in_branches,
    matrix_form,
    linear,
]
