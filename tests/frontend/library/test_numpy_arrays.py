"""Programs with functions of NumPy that have texts, and those on samples: beside
differences, in both modes and of second order, optimised and not."""

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, value_and_grad
from s2sad.optimise.pipeline import SWITCHES
from s2sad.testing import check_gradient

V = np.array([0.3, -1.2, 0.7, 2.0])
M = np.array([[0.5, -0.3, 0.8, 1.4], [1.2, 0.1, -0.9, -0.2], [2.0, 0.6, 0.3, -1.1]])
ALL_OFF = dict.fromkeys(SWITCHES, False)
AT = np.array([-0.5, 0.4, 1.3, 2.9])


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


@pytest.mark.sampled(12)
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


def test_samples_that_are_equal_share_evenly():
    tied = np.array([1.0, 2.0, 2.0, 2.0, 0.5])
    np.testing.assert_allclose(
        grad(lambda x: np.quantile(x, 0.4))(tied), [0.4, 0.2, 0.2, 0.2, 0.0]
    )
    np.testing.assert_allclose(
        grad(lambda x: np.sum(np.unique(x) * np.array([1.0, 2.0, 3.0])))(tied),
        [2.0, 1.0, 1.0, 1.0, 1.0],
    )
    np.testing.assert_allclose(
        grad(lambda x: np.nanmax(x))(np.array([2.0, np.nan, 2.0])), [0.5, 0.0, 0.5]
    )


def test_what_is_missing_has_no_derivative():
    x = np.array([1.0, np.nan, 4.0])
    for function in (np.nanmean, np.nanvar, np.nanstd, np.nanmedian, np.nanprod):
        assert grad(lambda x: function(x))(x)[1] == 0.0  # noqa: B023
    assert np.array_equal(grad(lambda x: np.nanstd(x))(np.ones(3)), np.zeros(3))


def labelled(v, names):
    return np.sum(v) * len(np.unique(names))


def test_arrays_of_text_stay_as_they_are():
    names = np.array(["b", "a", "a"])
    np.testing.assert_array_equal(grad(labelled)(np.ones(3), names), 2.0 * np.ones(3))
    assert "np.unique(names)" in grad(labelled).source_for(np.ones(3), names)


def put_into_ints(v, places):
    return np.sum(v * np.insert(places, 1, 2.5)[:3])


def test_inserted_values_take_the_dtype_of_the_array():
    found = grad(put_into_ints)(np.ones(3), np.array([0, 1, 2]))
    np.testing.assert_array_equal(found, [0.0, 2.0, 1.0])
    single = np.insert(np.ones(3, np.float32), 1, 2.5)
    assert single.dtype == np.float32
    value, _ = jvp(lambda x: np.insert(x, 1, 2.5), (np.ones(3, np.float32),), (V[:3],))
    assert value.dtype == np.float32


def by_listed_places(v, places):
    return v[places.tolist()[1]] * v[places.item((2,))] + v[places.item(0)]


def test_ints_of_lists_are_indices():
    found = grad(by_listed_places)(V, np.array([3, 1, 2]))
    np.testing.assert_allclose(found, [0.0, V[2], V[1], 1.0])


def turned(a, b, w):
    return np.sum(np.cross(a, b) * w) + np.sum(a)


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
@pytest.mark.parametrize("axes", ({}, {"axis": 1}, {"axisb": -2}))
def test_vectors_in_the_plane_have_no_silent_cross_product(axes):
    """Its rank is that of none but these: lengths of axes aren't known."""

    def turned_about(a, b, w):
        return np.sum(np.cross(a, b, **axes) * w) + np.sum(a)

    a, b, space = M[:, 1:3], M.T[:2, :3].T, M[:, :3]
    b = b.T if axes == {"axisb": -2} else b
    for program in (turned, turned_about) if not axes else (turned_about,):
        derivative = value_and_grad(program, wrt=(0, 1))
        with pytest.raises(ValueError, match="3-dimensional vectors"):
            derivative(a, b, np.ones(3))
    with pytest.raises(ValueError, match="3-dimensional vectors"):
        jvp(turned, (a, M[:, 2:], np.ones(3)), (a, a, np.ones(3)))
    value, (found, _) = value_and_grad(turned, wrt=(0, 1))(space, 2.0 + M[:, 1:], 1.0)
    assert value == turned(space, 2.0 + M[:, 1:], 1.0)
    assert found.shape == space.shape
