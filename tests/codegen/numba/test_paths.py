"""Variables of several kinds, and calls that Numba doesn't know: the Numba backend
gives what the NumPy backend gives, and what differences give."""

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, value_and_grad
from s2sad.codegen.numba import refusals
from s2sad.errors import UnsupportedError
from tests.codegen.numba import paths
from tests.codegen.numba.comparing import assert_same, differences

pytest.importorskip("numba")


@pytest.mark.sampled(24)
@pytest.mark.parametrize(
    ("function", "arguments"),
    paths.CASES,
    ids=[f"{f.__name__}{len(a)}" for f, a in paths.CASES],
)
def test_gradients(function, arguments):
    value, found = value_and_grad(function, backend="numba")(*arguments)
    assert_same(float(value), float(function(*arguments)))
    assert_same(found, grad(function)(*arguments))
    if function is not paths.ties:  # at a kink
        (close,) = differences(function, arguments, (0,))
        np.testing.assert_allclose(found, close, rtol=1e-5, atol=1e-6)


def test_computed_messages_leave_out_what_they_would_compute():
    with pytest.raises(ValueError, match=r"^\.\.\. is too much(\n|$)"):
        grad(paths.messages, backend="numba")(1000.0 * paths.X)
    with pytest.raises(AssertionError, match=r"^\.\.\. is too much(\n|$)"):
        grad(paths.messages, backend="numba")(np.array([1.0, 1000.0]))


def test_what_does_not_fit_into_a_part_raises():
    def f(x, n):
        v = np.zeros(5)
        y = x[:n] * 2.0
        v[1:3] = y * y
        v += x * x
        return np.sum(v**2)

    x = np.linspace(1.0, 2.0, 5)
    compiled = grad(f, backend="numba")
    assert_same(compiled(x, 2), grad(f)(x, 2))
    assert_same(compiled(x, 1), grad(f)(x, 1))
    with pytest.raises(ValueError, match="broadcast"):
        compiled(x, 3)
    with pytest.raises(ValueError, match="broadcast"):
        compiled(x[:4], 2)


def test_one_array_holds_what_is_added_to_a_part():
    def heat(u, n):
        u = u.copy()
        for _ in range(n):
            u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        return np.sum(u**2)

    u = np.linspace(0.0, 1.0, 6) ** 2
    compiled = grad(heat, backend="numba")
    forwards = compiled.source_for(u, 3).split("# ")[0]
    assert forwards.count("np.empty") == 1
    assert_same(compiled(u, 3), grad(heat)(u, 3))


def test_what_numba_says_late_is_said_of_the_users_line(monkeypatch):
    monkeypatch.setitem(refusals.TABLE, np.tile, lambda call: True)

    def f(x):
        y = x * 2.0
        return np.tile(y, 9) * 1.0

    def g(x):
        return np.sum(f(x))

    x = np.ones(2)
    for derive in (
        lambda: grad(f, backend="numba")(x, gradient=np.ones(18)),
        lambda: jvp(g, (x,), (x,), backend="numba"),
        lambda: hvp(g, backend="numba")(x, x),
    ):
        with pytest.raises(UnsupportedError) as raised:
            derive()
        problem = raised.value.problems[0]
        assert "Numba can't compile" in problem.reason
        assert problem.filename == __file__
