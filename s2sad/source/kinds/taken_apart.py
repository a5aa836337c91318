"""Kinds of arguments with the lists in them taken apart by their items.

>>> kinds = {"xs": kinds_of_values.kind_of_value([1.0] * 5, "xs")}
>>> str(taken_apart(kinds, {"xs": [1.0] * 5})["xs"])
'list(0: float, 1: float, 2: float, 3: float, 4: float)'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from s2sad import errors, ir
from s2sad.source.kinds import kinds_of_values

Result = TypeVar("Result")


def taken_apart(
    kinds: Mapping[str, ir.Kind], values: Mapping[str, Any], *, whole: bool = False
) -> dict[str, ir.Kind]:
    """The kinds with a structure in place of each list of up to 64 items. Longer ones
    stay, and are opaque where they carry no derivative. ``whole``: none may stay;
    raises ArgumentError where one would."""
    found = {name: in_parts(kind, values[name], name) for name, kind in kinds.items()}
    if whole:
        for name, kind in found.items():
            if holds_lists(kind):
                raise kinds_of_values.too_long(name, values[name])
    return found


def in_some_form(
    compile_for: Callable[[Mapping[str, ir.Kind]], Result],
    kinds: Mapping[str, ir.Kind],
    values: Mapping[str, Any],
) -> Result:
    """What is compiled for kinds, or where that is refused for those in which lists are
    taken apart."""
    try:
        return compile_for(kinds)
    except errors.S2sadError as refused:
        apart = taken_apart(kinds, values)
        if apart == kinds:
            raise
        try:
            return compile_for(apart)
        except errors.S2sadError:
            # of a long list nothing more is known than before
            if any(map(holds_lists, apart.values())):
                raise refused from None
            raise


def holds_lists(kind: ir.Kind) -> bool:
    """True for a list of any length, and for what holds one."""
    if isinstance(kind, ir.Structure):
        return any(map(holds_lists, kind.items))
    return isinstance(kind, ir.List)


def has_many_objects(kind: ir.Kind) -> bool:
    """True for what leads to more objects of one class than lists may have that are
    taken apart: text and time would grow with the data."""
    counts: Counter[type] = Counter()
    waiting = [kind]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ir.Structure):
            if one.constructor not in ir.CONTAINERS:
                counts[one.constructor] += 1
            waiting += one.items
    return max(counts.values(), default=0) > kinds_of_values.LONGEST_STRUCTURE


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
