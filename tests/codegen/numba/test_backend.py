"""How the Numba backend is asked for, what it gives to others, and its cache."""

import math
import pickle
import sys

import numpy as np
import pytest

from s2sad import differentiate, grad, value_and_grad, vjp
from s2sad.codegen.numba.compiled import compiled_functions
from s2sad.codegen.numba.options import NumbaOptions
from s2sad.errors import ArgumentError, S2sadError
from tests.codegen.numba.comparing import assert_same

numba = pytest.importorskip("numba")


@numba.njit
def wave(x, k):
    return math.sin(x * k)


@numba.njit(fastmath=True)
def squares(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        total += wave(x[i], k) ** 2
    return total


differentiated = differentiate(squares)
X = np.linspace(0.0, 1.0, 5)


def test_functions_under_njit_choose_it_and_their_options():
    gradient = differentiated.grad.compiled(X, 2.0)
    assert gradient.targetoptions["fastmath"] is True
    assert gradient.targetoptions["error_model"] == "numpy"
    assert_same(differentiated(X, 2.0), squares(X, 2.0))
    plain = grad(squares, backend="numpy")
    np.testing.assert_allclose(differentiated.grad(X, 2.0), plain(X, 2.0))
    assert "np.empty" not in plain.source_for(X, 2.0)


def test_gradients_are_called_by_functions_under_njit():
    gradient = differentiated.grad.compiled(X, 2.0)

    @numba.njit
    def descended(x, k):
        for _ in range(3):
            x = x - 0.1 * gradient(x, k)
        return x

    wanted = X
    for _ in range(3):
        wanted = wanted - 0.1 * differentiated.grad(wanted, 2.0)
    np.testing.assert_allclose(descended(X, 2.0), wanted)


def test_structures_are_taken_apart_in_front_of_the_core():
    def f(p, x):
        return p["a"] * np.sum(x * p["b"])

    p = {"a": 2.0, "b": X}
    border = grad(f, backend="numba").compiled(p, X)
    value = border.core(X, 2.0, X)
    assert_same(border(p, X), {"a": value[0], "b": value[1]})
    text = grad(f, backend="numba").source_for(p, X)
    assert "f_grad_compiled(x, p_a, p_b)" in text


def test_backend_is_part_of_what_is_cached():
    def f(x):
        return x * x * x

    first, second = grad(f), grad(f, backend="numba")
    assert first(2.0) == second(2.0) == 12.0
    fast = grad(f, backend="numba", options={"fastmath": True})
    assert fast.compiled(2.0).targetoptions["fastmath"] is True
    assert not second.compiled(2.0).targetoptions["fastmath"]
    assert not hasattr(first.compiled(2.0), "targetoptions")


def test_compiled_code_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    options = NumbaOptions(cache=True)
    text = "def twice(x):\n    return 2.0 * x\n"
    first = compiled_functions(text, "twice", options)["twice"]
    assert first(2.0) == 4.0
    assert sum(first.stats.cache_misses.values()) == 1
    again = compiled_functions(text, "twice", options)["twice"]
    assert again(2.0) == 4.0
    assert sum(again.stats.cache_hits.values()) == 1
    assert len(list((tmp_path / "numba").glob("twice_*.py"))) == 1
    compiled_functions(text, "twice", NumbaOptions(cache=True, fastmath=True))
    assert len(list((tmp_path / "numba").glob("twice_*.py"))) == 2


def test_unknown_backends_and_options():
    with pytest.raises(ArgumentError, match='"numpy" or "numba", not \'jax\''):
        grad(abs_of, backend="jax")
    with pytest.raises(ArgumentError, match="names 'fast'"):
        grad(abs_of, backend="numba", options={"fast": True})
    with pytest.raises(ArgumentError, match="options are for"):
        grad(abs_of, options={"fastmath": True})


def abs_of(x):
    return abs(x)


def test_missing_numba_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(S2sadError, match=r"s2sad\[numba\]"):
        grad(abs_of, backend="numba")(1.5)


def test_derivatives_are_pickled_with_their_backend():
    gradient = grad(abs_of, backend="numba")
    assert pickle.loads(pickle.dumps(gradient))._numba == NumbaOptions()


def test_seeds_and_values():
    def f(x):
        return np.exp(x) * x[0]

    x = np.array([0.5, 1.0])
    seed = np.array([1.0, -2.0])
    found = grad(f, backend="numba")(x, gradient=seed)
    assert_same(found, grad(f)(x, gradient=seed))
    value, pull = vjp(f, x, backend="numba")
    assert_same(value, f(x))
    assert_same(pull(seed), vjp(f, x)[1](seed))


def float32(x):
    return np.sum(x * x)


def changes_argument(x):
    for i in range(3):
        x = x + np.arange(4.0) * i
    return np.sum(x * x)


def unknown_function(x):
    y = x * 2.0
    return np.sum(np.kron(y, y) ** 2)


def whole_number_or_none(x):
    last = None
    total = 0.0
    for i in range(len(x)):
        if last is not None:
            total += x[last] * x[i]
        last = i
    return total


def catches(x):
    total = 0.0
    for i in range(len(x)):
        try:
            total += math.log(x[i])
        except ValueError:
            total -= 1.0
    return total


@pytest.mark.parametrize(
    ("function", "argument", "line", "reason"),
    [
        (float32, np.ones(3, np.float32), 1, "`x` is of float32"),
        (changes_argument, 1.0, 2, "`x` is of a rank or dtype that isn't known"),
        (unknown_function, np.ones(3), 2, "np.kron isn't known to the Numba backend"),
        (whole_number_or_none, np.ones(3), 2, "`last` is None on one path"),
        (catches, np.ones(3), 3, "`try` isn't compiled by Numba"),
    ],
)
def test_refusals_name_the_users_line(function, argument, line, reason):
    with pytest.raises(S2sadError) as raised:
        value_and_grad(function, backend="numba")(argument)
    first = function.__code__.co_firstlineno
    problem = raised.value.problems[0]
    assert reason in problem.reason
    assert first <= problem.line <= first + line
    assert problem.filename == __file__
    assert problem.advice
