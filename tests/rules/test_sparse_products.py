"""Products of constant sparse matrices of SciPy and what varies."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hessian, hvp, jacfwd, jacrev, jvp, vjp
from s2sad.errors import ArgumentError, S2sadError

sparse = pytest.importorskip("scipy.sparse")

DENSE = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
FORMS = {
    form: getattr(sparse, form)(DENSE)
    for form in ("csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "csc_array")
}
V2, V3 = np.array([0.5, -1.5]), np.array([1.0, 2.0, -0.5])
M2, M3 = np.outer(V2, [1.0, 2.0]), np.outer(V3, [1.0, -1.0, 0.5, 2.0])
DATA, SCALE = None, 2.0


def squared(y):
    return np.sum(np.sin(y) * y)


PRODUCTS = {
    "X @ w": (lambda w: squared(DATA @ w), V3),
    "X @ W": (lambda w: squared(DATA @ w), M3),
    "X.T @ w": (lambda w: squared(DATA.T @ w), V2),
    "X.T @ W": (lambda w: squared(DATA.T @ w), M2),
    "X.dot(w)": (lambda w: squared(DATA.dot(w)), V3),
    "X.transpose().dot(w)": (lambda w: squared(DATA.transpose().dot(w)), V2),
    "w @ X": (lambda w: squared(w @ DATA), V2),
    "W.T @ X": (lambda w: squared(w.T @ DATA), M2),
    "w @ X.T": (lambda w: squared(w @ DATA.T), V3),
    "(X * 2) @ w": (lambda w: squared((DATA * 2.0) @ w), V3),
    "(-X / 2) @ w": (lambda w: squared((-DATA / SCALE) @ w), V3),
    "X.T @ (X @ w)": (lambda w: squared(DATA.T @ (DATA @ w)), V3),
}


def set_data(value):
    globals().update(DATA=value)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("form", ["csr_matrix", "csc_array"])
def test_products_are_those_of_the_dense_matrix(form, product):
    function, w = PRODUCTS[product]
    tangent = np.cos(np.arange(w.size)).reshape(w.shape)
    found = []
    for matrix in (FORMS[form], DENSE):
        set_data(matrix)
        found.append(
            (
                grad(function)(w),
                jvp(function, (w,), (tangent,))[1],
                hvp(function)(w, tangent),
            )
        )
    for ours, expected in zip(*found, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-13, atol=1e-13)
        assert type(ours) is type(expected)


@pytest.mark.parametrize("form", FORMS)
def test_arguments_and_items_of_all_forms(form):
    def loss(w, data):
        return squared(data["x"] @ w)

    found = grad(loss)(V3, {"x": FORMS[form]})
    np.testing.assert_allclose(found, grad(loss)(V3, {"x": DENSE}), rtol=1e-13)


def test_vector_mode_and_second_order():
    set_data(FORMS["csr_matrix"])
    for derivative in (jacfwd, jacrev):
        np.testing.assert_allclose(derivative(lambda w: DATA @ w)(V3), DENSE)
    function = PRODUCTS["X @ w"][0]
    ours = hessian(function)(V3)
    set_data(DENSE)
    np.testing.assert_allclose(ours, hessian(function)(V3), rtol=1e-13)
    set_data(FORMS["csr_array"])
    _, pullback = vjp(lambda w: DATA @ w, V3)
    np.testing.assert_allclose(pullback(V2)[0], V2 @ DENSE)


def test_a_star_is_the_product_of_matrices_alone():
    matrix, array = FORMS["csr_matrix"], FORMS["csr_array"]
    expected = grad(lambda w: squared(DENSE @ w))(V3)
    np.testing.assert_allclose(grad(lambda w: squared(matrix * w))(V3), expected)
    with pytest.raises(S2sadError, match="operators are not those of arrays"):
        grad(lambda w: squared(array * w))(V3)


def test_the_text_says_what_the_user_says():
    set_data(FORMS["csr_matrix"])
    text = grad(lambda w: np.sum((DATA @ w) ** 2)).source_for(V3)
    assert "DATA.T @ " in text and "DATA @ w" in text


def test_other_matrices_are_noticed():
    derivative = grad(lambda w, x: squared(x @ w))
    for matrix in (FORMS["csr_matrix"], sparse.csr_matrix(DENSE[:1]), DENSE):
        expected = derivative(V3, matrix.toarray() if matrix is not DENSE else DENSE)
        np.testing.assert_allclose(derivative(V3, matrix), expected)


def test_sparse_matrices_are_data_alone():
    with pytest.raises(ArgumentError, match=r"operators.*pass x.toarray\(\)"):
        grad(lambda x: np.sum(x @ V3))(FORMS["csr_matrix"])
    with pytest.raises(S2sadError, match="a csr_matrix is multiplied by what may vary"):
        grad(lambda s, x: np.sum((x * s) @ V3))(2.0, FORMS["csr_matrix"])
    with pytest.raises(S2sadError, match="3 axes"):
        grad(lambda w, x: np.sum(x @ w))(np.ones((2, 3, 2)), FORMS["csr_matrix"])
    dense = grad(lambda w, x: np.sum(x.toarray() @ w))(V3, FORMS["csr_matrix"])
    np.testing.assert_allclose(dense, DENSE.sum(axis=0))
    with pytest.raises(TypeError, match=r"take its .toarray\(\)"):
        grad(lambda w, x: np.sum(x[0] * w))(V3, FORMS["csr_array"])


def laplacian_inside(x, n):
    rows = [np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)]
    laplacian = sparse.diags(rows, [-1, 0, 1], format="csc")
    step = sparse.identity(n) + 0.1 * laplacian
    for _ in range(3):
        x = step @ x - 0.01 * (laplacian @ x) ** 2
    return np.sum(x * x)


def turned_inside(x, n):
    places = np.arange(n), np.arange(n)[::-1]
    turned = sparse.csr_array((np.ones(n), places), shape=(n, n))
    return x @ (turned.T @ x) + np.sum((2.0 * turned).dot(x))


def filled_inside(x, n):
    shift = sparse.eye(n, k=1) @ sparse.eye(n, k=-1)
    a = sparse.lil_matrix((n, n)).tocsr() + shift - sparse.csr_matrix(np.eye(n))
    return np.sum(np.exp(a * x))


@pytest.mark.parametrize("n", [5, 300])
@pytest.mark.parametrize("function", [laplacian_inside, turned_inside, filled_inside])
def test_matrices_that_the_program_makes(function, n):
    x, v = np.linspace(0.1, 1.0, n), np.cos(np.arange(n))
    step = 1e-6
    gradient = grad(function)(x, n)
    slope = (function(x + step * v, n) - function(x - step * v, n)) / (2.0 * step)
    assert gradient @ v == pytest.approx(slope, rel=1e-6)
    assert jvp(function, (x, n), (v, None))[1] == pytest.approx(gradient @ v, rel=1e-12)
    up, down = (grad(function)(x + by * v, n) for by in (step, -step))
    curvature = (up - down) / (2.0 * step)
    np.testing.assert_allclose(hvp(function)(x, n, v), curvature, rtol=1e-6, atol=1e-7)


def of_what_varies(x):
    return np.sum(sparse.diags(x) @ x)


def scaled_by_what_varies(x):
    return np.sum((x[0] * sparse.eye(3)) @ x)


@pytest.mark.parametrize("function", [of_what_varies, scaled_by_what_varies])
def test_matrices_of_what_varies_are_refused(function):
    with pytest.raises(S2sadError):
        grad(function)(V3)
