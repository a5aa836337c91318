"""Transpiled derivatives look at their arguments as decorated functions do."""

from __future__ import annotations

import decimal
import fractions
import math
import runpy

import numpy as np
import pytest

from s2sad import grad
from tests.codegen.test_transpile import run, transpile

TEXT = """
import numpy as np


def first(x, scale):
    return x[0] ** 2 * scale


def total(x, w):
    return np.sum(x * w)


def annotated(x: np.ndarray, w: float):
    return np.sum(x * x) * w


def number(x: float, n: int):
    return x**n


def bounded(x: float, low=-1e999):
    return x * x if low < 0.0 else x


def parts(p: dict[str, float], x):
    return np.sum(p["a"] * x)


def nested(x):
    return np.sum(np.array(x) ** 2)
"""
LISTS = """
import math

import numpy as np


def squares(xs: list[float], rate: float):
    total = 0.0
    for k, x in enumerate(xs):
        total = math.tanh(total * rate + x * x / (k + 1))
    return total


def of_tuple(xs: tuple[float, ...]):
    return sum(x * x for x in xs)


def of_rows(rows: list[list[float]]):
    return sum(x * x for row in rows for x in row)


def of_points(points: list[tuple[float, float]]):
    return sum(x * y for x, y in points)


Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def layers(ws: list[Matrix], x: np.ndarray[tuple[int], np.dtype[np.float64]]):
    for w in ws:
        x = np.tanh(w @ x)
    return np.sum(x)
"""


@pytest.mark.taken_apart
def test_lists_of_any_length(tmp_path):
    path = tmp_path / "of_lists.py"
    path.write_text(LISTS)
    names = ("squares", "of_tuple", "of_rows", "of_points", "layers")
    module = run(transpile(path, *names))
    live = runpy.run_path(str(path))
    rng = np.random.default_rng(0)
    for count in (0, 1, 3, 7, 200):
        xs = rng.normal(size=count).tolist()
        points = [(x, 2.0 * x) for x in xs]
        rows = [[x] * (k % 3) for k, x in enumerate(xs)]
        ws = [rng.normal(size=(2, 2)) for _ in xs]
        for name, arguments in (
            ("squares", (xs, 0.5)),
            ("of_tuple", (tuple(xs),)),
            ("of_rows", (rows,)),
            ("of_points", (points,)),
            ("layers", (ws, np.ones(2))),
        ):
            found = getattr(module, f"{name}_grad")(*arguments)
            if count > 4:
                expected = grad(live[name])(*arguments)
                assert repr(found) == repr(expected)
            else:
                assert type(found) is type(arguments[0]) and len(found) == count


class Own(float):
    def __mul__(self, other):
        return 7.0 * float(self) * other

    __rmul__ = __mul__


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("of_tuple", [0.5, 1.0], "type list: pass a tuple"),
        ("of_tuple", (0.5, 1), r"xs\[1\] is of type int: pass float"),
        ("of_rows", [[0.5], (1.0,)], r"rows\[1\] is of type tuple: pass a list"),
        ("of_rows", np.ones((2, 2)), "type ndarray: pass a list"),
        ("of_points", [(1.0, 2.0, 3.0)], "must be a tuple of 2"),
        ("of_tuple", (np.ones(2),), r"xs\[0\] is an array: pass a float"),
        ("of_rows", [[Own(0.5)]], "operators are its own"),
        ("layers", [[[1.0]]], r"ws\[0\] is no array of float64 of 2 axes"),
        ("layers", [np.asmatrix([[1.0]])], r"ws\[0\] is no array"),
    ],
)
def test_other_items_are_refused(tmp_path, name, wrong, message):
    path = tmp_path / "of_lists.py"
    path.write_text(LISTS)
    module = run(transpile(path, name))
    with pytest.raises((TypeError, ValueError), match=message):
        rest = (np.ones(1),) if name == "layers" else ()
        getattr(module, f"{name}_grad")(wrong, *rest)


NAMES = "first", "total", "annotated", "number", "bounded", "nested"


class Series:
    def __init__(self, numbers):
        self.numbers = np.asarray(numbers, float)

    def to_numpy(self):
        return self.numbers

    def __array__(self, dtype=None, copy=None):
        return self.numbers


FOREIGN = {
    "matrix": np.asmatrix([[1.0, 2.0]]),
    "masked": np.ma.array([1.0, 2.0]),
    "complex": np.array([1.0, 2.0j]),
    "objects": np.array([1.0, 2.0], dtype=object),
    "series": Series([1.0, 2.0]),
    "fraction": fractions.Fraction(1, 2),
    "decimal": decimal.Decimal("0.5"),
    "float with operators": Own(0.5),
}
INTS = {
    "int": 3,
    "NumPy's int": np.int64(3),
    "bool": True,
    "array of ints": np.array([1, 2]),
    "text": "one",
    "none": None,
    "list of ints": [1, 2],
    "dict": {0: 1.0},
}


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    path = tmp_path_factory.mktemp("transpiled") / "source.py"
    path.write_text(TEXT)
    return run(transpile(path, *NAMES))


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN)
def test_foreign_numbers_are_refused(module, value):
    a, words = np.array([1.0, 2.0]), "operators are its own|is complex"
    for derivative, arguments in (
        (module.first_grad, (value, 1.0)),
        (module.first_grad, (a, value)),
        (module.total_grad, (value, a)),
        (module.total_grad, (a, value)),
        (module.total_value_and_grad, (a, value)),
        (module.total_grad, (a, {"a": value})),
        (module.annotated_grad, (value, 1.0)),
        (module.annotated_grad, (a, value)),
        (module.number_grad, (value, 2)),
        (module.nested_grad, (value,)),
    ):
        with pytest.raises(TypeError, match=words):
            derivative(*arguments)


@pytest.mark.parametrize("value", INTS.values(), ids=INTS)
def test_what_has_no_derivative_is_refused(module, value):
    for derivative, rest in (
        (module.first_grad, (1.25,)),
        (module.total_grad, (2.0,)),
        (module.annotated_grad, (2.0,)),
        (module.number_grad, (2,)),
        (module.nested_grad, ()),
    ):
        with pytest.raises(TypeError, match=r"x(\[0\])? is "):
            derivative(value, *rest)


def test_what_has_a_derivative_has_it(module):
    a = np.array([1.0, 2.0])
    assert list(module.first_grad(a, 1.25)) == [2.5, 0.0]
    assert list(module.total_grad(a, [3.0, 4.0])) == [3.0, 4.0]
    assert list(module.total_grad(a, np.array([3, 4]))) == [3.0, 4.0]
    assert module.total_grad(a.astype("f4"), 2.0).dtype == np.float32
    assert module.number_grad(np.float64(3.0), 2) == 6.0
    assert module.bounded_grad(3.0) == 6.0 and module.bounded_grad(3.0, 1.0) == 1.0


def test_a_list_gives_a_list(module):
    for form in (list, tuple):
        found = module.first_grad(form([1.0, 2.0]), 1.25)
        assert type(found) is form and found == form([2.5, 0.0])
    value, found = module.nested_value_and_grad([(1.0, 2.0), (0.0, 0.5)])
    assert value == 5.25 and found == [(2.0, 4.0), (0.0, 1.0)]
    assert all(type(v) is float for row in found for v in row)


def test_lists_that_operators_would_join_are_refused(module):
    with pytest.raises(TypeError, match="x is of type list: pass np.array"):
        module.total_grad([1.0, 2.0], 2)
    with pytest.raises(TypeError, match="x holds arrays"):
        module.nested_grad([np.ones(2), np.ones(2)])


def test_foreign_data_of_modules_is_refused(tmp_path, monkeypatch):
    data = tmp_path / "data_of_a_test.py"
    data.write_text("scale = [2.0][0]\ntable = dict(a=3.0)\n")
    path = tmp_path / "source.py"
    path.write_text(
        "import data_of_a_test\n"
        "def f(x: float):\n"
        "    return x * data_of_a_test.scale\n"
        "def g(x: float):\n"
        "    return f(x) * data_of_a_test.table['a']\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    made = run(transpile(path, "f", "g"))
    assert (made.f_grad(1.0), made.g_grad(1.0)) == (2.0, 6.0)
    held = made.data_of_a_test
    for value in (v for v in FOREIGN.values() if not isinstance(v, dict)):
        monkeypatch.setattr(held, "scale", value)
        for derivative in (made.f_grad, made.f_value_and_grad, made.g_grad):
            with pytest.raises(TypeError, match="operators are its own|is complex"):
                derivative(1.0)
    monkeypatch.setattr(held, "scale", 2.0)
    monkeypatch.setitem(held.table, "a", fractions.Fraction(1, 3))
    with pytest.raises(TypeError, match="data_of_a_test.table.'a'. is a Fraction"):
        made.g_grad(1.0)


def test_infinite_defaults(tmp_path):
    path = tmp_path / "source.py"
    path.write_text(
        "def f(x: float, low=-1e999, high=1e999):\n    return x * x\n"
        "def g(x: float, *, none=float('nan')):\n    return x * x\n"
    )
    text = transpile(path, "f")
    assert 'low=float("-inf"), high=float("inf")' in text
    assert run(text).f_grad(2.0) == 4.0
    assert math.isinf(run(text).f_grad.__defaults__[0])
