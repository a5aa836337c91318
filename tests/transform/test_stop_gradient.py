"""``stop_gradient`` and ``no_grad``: what is a constant of the derivative."""

import numpy as np
import pytest

import s2sad
from s2sad import UnsupportedError, grad, hvp, jvp, no_grad, stop_gradient, vjp

X = np.array([0.3, 1.2, -0.7])
W = np.array([1.5, -0.4, 0.8])


def stopped_factor(x):
    return np.sum(stop_gradient(np.sin(x)) * x**2)


def block(x):
    with no_grad():
        y = np.sin(x)
    return np.sum(y * x**2)


def called_there(x):
    with s2sad.no_grad():
        y = helper(x)
    return np.sum(y * x**2)


def helper(x):
    total = x * 0.0
    for _ in range(2):
        total += np.sin(x) / 2
    return total


def by_an_instance(x):
    with QUIET:
        y = np.sin(x)
    return np.sum(y * x**2)


QUIET = no_grad()


def stopped_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        total += stop_gradient(np.sin(x[i])) * x[i] ** 2
    return total


def stopped_in_a_helper(x):
    def weight(v):
        return s2sad.stop_gradient(np.sin(v))

    return np.sum(weight(x) * x**2)


SAME = [
    stopped_factor,
    block,
    called_there,
    by_an_instance,
    stopped_in_a_loop,
    stopped_in_a_helper,
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", SAME)
@pytest.mark.parametrize("optimise", [None, False])
def test_what_is_stopped_is_a_constant(function, optimise):
    expected = 2 * np.sin(X) * X
    assert function(X) == pytest.approx(np.sum(np.sin(X) * X**2))
    assert np.allclose(grad(function, optimise=optimise)(X), expected)
    value, tangent = jvp(function, (X,), (W,))
    assert value == pytest.approx(function(X))
    assert tangent == pytest.approx(expected @ W)
    assert np.allclose(hvp(function, optimise=optimise)(X, W), 2 * np.sin(X) * W)
    assert np.allclose(vjp(function, X)[1](1.0)[0], expected)


@pytest.mark.parametrize("function", SAME)
def test_there_is_no_trace_in_the_text(function):
    text = grad(function).source_for(X) + hvp(function).source_for(X, W)
    code = [line for line in text.splitlines() if not line.strip().startswith("#")]
    for word in ("stop_gradient", "no_grad", "s2sad", "QUIET"):
        assert word not in "\n".join(code)


def test_the_text():
    assert (
        grad(stopped_factor).source_for(X)
        == '''\
def stopped_factor_grad(x):
    """Gradient of stopped_factor with respect to x."""
    # return np.sum(stop_gradient(np.sin(x)) * x**2)
    x_bar = 2.0 * np.sin(x) * x
    return x_bar
'''
    )


def test_reverse_over_reverse():
    def second(x):
        return np.sum(grad(stopped_factor)(x) * W)

    # the gradient itself is differentiated: what was stopped stays a constant
    assert np.allclose(grad(second)(X), 2 * np.sin(X) * W)


def test_plain_python():
    assert stop_gradient(X) is X
    held = {"a": [1.0]}
    assert stop_gradient(held) is held
    with no_grad() as nothing:
        assert nothing is None
    with pytest.raises(ZeroDivisionError), no_grad():
        1 / 0


def test_structures():
    def f(p):
        q = stop_gradient(p)
        return np.sum(p["w"] * q["w"]) + q["b"][0] * p["b"][1]

    found = grad(f)({"w": X, "b": (2.0, 3.0)})
    assert np.allclose(found["w"], X)
    assert found["b"] == (0.0, 2.0)


def test_results_that_dont_depend_on_the_argument():
    def f(x):
        return np.sum(stop_gradient(x))

    assert np.array_equal(grad(f)(X), np.zeros(3))
    assert jvp(f, (X,), (W,))[1] == 0.0


def test_another_name_keeps_the_derivative():
    def f(x):
        with no_grad():
            y = x
            z = -x
        return np.sum(y * z)

    assert np.allclose(grad(f)(X), -X)


def test_branches_and_loops_of_a_block():
    def f(x):
        scale = np.sum(x)
        with no_grad():
            while scale > 0.5:
                scale = scale / 2
            if scale > 0.3:
                scale = scale * 3
        return scale * np.sum(x * x)

    scale = float(np.sum(X))
    while scale > 0.5:
        scale /= 2
    if scale > 0.3:
        scale *= 3
    assert np.allclose(grad(f)(X), 2 * scale * X)


def test_a_block_left_early():
    def f(x):
        with no_grad():
            y = x * 2.0
            if y[0] > 0:
                return np.sum(y)
        return np.sum(x * 3.0)

    assert np.array_equal(grad(f)(X), np.zeros(3))
    assert np.array_equal(grad(f)(-X), np.full(3, 3.0))


def test_a_function_called_there_and_elsewhere():
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

    def f(x, n):
        with no_grad():
            first = power(x, n)
        return first * power(x, n)

    assert grad(f)(1.3, 3) == pytest.approx(1.3**3 * 3 * 1.3**2)


def test_a_gradient_taken_there():
    def f(x):
        with no_grad():
            slope = grad(lambda v: v**3)(x)
        return slope * x

    assert grad(f)(1.3) == pytest.approx(3 * 1.3**2)


# ------------------------------------------------------------------ memory


def test_stores_in_a_block_are_constants():
    def f(x, w):
        h = x * w
        with no_grad():
            h[0] = h[1] * w[2]
            h[1:] *= 2.0
            h[2] += x[0]
        return np.sum(h * x)

    h = X * W
    h[0] = h[1] * W[2]
    h[1:] *= 2.0
    h[2] += X[0]
    x_bar, w_bar = grad(f, (0, 1))(X, W)
    assert np.allclose(x_bar, h)
    assert np.array_equal(w_bar, np.zeros(3))


def test_what_isnt_overwritten_keeps_its_derivative():
    def f(x, w):
        h = x * w
        with no_grad():
            h[0] = w[2]
        return np.sum(h * h)

    x_bar, w_bar = grad(f, (0, 1))(X, W)
    rest = np.array([0.0, 1.0, 1.0])
    assert np.allclose(x_bar, 2 * X * W * W * rest)
    assert np.allclose(w_bar, 2 * X * X * W * rest)
    given = X.copy(), W.copy()
    grad(f, (0, 1))(*given)
    assert np.array_equal(given, (X, W))


def test_augmented_arrays_become_constants():
    def f(x):
        w = x * 2.0
        v = w
        with no_grad():
            w -= 0.1 * x
        return np.sum(w * x) + np.sum(v)

    assert np.allclose(grad(f)(X), 1.9 * X)


def test_stores_into_rows():
    def f(x):
        h = np.outer(x, x)
        with no_grad():
            h[0][1] = x[2]
        return np.sum(h)

    expected = np.zeros(3)
    for i in range(3):
        for j in range(3):
            if (i, j) != (0, 1):
                expected[i] += X[j]
                expected[j] += X[i]
    assert np.allclose(grad(f)(X), expected)


def test_a_stopped_name_sees_later_stores():
    def f(x):
        y = x * 1.0
        d = stop_gradient(y)
        y[0] = x[1] * 5.0
        return np.sum(d * x)

    expected = X.copy()
    expected[0] = 5 * X[1]
    assert np.allclose(grad(f)(X), expected)


def test_writing_through_the_stopped_name_is_refused():
    def f(x):
        y = x * 1.0
        d = stop_gradient(y)
        d[0] = 5.0
        return np.sum(y * x)

    with pytest.raises(UnsupportedError, match="what stop_gradient gives"):
        grad(f)(X)


def test_writing_into_what_nobody_else_sees():
    def f(x):
        d = stop_gradient(x * 1.0)
        e = d[1:]
        d[1] = x[0] ** 2
        return np.sum(d * x) + e[0]

    d = X.copy()
    d[1] = X[0] ** 2
    expected = d.copy()
    expected[0] += 2 * X[0] * X[1] + 2 * X[0]
    assert np.allclose(grad(f)(X), expected)


def test_lists_that_change_are_refused():
    def f(x):
        rows = [x]
        kept = stop_gradient(rows)
        rows.append(x * 2.0)
        return np.sum(kept[-1])

    with pytest.raises(UnsupportedError, match="one by one"):
        grad(f)(X)


def test_items_of_lists_keep_their_derivative():
    def f(x):
        rows = []
        for i in range(len(x)):
            rows.append(x[i] ** 2)
        total = 0.0
        with no_grad():
            first = rows[0]
        for row in rows:
            total += row
        return total * first

    total = np.sum(X**2)
    expected = 2 * X * X[0] ** 2
    expected[0] += 2 * X[0] * total
    assert np.allclose(grad(f)(X), expected)
