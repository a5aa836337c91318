"""Jacobians of programs with calls that stay calls, recursion among them: all tangents,
or cotangents, go through a call together."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import (
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    sparse_jacobian,
    value_and_grad,
    vjp,
)

X = np.array([0.3, 0.7, 1.1])
M = np.array([[-0.3, -0.1, 0.1], [0.3, 0.5, 0.7]])
KEPT = {"inlining": False}


def tree(x, first, last):
    if last - first == 1:
        return np.sin(x[first])
    middle = (first + last) // 2
    return tree(x, first, middle) * tree(x, middle, last)


def numbers(x):
    return x * tree(x, 0, 3)


def powers(a, k):
    if k == 0:
        return np.eye(2)
    return a @ powers(a, k - 1)


def matrices(m):
    return powers(m[:, :2], 3) @ m


def even(x, n):
    if n == 0:
        return x * 1.0
    return x * odd(x, n - 1)


def odd(x, n):
    if n == 0:
        return x**2
    return even(x, n - 1) + x[::-1]


def mutual(x):
    return even(x, 4)


def scaled(x, w):
    total = np.sum(x) * w
    return np.sin(x) * total, total * total


def several(x):
    a, b = scaled(x, x[0])
    c, d = scaled(a, b)
    return c * d + a


def some_results(x):
    a, b = scaled(x, x[0])
    c, d = scaled(x * 2, b)
    return c * x[1]


def branching(x, k):
    if x[k] > 0.5:
        return x * x[k]
    y = np.cos(x)
    return y + x[k]


def in_loop(x):
    h = x
    for i in range(3):
        h = branching(h, i)
    return h * branching(x, 2)


def until(x):
    h, n = x, 0
    while np.sum(h) < 9 and n < 10:
        a, b = scaled(h, 1.1)
        h = 0.5 * h + 0.2 * a * a + 0.3
        n += 1
    return h


def listed(x, n):
    ys = []
    for i in range(n):
        ys.append(x[i] * x[0])
    return ys


def lists(x):
    ys = listed(x, 3)
    return np.array(ys) * ys[1]


def rows_listed(x, n):
    ys = []
    for i in range(n):
        ys.append(x * x[i])
    return ys


def lists_of_arrays(x):
    ys = rows_listed(x, 2)
    return ys[0] * ys[1] + x


def built(x, n):
    if n == 0:
        return []
    items = built(x, n - 1)
    items.append(x[n - 1] * x[0])
    return items


def grown(x):
    return np.array(built(x, 3)) ** 2


def captured(x):
    w = np.sum(x**2)

    def inner(y, n):
        if n == 0:
            return y * w
        return np.sin(y) * inner(y * x[0], n - 1)

    return inner(x, 2)


def captured_matrix(x):
    w = np.sum(x)

    def inner(y):
        return y @ M.T @ M * w

    return inner(inner(x)) * x


def parts(x):
    def product(y):
        if y.shape[0] == 1:
            return y[0] ** 2
        return y[0] * product(y[1:])

    return product(x) * x


def filled(y, z):
    y[1:] = z[1:] * z[0]
    return np.sum(y)


def written(x):
    y = np.zeros(3)
    s = filled(y, x)
    t = filled(y, y + x)
    return y * s * t


def named(y):
    return {"a": np.sin(y), "b": np.sum(y)}


def dicts(x):
    first = named(x)
    second = named(first["a"])
    return second["a"] * first["b"] + second["b"]


def either(x, n):
    if n == 0:
        return 1.0
    return x * either(x, n - 1)


def number_or_array(x):
    return either(x, 3)


FUNCTIONS = [
    *(numbers, matrices, mutual, several, some_results, in_loop, until, lists, grown),
    *(captured, captured_matrix, parts, written, dicts),
]
ONE_BY_ONE = [lists_of_arrays, number_or_array]
"""Of these some cotangents have no axis to be carried along."""


def argument_of(function):
    return M if function is matrices else X


def differences(function, x, step=1e-6):
    """The Jacobian by central differences."""
    like = np.asarray(function(x))
    found = np.zeros(like.shape + x.shape)
    for place in np.ndindex(x.shape):
        unit = np.zeros(x.shape)
        unit[place] = step
        change = np.asarray(function(x + unit)) - np.asarray(function(x - unit))
        found[(..., *place)] = change / (2 * step)
    return found


def by_rows(function, x):
    """The Jacobian by one pullback after the other."""
    value, pullback = vjp(function, x)
    units = np.eye(value.size).reshape(value.size, *value.shape)
    rows = [pullback(unit)[0] for unit in units]
    return np.reshape(rows, value.shape + x.shape)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("optimise", [KEPT, False], ids=["kept", "plain"])
@pytest.mark.parametrize("function", FUNCTIONS + ONE_BY_ONE)
def test_all_ways_give_one_jacobian(function, optimise):
    x = argument_of(function)
    before = x.copy()
    expected = by_rows(function, x)
    np.testing.assert_allclose(expected, differences(function, x), atol=1e-6)
    for way in (jacrev, jacfwd, jacobian):
        found = way(function, optimise=optimise)(x)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(x, before)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_one_sweep(function):
    x = argument_of(function)
    for way in (jacrev, jacfwd):
        text = way(function, optimise=KEPT).source_for(x)
        assert "_batched(" in text and "rows = []" not in text


@pytest.mark.sampled(16)
@pytest.mark.parametrize("function", FUNCTIONS + ONE_BY_ONE)
def test_second_derivatives(function):
    def total(x):
        return np.sum(function(x) ** 2)

    x = argument_of(function)
    expected = differences(grad(total), x)
    found = hessian(total, optimise=KEPT)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    expected = differences(jacfwd(function), x)
    for outer in (jacrev, jacfwd):
        for inner in (jacrev, jacfwd):
            second = outer(inner(function, optimise=KEPT), optimise=KEPT)
            np.testing.assert_allclose(second(x), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [numbers, matrices, in_loop, lists, captured])
def test_hessians_are_one_sweep(function):
    def total(x):
        return np.sum(function(x) ** 2)

    text = hessian(total, optimise=KEPT).source_for(argument_of(function))
    assert "_batched(" in text and "rows = []" not in text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [numbers, in_loop, captured])
def test_derivatives_of_jacobians_are_one_sweep(function):
    for outer in (jacrev, jacfwd):
        for inner in (jacrev, jacfwd):
            second = outer(inner(function, optimise=KEPT), optimise=KEPT)
            text = second.source_for(X)
            assert "_batched(" in text and "rows = []" not in text


def stretched(y, n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = np.sin(y[i % 3]) * y[0]
    return out


@pytest.mark.long
def test_batches_of_batches():
    """Of different sizes: each adjoint has the axes of its own."""

    def function(x, y):
        a, b = scaled(x, y[0])
        return stretched(a, 5) * b + np.sum(scaled(y, b)[0])

    y = np.array([0.2, 0.5, -0.9, 0.4])
    for outer in (jacrev, jacfwd):
        for inner in (jacrev, jacfwd):
            for first, second in ((0, 1), (1, 0), (0, 0)):
                whole = outer(inner(function, first), second)
                kept = inner(function, first, optimise=KEPT)
                found = outer(kept, second, optimise=KEPT)(X, y)
                np.testing.assert_allclose(found, whole(X, y), rtol=1e-9, atol=1e-12)


def test_third_derivatives():
    def total(x):
        return np.sum(mutual(x) ** 2)

    third = jacrev(hessian(total))(X)
    expected = differences(hessian(total), X)
    np.testing.assert_allclose(third, expected, rtol=1e-6, atol=1e-6)


def test_sparse_jacobians():
    def neighbours(x):
        h = even(x, 2)
        return h[1:] * h[:-1]

    found = sparse_jacobian(neighbours, direction="reverse")
    x = np.linspace(0.1, 1.0, 7)
    np.testing.assert_allclose(
        found(x).toarray(), differences(neighbours, x), atol=1e-6
    )
    assert "_batched(" in found.source_for(x)


def test_derivatives_of_jacobians_inside():
    def norm(x):
        return np.sum(jacrev(numbers)(x) ** 2) + np.sum(jacrev(mutual)(x)[0])

    expected = differences(norm, X)
    np.testing.assert_allclose(grad(norm)(X), expected, atol=1e-6)
    tangent = jvp(norm, (X,), (np.ones(3),))[1]
    assert tangent == pytest.approx(np.sum(expected))


def long_chain(x, w):
    return np.tanh(x * w) + x[::-1]


def chain(x):
    return long_chain(long_chain(x, 0.5), x[0])


def test_large():
    """300 results: the text of 3, and one call of each reverse program."""
    rng = np.random.default_rng(1)
    large = rng.uniform(0.1, 0.3, 300)
    jacobian_of_chain = jacrev(chain, optimise=KEPT)
    text = jacobian_of_chain.source_for(X)
    assert jacobian_of_chain.source_for(large) == text
    calls = 0
    namespace = {"np": np}
    exec(text, namespace)
    reverse = next(name for name in namespace if name.endswith("reverse_batched"))
    own = namespace[reverse]

    def counted(*args):
        nonlocal calls
        calls += 1
        return own(*args)

    namespace[reverse] = counted
    found = namespace["chain_jacobian"](large)
    assert calls == text.count(f"{reverse}(") - 1 == 1
    expected = by_rows(chain, large)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(jacfwd(chain, optimise=KEPT)(large), expected)


def test_deep_recursion_of_large_arrays():
    def walked(x, n):
        if n == 0:
            return x
        return np.sin(x + walked(x * 0.9, n - 1)[::-1])

    rng = np.random.default_rng(2)
    large = rng.uniform(size=200)
    expected = by_rows(lambda x: walked(x, 40), large)
    found = jacrev(lambda x: walked(x, 40))(large)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)


def test_pairs_stay_what_batched_versions_know():
    """A pair that is made again for other cotangents is another pair."""

    def both(x):
        rows = jacrev(lambda y: scaled(y, 2.0)[0])(x)
        masked = np.where(x > 0.5, scaled(x, 2.0)[0], 0.0)
        return np.sum(rows) + value_and_grad(lambda y: scaled(y, 2.0)[1])(x)[0], masked

    def total(x):
        a, b = both(x)
        return a * np.sum(b)

    expected = differences(total, X)
    np.testing.assert_allclose(grad(total, optimise=KEPT)(X), expected, atol=1e-6)


def test_several_arguments_and_results():
    def function(x, y):
        a, b = scaled(x, y[0])
        return a * y, b

    y = np.array([0.2, 0.5, -0.9])
    wanted = jacfwd(function, (0, 1))(X, y)
    found = jacrev(function, (0, 1), optimise=KEPT)(X, y)
    for rows, others in zip(found, wanted, strict=True):
        for row, other in zip(rows, others, strict=True):
            np.testing.assert_allclose(row, other, atol=1e-12)


def test_no_elements():
    found = jacrev(mutual)(np.zeros(0))
    assert found.shape == (0, 0)


def test_single_precision_stays():
    for way in (jacrev, jacfwd):
        found = way(numbers)(X.astype("float32"))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, way(numbers)(X), rtol=1e-5, atol=1e-6)
