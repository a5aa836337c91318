"""Loops over numbers: the Numba backend gives what the NumPy backend gives, and what
differences give."""

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from tests.codegen.numba import loops
from tests.codegen.numba.comparing import assert_same, differences

pytest.importorskip("numba")


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("function", "arguments", "wrt"),
    loops.CASES,
    ids=[function.__name__ for function, *_ in loops.CASES],
)
def test_gradients_of_loops(function, arguments, wrt):
    compiled = value_and_grad(function, wrt, backend="numba")
    value, found = compiled(*arguments)
    assert_same(value, function(*arguments))
    assert_same(found, grad(function, wrt)(*arguments))
    for got, close in zip(
        found if isinstance(wrt, tuple) else (found,),
        differences(function, arguments, wrt if isinstance(wrt, tuple) else (wrt,)),
    ):
        np.testing.assert_allclose(got, close, rtol=1e-5, atol=1e-6)


def test_what_loops_save_lies_in_arrays():
    x = np.array([1.0, 2.0])
    text = grad(loops.running_product, backend="numba").source_for(x)
    assert "p_saved = np.empty(count)" in text
    assert ".append" not in text
    text = grad(loops.while_leaves_early, backend="numba").source_for(1.3)
    assert "y_saved.append(y)" in text and "y_saved.pop()" in text


def test_arrays_of_the_caller_stay():
    u = np.linspace(0.0, 1.0, 7)
    before = u.copy()
    grad(loops.heat, backend="numba")(u, 2, 0.1)
    np.testing.assert_array_equal(u, before)


def test_data_of_the_module_is_read_live(monkeypatch):
    x = np.array([0.1, 0.4, -0.3])
    compiled = grad(loops.reads_module, backend="numba")
    first = compiled(x, 3)
    monkeypatch.setattr(loops, "WEIGHTS", np.array([1.0, 2.0, 3.0]))
    second = compiled(x, 3)
    assert not np.allclose(first, second)
    assert_same(second, grad(loops.reads_module)(x, 3))
