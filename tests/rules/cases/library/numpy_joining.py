"""Functions of NumPy that join, take apart, choose, and call others."""

import numpy as np

from tests.rules.cases.form import case

V = np.array([0.3, -1.2, 0.7, 2.0])
W = np.array([1.1, 0.4, 0.6])
M = np.array([[0.5, -0.3, 0.8, 1.4], [1.2, 0.1, -0.9, -0.2], [2.0, 0.6, 0.3, -1.1]])
T = np.linspace(-1.0, 2.0, 12).reshape(2, 3, 2) ** 2 + M.reshape(2, 3, 2)
PICK = np.array([0, 1, 1, 2])
KEEP = np.array([True, False, True])


def in_rows(x, y):
    return np.r_[x, y, 2.0, 0:3, [y, 1.0], x[1:]]


def in_columns(x, m):
    return np.c_[m, x, m.T[:3, :2], x * x]


def stored_in_rows(x):
    joined = np.hstack(x)
    joined[0] = 2.0
    same = np.vstack(x[0])
    same[0] *= x[1, 0]
    return np.sum(joined**3) + np.sum(same**2) * x[0, 0]


def blocks(a, b, x):
    return np.block([[a, a[:, :1] * x], [b, x]])


def split_up(x, m):
    a, b = np.hsplit(m, 2)
    first, *_ = np.vsplit(m, [1, 2])
    deep = np.dsplit(np.reshape(m, (3, 2, 2)), 2)[1]
    return np.sum(a * b) + np.sum(first) + np.sum(deep**2) + np.prod(np.hsplit(x, 2)[0])


def chosen_elements(x, m):
    rows = m.compress([True, False, True], axis=0) * x
    first = np.choose(PICK, [x, x * x, 2.0]) + PICK.choose((x, 1.0, 3.0 * x))
    return np.sum(rows) + np.sum(first) + m.item(5) * m.item((1, 2)) * x.item(0)


def as_lists(x, m):
    numbers, rows = x.tolist(), m.tolist()
    return numbers[1] * rows[1][2] + sum(v * v for v in numbers)


def in_pieces(x):
    low, high = x < 0.0, x > 1.0
    return np.piecewise(x, [low, high], [np.square, -1.0, lambda v: 3.0 * v**3])


def scaled_pieces(x, a):
    return np.piecewise(x, [x < 0.5], [lambda v, k: k * v, lambda v, k: v**k], a)


@np.vectorize
def rectified(x):
    return x * x if x > 0.0 else 0.5 * x


tilted = np.vectorize(lambda x, y: x * y**2, otypes=[float])


def each(x, m):
    return np.vectorize(lambda a: a**3)(m) * rectified(x) + tilted(x, m)


def norms(x):
    return np.apply_along_axis(lambda v: np.sqrt(1.0 + np.sum(v * v)), 0, x)


def scaled_lines(x, a):
    return np.apply_along_axis(lambda v, k: k * v[1:] * v[0], -1, x, a)


def by_places(x):
    return np.fromfunction(lambda i, j: x[0] * i + x[1] * j**2, (2, 3))


def trimmed(x):
    return np.trim_zeros(np.r_[0.0, 0.0, x, 0.0], "f") * np.trim_zeros(np.r_[x, 2.0])


def stacked(x):
    return np.stack(np.broadcast_arrays(x, 1.5, x[:, None])) ** 2


def transposed(m):
    return m.mT @ m


CASES = [
    case(np.r_.__getitem__, (V, 1.5, V)),
    case(np.c_.__getitem__, (V, M.T)),
    case(in_rows, V, 1.5),
    case(in_columns, W, M),
    case(np.dstack, (V, V)),
    case(np.dstack, [M, T[0, 0, 0] * M]),
    *[case(f, x) for f in (np.vstack, np.hstack, np.column_stack) for x in (V, M, T)],
    case(np.concatenate, M),
    case(np.concatenate, T, axis=-1),
    case(np.concatenate, T, axis=None),
    case(np.stack, V),
    case(np.stack, T, axis=-1),
    case(stored_in_rows, T),
    case(np.block, [[M, M], [M, 2.0 * M]]),
    case(np.block, [V, 1.5, W]),
    case(np.block, [T, T]),
    case(blocks, M[:2, :2], V[:2], 0.5),
    case(np.insert, V, 1, 2.5),
    case(np.insert, V, -1, W),
    case(np.insert, M, 1, V, axis=0),
    case(np.insert, M, -2, W, axis=1),
    case(np.insert, M, 4, M[:, :2].T, axis=1),
    case(np.insert, V, [1, 3], W[:2]),
    case(np.insert, V, [0, 4, 2], 2.5),
    case(np.insert, M, slice(0, 2), V, axis=0),
    case(np.insert, V, [1], W),
    case(np.insert, M, [1], W[:, None], axis=1),
    case(np.insert, M, [1], M[:, :2], axis=1),
    case(np.insert, M, 5, 2.5),
    case(np.delete, V, 1),
    case(np.delete, M, -1, axis=1),
    case(np.delete, M, [0, 2], axis=-1),
    case(np.delete, M, slice(0, 2), axis=0),
    case(np.delete, M, KEEP, axis=0),
    case(np.delete, M, 7),
    case(np.hsplit, M, 2),
    case(np.vsplit, M, [1, 2]),
    case(np.dsplit, T, 2),
    case(split_up, V, M),
    *([case(np.unstack, M)] if hasattr(np, "unstack") else []),
    case(np.trim_zeros, V),
    case(trimmed, V),
    case(np.atleast_3d, V),
    case(np.atleast_3d, M),
    case(np.atleast_3d, 0.5),
    case(np.atleast_3d, M, V),
    case(np.atleast_1d, 0.5, M),
    case(np.atleast_2d, V, 0.5),
    case(np.broadcast_arrays, V, M),
    case(stacked, V),
    case(np.broadcast_arrays, W[:, None], V, 0.5),
    case(np.rollaxis, T, 2),
    case(np.rollaxis, T, 0, 2),
    case(np.rollaxis, T, -1, -2),
    case(np.diagflat, M[:, :2], 1),
    case(np.diagonal, T),
    case(np.diagonal, T, 1, -1, 0),
    case(np.diagonal, M, -1),
    case(np.trace, T),
    case(np.trace, T, 1, 0, 2),
    case(np.trace, M, 1),
    case(transposed, M),
    case(np.compress, [True, False, True], V),
    case(np.compress, KEEP, M, axis=0),
    case(np.ndarray.compress, M, KEEP, axis=0),
    case(np.extract, M > 0.2, M),
    case(np.take, M, np.array([0, 9, -1]), axis=1, mode="wrap"),
    case(np.take, M, np.array([0, 9, -1]), mode="clip"),
    case(np.choose, PICK, (V, M[0], 2.5)),
    case(np.choose, PICK, (V, M[0]), mode="clip"),
    case(chosen_elements, V, M),
    case(np.ndarray.__array__, M),
    case(np.ndarray.__array__, M, np.float64, copy=True),
    case(np.ndarray.item, M, 5),
    case(np.ndarray.item, M, 1, 2),
    case(np.ndarray.item, M[:1, :1]),
    case(np.ndarray.tolist, V),
    case(as_lists, V, M),
    case(np.piecewise, V, [V < 0.5], [np.square, np.sin]),
    case(in_pieces, M),
    case(scaled_pieces, V, 2.5),
    case(each, V, M),
    case(np.apply_along_axis, np.sum, 0, M),
    case(norms, M),
    case(norms, T),
    case(np.apply_along_axis, np.sum, 0, M[:0], note="empty"),
    case(scaled_lines, M, 1.5),
    case(np.apply_over_axes, np.sum, T, (0, -1)),
    case(by_places, V),
]
