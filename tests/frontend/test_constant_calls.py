"""Calls of libraries with what doesn't vary are copied, and never entered."""

import argparse
import bisect
import copy
import csv
import datetime
import hashlib
import io
import json
import math
import os
import pathlib
import pickle
import random
import re
import statistics
import sys
import types

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.special
import scipy.stats

from s2sad import UnsupportedError, grad, hvp, jacobian, jvp, value_and_grad

DATA = np.arange(4.0)
GRID = np.arange(8.0).reshape(4, 2)


def read_json(x):
    return math.sin(x * json.loads('{"a": [1.0, 2.0]}')["a"][1])


def matched(x):
    found = re.match("a(.*)c", "abbc")
    return x * x * 2.0 if found else x


def group(x):
    return x**2 * len(re.match("a(.*)c", "abbc").group(1))


def environment(x):
    return x**2 * float(os.environ.get("NOT_SET_ANYWHERE", "2.0"))


def mean_of_data(x):
    return x**2 * statistics.fmean([1.0, 2.0, 4.0])


def spectrum(x):
    return x**2 * np.abs(np.fft.fft(DATA)).sum()


def smallest(x):
    return x**2 * 1e16 * np.finfo(float).eps


def quantile(x):
    return np.sin(x * scipy.stats.norm.ppf(0.9)) * x


def parsed(x):
    parser = argparse.ArgumentParser()
    parser.add_argument("--x", default=2.0)
    return x**2 * parser.parse_args([]).x


def seconds(x):
    return x**2 * datetime.timedelta(seconds=2).total_seconds()


def path(x):
    return x**2 * len(pathlib.Path("/usr/lib").parts)


def place(x):
    return x**2 * bisect.bisect([1.0, 2.0, 3.0], 2.5)


def digest(x):
    return x**2 * len(hashlib.md5(b"a").hexdigest())


def pickled(x):
    return x**2 * pickle.loads(pickle.dumps(2.0))


def drawn(x):
    return x**2 * random.Random(3).random()


def table(x):
    return x**2 * len(list(csv.reader(io.StringIO("1,2\n3,4"))))


def in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        total += math.sin(x * json.loads("[1.0, 2.0, 3.0]")[k])
    return total


CALLS = [
    read_json,
    matched,
    group,
    environment,
    mean_of_data,
    spectrum,
    smallest,
    quantile,
    parsed,
    seconds,
    path,
    place,
    digest,
    pickled,
    drawn,
]


def difference(function, x, *others, h=1e-6):
    high, low = function(x + h, *others), function(x - h, *others)
    return (high - low) / (2.0 * h)


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_calls_with_constants_run_with_the_derivative(function):
    expected = difference(function, 0.7)
    assert np.isclose(grad(function)(0.7), expected, rtol=1e-6)
    assert np.isclose(jvp(function, (0.7,), (1.0,))[1], expected, rtol=1e-6)


def test_second_derivatives_have_them_too():
    expected = difference(grad(read_json), 0.7)
    assert np.isclose(hvp(read_json)(0.7, 1.0), expected)


def test_they_are_called_in_loops():
    assert np.isclose(grad(in_a_loop)(0.7, 3), difference(in_a_loop, 0.7, 3))


def test_nothing_of_a_library_is_written_out():
    text = grad(read_json).source_for(0.7)
    assert "json.loads(" in text and "decode" not in text


def test_what_varies_is_not_a_constant():
    def hidden(x):
        values = json.loads(json.dumps([float(x), 2.0]))
        return values[0] * x

    with pytest.raises(UnsupportedError):
        grad(hidden)(0.7)


def test_changes_of_objects_keep_their_order():
    def shuffled(x):
        generator = random.Random(1)
        first = generator.random()
        second = generator.random()
        return x * first + x * x * second

    generator = random.Random(1)
    first, second = generator.random(), generator.random()
    assert np.isclose(grad(shuffled)(0.5), first + second)


# ------------------------------------------------------------------ words


def zeta(x):
    return scipy.special.zetac(x)


def parts(x):
    t, z = scipy.linalg.schur(x * GRID)
    return t[0, 0]


def triangle(x):
    return scipy.stats.triang.logpdf(x, 0.4)


def frozen(x):
    return scipy.stats.triang(0.4, x).logpdf(1.0)


def called(x):
    return scipy.interpolate.interp1d(DATA, x * DATA)(1.5)


def looped(x):
    total = 0.0
    for value in scipy.stats.rankdata(x * DATA):
        total += value
    return total


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (zeta, "scipy.special.zetac"),
        (parts, "scipy.linalg.schur"),
        (triangle, "scipy.stats.triang.logpdf"),
        (frozen, "scipy.stats.triang.logpdf"),
        (called, "scipy.interpolate.interp1d"),
        (looped, "scipy.stats.rankdata"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_the_first_reason_is_that_there_is_no_rule(function, name):
    with pytest.raises(UnsupportedError) as refused:
        grad(function)(0.7)
    (problem,) = refused.value.problems
    assert problem.reason == f"there is no derivative rule for {name}"


def rooted(x):
    return np.roots(x)


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian])
def test_what_a_differentiated_function_calls_has_no_rule(transform):
    with pytest.raises(UnsupportedError) as refused:
        grad(lambda x: np.sum(transform(rooted)(x)))(np.ones(3))
    (problem,) = refused.value.problems
    assert problem.reason == "there is no derivative rule for numpy.roots"
    if transform is jacobian:
        with pytest.raises(UnsupportedError, match="no derivative rule for numpy.roo"):
            jacobian(rooted)(np.ones(3))


def test_methods_that_functions_without_rule_say():
    derivative = grad(lambda x: x[x.argpartition(1)[0]] ** 2)
    np.testing.assert_array_equal(derivative(np.array([4.0, 3.0])), [0.0, 6.0])
    for f, words in (
        (lambda x: np.sum(x.byteswap()), "the method 'byteswap'"),
        (lambda x: x[None, None].tolist()[0][0][0], "more than two axes"),
    ):
        with pytest.raises(UnsupportedError, match=words):
            grad(f)(np.ones(2))


def test_a_function_passed_to_one_without_rule():
    def solved(x):
        return scipy.optimize.fminbound(lambda v: (v - x) ** 2, -1.0, 1.0)

    with pytest.raises(UnsupportedError, match="fminbound, which has no"):
        grad(solved)(0.5)


def test_attributes_of_layout_by_name():
    def flags(x):
        return np.sum(x) if getattr(x, "flags") is None else np.sum(x * x)  # noqa: B009

    with pytest.raises(UnsupportedError, match="'flags' of an array"):
        grad(flags)(DATA)


# ------------------------------------------------------------------ lazy attributes


class Computed:
    def __init__(self, values):
        self.values = values

    def __getattr__(self, name):
        if name not in ("factor",):
            raise AttributeError(name)
        return self.values[name]


class Doubled:
    def __get__(self, instance, owner):
        return 2.0 * instance.scale


class Described:
    double = Doubled()

    def __init__(self, scale):
        self.scale = scale


LAZY = sys.modules["lazy_module_of_tests"] = types.ModuleType("lazy_module_of_tests")


def lazy_attribute(name):
    try:
        return {"factor": 3.0, "sine": math.sin}[name]
    except KeyError:
        raise AttributeError(name) from None


LAZY.__getattr__ = lazy_attribute
COMPUTED = Computed({"factor": 3.0})
DESCRIBED = Described(1.5)


def from_getattr(x):
    return x * x * COMPUTED.factor


def from_descriptor(x):
    return x * x * DESCRIBED.double


def from_lazy_module(x):
    return LAZY.sine(x * LAZY.factor)


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __getattr__(self, name):
        return self.factor * len(name)


def from_an_object_made_inside(x):
    return Scaled(x * x).abc


class Checked:
    """A descriptor that keeps what it describes in the object, as validators do."""

    def __init__(self, bound):
        self.bound = bound

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name) * self.bound


class Part:
    width = Checked(3.0)

    def __init__(self, width):
        self._width = width


PART = Part(2.0)


def from_a_descriptor_of_a_made_object(x):
    return Part(x).width * x


def from_a_descriptor_with_a_name(x):
    return PART.width * x * x


@pytest.mark.parametrize(
    "function",
    [
        from_getattr,
        from_descriptor,
        from_lazy_module,
        from_an_object_made_inside,
        from_a_descriptor_of_a_made_object,
        from_a_descriptor_with_a_name,
    ],
    ids=lambda f: f.__name__,
)
def test_attributes_that_are_computed(function):
    assert np.isclose(grad(function)(0.7), difference(function, 0.7))


def opaque_items_added(x):
    log, total = json.loads("[1, 2, 3]"), 0.0
    for v in x:
        log.append(int(10 * v))
        total = total + v * v * len(log) * float(log[-1])
    return total


def opaque_in_opaque_added(x):
    log, total = json.loads("[[1], [2]]"), 0.0
    for i in range(len(x)):
        first = log[i % 2]
        first.append(i)
        before = copy.deepcopy(log)
        first.append(i)
        total = total + x[i] ** 2 * len(log[0]) * len(before[1])
    return total


def opaque_copied(x):
    log = json.loads("[[1, 2], [3, 4]]")
    deep, shallow = copy.deepcopy(log), copy.copy(log)
    return x[0] * len(deep + deep) * x[1] * len(shallow + shallow)


@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize(
    "function", [opaque_items_added, opaque_in_opaque_added, opaque_copied]
)
def test_what_a_library_gave_is_asked_at_its_time(function, optimise):
    x = [0.55, 1.15, 0.75, 0.95]
    expected = numerical_gradient(function, x)
    assert grad(function, optimise=optimise)(x) == pytest.approx(expected, rel=1e-6)


def test_what_a_library_gave_and_the_program_changes_as_a_whole():
    def f(x):
        log = json.loads("[1, 2, 3]")
        log.append(4)
        return x * sum(log)

    with pytest.raises(UnsupportedError, match="sum is given an object of a library"):
        grad(f)(0.5)


def numerical_gradient(function, x):
    found = []
    for k in range(len(x)):
        low, high = list(x), list(x)
        low[k], high[k] = low[k] - 1e-6, high[k] + 1e-6
        found.append((function(high) - function(low)) / 2e-6)
    return found
