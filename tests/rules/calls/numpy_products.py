"""Products, sums up to each place, methods of ufuncs, grids, parts of numbers."""

import numpy as np

from tests.rules.calls.form import call

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


CALLS = [
    call(np.vecdot, V, V),
    call(np.vecdot, M, V),
    call(np.vecdot, M.T, W),
    call(np.vecdot, M, M + 1.0, axis=0),
    *(
        [
            call(np.matvec, M, V),
            call(np.matvec, T, M[:2, :2]),
            call(np.vecmat, W, M),
            call(np.vecmat, T[:, :, 0], T),
        ]
        if hasattr(np, "matvec")
        else []
    ),
    call(np.kron, V, M),
    call(np.kron, M[:2, :2], W),
    call(np.kron, T, W),
    call(np.kron, T, T),
    call(np.kron, M, M.T),
    *(
        call(np.correlate, a, v, mode, note=f"{mode} {len(a)} {len(v)}")
        for mode in ("valid", "same", "full")
        for a, v in ((V, W), (W, V), (V, V[:2]), (V[:2], V), (V[:2], W), (W, V[:2]))
    ),
    *(
        [
            call(np.cumulative_sum, V, include_initial=True),
            call(np.cumulative_sum, M, axis=-1),
            call(np.cumulative_prod, M, axis=0, include_initial=True),
        ]
        if hasattr(np, "cumulative_sum")
        else []
    ),
    call(np.real_if_close, M),
    call(by_lists, M, V),
    call(windows, M, (2, 3)),
    call(windows, M, (2,), (1,)),
    call(windows, T, (2, 2), axis=(-1, 0)),
    *(call(f.outer, V, W) for f in OUTER),
    call(np.power.outer, V * V, M),
    call(np.subtract.outer, M, V),
    call(np.multiply.outer, V, 0.5),
    call(np.logaddexp.reduce, V),
    call(np.logaddexp.reduce, M),
    call(np.logaddexp.reduce, M, axis=1, keepdims=True),
    call(np.logaddexp.reduce, M, axis=None),
    call(np.logaddexp.reduce, T, axis=(0, -1)),
    call(np.subtract.reduce, V),
    call(np.divide.reduce, M, axis=-1),
    call(np.hypot.reduce, M, axis=1, keepdims=True),
    call(np.hypot.reduce, M, axis=None),
    call(np.add.reduce, M),
    call(np.add.reduce, M, initial=0.5),
    call(np.multiply.reduce, M, axis=1),
    call(np.maximum.reduce, M, axis=None),
    call(np.minimum.reduce, M),
    call(np.fmax.reduce, M),
    call(np.fmin.reduce, M, axis=1),
    call(np.add.accumulate, M),
    call(np.multiply.accumulate, M, axis=1),
    call(np.maximum.accumulate, V),
    call(np.maximum.accumulate, M, axis=1),
    call(np.minimum.accumulate, M),
    call(np.minimum.accumulate, T, axis=-1),
    call(np.logaddexp.accumulate, V),
    call(np.hypot.accumulate, M, axis=1),
    call(np.add.reduceat, V, [0, 2]),
    call(np.add.reduceat, M, [1, 3], axis=1),
    call(np.add.reduceat, T, np.array([0, 1, 2]), axis=-2),
    call(np.gradient, V),
    call(np.gradient, V, 0.3),
    call(np.gradient, M, axis=-1),
    call(np.gradient, M, AT, axis=1),
    call(np.gradient, V, edge_order=2),
    call(np.gradient, M, 0.3, edge_order=2),
    call(np.gradient, M, AT, axis=1, edge_order=2),
    call(np.modf, V + 0.05),
    call(np.frexp, M + 0.03),
    call(whole_parts, V + 0.05, V * V + 0.05),
    call(np.unwrap, 4.0 * V),
    call(np.unwrap, 4.0 * M, axis=0),
    call(unwrapped, V, 3.0),
    call(unwrapped, V, 3.5),
    call(np.gradient, T),
    call(on_grids, V),
    call(questions, V),
]
