"""Calls that write into an array: as stores.

::

    np.multiply(x, y, out=z)       ->       z[...] = np.multiply(x, y)
    np.copyto(x, y)                ->       x[...] = y
    np.fill_diagonal(x, v)         ->       x[i, i] = v
    np.add.at(x, i, v)             ->       x = accumulated(x, i, v)
    x.fill(v), x.sort()            ->       x[...] = v, x[...] = np.sort(x)
"""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from s2sad.frontend.specialise.attributes import attribute_of
from s2sad.frontend.specialise.expressions import operate
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.stores import store
from s2sad.frontend.specialise.subscripts import item_of
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Value,
    aggregate_of,
    constant,
)
from s2sad.ir.kinds import Array, rank_of
from s2sad.ir.nodes import Var
from s2sad.rules.registry import rule_for
from s2sad.transform.buffers import accumulated

Args = tuple[Value, ...]
Words = dict[str, Value]
_EVERYTHING = constant(Ellipsis)


def writing_call(
    spec: Specialiser, function: Any, args: Args, words: Words, node: ast.AST
) -> Value | None:
    """The value of a call that writes into an array; None for any other call."""
    if "out" in words and rule_for(function) is not None:
        return _with_output(spec, function, args, words, node)
    if words or not args or not _is_array(args[0]):
        return None
    array, *others = args
    if function is np.copyto and len(others) == 1:
        return _stored(spec, array, _EVERYTHING, others[0], node)
    if function is np.fill_diagonal and len(others) == 1 and _rank(array) == 2:
        return _stored(spec, array, _diagonal(spec, array, node), others[0], node)
    ufunc = getattr(function, "__self__", None)
    if getattr(function, "__name__", "") == "at" and len(others) == 2:
        index, value = others
        if ufunc is np.subtract:
            value = operate(spec, operator.neg, (value,), node)
        if ufunc is np.add or ufunc is np.subtract:
            assert isinstance(array, Leaf)
            store(spec, array, index, value, node, accumulated)
            return constant(None)
    return None


def writing_method(
    spec: Specialiser, receiver: Value, name: str, args: Args, node: ast.AST
) -> Value | None:
    """The same for methods of arrays."""
    from s2sad.frontend.specialise.calls import call_function

    if not _is_array(receiver):
        return None
    if name == "fill" and len(args) == 1:
        return _stored(spec, receiver, _EVERYTHING, args[0], node)
    if name == "sort" and not args:
        ordered = call_function(spec, np.sort, (receiver,), {}, node)
        return _stored(spec, receiver, _EVERYTHING, ordered, node)
    return None


def _with_output(
    spec: Specialiser, function: Any, args: Args, words: Words, node: ast.AST
) -> Value | None:
    from s2sad.frontend.specialise.calls import call_function

    others = {name: value for name, value in words.items() if name != "out"}
    out = words["out"]
    if isinstance(out, Aggregate) and len(out.items) == 1:
        out = out.items[0]
    if out == constant(None):
        return call_function(spec, function, args, others, node)
    if not _is_array(out):
        return None
    value = call_function(spec, function, args, others, node)
    _stored(spec, out, _EVERYTHING, value, node)
    return out


def _stored(
    spec: Specialiser, array: Value, index: Value, value: Value, node: ast.AST
) -> Value:
    assert isinstance(array, Leaf)
    store(spec, array, index, value, node)
    return constant(None)


def _diagonal(spec: Specialiser, array: Value, node: ast.AST) -> Value:
    from s2sad.frontend.specialise.calls import call_function

    shape = attribute_of(spec, array, "shape", node)
    lengths = tuple(item_of(spec, shape, constant(k), node) for k in range(2))
    count = call_function(spec, min, lengths, {}, node)
    places = call_function(spec, np.arange, (count,), {}, node)
    return aggregate_of((places, places))


def _is_array(value: Value) -> bool:
    if not isinstance(value, Leaf) or not isinstance(value.kind, Array):
        return False
    return not value.kind.promoted and isinstance(value.operand, Var)


def _rank(value: Value) -> int | None:
    return rank_of(value.kind) if isinstance(value, Leaf) else None
