"""Every derivative of every program, beside hyper-dual numbers or differences."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import s2sad
from tests.fuzz.checking import ALL_OFF, COMPENSATED
from tests.programs import reference
from tests.programs.registry import all_programs
from tests.support.finite_differences import (
    assert_trees_close,
    directional_difference,
    tree_dot,
    tree_leaves,
)

PROGRAMS = all_programs()
ADDED_UP_OTHERWISE = {"in_place_solvers.gram_schmidt"}
"""Programs of products of columns: BLAS adds up in another order where the derivative
has a copy, which is by rows."""
EXACT, BY_DIFFERENCES = 1e-8, 1e-5

programs = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
numbers = [p for p in PROGRAMS.values() if reference.is_number(p.function(*p.sample))]
programs_of_numbers = pytest.mark.parametrize(
    "program", numbers, ids=[p.name for p in numbers]
)


def assert_close(actual, expected, tolerance):
    """Elements differ by no more than the tolerance, on the scale of the largest."""
    leaves = [v for v in tree_leaves(expected) if v is not None]
    scale = 1.0 + max(float(np.max(np.abs(leaf), initial=0.0)) for leaf in leaves)
    assert_trees_close(actual, expected, rtol=tolerance, atol=tolerance * scale)


def assert_same(program, actual, expected):
    """Both are the same bits, of the same types; see the limitations for ``sum``."""
    assert [type(v) for v in tree_leaves(actual)] == [
        type(v) for v in tree_leaves(expected)
    ]
    exact = program.name not in ADDED_UP_OTHERWISE and not COMPENSATED
    assert_trees_close(actual, expected, rtol=0.0 if exact else 1e-13)


def tolerance_of(program):
    return EXACT if program.exact else BY_DIFFERENCES


def gradient(program, **options):
    """The gradient, as s2sad has it, of the weighed result."""
    arguments, weights = program.arguments, reference.weights_of(program)
    derived = s2sad.grad(program.function, program.wrt, **options)
    if isinstance(weights, float):
        return derived(*arguments)
    return derived(*arguments, gradient=weights)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_reference_agrees_with_differences(program):
    value = program.function(*program.arguments)
    assert_same(program, program.function(*program.arguments), value)
    direction = reference.direction_of(program, 1)
    expected, second = reference.derivatives(program, direction)
    for eps in (2e-6, 1e-5):
        assert_close(reference.differences(program, eps), expected, BY_DIFFERENCES)
    leaves = tree_leaves(expected)
    assert all(np.all(np.isfinite(v)) for v in leaves if v is not None)
    assert any(np.any(np.abs(v) > 1e-6) for v in leaves if v is not None)
    slope = reference.tangent(program, direction)
    assert_close(tree_dot(expected, direction), slope, tolerance_of(program))
    if second is not None:
        along = directional_difference(
            lambda *a: reference.derivatives(with_arguments(program, a), direction)[0],
            program.arguments,
            reference.spread(program, direction),
            1e-6,
        )
        assert_close(along, second, 10.0 * BY_DIFFERENCES)


def with_arguments(program, arguments):
    changed = copy.copy(program)
    object.__setattr__(changed, "sample", arguments)
    return changed


@pytest.mark.sampled(48, of_long=2)
@programs
def test_value_is_that_of_the_function(program):
    arguments, kept = program.arguments, program.arguments
    expected = program.function(*program.arguments)
    derived = s2sad.value_and_grad(program.function, program.wrt)
    weights = reference.weights_of(program)
    seed = {} if isinstance(weights, float) else {"gradient": weights}
    value, bars = derived(*arguments, **seed)
    assert_same(program, value, expected)
    assert_same(
        program,
        reference.selected(program, arguments),
        reference.selected(program, kept),
    )
    for leaf in tree_leaves(bars):
        assert not isinstance(leaf, np.ndarray) or leaf.flags.writeable


@pytest.mark.sampled(24, of_long=2)
@programs
def test_gradient(program):
    expected, _ = reference.derivatives(program, reference.direction_of(program, 1))
    assert_close(gradient(program), expected, tolerance_of(program))


@pytest.mark.sampled(36, of_long=2)
@programs
def test_gradient_without_optimisations(program):
    plain = gradient(program, optimise=dict.fromkeys(ALL_OFF, False))
    assert_close(plain, gradient(program), 1e-11)


@pytest.mark.sampled(48, of_long=2)
@programs
def test_forward_mode(program):
    direction = reference.direction_of(program, 2)
    tangents = reference.spread(program, direction)
    value, tangent = s2sad.jvp(program.function, program.arguments, tangents)
    assert_same(program, value, program.function(*program.arguments))
    weights = reference.weights_of(program)
    expected = reference.tangent(program, direction)
    actual = reference.weighed(tangent, weights)
    assert_close(actual, expected, tolerance_of(program))

    _, pullback = s2sad.vjp(program.function, *program.arguments)
    bars = reference.selected(program, pullback(weights))
    assert_close(tree_dot(bars, direction), actual, EXACT)


@pytest.mark.sampled(80, of_long=2)
@programs_of_numbers
def test_second_order(program):
    direction = reference.direction_of(program, 3)
    actual = s2sad.hvp(program.function, program.wrt)(*program.arguments, direction)
    _, expected = reference.derivatives(program, direction)
    if expected is None:
        expected = directional_difference(
            s2sad.grad(program.function, program.wrt),
            program.arguments,
            reference.spread(program, direction),
        )
    assert_close(actual, expected, tolerance_of(program))
