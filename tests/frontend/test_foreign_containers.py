"""Containers that aren't taken apart, records, and numbers at which derivatives are
constants."""

from __future__ import annotations

import collections
import dataclasses
import types

import numpy as np
import pytest

from s2sad import elementwise_grad, grad, hessian, hvp, jvp, value_and_grad
from s2sad.errors import ArgumentError, UnsupportedError


class OwnDict(dict):
    pass


class OwnList(list):
    pass


class ListOfOwnItems(list):
    def __getitem__(self, place):
        return 2.5


ENTRIES = {"a": 2.0, "b": 3.0}
MAPPINGS = {
    "OrderedDict": collections.OrderedDict(ENTRIES),
    "defaultdict": collections.defaultdict(float, ENTRIES),
    "Counter": collections.Counter(ENTRIES),
    "MappingProxyType": types.MappingProxyType(ENTRIES),
    "class derived from dict": OwnDict(ENTRIES),
    "UserDict": collections.UserDict(ENTRIES),
    "ChainMap": collections.ChainMap(ENTRIES),
}
SEQUENCES = {
    "class derived from list": OwnList([2.0, 3.0]),
    "UserList": collections.UserList([2.0, 3.0]),
}


def scaled(x, p):
    return np.sin(x) * p["a"] * p["b"]


@pytest.mark.taken_apart
@pytest.mark.sampled(3)
@pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
def test_mappings_are_data_alone(mapping):
    assert grad(scaled)(0.5, mapping) == pytest.approx(6.0 * np.cos(0.5))
    tangent = jvp(scaled, (0.5, mapping), (1.0, None))[1]
    assert tangent == pytest.approx(6.0 * np.cos(0.5))
    assert hvp(scaled)(0.5, mapping, 1.0) == pytest.approx(-6.0 * np.sin(0.5))
    for function in (lambda p: p["a"] * p["b"], lambda p: np.sum(p["a"])):
        with pytest.raises(ArgumentError, match=r"isn't taken apart: pass dict\(p\)"):
            grad(function)(mapping)
    with pytest.raises(ArgumentError, match=r"pass dict\(p\['inner'\]\)"):
        grad(lambda p: p["inner"]["a"] * p["c"])({"inner": mapping, "c": 1.0})


@dataclasses.dataclass
class Row:
    inner: object
    scale: float
    after: list


@pytest.mark.parametrize("size", [2, 6])
@pytest.mark.parametrize("name", ["Counter", "class derived from dict", "UserDict"])
def test_they_are_refused_in_objects_that_are_kept(name, size):
    def total(rows, x):
        found = 0.0
        for row in rows:
            found = found + row.inner["a"] * row.scale * x
        return found

    rows = [Row(MAPPINGS[name], 1.5, []) for _ in range(size)]
    with pytest.raises(ArgumentError, match="isn't taken apart: pass dict"):
        grad(total)(rows, 2.0)
    assert grad(total, 1)(rows, 2.0) == pytest.approx(3.0 * size)


@pytest.mark.parametrize("sequence", SEQUENCES.values(), ids=SEQUENCES)
def test_sequences_are_data_alone(sequence):
    assert grad(lambda x, p: x * p[1])(0.5, sequence) == 3.0
    with pytest.raises(ArgumentError, match=r"isn't taken apart: pass list\(p\)"):
        grad(lambda p: p[0] * p[1])(sequence)


def test_what_foreign_containers_hold_is_looked_at_when_it_runs():
    held = collections.OrderedDict(a=np.ma.array([1.0]), b=1.0)
    with pytest.raises(TypeError, match="a MaskedArray has operators of its own"):
        grad(lambda x, p: np.sum(scaled(x, p)))(0.5, held)


TABLE = np.array([(1.0, 2), (3.0, 4)], dtype=[("u", float), ("n", int)])


def test_records_are_data_alone():
    x = np.ones(2)
    assert list(grad(lambda x: np.sum(x * TABLE["u"]))(x)) == [1.0, 3.0]
    assert list(grad(lambda x: np.sum(x * TABLE["n"]))(x)) == [2.0, 4.0]
    for table in (TABLE, TABLE.view(np.recarray)):
        derivative = grad(lambda x, t: np.sum(x * t["u"]))
        assert list(derivative(x, table)) == [1.0, 3.0]
        assert list(derivative(x, {"u": np.ones(2)})) == [1.0, 1.0]
    assert grad(lambda x, r: x * r["u"])(2.0, TABLE[1]) == 3.0
    with pytest.raises(ArgumentError, match="t holds fields: pass the fields alone"):
        grad(lambda t: np.sum(t["u"]))(TABLE)


def test_records_and_arrays_are_told_apart():
    derivative = grad(lambda x, t: np.sum(x * t[0]))
    assert derivative(2.0, np.array([3.0])) == 3.0
    with pytest.raises(TypeError, match="operators of its own"):
        derivative(2.0, TABLE)
    assert derivative(2.0, np.array([3.0])) == 3.0


@pytest.mark.parametrize("number", [2.0, np.float64(2.0), np.float32(2.0)], ids=repr)
def test_derivatives_that_are_constants(number):
    identity, triple = (lambda x: x), (lambda x: 3.0 * x)
    assert elementwise_grad(identity)(number) == 1.0
    assert grad(grad(identity))(number) == grad(grad(triple))(number) == 0.0
    assert hessian(identity)(number) == hessian(lambda x: 3.0)(number) == 0.0

    def inside(x):
        value, slope = value_and_grad(identity)(x)
        return value * slope

    assert grad(inside)(number) == 1.0


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_constant_derivatives_at_arrays_without_axes(dtype):
    for function, expected in ((lambda x: x, 1.0), (lambda x: 3.0 * x, 3.0)):
        found = grad(function)(np.array(2.0, dtype))
        assert found == expected and found.dtype == dtype and found.shape == ()


@dataclasses.dataclass
class Layer:
    w: float
    b: float = 1.0
    names: list = dataclasses.field(default_factory=list)


def test_replace_takes_a_dataclass():
    def replaced(x):
        layer = dataclasses.replace(Layer(x), b=2.0 * x)
        return layer.w * layer.b

    assert grad(replaced)(3.0) == 12.0
    for value in (np.float64(2.0), 2.0, np.ones(2)):
        with pytest.raises(UnsupportedError, match="replace takes a dataclass"):
            grad(lambda x: dataclasses.replace(x, b=2.0).b)(value)


def test_modules_that_cannot_be_imported():
    made = types.ModuleType("made_by_hand")
    made.scale, made.part = 2.0, types.ModuleType("made_by_hand.part")
    made.part.weights = np.array([1.0, 2.0])

    def captured(x):
        return np.sin(x) * made.scale * np.sum(made.part.weights)

    expected = pytest.approx(6.0 * np.cos(0.5))
    assert grad(captured)(0.5) == expected
    globals()["MADE"] = made
    assert grad(of_made_module)(0.5) == expected


MADE = None


def of_made_module(x):
    return np.sin(x) * MADE.scale * np.sum(MADE.part.weights)


def test_lists_are_looked_at_without_code_of_their_own():
    items = ListOfOwnItems([2.0, 3.0])
    assert grad(lambda x, p: x * p[0])(1.0, items) == 2.5
