"""The pullbacks and pushforwards of NumPy's array functions, run as plain Python."""

from __future__ import annotations

import ast
import importlib
import inspect
import operator
import textwrap
from unittest import mock

import numpy as np
import pytest

from s2sad.ops.buffers import STORES, overwritten_part
from s2sad.ops.numerics import solvers
from s2sad.ops.numerics.linear_systems import (
    bicgstab_solution,
    gmres_solution,
)
from s2sad.ops.numerics.quadrature import quadrature
from s2sad.ops.numerics.special import log_of_summed_exponentials
from s2sad.ops.numerics.trajectories import trajectory
from s2sad.ops.runtime.broadcasting import broadcast_along_items
from s2sad.ops.runtime.indices import (
    inserted_places,
    kept_places,
    last_writes,
    padded_places,
    place_of_item,
    reshape_gives_view,
    stands_by_rows,
)
from s2sad.ops.runtime.ties import running_places
from s2sad.rules import predicates
from s2sad.rules.refusal import CallRefused
from s2sad.rules.registry import all_rules, rule_for
from s2sad.rules.steps.scatter import Scattered
from tests.rules.numpy_rule_cases import NUMPY_RULE_CASES
from tests.rules.plain_python import (
    argument,
    fits,
    full_tangent,
    generator,
    has_single,
    kinds_of,
    name_of,
    only_real,
    pullback,
    pushforward,
    random_cotangent,
    reference_gradient,
    tangent_like,
    tuple_of,
    value_of,
    with_any_lengths,
    with_unknown_ranks,
)
from tests.rules.test_calls import CALLS
from tests.support.finite_differences import assert_trees_close, tree_dot, tree_leaves

MODULES = tuple(
    f"s2sad.rules.{name}"
    for name in (
        "numpy.reductions", "numpy.orderings", "numpy.products", "numpy.einsum",
        "numpy.traces", "numpy.shapes", "numpy.joining", "numpy.repetitions",
        "numpy.creation", "numpy.indexing", "numpy.linalg", "numpy.norms",
        "numpy.lines", "helpers_rules",
    )
)  # fmt: skip
SMOOTH = [c for c in NUMPY_RULE_CASES if c.wrt and c.expected is None]
CONVENTIONS = [c for c in NUMPY_RULE_CASES if c.expected is not None]
ACTIVE = [c for c in NUMPY_RULE_CASES if c.wrt]
NEED_SHAPES = {
    *("average", "cholesky", "column_stack", "convolve", "det", "diag", "diagonal"),
    *("complex_eig", "complex_eigvals", "lstsq", "pinv", "qr", "solve_or_nan", "svd"),
    *("diff", "eigh", "eigvalsh", "einsum", "hstack", "inner", "interp", "kron"),
    *("linspace", "meshgrid", "norm", "pad", "repeat", "slogdet"),
    *("sliding_window_view", "solve", "take", "tensordot", "tile", "trace"),
    *("trapezoid", "vstack"),
}
"""Functions of which some calls are refused where lengths or ranks aren't known."""


@pytest.mark.parametrize("case", SMOOTH, ids=name_of)
def test_gradient_is_that_of_central_differences(case):
    """Where the compiler knows the lengths and ranks of arrays, and where not."""
    out = value_of(case)
    out_bar = random_cotangent(case, out)
    expected = reference_gradient(case, out_bar)
    assert_gradient(case, out, out_bar, expected)
    for kind_of in (with_any_lengths, with_unknown_ranks):
        try:
            kind = rule_for(case.function).kind(**kinds_of(case, kind_of))
        except CallRefused:
            assert case.function.__name__ in NEED_SHAPES
            continue
        assert fits(kind, out)
        with mock.patch.object(predicates, "live_kind", kind_of):
            assert_gradient(case, out, out_bar, expected)


def assert_gradient(case, out, out_bar, expected):
    with np.errstate(all="ignore"):
        actual = pullback(case, out, out_bar)
    tolerance = 2e-4 if has_single(case) else 2e-8
    for which, bar, reference in zip(case.wrt, actual, expected):
        bar = only_real(argument(case, which), bar)
        assert_trees_close(bar, reference, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", CONVENTIONS, ids=name_of)
def test_gradient_follows_the_convention(case):
    out = value_of(case)
    actual = pullback(case, out, np.ones_like(out))
    for bar, reference in zip(actual, case.expected):
        np.testing.assert_allclose(bar, reference, atol=1e-12)


def in_single_precision(case):
    """Whether all arguments and results are."""
    arguments = [
        leaf
        for leaf in tree_leaves(list(case.arguments))
        if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind in "fc"
    ]
    return has_single(case) and all(
        leaf.dtype == np.float32 for leaf in (*arguments, *tree_leaves(value_of(case)))
    )


@pytest.mark.parametrize(
    "case", [c for c in ACTIVE if in_single_precision(c)], ids=name_of
)
def test_cotangents_keep_single_precision(case):
    out = value_of(case)
    for bar in pullback(case, out, random_cotangent(case, out)):
        for leaf in tree_leaves(bar):
            assert leaf.dtype == np.float32


@pytest.mark.parametrize(
    "case",
    [
        c
        for c in ACTIVE
        if rule_for(c.function).lazy and rule_for(c.function).partials is None
    ],
    ids=name_of,
)
def test_cotangent_may_be_broadcast_lazily(case):
    out = value_of(case)
    full = pullback(case, out, np.full_like(out, 1.5))
    lazy = pullback(case, out, 1.5)
    shapes = {np.shape(out)[k:] for k in range(np.ndim(out))}
    assert_trees_close(lazy, full, rtol=1e-6, atol=1e-12)
    for shape in shapes:
        row = np.asarray(
            generator(case).normal(size=shape), getattr(out, "dtype", None)
        )
        full = pullback(case, out, np.broadcast_to(row, np.shape(out)))
        assert_trees_close(pullback(case, out, row), full, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", ACTIVE, ids=name_of)
def test_pushforward_is_the_transpose_of_the_pullback(case):
    out = value_of(case)
    tangents = {w: tangent_like(case, w) for w in case.wrt}
    out_dot = pushforward(case, out, tangents)
    out_bar = random_cotangent(case, out)
    forward = tree_dot(tuple_of(out_bar), tuple_of(full_tangent(out_dot, out)))
    with np.errstate(all="ignore"):
        bars = pullback(case, out, out_bar)
    backward = sum(
        tree_dot(only_real(argument(case, w), b), tangents[w])
        for w, b in zip(case.wrt, bars)
    )
    tolerance = 1e-3 if has_single(case) else 1e-9
    assert forward == pytest.approx(backward, rel=tolerance, abs=tolerance)


def module_of(rule):
    for function in (rule.reverse, rule.partials, rule.kind):
        if function is not None:
            return function.__module__
    return None


def test_every_rule_has_a_case():
    tested = {case.function for case in NUMPY_RULE_CASES}
    tested.add(broadcast_along_items)  # in programs with lists of any length
    tested |= {*STORES, overwritten_part, last_writes}  # tests/changing_data
    tested |= {operator.imatmul, place_of_item}
    tested |= {gmres_solution, bicgstab_solution}  # tests/implicit
    tested |= {f for f in vars(solvers).values() if callable(f)}
    tested |= {quadrature, trajectory}
    tested |= {call.function for call in CALLS}
    # what texts of np.pad and its like call: test_calls.py
    tested |= {padded_places, inserted_places, kept_places}
    tested |= {running_places, log_of_summed_exponentials}
    # tests/changing_data/test_reshapes_that_may_copy.py
    tested |= {reshape_gives_view, stands_by_rows}
    mine = {rule.function for rule in all_rules() if module_of(rule) in MODULES}
    assert {f.__name__ for f in mine - tested} == set()


def test_every_rule_has_a_pushforward():
    for rule in all_rules():
        if module_of(rule) in MODULES and rule.differentiates:
            assert rule.linear or rule.forward or rule.partials, rule.function


@pytest.mark.parametrize("module", [*MODULES, "s2sad.rules.steps.shape_steps"])
def test_rules_call_functions_that_have_rules(module):
    """So that gradients can be differentiated again."""
    loaded = importlib.import_module(module)
    missing = set()
    for _, function in inspect.getmembers(loaded, inspect.isfunction):
        if function.__module__ != module or hasattr(function, "__s2sad_static__"):
            continue
        if not _is_rule_text(function):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        for node in ast.walk(tree.body[0]):
            if isinstance(node, ast.Call):
                called = _resolve(loaded, node.func)
                if getattr(called, "__module__", "").startswith("s2sad.rules"):
                    continue
                if called not in BUILT_IN and rule_for(called) is None:
                    missing.add(ast.unparse(node.func))
    assert not missing


BUILT_IN = (slice, len, zip, enumerate, isinstance, range, Scattered)


def _is_rule_text(function):
    name = function.__name__
    annotations = getattr(function, "__annotations__", {})
    kinds = any("Kind" in str(a) or a == "Axis" for a in annotations.values())
    outer = {"reduction", "cumulative", "outcome_kind", "at_least", "_moved", "_total"}
    sampled = {"weighted_average", "half_product"}
    return not kinds and name not in outer | sampled


def _resolve(module, node):
    if isinstance(node, ast.Attribute):
        return getattr(_resolve(module, node.value), node.attr)
    if isinstance(node, ast.Name):
        found = getattr(module, node.id, None)
        return __builtins__.get(node.id) if found is None else found
    raise AssertionError(ast.unparse(node))


def test_singular_matrices_give_no_error():
    singular = np.ones((2, 2))
    rule = rule_for(np.linalg.slogdet)
    with np.errstate(all="ignore"):
        out = np.linalg.slogdet(singular)
    assert np.isnan(rule.reverse(singular, out=out, out_bar=(0.0, 1.0))).all()
