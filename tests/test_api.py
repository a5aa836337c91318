"""The transforms as users call them."""

import copy
import functools
import inspect
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import s2sad
from s2sad import (
    ArgumentError,
    SourceError,
    differentiate,
    grad,
    hvp,
    jvp,
    value_and_grad,
    vjp,
)
from s2sad.rules.registry import unregister
from s2sad.testing import check_gradient, check_rule

RNG = np.random.default_rng(0)
W, B, X, Y = RNG.normal(size=3), 0.3, RNG.normal(size=(5, 3)), RNG.normal(size=5)


@differentiate(wrt=("w", "b"))
def loss(w, b, x, y):
    """Mean squared error."""
    residual = x @ w + b - y
    return np.mean(residual**2)


def loss_gradient(w, b, x, y):
    residual_bar = 2.0 * (x @ w + b - y) / len(y)
    return x.T @ residual_bar, np.sum(residual_bar)


@differentiate
def cube(x: float, *, scale: float = 1.0) -> float:
    return scale * x * x * x


def linear(w, x):
    return x @ w


class Point(NamedTuple):
    x: float
    y: np.ndarray


@dataclass
class Model:
    w: np.ndarray
    b: float = 0.0

    @differentiate(wrt="x")
    def predict(self, x):
        return np.sum(self.w * x) + self.b

    @differentiate(wrt=("self", "x"))
    def both(self, x):
        return np.sum(self.w * x) * self.b

    def plain(self, x, scale):
        return np.sum(self.w * x) * scale

    @staticmethod
    @differentiate
    def square(x):
        return x * x


class TestDecorated:
    def test_runs_the_function_itself(self):
        def f(*args, **kwargs):
            return args, kwargs

        decorated = differentiate(f)
        assert decorated(1, "a", b=[2]) == ((1, "a"), {"b": [2]})
        assert decorated.__wrapped__ is f
        assert decorated.__s2sad_primal__ is f

    def test_looks_like_the_function(self):
        assert loss.__name__ == loss.__qualname__ == "loss"
        assert loss.__doc__ == "Mean squared error."
        assert loss.__module__ == __name__
        assert list(inspect.signature(loss).parameters) == ["w", "b", "x", "y"]
        assert cube.__annotations__["x"] is float
        assert "differentiated <function loss" in repr(loss)
        assert repr(loss.grad) == "<s2sad: gradient of loss with respect to w, b>"
        assert loss.grad.__name__ == "loss_grad"
        assert loss.value_and_grad.__name__ == "loss_value_and_grad"

    def test_gradients(self):
        w_bar, b_bar = loss.grad(W, B, X, Y)
        expected = loss_gradient(W, B, X, Y)
        np.testing.assert_allclose(w_bar, expected[0], rtol=1e-12)
        np.testing.assert_allclose(b_bar, expected[1], rtol=1e-12)
        value, gradient = loss.value_and_grad(W, B, X, Y)
        assert value == loss(W, B, X, Y)
        np.testing.assert_array_equal(gradient[0], w_bar)

    def test_bare_decorator_and_arguments(self):
        assert cube.grad(2.0) == 12.0
        assert cube.grad(2.0, scale=2.0) == 24.0
        assert differentiate(wrt="y")(lambda x, y: x * y).grad(2.0, 3.0) == 2.0

    def test_once_more_with_other_parameters(self):
        assert loss.__wrapped__ is differentiate(loss, wrt="b").__wrapped__
        gradient = differentiate(loss, wrt="b").grad(W, B, X, Y)
        np.testing.assert_allclose(gradient, loss_gradient(W, B, X, Y)[1])

    def test_calls_between_decorated_functions(self):
        @differentiate
        def outer(x):
            return cube(x) + cube(x * 2.0)

        assert outer(1.0) == 9.0
        assert outer.grad(1.0) == 27.0

    def test_attributes_of_the_function_are_kept(self):
        def f(x):
            return x

        f.note = "kept"
        assert differentiate(f).note == "kept"

    @pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
    def test_pickles_by_name(self, protocol):
        def again(value):
            return pickle.loads(pickle.dumps(value, protocol))

        assert again(loss) is loss
        assert again(Model.predict) is Model.predict
        assert again(loss.grad) is loss.grad
        assert again(loss.value_and_grad) is loss.value_and_grad
        assert again(grad(linear))(W, X, gradient=Y).shape == (3,)
        assert again(value_and_grad(loss, "b"))(W, B, X, Y)[0] == loss(W, B, X, Y)
        assert again(hvp(cube))(2.0, 1.0) == 12.0
        other = again(differentiate(linear, wrt="x"))
        assert other.grad(W, W) is not None

    def test_copies(self):
        assert copy.copy(loss) is loss
        assert copy.deepcopy(loss) is loss

    def test_refuses_what_is_no_function(self):
        with pytest.raises(ArgumentError, match=r"differentiate\(wrt='x'\)"):
            differentiate("x")
        with pytest.raises(ArgumentError, match="@staticmethod above"):
            differentiate(staticmethod(linear))
        with pytest.raises(SourceError, match="compiled"):
            differentiate(getattr)
        with pytest.raises(SourceError, match="a class"):
            grad(dict)


class TestMethods:
    model = Model(np.array([1.0, 2.0, 3.0]), 4.0)

    def test_bound(self):
        x = np.ones(3)
        assert self.model.predict(x) == 10.0
        np.testing.assert_array_equal(self.model.predict.grad(x), self.model.w)
        value, gradient = self.model.predict.value_and_grad(x)
        assert value == 10.0
        np.testing.assert_array_equal(gradient, self.model.w)
        assert self.model.predict.grad.source_for(x).startswith("def predict_grad(self")
        assert callable(self.model.predict.grad.compiled(x))

    def test_the_instance_too(self):
        self_bar, x_bar = self.model.both.grad(np.ones(3))
        assert isinstance(self_bar, Model)
        np.testing.assert_array_equal(self_bar.w, np.full(3, 4.0))
        assert self_bar.b == 6.0
        np.testing.assert_array_equal(x_bar, 4.0 * self.model.w)

    def test_plain_methods(self):
        x = np.ones(3)
        gradient = grad(self.model.plain)(x, 2.0)
        np.testing.assert_array_equal(gradient, 2.0 * self.model.w)
        assert grad(self.model.plain, "scale")(x, 2.0) == 6.0
        assert grad(self.model.plain, 1)(x, 2.0) == 6.0
        with pytest.raises(ArgumentError, match="its parameters: x, scale"):
            grad(self.model.plain, "self")

    def test_pullback_and_tangent(self):
        x = np.ones(3)
        for method in (self.model.predict, self.model.plain):
            rest = (2.0,) if method == self.model.plain else ()
            value, pullback = vjp(method, x, *rest)
            assert value == method(x, *rest)
            cotangents = pullback(1.0)
            assert len(cotangents) == 1 + len(rest)
            tangents = (np.ones(3), *(None for _ in rest))
            tangent = jvp(method, (x, *rest), tangents)[1]
            np.testing.assert_allclose(tangent, np.sum(cotangents[0]))
        np.testing.assert_array_equal(
            self.model.predict.vjp(x)[1](1.0)[0], self.model.w
        )
        assert self.model.predict.jvp((x,), (x,))[1] == 6.0

    def test_static(self):
        assert Model.square.grad(3.0) == self.model.square.grad(3.0) == 6.0


class TestWrt:
    def f(x, y, z=2.0):  # noqa: N805
        return x * y * z

    @pytest.mark.parametrize(
        "wrt, expected",
        [
            (0, 6.0),
            (1, 4.0),
            ("y", 4.0),
            (2, 6.0),
            (-1, 6.0),
            (np.int64(1), 4.0),
            (("y", 0), (4.0, 6.0)),
            ((1,), (4.0,)),
        ],
    )
    def test_positions_and_names(self, wrt, expected):
        assert grad(TestWrt.f, wrt)(2.0, 3.0) == expected
        assert value_and_grad(TestWrt.f, wrt=wrt)(2.0, 3.0) == (12.0, expected)

    @pytest.mark.parametrize(
        "wrt, message",
        [
            ("w", "no parameter 'w'; its parameters: x, y, z"),
            (3, "wrt=3, but f has 3 parameters"),
            (-4, "wrt=-4"),
            ((0, "x"), "names x twice"),
            ((), "is empty"),
            (["x"], r"not \['x'\] \(list\)"),
            (True, "not True"),
            (1.0, "not 1.0"),
            (None, "not None"),
            ((0, None), "not None"),
        ],
    )
    def test_refused(self, wrt, message):
        for transform in (grad, value_and_grad, hvp):
            with pytest.raises(ArgumentError, match=message):
                transform(TestWrt.f, wrt)
        with pytest.raises(TypeError):
            differentiate(TestWrt.f, wrt=wrt)

    def test_an_int(self):
        with pytest.raises(ArgumentError, match=r"x, an int: pass a float: 3.0"):
            grad(TestWrt.f)(3, 1.0)

    @pytest.mark.parametrize(
        "value",
        [
            {"a": 2.0, "n": 3, "b": np.ones(2)},
            [2.0, 3, np.ones(2)],
            (2.0, 3, np.ones(2)),
        ],
        ids=["dict", "list", "tuple"],
    )
    def test_structures(self, value):
        first, _, last = value if not isinstance(value, dict) else value.keys()
        first, last = ("a", "b") if isinstance(value, dict) else (0, 2)
        source = f"lambda p: p[{first!r}] * np.sum(p[{last!r}])"
        if isinstance(value, dict):
            gradient = grad(lambda p: p["a"] * np.sum(p["b"]))(value)
        else:
            gradient = grad(lambda p: p[0] * np.sum(p[2]))(value)
        assert type(gradient) is type(value), source
        assert gradient[first] == 2.0
        np.testing.assert_array_equal(gradient[last], [2.0, 2.0])
        assert gradient["n" if isinstance(value, dict) else 1] is None

    def test_named_tuple(self):
        gradient = grad(lambda p: p.x * np.sum(p.y))(Point(2.0, np.ones(2)))
        assert isinstance(gradient, Point)
        assert gradient.x == 2.0


class TestCalls:
    def test_keywords_and_defaults(self):
        def f(x, y=2.0, *, z=3.0):
            return x * y * z

        assert grad(f)(1.0) == 6.0
        assert grad(f)(x=1.0, z=1.0) == 2.0
        assert grad(f)(1.0, y=5.0) == 15.0
        assert grad(f, "z")(1.0) == 2.0
        assert grad(f, ("x", "z"))(1.0, 1.0, z=4.0) == (4.0, 1.0)

    def test_positional_only(self):
        def f(x, /, y):
            return x * y

        assert grad(f)(2.0, y=3.0) == 3.0
        with pytest.raises(TypeError):
            grad(f)(x=2.0, y=3.0)

    def test_any_number_of_arguments(self):
        def f(x, *rest, **named):
            return x * rest[0] + rest[1] * named["scale"]

        assert grad(f)(2.0, 3.0, 4.0, scale=5.0) == 3.0
        assert grad(f, "rest")(2.0, 3.0, 4.0, scale=5.0) == (2.0, 5.0)
        assert grad(f, "named")(2.0, 3.0, 4.0, scale=5.0) == {"scale": 4.0}

    @pytest.mark.parametrize(
        "args, kwargs, message",
        [
            ((), {}, "missing a required argument: 'w'"),
            ((1.0, 2.0, 3.0, 4.0, 5.0), {}, "too many positional arguments"),
            ((1.0, 2.0, 3.0, 4.0), {"z": 1.0}, "unexpected keyword argument 'z'"),
            ((1.0, 2.0, 3.0, 4.0), {"w": 1.0}, "multiple values for argument 'w'"),
        ],
    )
    def test_wrong_arguments(self, args, kwargs, message):
        for derivative in (loss.grad, loss.value_and_grad, grad(loss)):
            with pytest.raises(TypeError, match=message) as error:
                derivative(*args, **kwargs)
            assert not isinstance(error.value, ArgumentError)

    def test_the_wrapper_is_differentiated_not_the_wrapped(self):
        def doubled(function):
            @functools.wraps(function)
            def wrapper(x):
                return 2.0 * function(x)

            return wrapper

        @doubled
        def f(x):
            return x * x

        assert grad(f)(3.0) == 12.0

    def test_cached_functions(self):
        @functools.lru_cache
        def f(x):
            return x * x

        assert grad(f)(3.0) == 6.0
        assert differentiate(f)(3.0) == 9.0

    def test_exec_without_text(self):
        scope = {}
        exec("def f(x): return x * x", scope)
        with pytest.raises(SourceError, match="write it in a file"):
            grad(scope["f"])(1.0)
        assert differentiate(scope["f"])(2.0) == 4.0

    def test_arguments_are_left_alone(self):
        arguments = (W.copy(), B, X.copy(), Y.copy())
        gradient = loss.grad(*arguments)
        for argument, before in zip(arguments, (W, B, X, Y)):
            np.testing.assert_array_equal(argument, before)
        assert gradient[0].flags.writeable
        assert not np.shares_memory(gradient[0], arguments[0])

    def test_dtypes(self):
        gradient = grad(loss, ("w", "b"))(
            W.astype(np.float32), np.float32(B), X.astype(np.float32), Y
        )
        assert [g.dtype for g in gradient] == [np.float32, np.float32]


class TestSeeds:
    def test_arrays_need_one(self):
        with pytest.raises(ArgumentError, match="gradient="):
            grad(linear)(W, X)

    def test_seeded(self):
        seed = RNG.normal(size=5)
        np.testing.assert_allclose(grad(linear)(W, X, gradient=seed), X.T @ seed)
        value, gradient = value_and_grad(linear)(W, X, gradient=seed)
        np.testing.assert_array_equal(value, X @ W)
        np.testing.assert_allclose(gradient, X.T @ seed)
        assert cube.grad(2.0, gradient=3.0) == 36.0

    def test_the_seed_is_left_alone(self):
        def shifted(x):
            return x + 1.0

        seed = np.ones(3)
        gradient = grad(shifted)(np.zeros(3), gradient=seed)
        gradient += 1.0
        np.testing.assert_array_equal(seed, np.ones(3))

    def test_dtypes(self):
        w, x = W.astype(np.float32), X.astype(np.float32)
        for seed in (np.ones(5), np.ones(5, int), np.ones(5, np.float32)):
            gradient = grad(linear)(w, x, gradient=seed)
            assert gradient.dtype == np.float32
            np.testing.assert_allclose(gradient, x.sum(axis=0), rtol=1e-6)

    @pytest.mark.parametrize(
        "seed, message",
        [
            (1.0, r"shape \(\), but must have shape \(5,\)"),
            (np.ones(4), r"shape \(4,\), but must have shape \(5,\)"),
            (np.ones((1, 5)), r"shape \(1, 5\), but"),
            (np.ones(1), r"shape \(1,\), but"),
            (np.ones(5, complex), "complex"),
            ([1.0] * 5, "must be a number or an array"),
        ],
    )
    def test_refused(self, seed, message):
        with pytest.raises(ArgumentError, match=message):
            grad(linear)(W, X, gradient=seed)
        with pytest.raises(ArgumentError, match=message):
            vjp(linear, W, X)[1](seed)

    def test_a_parameter_of_that_name(self):
        def f(x, gradient):
            return x * gradient

        assert grad(f)(2.0, gradient=3.0) == 3.0


class TestVjp:
    def test_pullback(self):
        value, pullback = vjp(linear, W, X)
        np.testing.assert_array_equal(value, X @ W)
        for _ in range(2):
            w_bar, x_bar = pullback(Y)
            np.testing.assert_allclose(w_bar, X.T @ Y)
            np.testing.assert_allclose(x_bar, np.outer(Y, W))
        assert "def linear_forward(w, x):" in pullback.source
        assert "def linear_reverse(residuals, gradient):" in pullback.source
        assert "pullback of linear" in repr(pullback)

    def test_arguments_without_derivative(self):
        def f(x, n, flag, name, nothing, g, y, unused):
            return g(x) ** n * y

        value, pullback = vjp(f, 2.0, 2, True, "a", None, np.exp, 3.0, np.ones(2))
        cotangents = pullback(1.0)
        assert len(cotangents) == 8
        assert cotangents[1:6] == (None,) * 5
        np.testing.assert_allclose(cotangents[0], 2.0 * value)
        np.testing.assert_allclose(cotangents[6], np.exp(2.0) ** 2)
        np.testing.assert_array_equal(cotangents[7], np.zeros(2))

    def test_defaults_have_no_cotangent(self):
        def f(x, y=2.0):
            return x * y

        assert vjp(f, 3.0)[1](1.0) == (2.0,)
        assert vjp(f, 3.0, 5.0)[1](1.0) == (5.0, 3.0)

    def test_any_number_of_arguments(self):
        def f(x, *rest):
            return x * rest[0] * rest[1]

        assert vjp(f, 2.0, 3.0, 4.0)[1](1.0) == (12.0, 8.0, 6.0)

        def g(x, *rest):
            return x

        assert vjp(g, 2.0, 3, None)[1](1.0) == (1.0, None, None)

    def test_later_changes_do_not_matter(self):
        w, x = W.copy(), X.copy()
        value, pullback = vjp(linear, w, x)
        w[:], x[:], value[:] = 0.0, 0.0, 0.0
        np.testing.assert_allclose(pullback(Y)[0], X.T @ Y)

    def test_structured_results(self):
        def f(x, y):
            return {"product": x * y, "pair": (x, 3)}

        value, pullback = vjp(f, 2.0, np.ones(2))
        assert value["pair"] == (2.0, 3)
        x_bar, y_bar = pullback({"product": np.array([1.0, 2.0]), "pair": (5.0, None)})
        assert x_bar == 8.0
        np.testing.assert_array_equal(y_bar, [2.0, 4.0])
        with pytest.raises(ArgumentError, match=r"\['product'\] has shape \(3,\)"):
            pullback({"product": np.ones(3), "pair": (5.0, None)})
        with pytest.raises(ArgumentError, match="has the items"):
            pullback({"product": np.ones(2)})
        with pytest.raises(ArgumentError, match="is a tuple, but must be a dict"):
            pullback((np.ones(2),))

    def test_none_is_refused(self):
        with pytest.raises(ArgumentError, match="is None"):
            vjp(linear, W, X)[1](None)

    def test_as_an_attribute(self):
        value, pullback = loss.vjp(W, B, X, Y)
        assert value == loss(W, B, X, Y)
        np.testing.assert_allclose(pullback(1.0)[0], loss_gradient(W, B, X, Y)[0])
        assert len(pullback(1.0)) == 4


class TestJvp:
    def test_tangents(self):
        value, tangent = jvp(linear, (W, X), (np.ones(3), None))
        np.testing.assert_array_equal(value, X @ W)
        np.testing.assert_allclose(tangent, X @ np.ones(3))
        _, tangent = loss.jvp((W, B, X, Y), [W, 1.0, None, None])
        w_bar, b_bar = loss_gradient(W, B, X, Y)
        np.testing.assert_allclose(tangent, w_bar @ W + b_bar)

    def test_kinds_of_tangents(self):
        w, x = W.astype(np.float32), X.astype(np.float32)
        for dot in (np.ones(3), np.ones(3, int), np.ones(3, np.float32)):
            _, tangent = jvp(linear, (w, x), (dot, None))
            assert tangent.dtype == np.float32
        assert jvp(cube, (2.0,), (1,)) == (8.0, 12.0)

    @pytest.mark.parametrize(
        "primals, tangents, message",
        [
            ((W, X), (np.ones(2), None), r"tangent of w has shape \(2,\)"),
            ((W, X), (1.0, None), r"tangent of w has shape \(\)"),
            ((W, X), (np.ones(3),), "2 primals, but 1 tangents"),
            ((W, X), (None, None), "no argument of linear has a tangent"),
            ((W, X), np.ones(3), "tangents of jvp must be a tuple"),
            (W, (W,), "primals of jvp must be a tuple"),
            ((W, X), (1j * W, None), "complex"),
            ((W, X), ("a", None), "must be a number or an array"),
            ((3.0, 2), (1.0, 1.0), "must be None"),
        ],
    )
    def test_refused(self, primals, tangents, message):
        with pytest.raises(ArgumentError, match=message):
            jvp(linear, primals, tangents)

    def test_any_number_of_arguments(self):
        def f(x, *rest):
            return x * rest[0] * rest[1]

        assert jvp(f, (2.0, 3.0, 4.0), (None, 1.0, None)) == (24.0, 8.0)
        assert jvp(f, (2.0, 3.0, 4), (1.0, 1.0, None)) == (24.0, 20.0)


class TestHvp:
    def test_products(self):
        assert hvp(cube)(2.0, 1.0) == 12.0
        v = RNG.normal(size=3)
        np.testing.assert_allclose(hvp(loss)(W, B, X, Y, v), 2 / 5 * X.T @ (X @ v))
        w_part, b_part = loss.hvp(W, B, X, Y, (v, 0.0))
        np.testing.assert_allclose(w_part, 2 / 5 * X.T @ (X @ v))
        np.testing.assert_allclose(b_part, 2 / 5 * np.sum(X @ v))

    def test_source(self):
        assert "def loss_hvp(" in loss.hvp.source_for(W, B, X, Y, (W, B))
        assert "def cube_hvp(" in cube.hvp.source

    def test_refused(self):
        with pytest.raises(ArgumentError, match="a tuple of 2"):
            loss.hvp(W, B, X, Y, W)
        with pytest.raises(ArgumentError, match=r"vector for w has shape \(2,\)"):
            loss.hvp(W, B, X, Y, (np.ones(2), 0.0))
        with pytest.raises(TypeError, match="vector"):
            hvp(cube)()


class TestSource:
    def test_annotations_alone(self):
        before = cube.grad.source
        assert before.startswith("def cube_grad(x, scale):")
        cube.grad(np.ones((2, 2)), gradient=np.ones((2, 2)))
        cube.grad(np.float32(1.0))
        assert cube.grad.source == before
        scope = {}
        exec(before, scope)
        assert scope["cube_grad"](2.0, 1.0) == 12.0

    def test_defaults_give_values(self):
        def total(x: np.ndarray, axis=0):
            return np.sum(np.sum(x, axis=axis) ** 2)

        def other(x: np.ndarray, axis: int):
            return np.sum(np.sum(x, axis=axis) ** 2)

        def flag(x: float, double=False):
            return 2.0 * x if double else x

        assert "2.0" not in grad(flag).source
        with pytest.raises(s2sad.S2sadError):
            grad(other).source

    def test_an_int(self):
        def f(n: int):
            return n

        with pytest.raises(ArgumentError, match="n, an int: pass a float: 3.0"):
            grad(f).source

    def test_for_a_call(self):
        text = loss.grad.source_for(W, B, X, Y)
        assert text.startswith("def loss_grad(w, b, x, y):\n")
        assert loss.grad.source_for(W, b=B, x=X, y=Y) == text
        assert loss.grad.source_for(W, Y, X, Y) != text
        assert "gradient" in grad(linear).source_for(W, X, gradient=Y)

    def test_compiled(self):
        run = loss.grad.compiled(W, B, X, Y)
        assert inspect.isfunction(run)
        assert run.__name__ == "loss_grad"
        np.testing.assert_array_equal(run(W, B, X, Y)[0], loss.grad(W, B, X, Y)[0])


class TestOptimisations:
    def test_switched_off(self, monkeypatch):
        gradient = grad(loss, optimise={"products": False, "copies": False})
        text = gradient.source_for(W, B, X, Y)
        np.testing.assert_allclose(gradient(W, B, X, Y), loss.grad(W, B, X, Y)[0])
        monkeypatch.setenv("S2SAD_NO_OPT", "products, copies")
        assert grad(loss).source_for(W, B, X, Y) == text
        monkeypatch.setenv("S2SAD_NO_OPT", "")
        assert grad(loss, optimise={"products": True}).source_for(W, B, X, Y) != text

    def test_all(self):
        from s2sad.optimise.pipeline import SWITCHES

        for off in (*({n: False} for n in SWITCHES), dict.fromkeys(SWITCHES, False)):
            found = differentiate(loss, wrt=("w", "b"), optimise=off)
            for a, b in zip(found.grad(W, B, X, Y), loss.grad(W, B, X, Y)):
                np.testing.assert_allclose(a, b)
        plain = grad(loss, optimise=False).source_for(W, B, X, Y)
        assert plain == grad(loss, optimise=off).source_for(W, B, X, Y)
        assert plain != grad(loss, optimise=True).source_for(W, B, X, Y)
        assert plain != grad(loss, optimise={}).source_for(W, B, X, Y)

    def test_unknown(self, monkeypatch):
        with pytest.raises(ArgumentError, match="'nothing'.*there are:.*recompute"):
            grad(loss, optimise={"nothing": False})
        with pytest.raises(ArgumentError, match="must be True, False, or say which"):
            grad(loss, optimise=("products",))
        monkeypatch.setenv("S2SAD_NO_OPT", "typo")
        with pytest.raises(ArgumentError, match="S2SAD_NO_OPT names 'typo'"):
            grad(loss)


class TestChecks:
    def test_gradient(self):
        report = check_gradient(loss, W, B, X, Y, wrt=("w", "b", "x", 3))
        assert report.passed
        assert len(report.comparisons) == 24
        assert "24 of 24 agree" in str(report)
        assert check_gradient(linear, W, X, wrt=(0, 1)).passed
        assert check_gradient(cube, 2.0, scale=3.0, wrt=("x", "scale")).passed

    def test_large_arrays_are_sampled(self):
        report = check_gradient(lambda x: np.sum(x * x), np.ones((50, 50)), most=20)
        assert len(report.comparisons) == 20
        assert report.passed

    def test_float32(self):
        args = (W.astype(np.float32), np.float32(B), X.astype(np.float32), Y)
        assert check_gradient(loss, *args, wrt=(0, 1)).passed

    def test_finds_a_wrong_rule(self):
        def mistaken(x):
            return x * x

        def f(x):
            return np.sum(mistaken(x))

        s2sad.rule.elementwise(mistaken, lambda x, out: 3.0 * x)
        try:
            report = check_gradient(f, np.array([1.0, 2.0]))
            rules = check_rule(mistaken, np.array([1.0, 2.0]), second_order=False)
        finally:
            unregister(mistaken)
        assert not report.passed
        assert "WRONG x[0]: 3, expected 2" in str(report)
        with pytest.raises(AssertionError, match="0 of 2 agree"):
            report.raise_if_failed()
        assert [c.what for c in rules.failed] == ["argument[0][0]", "argument[0][1]"]

    @pytest.mark.parametrize(
        "function, args, kwargs",
        [
            (np.tanh, (W,), {}),
            (np.tanh, (0.3,), {}),
            (np.multiply, (X, W), {}),
            (np.linalg.solve, (X.T @ X, W), {}),
            (np.sum, (X,), {"axis": 0}),
            (np.exp, (W.astype(np.float32),), {}),
        ],
        ids=["tanh", "number", "multiply", "solve", "sum", "float32"],
    )
    def test_rules(self, function, args, kwargs):
        check_rule(function, *args, **kwargs).raise_if_failed()

    def test_nothing_to_check(self):
        with pytest.raises(ArgumentError, match="no argument of ones"):
            check_rule(np.ones, 3)


class TestPackage:
    def test_names(self):
        for name in s2sad.__all__:
            assert getattr(s2sad, name) is not None
            assert name in dir(s2sad)
        with pytest.raises(AttributeError, match="nothing"):
            s2sad.nothing
        assert callable(s2sad.rule.elementwise)
        assert callable(s2sad.optim.sgd)

    @pytest.mark.taken_apart
    def test_importing_does_not_load_the_compiler(self):
        code = (
            "import sys, s2sad\n"
            "@s2sad.differentiate\n"
            "def f(x): return x\n"
            "bad = ('s2sad.compiler', 's2sad.rules', 's2sad.ir', 's2sad.transform',\n"
            "       's2sad.optim', 'astor', 'click', 'rich', 'ast')\n"
            "print([m for m in bad if m in sys.modules and m != 'ast'])\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"


def test_the_cotangent_of_a_number_that_is_an_int_this_time():
    def total(v, k):
        return sum([e * e for e in v[:k]]), np.sum(v)

    value, pullback = s2sad.vjp(total, np.ones(3), 0)
    assert value[0] == 0 and isinstance(value[0], int)
    for seed in (None, 1.5, 2):
        np.testing.assert_array_equal(pullback((seed, 2.0))[0], [2.0, 2.0, 2.0])
    got = s2sad.grad(total)(np.ones(3), 2, gradient=(1.0, 2.0))
    np.testing.assert_array_equal(got, [4.0, 4.0, 2.0])
