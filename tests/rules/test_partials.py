"""The rules of elementwise functions, run as plain Python: no compiler is involved.

Questions that the compiler answers from kinds are answered from the live arguments; a
number counts as literal only where the case says so.
"""

from __future__ import annotations

import math
import zlib
from unittest import mock

import numpy as np
import pytest

import s2sad.rules.numpy.elementwise
import s2sad.rules.numpy.selection
import s2sad.rules.python.builtins
import s2sad.rules.python.math
import s2sad.rules.python.operators
from s2sad.ir.kinds import Array, Known, NumPyScalar, Scalar, Structure
from s2sad.ops.augmented_operators import PLAIN
from s2sad.ops.numerics.special import digamma, polygamma, sinc_derivative
from s2sad.rules import predicates
from s2sad.rules.registry import all_rules, rule_for
from tests.rules.rule_cases import (
    ANY,
    RULE_CASES,
    WITHOUT_DERIVATIVE,
    ZERO,
    LiteralFloat,
    LiteralInt,
)
from tests.rules.test_calls import CALLS
from tests.support.finite_differences import (
    assert_trees_close,
    central_difference_gradient,
    is_differentiable,
    tree_dot,
    tree_map,
    tree_random_like,
)

MODULES = (
    s2sad.rules.python.builtins,
    s2sad.rules.python.math,
    s2sad.rules.numpy.elementwise,
    s2sad.rules.numpy.selection,
    s2sad.rules.python.operators,
)
SMOOTH = [case for case in RULE_CASES if case.expected is None]
SINGULAR = [case for case in RULE_CASES if case.expected is not None]
_live_kind = predicates.live_kind


def kind_of(value):
    """The kind of an argument, in which a number isn't known unless it is literal."""
    if isinstance(value, LiteralFloat):
        return Scalar("float", float(value))
    if isinstance(value, LiteralInt):
        return Scalar("int", int(value))
    if type(value) in (bool, int, float, complex):
        return Scalar(type(value).__name__)
    return _live_kind(value)


@pytest.fixture(autouse=True)
def live_predicates():
    with mock.patch.object(predicates, "live_kind", kind_of), np.errstate(all="ignore"):
        yield


def summed_to(cotangent, value):
    """The cotangent of a value that was broadcast."""
    shape = np.shape(value)
    cotangent = np.asarray(cotangent)
    cotangent = np.sum(
        cotangent, axis=tuple(range(max(cotangent.ndim - len(shape), 0)))
    )
    ones = tuple(
        k for k, n in enumerate(shape) if n == 1 and cotangent.ndim == len(shape)
    )
    return np.sum(cotangent, axis=ones, keepdims=True)


def broadcast_like(cotangent, value):
    return tree_map(lambda v, c: np.broadcast_to(c, np.shape(v)), value, cotangent)


def by_name(rule, case, values):
    """The values of the arguments in ``wrt`` by the names of the rule's parameters.

    A parameter that takes any number of arguments has a tuple.
    """
    bound = rule.signature.bind(*case.arguments, **case.keywords)
    found, position = {}, 0
    for name in bound.arguments:
        kind = rule.signature.parameters[name].kind
        if kind is kind.VAR_POSITIONAL:
            found[name] = tuple(
                values.get(k, ZERO) for k in range(position, len(case.arguments))
            )
        else:
            found[name] = values.get(position, ZERO)
        position += 1
    return found


def pullback(case, out, out_bar):
    """The cotangents of the arguments in ``wrt``."""
    rule = rule_for(case.function)
    if rule.partials is not None:
        partials = rule.partials(*case.arguments, **case.keywords, out=out)
        partials = partials if isinstance(partials, tuple) else (partials,)
        bars = tuple(np.multiply(out_bar, partial) for partial in partials)
    else:
        bars = rule.reverse(*case.arguments, **case.keywords, out=out, out_bar=out_bar)
        bars = bars if len(rule.differentiable) > 1 else (bars,)
    assert len(bars) == len(rule.differentiable)
    named = dict(zip(rule.differentiable, bars))
    variadic = {
        name
        for name, parameter in rule.signature.parameters.items()
        if parameter.kind is parameter.VAR_POSITIONAL
    }
    bound = list(rule.signature.bind(*case.arguments, **case.keywords).arguments)
    cotangents = []
    for position in case.wrt:
        value = case.arguments[position]
        if bound[0] in variadic:
            cotangents.append(named[bound[0]][position])
        elif rule.partials is not None:
            cotangents.append(summed_to(named[bound[position]], value))
        else:
            cotangents.append(named[bound[position]])
    return tuple(
        broadcast_like(bar, case.arguments[position])
        for bar, position in zip(cotangents, case.wrt)
    )


def pushforward(case, out, tangents):
    rule = rule_for(case.function)
    values = dict(zip(case.wrt, tangents))
    dots = by_name(rule, case, values)
    if rule.forward is not None:
        named = {f"{name}_dot": dots.get(name, ZERO) for name in rule.differentiable}
        return rule.forward(*case.arguments, **case.keywords, out=out, **named)
    if rule.linear:
        return rule.function(tangents[0])
    partials = rule.partials(*case.arguments, **case.keywords, out=out)
    partials = partials if isinstance(partials, tuple) else (partials,)
    return sum(
        partial * dots[name]
        for name, partial in zip(rule.differentiable, partials)
        if dots.get(name, ZERO) is not ZERO
    )


def tangent_like(rng, argument):
    """Random tangents, with zeros where there is no derivative."""
    drawn = tree_random_like(rng, argument)
    return tree_map(
        lambda v, d: np.zeros(np.shape(v)) if d is None else d, argument, drawn
    )


def value_of(case):
    return case.function(*case.arguments, **case.keywords)


def generator(case):
    return np.random.default_rng(zlib.crc32(case.name.encode()))


def only_real(value, cotangent):
    """The cotangent with None where the value has no derivative."""
    return tree_map(lambda v, c: c if is_differentiable(v) else None, value, cotangent)


@pytest.mark.parametrize("case", SMOOTH, ids=lambda case: case.name)
def test_gradient_is_that_of_central_differences(case):
    out = value_of(case)
    out_bar = tangent_like(generator(case), out)

    def projected(*arguments):
        value = case.function(*arguments, **case.keywords)
        return tree_dot(out_bar, value)

    expected = central_difference_gradient(projected, case.arguments, case.wrt)
    actual = pullback(case, out, out_bar)
    for position, bar, reference in zip(case.wrt, actual, expected):
        bar = only_real(case.arguments[position], bar)
        wide = any(getattr(a, "dtype", None) == np.float32 for a in case.arguments)
        tolerance = 1e-2 if wide else 3e-8
        assert_trees_close(bar, reference, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", RULE_CASES, ids=lambda case: case.name)
def test_pushforward_is_the_transpose_of_the_pullback(case):
    out = value_of(case)
    rng = generator(case)
    out_bar = tangent_like(rng, out)
    tangents = tuple(tangent_like(rng, case.arguments[k]) for k in case.wrt)
    if not case.wrt or (case.function is max and case.note == "nan"):
        return
    out_dot = broadcast_like(pushforward(case, out, tangents), out)
    bars = pullback(case, out, out_bar)
    forward = tree_dot(tree_map(np.asarray, out_dot), tree_map(np.asarray, out_bar))
    reverse = sum(
        tree_dot(tree_map(np.asarray, dot), tree_map(np.asarray, bar))
        for dot, bar in zip(tangents, bars)
    )
    np.testing.assert_allclose(
        forward, reverse, rtol=1e-5 if "float" in case.name else 1e-12, atol=1e-12
    )


@pytest.mark.parametrize("case", SINGULAR, ids=lambda case: case.name)
def test_gradient_at_singular_point_is_the_convention(case):
    out = value_of(case)
    out_bar = tree_map(lambda v: np.ones(np.shape(v))[()], out)
    for bar, expected in zip(pullback(case, out, out_bar), case.expected):
        np.testing.assert_allclose(bar, expected, rtol=1e-14)


FLOAT32 = [
    case
    for case in SMOOTH
    if any(getattr(a, "ndim", 0) for a in case.arguments)
    and all(
        not isinstance(a, np.ndarray) or a.dtype != np.int64 for a in case.arguments
    )
    and case.function
    not in (
        float,
        np.float64,
        np.imag,
        np.longdouble,
        np.float_power,
        sum,
        math.fsum,
        math.dist,
    )
]


@pytest.mark.parametrize("case", FLOAT32, ids=lambda case: case.name)
def test_float32_stays_float32(case):
    def narrow(a):
        real = isinstance(a, (np.ndarray, np.float64)) and a.dtype == np.float64
        return a.astype(np.float32) if real else a

    narrowed = type(case)(
        case.function, tuple(map(narrow, case.arguments)), case.wrt, case.keywords
    )
    out = value_of(case)
    out_bar = np.ones(np.shape(out))
    bars = pullback(narrowed, value_of(narrowed), out_bar.astype(np.float32))
    wide = pullback(case, out, out_bar)
    for k, bar, reference in zip(case.wrt, bars, wide):
        np.testing.assert_allclose(bar, reference, rtol=2e-4, atol=1e-4)
        if np.ndim(narrowed.arguments[k]) and all(
            np.ndim(a) for a in narrowed.arguments if a is not None
        ):
            assert bar.dtype == np.float32


def describes(kind, value):
    """Whether the kind is true of the value."""
    if isinstance(kind, Scalar):
        known = kind.value is None or kind.value == value
        return (type(value).__name__ == kind.type and known) or (
            kind.type == "float" and type(value) is int  # where int joins float
        )
    if isinstance(kind, NumPyScalar):
        named = kind.dtype in (None, getattr(value, "dtype", None))
        return isinstance(value, np.generic) and named
    if isinstance(kind, Array):
        if not isinstance(value, np.ndarray) or kind.dtype not in (None, value.dtype):
            return False
        return kind.axes is None or (
            len(kind.axes) == value.ndim
            and all(
                a.length == "any" or (a.length == "one") == (n == 1)
                for a, n in zip(kind.axes, value.shape)
            )
        )
    if isinstance(kind, Structure):
        return all(map(describes, kind.items, value))
    return isinstance(kind, Known) and kind.value == value


def bare(value):
    """Python's own type in place of a literal's."""
    return {LiteralFloat: float, LiteralInt: int}.get(type(value), lambda v: v)(value)


@pytest.mark.parametrize(
    "case", RULE_CASES + WITHOUT_DERIVATIVE, ids=lambda case: case.name
)
def test_kind_of_result_is_true(case):
    rule = rule_for(case.function)
    bound = rule.signature.bind(*case.arguments, **case.keywords)
    kinds = {name: kind_of(value) for name, value in bound.arguments.items()}
    value = case.function(*map(bare, case.arguments), **case.keywords)
    kind = rule.kind(**kinds)
    assert describes(kind, value), f"{kind} for {value!r}"


@pytest.mark.parametrize("case", WITHOUT_DERIVATIVE, ids=lambda case: case.name)
def test_functions_without_derivative_are_registered_as_such(case):
    assert not rule_for(case.function).differentiates


def test_every_function_with_a_derivative_has_a_case():
    names = {module.__name__ for module in MODULES}
    covered = {case.function for case in RULE_CASES}
    covered |= {call.function for call in CALLS}
    missing = [
        rule.function
        for rule in all_rules()
        if rule.differentiates
        and (rule.partials or rule.reverse).__module__ in names
        and rule.function not in covered
        and rule.function not in PLAIN  # replaced before any derivative is taken
        # test_complex_numbers.py
        and rule.function not in (np.complex64, np.complex128, np.clongdouble)
    ]
    assert not missing


@pytest.mark.parametrize(
    "case",
    [c for c in RULE_CASES if rule_for(c.function).masking and c.wrt],
    ids=lambda case: case.name,
)
def test_choices_select_and_do_not_multiply(case):
    """An infinite cotangent must not become nan where nothing was chosen."""
    out = value_of(case)
    out_bar = tree_map(lambda v: np.full(np.shape(v), np.inf)[()], out)
    for bar in pullback(case, out, out_bar):
        assert not any(
            np.isnan(b).any() for b in (bar if isinstance(bar, tuple) else (bar,))
        )


def test_polygamma_at_known_values():
    euler, zeta3 = 0.5772156649015329, 1.2020569031595943
    np.testing.assert_allclose(digamma(1.0), -euler, rtol=1e-15)
    np.testing.assert_allclose(digamma(0.5), -euler - 2 * math.log(2), rtol=1e-15)
    np.testing.assert_allclose(polygamma(1, 1.0), math.pi**2 / 6, rtol=1e-15)
    np.testing.assert_allclose(polygamma(1, 0.5), math.pi**2 / 2, rtol=1e-15)
    np.testing.assert_allclose(polygamma(2, 1.0), -2 * zeta3, rtol=1e-15)
    np.testing.assert_allclose(polygamma(3, 0.5), math.pi**4, rtol=1e-15)
    # psi(1 - x) - psi(x) = pi cot(pi x)
    np.testing.assert_allclose(digamma(-0.25), digamma(1.25) + math.pi, rtol=1e-14)


def test_polygamma_satisfies_its_recurrence():
    x = np.linspace(-6.05, 30.0, 733)
    for order in range(5):
        step = (-1.0) ** order * math.factorial(order) * x ** -(order + 1.0)
        error = polygamma(order, x + 1) - polygamma(order, x) - step
        assert np.max(np.abs(error) / (1 + np.abs(polygamma(order, x)))) < 1e-12


def test_sinc_derivative_is_an_integral():
    """sinc(x) is the integral of cos(pi x t) over t in [0, 1]."""
    x = np.concatenate([np.linspace(-6, 6, 1201), [1e-12, 1e-300]])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    t, weights = (nodes + 1) / 2, weights / 2
    for n in range(7):
        phase = np.pi * np.multiply.outer(x, t) + n * np.pi / 2
        expected = np.pi**n * np.sum(weights * t**n * np.cos(phase), axis=-1)
        error = sinc_derivative(x, n) - expected
        assert np.max(np.abs(error)) < 1e-13 * np.pi**n


def test_absolute_value_of_complex_numbers():
    z = ANY + 1j * ANY.T.reshape(3, 4)
    rule = rule_for(np.absolute)
    np.testing.assert_allclose(
        rule.reverse(z, out=np.abs(z), out_bar=2.0), 2 * z / np.abs(z)
    )
    assert rule.reverse(0j, out=0.0, out_bar=1.0) == 0
