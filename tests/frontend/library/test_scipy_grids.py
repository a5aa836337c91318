"""Interpolants on grids: held by the module, and made of what varies."""

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

import s2sad
from s2sad import UnsupportedError, grad, jacobian
from s2sad.testing import check_grads

A = np.array([0.0, 1.0, 2.5])
B = np.array([0.0, 0.5, 1.0, 3.0])
C = np.array([-1.0, 0.2, 2.0])
LINE = np.array([0.5, -1.0, 2.0, 0.3])
TABLE = np.sin(np.outer(A, B) + A[:, None])
BLOCK = np.cos(TABLE[:, :, None] * C + A[:, None, None])
X = np.array([[0.2, 0.3], [2.2, 2.9], [1.1, 0.6]])
FAR = np.array([[0.2, 0.3], [2.9, 2.9], [1.1, -0.6], [-1.0, 9.0]])
Y = np.array([[[0.2, 0.3, 0.7], [2.2, 2.9, -0.4]]])

ON_TABLE = RegularGridInterpolator((A, B), TABLE)
FALLING = RegularGridInterpolator((A[::-1], B), TABLE)
EXTENDED = RegularGridInterpolator((A, B), TABLE, "linear", False, None)
FILLED = RegularGridInterpolator((A, B), TABLE, bounds_error=False, fill_value=0.5)
VECTORS = RegularGridInterpolator((A, B), BLOCK)
NEAREST = RegularGridInterpolator((A, B), TABLE, "nearest", False)
CUBIC = RegularGridInterpolator((B, B), np.outer(LINE, LINE), "cubic")


def squares(values):
    return np.sum(values * values)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("interpolant", "x"),
    [
        (ON_TABLE, X),
        (ON_TABLE, X[0]),
        (FALLING, X),
        (EXTENDED, FAR),
        (FILLED, FAR),
        (VECTORS, X),
        (VECTORS, np.stack([X, X])),
        (RegularGridInterpolator((B,), LINE), np.array([0.3, 2.0])),
        (RegularGridInterpolator((A, B, C), BLOCK), Y),
    ],
)
def test_by_places(interpolant, x):
    def f(x):
        return squares(interpolant(x))

    check_grads(f, (x,))
    assert s2sad.value_and_grad(f)(x)[0] == pytest.approx(f(x), rel=1e-14)


@pytest.mark.long
def test_by_coordinates():
    check_grads(lambda x, y: squares(ON_TABLE((x, y))), (0.3, 0.8))
    check_grads(lambda x, y: squares(ON_TABLE((x, y))), (X[:, :1], X[:, 1]))
    check_grads(lambda y: squares(ON_TABLE((0.3, y))), (X[:, 1],))
    check_grads(lambda v, x: v * ON_TABLE([x, [0.3, v]])[0], (0.4, [0.6, 0.8]))


@pytest.mark.sampled(16)
@pytest.mark.parametrize(
    ("points", "values", "x", "words"),
    [
        ((A, B), TABLE, X, {}),
        ((A[::-1], B), TABLE, X, {}),
        ((A, B), TABLE, FAR, {"bounds_error": False, "fill_value": None}),
        ((A, B), TABLE, FAR, {"bounds_error": False, "fill_value": 0.3}),
        ((A, B), BLOCK, FAR, {"bounds_error": False, "fill_value": 0.3}),
        ((A, B), BLOCK, X, {}),
        ((A, B, C), BLOCK, Y, {}),
        ((B,), LINE, np.array([0.3, 2.0]), {}),
        ((A, B), TABLE, X, {"method": "nearest"}),
        (
            (A, B),
            BLOCK,
            FAR,
            {"method": "nearest", "bounds_error": False, "fill_value": 1},
        ),
        (
            (A, B),
            TABLE,
            FAR,
            {"method": "nearest", "bounds_error": False, "fill_value": None},
        ),
    ],
)
def test_by_values_and_points(points, values, x, words):
    def f(points, values, x):
        return RegularGridInterpolator(points, values, **words)(x)

    made = f(points, values, x)
    slopes = jacobian(f, wrt="values")(points, values, x)
    assert slopes.shape == made.shape + values.shape
    check_grads(lambda p, v, x: squares(f(p, v, x)), (points, values, x))


def test_methods_differ_in_their_calls():
    def f(v):
        interpolant = RegularGridInterpolator((A, B), v)
        return squares(interpolant(X, method="nearest")) + squares(interpolant(X))

    check_grads(f, (TABLE,))
    nearest = grad(lambda v: np.sum(RegularGridInterpolator((A, B), v)(X, "nearest")))
    assert np.sum(nearest(TABLE)) == len(X)


def test_missing_places():
    x = np.array([[0.2, np.nan], [0.2, 0.3]])

    def f(v, x):
        return RegularGridInterpolator((A, B), v, method, False)(x)

    for method in ("nearest", "linear"):
        want = f(TABLE, x)
        slopes = jacobian(f)(TABLE, x)[1]
        assert np.isnan(want[0]) and np.sum(slopes) == pytest.approx(1.0)


def test_outside_it_raises_as_scipy():
    for f in (
        lambda x: np.sum(ON_TABLE(x)),
        lambda x: np.sum(RegularGridInterpolator((A, B), x[0, 0] * TABLE)(x)),
    ):
        with pytest.raises(ValueError, match="out of bounds"):
            f(FAR)
        with pytest.raises(ValueError, match="out of bounds"):
            grad(f)(FAR)


def test_other_methods_are_refused():
    with pytest.raises(UnsupportedError, match="method='cubic'"):
        grad(lambda x: np.sum(CUBIC(x)))(X)
    with pytest.raises(UnsupportedError, match="method='cubic'"):
        grad(lambda v: np.sum(RegularGridInterpolator((B, B), v, "cubic")(X)))(
            np.outer(LINE, LINE)
        )


def test_data_stays_as_it_is():
    assert grad(lambda x: x * NEAREST(X)[0])(2.0) == NEAREST(X)[0]
    assert grad(lambda x: x * CUBIC(X)[0])(2.0) == CUBIC(X)[0]


def test_numbers_that_are_not_double():
    single, whole = TABLE.astype(np.float32), np.round(9.0 * TABLE).astype(int)
    for values in (single, whole, TABLE + 1j * TABLE[::-1]):

        def f(x):
            return squares(np.abs(RegularGridInterpolator((A, B), values)(x)))

        check_grads(f, (X,))
    np.testing.assert_array_equal(
        grad(lambda v: np.sum(RegularGridInterpolator((A, B), v)(X)))(single).dtype,
        np.float32,
    )
