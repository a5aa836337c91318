"""``dataclasses.asdict`` and ``astuple``: what the fields hold, taken apart as deep as
lists, dicts, tuples and other dataclasses go."""

import dataclasses
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.special_calls import SPECIAL_CALLS
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap.kept_objects import class_in
from s2sad.frontend.specialise.objects.copying import deep_copy
from s2sad.frontend.specialise.run_time import queries
from s2sad.source.annotations.annotation_nodes import (
    class_meant,
    fields_of_class,
    form_of_class,
)
from s2sad.source.static.values import StaticClass


def _as_dict(spec: Specialiser, args: Args, words: Words) -> core.Value:
    _check(args, words)
    return _taken_apart(spec, args[0], dict)


def _as_tuple(spec: Specialiser, args: Args, words: Words) -> core.Value:
    _check(args, words)
    return _taken_apart(spec, args[0], tuple)


def _check(args: Args, words: Words) -> None:
    if len(args) != 1 or words or _fields(args[0]) is None:
        raise core.Unsupported(
            "asdict and astuple are given something else than an object of a dataclass",
            "pass the object alone",
        )


def _fields(value: core.Value) -> tuple[str, ...] | None:
    """The fields of an object of a dataclass; None for other values."""
    if queries.is_reference(value):
        cls: Any = queries.kind_of(value).constructor
    else:
        cls = class_in(value)
    cls = class_meant(cls)
    if isinstance(cls, StaticClass):
        known = form_of_class(cls) == "dataclass"
        fields = fields_of_class(cls, "dataclass") if known else None
        return None if fields is None else tuple(fields)
    if not isinstance(cls, type) or not dataclasses.is_dataclass(cls):
        return None
    return tuple(field.name for field in dataclasses.fields(cls))


def _taken_apart(spec: Specialiser, value: core.Value, form: type) -> core.Value:
    names = _fields(value)
    if names is not None:
        items = tuple(
            _taken_apart(spec, spec.attribute_of(value, name), form) for name in names
        )
        if form is tuple:
            return core.aggregate_of(items)
        return core.Aggregate(dict, names, items)
    if isinstance(value, core.Cell) and core.is_container(value):
        content = spec.content_of(value)
        if value.constructor in (list, dict) and isinstance(content, core.Aggregate):
            if content.constructor is value.constructor:
                return _taken_apart(spec, content, form)
        raise _not_followed(value)
    if isinstance(value, core.Aggregate):
        if value.constructor not in (list, tuple, dict):
            raise _not_followed(value)
        items = tuple(_taken_apart(spec, item, form) for item in value.items)
        return core.Aggregate(value.constructor, value.keys, items)
    if isinstance(core.kind_of(value), ir.List | ir.Reference):
        raise _not_followed(value)
    return deep_copy(spec, value)


def _not_followed(value: core.Value) -> core.Unsupported:
    return core.Unsupported(
        f"a dataclass with {core.describe(value)} is taken apart", "name its attributes"
    )


SPECIAL_CALLS.update({dataclasses.asdict: _as_dict, dataclasses.astuple: _as_tuple})
