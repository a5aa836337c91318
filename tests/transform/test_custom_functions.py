"""``custom_vjp``, ``custom_jvp`` and ``primitive``: derivatives that users give."""

import numpy as np
import pytest

import s2sad
from s2sad import (
    ArgumentError,
    RuleError,
    UnsupportedError,
    custom_jvp,
    custom_vjp,
    grad,
    hvp,
    jvp,
    primitive,
    value_and_grad,
    vjp,
)
from s2sad.rules.result_kinds import same_kind
from s2sad.testing import check_gradient

X = np.array([0.3, 1.2, -0.7])
V = np.array([1.0, 2.0, -1.0])


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


@custom_vjp
def log1pexp(x):
    return np.log(1.0 + np.exp(x))


def log1pexp_forward(x):
    return log1pexp(x), x


def log1pexp_reverse(x, out_bar):
    return out_bar / (1.0 + np.exp(-x))


log1pexp.defvjp(log1pexp_forward, log1pexp_reverse)


@custom_jvp
def softabs(x, k):
    return np.sqrt(x * x + k)


def softabs_jvp(primals, tangents):
    x, k = primals
    x_dot, k_dot = tangents
    out = softabs(x, k)
    return out, (x * x_dot + 0.5 * k_dot) / out


softabs.defjvp(softabs_jvp)


@primitive
def solve(a, b):
    return np.linalg.solve(a, b)


def solve_forward(a, b):
    y = solve(a, b)
    return y, (a, y)


def solve_reverse(residuals, y_bar):
    a, y = residuals
    b_bar = solve(a.T, y_bar)
    return -np.outer(b_bar, y), b_bar


solve.defvjp(solve_forward, solve_reverse)


def differences(function, x, v, step=1e-6):
    return (function(x + step * v) - function(x - step * v)) / (2 * step)


# ------------------------------------------------------------------ custom_vjp


@pytest.mark.parametrize("optimise", [None, False])
def test_the_reverse_function_is_used(optimise):
    def f(x):
        return np.sum(log1pexp(2.0 * x) ** 2)

    gradient = grad(f, optimise=optimise)
    expected = 4 * np.log(1 + np.exp(2 * X)) * sigmoid(2 * X)
    assert np.allclose(gradient(X), expected)
    assert np.allclose(vjp(f, X)[1](1.0)[0], expected)
    product = hvp(f, optimise=optimise)(X, V)
    assert np.allclose(product, differences(gradient, X, V), atol=1e-6)

    def dotted(x):
        return np.sum(grad(f)(x) * V)

    assert np.allclose(grad(dotted)(X), product)


def test_the_text():
    def f(x):
        return np.sum(log1pexp(x))

    text = grad(f).source_for(X)
    assert "np.exp(-x)" in text
    assert "np.log" not in text
    assert "s2sad" not in text and "log1pexp(" not in text.replace("# return", "")[:80]


def test_the_object_is_differentiated_itself():
    assert log1pexp(0.3) == pytest.approx(np.log(1 + np.exp(0.3)))
    assert grad(log1pexp)(0.3) == pytest.approx(sigmoid(0.3))
    value, gradient = value_and_grad(log1pexp)(0.3)
    assert value == log1pexp(0.3)
    assert gradient == pytest.approx(sigmoid(0.3))


def test_under_another_decorator():
    custom = custom_vjp(lambda x: x * x)
    custom.defvjp(lambda x: (x * x, x), lambda x, out_bar: 10.0 * x * out_bar)
    decorated = s2sad.differentiate(custom)
    assert decorated.grad(3.0) == 30.0
    assert grad(lambda x: decorated(x) + 1.0)(3.0) == 30.0
    assert grad(lambda x: grad(lambda y: custom(y))(x))(3.0) == 10.0
    with pytest.raises(UnsupportedError, match="def or lambda"):
        grad(lambda x: grad(decorated)(x))(3.0)


def test_a_gradient_of_the_object_in_a_function():
    def f(x):
        return grad(log1pexp)(x) * 2.0

    with pytest.raises(UnsupportedError, match="def or lambda"):
        grad(f)(0.3)


def test_a_rule_that_isnt_the_derivative():
    @custom_vjp
    def rounded(x):
        return np.round(x)

    rounded.defvjp(lambda x: (np.round(x), None), lambda none, out_bar: out_bar)

    def f(x):
        return np.sum(rounded(3.0 * x) * x)

    assert np.allclose(grad(f)(X), np.round(3 * X) + 3 * X)


def test_structures_and_none():
    @custom_vjp
    def layer(p, x, n):
        return {"y": p["w"] * x**n, "norm": np.sum(p["w"])}

    def forward(p, x, n):
        return layer(p, x, n), (p["w"], x, n)

    def reverse(kept, out_bar):
        w, x, n = kept
        y_bar = out_bar["y"]
        return (
            {"w": y_bar * x**n + out_bar["norm"], "unused": None},
            y_bar * w * n * x ** (n - 1),
            None,
        )

    layer.defvjp(forward, reverse)

    def f(p, x, n):
        out = layer(p, x, n)
        return np.sum(out["y"] ** 2) * out["norm"]

    def plain(p, x, n):
        return np.sum((p["w"] * x**n) ** 2) * np.sum(p["w"])

    p = {"w": V, "unused": 2.0}
    found, expected = (grad(g, (0, 1))(p, X, 3) for g in (f, plain))
    assert np.allclose(found[0]["w"], expected[0]["w"])
    assert found[0]["unused"] == 0.0
    assert np.allclose(found[1], expected[1])


def test_loops_branches_and_stores_in_a_rule():
    @custom_vjp
    def cumulated(x):
        return np.cumsum(x)

    def forward(x):
        return np.cumsum(x), None

    def reverse(residuals, out_bar):
        x_bar = np.zeros_like(out_bar)
        total = 0.0
        for k in range(len(out_bar) - 1, -1, -1):
            total += out_bar[k]
            x_bar[k] = total
        return x_bar

    cumulated.defvjp(forward, reverse)

    def f(x):
        for _ in range(2):
            if x[0] > 0:
                x = cumulated(x) * x
        return np.sum(x)

    def plain(x):
        for _ in range(2):
            if x[0] > 0:
                x = np.cumsum(x) * x
        return np.sum(x)

    for at in (X, -X):
        assert np.allclose(grad(f)(at), grad(plain)(at))
        assert np.allclose(hvp(f)(at, V), hvp(plain)(at, V))


def test_residuals_in_a_loop():
    def f(x):
        total = 0.0
        for k in range(4):
            x = log1pexp(x) * (k + 1.0)
            total += np.sum(x * x)
        return total

    def plain(x):
        total = 0.0
        for k in range(4):
            x = np.log(1.0 + np.exp(x)) * (k + 1.0)
            total += np.sum(x * x)
        return total

    assert np.allclose(grad(f)(X), grad(plain)(X))
    assert np.allclose(hvp(f)(X, V), hvp(plain)(X, V))


def test_in_a_function_that_calls_itself():
    def g(x, n):
        return x if n == 0 else log1pexp(g(x, n - 1))

    def f(x, n):
        return np.sum(g(x, n))

    def plain(x, n):
        for _ in range(n):
            x = np.log(1.0 + np.exp(x))
        return np.sum(x)

    assert np.allclose(grad(f)(X, 3), grad(plain)(X, 3))


def test_inactive_calls_run_the_function():
    def f(x, c):
        return np.sum(x * log1pexp(c))

    assert np.allclose(grad(f)(X, V), log1pexp(V))
    assert "log1pexp(" not in grad(f).source_for(X, V).split("\n", 3)[3]


def test_forward_mode_needs_a_pushforward():
    with pytest.raises(UnsupportedError, match="log1pexp has no pushforward"):
        jvp(log1pexp, (X,), (V,))


def test_both_modes():
    @custom_vjp
    def cube(x):
        return x**3

    cube.defvjp(lambda x: (x**3, x), lambda x, out_bar: 3 * x**2 * out_bar)
    cube.defjvp(lambda primals, tangents: (primals[0] ** 3, 7.0 * tangents[0]))
    assert jvp(cube, (2.0,), (1.0,))[1] == 7.0  # each mode has its own
    assert grad(cube)(2.0) == 12.0


def test_arguments_that_arent_differentiable():
    @custom_vjp(nondiff="scale")
    def scaled(x, scale):
        return x * scale

    scaled.defvjp(lambda x, s: (x * s, s), lambda s, out_bar: out_bar * s)

    def f(x, scale):
        return np.sum(scaled(x, scale))

    assert np.array_equal(grad(f)(X, 2.0), np.full(3, 2.0))
    with pytest.raises(UnsupportedError, match="isn't differentiable by scale"):
        grad(f, "scale")(X, 2.0)
    with pytest.raises(ArgumentError, match="no parameter 'factor'"):
        custom_vjp(nondiff="factor")(lambda x: x)


# ------------------------------------------------------------------ custom_jvp


def weighted(x, k):
    return np.sum(softabs(x, k) * x)


@pytest.mark.parametrize("optimise", [None, False])
def test_the_pushforward_serves_both_modes(optimise):
    value, tangent = jvp(weighted, (X, 0.5), (V, 1.0))
    found = grad(weighted, (0, 1), optimise=optimise)(X, 0.5)
    assert value == pytest.approx(weighted(X, 0.5))
    assert found[0] @ V + found[1] == pytest.approx(tangent)
    assert check_gradient(weighted, X, 0.5, wrt=(0, 1)).passed
    product = hvp(weighted, optimise=optimise)(X, 0.5, V)
    expected = differences(lambda x: grad(weighted)(x, 0.5), X, V)
    assert np.allclose(product, expected, atol=1e-6)


def test_it_may_be_something_else_than_the_derivative():
    @custom_jvp
    def square(x):
        return x * x

    square.defjvp(lambda primals, tangents: (primals[0] ** 2, 5.0 * tangents[0]))
    assert grad(square)(3.0) == 5.0
    assert jvp(square, (3.0,), (2.0,)) == (9.0, 10.0)


def test_a_pushforward_that_isnt_linear():
    @custom_jvp
    def odd(x):
        return x

    odd.defjvp(lambda primals, tangents: (primals[0], tangents[0] ** 2))
    assert jvp(odd, (3.0,), (2.0,))[1] == 4.0
    with pytest.raises(UnsupportedError, match="the pushforward of odd isn't linear"):
        grad(odd)(3.0)


def test_one_that_branches_on_a_tangent():
    @custom_jvp
    def odd(x):
        return x

    def push(primals, tangents):
        (t,) = tangents
        return primals[0], t * 2.0 if t > 0 else t

    odd.defjvp(push)
    with pytest.raises(UnsupportedError, match="isn't linear"):
        grad(odd)(3.0)


# ------------------------------------------------------------------ primitives


A = np.array([[2.0, 1.0, 0.2], [0.3, 1.5, -0.4], [0.1, 0.7, 3.0]])
DIRECTION = np.array([[1.0, 0.5, 0.1], [-0.3, 0.2, 0.9], [0.4, -1.0, 0.3]])


def energy(a, b):
    return np.sum(solve(a, b) ** 2)


def plain_energy(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


def test_an_opaque_solver():
    found = grad(energy, (0, 1))(A, X)
    for one, other in zip(found, grad(plain_energy, (0, 1))(A, X)):
        assert np.allclose(one, other)
    assert "solve(a.T" in grad(energy).source_for(A, X)
    product = hvp(energy)(A, X, DIRECTION)
    assert np.allclose(product, hvp(plain_energy)(A, X, DIRECTION))
    assert np.allclose(hvp(energy, 1)(A, X, V), hvp(plain_energy, 1)(A, X, V))


def test_a_kind_makes_short_code():
    @primitive(kind=same_kind)
    def tanh(x):
        return np.tanh(x)

    tanh.defjvp(lambda p, t: (y := tanh(p[0]), (1 - y * y) * t[0]))

    def f(x):
        return np.sum(tanh(x))

    assert np.allclose(grad(f)(X), 1 - np.tanh(X) ** 2)
    assert "require_number" not in grad(f).source_for(X)
    assert np.allclose(hvp(f)(X, V), -2 * np.tanh(X) * (1 - np.tanh(X) ** 2) * V)


def test_compiled_code():
    convolve = primitive(np.convolve)

    def f(x, k):
        return np.sum(convolve(x, k) ** 2)

    convolve.defvjp(
        lambda x, k: (convolve(x, k), (x, k)),
        lambda kept, out_bar: (
            np.correlate(out_bar, kept[1], "valid"),
            np.correlate(out_bar, kept[0], "valid"),
        ),
    )
    assert check_gradient(f, X, np.array([1.0, -2.0])).passed


def test_a_rule_by_the_table():
    @primitive
    def fast(x):
        return np.tanh(x)

    s2sad.rule.elementwise(fast, lambda x, out: 1 - out**2)

    def f(x):
        return np.sum(fast(x))

    assert np.allclose(grad(f)(X), 1 - np.tanh(X) ** 2)
    assert jvp(f, (X,), (V,))[1] == pytest.approx((1 - np.tanh(X) ** 2) @ V)


# ------------------------------------------------------------------ mistakes


def refused(reverse, *args, forward=None, function=None):
    custom = custom_vjp(function or (lambda x, y: x * y))
    custom.defvjp(forward or (lambda x, y: (x * y, (x, y))), reverse)
    with pytest.raises(UnsupportedError) as caught:
        grad(lambda x, y: np.sum(custom(x, y)))(*(args or (X, V)))
    return str(caught.value)


def test_the_wrong_number_of_cotangents():
    text = refused(lambda kept, out_bar: (out_bar,))
    assert "returns 1 cotangents, and must return 2, for x, y" in text
    text = refused(lambda kept, out_bar: out_bar)
    assert "must return a tuple of 2 cotangents, for x, y" in text


def test_the_wrong_shape():
    text = refused(lambda kept, out_bar: (np.sum(out_bar), None))
    assert "gives for x is" in text and "must have the shape of" in text


def test_the_wrong_shape_is_found_when_the_program_runs():
    custom = custom_vjp(lambda x: 2 * x)
    custom.defvjp(lambda x: (2 * x, None), lambda none, out_bar: out_bar[1:])
    with pytest.raises(ValueError, match=r"gives for x has shape \(2,\), not \(3,\)"):
        grad(lambda x: np.sum(custom(x)))(X)


def test_the_wrong_dtype():
    text = refused(lambda kept, out_bar: (out_bar > 0, None))
    assert "must be of floats" in text


def test_the_wrong_structure():
    text = refused(lambda kept, out_bar: ((out_bar, out_bar), None))
    assert "gives for x is a tuple of 2" in text


def test_a_forward_function_without_residuals():
    text = refused(lambda kept, out_bar: (None, None), forward=lambda x, y: x * y)
    assert "must return a pair" in text


def test_a_forward_function_with_another_result():
    text = refused(
        lambda kept, out_bar: (None, None), forward=lambda x, y: (np.sum(x), None)
    )
    assert "but what the function itself returns is" in text


def test_wrong_tangents():
    custom = custom_jvp(lambda x: 2 * x)
    custom.defjvp(lambda primals, tangents: (2 * primals[0], np.sum(tangents[0])))
    with pytest.raises(UnsupportedError, match="must have the shape of"):
        jvp(lambda x: np.sum(custom(x)), (X,), (V,))


def test_no_derivative():
    custom = custom_vjp(lambda x: 2 * x)
    with pytest.raises(UnsupportedError, match="give it one"):
        grad(lambda x: np.sum(custom(x)))(X)


def test_what_isnt_a_function():
    with pytest.raises(ArgumentError, match="take a function, not 3"):
        custom_vjp(3)
    with pytest.raises(RuleError, match="takes functions, not 4"):
        custom_vjp(lambda x: x).defjvp(4)


def test_a_new_rule_is_noticed():
    custom = custom_vjp(lambda x: 2 * x)
    custom.defvjp(lambda x: (2 * x, None), lambda none, out_bar: 2 * out_bar)

    def f(x):
        return np.sum(custom(x))

    gradient = grad(f)
    assert np.array_equal(gradient(X), np.full(3, 2.0))
    custom.defvjp(lambda x: (2 * x, None), lambda none, out_bar: 3 * out_bar)
    assert np.array_equal(gradient(X), np.full(3, 3.0))
