"""Array code: the Numba backend gives what the NumPy backend gives."""

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, value_and_grad, vjp
from tests.codegen.numba import arrays, loops
from tests.codegen.numba.comparing import assert_same

pytest.importorskip("numba")


@pytest.mark.sampled(24)
@pytest.mark.parametrize(
    ("function", "arguments", "wrt"),
    arrays.CASES,
    ids=[function.__name__ for function, *_ in arrays.CASES],
)
def test_gradients_of_array_code(function, arguments, wrt):
    value, found = value_and_grad(function, wrt, backend="numba")(*arguments)
    assert_same(float(value), float(function(*arguments)))
    assert_same(found, grad(function, wrt)(*arguments))


@pytest.mark.long
def test_chains_are_fused_and_products_are_calls():
    x, w = np.ones((2, 3)), np.ones((3, 4))

    def f(x, w):
        return np.sum(np.exp(-np.tanh(x @ w) * 2.0 + 1.0))

    text = grad(f, backend="numba").source_for(x, w)
    assert "product = x @ w" in text
    assert "np.exp(" in text
    assert text.count("np.empty(") <= 3


def test_lengths_that_differ_raise():
    def f(x, y):
        return np.sum(np.exp(x + y) * y)

    compiled = grad(f, backend="numba")
    assert_same(compiled(np.ones(3), np.ones(3)), grad(f)(np.ones(3), np.ones(3)))
    with pytest.raises(ValueError, match="broadcast"):
        compiled(np.ones(3), np.ones(2))


def test_extremum_of_nothing_raises():
    def f(x):
        return np.sum(np.max(x, axis=1))

    with pytest.raises(ValueError, match="zero-size"):
        grad(f, backend="numba")(np.ones((2, 0)))


def test_arrays_that_lie_by_columns():
    _, (w, x, labels), _ = arrays.CASES[1]
    f = arrays.cross_entropy
    found = grad(f, backend="numba")(np.asfortranarray(w), x[::-1], labels)
    assert_same(found, grad(f)(w, x[::-1], labels))


def test_unknown_lengths_that_are_one():
    for n in (2, 3):
        x = np.linspace(1.0, 2.0, n)
        if n == 3:
            x = x[:3]
        f = arrays.of_unknown_lengths
        assert_same(grad(f, backend="numba")(x, n), grad(f)(x, n))


@pytest.mark.long
@pytest.mark.parametrize(
    "case", [loops.CASES[8], arrays.CASES[2]], ids=["loop", "arrays"]
)
def test_other_derivatives(case):
    function, arguments, _ = case
    tangents = tuple(
        0.5 * a + 0.1 if isinstance(a, float | np.ndarray) else None for a in arguments
    )
    value, pull = vjp(function, *arguments, backend="numba")
    expected, other = vjp(function, *arguments)
    assert_same(float(value), float(expected))
    assert_same(pull(1.5), other(1.5))
    assert_same(pull(0.5), other(0.5))
    found = jvp(function, arguments, tangents, backend="numba")
    wanted = jvp(function, arguments, tangents)
    assert_same([float(v) for v in found], [float(v) for v in wanted])
    product = hvp(function, backend="numba")(*arguments, tangents[0])
    assert_same(product, hvp(function)(*arguments, tangents[0]))


def test_chains_of_squares_stay_short():
    def f(x):
        for _ in range(12):
            x = x * x
        y = x * x
        z = y * y
        w = z * z
        v = w * w
        u = v * v
        return np.sum(u * u)

    compiled = grad(f, backend="numba")
    x = np.array([1.0, 0.9999])
    assert len(compiled.source_for(x)) < 4000
    assert_same(compiled(x), grad(f)(x))


def test_loops_over_the_same_places_are_one():
    def f(x):
        return np.sum(np.exp(x) * np.tanh(x))

    x = np.linspace(0.0, 1.0, 4)
    compiled = grad(f, backend="numba")
    assert compiled.source_for(x).count("for i in") == 1
    assert_same(compiled(x), grad(f)(x))


def test_loops_that_need_more_than_the_same_place_stay_apart():
    def f(x):
        s = np.sum(x, axis=0)
        y = x - s
        y[0] = y[1] * 2.0
        z = y.T @ y
        return np.sum(np.exp(-z) * z.T) + np.sum(s)

    x = np.linspace(0.1, 1.0, 9).reshape(3, 3)
    assert_same(grad(f, backend="numba")(x), grad(f)(x))


def test_what_is_added_is_read_before_it_is_written_over():
    def f(a):
        b = 0.5 * (a + a.T)
        c = b.copy()
        c += c.T
        c[1:] += c[:-1]
        return np.sum(b * b * c)

    a = np.arange(9.0).reshape(3, 3)
    assert_same(grad(f, backend="numba")(a), grad(f)(a))
