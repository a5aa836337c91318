"""The checker tells rounding from wrong derivatives."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import operator
import textwrap

import numpy as np
import pytest

from s2sad.rules import registry
from s2sad.rules.load import load_all
from tests.frontend.whole_programs import IMPORTS
from tests.fuzz.__main__ import report
from tests.fuzz.checking import (
    SPREADS,
    _direction,
    check,
    draw_arguments,
    load,
    spread_of,
)
from tests.fuzz.corners import FOREIGN
from tests.fuzz.writer import HEADER
from tests.support.compiled import NUMPY
from tests.support.dual_numbers import MATH, Dual, rounded_otherwise

CANCELLING = """
def program(x, v):
    y = x
    for j in range(4):
        y = y - 2 * np.dot(y * v, y * v)
    w = y * v
    return x + w * w - w * np.dot(np.array([e for e in w]), np.ones(3)) + w[0] * w
"""
"""The terms of the result grow, and cancel in part."""
CANCELLING_WITH_SINE = CANCELLING.replace("x + w", "np.sin(x) + w")
SMOOTH = """
def program(x, v):
    y = np.sin(x) * v
    return np.sum(y * np.exp(v)) + x
"""
GONE = """
def program(x):
    y = x * 1e17
    return (np.sin(x) + y * y) - y * y
"""


@contextlib.contextmanager
def partials_of(function, partials):
    """The rule of an elementwise function with other partial derivatives."""
    load_all()
    known = registry.rule_for(function)
    registry.register(dataclasses.replace(known, partials=partials))
    try:
        yield
    finally:
        registry.register(known)


def spread(text, seed, part):
    text = HEADER + text
    _, args = draw_arguments(text, seed)
    rng = np.random.default_rng(seed)
    directions = [tuple(_direction(rng, a) for a in args) for _ in range(2)]
    value = np.ones(3) if "w[0]" in text else 1.0
    return spread_of(text, args, directions, (value,), part)


def test_cancellation_is_not_called_wrong():
    outcomes = [check(HEADER + CANCELLING, seed) for seed in range(40)]
    assert {o.verdict for o in outcomes} <= {"differentiated", "left out"}, outcomes
    assert sum(o.verdict == "differentiated" for o in outcomes) > 5


def test_the_spread_is_the_size_of_the_rounding_error():
    assert max(spread(SMOOTH, seed, "mixed") for seed in range(5)) < 1e-13
    spreads = [spread(CANCELLING, seed, "first") for seed in range(40)]
    assert max(s for s in spreads if math.isfinite(s)) > 1e-9


def test_what_is_nothing_but_rounding_is_left_out():
    outcome = check(HEADER + GONE, 3)
    assert (outcome.verdict, outcome.detail) in {
        ("left out", "rounding"),
        ("left out", "overflow"),
    }


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", [SMOOTH, CANCELLING_WITH_SINE])
@pytest.mark.parametrize("factor", [1.001, -1.0, 0.0])
def test_wrong_derivatives_are_still_found(text, factor):
    """Of a sine, in programs with and without cancellation."""
    right = [check(HEADER + text, seed).verdict for seed in range(12)]
    with partials_of(np.sin, lambda x, out: factor * np.cos(x)):
        known: dict = {}
        wrong = [check(HEADER + text, seed, known=known).verdict for seed in range(12)]
    checked = [w for r, w in zip(right, wrong) if r == "differentiated"]
    assert checked and "wrong" not in right
    assert checked.count("wrong") >= 0.8 * len(checked)


def test_a_wrong_product_rule_is_found_where_terms_cancel():
    right = [check(HEADER + CANCELLING, seed).verdict for seed in range(30)]
    with partials_of(operator.mul, lambda x, y, out: (y, 1.001 * x)):
        known: dict = {}
        wrong = [
            check(HEADER + CANCELLING, seed, known=known).verdict for seed in range(30)
        ]
    checked = [w for r, w in zip(right, wrong) if r == "differentiated"]
    assert checked.count("wrong") >= 0.8 * len(checked) > 2


def test_rounding_otherwise_moves_results_by_a_unit_in_the_last_place():
    x = Dual(0.3, 1.0)
    with rounded_otherwise(1):
        once, again = x * x, x * x
        assert once.value == again.value  # the same computation, the same result
        zero = once - again
        assert zero.value == 0.0
        assert (Dual(0.3) * 0.3).value == 0.3 * 0.3  # what doesn't vary
    assert abs(once.value - 0.09) <= 2 * math.ulp(0.09)
    results = set()
    for salt in range(1, 8):
        with rounded_otherwise(salt):
            results.add((x * x).value)
    assert len(results) == 2 and SPREADS > 1.0


def test_what_numpy_gives_as_nan_is_no_error():
    """The oracle's ``math`` raises where NumPy doesn't; programs would catch it."""
    body = """
        try:
            y = {}.log(-x * x)
        except ValueError:
            return x * x
        return x + y * 0.0
    """
    start = IMPORTS + "def program(x):\n"
    for module, verdict in (("np", "left out"), ("math", "differentiated")):
        text = start + textwrap.indent(textwrap.dedent(body.format(module)), "    ")
        assert check(text, 0).verdict == verdict


def test_overflow_inside_is_no_wrong_derivative():
    """The adjoint of what nobody reads is 0, and times inf that is nan."""
    text = (
        IMPORTS
        + """
def program(v):
    values = [v[0]]
    for _ in range(12):
        values.append(values[-1] * values[-1] * 1e20)
    return values[0]
"""
    )
    outcome = check(text, 0)
    assert (outcome.verdict, outcome.detail) == ("left out", "overflow inside")


@pytest.mark.parametrize(
    "first, verdict",
    [("0.0 * x", "left out"), ("1.0 - x * 0", "differentiated"), ("0.0", None)],
)
def test_a_factor_of_zero_before_an_infinite_slope_is_no_wrong_derivative(
    first, verdict
):
    """The adjoint of the root is infinite there, and times zero that is nan."""
    text = IMPORTS + f"def program(x):\n    y = -({first}) + 0.0\n"
    text += "    return (-y) ** 0.25 + x\n"
    assert check(text, 0).verdict == (verdict or "differentiated")


@pytest.mark.parametrize("result, verdict", [("2", "left out"), ("2.0 * x", None)])
def test_an_int_has_no_derivative(result, verdict):
    text = IMPORTS + f"def program(x):\n    return {result}\n"
    assert check(text, 0).verdict == (verdict or "differentiated")


def test_a_comparison_that_the_last_digit_decides_is_left_out():
    """Six times 0.7 is added up in another order by NumPy."""
    text = (
        IMPORTS
        + """
def program(x):
    if np.mean(0.7 * np.ones((2, 3))) > 0.7:
        return x + 1.0
    return x * x - 9.0
"""
    )
    outcome = check(text, 0)
    words = "a comparison that the last digit decides"
    assert (outcome.verdict, outcome.detail) == ("left out", words)


SINGULAR = """
def program(x, o, q):
    d = {value}
    e = np.sqrt(np.sum(q * q))
    if d < 0.1:
        return {result}
    return e
"""
VALUES = [
    "math.sqrt(o)",
    "o ** 0.5",
    "math.asin(1.0 - o) - 0.5 * math.pi",
    "math.sqrt(o * o)",
]


@pytest.mark.parametrize("value", VALUES)
def test_a_singular_value_counts_where_it_is_used(value):
    """Forward mode has the derivative of the path that ran; where the singular value is
    part of the result there is nothing to compare."""
    for result, verdict in (("3.0 * o + x * x", "differentiated"), ("d", "left out")):
        text = IMPORTS + SINGULAR.format(value=value, result=result)
        assert check(text, 0, only="jvp").verdict == verdict


def test_objects_with_operators_of_their_own_are_the_oracles_too():
    text = IMPORTS + FOREIGN + "def program(x):\n    return math.sin(x * {})\n"
    for name, factor in (("NAMED", 1.25), ("WEIGHT", 0.3), ("PART", 1.0 / 3.0)):
        names = load(text.format(name), math=MATH)
        found = names["program"](Dual(0.4, 1.0))
        assert math.isclose(found.first, factor * math.cos(0.4 * factor))


def test_the_report_shows_the_derivative_that_failed(capsys):
    """Others, which are compared before it, may fail in ways of their own."""
    text = HEADER + "def program(x):\n    return np.sin(x)\n"
    with partials_of(np.sin, lambda x, out: 2.0 * np.cos(x)):
        outcome = check(text, 0, only="hvp")
        report(text, 0, NUMPY, outcome)
    assert capsys.readouterr().out.startswith(f"seed 0: hvp: {outcome.detail[5:]}")


@pytest.mark.parametrize(
    "lines, verdict",
    [
        ("y = -PART\n    return v + y", "refused"),
        ("x = PART - 2 if v[0] < 9.0 else x\n    return x", "differentiated"),
    ],
)
def test_fractions_are_refused_when_run_or_returned_as_they_are(lines, verdict):
    """They are objects whose operators rules don't know."""
    text = HEADER + FOREIGN + f"def program(x, v):\n    {lines}\n"
    outcome = check(text, 0, only="jvp")
    assert outcome.verdict == verdict, outcome.detail
