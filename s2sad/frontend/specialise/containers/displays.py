"""Displays of tuples, lists and dicts, and f-strings."""

import ast
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.conversions import folded_call
from s2sad.frontend.specialise.containers import dicts, lists
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.library_calls import keyed_heaps
from s2sad.frontend.specialise.objects.construction import construct
from s2sad.frontend.specialise.run_time import by_value, merged_dicts, queries, records
from s2sad.rules.python.folding import NOT_KNOWN, known_result


@core.expression(ast.Tuple)
def tuple_display(spec: Specialiser, node: ast.Tuple) -> core.Value:
    return _display(spec, node, tuple)


@core.expression(ast.List)
def list_display(spec: Specialiser, node: ast.List) -> core.Value:
    if keyed_heaps.is_start(spec, node):
        items = tuple(map(spec.evaluate, node.elts))
        made = construct(spec, keyed_heaps.KeyedHeap, items, {})
        assert made is not None
        return made
    return _display(spec, node, list)


def _display(
    spec: Specialiser, node: ast.Tuple | ast.List, constructor: type
) -> core.Value:
    parts: list[tuple[bool, core.Value]] = []
    for inner in node.elts:
        if isinstance(inner, ast.Starred):
            value = spec.evaluate(inner.value)
            if not isinstance(value, core.Part):
                with spec.at(inner):
                    value = unpacked_value(spec, value)
            parts.append((True, value))
        else:
            parts.append((False, spec.evaluate(inner)))
    unlike = records.joined(spec, parts, constructor)
    if unlike is not None:
        return unlike
    parts = [
        (unpacked, spec.settled(value))
        if unpacked and isinstance(value, core.Part)
        else (unpacked, value)
        for unpacked, value in parts
    ]
    if any(unpacked and core.items_of(value) is None for unpacked, value in parts):
        return spec.display(parts, constructor)
    items: list[core.Value] = []
    for unpacked, value in parts:
        items += core.items_of(value) or () if unpacked else (value,)
    return core.aggregate_of(tuple(items), constructor)


def unpacked_value(spec: Specialiser, value: core.Value) -> core.Value:
    """What ``*value`` gives, as a list or a structure."""
    value = spec.contents(value)
    if isinstance(value, core.Lazy):
        return collected(spec, value)
    items = core.items_of(value)
    if items is not None:
        return core.aggregate_of(items, list)
    if lists.is_list(value):
        return value
    if queries.is_sequence(value) and by_value.value_kind(spec, queries.kind_of(value)):
        return by_value.items_of(spec, value)
    lazy = core.Lazy("list", (), lambda spec, sources: spec.iterate(value))
    return collected(spec, lazy)


@core.expression(ast.Dict)
def dict_display(spec: Specialiser, node: ast.Dict) -> core.Value:
    parts: list[merged_dicts.Part] = []
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        key = None if key_node is None else spec.evaluate(key_node)
        value = spec.evaluate(value_node)
        if key is None:
            value = spec.contents(value)
            if not merged_dicts.is_dict(value):
                raise core.Unsupported(
                    "only a dict can be unpacked here", "", value_node
                )
            parts.append(merged_dicts.taken(spec, value))
        elif rules.is_static(core.kind_of(key)):
            dicts.refuse_iterator(key)
            known = rules.static_value(core.kind_of(key))
            parts.append(core.Aggregate(dict, (known,), (value,)))
        else:
            dicts.refuse_iterator(key)
            parts.append((key, value))
    return merged_dicts.merged(spec, parts)


@core.expression(ast.JoinedStr)
def formatted_string(spec: Specialiser, node: ast.JoinedStr) -> core.Value:
    parts = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            conversion = "" if part.conversion < 0 else chr(part.conversion)
            form: core.Value = core.constant("")
            if part.format_spec is not None:
                form = spec.evaluate(part.format_spec)
            arguments = (spec.evaluate(part.value), core.constant(conversion), form)
            known = folded_call(ops.format_value, arguments)
            parts.append(known or _opaque(spec, ops.format_value, arguments))
        else:
            parts.append(spec.evaluate(part))
    if all(isinstance(p, core.Leaf) and isinstance(p.operand, ir.Const) for p in parts):
        texts = [p.operand.value for p in parts]  # type: ignore[union-attr]
        known = known_result("".join, (texts,))
        if known is not NOT_KNOWN:
            return core.constant(known)
    return _opaque(spec, ops.format_string, tuple(parts))


def _opaque(spec: Specialiser, function: Any, args: Args) -> core.Value:
    operation = ir.Apply(function, tuple(core.operand_of(a) for a in args))
    return spec.define(operation, ir.OPAQUE, "text")
