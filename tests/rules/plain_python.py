"""Running the rules of array functions as plain Python, without the compiler.

Questions that the compiler answers from kinds are answered from the live arguments.
Lengths or ranks can be held back, as where they are known only when the program runs.
"""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from s2sad.ir.kinds import (
    Array,
    Axis,
    Known,
    List,
    NumPyScalar,
    Scalar,
    Structure,
    Unknown,
)
from s2sad.rules import predicates
from s2sad.rules.load import load_all
from s2sad.rules.registry import rule_for
from s2sad.rules.steps.scatter import Scattered
from tests.rules.cases.elements import ZERO
from tests.rules.cases.form import LiteralFloat, LiteralInt
from tests.support.finite_differences import (
    central_difference_gradient,
    is_differentiable,
    tree_dot,
    tree_leaves,
    tree_map,
    tree_random_like,
)

load_all()
_live_kind = predicates.live_kind


def bare(value):
    """Python's own type in place of a literal's."""
    return {LiteralFloat: float, LiteralInt: int}.get(type(value), lambda v: v)(value)


def live_kind(value):
    """The kind of a value; a number is known."""
    return _live_kind(bare(value))


def kind_with_literals(value):
    """The kind of a value; a number isn't known unless it is literal."""
    known = isinstance(value, LiteralFloat | LiteralInt)
    if type(value) in (bool, int, float, complex) and not known:
        return Scalar(type(value).__name__)
    return live_kind(value)


def with_any_lengths(value):
    """The kind of a value without the lengths of its axes."""
    return _forget(live_kind(value), lambda axes: tuple(Axis("any") for _ in axes))


def with_unknown_ranks(value):
    """The kind of a value without the number of its axes."""
    return _forget(live_kind(value), lambda axes: None)


def _forget(kind, change):
    if isinstance(kind, Array):
        return replace(kind, axes=change(kind.axes))
    if isinstance(kind, Structure):
        return replace(kind, items=tuple(_forget(i, change) for i in kind.items))
    return kind


def generator(case):
    return np.random.default_rng(zlib.crc32(case.name.encode()))


def value_of(case):
    with np.errstate(all="ignore"):
        value = case.function(*map(bare, case.arguments), **case.keywords)
    if case.function is np.einsum and np.ndim(value) == 0:
        return value[()]  # with optimize=True it is an array without axes
    return value


def argument(case, which):
    return case.keywords[which] if isinstance(which, str) else case.arguments[which]


def bound_arguments(case, values=None):
    """The arguments, or what stands for them, by the rule's parameters."""
    positional, keywords = list(case.arguments), dict(case.keywords)
    for which, value in (values or {}).items():
        (keywords if isinstance(which, str) else positional)[which] = value
    return rule_for(case.function).signature.bind(*positional, **keywords).arguments


def parameter_of(case, which):
    """The name of the rule's parameter, and the position in one that takes several."""
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
    """What a rule returned, at full shape."""
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
        bars = tuple(np.multiply(out_bar, p) for p in partials_of(case, out))
    else:
        bars = rule.reverse(*case.arguments, **case.keywords, out=out, out_bar=out_bar)
        bars = bars if len(rule.differentiable) > 1 else (bars,)
    assert len(bars) == len(rule.differentiable)
    named = dict(zip(rule.differentiable, bars))
    result = []
    for which in case.wrt:
        name, place = parameter_of(case, which)
        value = argument(case, which)
        bar = named[name] if place is None else named[name][place]
        bar = summed_to(bar, value) if rule.partials is not None else bar
        result.append(settled(bar, value))
    return tuple(result)


def partials_of(case, out):
    partials = rule_for(case.function).partials(
        *case.arguments, **case.keywords, out=out
    )
    return partials if isinstance(partials, tuple) else (partials,)


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


def only_real(value, cotangent):
    """The cotangent as a gradient of the value: None or real where the value is."""

    def part(v, c):
        if not is_differentiable(v):
            return None
        return c if np.iscomplexobj(v) else np.real(c)

    return tree_map(part, value, cotangent)


def random_cotangent(case, out):
    drawn = tree_random_like(generator(case), out)
    drawn = tree_map(
        lambda v, d: np.zeros(np.shape(v))[()] if d is None else d, out, drawn
    )
    if case.function is np.linalg.slogdet:
        return (np.zeros_like(drawn[0]), drawn[1])
    return drawn


def reference_gradient(case, out_bar):
    rounds = case.function is np.float32
    doubles = [
        tree_map(_double, a) if k in case.wrt and not rounds else a
        for k, a in enumerate(case.arguments)
    ]
    words = {k: v for k, v in case.keywords.items() if k not in case.wrt}
    active_words = [w for w in case.wrt if isinstance(w, str)]

    def projected(*arguments):
        named = dict(zip(active_words, arguments[len(doubles) :]))
        value = case.function(*arguments[: len(doubles)], **words, **named)
        return tree_dot(tuple_of(out_bar), tuple_of(value))

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
    return tree_map(
        lambda v, d: np.zeros(np.shape(v)) if d is None else d, value, drawn
    )


def pushforward(case, out, tangents):
    rule = rule_for(case.function)
    if rule.linear:
        return case.function(tangents[0], *case.arguments[1:], **case.keywords)
    if rule.bilinear:
        given = [*case.arguments]
        parts = [[*given[:k], t, *given[k + 1 :]] for k, t in tangents.items()]
        return sum(case.function(*part, **case.keywords) for part in parts)
    if rule.forward is None:
        named = dict(zip(rule.differentiable, partials_of(case, out)))
        return sum(named[parameter_of(case, w)[0]] * t for w, t in tangents.items())
    zeros = {
        k: ZERO
        for k in (*range(len(case.arguments)), *case.keywords)
        if k not in tangents and parameter_of(case, k)[0] in rule.differentiable
    }
    bound = bound_arguments(case, {**tangents, **zeros})
    dots = {f"{name}_dot": bound.get(name, ZERO) for name in rule.differentiable}
    return rule.forward(*case.arguments, **case.keywords, out=out, **dots)


def fits(kind, value):
    """The kind says nothing wrong of the value."""
    if isinstance(kind, Unknown):
        return True
    if isinstance(kind, Structure):
        return len(value) == len(kind.items) and all(map(fits, kind.items, value))
    if isinstance(kind, List):
        return isinstance(value, list) and all(fits(kind.item, v) for v in value)
    if isinstance(kind, Scalar):
        joined = kind.type == "float" and type(value) is int  # where int joins float
        known = kind.value is None or kind.value == value
        return joined or (type(value).__name__ == kind.type and known)
    if isinstance(kind, Known):
        return value is kind.value or value == kind.value
    dtype = np.asarray(value).dtype.name
    if kind.dtype not in (None, dtype):
        return False
    if isinstance(kind, NumPyScalar):
        return isinstance(value, np.generic)
    if kind.axes is None:
        return True
    if not isinstance(value, np.ndarray):
        return False
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
    if isinstance(kind, List):
        return says_all(kind.item)
    return isinstance(kind, Scalar) or getattr(kind, "dtype", None) is not None
