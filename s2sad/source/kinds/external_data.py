"""Kinds of what a function takes from its module or closure."""

import ast
from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from s2sad import custom, ir
from s2sad.source.annotations import annotation_nodes, annotations
from s2sad.source.kinds import attributes, kinds_of_values, lists, references
from s2sad.source.kinds.foreign_classes import is_like_array
from s2sad.source.kinds.taken_apart import in_parts
from s2sad.source.text import resolve

DataForm = Literal["kept", "open", "apart"]
"""How lists, tuples and dicts are held: those that may hold numbers that count are kept
as they are; those of few items, or of unlike ones, are taken apart; or all those of up
to 64 items, as such of whole numbers always are."""


def data_kind(value: Any, name: str, form: DataForm = "open") -> ir.Kind:
    """The kind of a module's or closure's datum, as ``_data_kind`` tells it, with sets
    that others read, too."""
    return _of_module(_data_kind(value, name, form))


def _of_module(kind: Any) -> Any:
    match kind:
        case ir.Members():
            return replace(kind, of_module=True)
        case ir.Structure():
            return replace(kind, items=tuple(map(_of_module, kind.items)))
        case ir.List():
            return replace(kind, item=_of_module(kind.item))
        case ir.Reference():
            for form in ir.reached_forms(kind):
                slots = form.slots.items()
                sets = {k: s for k, s in slots if isinstance(s, ir.Members)}
                form.slots.update({k: _of_module(s) for k, s in sets.items()})
    return kind


def _data_kind(value: Any, name: str, form: DataForm) -> ir.Kind:
    """The kind of a module's or closure's datum. Whole numbers are known by value, and
    checked again at each call; other data is read live."""
    if isinstance(value, resolve.StaticData):
        return _kind_told(value, ("global", name))
    if is_live_object(value):
        return ir.Known(value)
    static = (
        resolve.StaticFunction
        | resolve.StaticClass
        | resolve.StaticForeign
        | resolve.StaticS2sad
    )
    if isinstance(value, static | custom.CustomFunction):
        return ir.Known(value)
    if isinstance(value, np.generic):
        return kinds_of_values.kind_of_value(value, ("global", name))
    if type(value) in (bool, int):
        return ir.Scalar(type(value).__name__, value)
    if isinstance(value, int):
        return ir.Known(value)  # a member of an IntEnum
    if type(value) in (float, complex):
        special = value if value in (np.inf, -np.inf) else None
        return ir.Scalar(type(value).__name__, special)
    if _is_long(value) and (type(value) is dict or not lists.kind_of_list(value, name)):
        return _kind_of_many(value, ("global", name))
    if form == "kept" and isinstance(value, tuple | list | dict):
        kept = _kept_kind(value, ("global", name))
        if kept is not None:
            return kept
    if isinstance(value, np.ndarray | np.generic | tuple | list | dict):
        path = ("global", name)
        kind = kinds_of_values.kind_of_value(value, path)
        whole = form == "apart"
        return in_parts(kind, value, path, lambda *item: whole or _is_known(*item))
    kind = kinds_of_values.kind_of_value(value, ("global", name))
    if isinstance(kind, ir.Foreign) and is_like_array(kind.cls) and not callable(value):
        return kind  # read live, as arrays are
    return ir.Known(value) if isinstance(kind, ir.Unknown) else kind


def _kind_told(data: resolve.StaticData, path: Hashable) -> ir.Kind:
    """The kind of what only the run knows, by its annotation, the class that is called
    or the literal: a file checks it when it runs. Unknown where none of them tells."""
    expression, resolver = data.expression, data.resolver
    if _makes_set(expression):
        return ir.Members()
    if resolver is None:
        return ir.UNKNOWN
    told = data.annotation
    if told is None and isinstance(expression, ast.Call):
        told = expression.func
    if told is not None:
        annotation = annotation_nodes.evaluated_annotation(told, resolver)
        kind = annotations.kind_of_evaluated(annotation, path, resolver, kept=True)
        return kind if isinstance(kind, ir.List | ir.Reference) else ir.UNKNOWN
    if not isinstance(expression, ast.List | ast.Dict):
        return ir.UNKNOWN
    try:
        return _kept_kind(ast.literal_eval(expression), path) or ir.UNKNOWN
    except ValueError:
        return ir.UNKNOWN


def _makes_set(expression: ast.expr | None) -> bool:
    """True for ``{1, 2}``, ``{k for k in rows}`` and ``set(rows)``."""
    called = getattr(expression, "func", None)
    named = isinstance(called, ast.Name) and called.id == "set"
    return named or isinstance(expression, ast.Set | ast.SetComp)


def _is_known(kind: ir.List, value: Any) -> bool:
    """True for a list of so few whole numbers that each may be known."""
    short = len(value) <= kinds_of_values.LONGEST_STRUCTURE
    return short and not ir.is_real_number_kind(kind)


def _is_long(value: Any) -> bool:
    containers = isinstance(value, tuple | list | dict)
    return containers and len(value) > kinds_of_values.LONGEST_STRUCTURE


def _kind_of_many(value: Any, path: Hashable) -> ir.Kind:
    """The kind of a long list or dict."""
    return _kept_kind(value, path) or kinds_of_values.kind_of_value(value, path)


def _kept_kind(value: Any, path: Hashable) -> ir.Kind | None:
    """The kind of a list, tuple or dict that is kept as it is, where it may hold
    numbers that count; else None."""
    try:
        kept = references.kind_of_reference(value, path)
    except references.NoForm:
        return None
    return kept if kept.leads_to_numbers() else None


def is_live_object(value: Any) -> bool:
    """True for instances of the user's classes: the object is known, and what it holds
    is read where it is needed."""
    return attributes.attributes_of(value) is not None
