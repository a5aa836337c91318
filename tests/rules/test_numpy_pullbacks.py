"""The rules of NumPy's array functions, run as plain Python: no compiler is involved.

Questions that the compiler answers from kinds are answered from the live arguments, once with all
that is known of them, once with lengths and once with ranks held back, so that the branches for what is
known only when the program runs are tested too.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
import zlib
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from s2sad.ir.kinds import Array, Axis, Known, NumPyScalar, Scalar, Structure, Unknown
from s2sad.rules import predicates
from s2sad.rules.load import load_all
from s2sad.rules.refusal import CallRefused
from s2sad.rules.registry import all_rules, rule_for
from s2sad.rules.result_kinds import ValueNeeded
from s2sad.rules.scatter import Scattered
from tests.rules.numpy_rule_cases import NUMPY_RULE_CASES, symmetrised
from tests.support.finite_differences import (
    assert_trees_close,
    central_difference_gradient,
    is_differentiable,
    tree_dot,
    tree_leaves,
    tree_map,
    tree_random_like,
)

load_all()
MODULES = tuple(
    f"s2sad.rules.{name}"
    for name in (
        "numpy.reductions", "numpy.orderings", "numpy.products", "numpy.einsum",
        "numpy.traces", "numpy.shapes", "numpy.joining", "numpy.repetitions",
        "numpy.creation", "numpy.indexing", "numpy.linalg", "numpy.norms",
        "helpers_rules",
    )
)  # fmt: skip
SMOOTH = [c for c in NUMPY_RULE_CASES if c.wrt and c.expected is None]
CONVENTIONS = [c for c in NUMPY_RULE_CASES if c.expected is not None]
ACTIVE = [c for c in NUMPY_RULE_CASES if c.wrt]
_live_kind = predicates.live_kind


def with_any_lengths(value):
    """The kind of a value without the lengths of its axes."""
    return _forget(_live_kind(value), lambda axes: tuple(Axis("any") for _ in axes))


def with_unknown_ranks(value):
    """The kind of a value without the number of its axes."""
    return _forget(_live_kind(value), lambda axes: None)


def _forget(kind, change):
    if isinstance(kind, Array):
        return replace(kind, axes=change(kind.axes))
    if isinstance(kind, Structure):
        return replace(kind, items=tuple(_forget(i, change) for i in kind.items))
    return kind


def name_of(case):
    """The call, arrays by their shapes."""
    words = [f"{k}={_spelled(v)}" for k, v in case.keywords.items()]
    parts = ",".join([_spelled(a) for a in case.arguments] + words)
    return f"{case.function.__name__}({parts}) {case.note}".rstrip()


def _spelled(value):
    if isinstance(value, np.ndarray):
        return "x".join(map(str, value.shape)) + value.dtype.char
    if isinstance(value, tuple | list):
        return "/".join(map(_spelled, value))
    if isinstance(value, slice):
        return f"{value.start}:{value.stop}:{value.step}"
    return getattr(value, "__name__", str(value))


def generator(case):
    return np.random.default_rng(zlib.crc32(name_of(case).encode()))


def value_of(case):
    with np.errstate(all="ignore"):
        return case.function(*case.arguments, **case.keywords)


def argument(case, which):
    return case.keywords[which] if isinstance(which, str) else case.arguments[which]


def bound_arguments(case, values=None):
    """The arguments, or what stands for them, under the names of the rule's parameters."""
    positional, keywords = list(case.arguments), dict(case.keywords)
    for which, value in (values or {}).items():
        (keywords if isinstance(which, str) else positional)[which] = value
    return rule_for(case.function).signature.bind(*positional, **keywords).arguments


def parameter_of(case, which):
    """The name of the rule's parameter, and the position in it where it takes several."""
    marker = object()
    for name, value in bound_arguments(case, {which: marker}).items():
        if value is marker:
            return name, None
        if isinstance(value, tuple) and any(v is marker for v in value):
            return name, [v is marker for v in value].index(True)
    raise AssertionError(which)


def kinds_of(case, kind_of):
    return {name: kind_of(value) for name, value in bound_arguments(case).items()}


def settled(cotangent, value):
    """What a rule returned, at full shape: lazily broadcast and scattered parts filled in."""
    if isinstance(cotangent, Scattered):
        buffer = np.zeros_like(value)
        if cotangent.repeats:
            np.add.at(buffer, cotangent.index, cotangent.value)
        else:
            buffer[cotangent.index] += cotangent.value
        return buffer
    if isinstance(value, tuple | list):
        assert len(cotangent) == len(value)
        return type(value)(settled(c, v) for c, v in zip(cotangent, value))
    return np.broadcast_to(cotangent, np.shape(value))


def pullback(case, out, out_bar):
    """The cotangents of the arguments in ``wrt``."""
    rule = rule_for(case.function)
    if rule.partials is not None:
        partials = rule.partials(*case.arguments, **case.keywords, out=out)
        return tuple(
            summed_to(np.multiply(out_bar, p), case.arguments[k])
            for k, p in zip(case.wrt, partials)
        )
    bars = rule.reverse(*case.arguments, **case.keywords, out=out, out_bar=out_bar)
    if len(rule.differentiable) == 1:
        bars = (bars,)
    assert len(bars) == len(rule.differentiable)
    named = dict(zip(rule.differentiable, bars))
    result = []
    for which in case.wrt:
        name, place = parameter_of(case, which)
        bar = named[name] if place is None else named[name][place]
        result.append(settled(bar, argument(case, which)))
    return tuple(result)


def summed_to(cotangent, value):
    from s2sad.codegen.helper_functions.broadcasting import sum_to_shape_of

    return np.broadcast_to(sum_to_shape_of(cotangent, value), np.shape(value))


def only_real(value, cotangent):
    """The cotangent as a gradient of the value: None or real where the value is."""

    def part(v, c):
        if not is_differentiable(v):
            return None
        return c if np.iscomplexobj(v) else np.real(c)

    return tree_map(part, value, cotangent)


def moved_function(case):
    """The function whose derivative the rule gives."""
    if case.note == "symmetric":
        return symmetrised(case.function)
    return case.function


def random_cotangent(case, out):
    drawn = tree_random_like(generator(case), out)
    drawn = tree_map(
        lambda v, d: np.zeros(np.shape(v))[()] if d is None else d, out, drawn
    )
    if case.function is np.linalg.slogdet:
        return (np.zeros_like(drawn[0]), drawn[1])
    return drawn


def reference_gradient(case, out_bar):
    doubles = [
        tree_map(_double, a) if k in case.wrt else a for k, a in enumerate(case.arguments)
    ]
    words = {k: v for k, v in case.keywords.items() if k not in case.wrt}
    active_words = [w for w in case.wrt if isinstance(w, str)]
    function = moved_function(case)

    def projected(*arguments):
        named = dict(zip(active_words, arguments[len(doubles) :]))
        value = function(*arguments[: len(doubles)], **words, **named)
        if isinstance(value, tuple):
            value = tuple(value)
        return tree_dot(tree_map(lambda v: v, out_bar), value)

    arguments = (*doubles, *(case.keywords[w] for w in active_words))
    wrt = tuple(
        len(doubles) + active_words.index(w) if isinstance(w, str) else w
        for w in case.wrt
    )
    return central_difference_gradient(projected, arguments, wrt)


def _double(leaf):
    single = getattr(leaf, "dtype", None) == np.float32
    return leaf.astype(np.float64) if single else leaf


def has_single(case):
    leaves = tree_leaves([argument(case, w) for w in case.wrt])
    return any(getattr(leaf, "dtype", None) == np.float32 for leaf in leaves)


@pytest.mark.parametrize("case", SMOOTH, ids=name_of)
def test_gradient_is_that_of_central_differences(case):
    check_gradient(case)


@pytest.mark.parametrize("kind_of", [with_any_lengths, with_unknown_ranks])
@pytest.mark.parametrize("case", SMOOTH, ids=name_of)
def test_gradient_without_static_shapes(case, kind_of):
    try:
        kind = rule_for(case.function).kind(**kinds_of(case, kind_of))
    except CallRefused:
        pytest.skip("refused when compiled")
    assert fits(kind, value_of(case))
    with mock.patch.object(predicates, "live_kind", kind_of):
        check_gradient(case)


def check_gradient(case):
    out = value_of(case)
    out_bar = random_cotangent(case, out)
    expected = reference_gradient(case, out_bar)
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


@pytest.mark.parametrize("case", ACTIVE, ids=name_of)
def test_cotangents_keep_single_precision(case):
    leaves = [
        leaf
        for leaf in tree_leaves(list(case.arguments))
        if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind in "fc"
    ]
    if not has_single(case) or any(leaf.dtype != np.float32 for leaf in leaves):
        pytest.skip("not in single precision")
    out = value_of(case)
    if any(leaf.dtype != np.float32 for leaf in tree_leaves(out)):
        pytest.skip("computed in double precision")
    for bar in pullback(case, out, random_cotangent(case, out)):
        for leaf in tree_leaves(bar):
            assert leaf.dtype == np.float32


@pytest.mark.parametrize(
    "case", [c for c in ACTIVE if rule_for(c.function).lazy], ids=name_of
)
def test_cotangent_may_be_broadcast_lazily(case):
    if rule_for(case.function).partials is not None:
        pytest.skip("elementwise")
    out = value_of(case)
    full = pullback(case, out, np.full_like(out, 1.5))
    lazy = pullback(case, out, 1.5)
    shapes = {np.shape(out)[k:] for k in range(np.ndim(out))}
    assert_trees_close(lazy, full, rtol=1e-6, atol=1e-12)
    for shape in shapes:
        row = np.asarray(generator(case).normal(size=shape), getattr(out, "dtype", None))
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


def tuple_of(tree):
    return tuple(tree) if isinstance(tree, tuple | list) else tree


def full_tangent(tangent, out):
    return tree_map(
        lambda v, t: np.asarray(np.broadcast_to(t, np.shape(v)), np.result_type(v, t)),
        tuple_of(out),
        tuple_of(tangent),
    )


def tangent_like(case, which):
    value = argument(case, which)
    drawn = tree_random_like(generator(case), value)
    tangent = tree_map(lambda v, d: 0.0 if d is None else d, value, drawn)
    if case.note == "symmetric":
        tangent = tangent + np.swapaxes(tangent, -1, -2)
    return tangent


def pushforward(case, out, tangents):
    rule = rule_for(case.function)
    if rule.partials is not None:
        partials = rule.partials(*case.arguments, **case.keywords, out=out)
        return sum(p * tangents[w] for w, p in zip(case.wrt, partials))
    if rule.linear:
        return case.function(tangents[0], *case.arguments[1:], **case.keywords)
    zeros = {
        k: 0.0
        for k in (*range(len(case.arguments)), *case.keywords)
        if k not in tangents and parameter_of(case, k)[0] in rule.differentiable
    }
    bound = bound_arguments(case, {**tangents, **zeros})
    dots = {f"{name}_dot": bound.get(name, 0.0) for name in rule.differentiable}
    with np.errstate(all="ignore"):
        return rule.forward(*case.arguments, **case.keywords, out=out, **dots)


def fits(kind, value):
    """The kind says nothing wrong of the value."""
    if isinstance(kind, Unknown):
        return True
    if isinstance(kind, Structure):
        return len(value) == len(kind.items) and all(map(fits, kind.items, value))
    if isinstance(kind, Scalar):
        return type(value).__name__ == kind.type
    if isinstance(kind, Known):
        return value is kind.value
    dtype = np.asarray(value).dtype.name
    if kind.dtype not in (None, dtype):
        return False
    if isinstance(kind, NumPyScalar):
        return np.ndim(value) == 0
    if kind.axes is None:
        return True
    return np.ndim(value) == len(kind.axes) and all(
        _axis_fits(a, n) for a, n in zip(kind.axes, np.shape(value))
    )


def _axis_fits(axis, length):
    if isinstance(axis.symbol, tuple) and axis.symbol[0] == "length":
        return axis.symbol[1] == length
    return {"one": length == 1, "many": length != 1, "any": True}[axis.length]


def says_all(kind):
    """Rank and dtype are known."""
    if isinstance(kind, Structure):
        return all(map(says_all, kind.items))
    if isinstance(kind, Array):
        return kind.dtype is not None and kind.axes is not None
    return isinstance(kind, Scalar) or getattr(kind, "dtype", None) is not None


VAGUE = {"restore_reduced_axes", "split_like", "unstack", "nested_like"}
VAGUE |= {"index_of_part", "diagonal_index", "index_along_axis"}


@pytest.mark.parametrize("case", NUMPY_RULE_CASES, ids=name_of)
def test_kind_is_that_of_the_result(case):
    kind = rule_for(case.function).kind(**kinds_of(case, _live_kind))
    value = value_of(case)
    assert fits(kind, value), f"{kind} for {value!r}"
    assert says_all(kind) or case.function.__name__ in VAGUE


@pytest.mark.parametrize("case", NUMPY_RULE_CASES, ids=name_of)
def test_kind_where_numbers_are_unknown(case):
    def kind_of(value):
        kind = _live_kind(value)
        if isinstance(kind, Scalar):
            return Scalar(kind.type)
        if isinstance(kind, Structure):
            return replace(kind, items=tuple(map(kind_of, value))) if isinstance(
                value, tuple | list
            ) else kind
        return kind

    try:
        kind = rule_for(case.function).kind(**kinds_of(case, kind_of))
    except (ValueNeeded, CallRefused):
        return
    assert fits(kind, value_of(case))


def module_of(rule):
    for function in (rule.reverse, rule.partials, rule.kind):
        if function is not None:
            return function.__module__
    return None


def test_every_rule_has_a_case():
    tested = {case.function for case in NUMPY_RULE_CASES}
    mine = {rule.function for rule in all_rules() if module_of(rule) in MODULES}
    assert {f.__name__ for f in mine - tested} == set()


def test_every_rule_has_a_pushforward():
    for rule in all_rules():
        if module_of(rule) in MODULES and rule.differentiates:
            assert rule.linear or rule.forward or rule.partials, rule.function


@pytest.mark.parametrize("module", [*MODULES, "s2sad.rules.shape_steps"])
def test_rules_call_functions_that_have_rules(module):
    """So that gradients can be differentiated again."""
    loaded = importlib.import_module(module)
    missing = set()
    for _, function in inspect.getmembers(loaded, inspect.isfunction):
        if function.__module__ != module or hasattr(function, "__s2sad_static__"):
            continue
        if not _is_rule_text(loaded, function):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        for node in ast.walk(tree.body[0]):
            if isinstance(node, ast.Call):
                called = _resolve(loaded, node.func)
                if getattr(called, "__module__", "").startswith("s2sad.rules"):
                    continue
                if called not in BUILT_IN and rule_for(called) is None:
                    missing.add(ast.unparse(node.func))
    assert missing <= {"np.linalg.svd"}


BUILT_IN = (slice, len, zip, enumerate, isinstance, range, Scattered)


def _is_rule_text(module, function):
    name = function.__name__
    annotations = getattr(function, "__annotations__", {})
    kinds = any("Kind" in str(a) for a in annotations.values())
    outer = {"reduction", "cumulative", "outcome_kind", "at_least", "static_predicate"}
    own = {"_moved", "_terms", "_bound", "_total", "reverse_of", "forward_of"}
    return not kinds and name not in outer | own and not name.endswith("_kind")


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


@pytest.mark.parametrize(
    ("function", "arguments", "keywords"),
    [
        (np.median, (np.ones((2, 2)), (0, 1)), {}),
        (np.pad, (np.ones(3), 1, "edge"), {}),
        (np.kron, (np.ones(3), np.ones((2, 2))), {}),
        (np.trace, (np.ones((2, 3, 4)),), {}),
        (np.linalg.norm, (np.ones((2, 2)), "nuc"), {}),
        (np.linalg.slogdet, (np.ones((2, 2), complex),), {}),
        (np.einsum, (np.ones(3), [0]), {}),
        (np.linspace, (0.0, np.ones(3)), {}),
    ],
)
def test_calls_without_a_rule_are_refused(function, arguments, keywords):
    rule = rule_for(function)
    bound = rule.signature.bind(*arguments, **keywords).arguments
    with pytest.raises(CallRefused) as refused:
        rule.kind(**{name: _live_kind(value) for name, value in bound.items()})
    assert refused.value.reason
