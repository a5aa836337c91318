"""Functions of NumPy."""

import numpy as np

from tests.rules.cases.form import case

V = np.array([0.3, -1.2, 0.7, 2.0])
W = np.array([1.1, 0.4, -0.6])
M = np.array([[0.5, -0.3, 0.8, 1.4], [1.2, 0.1, -0.9, -0.2], [2.0, 0.6, 0.3, -1.1]])
AT = np.array([-0.5, 0.4, 1.3, 2.9])

CASES = [
    case(np.ediff1d, M, to_end=0.3, to_begin=W),
    case(np.append, V, M),
    case(np.append, M, M[:1], axis=0),
    case(np.vander, V),
    case(np.vander, V, 6, increasing=True),
    case(np.vander, V, 1),
    case(np.select, (V > 0.5, V < 0.0), (V, 2.0 * V)),
    case(np.i0, V),
    case(np.i0, 10.0 * M),
    case(np.i0, 0.0),
    case(np.i0, V.astype(np.float32), note="float32"),
    case(np.kaiser, 6, 3.5),
    case(np.kaiser, 5, 20.0),
    case(np.kaiser, 5, np.float32(1.5)),
    case(np.interp, 0.2, AT, V),
    case(np.interp, M, AT, V),
    case(np.interp, 3.7 * M, AT, V),
    *(
        case(np.convolve, a, v, mode, note=f"{mode} {len(a)} {len(v)}")
        for mode in ("full", "same", "valid")
        for a, v in ((V, W), (W, V), (V, V[:2]), (W, W))
    ),
]
