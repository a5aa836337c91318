"""Keywords of NumPy's functions."""

import numpy as np

from tests.rules.cases.form import case

V = np.array([0.3, -1.2, 0.7, 2.0])
W = np.array([1.1, 0.4, 0.6, 2.5])
M = np.array([[0.5, -0.3, 0.8, 1.4], [1.2, 0.1, -0.9, -0.2], [2.0, 0.6, 0.3, -1.1]])
T = np.linspace(-1.0, 2.0, 12).reshape(2, 3, 2) ** 2 + M.reshape(2, 3, 2)
MASK = np.array([[True, False, True, True], [True, True, False, True], [True] * 4])
ROW = [True, False, True, True]
AT = np.array([-0.5, 0.4, 1.3, 2.9])
REDUCTIONS = (np.sum, np.prod, np.mean, np.var, np.std)


def mean_given(x, m):
    return np.var(x, axis=1, mean=m, keepdims=True)


def spread_about(x, m):
    return np.std(x, axis=0, mean=m, where=MASK, correction=1)


def started(function):
    def call_with_start(x, start):
        return function(x, axis=0, initial=start)

    call_with_start.__name__ = f"{function.__name__} with initial"
    return call_with_start


def ends_given(x, left, right):
    return np.interp(x, AT, V, left=left, right=right)


def in_periods(x, xp, fp):
    return np.interp(x, xp, fp, period=3.0)


def widened(x, first, last):
    return np.diff(x, prepend=first, append=last)


def weighted(x, w):
    mean, total = np.average(x, axis=1, weights=w, returned=True)
    return mean * total


def stepped(a, b):
    values, step = np.linspace(a, b, 5, retstep=True)
    return values * step


def sparse_grid(x, y):
    across, down = np.meshgrid(x, y, sparse=True)
    return across * down


def per_row(m):
    return m / np.size(m, axis=1)


def methods_of(x):
    total = x.sum(where=MASK) + x.mean(axis=0, where=MASK)[0] + x.max(initial=0.5)
    by_columns = x.reshape(4, 3, order="F") * x.reshape((4, -1), order="C")
    flat = x.ravel("F") * x.flatten(order="F") * x.copy("F").ravel()
    return total * np.sum(by_columns**2) + np.sum(flat) + x.std(where=MASK)


CASES = [
    *(case(f, M, where=MASK) for f in REDUCTIONS),
    *(case(f, M, axis=1, where=MASK) for f in REDUCTIONS),
    *(case(f, M, axis=0, where=MASK, keepdims=True) for f in REDUCTIONS),
    *(case(f, M, axis=1, where=ROW, note="row") for f in (np.sum, np.mean)),
    *(case(f, T, axis=(0, -1), where=T > 0.1) for f in REDUCTIONS),
    *(case(f, M.astype("f4"), axis=0, where=MASK) for f in REDUCTIONS),
    *(case(f, M, axis=0, initial=0.4) for f in (np.sum, np.prod, np.max, np.min)),
    *(
        case(started(f), M, start)
        for f in (np.sum, np.prod, np.max, np.min)
        for start in (0.4, -2.5)
    ),
    *(case(f, M[:0], axis=0, initial=0.4, note="empty") for f in (np.max, np.min)),
    *(case(f, M, axis=0, initial=0.4, where=MASK) for f in (np.max, np.min, np.sum)),
    *(case(f, M, axis=0, correction=1) for f in (np.var, np.std)),
    case(mean_given, M, np.mean(M, axis=1, keepdims=True)),
    case(spread_about, M, W),
    case(methods_of, M),
    case(weighted, M, W),
    case(np.average, M, returned=True),
    case(np.average, M, 0, M + 2.0, returned=True, keepdims=True),
    case(np.diff, V, prepend=0.5),
    case(widened, V, 0.5, np.array([1.0, 2.0])),
    case(widened, V, [0.5], 2.0),
    case(np.diff, M, 2, 0, M[:1], M[1:]),
    case(np.diff, M, axis=0, prepend=0.5),
    case(np.interp, 0.2, AT, V, -1.0),
    case(np.interp, -0.7, AT, V, -1.0, 2.0),
    case(ends_given, 3.0 * M, 0.5, 1.5),
    case(in_periods, 3.0 * M, AT, V),
    *([case(np.trapz, M, AT)] if hasattr(np, "trapz") else []),
    case(np.cross, M[:, :3], W[:3]),
    case(np.cross, M[:, None, :3], [0.5, 1.0, -2.0]),
    case(np.cross, M[:, :3], M[:, 1:], axisa=0, axisb=1, axisc=0),
    case(np.cross, M[:, :3], W[:3], axisa=0),
    case(np.cross, M[:, :3], M[:, 1:], axis=0),
    case(np.meshgrid, V, W, sparse=True),
    case(sparse_grid, V, W[:3]),
    case(per_row, M),
    case(np.reshape, M, (4, 3), order="F"),
    case(np.reshape, M, (2, -1), order="F"),
    case(np.reshape, T, -1, order="F"),
    case(np.ravel, T, order="F"),
    case(np.copy, M, order="F"),
    case(np.ndarray.flatten, T, "F"),
    case(np.ndarray.astype, M.astype("f4"), np.float32, copy=False),
    case(np.ndarray.astype, M, float, order="C"),
    case(np.asfortranarray, M),
    case(np.asfortranarray, V),
    case(np.require, M),
    case(np.asarray_chkfinite, M),
    case(np.linspace, 0.5, 2.0, 5, retstep=True),
    case(stepped, 0.5, 2.0),
    case(np.linspace, 0.5, V, 5),
    case(np.linspace, V, 1.5, 3, False),
    case(np.linspace, V, M, 3),
    case(np.linspace, V, W, 5, axis=-1),
    case(np.logspace, 0.2, 1.1, 5),
    case(np.logspace, 0.2, 1.1, 5, False, 2.5),
    case(np.logspace, V, W, 3, axis=1),
    case(np.geomspace, 0.2, 30.0, 5),
    case(np.geomspace, -0.2, -30.0, 5, False),
    case(np.geomspace, V * V + 0.1, W, 3, axis=-1),
    *(
        case(np.pad, M, ((1, 2), (0, 1)), mode=mode)
        for mode in (
            *("edge", "reflect", "symmetric", "wrap", "linear_ramp"),
            *("maximum", "minimum", "mean", "median", "constant"),
        )
    ),
    *(case(np.pad, V, 7, mode=mode) for mode in ("reflect", "symmetric", "wrap")),
    *(
        case(np.pad, M, (1, 2), mode=mode, stat_length=2)
        for mode in ("maximum", "mean", "median")
    ),
    case(np.pad, M, ((1, 2),), mode="mean", stat_length=((1, 2), (3, 2))),
    case(np.pad, M, 2, mode="linear_ramp", end_values=((0.5, 1.0), (2.0, -1.0))),
    case(np.pad, M, 1, mode="constant", constant_values=((0.5, 1.0), (2.0, -1.0))),
    case(np.pad, T, (1, 0), mode="edge"),
]
