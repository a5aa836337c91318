"""Constants of classes that rules don't know, where what varies meets them: a walk over
what they are, where they stand and what is done with them. Right, or refused by name.
"""

from __future__ import annotations

import decimal
import enum
import fractions
import math
import types

import numpy as np
import pytest

import s2sad
from s2sad import grad, jvp
from s2sad.errors import ArgumentError, UnsupportedError


class Named(float):
    unit = "m"


class Own(float):
    def __mul__(self, other):
        return 7.0 * float(self) * float(other)

    __rmul__ = __mul__


class Rate(float, enum.Enum):
    LOW = 1.5


class Count(enum.IntEnum):
    TWO = 2


class Wrapped(np.ndarray):
    pass


class WithProducts(np.ndarray):
    def __mul__(self, other):
        return 3.0 * np.asarray(self) * other

    __rmul__ = __mul__


class Series:
    """Behaves as a pandas Series does: by NumPy's protocols, with a meaning of its own
    (what is missing counts as 1)."""

    def __init__(self, numbers):
        self.numbers = np.asarray(numbers, float)

    shape = property(lambda self: self.numbers.shape)

    def to_numpy(self):
        return self.numbers

    def mean(self):
        return np.mean(self.numbers)

    def __array__(self, dtype=None, copy=None):
        return self.numbers

    def __array_ufunc__(self, function, method, *inputs, **words):
        plain = [i.numbers if isinstance(i, Series) else i for i in inputs]
        filled = [np.nan_to_num(p, nan=1.0) for p in plain]
        return Series(getattr(function, method)(*filled, **words))

    def __mul__(self, other):
        return np.multiply(self, other)

    __rmul__ = __mul__

    def __add__(self, other):
        return np.add(self, other)

    __radd__ = __add__

    def __float__(self):
        return float(np.sum(self.numbers))

    def __abs__(self):
        return np.absolute(self)


PLAIN = {
    "class derived from float": Named(1.5),
    "member of an enumeration": Rate.LOW,
    "member of an IntEnum": Count.TWO,
    "array of a derived class": (np.zeros(1) + 1.5).view(Wrapped)[0],
}
FOREIGN = {
    "float with operators": Own(1.5),
    "fraction": fractions.Fraction(3, 2),
    "decimal": decimal.Decimal("1.5"),
    "array with operators": (np.zeros(1) + 1.5).view(WithProducts),
    "series": Series([1.5]),
    "masked array": np.ma.array([1.5]),
    "array of objects": np.array([1.5], dtype=object),
}
FUNCTION = DATA = P = None
HOLDER = types.SimpleNamespace(p=None)


class Held:
    p = None


def read_global(x):
    return FUNCTION(x, P)


def read_attribute(x):
    return FUNCTION(x, HOLDER.p)


def read_class(x):
    return FUNCTION(x, Held.p)


def read_item(x):
    return FUNCTION(x, DATA["p"][0])


def argument(x, p):
    return FUNCTION(x, p)


def item_of_argument(x, p):
    return FUNCTION(x, p["p"][0])


def _augmented(x, p):
    y = x
    y *= p
    return np.sum(y)


OPERATIONS = {
    "math": lambda x, p: math.sin(x * p),
    "ufunc": lambda x, p: np.sum(np.sin(p + x)),
    "float": lambda x, p: float(x * p),
    "abs": lambda x, p: abs(p * x),
    "divmod": lambda x, p: divmod(x * p, 0.7)[1],
    "power": lambda x, p: x**p,
    "exponent": lambda x, p: p**x,
    "sum": lambda x, p: sum([x, p]) * x,
    "np.sum": lambda x, p: np.sum(x - p) * x,
    "max": lambda x, p: max(x, p) * x,
    "np.maximum": lambda x, p: np.sum(np.maximum(x, p) * x),
    "np.multiply": lambda x, p: np.sum(np.multiply(x, p)),
    "round": lambda x, p: round(p * x) * x,
    "hypot": lambda x, p: math.hypot(x, p),
    "augmented": _augmented,
    "array": lambda x, p: np.sum(np.array([x, p]) ** 2),
    "compared": lambda x, p: (2.0 if x < p else 3.0) * x * p,
}


def places(function, constant):
    """The function of one argument with the constant in each place, and what else is
    passed."""
    globals().update(FUNCTION=function, P=constant, DATA={"p": [constant]})
    HOLDER.p = Held.p = constant
    yield "global", read_global, ()
    yield "attribute of an object", read_attribute, ()
    yield "attribute of a class", read_class, ()
    yield "item", read_item, ()
    yield "closure", lambda x: function(x, constant), ()
    yield "argument", argument, (constant,)
    yield "item of an argument", item_of_argument, ({"p": [constant]},)


def in_both_modes(function, rest):
    """The derivative by the first argument, in reverse and forward mode."""
    none = (None,) * len(rest)
    yield lambda x: grad(function)(x, *rest)
    yield lambda x: jvp(function, (x, *rest), (1.0, *none))[1]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("constant", PLAIN.values(), ids=PLAIN)
def test_numbers_of_derived_classes_are_numbers(constant):
    x, step = 0.4, 1e-6
    for name in ("math", "ufunc", "divmod", "exponent", "max", "hypot", "array"):
        function = OPERATIONS[name]
        above, below = (function(x + s, constant) for s in (step, -step))
        expected = (above - below) / (2.0 * step)
        for _, program, rest in places(function, constant):
            for derivative in in_both_modes(program, rest):
                assert derivative(x) == pytest.approx(expected, rel=1e-6), name


@pytest.mark.parametrize("constant", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("function", OPERATIONS.values(), ids=OPERATIONS)
def test_foreign_objects_are_refused_by_name(function, constant):
    for place, program, rest in places(function, constant):
        if place not in ("global", "argument"):
            continue
        for derivative in in_both_modes(program, rest):
            with pytest.raises(UnsupportedError, match="operators"):
                derivative(0.4)


@pytest.mark.parametrize("constant", FOREIGN.values(), ids=FOREIGN)
def test_foreign_objects_are_refused_in_all_places(constant):
    for place, program, rest in places(OPERATIONS["math"], constant):
        with pytest.raises(UnsupportedError, match="operators") as caught:
            grad(program)(0.4, *rest)
        assert "instead: pass" in str(caught.value), place


@pytest.mark.parametrize("constant", FOREIGN.values(), ids=FOREIGN)
def test_foreign_arguments_are_refused(constant):
    with pytest.raises(ArgumentError, match="x"):
        grad(lambda x: np.sum(x * x))(constant)


def test_the_message_says_what_to_write():
    series = Series([1.0, 2.0])

    def product(x):
        return np.sum(x * series)

    with pytest.raises(UnsupportedError) as caught:
        grad(product)(np.ones(2))
    assert "series is a Series, whose operators are not those of arrays" in str(
        caught.value
    )
    assert "pass series.to_numpy()" in str(caught.value)
    with pytest.raises(ArgumentError, match=r"pass x\['w'\].to_numpy\(\)"):
        grad(lambda x: np.sum(x["w"]) * x["b"])({"w": series, "b": 1.0})


def test_what_foreign_objects_give_is_looked_at_when_it_runs():
    x, series = np.array([1.0, 2.0]), Series([3.0, np.nan])

    def product(x, data):
        return np.sum(x * data)

    assert list(grad(lambda x: product(x, series.to_numpy()))(x)[:1]) == [3.0]
    assert list(grad(lambda x, s: product(x, np.asarray(s)))(x, series)[:1]) == [3.0]
    assert np.all(grad(lambda x: product(x, series.shape[0]))(x) == 2.0)
    means = Series([3.0, 5.0])
    assert np.all(grad(lambda x: product(x, means.mean()))(x) == 4.0)
    for derived in (lambda s: np.exp(s), lambda s: 2.0 * s, lambda s: abs(s) + 1.0):
        with pytest.raises(TypeError, match="a Series has operators of its own"):
            grad(lambda x, s, derived=derived: product(x, derived(s)))(x, series)


def test_what_functions_without_a_rule_make_is_looked_at_when_it_runs():
    def product(x, numbers):
        return np.sum(x * np.ma.masked_invalid(numbers))

    with pytest.raises(TypeError, match="a MaskedArray has operators of its own"):
        grad(product)(np.ones(2), np.array([1.0, np.nan]))

    def of_result(x):
        return np.sum(2.0 * np.ma.masked_invalid(x))

    with pytest.raises(UnsupportedError, match="no derivative rule"):
        grad(of_result)(np.ones(2))


def test_classes_are_told_apart():
    def named(x, p):
        return x * p if isinstance(p, Named) else x * x

    derivative = grad(named)
    assert derivative(2.0, Named(3.0)) == 3.0
    assert derivative(2.0, 3.0) == 4.0
    assert derivative(Named(2.0), Named(5.0)) == 5.0


def test_a_foreign_item_that_changes_is_noticed():
    table = {"p": fractions.Fraction(3, 2)}

    def scaled(x):
        return x * float(table["p"])

    derivative = grad(scaled)
    assert derivative(2.0) == 1.5
    table["p"] = fractions.Fraction(5, 2)
    assert derivative(2.0) == 2.5
    table["p"] = 3
    assert derivative(2.0) == 3.0


def test_texts_name_the_constants():
    globals().update(P=Named(1.5))
    text = grad(lambda x: math.sin(x * P) * Rate.LOW).source_for(0.4)
    assert "math.cos(x * P) * Rate.LOW * P" in text


def test_memory_maps_are_arrays(tmp_path):
    kept = np.memmap(tmp_path / "kept", dtype=float, mode="w+", shape=(2,))
    kept[:] = 1.0, 2.0
    assert list(grad(lambda x: np.sum(x * kept))(np.ones(2))) == [1.0, 2.0]
    assert list(grad(lambda m: np.sum(m * m))(kept)) == [2.0, 4.0]


def test_second_order_of_numbers_of_derived_classes():
    globals().update(P=Named(1.5))
    found = s2sad.hvp(lambda x: x**3 * P)(2.0, 1.0)
    assert found == pytest.approx(18.0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.array([x, 2.0 * x], dtype=object)),
        lambda x: np.asarray([x, 2.0 * x], object).sum(),
        lambda x: np.full(3, x, dtype=object)[0],
        lambda x: np.sum(np.ones(2) * x).astype(object),
        lambda x: float((np.ones(2) * x).astype(str).astype(float)[0]),
        lambda x: float(np.array([x], dtype="U32")[0]),
    ],
)
def test_numbers_that_vary_in_arrays_of_other_things_are_refused(function):
    with pytest.raises(UnsupportedError, match=r"carries no derivative"):
        grad(function)(1.5)
    with pytest.raises(UnsupportedError, match=r"carries no derivative"):
        jvp(function, (1.5,), (1.0,))


def test_arrays_of_records_are_refused():
    def function(x):
        table = np.zeros(2, dtype=[("x", float), ("n", int)])
        table["x"] = x
        return np.sum(table["x"])

    with pytest.raises(UnsupportedError, match="array of records"):
        grad(function)(1.5)
