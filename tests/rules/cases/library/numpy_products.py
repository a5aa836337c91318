"""Products, sums up to each place, methods of ufuncs, grids, parts of numbers."""

import numpy as np

from tests.rules.cases.form import case

V = np.array([0.3, -1.2, 0.7, 2.0])
W = np.array([1.1, 0.4, -0.6])
M = np.array([[0.5, -0.3, 0.8, 1.4], [1.2, 0.1, -0.9, -0.2], [2.0, 0.6, 0.3, -1.1]])
T = np.linspace(-1.0, 2.0, 12).reshape(2, 3, 2) ** 2 + M.reshape(2, 3, 2)
AT = np.array([-0.5, 0.4, 1.3, 2.9])
OUTER = (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.hypot, np.arctan2)
windows = np.lib.stride_tricks.sliding_window_view


def by_lists(m, v):
    first = np.einsum(m, [0, 1], v, [1], [0])
    return first + np.einsum(m, [Ellipsis, 2], v, [2]) + np.einsum(m, [3, 1], v, [1])


def whole_parts(x, y):
    fraction, whole = np.modf(x)
    mantissa, exponent = np.frexp(y)
    return fraction * whole * mantissa + np.ldexp(mantissa, exponent) ** 2


def on_grids(x):
    i, j = np.mgrid[0:3, 1:7:3]
    u, v = np.ogrid[:2, 0:3]
    return (
        np.sum(x[0] * i + x[1] ** 2 * j) + np.sum(x[2] * u * v) + np.mgrid[2:5] @ x[1:]
    )


def questions(x):
    if np.isscalar(x) or np.iscomplexobj(x) or not np.isrealobj(x):
        return 0.0 * x
    return np.isreal(x) * x + np.angle(x) * x**2 + np.allclose(x, x) * x


def unwrapped(x, period):
    return np.unwrap(4.0 * x, period=period)


CASES = [
    case(np.vecdot, V, V),
    case(np.vecdot, M, V),
    case(np.vecdot, M.T, W),
    case(np.vecdot, M, M + 1.0, axis=0),
    *(
        [
            case(np.matvec, M, V),
            case(np.matvec, T, M[:2, :2]),
            case(np.vecmat, W, M),
            case(np.vecmat, T[:, :, 0], T),
        ]
        if hasattr(np, "matvec")
        else []
    ),
    case(np.kron, V, M),
    case(np.kron, M[:2, :2], W),
    case(np.kron, T, W),
    case(np.kron, T, T),
    case(np.kron, M, M.T),
    *(
        case(np.correlate, a, v, mode, note=f"{mode} {len(a)} {len(v)}")
        for mode in ("valid", "same", "full")
        for a, v in ((V, W), (W, V), (V, V[:2]), (V[:2], V), (V[:2], W), (W, V[:2]))
    ),
    *(
        [
            case(np.cumulative_sum, V, include_initial=True),
            case(np.cumulative_sum, M, axis=-1),
            case(np.cumulative_prod, M, axis=0, include_initial=True),
        ]
        if hasattr(np, "cumulative_sum")
        else []
    ),
    case(np.real_if_close, M),
    case(by_lists, M, V),
    case(windows, M, (2, 3)),
    case(windows, M, (2,), (1,)),
    case(windows, T, (2, 2), axis=(-1, 0)),
    *(case(f.outer, V, W) for f in OUTER),
    case(np.power.outer, V * V, M),
    case(np.subtract.outer, M, V),
    case(np.multiply.outer, V, 0.5),
    case(np.logaddexp.reduce, V),
    case(np.logaddexp.reduce, M),
    case(np.logaddexp.reduce, M, axis=1, keepdims=True),
    case(np.logaddexp.reduce, M, axis=None),
    case(np.logaddexp.reduce, T, axis=(0, -1)),
    case(np.subtract.reduce, V),
    case(np.divide.reduce, M, axis=-1),
    case(np.hypot.reduce, M, axis=1, keepdims=True),
    case(np.hypot.reduce, M, axis=None),
    case(np.add.reduce, M),
    case(np.add.reduce, M, initial=0.5),
    case(np.multiply.reduce, M, axis=1),
    case(np.maximum.reduce, M, axis=None),
    case(np.minimum.reduce, M),
    case(np.fmax.reduce, M),
    case(np.fmin.reduce, M, axis=1),
    case(np.add.accumulate, M),
    case(np.multiply.accumulate, M, axis=1),
    case(np.maximum.accumulate, V),
    case(np.maximum.accumulate, M, axis=1),
    case(np.minimum.accumulate, M),
    case(np.minimum.accumulate, T, axis=-1),
    case(np.logaddexp.accumulate, V),
    case(np.hypot.accumulate, M, axis=1),
    case(np.add.reduceat, V, [0, 2]),
    case(np.add.reduceat, M, [1, 3], axis=1),
    case(np.add.reduceat, T, np.array([0, 1, 2]), axis=-2),
    case(np.gradient, V),
    case(np.gradient, V, 0.3),
    case(np.gradient, M, axis=-1),
    case(np.gradient, M, AT, axis=1),
    case(np.gradient, V, edge_order=2),
    case(np.gradient, M, 0.3, edge_order=2),
    case(np.gradient, M, AT, axis=1, edge_order=2),
    case(np.modf, V + 0.05),
    case(np.frexp, M + 0.03),
    case(whole_parts, V + 0.05, V * V + 0.05),
    case(np.unwrap, 4.0 * V),
    case(np.unwrap, 4.0 * M, axis=0),
    case(unwrapped, V, 3.0),
    case(unwrapped, V, 3.5),
    case(np.gradient, T),
    case(on_grids, V),
    case(questions, V),
]
