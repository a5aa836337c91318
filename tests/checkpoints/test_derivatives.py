"""Derivatives of programs with checkpoints are those of the programs without."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from s2sad import differentiate
from tests.checkpoints import programs
from tests.support.finite_differences import (
    assert_trees_close,
    central_difference_gradient,
    tree_map,
)

RNG = np.random.default_rng(0)
ROWS, WEIGHTS = RNG.standard_normal((7, 3)), 0.5 * RNG.standard_normal((3, 3))
CASES = [
    ("asserts_and_raises", (0.4, 5), 0),
    ("calls_a_recursion", (0.4, 4), 0),
    ("state_in_a_dict", (0.4, 6), 0),
    ("state_in_an_object", (0.4, 7), 0),
    ("state_in_a_list", (0.4, 7), 0),
    ("left_with_arrays", (0.4, 9), 0),
    ("with_negative_steps", (0.4, 9), 0),
    ("with_an_else", (0.4, 4), 0),
    ("returns_from_a_block", (0.4, 9), 0),
    ("reads_last_values", (0.4, 5), 0),
    ("fills_an_array", (0.4, 7), 0),
    ("writes_through_views", (0.4, 7), 0),
    ("over_a_generator", (0.4, 6), 0),
    ("gradient_of_arrays", (RNG.standard_normal(3), 6), 0),
    ("gradient_of_blocks", (0.7, 1.2), (0, 1)),
    ("gradient_of_nested", (0.4, 3), 0),
    ("gradient_in_a_plain_loop", (0.4, 3), 0),
    ("gradient_of_grown_list", (0.4, 5), 0),
    ("diffusion_in_place", (RNG.standard_normal(6), 0.2, 9), (0, 1)),
    ("driven_by_rows", (RNG.standard_normal(3), ROWS, WEIGHTS), (0, 1, 2)),
    ("over_rows", (RNG.standard_normal(3), ROWS, WEIGHTS), (0, 1, 2)),
    ("branches", (0.5, 18), 0),
    ("nested", (0.4, 4), 0),
    ("in_a_plain_loop", (0.4, 4), 0),
    ("left_by_break", (0.3, 9), 0),
    ("left_by_break", (0.3, 2), 0),
    ("without_end", (0.3,), 0),
    ("left_by_return", (0.3, 20), 0),
    ("left_by_return", (0.3, 2), 0),
    ("left_in_a_plain_loop", (0.3, 4), 0),
    ("grows_a_list", (0.3, 5), 0),
    ("calls_of_a_function", (0.7, 1.2), (0, 1)),
    ("blocks", (0.7, 1.2), (0, 1)),
    ("two_arrays_in_place", (0.4, 9), 0),
    ("bound_in_the_first_step", (0.4, 5), 0),
    ("short", (0.4, 0), 0),
    ("short", (0.4, 1), 0),
    ("short", (0.4, 5), 0),
    ("backwards", (0.4, 6), 0),
    ("enumerated", (0.4, RNG.standard_normal(6)), (0, 1)),
    ("with_a_while_loop", (0.7, 5), 0),
    ("in_a_helper", (0.4, 5), 0),
    ("gradient_of_short", (0.4, 5), 0),
    ("two_variables", (0.4, 0.3, 12), (0, 1)),
    ("continues", (0.4, 9), 0),
    ("decorated_function", (0.4, 0.9), (0, 1)),
    ("swaps_arrays", (RNG.standard_normal(5) * 0.5, 6), 0),
    ("with_a_finally", (0.4, 5), 0),
    ("of_arrays", (RNG.standard_normal(3), 6), 0),
    ("left_with_negative_steps", (0.3, 21), 0),
    ("by_a_given_number", (0.3, 9, 3), 0),
    ("whole_loop_again", (0.3,), 0),
]
each = pytest.mark.parametrize(
    ("name", "arguments", "wrt"), CASES, ids=[name for name, *_ in CASES]
)
modes = pytest.mark.parametrize("optimise", [True, False])


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The programs under a ``checkpoint`` that is nothing."""
    text = Path(programs.__file__).read_text()
    ours = "from s2sad import checkpoint, grad\n"
    assert ours in text
    nothing = (
        "from contextlib import nullcontext\nfrom s2sad import grad\n\n\n"
        "def checkpoint(target=None, snapshots=None):\n"
        "    return nullcontext() if target is None else target\n"
    )
    path = tmp_path_factory.mktemp("plain") / "plain_programs.py"
    text = text.replace(ours, nothing).replace("with checkpoint():", "if True:")
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("plain_programs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tangents_like(arguments, wrt):
    rng = np.random.default_rng(1)
    found = tuple(rng.standard_normal(np.shape(arguments[k])) for k in positions(wrt))
    found = tuple(float(t) if t.ndim == 0 else t for t in found)
    return found if isinstance(wrt, tuple) else found[0]


def leaves(gradients):
    return list(gradients) if isinstance(gradients, tuple) else [gradients]


def positions(wrt):
    return wrt if isinstance(wrt, tuple) else (wrt,)


@pytest.mark.sampled(12)
@each
@modes
def test_gradient(name, arguments, wrt, optimise, plain):
    function = getattr(programs, name)
    kept = tree_map(np.copy, arguments)
    value, gradient = differentiate(wrt=wrt, optimise=optimise)(
        function
    ).value_and_grad(*arguments)
    expected = differentiate(wrt=wrt)(getattr(plain, name)).grad(*arguments)
    assert_trees_close(gradient, expected, rtol=1e-10, atol=1e-12)
    assert_trees_close(value, function(*arguments), rtol=1e-12)
    assert_trees_close(arguments, kept, rtol=0.0)


@pytest.mark.sampled(6)
@each
def test_central_differences(name, arguments, wrt):
    function = getattr(programs, name)
    gradient = differentiate(wrt=wrt)(function).grad(*arguments)
    expected = central_difference_gradient(function, arguments, wrt)
    assert_trees_close(gradient, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.sampled(6)
@each
@modes
def test_pullback_only_reads_its_residuals(name, arguments, wrt, optimise):
    function = differentiate(wrt=wrt, optimise=optimise)(getattr(programs, name))
    _, pullback = function.vjp(*arguments)
    first, twice, again = (
        [g for g in leaves(pullback(seed)) if g is not None] for seed in (1.0, 2.0, 1.0)
    )
    assert_trees_close(twice, [2.0 * g for g in first], rtol=1e-10, atol=1e-12)
    assert_trees_close(again, first, rtol=0.0)
    assert_trees_close(first, leaves(function.grad(*arguments)), rtol=1e-10, atol=1e-12)


@pytest.mark.sampled(12)
@each
@modes
def test_hessian_product(name, arguments, wrt, optimise, plain):
    tangents = tangents_like(arguments, wrt)
    made = differentiate(wrt=wrt, optimise=optimise)(getattr(programs, name))
    expected = differentiate(wrt=wrt)(getattr(plain, name)).hvp(*arguments, tangents)
    assert_trees_close(made.hvp(*arguments, tangents), expected, rtol=1e-8, atol=1e-10)
