"""The hand-written gradients agree with central differences, and can be counted."""

import numpy as np
import pytest

from tests.golden.programs import PROGRAMS
from tests.support.finite_differences import (
    assert_trees_close,
    central_difference_gradient,
    tree_leaves,
    tree_map,
)
from tests.support.operation_count import run_counted

programs = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)


@programs
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_central_differences(program, seed):
    args = program.make_arguments(np.random.default_rng(seed), "small")
    expected = central_difference_gradient(program.function, args, program.wrt)
    assert_trees_close(program.handwritten(*args), expected, rtol=1e-6, atol=1e-8)


@programs
@pytest.mark.parametrize("size", ["small", "large"])
def test_is_finite_and_leaves_arguments_unchanged(program, size):
    args = program.make_arguments(np.random.default_rng(0), size)
    before = tree_map(lambda v: v.copy() if isinstance(v, np.ndarray) else v, args)
    gradient = program.handwritten(*args)
    assert all(np.all(np.isfinite(leaf)) for leaf in tree_leaves(gradient))
    assert_trees_close(args, before, rtol=0.0)


@programs
@pytest.mark.parametrize("which", ["function", "handwritten"])
def test_counted_execution_computes_the_same(program, which):
    function = getattr(program, which)
    args = program.make_arguments(np.random.default_rng(1), "small")
    value, count = run_counted(function, args)
    assert count.total > 0
    assert_trees_close(value, function(*args), rtol=0.0)
    assert tree_map(type, value) == tree_map(type, function(*args))
