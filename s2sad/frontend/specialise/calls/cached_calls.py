"""Calls of cached functions.

On values without derivatives the call is kept, so that it still caches. What it gives
is known from the text of the function: a number, an array, a structure, or a list of
them::

    offsets = kernel_offsets(reach)   ->   offsets = kernel_offsets(reach)
    for i, d in offsets:                   offsets_0 = [row[0] for row in offsets]
        total += d * x[i]                  offsets_1 = [row[1] for row in offsets]

Others are computed again in each call, where that gives the same.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import Any

from s2sad import ir, ops, rules
from s2sad.analysis.passes.purity import may_draw, takes_its_time
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.foreign import foreign_call
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.bindings import projection
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap.cells import cells_in
from s2sad.source.text import scopes
from s2sad.source.text.scopes import assigned_names

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


def cached_closure(closure: core.Closure) -> core.Closure:
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
        raise core.Unsupported(
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


def recomputed(
    spec: Specialiser,
    key: Hashable,
    values: Iterable[core.Value],
    call: Callable[[], core.Value],
) -> core.Value:
    """What a cached function gives, computed again in each call. Refused where it
    reads of its arguments and what it captures, ``values``, what changes in between."""
    known = spec.read_by_caches.setdefault(key, {})
    for value in values:
        for cell in cells_in(value):
            counts = cell.frame.counts()
            if known.setdefault(cell.frame, counts) != counts:
                raise _changed(core.describe(cell))
    start = len(spec.block)
    made = call()
    lines = tuple(spec.block[start:])
    if differs_later(lines):
        raise _changed("what the program changes, or random numbers")
    note_arrays_read(spec, lines)
    return shared_arrays(spec, made)


def captured(closure: core.Closure) -> list[core.Value]:
    """What a nested function reads of those around it."""
    names = scopes.names_in_text(closure.source.node)
    owners = ((name, closure.frame.owner(name)) for name in ir.in_order(names))
    return [
        owner.names[name] for name, owner in owners if owner and name in owner.names
    ]


def _changed(what: str) -> core.Unsupported:
    return core.Unsupported(
        f"a cached function reads {what}: what it gives depends on when it was called "
        "first",
        "pass it what it needs as numbers, or call it without a cache",
    )


def differs_later(lines: ir.Block) -> bool:
    """True for lines that may give something else when they are run again."""
    complete = filter(ir.is_complete, ir.all_procedures([lines]))
    called = (p.function.body for p in complete)
    return any(
        takes_its_time(s) or may_draw(s)
        for block in (lines, *called)
        for s in ir.walk(block)
    )


def note_arrays_read(spec: Specialiser, lines: ir.Block) -> None:
    """Remember the arrays that lines read: a cache would show what stood in them when
    it was filled."""
    read = set().union(*(ir.names_read_within(s) for s in lines))
    spec.arrays_cached |= read.difference(*(ir.names_written_within(s) for s in lines))


def shared_arrays(spec: Specialiser, value: core.Value) -> core.Value:
    """What a cache gives: who writes into it changes what the cache gives next."""

    def shared(leaf: core.Leaf) -> core.Leaf:
        if not isinstance(leaf.kind, ir.Array):
            return leaf
        return core.single(spec.apply(ops.shared_result, (leaf,), hint="cached"))

    for cell in cells_in(value):
        cell.frame.outside = "what a cached function gives"
    return core.map_leaves(value, shared)


class _Found(Exception):
    """What a function gives, by its text."""

    def __init__(self, value: core.Value, reads: list[core.Read]) -> None:
        super().__init__()
        self.value, self.reads = value, reads


def cached_call(
    spec: Specialiser,
    function: functools._lru_cache_wrapper[Any],
    args: Args,
    keywords: Words,
) -> core.Value:
    """The result, with its kind where that is known."""
    form = _form_of_result(spec, function.__wrapped__, args, keywords)
    known = None if form is None else _constant(form)
    if known is not None:
        return known
    made = foreign_call(spec, function, args, keywords)
    if form is None or not _is_plain(form):
        return made
    assert isinstance(made, core.Leaf) and isinstance(made.operand, ir.Var)
    if isinstance(form, core.Leaf):
        return _with_kind(spec, made.operand, ir.without_value(form.kind))
    return _part(spec, made.operand, form, ())


def _form_of_result(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value | None:
    """A value like the result, found by running through the function's text."""

    problems, reads = len(spec.problems), len(spec.module.reads)

    def run() -> None:
        value = spec.call_function(function, args, keywords)
        if len(spec.problems) > problems or spec.unreachable:
            raise core.NotKnown
        raise _Found(value, spec.module.reads[reads:])

    try:
        with core.values_passed(lambda path: None):
            attempt(spec, run)
    except _Found as found:
        spec.module.reads += found.reads
        return found.value
    except (
        core.Unsupported,
        core.NotKnown,
        core.NothingFollows,
        core.NoOperand,
        rules.ValueNeeded,
    ):
        return None
    except core.SpecialiseOnValue:
        return None
    raise AssertionError("run always raises")


def _constant(form: core.Value) -> core.Value | None:
    """A number or string that is known, or a tuple of them; else None."""
    if isinstance(form, core.Leaf):
        if (
            rules.is_static(form.kind)
            and type(rules.static_value(form.kind)) in _CONSTANTS
        ):
            return core.constant(rules.static_value(form.kind))
        return None
    if not isinstance(form, core.Aggregate) or form.constructor is not tuple:
        return None
    items = tuple(map(_constant, form.items))
    if any(item is None for item in items):
        return None
    return core.aggregate_of(items)  # type: ignore[arg-type]


def _is_plain(form: core.Value) -> bool:
    """True for numbers, arrays and structures of them."""
    if isinstance(form, core.Leaf):
        return isinstance(form.kind, ir.Scalar | ir.NumPyScalar | ir.Array | ir.List)
    if not isinstance(form, core.Aggregate):
        return False
    if core.is_rows(form):
        rows = [*core.leaves(form)]
        return bool(rows) and _has_plain_rows(form.items[0])
    return form.constructor in (tuple, list, dict) and all(map(_is_plain, form.items))


def _has_plain_rows(row: core.Value) -> bool:
    if isinstance(row, core.Aggregate):
        plain = row.constructor in (tuple, list, dict)
        return plain and all(map(_has_plain_rows, row.items))
    return isinstance(row, core.Leaf) and isinstance(row.kind, ir.List)


def _with_kind(spec: Specialiser, variable: ir.Var, kind: ir.Kind) -> core.Leaf:
    """The variable that was just assigned, of a kind that is known by now."""
    last = spec.block.pop()
    assert isinstance(last, ir.Assign) and last.target == variable
    return spec.assign(variable, last.value, kind)


def _part(
    spec: Specialiser, holder: ir.Var, form: core.Value, path: tuple[Hashable, ...]
) -> core.Value:
    """What a variable holds, in the form of a structure."""
    if isinstance(form, core.Leaf):
        return core.Leaf(holder, ir.without_value(form.kind))
    assert isinstance(form, core.Aggregate)
    if core.is_rows(form):
        return core.Aggregate(
            core.Rows, (core.ROW,), (_columns(spec, holder, form.items[0], ()),)
        )
    items = []
    for key, item in zip(form.keys, form.items, strict=True):
        kind = ir.without_value(item.kind) if isinstance(item, core.Leaf) else ir.OPAQUE
        target = spec.fresh(f"{holder.name}_{key}")
        spec.assign(target, projection(form.constructor, holder, key), kind)
        items.append(_part(spec, target, item, (*path, key)))
    return core.Aggregate(form.constructor, form.keys, tuple(items))


def _columns(
    spec: Specialiser, holder: ir.Var, row: core.Value, path: tuple[Hashable, ...]
) -> core.Value:
    """A list for each number or array in the rows."""
    if isinstance(row, core.Leaf):
        keys = tuple(ir.Const(key) for key in path)
        hint = "_".join((holder.name, *map(str, path)))
        return spec.assign(
            spec.fresh(hint), ir.Apply(ops.column_of, (holder, *keys)), row.kind
        )
    assert isinstance(row, core.Aggregate)
    items = tuple(
        _columns(spec, holder, item, (*path, key))
        for key, item in zip(row.keys, row.items, strict=True)
    )
    return core.Aggregate(row.constructor, row.keys, items)
