"""Calls of functions of floats that return one: their partial derivatives come with the
value, and nothing else of them is kept."""

from __future__ import annotations

import contextlib
import math
import re

import numpy as np
import pytest

from s2sad import (
    custom_vjp,
    differentiate,
    grad,
    hessian,
    hook,
    hvp,
    jacobian,
    stop_gradient,
    value_and_grad,
    vjp,
)
from tests.support.finite_differences import central_difference_gradient

KEPT = {"inlining": False}
PAIRS = {**KEPT, "preaccumulation": False}
OPTIONS = [KEPT, PAIRS, {**KEPT, "recompute": False}, None, False]


def functions_of(text):
    return re.findall(r"^def (\w+)", text, re.M)


def quantile(p):
    """A rational approximation, with a branch."""
    if p < 0.2:
        q = math.sqrt(-2.0 * math.log(p))
        return (0.3 * q + 0.2) / (0.4 * q + 1.0)
    q = p - 0.5
    return (0.2 * q * q + 0.3) * q / (0.4 * q * q + 1.0)


def relaxed(x, rate):
    """A loop of its own, over what it keeps."""
    states = [x]
    for k in range(4):
        states.append(math.sin(states[-1]) * rate + k * x)
    return sum(states) / len(states)


def of_products(x, y):
    return quantile(x) * quantile(y * quantile(x) + 0.6) + relaxed(x, y)


def of_a_loop(x, y):
    total = x
    for k in range(5):
        total = 0.5 * total + quantile(0.1 * k + 0.1 * x) * relaxed(total, y)
    return total


def of_a_sum(x, y):
    return sum(relaxed(0.1 * k + x, y) for k in range(4)) + quantile(x)


def of_paths(x, y):
    total = y
    for k in range(4):
        value = relaxed(x, 0.1 * k)
        if k == 2:
            continue
        total += value * quantile(y) if value > 0.5 else x
        if total > 50.0:
            break
    return total


def powered(x, n):
    if n == 0:
        return 1.0
    return x * powered(x, n - 1) + relaxed(x, 0.1 * n)


def of_a_recursion(x, y):
    return powered(x, 4) * powered(y, 2)


def even(x, n):
    return x if n == 0 else odd(math.sin(x), n - 1) * x


def odd(x, n):
    return x * x if n == 0 else even(math.cos(x), n - 1) + x


def of_mutual_recursion(x, y):
    return even(x, 3) * odd(y, 4)


def rooted(x, y):
    """Its slope is infinite at x = 0."""
    return math.sqrt(x) * y + y


def of_a_root(x, y):
    on = rooted(x * x, y) if x > 0.0 else y
    chosen = rooted(0.0 * x, y) if y > 100.0 else x
    return on * chosen


def of_captured(x, y):
    scale = x * y

    def inner(v):
        u = v * scale + math.sin(v)
        return u * u / (1.0 + v * v)

    return inner(x) * inner(inner(y)) + inner(0.5)


def arrayed(x, y):
    """With an array and an object of its own."""
    buffer = np.zeros(3)
    for k in range(3):
        buffer[k] = x * k + y
    buffer[1] *= x
    return np.sum(buffer**2) + y


def of_arrays(x, y):
    return arrayed(x, y) * arrayed(y, x) - float(arrayed(x, x))


PROGRAMS = [
    *(of_products, of_a_loop, of_a_sum, of_paths, of_a_recursion),
    *(of_mutual_recursion, of_a_root, of_captured, of_arrays),
]
POINTS = [(0.3, 0.7), (0.15, 0.9)]


def differences(function, x, y):
    h = 1e-6
    return [
        (function(x + h, y) - function(x - h, y)) / (2 * h),
        (function(x, y + h) - function(x, y - h)) / (2 * h),
    ]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("optimise", OPTIONS, ids=str)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_they_give_the_gradient(function, optimise):
    derived = differentiate(function, wrt=("x", "y"), optimise=optimise)
    for x, y in POINTS:
        expected = differences(function, x, y)
        value, found = derived.value_and_grad(x, y)
        assert np.isclose(value, function(x, y))
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        np.testing.assert_allclose(derived.grad(x, y), found, rtol=1e-12)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("optimise", [KEPT, PAIRS], ids=str)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_modes_agree_to_second_order(function, optimise):
    x, y = 0.3, 0.7
    gradient = grad(function, ("x", "y"), optimise=optimise)
    derived = differentiate(function, wrt=("x", "y"), optimise=optimise)
    _, tangent = derived.jvp((x, y), (0.4, -0.3))
    assert np.isclose(tangent, np.dot(gradient(x, y), (0.4, -0.3)))
    _, pullback = derived.vjp(x, y)
    np.testing.assert_allclose(pullback(1.0), gradient(x, y), rtol=1e-12)
    np.testing.assert_allclose(pullback(-2.0), np.multiply(-2.0, pullback(1.0)))
    expected = [differences(lambda a, b, k=k: gradient(a, b)[k], x, y) for k in (0, 1)]
    found = hvp(function, ("x", "y"), optimise=optimise)(x, y, (0.4, -0.3))
    np.testing.assert_allclose(found, np.dot(expected, (0.4, -0.3)), rtol=1e-5)
    rows = hessian(function, ("x", "y"), optimise=optimise)(x, y)
    np.testing.assert_allclose(rows, expected, rtol=1e-5)


def test_of_a_call_its_partial_derivatives_are_kept():
    text = grad(of_a_loop, ("x", "y"), optimise=KEPT).source_for(0.3, 0.7)
    assert functions_of(text)[0] == "of_a_loop_grad"
    assert set(functions_of(text)[1:]) == {
        "quantile_value_and_grad",
        "relaxed_value_and_grad",
    }
    assert "by_x, by_rate = partials" in text
    off = grad(of_a_loop, ("x", "y"), optimise=PAIRS).source_for(0.3, 0.7)
    assert len(text.splitlines()) < 0.8 * len(off.splitlines())


def test_where_nobody_reads_the_value_there_is_none():
    def of_a_sum(x, y):
        return quantile(x) + 2.0 * quantile(y)

    text = grad(of_a_sum, ("x", "y"), optimise=KEPT).source_for(0.3, 0.7)
    assert functions_of(text) == ["of_a_sum_grad", "quantile_grad"]
    assert "return p_bar\n" in text
    found = grad(of_a_sum, ("x", "y"), optimise=KEPT)(0.3, 0.7)
    np.testing.assert_allclose(found, differences(of_a_sum, 0.3, 0.7), rtol=1e-6)
    derived = differentiate(of_a_sum, wrt=("x", "y"), optimise=KEPT)
    assert derived.value_and_grad(0.3, 0.7)[0] == of_a_sum(0.3, 0.7)


def test_a_loop_that_needs_nothing_from_the_turn_before_runs_once():
    def total(xs, rate):
        found = 0.0
        for x in xs:
            found += relaxed(x, rate) * rate
        return found

    xs = np.linspace(0.1, 0.9, 7)
    text = grad(total, ("xs", "rate"), optimise=KEPT).source_for(xs, 0.3)
    body = text[: text.index("\n\n\n")]
    assert body.count("    for ") == 1 and "saved" not in body
    found = grad(total, ("xs", "rate"), optimise=KEPT)(xs, 0.3)
    expected = grad(total, ("xs", "rate"), optimise=PAIRS)(xs, 0.3)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def test_the_text_is_the_same_for_many_turns():
    def iterated(x, n):
        for _ in range(n):
            x = quantile(0.3 + 0.1 * math.tanh(x)) + 0.9 * x
        return x

    gradient = grad(iterated, "x", optimise=KEPT)
    assert gradient.source_for(0.3, 5) == gradient.source_for(0.3, 5000)
    pairs = grad(iterated, "x", optimise=PAIRS)
    assert np.isclose(gradient(0.3, 5000), pairs(0.3, 5000), rtol=1e-9)


def test_results_that_are_several():
    def several(x):
        return np.array([quantile(x[0]) * x[1], relaxed(x[1], x[0]), quantile(x[1])])

    x = np.array([0.3, 0.7])
    found = jacobian(several, optimise=KEPT)(x)
    steps = 1e-6 * np.eye(2)
    expected = np.stack([(several(x + h) - several(x - h)) / 2e-6 for h in steps], 1)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    _, pullback = vjp(several, x)
    for row in range(3):
        np.testing.assert_allclose(pullback(np.eye(3)[row])[0], found[row], rtol=1e-9)


class Counter:
    def __init__(self):
        self.calls = 0.0


def counted(counter, x):
    counter.calls += 1.0
    return math.sin(x * counter.calls) * x


def of_a_counter(x, y):
    counter = Counter()
    total = counted(counter, x) * counted(counter, y) + counted(counter, x * y)
    return total * counter.calls


def logged(log, x):
    log.append(len(log) + 1)
    return math.sin(x * log[-1]) * x


def of_a_log(x, y):
    log = [1]
    total = logged(log, x) * logged(log, y) + logged(log, x * y)
    return total * len(log) * sum(log)


def stepped(places, x):
    return math.sin(x * next(places)) * x


def of_an_iterator(x, y):
    places = iter([0.5, 1.5, 2.5, 3.5])
    return stepped(places, x) * stepped(places, y) + stepped(places, x * y)


def written(array, x):
    array[0] += 1.0
    return math.sin(x * array[0]) * x


def of_an_array(x, y):
    array = np.zeros(2)
    total = written(array, x) * written(array, y) + written(array, x * y)
    return total * array[0]


def guarded(x):
    if x < 0.0:
        raise ValueError("negative")
    return math.sqrt(x) / (1.0 + x)


def of_handlers(x, y):
    try:
        found = guarded(x) * guarded(-y)
    except ValueError:
        found = guarded(y)
    with contextlib.suppress(ValueError):
        found *= guarded(x)
    return found * guarded(x * y)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("optimise", OPTIONS, ids=str)
@pytest.mark.parametrize(
    "function",
    [of_a_counter, of_a_log, of_an_iterator, of_an_array, of_handlers],
    ids=lambda f: f.__name__,
)
def test_what_calls_change_stays_changed(function, optimise):
    found = grad(function, ("x", "y"), optimise=optimise)(0.3, 0.7)
    np.testing.assert_allclose(found, differences(function, 0.3, 0.7), rtol=1e-5)


def clipped(x):
    return hook(x * x, lambda bar: np.clip(bar, -0.1, 0.1)) * 2.0


@custom_vjp
def doubled(x):
    return x * x


doubled.defvjp(lambda x: (x * x, x), lambda x, bar: (np.maximum(bar, 0.25) * x,))


def of_a_hook(x, y):
    return clipped(x) * y + 3.0 * clipped(y) * x


def around(x):
    return doubled(x) + math.sin(x)


def of_a_rule(x, y):
    return around(x) * y + 0.1 * around(y) * x


def of_stops(x, y):
    def inner(v):
        return stop_gradient(v * v) * math.sin(v)

    return inner(x) * inner(y)


@pytest.mark.parametrize("function", [of_a_hook, of_a_rule, of_stops])
def test_what_users_say_of_adjoints_holds(function):
    found = grad(function, ("x", "y"), optimise=KEPT)(0.3, 0.7)
    expected = grad(function, ("x", "y"), optimise=PAIRS)(0.3, 0.7)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# ------------------------------------------------------------------ zeros and infinity


def bent(x: float, c: float) -> float:
    return math.sin(x) * c + x


def bowl(x: float) -> float:
    return math.sin(x) * x


def ramp(x: float) -> float:
    if x > 0.0:
        return x
    return 0.0


def limited(x: float) -> float:
    return min(max(x, 0.0), 1.0)


def weighted(x: float, n: int) -> float:
    total = 0.0
    for i in range(n):
        total += x * (i + 1)
    return total


def tower(x: float, n: int) -> float:
    if n == 0:
        return 0.0
    return x + tower(x, n - 1)


def steps(x: float, c: float):
    s = x
    for _ in range(3):
        if s > 0.5:
            s = bent(s, c)
        else:
            s += bowl(s)
    return s, bent(s, x)


def root(x: float) -> float:
    return math.sqrt(x * x + 0.3) * 2.0


def chosen(x: float, c: float) -> float:
    r = root(x)
    if c > 0.5:
        return r * c
    return root(c)


def slopes(x: float, c: float) -> float:
    return grad(chosen)(x, c) + grad(chosen, 1)(c, x)


def root_of_ramp(x, y):
    return np.sqrt(ramp(x)) + y * ramp(y)


def root_of_limited(x, y):
    return np.sqrt(limited(x)) + y * limited(y)


def root_of_empty_sum(x, y):
    return np.sqrt(weighted(x, 0)) + y * weighted(y, 3)


def root_of_recursion(x, y):
    return np.sqrt(tower(x, 0)) + y * tower(y, 3)


def adjoint_in_its_own_place(x, y):
    a, b = steps(x, y)
    return a * b


def adjoints_in_a_loop(x, y):
    total = 0.0
    for i in range(3):
        a, b = steps(x + i, y)
        total += a * b
    return total


def gradient_of_calls(x, y):
    return grad(chosen)(x, y) * chosen(y, x) + root(x) * y


def gradients_in_calls(x, y):
    return slopes(x, y) * slopes(y, x)


@pytest.mark.parametrize(
    "program",
    [
        root_of_ramp,
        root_of_limited,
        root_of_empty_sum,
        root_of_recursion,
        adjoint_in_its_own_place,
        adjoints_in_a_loop,
        gradient_of_calls,
        gradients_in_calls,
    ],
    ids=lambda program: program.__name__,
)
@pytest.mark.parametrize("x", [-0.4, 1.3])
def test_gradients_are_those_with_residuals(program, x):
    args = (x, 0.7)
    with np.errstate(divide="ignore"):
        value, found = value_and_grad(program, (0, 1), optimise=KEPT)(*args)
        _, kept = value_and_grad(program, (0, 1), optimise=PAIRS)(*args)
    np.testing.assert_allclose(value, program(*args), rtol=1e-12)
    np.testing.assert_allclose(found, kept, rtol=1e-12)
    differences = central_difference_gradient(program, args, (0, 1))
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-9)
