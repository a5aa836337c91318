"""``hook``: an adjoint that is looked at, or changed, on its way back."""

import functools

import numpy as np
import pytest

from s2sad import (
    ArgumentError,
    UnsupportedError,
    grad,
    hessian,
    hook,
    hvp,
    jacrev,
    jvp,
    vjp,
)

X = np.array([0.3, 1.2, -0.7])
V = np.array([1.0, 2.0, -1.0])
SEEN = []


def record(adjoint):
    SEEN.append(adjoint)


def record_and_halve(adjoint):
    SEEN.append(adjoint)
    return adjoint / 2


def wrong_shape(adjoint):
    SEEN.append(adjoint)
    return adjoint[:1]


def clip(adjoint, limit):
    return np.clip(adjoint, -limit, limit)


def clipped(x):
    h = hook(np.sin(x), lambda g: np.clip(g, -1.0, 1.0))
    return np.sum(h * np.exp(x))


def clipped_by_partial(x):
    h = hook(np.sin(x), functools.partial(clip, limit=1.0))
    return np.sum(h * np.exp(x))


def clipped_by_a_nested_function(x):
    limit = x[0] / x[0]

    def change(g):
        return np.clip(g, -limit, limit)

    return np.sum(hook(np.sin(x), change) * np.exp(x))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize(
    "function", [clipped, clipped_by_partial, clipped_by_a_nested_function]
)
def test_an_adjoint_is_changed(function, optimise):
    expected = np.clip(np.exp(X), -1, 1) * np.cos(X) + np.sin(X) * np.exp(X)
    gradient = grad(function, optimise=optimise)
    assert np.allclose(gradient(X), expected)
    assert np.allclose(vjp(function, X)[1](1.0)[0], expected)
    step = 1e-6
    difference = (gradient(X + step * V) - gradient(X - step * V)) / (2 * step)
    assert np.allclose(hvp(function, optimise=optimise)(X, V), difference, atol=1e-7)


@pytest.mark.written_out
def test_the_text():
    assert (
        grad(clipped).source_for(X)
        == '''\
def clipped_grad(x):
    """Gradient of clipped with respect to x."""
    # h = hook(np.sin(x), lambda g: np.clip(g, -1.0, 1.0))
    h = np.sin(x)
    exp = np.exp(x)
    # return np.sum(h * np.exp(x))
    h_bar = exp
    x_bar = h * exp
    # h = hook(np.sin(x), lambda g: np.clip(g, -1.0, 1.0))
    x_bar += np.clip(h_bar, -1.0, 1.0) * np.cos(x)
    return x_bar
'''
    )


def test_reverse_over_reverse():
    def product(x):
        return np.sum(grad(clipped)(x) * V)

    step, found = 1e-6, grad(product)(X)
    for k in range(3):
        e = step * np.eye(3)[k]
        difference = (product(X + e) - product(X - e)) / (2 * step)
        assert found[k] == pytest.approx(difference, abs=1e-6)


def test_outside_of_differentiated_code():
    assert hook(X, print) is X
    with pytest.raises(ArgumentError, match="a function of its adjoint"):
        hook(X, 3.0)


def test_a_hook_that_looks(capsys):
    def f(x):
        h = hook(x * 2.0, print)
        return np.mean(h)

    assert np.allclose(grad(f)(X), np.full(3, 2 / 3))
    assert capsys.readouterr().out == "[0.33333333 0.33333333 0.33333333]\n"
    assert jvp(f, (X,), (V,))[1] == pytest.approx(2 * np.mean(V))
    assert np.array_equal(hvp(f)(X, V), np.zeros(3))


def test_a_function_that_cant_be_compiled_is_called():
    def f(x):
        h = hook(x * 2.0, record)
        return np.mean(h * h)

    SEEN.clear()
    assert np.allclose(grad(f)(X), 8 * X / 3)
    (seen,) = SEEN
    assert np.allclose(seen, 4 * X / 3)
    assert "record(" in grad(f).source_for(X)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [None, False])
def test_second_derivatives_past_a_function_that_looks(optimise):
    def f(x):
        h = hook(x * 2.0, record)
        return np.mean(np.exp(h) * h**3)

    def plain(x):
        h = x * 2.0
        return np.mean(np.exp(h) * h**3)

    def squares(function):
        return lambda x: np.sum(hvp(function)(x, V) ** 2)

    expected = hessian(plain)(X)
    for derivative in (hessian(f, optimise=optimise), jacrev(grad(f))):
        SEEN.clear()
        assert np.allclose(derivative(X), expected)
        assert len(SEEN) == 1  # it is called once, however many tangents there are
    assert np.allclose(hvp(f, optimise=optimise)(X, V), expected @ V)
    assert np.allclose(jvp(grad(f), (X,), (V,))[1], expected @ V)
    third = grad(squares(f), optimise=optimise)(X)
    assert np.allclose(third, grad(squares(plain))(X))


def test_second_derivatives_of_numbers_past_a_function_that_looks():
    assert grad(grad(lambda x: hook(x * 2.0, record) ** 3))(2.0) == 96.0


def test_what_a_function_that_is_called_makes_of_an_adjoint_has_no_derivative():
    def f(x):
        return np.sum(hook(x * 2.0, record_and_halve) ** 2)

    for derivative in (
        lambda: hvp(f)(X, V),
        lambda: hessian(f)(X),
        lambda: jacrev(grad(f))(X),
    ):
        with pytest.raises(ValueError, match="its function isn't compiled"):
            derivative()


def test_what_it_returns_counts():
    def f(x):
        return np.sum(hook(x * 2.0, record_and_halve))

    SEEN.clear()
    assert np.array_equal(grad(f)(X), np.ones(3))
    assert np.array_equal(SEEN[0], np.ones(3))


def test_what_has_another_shape_is_refused():
    def f(x):
        return np.sum(hook(x * 2.0, lambda g: np.sum(g)))

    def called(x):
        return np.sum(hook(x * 2.0, wrong_shape))

    with pytest.raises(UnsupportedError, match="must have the shape"):
        grad(f)(X)
    with pytest.raises(ValueError, match=r"shape \(1,\), not \(3,\)"):
        grad(called)(X)


def test_a_loop_calls_it_last_first(capsys):
    def f(x):
        for i in range(3):
            x = hook(x * 2.0, lambda g: print(i, g))
        return x

    assert grad(f)(1.5) == 8.0
    assert capsys.readouterr().out == "2 1.0\n1 2.0\n0 4.0\n"


def test_captured_values_are_those_of_the_line():
    def f(x, s):
        total = 0.0
        for i in range(3):
            x = hook(x * s, lambda g: g * (i + 1.0))
            total += np.sum(x)
        return total

    # x3.bar = 1 * 3, x2.bar = (1 + 3 s) * 2, x1.bar = 1 + s (2 + 6 s)
    assert np.allclose(grad(f)(X, 2.0), np.full(3, 2.0 * (1 + 2 * (2 + 12))))


def test_branches():
    def f(x):
        if x > 0.0:
            x = hook(x * 3.0, lambda g: -g)
        return x * 2.0

    assert grad(f)(1.0) == -6.0
    assert grad(f)(-1.0) == 2.0


def test_values_without_a_derivative():
    def f(x):
        n = hook(3, record)
        c = hook(np.ones(3), record)
        return np.sum(x * c) * n

    SEEN.clear()
    assert np.array_equal(grad(f)(X), np.full(3, 3.0))
    assert not SEEN


def test_writes_keep_their_meaning():
    def f(x):
        h = x * 2.0
        k = hook(h, lambda g: g * 10.0)
        k[0] = 5.0
        return np.sum(k) + np.sum(h * x)

    try:
        found = grad(f)(X)
    except UnsupportedError as refused:
        assert "share" in str(refused)
        return
    expected = 2 * 10.0 + 4 * X * 10.0
    expected[0] = 5.0
    assert np.allclose(found, expected)


def test_forward_mode_is_refused_where_the_adjoint_changes():
    with pytest.raises(UnsupportedError, match="says nothing of tangents"):
        jvp(clipped, (X,), (V,))


def test_structures_are_refused():
    def f(p):
        q = hook(p, record)
        return np.sum(q["a"])

    with pytest.raises(UnsupportedError, match="one by one"):
        grad(f)({"a": X})
