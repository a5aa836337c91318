"""Calls of cached functions on values without derivatives.

The call is kept, so that it still caches. What it gives is known from the text of the
function: a number, an array, a structure, or a list of them::

    offsets = kernel_offsets(reach)   ->   offsets = kernel_offsets(reach)
    for i, d in offsets:                   offsets_0 = [row[0] for row in offsets]
        total += d * x[i]                  offsets_1 = [row[1] for row in offsets]
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise.calls.foreign import foreign_call
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.arguments import projection
from s2sad.frontend.specialise.core.exceptions import (
    NothingFollows,
    SpecialiseOnValue,
    Unsupported,
)
from s2sad.frontend.specialise.core.reads import Read
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.values import (
    ROW,
    Aggregate,
    Closure,
    Leaf,
    NoOperand,
    Rows,
    Value,
    aggregate_of,
    constant,
    is_rows,
    leaves,
    map_leaves,
)
from s2sad.frontend.specialise.heap.cells import cells_in
from s2sad.frontend.specialise.iteration.iteration import NotKnown
from s2sad.ir.kinds import OPAQUE, Array, Kind, List, NumPyScalar, Scalar, without_value
from s2sad.ir.nodes import Apply, Assign, Const, Var
from s2sad.ops.buffers import shared_result
from s2sad.ops.lists import column_of
from s2sad.rules.result_kinds import ValueNeeded, is_static, static_value
from s2sad.source.text.scopes import assigned_names

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


def cached_closure(closure: Closure, node: ast.AST) -> Closure:
    """A nested function behind a cache. It is written out at each call, so what it
    reads besides its arguments must stay as it is."""
    frame = closure.frame
    changing = frame.rebound | _bound_in_loops(frame.source.node, closure.source.node)
    read = {
        n.id
        for n in ast.walk(closure.source.node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }
    own = {n.arg for n in ast.walk(closure.source.node) if isinstance(n, ast.arg)}
    body = closure.source.node.body
    own |= assigned_names(body if isinstance(body, list) else [body])
    for name in sorted((read - own) & changing & frame.local_names):
        raise Unsupported(
            node,
            f"a cached function reads {name!r}, which is bound at several places: what "
            "it gives would depend on when it was called first",
            "pass it as an argument",
        )
    return replace(closure, cached=True)


def _bound_in_loops(outer: ast.AST, inner: ast.AST) -> set[str]:
    """The names that loops of a function bind, which don't hold a nested function."""
    return {
        name
        for loop in ast.walk(outer)
        if isinstance(loop, ast.For | ast.While) and inner not in ast.walk(loop)
        for name in assigned_names([loop])
    }


def shared_arrays(spec: Specialiser, value: Value) -> Value:
    """What a cache gives: who writes into it changes what the cache gives next."""

    def shared(leaf: Leaf, path: tuple) -> Leaf:
        if not isinstance(leaf.kind, Array):
            return leaf
        made = spec.apply(shared_result, (leaf,), hint="cached")
        assert isinstance(made, Leaf)
        return made

    for cell in cells_in(value):
        cell.frame.outside = "what a cached function gives"
    return map_leaves(value, shared)


class _Found(Exception):
    """What a function gives, by its text."""

    def __init__(self, value: Value, reads: list[Read]) -> None:
        super().__init__()
        self.value, self.reads = value, reads


def cached_call(
    spec: Specialiser,
    function: functools._lru_cache_wrapper[Any],
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """The result, with its kind where that is known."""
    form = _form_of_result(spec, function.__wrapped__, args, keywords, node)
    known = None if form is None else _constant(form)
    if known is not None:
        return known
    made = foreign_call(spec, function, args, keywords, node)
    if form is None or not _is_plain(form):
        return made
    assert isinstance(made, Leaf) and isinstance(made.operand, Var)
    if isinstance(form, Leaf):
        return _with_kind(spec, made.operand, without_value(form.kind))
    return _part(spec, made.operand, form, ())


def _form_of_result(
    spec: Specialiser,
    function: Any,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value | None:
    """A value like the result, found by running through the function's text."""
    from s2sad.frontend.specialise.calls.calls import call_function

    problems, reads = len(spec.problems), len(spec.reads)

    def run() -> None:
        value = call_function(spec, function, args, keywords, node)
        if len(spec.problems) > problems or spec.unreachable:
            raise NotKnown
        raise _Found(value, spec.reads[reads:])

    try:
        attempt(spec, run)
    except _Found as found:
        spec.reads += found.reads
        return found.value
    except (Unsupported, NotKnown, NothingFollows, NoOperand, ValueNeeded):
        return None
    except SpecialiseOnValue:
        return None
    raise AssertionError("run always raises")


def _constant(form: Value) -> Value | None:
    """A number or string that is known, or a tuple of them; else None."""
    if isinstance(form, Leaf):
        if is_static(form.kind) and type(static_value(form.kind)) in _CONSTANTS:
            return constant(static_value(form.kind))
        return None
    if not isinstance(form, Aggregate) or form.constructor is not tuple:
        return None
    items = tuple(map(_constant, form.items))
    if any(item is None for item in items):
        return None
    return aggregate_of(items)  # type: ignore[arg-type]


def _is_plain(form: Value) -> bool:
    """True for numbers, arrays and structures of them."""
    if isinstance(form, Leaf):
        return isinstance(form.kind, Scalar | NumPyScalar | Array | List)
    if not isinstance(form, Aggregate):
        return False
    if is_rows(form):
        rows = [*leaves(form)]
        return bool(rows) and _has_plain_rows(form.items[0])
    return form.constructor in (tuple, list, dict) and all(map(_is_plain, form.items))


def _has_plain_rows(row: Value) -> bool:
    if isinstance(row, Aggregate):
        plain = row.constructor in (tuple, list, dict)
        return plain and all(map(_has_plain_rows, row.items))
    return isinstance(row, Leaf) and isinstance(row.kind, List)


def _with_kind(spec: Specialiser, variable: Var, kind: Kind) -> Leaf:
    """The variable that was just assigned, of a kind that is known by now."""
    last = spec.block.pop()
    assert isinstance(last, Assign) and last.target == variable
    return spec.assign(variable, last.value, kind)


def _part(
    spec: Specialiser, holder: Var, form: Value, path: tuple[Hashable, ...]
) -> Value:
    """What a variable holds, in the form of a structure."""
    if isinstance(form, Leaf):
        return Leaf(holder, without_value(form.kind))
    assert isinstance(form, Aggregate)
    if is_rows(form):
        return Aggregate(Rows, (ROW,), (_columns(spec, holder, form.items[0], ()),))
    items = []
    for key, item in zip(form.keys, form.items, strict=True):
        kind = without_value(item.kind) if isinstance(item, Leaf) else OPAQUE
        target = spec.fresh(f"{holder.name}_{key}")
        spec.assign(target, projection(form.constructor, holder, key), kind)
        items.append(_part(spec, target, item, (*path, key)))
    return Aggregate(form.constructor, form.keys, tuple(items))


def _columns(
    spec: Specialiser, holder: Var, row: Value, path: tuple[Hashable, ...]
) -> Value:
    """A list for each number or array in the rows."""
    if isinstance(row, Leaf):
        keys = tuple(Const(key) for key in path)
        hint = "_".join((holder.name, *map(str, path)))
        return spec.assign(
            spec.fresh(hint), Apply(column_of, (holder, *keys)), row.kind
        )
    assert isinstance(row, Aggregate)
    items = tuple(
        _columns(spec, holder, item, (*path, key))
        for key, item in zip(row.keys, row.items, strict=True)
    )
    return Aggregate(row.constructor, row.keys, items)
