"""The walk of the table of cases (``tests/rules/cases``) through the compiler.

Calls of functions that have rules are small programs, compiled as users' programs are;
calls of libraries are checked by ``check_rule``. Of each function the first call is
walked in its variants too (``tests/rules/variants.py``).
"""

from __future__ import annotations

import pathlib
import tempfile
import zlib

import numpy as np
import pytest

from s2sad import grad, hvp, jacfwd, jvp, vjp
from s2sad.testing import check_rule
from s2sad.testing.structures import (
    copied,
    inner_product,
    largest_size,
    numbers_of,
    random_like,
)
from s2sad.testing.weighted_sums import call_of, weighted_sum_of
from tests.rules.cases import ARRAYS, ELEMENTS, LIBRARY, WITHOUT_DERIVATIVE
from tests.rules.rule_programs import rule_programs
from tests.rules.variants import (
    FIRST,
    VARIANTS,
    WITH_ARRAYS,
    at_zero,
    narrowed,
    needs_double,
    stays_finite_at_zero,
    strided,
    with_arrays,
)
from tests.support.compiled import compiled
from tests.support.finite_differences import central_difference_gradient

_directory = tempfile.TemporaryDirectory(prefix="s2sad-rules-")
_place = pathlib.Path(_directory.name)
PROGRAMS = [
    *rule_programs(
        ELEMENTS + WITHOUT_DERIVATIVE,
        "s2sad_elementwise_programs",
        _place,
        literal_numbers=False,
    ),
    *rule_programs(ARRAYS, "s2sad_array_programs", _place, literal_numbers=True),
]
REAL = [p for p in PROGRAMS if not p.is_complex and p.is_numeric]
ACTIVE = [p for p in REAL if p.active]
SMOOTH = [p for p in ACTIVE if p.case.expected is None]
INACTIVE = [p for p in REAL if not p.active]


def name_of(program):
    return program.name


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def derivative(recipe, program, wrt=None):
    return compiled(
        recipe,
        program.function,
        tuple(program.arguments.values()),
        wrt or program.active,
    )


def tangents_of(program):
    generator = np.random.default_rng(7)
    tangents = []
    for name in program.active:
        value = program.arguments[name]
        drawn = generator.normal(size=np.shape(value))
        if isinstance(value, np.ndarray | np.generic):
            tangents.append(np.asarray(drawn, value.dtype)[()])
        else:
            tangents.append(float(drawn))
    return tangents


@pytest.mark.sampled(21)
@pytest.mark.parametrize("program", ACTIVE, ids=name_of)
def test_first_derivatives(program):
    gradient = derivative("gradient", program)
    bars = gradient(*program.arguments.values())
    if program.case.expected is None:
        assert_those_of_differences(program, bars)
    else:
        assert_those_of_the_convention(program, bars)
    assert_forms_of_arguments(program, gradient)
    assert_pushforward_is_the_transpose(program, bars)


def assert_those_of_differences(program, actual):
    wide = {
        name: np.asarray(v, np.float64)[()]
        if getattr(v, "dtype", None) in (np.float32, np.float16)
        else v
        for name, v in program.arguments.items()
    }
    expected = central_difference_gradient(
        program.function,
        tuple(wide.values()),
        program.active,
        1e-3 if program.is_single else None,
    )
    tolerance = 2e-3 if program.is_single else 1e-6
    for gradient, reference in zip(actual, expected, strict=True):
        np.testing.assert_allclose(gradient, reference, rtol=tolerance, atol=tolerance)


def assert_those_of_the_convention(program, actual):
    expected = [
        part
        for e in program.case.expected
        for part in (e if isinstance(e, tuple) else (e,))
    ]
    assert len(actual) == len(expected)
    for gradient, reference in zip(actual, expected):
        np.testing.assert_allclose(
            gradient,
            np.broadcast_to(reference, np.shape(gradient)),
            rtol=1e-9,
            atol=1e-12,
        )


def assert_forms_of_arguments(program, derivative):
    """dtype and shape; writable, in memory of its own; the arguments are as they
    were."""
    kept = [copied(v) for v in program.arguments.values()]
    arguments = list(program.arguments.values())
    gradients = derivative(*arguments)
    for value, before in zip(arguments, kept, strict=True):
        np.testing.assert_array_equal(value, before)
    arrays = [v for v in arguments if isinstance(v, np.ndarray)]
    for name, gradient in zip(program.active, gradients, strict=True):
        primal = program.arguments[name]
        assert np.shape(gradient) == np.shape(primal)
        assert np.asarray(gradient).dtype == np.asarray(primal).dtype
        if np.ndim(primal):
            assert isinstance(gradient, np.ndarray) and gradient.flags.writeable
            assert not any(np.shares_memory(gradient, a) for a in arrays)
            arrays.append(gradient)
        elif not isinstance(primal, np.ndarray):
            assert not isinstance(gradient, np.ndarray)


def assert_pushforward_is_the_transpose(program, gradients):
    arguments = tuple(program.arguments.values())
    tangents = tangents_of(program)
    value, tangent = derivative("pushforward", program)(*arguments, *tangents)
    np.testing.assert_array_equal(value, program.function(*arguments))
    if not all(np.isfinite(g).all() for g in gradients):
        return
    if program.case.note in ("denormal", "nan"):
        return  # products of such numbers depend on their order
    expected = sum(
        float(np.vdot(g, t)) for g, t in zip(gradients, tangents, strict=True)
    )
    tolerance = 2e-3 if program.is_single else 1e-9
    assert tangent == pytest.approx(expected, rel=tolerance, abs=tolerance)


ALONE = [(p, name) for p in ACTIVE if len(p.active) > 1 for name in p.active]


@pytest.mark.sampled(60, of_long=3)
@pytest.mark.parametrize(
    "program, name", ALONE, ids=[f"{p.name} by {n}" for p, n in ALONE]
)
def test_by_one_operand_alone(program, name):
    """Both modes give what they give beside the others: the tangents and cotangents of
    these are no arrays but literal zeros, or not asked for."""
    arguments = tuple(program.arguments.values())
    place = program.active.index(name)
    expected = derivative("gradient", program)(*arguments)[place]
    near = 2e-3 if program.is_single else 1e-9
    alone = derivative("gradient", program, name)(*arguments)
    np.testing.assert_allclose(alone, expected, rtol=near, atol=near)
    direction = tangents_of(program)[place]
    _, tangent = derivative("pushforward", program, name)(*arguments, direction)
    if not np.isfinite(expected).all() or program.case.note in ("denormal", "nan"):
        return
    along = float(np.vdot(expected, direction))
    assert tangent == pytest.approx(along, rel=near, abs=near)
    if np.size(program.arguments[name]):
        jacobian = jacfwd(program.function, name)(*arguments)
        np.testing.assert_allclose(jacobian, expected, rtol=near, atol=near)


# not where the second derivative is nan, nor where differences of it are too coarse
TWICE = [
    p for p in SMOOTH if p.case.note not in ("singular", "zero") and not p.is_single
]


@pytest.mark.sampled(30, of_long=2)
@pytest.mark.parametrize("program", TWICE, ids=name_of)
def test_hessian_product_is_that_of_differences_of_the_gradient(program):
    arguments = tuple(program.arguments.values())
    tangents = tangents_of(program)
    products = derivative("hvp", program)(*arguments, *tangents)
    gradient = derivative("gradient", program)
    step = 1e-5

    def moved(sign):
        new = dict(program.arguments)
        for name, tangent in zip(program.active, tangents, strict=True):
            new[name] = new[name] + sign * step * tangent
        return gradient(*new.values())

    for product, upper, lower in zip(products, moved(+1), moved(-1), strict=True):
        expected = (np.asarray(upper) - lower) / (2 * step)
        scale = 1 + np.max(np.abs(upper), initial=0)
        np.testing.assert_allclose(product, expected, rtol=2e-5, atol=2e-6 * scale)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", INACTIVE, ids=name_of)
def test_what_has_no_derivative_is_a_constant(program):
    """The gradient with respect to a weight is the result itself."""
    arguments = tuple(program.arguments.values())
    gradient = compiled("gradient", program.function, arguments, "w0")
    outcome = program.case.function(*program.case.arguments, **program.case.keywords)
    first = outcome[0] if isinstance(outcome, tuple | list) else outcome
    actual = np.asarray(gradient(*arguments))
    assert actual.shape == np.shape(first)
    if program.case.function not in (np.empty, np.empty_like):
        np.testing.assert_array_equal(actual, np.asarray(first, np.float64))
    for name, value in program.arguments.items():
        if name[0] != "w" and np.asarray(value).dtype.kind == "f":
            zero = compiled("gradient", program.function, arguments, name)(*arguments)
            assert np.shape(zero) == np.shape(value) and not np.any(zero)


FIRST_CALLS = {case.function: case for case in reversed(LIBRARY) if not case.seldom}
OTHER_CALLS = [c for c in LIBRARY if FIRST_CALLS.get(c.function) is not c]


def walk(cases):
    marks = {True: pytest.mark.long, False: ()}
    return pytest.mark.parametrize(
        "case", [pytest.param(c, id=c.name, marks=marks[c.seldom]) for c in cases]
    )


@pytest.mark.sampled(22, of_long=2)
@walk([*FIRST_CALLS.values()])
def test_a_call_is_differentiated(case):
    report = check_rule(
        case.function, *case.arguments, second_order=case.second_order, **case.keywords
    )
    assert report.passed, report


@pytest.mark.sampled(72, of_long=6)
@walk(OTHER_CALLS)
def test_another_call_is_differentiated(case):
    test_a_call_is_differentiated(case)


@pytest.mark.sampled(108, of_long=6)
@pytest.mark.parametrize(
    "case, variant", VARIANTS, ids=[f"{c.name} {v.about}" for c, v in VARIANTS]
)
def test_a_variant_is_differentiated(case, variant):
    report = check_rule(
        variant.function,
        *variant.arguments,
        second_order=case.second_order,
        **variant.keywords,
    )
    assert report.passed, report


def derivatives_of(case, arguments, optimise=None):
    """The gradient of a case, weighted at random, and a product with its second
    derivative, as a function of arguments of these kinds."""
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    weights = random_like(rng, case.function(*copied(arguments), **case.keywords))
    directions = random_like(rng, arguments)
    weighted = weighted_sum_of(case.function, case.keywords, weights)
    gradient = grad(weighted, optimise=optimise)
    product = hvp(weighted, optimise=optimise)

    def derivatives(*given):
        if not case.second_order:
            return (gradient(*given),)
        return gradient(*given), product(*given, directions)

    return derivatives


def assert_close(found, expected, tolerance):
    for mine, other in zip(found, expected, strict=True):
        leaves, wanted = numbers_of(mine), numbers_of(other)
        assert leaves.keys() == wanted.keys()
        near = tolerance * max(1.0, largest_size(other))
        for path, leaf in leaves.items():
            np.testing.assert_allclose(leaf, wanted[path], tolerance, near)


@pytest.mark.sampled(120, of_long=8)
@walk(FIRST)
def test_optimisations_do_not_change_derivatives(case):
    arguments = case.arguments
    expected = derivatives_of(case, arguments)(*arguments)
    plain = derivatives_of(case, arguments, optimise=False)(*arguments)
    assert_close(plain, expected, 1e-9)


@pytest.mark.sampled(120, of_long=8)
@walk(WITH_ARRAYS)
def test_gaps_in_memory_do_not_change_derivatives(case):
    derivatives = derivatives_of(case, case.arguments)
    apart = derivatives(*with_arrays(strided, case.arguments))
    assert_close(apart, derivatives(*case.arguments), 1e-9)


@pytest.mark.sampled(120, of_long=8)
@walk([c for c in WITH_ARRAYS if not needs_double(c)])
def test_single_precision(case):
    arguments = with_arrays(narrowed, case.arguments)
    found = derivatives_of(case, arguments)(*arguments)
    wide = derivatives_of(case, case.arguments)(*case.arguments)
    assert_close(found, wide, 2e-3)
    given = numbers_of(arguments)
    for path, leaf in numbers_of(found[0]).items():
        if isinstance(given[path], np.ndarray):
            assert leaf.dtype == given[path].dtype


@pytest.mark.sampled(60, of_long=5)
@walk([c for c in FIRST if stays_finite_at_zero(c)])
def test_both_modes_agree_at_zero(case):
    """Where kinks and ties are, both follow one convention."""
    zeros = at_zero(case)
    call = call_of(case.function, case.keywords)
    rng = np.random.default_rng(7)
    value, pullback = vjp(call, *zeros)
    weights, directions = random_like(rng, value), random_like(rng, zeros)
    bars = pullback(weights)
    if not np.isfinite(largest_size(bars)):
        return
    _, tangent = jvp(call, zeros, directions)
    found, expected = inner_product(weights, tangent), inner_product(bars, directions)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
