"""Loops over elements read what their operations would have read: the values that
variables had before. The text for Numba runs here as Python."""

from __future__ import annotations

import textwrap
from operator import getitem

import numpy as np
import pytest

from s2sad import grad, jvp
from s2sad.codegen.numba.arrays import array_loops
from s2sad.codegen.numba.loops.element_loops import verify_element_loops
from s2sad.errors import VerificationError
from s2sad.ir.kinds import FLOAT, Array, Axis
from s2sad.ir.nodes import Apply, Assign, Const, For, Function, Return, Var
from s2sad.ops.buffers import index_add, index_set
from s2sad.rules.steps.shape_queries import axis_length
from tests.codegen.numba.comparing import differences
from tests.fuzz.checking import load
from tests.support.numba_text import run_as_python

pytest.importorskip("numba")

LINES = {
    "sums to the shape of one": ("y = y + x[i:i + k]", "y = y * x[i:i + 1]"),
    "sums along an axis": (
        "y = np.sum(np.outer(np.cos(y), 1.0 + y), axis=0)",
        "y = np.mean(y[:, None] * x[i:i + k], axis=1)",
    ),
    "extrema and products": (
        "y = np.max(np.outer(y, 1.0 + y), axis=1)",
        "y = np.prod(1.0 + 0.3 * np.outer(y, x[:k]), axis=0)",
    ),
    "sums to numbers": (
        "s = np.sum(np.sin(x[i:i + k] * s))",
        "s = np.mean(x[:k] * s) + np.max(np.cos(y * s))",
        "s = np.prod(1.0 + y * s)",
    ),
    "fills": (
        "y = s * np.ones_like(y)",
        "y = np.flip(y) * x[i:i + k] + np.roll(y, 1)",
        "y = np.full(k, y[0]) + 0.5 * np.where(y > 0.1, x[:k], y)",
    ),
    "contractions": (
        "y = np.einsum('ij,j->i', np.outer(y, x[:k]), np.cos(y))",
        "y = np.tensordot(np.outer(y, x[i:i + k]), y, axes=1)",
        "s = np.einsum('i,i->', y, x[:k] * s)",
    ),
    "contractions of axes that are broadcast": (
        "y = np.einsum('i,i->i', y, np.sin(x[i:i + 1]))",
        "y = np.einsum('ij,i->j', y[:, None] + x[i:i + k], x[i:i + 1])",
    ),
    "stores": (
        "y = y * 1.0",
        "y[1:] = y[:-1] * np.sin(y[1:])",
        "y[::-1] += y",
        "y[:] = y[::-1] * x[i:i + k]",
    ),
    "stores at places": (
        "y = y * 1.0",
        "y[np.arange(k)[::-1]] += y",
        "y[np.arange(k) // 2] += x[i:i + k] * y",
        "y[y > 0.1] *= s",
    ),
    "in place": (
        "y = y * 1.0",
        "y += y[::-1] * x[i:i + k]",
        "y *= np.sum(np.outer(y, y), axis=0)",
        "y /= 2.0 + np.sum(y * y)",
    ),
    "cumulative sums": (
        "y = np.cumsum(np.sin(y) * y + x[i:i + k])",
        "y = np.cumsum(np.outer(y, x[:k]), axis=0)[:, 0]",
    ),
    "names that are exchanged": (
        "z = y[::-1] * x[i:i + k]",
        "y, z = z + y, y * z",
        "y = np.where(y > z, z, np.sum(y * z))",
    ),
}


def of_lines(lines):
    """A function that carries an array and a number through a loop of these lines; how
    long the array is isn't known, and it may be of length 1."""
    body = textwrap.indent("\n".join(lines), " " * 8)
    return load(f"""
import numpy as np


def carried(x, k):
    y, s = x[1:1 + k] * 1.0, 0.7
    for i in range(3):
{body}
    return np.sum(y * y) + s
""")["carried"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_loops_read_what_was_there_before(lines):
    function = of_lines(lines)
    x = np.array([0.5, -0.4, 0.3, 0.8, -0.6, 0.7])
    with run_as_python():
        compiled = grad(function, "x", backend="numba")
        for k in (3, 1):
            (wanted,) = differences(function, (x, k), (0,))
            np.testing.assert_allclose(compiled(x, k), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["sums along an axis", "sums to numbers", "stores"])
def test_tangents_read_what_was_there_before(name):
    function = of_lines(LINES[name])
    x = np.array([0.5, -0.4, 0.3, 0.8, -0.6, 0.7])
    direction = np.cos(np.arange(6.0))
    with run_as_python():
        value, tangent = jvp(
            lambda x: function(x, 3), (x,), (direction,), backend="numba"
        )
    (wanted,) = differences(function, (x, 3), (0,))
    np.testing.assert_allclose(value, function(x, 3))
    np.testing.assert_allclose(tangent, wanted @ direction, 1e-5, 1e-6)


def test_arrays_of_places_that_are_changed():
    def reordered(x):
        places = np.array([2, 0, 1])
        places[places] = np.array([0, 1, 2])
        return np.sum(x[places] * np.array([1.0, 2.0, 3.0]))

    with run_as_python():
        found = grad(reordered, backend="numba")(np.ones(3))
    np.testing.assert_array_equal(found, grad(reordered)(np.ones(3)))


@pytest.mark.parametrize(
    "line", ["s = np.sum(np.sin(x[:k] * s))", "y = y + x[i:i + k]"]
)
def test_the_verifier_sees_loops_that_read_what_they_have_changed(line, monkeypatch):
    """Of the last iteration, or cotangents of the one behind."""
    monkeypatch.setattr(array_loops._Loops, "changes_own", lambda self, s: True)
    with (
        run_as_python(),
        pytest.raises(VerificationError, match="which it has changed"),
    ):
        grad(of_lines([line]), "x", backend="numba")(np.ones(6), 3)


def program(place, *, made=np.zeros, read="y", change=index_add):
    """``y = zeros(n); for i: t = y[place]; y[i] += t``."""
    x, y, i, t, n = map(Var, ("x", "y", "i", "t", "n"))
    more = (Const(False),) if change is index_add else ()
    loop = (
        Assign(None, t, Apply(getitem, (Var(read), place))),
        Assign(None, y, Apply(change, (y, i, t, *more))),
    )
    vector = Array("float64", (Axis("many", "n"),))
    kinds = {"x": vector, "y": vector, "t": FLOAT, "n": FLOAT}
    body = (
        Assign(None, n, Apply(axis_length, (x, Const(0)))),
        Assign(None, y, Apply(made, (n,)) if made is not None else x),
        For(None, i, Const(0), n, Const(1), loop),
        Return(None, y),
    )
    return Function("f", ("x",), body, kinds)


def test_what_a_loop_may_read_of_what_it_writes():
    i, other = Var("i"), Const(0)
    verify_element_loops(program(i, read="x"), {"i"})
    verify_element_loops(program(i, made=np.full, change=index_set), {"i"})
    verify_element_loops(program(i, made=None), {"i"})  # x += x
    verify_element_loops(program(other), set())  # the user's own loop
    for wrong in (
        program(i),  # zeros, which nothing has been added to
        program(other),
        program(other, made=np.full, change=index_set),
        program(other, made=None),
        program(other, made=None, read="x"),  # the same memory
    ):
        with pytest.raises(VerificationError, match="reads ., which it has changed"):
            verify_element_loops(wrong, {"i"})
