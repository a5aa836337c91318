"""Displays of tuples, lists and dicts, and f-strings."""

from __future__ import annotations

import ast
from typing import Any

from s2sad.frontend.specialise.calls.conversions import folded_call
from s2sad.frontend.specialise.containers import list_operators, lists
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.specialiser import Specialiser, expression
from s2sad.frontend.specialise.core.targets import items_of
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Lazy,
    Leaf,
    Value,
    aggregate_of,
    constant,
    kind_of,
    operand_of,
)
from s2sad.frontend.specialise.heap.cells import contents
from s2sad.frontend.specialise.library_calls import keyed_heaps
from s2sad.frontend.specialise.objects.construction import construct
from s2sad.ir.kinds import (
    OPAQUE,
)
from s2sad.ir.nodes import Apply, Const
from s2sad.ops.effects import format_string, format_value
from s2sad.rules.python.folding import NOT_KNOWN, known_result
from s2sad.rules.result_kinds import is_static, static_value


@expression(ast.Tuple)
def tuple_display(spec: Specialiser, node: ast.Tuple) -> Value:
    return _display(spec, node, tuple)


@expression(ast.List)
def list_display(spec: Specialiser, node: ast.List) -> Value:
    if keyed_heaps.is_start(spec, node):
        items = tuple(map(spec.evaluate, node.elts))
        made = construct(spec, keyed_heaps.KeyedHeap, items, {}, node)
        assert made is not None
        return made
    return _display(spec, node, list)


def _display(spec: Specialiser, node: ast.Tuple | ast.List, constructor: type) -> Value:
    parts: list[tuple[bool, Value]] = []
    for inner in node.elts:
        if isinstance(inner, ast.Starred):
            value = spec.evaluate(inner.value)
            parts.append((True, unpacked_value(spec, value, inner)))
        else:
            parts.append((False, spec.evaluate(inner)))
    if any(unpacked and items_of(value) is None for unpacked, value in parts):
        return list_operators.display(spec, parts, constructor, node)
    items: list[Value] = []
    for unpacked, value in parts:
        items += items_of(value) or () if unpacked else (value,)
    return aggregate_of(tuple(items), constructor)


def unpacked_value(spec: Specialiser, value: Value, node: ast.AST) -> Value:
    """What ``*value`` gives, as a list or a structure."""
    from s2sad.frontend.specialise.iteration.collecting import collected
    from s2sad.frontend.specialise.iteration.iteration import iterate

    value = contents(spec, value)
    if isinstance(value, Lazy):
        return collected(spec, value, node)
    items = items_of(value)
    if items is not None:
        return aggregate_of(items, list)
    if lists.is_list(value):
        return value
    lazy = Lazy("list", (), lambda spec, sources: iterate(spec, value, node))
    return collected(spec, lazy, node)


@expression(ast.Dict)
def dict_display(spec: Specialiser, node: ast.Dict) -> Value:
    entries: dict[Any, Value] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        key = None if key_node is None else kind_of(spec.evaluate(key_node))
        value = spec.evaluate(value_node)
        if key is None:
            value = contents(spec, value)
            if not isinstance(value, Aggregate) or value.constructor is not dict:
                raise Unsupported(value_node, "only a dict can be unpacked here", "")
            entries.update(zip(value.keys, value.items, strict=True))
            continue
        if not is_static(key):
            raise Unsupported(
                key_node,
                "a dict's key must be known before the program runs",
                "use a literal as the key",
            )
        entries[static_value(key)] = value
    return Aggregate(dict, tuple(entries), tuple(entries.values()))


@expression(ast.JoinedStr)
def formatted_string(spec: Specialiser, node: ast.JoinedStr) -> Value:
    parts = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            conversion = "" if part.conversion < 0 else chr(part.conversion)
            form: Value = constant("")
            if part.format_spec is not None:
                form = spec.evaluate(part.format_spec)
            arguments = (spec.evaluate(part.value), constant(conversion), form)
            known = folded_call(format_value, arguments)
            parts.append(known or _opaque(spec, format_value, arguments))
        else:
            parts.append(spec.evaluate(part))
    if all(isinstance(p, Leaf) and isinstance(p.operand, Const) for p in parts):
        texts = [p.operand.value for p in parts]  # type: ignore[union-attr]
        known = known_result("".join, (texts,))
        if known is not NOT_KNOWN:
            return constant(known)
    return _opaque(spec, format_string, tuple(parts))


def _opaque(spec: Specialiser, function: Any, args: tuple[Value, ...]) -> Value:
    operation = Apply(function, tuple(operand_of(a) for a in args))
    return spec.define(operation, OPAQUE, "text")
