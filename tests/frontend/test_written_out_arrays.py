"""Functions of NumPy that are written out, and those on samples: each beside
differences, in both modes and of second order, optimised and not."""

import numpy as np
import pytest

from s2sad import grad, hvp, jvp
from s2sad.optimise.pipeline import SWITCHES
from s2sad.testing import check_gradient, check_rule

V = np.array([0.3, -1.2, 0.7, 2.0])
W = np.array([1.1, 0.4, -0.6])
M = np.array([[0.5, -0.3, 0.8, 1.4], [1.2, 0.1, -0.9, -0.2], [2.0, 0.6, 0.3, -1.1]])
ALL_OFF = dict.fromkeys(SWITCHES, False)
AT = np.array([-0.5, 0.4, 1.3, 2.9])

CALLS = {
    "polyval of a number": (np.polyval, (V, 0.7), {}),
    "polyval of an array": (np.polyval, (V, M), {}),
    "ediff1d": (np.ediff1d, (M,), {"to_end": 0.3, "to_begin": W}),
    "append": (np.append, (V, M), {}),
    "append along an axis": (np.append, (M, M[:1]), {"axis": 0}),
    "vander": (np.vander, (V,), {}),
    "vander increasing": (np.vander, (V, 6), {"increasing": True}),
    "vander of one column": (np.vander, (V, 1), {}),
    "gradient": (np.gradient, (V,), {}),
    "gradient with a step": (np.gradient, (V, 0.3), {}),
    "gradient along an axis": (np.gradient, (M,), {"axis": -1}),
    "gradient at places": (np.gradient, (M, AT), {"axis": 1}),
    "interp of a number": (np.interp, (0.2, AT, V), {}),
    "interp of an array": (np.interp, (M, AT, V), {}),
    "interp outside": (np.interp, (3.7 * M, AT, V), {}),
    **{
        f"convolve {mode} {len(a)} {len(v)}": (np.convolve, (a, v, mode), {})
        for mode in ("full", "same", "valid")
        for a, v in ((V, W), (W, V), (V, V[:2]), (W, W))
    },
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_those_of_differences(name):
    function, args, words = CALLS[name]
    report = check_rule(function, *args, **words)
    assert report.passed, report


def selected(v, m):
    first = np.select([v > 1.0, v > 0.0], [v**2, 3.0 * v], default=1.0)
    return np.sum(first * v) + np.sum(np.select([m < 0.0], [m * v]))


def slopes(v, m):
    down, along = np.gradient(m, v[3], 0.5)
    return np.sum(down * along * v) + np.sum(
        np.gradient(v, np.array([0.0, 1.0, 2.0, 3.0]))
    )


def listed(v, m):
    return np.polyval([v[0], 1.0, v[1]], v[2] * v[3]) + np.polyval((1, 2), m[0, 0])


def smoothed(v, m):
    w = v
    for row in m:
        w = np.convolve(w, np.array([0.25, 0.5, 0.25]), "same") * row[0]
    return np.sum(w * np.interp(w, AT, v))


def joined_lists(v, m):
    x = v[0]
    ends = np.concatenate([[0.0], v, (x, x * x)])
    rows = np.vstack([v, [x, 1.0, x * x, 2.0], m])
    more = np.concatenate([m, [[x, 1.0, x, x]], [v]], axis=0)
    pairs = np.column_stack([[x, 1.0, 2.0, x], v])
    stacked = np.stack([v, [x, 1.0, 2.0, x]]) * np.hstack([[x], v[1:]])
    total = np.sum(ends[1:] * ends[:-1]) + np.sum(rows**3) + np.sum(more**2)
    return total + np.sum(pairs[:, 0] * pairs[:, 1]) + np.sum(stacked**2)


def joined_lists_that_grow(v, m):
    values = [v[0]]
    for row in m:
        values.append(row[0] * v[1])
    return np.sum(np.concatenate([values, v]) ** 3) + np.sum(np.append(values, [v[2]]))


def by_rank(v, m):
    def size(x):
        if np.ndim(x) == 0:
            return x * x
        return np.sum(x) * np.shape(x)[-1]

    return size(v) * size(v[0]) * size(m) * (1 + len(np.shape(v[0])))


@pytest.mark.parametrize(
    "function",
    [selected, slopes, listed, smoothed, by_rank, joined_lists, joined_lists_that_grow],
)
def test_programs_are_those_of_differences(function):
    report = check_gradient(function, V, M, wrt=("v", "m"))
    assert report.passed, report
    rng = np.random.default_rng(0)
    steps = rng.normal(size=V.shape), rng.normal(size=M.shape)
    gradient = grad(function, wrt=("v", "m"))
    plain = grad(function, wrt=("v", "m"), optimise=ALL_OFF)(V, M)
    for a, b in zip(gradient(V, M), plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    _, slope = jvp(function, (V, M), steps)
    expected = sum(np.sum(g * d) for g, d in zip(plain, steps, strict=True))
    np.testing.assert_allclose(slope, expected, rtol=1e-10)
    above, below = (gradient(V + h * steps[0], M + h * steps[1]) for h in (1e-5, -1e-5))
    for optimise in (None, ALL_OFF):
        product = hvp(function, wrt=("v", "m"), optimise=optimise)(V, M, steps)
        for p, a, b in zip(product, above, below, strict=True):
            np.testing.assert_allclose(p, (a - b) / 2e-5, rtol=1e-6, atol=1e-6)


def unchanging(v, x):
    powers = np.vander(AT, 3)
    return np.sum(powers) * x * v[0]


def test_what_is_known_stays_a_call():
    assert "np.vander(AT, 3)" in grad(unchanging).source_for(V, 2.0)
