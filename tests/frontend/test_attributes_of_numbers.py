"""Attributes of numbers and arrays that are data, not methods: what they are decides
paths."""

from __future__ import annotations

from enum import Enum

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, value_and_grad


class Measure(float):
    unit = "m"

    def doubled(self):
        return 2.0 * float(self)


class Rate(float, Enum):
    LOW = 0.3
    HIGH = 0.4


MEASURE = Measure(1.5)
ARRAYS = {
    "itemsize": lambda x: x.itemsize == 8,
    "nbytes": lambda x: x.nbytes == 16,
    "nbytes in": lambda x: x.nbytes in (16, 24),
    "nbytes above": lambda x: x.nbytes > 15,
    "itemsize of an item": lambda x: x[0].itemsize == 8,
    "getattr": lambda x: getattr(x, "itemsize", 0) == 8,
    "getattr of none": lambda x: getattr(x, "unit", None) is None,
    "getattr with a default": lambda x: getattr(x, "rows", 3) == 3,
    "getattr in both": lambda x: getattr(x, "ndim", 0) == getattr(x, "ndim", 7),
    "hasattr": lambda x: hasattr(x, "itemsize"),
    "a method": lambda x: x.sum is not None,
    "dtype": lambda x: x.dtype.itemsize == 8,
}
REFUSED = {
    "device": lambda x: x.device == "cpu",
    "truth": lambda x: x.device,
    "base": lambda x: x.base is None,
    "flags": lambda x: x.flags.c_contiguous,
    "strides": lambda x: x.strides == (8,),
    "none of theirs": lambda x: x.unit == "m",
    "one of none": lambda x: not x.unit,
}


@pytest.mark.parametrize("name", ARRAYS)
def test_what_an_array_says_of_itself(name):
    asked = ARRAYS[name]

    def branches(x):
        return np.sum(x * x) if asked(x) else np.sum(x)

    np.testing.assert_allclose(grad(branches)(np.array([0.7, 0.3])), [1.4, 0.6])


@pytest.mark.parametrize("name", REFUSED)
def test_what_nobody_knows_of_an_array_is_refused(name):
    asked = REFUSED[name]

    def branches(x):
        return np.sum(x * x) if asked(x) else np.sum(x)

    with pytest.raises(UnsupportedError, match="attribute|isn't known"):
        grad(branches)(np.ones(2))


def passed(x, p):
    return x * x if p.unit == "m" else x


def under_another_name(x, p):
    q = p
    return x * x if q.unit in ("m", "km") else x


def of_the_module(x, p):
    return x * x if MEASURE.unit == "m" else x


def chosen(x, p):
    y = p if x > 0.1 else MEASURE
    return x * x if y.unit == "m" else x


def with_an_attribute_of_its_own(x, p):
    return x * x if getattr(p, "unit", "") == "m" else x


@pytest.mark.parametrize(
    "way",
    [passed, under_another_name, of_the_module, chosen, with_an_attribute_of_its_own],
)
def test_what_a_derived_number_says_of_itself(way):
    assert grad(way)(0.7, Measure(0.5)) == pytest.approx(1.4)


def name_of_a_member(x, k):
    y = Rate.LOW if k else Rate.HIGH
    return x * x if y.name == "LOW" else x


def value_of_a_member(x, k):
    y = Rate.LOW if k else Rate.HIGH
    return y.value * x * x


def changed_in_a_loop(x, k):
    y = Rate.LOW
    for _ in range(k + 1):
        y = Rate.HIGH if y is Rate.LOW else y * x
    return y * x


def every_member(x, k):
    total = 0.0
    for member in Rate:
        total += member * x if member is Rate.LOW else x**k
    return total


def one_of_three(x, k):
    return [Rate.LOW, x, Rate.HIGH][k] * x


def put_into_a_dict(x, k):
    rates = {"a": Rate.LOW}
    if k:
        rates["a"] = x
    return rates["a"] * x


def beside_a_number_of_numpy(x, k):
    y = Rate.LOW if k else np.float64(0.3)
    return x * x if isinstance(y, Rate) else x


def beside_a_function(x, k):
    y = Rate.LOW if k else np.sin(x)
    return x * x if y is Rate.LOW else y * x


def with_a_default(x, k):
    y = Rate.LOW if k else x
    return x * x if getattr(y, "name", "none") == "LOW" else x


def scaled_by_a_default(x, k):
    total = x
    for _ in range(k):
        total = getattr(total, "scale", 2.0) * total
    return total


WAYS = (
    with_a_default,
    scaled_by_a_default,
    name_of_a_member,
    value_of_a_member,
    changed_in_a_loop,
    every_member,
    one_of_three,
    put_into_a_dict,
    beside_a_number_of_numpy,
    beside_a_function,
)


@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_members_that_the_run_chooses(way, optimise):
    for k in (0, 1, 2):
        value, slope = value_and_grad(way, optimise=optimise)(0.7, k)
        assert value == pytest.approx(way(0.7, k))
        exact = (way(0.7 + 1e-6, k) - way(0.7 - 1e-6, k)) / 2e-6
        assert slope == pytest.approx(exact, rel=1e-6)
