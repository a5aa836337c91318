"""Rules run as plain Python: no compiler is involved.

Questions that the compiler answers from kinds are answered from the live arguments. Of
the elements' cases a number counts as literal only where the case says so.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import math
import textwrap
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from s2sad.ir.kinds import Scalar, Structure
from s2sad.rules import predicates
from s2sad.rules.registry import all_rules, rule_for
from s2sad.rules.result_kinds import CallRefused, ValueNeeded
from s2sad.rules.steps.scatter import Scattered
from tests.rules.cases import ARRAYS, ELEMENTS, WITHOUT_DERIVATIVE
from tests.rules.cases.elements import ANY
from tests.rules.plain_python import (
    argument,
    fits,
    full_tangent,
    generator,
    has_single,
    kind_with_literals,
    kinds_of,
    live_kind,
    only_real,
    pullback,
    pushforward,
    random_cotangent,
    reference_gradient,
    says_all,
    tangent_like,
    tuple_of,
    value_of,
    with_any_lengths,
    with_unknown_ranks,
)
from tests.support.finite_differences import (
    assert_trees_close,
    tree_dot,
    tree_leaves,
    tree_map,
)

SMOOTH = [c for c in (*ELEMENTS, *ARRAYS) if c.wrt and c.expected is None]
CONVENTIONS = [c for c in (*ELEMENTS, *ARRAYS) if c.expected is not None]
ACTIVE = [c for c in (*ELEMENTS, *ARRAYS) if c.wrt]
ALL = [*ELEMENTS, *WITHOUT_DERIVATIVE, *ARRAYS]
OF_ARRAYS = {id(c) for c in ARRAYS}
NEED_SHAPES = {
    *("average", "cholesky", "column_stack", "convolve", "det", "diag", "diagonal"),
    *("complex_eig", "complex_eigvals", "lstsq", "pinv", "qr", "solve_or_nan", "svd"),
    *("diff", "eigh", "eigvalsh", "einsum", "hstack", "inner", "interp", "kron"),
    *("linspace", "meshgrid", "norm", "pad", "repeat", "slogdet"),
    *("sliding_window_view", "solve", "take", "tensordot", "tile", "trace"),
    *("trapezoid", "vstack"),
}
"""Functions of which some calls are refused where lengths or ranks aren't known."""


def is_of_arrays(case):
    return id(case) in OF_ARRAYS


def own_kind(case):
    return live_kind if is_of_arrays(case) else kind_with_literals


def walk(cases):
    def decorate(test):
        over = pytest.mark.parametrize("case", cases, ids=lambda case: case.name)
        return pytest.mark.sampled(3)(over(test))

    return decorate


@pytest.fixture(autouse=True)
def live_predicates(request):
    """The predicates of rules answer from live arguments."""
    with np.errstate(all="ignore"):
        if "case" not in request.fixturenames:
            yield
            return
        kind_of = own_kind(request.getfixturevalue("case"))
        with mock.patch.object(predicates, "live_kind", kind_of):
            yield


@walk(SMOOTH)
def test_gradient_is_that_of_central_differences(case):
    """Where the compiler knows the lengths and ranks of arrays, and where not."""
    out = value_of(case)
    out_bar = random_cotangent(case, out)
    expected = reference_gradient(case, out_bar)
    assert_gradient(case, out, out_bar, expected)
    if not is_of_arrays(case):
        return
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
    actual = pullback(case, out, out_bar)
    near = 2e-8 if is_of_arrays(case) else 3e-8
    tolerance = 2e-4 if has_single(case) else near
    tolerance = 1e-2 if case.function is np.float32 else tolerance
    for which, bar, reference in zip(case.wrt, actual, expected):
        bar = only_real(argument(case, which), bar)
        assert_trees_close(bar, reference, rtol=tolerance, atol=tolerance)


@walk(CONVENTIONS)
def test_gradient_follows_the_convention(case):
    out = value_of(case)
    out_bar = tree_map(lambda v: np.ones(np.shape(v))[()], out)
    for bar, reference in zip(pullback(case, out, out_bar), case.expected):
        np.testing.assert_allclose(bar, reference, rtol=1e-14)


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


@walk([c for c in ARRAYS if c.wrt and in_single_precision(c)])
def test_cotangents_keep_single_precision(case):
    out = value_of(case)
    for bar in pullback(case, out, random_cotangent(case, out)):
        for leaf in tree_leaves(bar):
            assert leaf.dtype == np.float32


@walk(
    [
        c
        for c in ARRAYS
        if c.wrt and rule_for(c.function).lazy and rule_for(c.function).partials is None
    ]
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


@walk([c for c in ACTIVE if not (c.function is max and c.note == "nan")])
def test_pushforward_is_the_transpose_of_the_pullback(case):
    out = value_of(case)
    tangents = {w: tangent_like(case, w) for w in case.wrt}
    out_dot = pushforward(case, out, tangents)
    out_bar = random_cotangent(case, out)
    forward = tree_dot(tuple_of(out_bar), tuple_of(full_tangent(out_dot, out)))
    bars = pullback(case, out, out_bar)
    backward = sum(
        tree_dot(only_real(argument(case, w), b), tangents[w])
        for w, b in zip(case.wrt, bars)
    )
    near, wide = (1e-9, 1e-3) if is_of_arrays(case) else (1e-12, 1e-5)
    tolerance = wide if has_single(case) else near
    assert forward == pytest.approx(
        backward,
        rel=tolerance,
        abs=tolerance if is_of_arrays(case) else near,
        nan_ok=not is_of_arrays(case),
    )


FLOAT32 = [
    case
    for case in ELEMENTS
    if case.expected is None
    and any(getattr(a, "ndim", 0) for a in case.arguments)
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


@walk(FLOAT32)
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


@walk([c for c in ELEMENTS if rule_for(c.function).masking and c.wrt])
def test_choices_select_and_do_not_multiply(case):
    """An infinite cotangent must not become nan where nothing was chosen."""
    out = value_of(case)
    out_bar = tree_map(lambda v: np.full(np.shape(v), np.inf)[()], out)
    for bar in pullback(case, out, out_bar):
        assert not any(
            np.isnan(b).any() for b in (bar if isinstance(bar, tuple) else (bar,))
        )


@walk(WITHOUT_DERIVATIVE)
def test_functions_without_derivative_are_registered_as_such(case):
    assert not rule_for(case.function).differentiates


VAGUE = {"restore_reduced_axes", "split_like", "unstack", "nested_like"}
VAGUE |= {"index_of_part", "diagonal_index", "index_along_axis"}


@walk(ALL)
def test_kind_is_that_of_the_result(case):
    kind = rule_for(case.function).kind(**kinds_of(case, own_kind(case)))
    value = value_of(case)
    assert fits(kind, value), f"{kind} for {value!r}"
    assert says_all(kind) or case.function.__name__ in VAGUE


@walk(ARRAYS)
def test_kind_where_numbers_are_unknown(case):
    def kind_of(value):
        kind = live_kind(value)
        if isinstance(kind, Scalar):
            return Scalar(kind.type)
        if isinstance(kind, Structure):
            return (
                replace(kind, items=tuple(map(kind_of, value)))
                if isinstance(value, tuple | list)
                else kind
            )
        return kind

    try:
        kind = rule_for(case.function).kind(**kinds_of(case, kind_of))
    except (ValueNeeded, CallRefused):
        return
    assert fits(kind, value_of(case))


@pytest.mark.parametrize(
    ("function", "arguments", "keywords"),
    [
        (np.pad, (np.ones(3), 1, "edge"), {}),
        (np.kron, (np.ones(3), np.ones((2, 2))), {}),
        (np.trace, (np.ones((2, 3, 4)),), {}),
        (np.linalg.norm, (np.ones((2, 2)), "nuc"), {}),
        (np.linalg.qr, (np.ones((2, 2)), "raw"), {}),
        (np.einsum, (np.ones(3), [0]), {}),
    ],
)
def test_calls_without_a_rule_are_refused(function, arguments, keywords):
    rule = rule_for(function)
    bound = rule.signature.bind(*arguments, **keywords).arguments
    with pytest.raises(CallRefused) as refused:
        rule.kind(**{name: live_kind(value) for name, value in bound.items()})
    assert refused.value.reason


def test_every_rule_has_a_pushforward():
    for rule in all_rules():
        if rule.differentiates and not rule.written:
            assert rule.linear or rule.bilinear or rule.forward or rule.partials, (
                rule.function
            )


MODULES = tuple(
    f"s2sad.rules.{name}"
    for name in (
        "numpy.reductions", "numpy.orderings", "numpy.linalg.products",
        "numpy.linalg.einsum", "numpy.linalg.traces", "numpy.shapes", "numpy.joining",
        "numpy.repetitions", "numpy.creation", "numpy.indexing", "numpy.linalg.linalg",
        "numpy.linalg.norms", "numpy.lines", "steps.helpers_rules", "steps.shape_steps",
    )
)  # fmt: skip


@pytest.mark.parametrize("module", MODULES)
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
    kinds = any("Kind" in str(a) or "Axis" in str(a) for a in annotations.values())
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


def test_absolute_value_of_complex_numbers():
    z = ANY + 1j * ANY.T.reshape(3, 4)
    rule = rule_for(np.absolute)
    np.testing.assert_allclose(
        rule.reverse(z, out=np.abs(z), out_bar=2.0), 2 * z / np.abs(z)
    )
    assert rule.reverse(0j, out=0.0, out_bar=1.0) == 0
