"""Calls that repeat others: one call, and one of the reverse program."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest

from s2sad import (
    checkpoint,
    custom_vjp,
    grad,
    hessian,
    hook,
    jacfwd,
    no_grad,
    stop_gradient,
    value_and_grad,
)
from s2sad.errors import UnsupportedError

KEPT = {"inlining": False}
PAIRS = {**KEPT, "preaccumulation": False}
APART = {**PAIRS, "common_subexpressions": False}
OPTIONS = [KEPT, PAIRS, APART, None, False]


def calls(function, *arguments, name, wrt="x", optimise=PAIRS):
    """How often the forward program of a function is called, and the reverse."""
    text = grad(function, wrt=wrt, optimise=optimise).source_for(*arguments)
    sweeps = ("forward", "reverse")
    return tuple(
        len(re.findall(rf"(?<!def ){name}(?:_\d)?_{sweep}\(", text)) for sweep in sweeps
    )


def check(function, *arguments, wrt="x"):
    """The derivative of a number by the first argument, against differences and in both
    modes, with calls shared and not."""
    x, *others = arguments
    step = 1e-6
    expected = (function(x + step, *others) - function(x - step, *others)) / (2 * step)
    for optimise in OPTIONS:
        found = grad(function, wrt=wrt, optimise=optimise)(*arguments)
        assert np.isclose(found, expected, rtol=1e-5), optimise
        tangent = jacfwd(function, wrt=wrt, optimise=optimise)(*arguments)
        assert np.isclose(tangent, expected, rtol=1e-5), optimise


def wave(x, w):
    if x > 100.0:
        raise ValueError("too large")
    total = 0.0
    for k in range(3):
        total += math.sin(x * k) * w
    return total


def of_two(x, w):
    a = wave(x, w)
    x_2 = x * a
    return a * wave(x, w) + wave(x_2, w)


def of_sums(x, w):
    return wave(x + w, 2.0 * w) * wave(x + w, 2.0 * w)


def of_a_loop(x, w):
    a = wave(x, w)
    total = a * a
    for k in range(4):
        total += wave(x, w) * k + wave(total, w)
    return total


def of_paths(x, w):
    if x > 0.0:
        a = wave(x, w)
    else:
        a = wave(x, w) * 2.0
    return a * wave(x, w)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function, count",
    [(of_two, 2), (of_sums, 1), (of_a_loop, 2), (of_paths, 3)],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_equal_calls_are_one(function, count):
    assert calls(function, 0.4, 0.3, name="wave") == (count, count)
    check(function, 0.4, 0.3)


def test_the_switch_keeps_them_apart():
    assert calls(of_two, 0.4, 0.3, name="wave", optimise=APART) == (3, 3)


def rebound(x, w):
    a = wave(x, w)
    x = x * w
    b = wave(x, w)
    x = x * w
    return a * b * wave(x, w)


def of_other_turns(x, w):
    a = wave(x, w)
    total = 0.0
    for _ in range(3):
        total += a * wave(x, w)
        x = x * w
        a = wave(x, w) + total
    return total


def swapped(x, w):
    a = wave(x, w)
    x, w = w, x
    return a * wave(x, w)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [rebound, of_other_turns, swapped])
def test_calls_with_other_values_are_others(function):
    written = {rebound: 3, of_other_turns: 3, swapped: 2}[function]
    assert calls(function, 0.4, 0.3, name="wave") == (written, written)
    check(function, 0.4, 0.3)


def both(x, w):
    return math.sin(x) * w, math.cos(w) * x + math.sin(w)


def of_several_results(x, w):
    a, b = both(x, w)
    _, c = both(x, w)
    d, _ = both(x, w)
    return a * b + c * d * d


def test_several_results():
    assert calls(of_several_results, 0.4, 0.3, name="both") == (1, 1)
    check(of_several_results, 0.4, 0.3)


def powers(x, n):
    return np.array([x**k for k in range(1, 4)]) * n


def of_arrays_written_into(x, n):
    a = powers(x, n)
    b = powers(x, n)
    a[0] = 2.0 * x
    b += a
    c = powers(x, n)
    return np.sum(a * b * c) + b[0] * c[0]


def test_arrays_that_are_written_into_later_are_apart():
    check(of_arrays_written_into, 0.4, 2.0)
    x, n = 0.4, 2.0
    value = of_arrays_written_into(x, n)
    for optimise in OPTIONS:
        made = value_and_grad(of_arrays_written_into, optimise=optimise)
        assert np.isclose(made(x, n)[0], value)


def doubled(a, x):
    a[0] = 2.0 * a[0] + x
    return a[0] * x


def deeply(a, x):
    return doubled(a, x) + 1.0


def of_changes(x):
    a = np.array([x, x * x])
    return deeply(a, x) * deeply(a, x) * doubled(a, x) * doubled(a, x)


def logged(x, log):
    log.append(x)
    return x * len(log)


def of_logs(x):
    log = [x]
    return logged(x, log) * logged(x, log) * sum(log)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [of_changes, of_logs])
def test_what_changes_its_arguments_is_called_each_time(function):
    check(function, 0.4)


def test_what_prints_is_called_each_time(capsys):
    def shown(x):
        print("called")
        return x * x

    def of_prints(x):
        return shown(x) * shown(x)

    grad(of_prints, optimise=KEPT)(0.5)
    assert capsys.readouterr().out == "called\n" * 2


def test_what_nobody_looks_into_is_called_each_time():
    counter = itertools.count(1)

    def counted(x):
        return x * next(counter)

    def of_counts(x):
        return counted(x) + counted(x)

    try:
        found = grad(of_counts, optimise=KEPT)(0.5)
    except UnsupportedError:
        return
    assert found == 3.0


def drawn(x):
    return x * np.random.normal(x, 1.0)


def of_draws(x):
    return drawn(x) - drawn(x)


def test_what_draws_is_called_each_time():
    assert calls(of_draws, 0.5, name="drawn") == (2, 2)
    np.random.seed(1)
    expected = of_draws(0.5)
    np.random.seed(1)
    assert np.isclose(value_and_grad(of_draws, optimise=KEPT)(0.5)[0], expected)


SCALE = np.array([2.0, 3.0])


def scaled(x):
    return np.sum(SCALE * math.sin(x))


def of_data(x):
    return scaled(x) * scaled(x)


def of_data_and_prints(x):
    a = scaled(x)
    print("between")
    return a * scaled(x)


def test_data_of_a_module_is_read_again_where_others_may_change_it():
    assert calls(of_data, 0.5, name="scaled") == (1, 1)
    assert calls(of_data_and_prints, 0.5, name="scaled") == (2, 2)
    check(of_data, 0.5)


def of_constants(x, w):
    a = stop_gradient(wave(x, w))
    with no_grad():
        b = wave(x, w)
    c = wave(stop_gradient(x), w)
    return a * b * c * wave(x, w)


def test_what_is_constant_stays_so():
    for optimise in OPTIONS:
        found = grad(of_constants, optimise=optimise)(0.4, 0.3)
        slope = (wave(0.4 + 1e-6, 0.3) - wave(0.4 - 1e-6, 0.3)) / 2e-6
        assert np.isclose(found, wave(0.4, 0.3) ** 3 * slope)


@custom_vjp
def clipped(x):
    return 1.0 * x


clipped.defvjp(lambda x: (clipped(x), None), lambda _, x_bar: np.clip(x_bar, -1.0, 1.0))


def with_a_hook(x):
    return 3.0 * hook(math.sin(x), lambda x_bar: np.clip(x_bar, -1.0, 1.0))


def with_a_given_derivative(x):
    return 3.0 * clipped(math.sin(x))


@pytest.mark.parametrize("function", [with_a_hook, with_a_given_derivative])
def test_derivatives_that_are_given_see_each_call(function):
    def of_two_calls(x):
        return function(x) + function(x)

    for optimise in OPTIONS:
        found = grad(of_two_calls, optimise=optimise)(0.3)
        assert np.isclose(found, 2.0 * math.cos(0.3)), optimise


def of_states(x, w):
    a = wave(x, w)
    with np.errstate(all="raise"):
        b = wave(x, w)
    return a * b * checkpoint(wave)(x, w)


def test_calls_under_managers_stay():
    check(of_states, 0.4, 0.3)


def caught(x, w):
    total = 0.0
    try:
        total += wave(300.0 * x, w)
        total += wave(300.0 * x, w)
    except ValueError:
        total += 1.0
    try:
        total += wave(300.0 * x, w)
    except ValueError:
        total += 2.0
    return total + x * x


@pytest.mark.sampled(3)
@pytest.mark.parametrize("x", [0.2, 0.5])
def test_what_raises_does_so_when_it_did(x):
    check(caught, x, 0.3)


def halving(x, n):
    if n == 0:
        return x
    return math.sin(halving(x, n - 1)) * halving(x, n - 1)


def of_halvings(x, n):
    return halving(x, n)


def test_a_function_that_calls_itself_twice_alike_is_linear():
    assert calls(of_halvings, 0.7, 3, name="halving") == (2, 2)
    found = grad(of_halvings)(0.7, 60)  # of 2 ** 60 calls
    expected = (of_halvings(0.7 + 1e-6, 8) - of_halvings(0.7 - 1e-6, 8)) / 2e-6
    assert np.isfinite(found)
    assert np.isclose(grad(of_halvings)(0.7, 8), expected, rtol=1e-5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", OPTIONS, ids=str)
def test_second_derivatives(optimise):
    found = hessian(of_two, optimise=optimise)(0.4, 0.3)
    first = grad(of_two)
    expected = (first(0.4 + 1e-6, 0.3) - first(0.4 - 1e-6, 0.3)) / 2e-6
    assert np.isclose(found, expected, rtol=1e-5)


def times(w, x):
    return w * x


def same_object(a, b):
    return 2.0 if a is b else 1.0


def asks_itself(x, w):
    a, b = times(w, x), times(w, x)
    return np.sum(a * b) * (2.0 if a is b else 1.0)


def asks_in_a_call(x, w):
    a, b = times(w, x), times(w, x)
    return np.sum(a * b) * same_object(a, b)


def asks_for_memory(x, w):
    a, b = times(w, x), times(w, x)
    return np.sum(a * b) * (2.0 if np.shares_memory(a, b) else 1.0)


@pytest.mark.parametrize("function", [asks_itself, asks_in_a_call, asks_for_memory])
def test_what_tells_equal_values_apart_is_called_each_time(function):
    w = np.array([1.0, 2.0])
    for optimise in OPTIONS:
        found = value_and_grad(function, optimise=optimise)(0.5, w)
        assert np.allclose(found, (1.25, 5.0))
