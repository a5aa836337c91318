"""``linearize``: the value once, tangents again and again."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import ArgumentError, grad, jvp, linearize

X = np.array([0.4, -1.3, 2.1])
W = np.array([[0.5, 1.5, -0.5], [2.0, 0.3, 0.7]])
calls = []


def straight(x, w):
    h = np.tanh(w @ x)
    return np.sum(h**2), h * x[0]


def branches(x, w):
    h = x
    for i in range(3):
        if h[i] > 0:
            h = h * np.sin(w[0])
        else:
            h = np.exp(h) - w[1, i]
    return h


def overwritten(x, w):
    y = np.zeros(4)
    y[0] = np.sin(x[0])
    for i in range(3):
        y[i + 1] = y[i] * w[0, i]
    y[0] = y[0] ** 2 + x[1]
    z = y * y[3]
    y[1] = 0.0
    return z + y


def appended(x, w):
    out = []
    for v in x:
        out.append(v * w[0, 0])
        if len(out) > 1:
            out[-1] = out[-1] * out[-2]
    return np.array(out)


def powers(x, n):
    return x if n == 0 else powers(x, n - 1) * np.sin(x)


def recursive(x, w):
    return powers(x, 3) * w[0]


def stepped_by_calls(x, w):
    for k in range(2):
        x = powers(x * w[0], k + 1)
    return x


def attempts(x, w):
    try:
        y = x / w[0, 5]
    except IndexError:
        y = x * w[0]
    return y * y


def second(x, w):
    return grad(lambda z: np.sum(np.sin(z) * w[0]) ** 2)(x)


FUNCTIONS = [
    straight,
    branches,
    overwritten,
    appended,
    recursive,
    stepped_by_calls,
    attempts,
    second,
]


def flat(value):
    parts = value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_is_what_jvp_gives(function):
    x, w = X.copy(), W.copy()
    value, tangent_of = linearize(function, x, w)
    np.testing.assert_array_equal(flat(value), flat(function(X, W)))
    x[:], w[:] = np.nan, np.nan  # what is kept is its own
    for part in value if isinstance(value, tuple) else ():
        np.asarray(part)[...] = np.nan if isinstance(part, np.ndarray) else part
    rng = np.random.default_rng(0)
    for _ in range(3):
        x_dot, w_dot = rng.normal(size=3), rng.normal(size=(2, 3))
        for tangents in ((x_dot, w_dot), (x_dot, None), (None, w_dot)):
            expected = jvp(function, (X, W), tangents)[1]
            np.testing.assert_allclose(
                flat(tangent_of(*tangents)), flat(expected), rtol=1e-12, atol=1e-12
            )


def test_nothing_is_computed_again_in_straight_lines():
    _, tangent_of = linearize(straight, X, W)
    forward, tangent = tangent_of.source.split("def straight_tangent")
    lines = [line for line in tangent.splitlines() if "#" not in line]
    assert "np.tanh" in forward and "np.tanh" not in "".join(lines)


def test_prints_once(capsys):
    def shown(x):
        for k in range(2):
            print(k)
            x = np.sin(x)
        return x

    _, tangent_of = linearize(shown, X)
    assert capsys.readouterr().out == "0\n1\n"
    tangent_of(X)
    assert capsys.readouterr().out == ""


def test_aux():
    value, tangent_of, aux = linearize(lambda x: (x * x, x[0]), X, has_aux=True)
    np.testing.assert_array_equal(value, X * X)
    assert aux == X[0]
    np.testing.assert_allclose(tangent_of(np.ones(3)), 2 * X)


def test_errors():
    _, tangent_of = linearize(lambda x, n: x**n, X, 3)
    with pytest.raises(ArgumentError, match="2 arguments, but there are 1"):
        tangent_of(X)
    with pytest.raises(ArgumentError, match="n must be None"):
        tangent_of(X, 1.0)
    with pytest.raises(ArgumentError, match="shape"):
        tangent_of(np.ones(2), None)
