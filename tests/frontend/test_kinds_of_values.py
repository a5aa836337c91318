from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import fractions
import functools
import math
import types
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2sad.errors import ArgumentError
from s2sad.ir.joins import join
from s2sad.ir.kinds import (
    BOOL,
    COMPLEX,
    EMPTY,
    FLOAT,
    INT,
    NONE,
    ONE,
    OPAQUE,
    UNKNOWN,
    Array,
    Axis,
    Foreign,
    Kind,
    Known,
    List,
    Members,
    NumPyScalar,
    Scalar,
    Structure,
)
from s2sad.source.kinds.kinds_of_values import kind_of_value
from s2sad.source.kinds.matchers import compile_matcher, matcher_source


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Layer:
    w: Any
    b: Any = None


@dataclasses.dataclass
class OtherLayer:
    w: Any
    b: Any = None


class Plain:
    def method(self):
        return 1


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


class Level(enum.IntEnum):
    LOW = 1


class Real(float):
    pass


class Scaled(float):
    def __mul__(self, other):
        return 2.0 * float(self) * other


class Rate(float, enum.Enum):
    LOW = 0.5


class Wrapped(np.ndarray):
    pass


class WithProducts(np.ndarray):
    def __mul__(self, other):
        return np.asarray(self) @ other


class Lazy:
    """An array of another library: it has NumPy's protocols."""

    def __init__(self, shape, dtype="float64"):
        self.shape, self.ndim, self.dtype = shape, len(shape), np.dtype(dtype)

    def __array_function__(self, *args):
        raise NotImplementedError


class Hostile:
    """Raises on whatever it is asked."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __eq__(self, other):
        raise RuntimeError("==")

    __hash__ = None


@functools.cache
def cached(x):
    return x


def kind(value) -> Kind:
    return kind_of_value(value, "x")


def matcher(value_or_kind):
    k = value_or_kind if isinstance(value_or_kind, Kind) else kind(value_or_kind)
    return compile_matcher(["x"], {"x": k})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, FLOAT),
        (1, INT),
        (True, BOOL),
        (1j, COMPLEX),
        (np.float32(1), NumPyScalar("float32")),
        (np.float64(1), NumPyScalar("float64")),
        (np.bool_(True), NumPyScalar("bool")),
        (np.longlong(1), NumPyScalar("int64")),
        (None, NONE),
        ("fast", Known("fast")),
        (np.str_("fast"), Known(np.str_("fast"))),
        (b"raw", Known(b"raw")),
        (slice(None, 3), Known(slice(None, 3))),
        (slice(0.5), OPAQUE),
        (np.dtype("f4"), Known(np.dtype("f4"))),
        (math.sin, Known(math.sin)),
        (np.sin, Known(np.sin)),
        (np, Known(np)),
        (np.float64, Known(np.float64)),
        (Layer, Known(Layer)),
        (cached, Known(cached)),
        (Mode.FAST, Known(Mode.FAST)),
        (Level.LOW, Known(Level.LOW)),
        (..., Known(...)),
        (range(3), OPAQUE),
        (Plain(), Structure(Plain, (), ())),
        ({1, 2}, Members()),
        (Real(1.0), Scalar("float", cls=Real)),
        (Rate.LOW, Known(Rate.LOW)),
        (Scaled(1.0), Foreign(cls=Scaled)),
        (fractions.Fraction(1, 2), Foreign(cls=fractions.Fraction)),
        (decimal.Decimal(1), Foreign(cls=decimal.Decimal)),
        (collections.OrderedDict(a=1.0), Foreign(cls=collections.OrderedDict)),
        (types.MappingProxyType({}), Foreign(cls=types.MappingProxyType)),
        (np.zeros((), "f8,i4")[()], Foreign(cls=np.void)),
        (np.zeros(2, "f8,i4"), Foreign(cls=np.ndarray)),
        (np.array(1.0), Array("float64", ())),
        (np.zeros(3, ">f4"), Array("float32", (Axis("many", ("x", 0)),))),
        (np.zeros(1), Array("float64", (ONE,))),
        (np.zeros((1, 0), int), Array("int64", (ONE, EMPTY))),
        (np.array([None]), Array("object", (ONE,))),
        (np.zeros(2).view(Wrapped), Array("float64", (Axis("many", ("x", 0)),))),
        (np.zeros(2).view(WithProducts), Foreign(cls=WithProducts)),
        (np.ma.array([1.0]), Foreign(cls=np.ma.MaskedArray)),
        (Lazy((1, 5)), Foreign(cls=Lazy)),
        ((), Structure(tuple, (), ())),
        ([1, "a"], Structure(list, (0, 1), (INT, Known("a")))),
        ({"w": 1.0, 3: None}, Structure(dict, ("w", 3), (FLOAT, NONE))),
        (Pair(1.0, 2), Structure(Pair, ("a", "b"), (FLOAT, INT))),
        (Layer(1.0), Structure(Layer, ("w", "b"), (FLOAT, NONE))),
        (list(range(100)), List(INT, Axis("many", ("x", "items")))),
        (("a",) * 65, OPAQUE),
        ({k: k for k in range(1000)}, OPAQUE),
    ],
)
def test_kind_of_value(value, expected):
    assert kind(value) == expected
    assert matcher(value)(value) is True


def test_paths_name_the_axes_of_items():
    found = kind_of_value({"w": [np.zeros(2)]}, "p")
    axis = Axis("many", ((("p", "w"), 0), 0))
    inner = Structure(list, (0,), (Array("float64", (axis,)),))
    assert found == Structure(dict, ("w",), (inner,))


def test_long_active_lists_of_unlike_items_are_refused():
    with pytest.raises(ArgumentError, match=r"x\['h'\] is a list of 65 .*not taken ap"):
        kind({"h": [*[1.0] * 64, None]})
    assert isinstance(kind([*[1.0] * 63, None]), Structure)


def test_large_dicts_of_parameters_are_taken_apart():
    assert len(kind({k: float(k) for k in range(100)}).items) == 100


def test_a_long_list_that_contains_itself_is_refused():
    endless = []
    endless.extend([endless] * 5)
    with pytest.raises(ArgumentError, match="contains itself"):
        kind(endless)


def test_what_contains_itself_is_refused():
    endless = [1.0]
    endless.append(endless)
    with pytest.raises(ArgumentError, match=r"x\[1\] contains itself"):
        kind(endless)
    long = [0] * 100
    long[3] = long
    with pytest.raises(ArgumentError, match="contains itself"):
        kind(long)
    layer = Layer(1.0)
    layer.b = {"inner": layer}
    with pytest.raises(ArgumentError, match="contains itself"):
        kind(layer)
    shared = [1.0]
    assert isinstance(kind([shared, shared]), Structure)


def test_a_dataclass_with_an_unset_field_is_unknown():
    layer = Layer(1.0)
    del layer.w
    assert kind(layer) == UNKNOWN
    assert matcher(Layer(1.0))(layer) is False


PLAIN = Plain()
VALUES = [
    *(0.0, -0.0, 1.0, 1, 0, True, False, 1j, None, "a", "b", b"a", ...),
    *(np.float32(1), np.float64(1), np.int64(1), np.longlong(1), np.bool_(True)),
    *(np.str_("a"), np.complex128(1), np.datetime64("2020-01-01")),
    *(np.datetime64("2020-01-01T00:00"), np.zeros((), "f8,i4")[()]),
    *(np.array(1.0), np.zeros(0), np.zeros(1), np.zeros(2), np.zeros(2, ">f8")),
    *(np.zeros(2, "f4"), np.zeros(2, int), np.zeros(2, np.longlong)),
    *(np.zeros(2, bool), np.array(["a"]), np.array(["ab", "c"]), np.zeros(2, "M8[s]")),
    *(np.zeros((1, 2)), np.zeros((2, 1)), np.zeros((2, 2)), np.zeros((2, 2)).T),
    *(np.array([None, 1]), np.zeros(2, "f8,i4"), np.zeros(2).view(Wrapped)),
    *(Lazy((2,)), Real(1.0), Real(2.0), Rate.LOW, Scaled(1.0)),
    *(np.zeros(2).view(WithProducts), fractions.Fraction(1, 2)),
    *((), [], {}, (1.0,), (1,), [1.0], (1.0, 2.0), (1.0, (2.0,)), ((2.0,), 1.0)),
    *({"a": 1.0}, {"b": 1.0}, {"a": 1}, {"a": 1.0, "b": 2}, {"b": 2, "a": 1.0}),
    *({0: 1.0}, {(0, "a"): 1.0}, {None: 1.0}, {"a": {"a": np.zeros(2)}}),
    *({"a": None}, [None], [None, None], [np.zeros(2), np.zeros(1)], [range(3)]),
    *(Pair(1.0, 2), Pair(1, 2), Pair(None, "a"), Layer(1.0), OtherLayer(1.0)),
    *(Layer(np.zeros(2), [1.0]), Layer(None, Layer(1.0)), [Real(1.0)]),
    *(slice(None), slice(1), slice(0, 1, 2), slice(0.5), np.dtype("f4")),
    *(np.dtype("f8"), np.float64, float, Layer, math.sin, math.cos, np.sin, np, math),
    *(cached, lambda: 1, functools.partial(max, 1), Mode.FAST, Mode.SLOW, Level.LOW),
    *(range(3), range(4), {1}, PLAIN, Real(1.0), [0] * 100, ["a"] * 100),
    *(collections.OrderedDict(a=1.0), types.SimpleNamespace(a=1), NotImplemented),
]


def kind_or_none(value):
    try:
        return kind(value)
    except Exception:
        return None


def covers_unknown(k):
    return k == UNKNOWN or (
        isinstance(k, Structure) and any(map(covers_unknown, k.items))
    )


@pytest.mark.parametrize("value", [v for v in VALUES if kind_or_none(v) is not None])
def test_a_matcher_accepts_exactly_its_kind(value):
    expected = kind_or_none(value)
    matches = matcher(expected)
    for other in VALUES:
        found = kind_or_none(other)
        if covers_unknown(expected):
            continue  # it accepts more than its own kind
        # Only an exact array has exactly the axes that the matcher asks for.
        assert matches(other) is (found == expected), object.__repr__(other)


@pytest.mark.parametrize("value", VALUES)
def test_no_matcher_raises(value):
    expected = kind_or_none(value)
    if expected is None or covers_unknown(expected):
        return
    matches = matcher(expected)
    for hostile in (Hostile(), [Hostile()], {"a": Hostile()}, Pair(Hostile(), 1)):
        assert matches(hostile) is False


@pytest.mark.parametrize("value", VALUES)
def test_unknown_accepts_anything(value):
    assert matcher(UNKNOWN)(value) is True


leaves = st.sampled_from([v for v in VALUES if kind_or_none(v) not in (None, UNKNOWN)])
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(["a", "b", 0, None]), inner, max_size=3)
        | st.builds(Pair, inner, inner)
        | st.builds(Layer, inner, inner)
    ),
    max_leaves=6,
)


@given(trees, trees)
def test_matchers_of_nested_values(value, other):
    expected = kind(value)
    matches = matcher(value)
    assert matches(value) is True
    if not covers_unknown(expected):
        assert matches(other) is (kind(other) == expected)


def test_known_numbers():
    three = matcher(Scalar("int", 3))
    assert three(3) and not three(4) and not three(3.0) and not three(np.int64(3))
    true = matcher(Scalar("bool", True))
    assert true(True) and not true(1) and not true(False)
    zero, nan = matcher(Scalar("float", 0.0)), matcher(Scalar("float", math.nan))
    assert zero(0.0) and not zero(-0.0) and nan(math.nan) and not nan(0.0)


def test_open_kinds():
    number = matcher(NumPyScalar(None))
    assert all(map(number, (1.0, 1, True, 1j, np.float32(1), np.bool_(1))))
    assert not any(map(number, (np.array(1.0), "1", np.str_("1"), None, Real(1))))
    anything = matcher(Array(None, None))
    assert anything(np.zeros((2, 3), "f4")) and anything(np.array(1))
    assert not anything(1.0) and not anything([1.0]) and not anything(np.float64(1))
    rank = matcher(Array(None, (Axis("any", "n"), ONE)))
    assert rank(np.zeros((1, 1))) and rank(np.zeros((3, 1), int))
    assert not rank(np.zeros((1, 3))) and not rank(np.zeros(1))
    dtype = matcher(Array("float32", None))
    assert dtype(np.zeros((1, 2), "f4")) and not dtype(np.zeros((1, 2)))


def test_promoted_arrays_accept_numbers():
    both = matcher(join(kind(np.zeros(2)), FLOAT))
    assert both(np.zeros(3)) and both(1.0) and both(1) and both(np.float64(1))
    assert not both(np.zeros(1)) and not both(1j) and not both("a")
    assert not both(np.zeros(2, "f4"))


def test_shared_symbols_are_equal_lengths():
    n = Axis("any", ("dim", "n"))
    kinds = {
        "x": Array("float64", (n, n)),
        "p": Structure(tuple, (0, 1), (FLOAT, Array(None, (n,)))),
        "k": Scalar("int", length_of=("dim", "n")),
    }
    matches = compile_matcher(["x", "p", "k"], kinds)
    assert matches(np.zeros((3, 3)), (1.0, np.zeros(3)), 3)
    assert not matches(np.zeros((3, 3)), (1.0, np.zeros(3)), 4)
    assert not matches(np.zeros((3, 3)), (1.0, np.zeros(1)), 3)
    assert not matches(np.zeros((3, 2)), (1.0, np.zeros(3)), 3)


def test_bound_methods_match_when_looked_up_again():
    matches = matcher(PLAIN.method)
    assert matches(PLAIN.method) and not matches(Plain().method)


def test_parameters_may_have_any_name():
    names = ["type", "ndarray", "item_3", "dtype", "shape_9", "len", "matches", "x"]
    values = [np.zeros(2), 1.0, (1.0, "a"), {"k": np.zeros((1, 2))}, 1, None, [2], "s"]
    kinds = {n: kind_of_value(v, n) for n, v in zip(names, values)}
    matches = compile_matcher(names, kinds)
    assert matches(*values)
    for k in range(len(values)):
        assert not matches(*values[:k], object(), *values[k + 1 :])


def test_a_parameter_without_a_kind():
    with pytest.raises(KeyError):
        compile_matcher(["x"], {})
    assert compile_matcher([], {})() is True


def test_source_is_deterministic():
    kinds = {"x": kind({"a": np.zeros(2), "b": [1.0, None]})}
    assert matcher_source(["x"], kinds)[0] == matcher_source(["x"], kinds)[0]
