"""Items at places or under keys that only the run knows, where there are few: a branch
for each of them.

::

    p[key]         ->         p["a"] if key == "a" else p["b"]
"""

import ast
import operator
from enum import Enum
from functools import partial
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.indices import place_of_item

MOST_ARRAYS = 4
"""So many arrays are chosen from by tests, more are put into a list."""
MOST_TRIED = 16
"""With so many keys one that only the run knows is compared."""


def one_of_arrays(
    spec: Specialiser, value: core.Aggregate, index: core.Value
) -> core.Value | None:
    """``(a, b)[k]`` of a few arrays, where k is known only when the program runs: the
    array itself, which may be written into."""
    kind = core.kind_of(index)
    if value.constructor not in (tuple, list) or rules.is_static(kind):
        return None
    if not isinstance(kind, ir.Scalar) or kind.type != "int" or len(value.items) < 2:
        return None
    if len(value.items) > MOST_ARRAYS or not all(map(_is_array, value.items)):
        return None
    if spec.may_ask(index):
        return None

    count = len(value.items)
    if not _is_rest(spec, index, count):
        index = spec.apply(place_of_item, (index, core.constant(count)), hint="place")

    def at(place: int) -> core.Value:
        if place == count - 1:
            return value.items[place]
        test = spec.compare(ast.Eq(), index, core.constant(place))
        others = partial(at, place + 1)
        return spec.select(test, lambda: value.items[place], others, "item")

    return at(0)


def _is_rest(spec: Specialiser, index: core.Value, count: int) -> bool:
    """True for ``k % count``, computed just now."""
    last = spec.block[-1] if spec.block else None
    return (
        isinstance(last, ir.Assign)
        and isinstance(index, core.Leaf)
        and last.target == index.operand
        and isinstance(last.value, ir.Apply)
        and last.value.function is operator.mod
        and last.value.args[1] == ir.Const(count)
    )


def _is_array(value: core.Value) -> bool:
    kind = core.kind_of(value)
    return (
        isinstance(value, core.Leaf)
        and isinstance(kind, ir.Array)
        and not kind.promoted
    )


def is_found_by_trial(
    spec: Specialiser, value: core.Aggregate, index: core.Value
) -> bool:
    """True for a key or place that only the run knows, with few to compare it with."""
    if not isinstance(index, core.Leaf) or rules.is_static(index.kind):
        return False
    if spec.may_ask(index):
        return False  # the function is compiled for each value
    plain = (str, int, Enum) if value.constructor is dict else int
    known = index.kind == ir.OPAQUE or (
        isinstance(index.kind, ir.Scalar) and index.kind.type in ("int", "bool")
    )
    return (
        known
        and value.constructor in (dict, tuple, list)
        and 0 < len(value.keys) <= MOST_TRIED
        and all(isinstance(key, plain) for key in value.keys)
    )


def found_item(
    spec: Specialiser,
    value: core.Aggregate,
    index: core.Value,
    default: core.Value | None = None,
) -> core.Value:
    """The item under a key that only the run knows: a branch for each. Without a
    default a key that isn't there raises."""

    assert isinstance(index, core.Leaf)
    count = len(value.keys)
    places = value.constructor is not dict
    tags: list[Any] = [(k, k - count) for k in range(count)] if places else []
    options = tuple(zip(tags or value.keys, value.items, strict=True))
    choice = core.Choice(index, options, complete=False)

    def item_from(position: int) -> core.Value:
        if position == count and default is not None:
            return default
        if position == count:
            error, what = (IndexError, "place") if places else (KeyError, "key")
            spec.raise_now(error, f"there is no such {what}")
            raise core.NothingFollows
        tag, item = options[position]
        return spec.select(
            spec.is_option(choice, tag),
            lambda: item,
            lambda: item_from(position + 1),
            "item",
        )

    return item_from(0)
