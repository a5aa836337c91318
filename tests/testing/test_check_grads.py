"""``check_grads``: right derivatives pass, wrong ones don't, and what differences can't
decide is said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from s2sad import custom_vjp, grad, rule, vjp
from s2sad.errors import ArgumentError, UnsupportedError
from s2sad.rules import registry
from s2sad.testing import check_gradient, check_grads, check_rule
from s2sad.testing.modes import grads_report

RNG = np.random.default_rng(11)
V = RNG.normal(size=4)
M = RNG.normal(size=(3, 4))


@dataclass
class Model:
    w: np.ndarray
    scale: float
    name: str = "linear"


class Pair(NamedTuple):
    x: float
    y: np.ndarray


def of_dataclass(model, x):
    return model.scale * np.tanh(x @ model.w)


def keyword_only(x, *, scale=2.0):
    return np.sum(x**3) * scale


def several(*values):
    return values[0] * values[1] + np.exp(values[2])


def changes_its_argument(x):
    x *= 2.0
    return np.sum(x * x)


RIGHT = {
    "number": (lambda x: math.sin(x) * x, (0.3,)),
    "array": (lambda v: np.exp(np.sin(v)), (V,)),
    "matrix": (lambda m, v: m @ v, (M, V)),
    "solve": (
        lambda a, b: np.linalg.solve(a, b),
        (np.eye(3) + 0.1 * M[:, :3], M[:, 3]),
    ),
    "tuple result": (lambda v, x: (v * x, np.sum(v), 3), (V, 0.5)),
    "list result": (lambda x: [x, x * x], (0.5,)),
    "dict result": (lambda v: {"a": v * v, "n": 2, "b": np.sum(v)}, (V,)),
    "tuple argument": (lambda p: p[0] * p[1], ((0.3, V),)),
    "dict argument": (lambda p: np.sum(p["w"] * p["b"]), ({"w": V, "b": 2.0},)),
    "named tuple": (lambda p: np.sum(p.x * p.y**2), (Pair(0.4, V),)),
    "dataclass": (of_dataclass, (Model(V, 1.5), M)),
    "other arguments": (
        lambda v, n, flag: np.sum(v) ** n if flag else 0.0,
        (V, 3, True),
    ),
    "variadic": (several, (0.5, 2.0, 0.1)),
    "changed argument": (changes_its_argument, (V,)),
    "steep": (lambda x: np.tanh(1e5 * x), (1e-6,)),
    "narrow": (lambda x: x * np.exp(-((1e5 * x) ** 2)), (0.0,)),
    "fast": (lambda x: np.sin(1e4 * x), (0.3,)),
    "far from 0": (lambda x: np.log(x), (1e9,)),
    "near the border": (lambda x: np.sqrt(x), (1e-7,)),
    "near a kink": (lambda v: np.maximum(v, 0.0), (np.array([1e-5, -1e-5, 1.0]),)),
    "large": (lambda v: 1e12 * np.sum(v**3), (V,)),
    "tiny": (lambda v: 1e-12 * np.sum(v**3), (V,)),
    "constant in one": (lambda x, y: x * x + 0.0 * y, (0.5, 1.0)),
    "piecewise constant": (lambda x: x + np.floor(x), (0.5,)),
    "single precision": (lambda v: np.sum(np.sin(v) * v), (V.astype(np.float32),)),
    "empty": (lambda v, x: np.sum(v) + x * x, (np.zeros(0), 2.0)),
    "rank 0": (lambda v: np.where(v > 0, v * v, 0.0), (np.array(0.5),)),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", RIGHT)
def test_right_derivatives_pass(name):
    function, args = RIGHT[name]
    kept = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    report = check_grads(function, args)
    assert report.passed, str(report)
    for old, new in zip(kept, args):
        if isinstance(old, np.ndarray):
            np.testing.assert_array_equal(old, new)


def test_what_is_compared_is_named():
    report = check_grads(of_dataclass, (Model(V, 1.5), M), most=2)
    names = [c.what for c in report.comparisons]
    assert sum(n.startswith("model.w[") and "forward" not in n for n in names) == 2
    assert "model.scale" in names and "model.scale, forward" in names
    assert "the dot-product test" in names and "symmetry of the Hessian" in names
    assert "second derivative, x[2, 3]" in names


def test_wrt_keywords_and_modes():
    report = check_grads(keyword_only, (V,), wrt="scale", keywords={"scale": 3.0})
    assert {c.what for c in report.comparisons} == {
        "scale",
        "scale, forward",
        "the dot-product test",
        "second derivative, scale",
        "symmetry of the Hessian",
    }
    forward = check_grads(lambda x: x * x, (2.0,), modes=("fwd",), order=1)
    assert [c.what for c in forward.comparisons] == ["x, forward"]
    reverse = check_grads(lambda x: x * x, (2.0,), ("rev",), 1)
    assert [c.what for c in reverse.comparisons] == ["x"]


# Functions whose registered derivatives are wrong, in one way each.


def cubed(x):
    return x * x * x


def wrong_partial(x):
    return np.power(x, 3.0)


def wrong_forward(x):
    return np.power(x, 3.0)


def wrong_transpose(x):
    return np.power(x, 3.0)


def slightly_wrong(x):
    return np.power(x, 3.0)


def wrong_second(x):
    return np.power(x, 3.0)


def wrong_third(x):
    return np.power(x, 4.0)


def frozen_square(x):
    return x * x


@pytest.fixture(autouse=True)
def wrong_rules():
    rule.elementwise(wrong_partial, lambda x, out: 2.0 * x * x)
    rule.elementwise(slightly_wrong, lambda x, out: 3.00001 * x * x)
    rule.elementwise(frozen_square, lambda x, out: 2.0 * x)
    rule.elementwise(wrong_second, lambda x, out: 3.0 * frozen_square(x))

    @rule.reverse_of(wrong_forward)
    def _(x, *, out, out_bar):
        return 3.0 * x * x * out_bar

    @rule.forward_of(wrong_forward)
    def _(x, *, out, x_dot):
        return 2.0 * x * x * x_dot

    @rule.reverse_of(wrong_transpose)
    def _(x, *, out, out_bar):
        return 2.0 * x * x * out_bar

    @rule.forward_of(wrong_transpose)
    def _(x, *, out, x_dot):
        return 3.0 * x * x * x_dot

    yield
    for function in (
        wrong_partial, slightly_wrong, frozen_square, wrong_second, wrong_forward,
        wrong_transpose,
    ):  # fmt: skip
        registry.unregister(function)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("point", [0.7, V, np.array([[1e-3, -2.0]])])
@pytest.mark.parametrize("modes", [("rev",), ("fwd",), ("fwd", "rev")])
def test_wrong_partials_are_found_in_each_mode(point, modes):
    for function in (wrong_partial, slightly_wrong):
        with pytest.raises(AssertionError, match="WRONG x"):
            check_grads(lambda x, f=function: f(x), (point,), modes, 1)


def test_each_mode_is_found_on_its_own():
    check_grads(lambda x: wrong_forward(x), (V,), ("rev",), 1)
    with pytest.raises(AssertionError, match=r"WRONG x\[0\], forward") as error:
        check_grads(lambda x: wrong_forward(x), (V,), order=1)
    assert "dot-product" in str(error.value)
    check_grads(lambda x: wrong_transpose(x), (V,), ("fwd",), 1)
    with pytest.raises(AssertionError, match=r"WRONG x\[0\]:") as error:
        check_grads(lambda x: wrong_transpose(x), (V,), order=1)
    assert "dot-product" in str(error.value)


def test_wrong_second_derivatives_are_found():
    rule.elementwise(frozen_square, lambda x, out: 1.0 * x)
    check_grads(lambda x: wrong_second(x), (V,), order=1)
    with pytest.raises(AssertionError, match="WRONG second derivative, x"):
        check_grads(lambda x: wrong_second(x), (V,))
    with pytest.raises(AssertionError, match="WRONG second derivative, x"):
        check_grads(lambda x: np.sum(wrong_second(x)), (V,))


def product_of_keys(p):
    return p["w"] @ p["w"] * p["b"] ** 2


def several_results(x, n):
    return {"a": x**n, "b": np.exp(x[0]) * x}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function, point",
    [
        (lambda x: x**5, (1.3,)),
        (lambda x, y: np.sin(x) * y**3 + x @ x, (V, 2.0)),
        (several_results, (V, 4)),
        (product_of_keys, ({"w": V, "b": 2.0},)),
    ],
)
def test_higher_orders(function, point):
    report = check_grads(function, point, order=4)
    labels = [c.what for c in report.comparisons]
    assert report.passed
    assert "symmetry of the third derivative" in labels
    assert "symmetry of the derivative of order 4" in labels
    assert any(label.startswith("third derivative, ") for label in labels)


def test_wrong_third_derivatives_are_found():
    rule.elementwise(wrong_third, lambda x, out: 4.0 * wrong_second(x))
    rule.elementwise(wrong_second, lambda x, out: 3.0 * frozen_square(x))
    rule.elementwise(frozen_square, lambda x, out: 1.0 * x)
    try:
        check_grads(lambda x: wrong_third(x), (V,), order=2)
        with pytest.raises(AssertionError, match="WRONG third derivative, x"):
            check_grads(lambda x: wrong_third(x), (V,), order=3)
    finally:
        registry.unregister(wrong_third)


def test_higher_orders_that_are_not_tried():
    def scaled(x, *, factor):
        return factor * x**3

    report = check_grads(scaled, (2.0,), order=3, keywords={"factor": 3.0})
    (undecided,) = report.undecided
    assert undecided.what == "third derivative" and "keyword" in undecided.undecided


def test_the_report_is_readable():
    with pytest.raises(AssertionError) as error:
        check_grads(lambda x, y: np.sum(wrong_partial(x)) * y, (np.ones(30), 2.0))
    lines = str(error.value).splitlines()
    assert "2 of" not in lines[0] and "agree, largest error" in lines[0]
    assert lines[1].startswith("  WRONG x[0]: 4, expected 6")
    assert "(error 2.0e+00, tolerance " in lines[1]
    assert lines[-1].startswith("  and ") and lines[-1].endswith(" more")


# What differences can't decide.


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function, point, reason",
    [
        (lambda x: abs(x), 0.0, "kink"),
        (lambda x: np.maximum(x, 0.0) + x, 0.0, "kink"),
        (lambda x: max(x, 0.0) + 1e3 * x * x + x, 0.0, "kink"),
        (lambda x: np.floor(x) + x * x, 2.0, "kink or a step"),
        (lambda x: np.sqrt(x), 0.0, "isn't finite"),
        (lambda x: np.linalg.norm(x), np.zeros(2), "kink"),
        (lambda x: (1e14 + math.sin(x)) - 1e14, 0.0, "other steps"),
        (lambda x: (1e14 + math.sin(x)) - 1e14 + math.cos(x), 0.5, "other steps"),
    ],
)
def test_undecided_points_neither_pass_nor_are_wrong(function, point, reason):
    def with_other(x, y):
        return function(x) + y * y

    report = check_grads(with_other, (point, 3.0), order=1)
    assert not report.passed and not report.failed
    assert report.undecided
    for comparison in report.undecided:
        if comparison.what != "the dot-product test":
            assert comparison.what.startswith("x") and reason in comparison.undecided
            assert str(comparison).startswith("undecided x")


def test_where_nothing_is_decided_it_raises():
    with pytest.raises(AssertionError, match="kink"):
        check_grads(lambda x: abs(x), (0.0,), ("rev",), 1)


def test_a_complex_step_decides_what_differences_leave_open():
    """Large terms cancel, on complex numbers too; the imaginary part is exact."""
    for function in (
        lambda x: (1e14 + np.sin(x)) - 1e14,
        lambda x: ((1e12 + x) ** 2 - 1e24) / 2e12 + np.sin(x),
        lambda v: np.sum((1e14 + np.sin(v) * v) - 1e14),
    ):
        for point in (0.5, np.array([0.5, 0.7])):
            assert check_grads(function, (point,), order=1).passed


def test_a_wrong_derivative_of_a_badly_conditioned_function_is_found():
    def staircase(x):
        return (1e11 + wrong_partial(x)) - 1e11

    with pytest.raises(AssertionError, match="WRONG x"):
        check_grads(staircase, (0.7,), ("rev",), 1)


# Derivatives of which nothing is left but rounding.

A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])


def of_eigenvectors(a):
    return np.sum(np.linalg.eigh(a)[1] ** 2 * np.arange(3.0))


def large_constant(x):
    return 1e8 * np.sum(np.exp(x) / np.sum(np.exp(x)))


def nothing_left(x):
    return np.sin(x) ** 2 + np.cos(x) ** 2 - 1.0


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function, point",
    [
        (of_eigenvectors, A),
        (large_constant, V),
        (large_constant, np.array([0.1, 0.2, 3.0], np.float32)),
        (nothing_left, V),
        (nothing_left, 0.3),
    ],
)
def test_rounding_of_a_constant_function_is_not_wrong(function, point):
    for seed in range(2):
        report = check_grads(function, (point,), seed=seed)
        assert not report.failed, str(report)
        assert not check_rule(function, point, seed=seed).failed
        assert not check_gradient(function, point, seed=seed).failed


@pytest.mark.sampled(3)
@pytest.mark.parametrize("wrong", [wrong_forward, wrong_transpose])
@pytest.mark.parametrize("scale, beside", [(1e-20, 0.0), (1.0, 1e15), (1e8, -3e9)])
def test_the_room_for_rounding_hides_nothing_that_is_wrong(wrong, scale, beside):
    def function(x):
        return beside + np.sum(scale * wrong(x))

    def mistaken(report):
        return "the dot-product test" in [c.what for c in report.failed]

    assert mistaken(grads_report(function, (V,), order=1))
    if scale >= 1.0:  # tolerances of check_rule are absolute
        assert mistaken(check_rule(function, V, second_order=False))


def test_a_wrong_derivative_at_a_tie_is_found():
    """A derivative that is another one at each point nearby, though not by rounding."""

    @rule.reverse_of(first_of_the_largest)
    def _(x, *, out, out_bar):
        return np.where(np.arange(x.size) == np.argmax(x), out_bar, 0.0)

    @rule.forward_of(first_of_the_largest)
    def _(x, *, out, x_dot):
        return x_dot[x.size - 1 - np.argmax(x[::-1])]

    try:
        report = grads_report(
            lambda x: first_of_the_largest(x) + 0.0, (np.ones(2),), order=1
        )
        assert [c.what for c in report.failed] == ["the dot-product test"]
    finally:
        registry.unregister(first_of_the_largest)


def first_of_the_largest(x):
    return np.max(x)


# What can't be checked.


def test_bad_requests():
    with pytest.raises(ArgumentError, match="modes"):
        check_grads(cubed, (1.0,), modes=("forward",))
    with pytest.raises(ArgumentError, match="modes"):
        check_grads(cubed, (1.0,), modes="rev")
    for order in (0, 2.5):
        with pytest.raises(ArgumentError, match="order"):
            check_grads(cubed, (1.0,), order=order)
    with pytest.raises(ArgumentError, match="holds a float"):
        check_grads(cubed, (1,))
    with pytest.raises(ArgumentError, match="holds no float"):
        check_grads(lambda x: int(x), (1.5,))
    with pytest.raises(UnsupportedError):
        check_grads(lambda x: np.roots(x), (V,))


COMPLEX = np.array([1.3 + 2.0j, -0.5 - 1.1j])


@pytest.mark.parametrize(
    "function", [lambda z: np.sum(np.abs(z * z + 1j) ** 2), lambda z: np.exp(z) * z]
)
def test_complex_arguments_and_results_are_checked_part_by_part(function):
    check_grads(function, (COMPLEX,), order=2)


def test_a_wrong_derivative_by_an_imaginary_part_is_found():
    @custom_vjp
    def squared(z):
        return np.sum(np.abs(z) ** 2)

    squared.defvjp(lambda z: (squared(z), z), lambda z, bar: (2.0 * np.conj(z) * bar,))
    with pytest.raises(AssertionError, match=r"z\[0\].imag"):
        check_grads(squared, (COMPLEX,), modes=["rev"])


def widths(x, places):
    total = 0.0
    for k in range(len(places) - 1):
        total = total + x * (places[k + 1] - places[k]) ** 2
    return total


def widths_of_record(x, record):
    return widths(x, record["places"]) * record["scale"]


def results_beside_ints(x, places):
    return [x * widths(x, places), places[1], places[0] * x]


MIXED = [0.5, 1, 3, 4.5, 5]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(
    "function, given",
    [
        (widths, MIXED),
        (widths, [1, 0.5, 3]),
        (widths, tuple(MIXED)),
        (widths_of_record, {"places": MIXED, "scale": 2}),
        (widths_of_record, {"places": [2.5, 1], "scale": 0.5}),
    ],
)
def test_ints_beside_floats(function, given, order):
    check_grads(function, (0.7, given), order=order)


def test_results_beside_ints():
    """The cotangent of an int is None, in the middle of an addition here."""
    check_grads(results_beside_ints, (0.7, MIXED), order=1)
    given = [1.0, None, 2.0]
    found = grad(results_beside_ints, (0, 1))(0.7, MIXED, gradient=given)
    _, pullback = vjp(results_beside_ints, 0.7, MIXED)
    assert found == pullback(given)
