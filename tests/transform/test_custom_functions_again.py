"""Functions with a derivative of the user's: second derivatives in all forms, and what
they return besides numbers."""

import numpy as np
import pytest

from s2sad import (
    UnsupportedError,
    custom_vjp,
    grad,
    hessian,
    hook,
    hvp,
    jacfwd,
    jacrev,
    primitive,
)
from s2sad.rules.result_kinds import same_kind
from s2sad.testing import check_grads

X = np.array([0.3, 1.2, -0.7])


@custom_vjp
def log1pexp(x):
    return np.log(1.0 + np.exp(x))


log1pexp.defvjp(
    lambda x: (log1pexp(x), x), lambda x, out_bar: out_bar / (1.0 + np.exp(-x))
)


def test_hessians_without_a_pushforward():
    """As ``hvp``, they differentiate the gradient."""

    def f(x):
        return np.sum(log1pexp(x) * x[0])

    gradient, step = grad(f), 1e-6
    rows = step * np.eye(3)
    expected = [(gradient(X + d) - gradient(X - d)) / (2 * step) for d in rows]
    for made in (hessian(f), jacrev(gradient), jacfwd(gradient)):
        assert np.allclose(made(X), expected, atol=1e-6)
    assert np.allclose(hvp(f)(X, np.ones(3)), np.sum(expected, axis=1), atol=1e-6)
    with pytest.raises(UnsupportedError, match="has no pushforward"):
        jacfwd(lambda x: log1pexp(x))(X)


@custom_vjp(nondiff="mode")
def layer(p, x, mode="a", *, scale=1.0):
    return {"y": scale * (x @ p["w"] + p["b"]), "mode": mode, "rank": x.ndim}


def layer_forward(p, x, mode, *, scale):
    return layer(p, x, mode, scale=scale), (p, x, scale)


def layer_reverse(residuals, out_bar):
    p, x, scale = residuals
    y_bar = out_bar["y"]
    p_bar = {"w": scale * np.outer(x, y_bar), "b": scale * y_bar}
    return p_bar, scale * (p["w"] @ y_bar), np.sum(y_bar * (x @ p["w"] + p["b"]))


layer.defvjp(layer_forward, layer_reverse)


def test_results_that_hold_more_than_numbers():
    p = {"w": np.arange(6.0).reshape(3, 2), "b": np.ones(2)}

    def f(p, x):
        first, second = layer(p, x), layer(p, x, mode="b", scale=x[0])
        assert first["mode"] == "a" and second["mode"] == "b"
        return np.sum(first["y"] ** 2) * first["rank"] + np.sum(second["y"])

    assert check_grads(f, (p, X), modes=["rev"]).passed


accumulate = primitive(np.cumsum, kind=same_kind)
accumulate.defvjp(
    lambda x: (accumulate(x), None),
    lambda none, out_bar: np.flip(accumulate(np.flip(out_bar))),
)


def test_kinds_of_primitives_whose_parameters_have_no_names():
    def f(x):
        return np.sum(accumulate(x) ** 2)

    assert check_grads(f, (X,), modes=["rev"]).passed
    assert "broadcast_to_shape_of" not in grad(f).source_for(X)


class Counter:
    def __init__(self):
        self.calls = 0

    def __call__(self, adjoint):
        self.calls += 1


counter, seen = Counter(), []


def test_objects_as_hooks():
    def f(x):
        return np.sum(hook(x * x, counter))

    assert np.allclose(grad(f)(X), 2.0 * X)
    assert counter.calls == 1
    assert "counter(" in grad(f).source_for(X)


def test_hooks_that_can_be_neither_compiled_nor_named():
    for change in ("seen.append", "lambda adjoint: seen.append(adjoint)"):
        with pytest.raises(UnsupportedError, match="what this hook calls") as caught:
            grad(HOOKED[change])(X)
        assert "hooks.py" not in str(caught.value).replace(__file__, "")
        assert "write a def at module level" in str(caught.value)


HOOKED = {
    "seen.append": lambda x: np.sum(hook(x * x, seen.append)),
    "lambda adjoint: seen.append(adjoint)": lambda x: np.sum(
        hook(x * x, lambda adjoint: seen.append(adjoint))
    ),
}
