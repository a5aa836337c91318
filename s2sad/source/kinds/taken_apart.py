"""Kinds of values with the lists in them taken apart by their items: of arguments for
Numba, and of whole numbers in a module.

>>> str(kinds_in_parts({"xs": [1.0] * 5})["xs"])
'list(0: float, 1: float, 2: float, 3: float, 4: float)'
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.source.kinds import kinds_of_values


def kinds_in_parts(values: Mapping[str, Any]) -> dict[str, ir.Kind]:
    """The kinds of arguments, by name, each item of theirs with one of its own. Raises
    ArgumentError for a list of more than 64."""
    kinds: dict[str, ir.Kind] = {}
    for name, value in values.items():
        kind = in_parts(kinds_of_values.kind_of_value(value, name), value, name)
        if holds_lists(kind):
            raise kinds_of_values.too_long(name, value)
        kinds[name] = kind
    return kinds


def holds_lists(kind: ir.Kind) -> bool:
    """True for a list of any length, and for what holds one."""
    if isinstance(kind, ir.Structure):
        return any(map(holds_lists, kind.items))
    return isinstance(kind, ir.List)


def in_parts(
    kind: ir.Kind,
    value: Any,
    path: Hashable,
    is_wanted: Callable[[ir.List, Any], bool] = lambda kind, value: True,
) -> ir.Kind:
    """The kind of a value in which lists of up to 64 items, if wanted, are taken
    apart."""
    if isinstance(kind, ir.Structure):
        if not any(map(holds_lists, kind.items)):
            return kind
        items = (
            in_parts(item, item_at(value, key, kind), (path, key), is_wanted)
            for key, item in zip(kind.keys, kind.items, strict=True)
        )
        return replace(kind, items=tuple(items))
    if not isinstance(kind, ir.List) or not is_wanted(kind, value):
        return kind
    if len(value) > kinds_of_values.LONGEST_STRUCTURE:
        return kind if ir.is_real_number_kind(kind) else ir.OPAQUE
    own = (
        (k, kinds_of_values.kind_of_value(v, (path, k))) for k, v in enumerate(value)
    )
    items = (in_parts(item, value[k], (path, k), is_wanted) for k, item in own)
    return ir.Structure(type(value), tuple(range(len(value))), tuple(items))


def item_at(value: Any, key: Any, kind: ir.Structure) -> Any:
    """What a value of a structure's kind holds under a key."""
    if kind.constructor in (tuple, list, dict):
        return value[key]
    return getattr(value, key)
