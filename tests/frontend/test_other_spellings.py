"""Calls, methods, slices and texts that are written in another way than rules have
them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from s2sad.testing import check_grads

V = np.array([1.1, 2.2, 3.4])
M = np.arange(6.0).reshape(2, 3) + 0.5
ROWS = np.s_[1:3]
PLACE = np.s_[0, 1:]
SLICES = {"first": slice(0, 2)}


class Parts:
    head = np.s_[:2]


def reversed_range(v):
    total = 0.0
    for i in range(len(v))[::-1]:
        total = 0.5 * total + v[i]
    return total


def parts_of_ranges(v):
    total = 0.0
    for i in range(len(v))[1:]:
        total = 0.5 * total + v[i]
    for i in range(len(v))[:-1]:
        total = 0.5 * total + v[i]
    for i in range(7)[1:6:2][::-1]:
        total = total * v[i % 3]
    return total


def stored(v):
    a = np.zeros(3)
    a[ROWS] = v[ROWS] ** 2
    a[Parts.head] += v[Parts.head]
    return np.sum(a * v)


def local_slices(v):
    s, t = slice(1, len(v)), np.s_[:2]
    return np.sum(v[s] ** 2) + np.sum(v[t])


def squares_of(v, part):
    return np.sum(v[part] ** 2)


def formatted(x):
    if x < 0.0:
        raise ValueError("{} is {:.2f} {name}".format("x", x, name="below"))
    warnings.warn("x is {}".format(x), stacklevel=1)
    return x * x


def ordered(x, order=0):
    if order == 0:
        return x * x
    return np.sum(x, axis=order)


def of_module(head):
    return lambda v: np.sum(v[head] ** 2)


FUNCTIONS = {
    "round": (lambda x: round(x, ndigits=2) * x, 1.234),
    "round by names": (lambda x: round(ndigits=1, number=x) * x, 1.234),
    "np.divmod": (lambda v: np.sum(np.divmod(v, 0.7)[1] * v), V),
    "divmod": (lambda x: divmod(x, 0.7)[1] * divmod(x, 0.7)[0], 2.5),
    "math.prod": (lambda v: math.prod([a * a for a in v], start=2.0), V),
    "sum dtype": (lambda v: np.sum(v * v, dtype=float), V),
    "mean dtype": (lambda v: np.mean(v * v, dtype=np.float64), V),
    "x.sum dtype": (lambda v: (v * v).sum(dtype="float64"), V),
    "cumsum dtype": (lambda v: np.cumsum(v * v, dtype=float), V),
    "dtype None": (lambda v: np.sum(v * v, dtype=None), V),
    "where": (lambda v: np.sum(v[np.where(v > 1.5)] ** 2), V),
    "where of matrix": (lambda m: np.sum(m[np.where(m > 1.2)] ** 2), M),
    "array copy": (lambda v: np.array(v, copy=True, ndmin=1) ** 2, V),
    "array ndmin": (lambda v: np.array(v, ndmin=3) ** 2, V),
    "number ndmin": (lambda x: np.array(x, ndmin=1) ** 2, 1.5),
    "asarray order": (lambda v: np.asarray(v, order="C") ** 2, V),
    "reversed range": (reversed_range, V),
    "parts of ranges": (parts_of_ranges, V),
    "global slice": (lambda v: np.sum(v[ROWS] ** 2), V),
    "global index": (lambda m: np.sum(m[PLACE] ** 2), M),
    "slice of class": (lambda v: np.sum(v[Parts.head] ** 2), V),
    "slice of dict": (lambda v: np.sum(v[SLICES["first"]] ** 2), V),
    "captured slice": (of_module(slice(0, 2)), V),
    "np.s_": (lambda v: np.sum(v[np.s_[1:]] ** 2) + squares_of(v, np.s_[::2]), V),
    "np.index_exp": (lambda m: np.sum(m[np.index_exp[:, 1]] ** 2), M),
    "local slices": (local_slices, V),
    "stored by slices": (stored, V),
    "slice of a list": (lambda v: sum([v[0], v[1] * v[2], v[2]][ROWS]), V),
    "reshape to no axes": (lambda v: v[:1].reshape(()) ** 2 + v[1:2].reshape([]), V),
    "default": (ordered, 1.5),
    "finfo": (lambda v: np.maximum(v, np.finfo(v.dtype).eps) ** 2, V),
    "iinfo": (lambda x: x * x * np.iinfo(np.int8).max, 1.5),
    "set": (lambda x, t=2: x * x if t in {2, 5} else x, 1.5),
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function, argument = FUNCTIONS[name]
    report = check_grads(function, (argument,), order=1)
    assert report.passed, str(report)


@pytest.mark.parametrize(
    "part", [slice(1, 3), np.s_[::-1], (slice(0, 2),)], ids=["slice", "np.s_", "tuple"]
)
def test_slices_as_arguments(part):
    assert check_grads(squares_of, (V, part), order=1).passed


METHODS = (
    *("cumsum()", "cumprod()", "clip(1.2, 3.0)", "clip(max=2.0)", "take([0, 1])"),
    *("repeat(2)", "squeeze()", "prod()", "std()", "std(ddof=1)", "var()", "round(1)"),
    *("conj()", "conjugate()", "dot(x)", "dot([1.0, 2.0, 3.0])", "ravel()"),
    *("flatten()", "reshape(-1)", "transpose()", "astype(float)", "max()", "mean()"),
    *("argsort()", "nonzero()[0]", "searchsorted(2.0)", "argmax()", "copy()"),
    *("sum(axis=0)", "any()", "all()", "diagonal()", "trace()", "swapaxes(0, 1)"),
)


@pytest.fixture(scope="module")
def methods(tmp_path_factory):
    """Two functions that call all methods: of a vector, and of a matrix."""
    import importlib.util
    import sys

    path = tmp_path_factory.mktemp("methods") / "methods_of_arrays.py"
    of_matrix = ("diagonal()", "trace()", "swapaxes(0, 1)", "transpose()")
    lines = ["import numpy as np"]
    for name, chosen in (
        ("of_vector", [m for m in METHODS if m not in of_matrix]),
        ("of_matrix", of_matrix),
    ):
        terms = " + ".join(f"np.sum(x.{m}) * np.sum(x * x)" for m in chosen)
        lines.append(f"def {name}(x): return {terms}")
    path.write_text("\n".join(lines))
    specification = importlib.util.spec_from_file_location("methods_of_arrays", path)
    loaded = importlib.util.module_from_spec(specification)
    sys.modules["methods_of_arrays"] = loaded
    specification.loader.exec_module(loaded)
    yield vars(loaded)
    del sys.modules["methods_of_arrays"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["of_vector", "of_matrix"])
def test_methods(methods, name):
    argument = V if name == "of_vector" else M
    assert check_grads(methods[name], (argument,)).passed


def test_methods_that_write_are_not_taken_for_functions():
    def f(x):
        return np.sum(x.partition(1, kind="introselect"))

    with pytest.raises(UnsupportedError):
        grad(f)(V)


def test_single_precision_of_dtype():
    found = grad(lambda v: np.sum(v * v, dtype=np.float32))(V)
    np.testing.assert_allclose(found, 2.0 * V, rtol=1e-6)
    assert found.dtype == np.float64


def test_text_of_exceptions():
    with pytest.warns(UserWarning, match=r"x is 1\.5"):
        assert grad(formatted)(1.5) == 3.0
    with pytest.raises(ValueError, match=r"x is -1\.50 below"):
        grad(formatted)(-1.5)


def test_labels_of_einsum():
    with pytest.raises(UnsupportedError, match="label 'k', which no operand has"):
        grad(lambda x: np.sum(np.einsum("ij->k", x)))(M)
