"""Every rule of the table through the compiler: gradients, tangents and second
derivatives.

Each case of the tables is a small program, compiled as users' programs are.
"""

from __future__ import annotations

import cmath
import pathlib
import tempfile

import numpy as np
import pytest

from s2sad.ops import augmented_operators, buffers, inner_lists, lists, rows, selections
from s2sad.ops.numerics import complex_numbers, decompositions, spectra, statistics
from s2sad.ops.numerics.matrices import solve_or_nan
from s2sad.ops.numerics.special import log_of_summed_exponentials
from s2sad.ops.numerics.trajectories import (
    adjoint_of_trajectory,
    tangent_of_trajectory,
)
from s2sad.ops.runtime import fitting
from s2sad.ops.runtime import rows as row_helpers
from s2sad.ops.runtime.broadcasting import broadcast_along_items
from s2sad.ops.runtime.plain_data import require_plain
from s2sad.ops.runtime.results import require_array
from s2sad.ops.runtime.sequences import (
    stacked_tangents,
    unless_empty,
    without_row_in_each,
    zero_row_in_each,
    zero_row_inserted,
    zeros_if_empty,
)
from s2sad.ops.sparse_products import sparse_times, times_sparse
from s2sad.rules.load import load_all
from s2sad.rules.python.choice import choose
from s2sad.rules.registry import all_rules
from s2sad.rules.steps.stopped import retained, with_derivative_of
from tests.rules.numpy_rule_cases import NUMPY_RULE_CASES
from tests.rules.rule_cases import RULE_CASES, WITHOUT_DERIVATIVE
from tests.rules.rule_programs import rule_programs
from tests.rules.test_calls import CALLS
from tests.support.compiled import compiled
from tests.support.finite_differences import central_difference_gradient

load_all()
_directory = tempfile.TemporaryDirectory(prefix="s2sad-rules-")
_place = pathlib.Path(_directory.name)
PROGRAMS = [
    *rule_programs(
        RULE_CASES + WITHOUT_DERIVATIVE,
        "s2sad_elementwise_programs",
        _place,
        literal_numbers=False,
    ),
    *rule_programs(
        NUMPY_RULE_CASES, "s2sad_array_programs", _place, literal_numbers=True
    ),
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


def copied(value):
    return value.copy() if isinstance(value, np.ndarray) else value


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


@pytest.mark.sampled(5)
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


# not where the second derivative is nan, nor where differences of it are too coarse
TWICE = [
    p for p in SMOOTH if p.case.note not in ("singular", "zero") and not p.is_single
]


@pytest.mark.sampled(10)
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


def test_every_rule_is_walked_in_both_modes():
    """Each differentiable rule has a program that both modes compile. Those of buffers
    and choices, which only derivatives call, are walked by second derivatives;
    augmented assignments are replaced before."""
    walked = {p.case.function for p in ACTIVE}
    own = {f for f in vars(buffers).values() if callable(f)}
    own |= {f for f in vars(lists).values() if callable(f)}  # of comprehensions
    own |= {
        f for f in (*vars(rows).values(), *vars(row_helpers).values()) if callable(f)
    }
    own |= {f for f in vars(inner_lists).values() if callable(f)}
    own |= {f for f in vars(selections).values() if callable(f)}
    own |= {broadcast_along_items, zero_row_inserted}
    own |= {unless_empty, zeros_if_empty}
    own |= {require_array}  # tests/changing_data/test_sums_in_lists.py
    # of many tangents: tests/transform/test_jacobians_of_lists.py
    own |= {stacked_tangents, without_row_in_each, zero_row_in_each}
    own |= {*augmented_operators.PLAIN, choose}
    own |= {f for f in vars(fitting).values() if callable(f)}  # see test_user_rules,
    own |= {retained}  # test_hooks, test_local_variables
    own |= {with_derivative_of}  # test_chosen_turns
    own |= {sparse_times, times_sparse}  # test_sparse_products
    own |= {require_plain}  # tests/frontend/test_foreign_operands.py
    own |= {call.function for call in CALLS}  # test_calls.py, and what texts call there
    own |= {f for f in vars(statistics).values() if callable(f)}
    own |= {f for f in vars(spectra).values() if callable(f)}
    own |= {adjoint_of_trajectory, tangent_of_trajectory}  # tests/implicit
    # test_complex_numbers.py
    of_complex_numbers = {f for f in vars(cmath).values() if callable(f)}
    of_complex_numbers |= {f for f in vars(complex_numbers).values() if callable(f)}
    of_complex_numbers |= {complex, np.angle}
    of_complex_numbers |= {np.complex64, np.complex128, np.clongdouble}
    own |= {f for f in vars(decompositions).values() if callable(f)}
    own |= {log_of_summed_exponentials, solve_or_nan}
    missing = {
        rule.function
        for rule in all_rules()
        if rule.differentiates
        and not rule.draws  # see test_random_draws.py
        and (rule.reverse or rule.partials).__module__.startswith("s2sad.")
        and ".scipy." not in (rule.reverse or rule.partials).__module__  # test_calls.py
        and rule.function not in of_complex_numbers
        and rule.function not in walked | own
    }
    assert {f.__name__ for f in missing} == set()
