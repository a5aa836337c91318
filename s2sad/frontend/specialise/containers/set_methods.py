"""Methods that change sets; see ``container_methods``."""

from collections.abc import Callable
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts, displays, list_methods
from s2sad.frontend.specialise.containers.dict_methods import key_of
from s2sad.frontend.specialise.containers.sets import members_of, set_of
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words

NONE = core.constant(None)


def _members(
    change: Callable[[list[Any], list[Any]], list[Any]],
) -> Callable[..., core.Value]:
    """A method that changes which values a set holds."""

    def method(
        spec: Specialiser, cell: core.Cell, args: Args, words: Words
    ) -> core.Value:
        content = spec.content_of(cell)
        if isinstance(content, core.Leaf) or not all(
            rules.is_static(core.kind_of(a)) for a in args
        ):
            return _change_members(spec, cell, change, args)
        own = [rules.static_value(core.kind_of(item)) for item in members_of(content)]
        other = [key_of(spec, item) for item in args]
        spec.set_content(
            cell, set_of(tuple(map(core.constant, change(own, other))), set)
        )
        return NONE

    return method


def _change_members(
    spec: Specialiser, cell: core.Cell, change: Any, args: Args
) -> core.Value:
    """The same where the members are known only when the program runs."""
    content = spec.content_of(cell)
    function = {_union: ops.member_added, _difference: ops.member_removed}.get(change)
    if function is None:
        raise core.Unsupported(
            "a set whose items aren't known before the program runs is changed as a "
            "whole",
            "add and discard its items one by one",
        )
    content = spec.as_unfollowed_set(content)
    for member in args:
        operands = (core.operand_of(content), dicts.key_operand(spec, member))
        content = spec.define(ir.Apply(function, operands), ir.OPAQUE, "members")
    spec.set_content(cell, content)
    return NONE


def _several(
    change: Callable[[list[Any], list[Any]], list[Any]],
) -> Callable[..., core.Value]:
    """Such a method that takes iterables."""
    one = _members(change)

    def method(
        spec: Specialiser, cell: core.Cell, args: Args, words: Words
    ) -> core.Value:
        def change_by(item: core.Value) -> None:
            one(spec, cell, (item,), words)

        for other in args:
            stepwise = change is not _intersection
            if stepwise and list_methods.one_by_one(spec, other, change_by):
                continue
            content = spec.contents(other)
            if isinstance(content, core.Aggregate) and content.constructor is not dict:
                items = content.items
            else:
                found = displays.unpacked_value(spec, content)
                items = found.items if isinstance(found, core.Aggregate) else (found,)
            one(spec, cell, tuple(items), words)
        return NONE

    return method


def _union(a: list[Any], b: list[Any]) -> list[Any]:
    return list(dict.fromkeys([*a, *b]))


def _difference(a: list[Any], b: list[Any]) -> list[Any]:
    return [item for item in a if item not in b]


def _intersection(a: list[Any], b: list[Any]) -> list[Any]:
    return [item for item in a if item in b]


METHODS_OF_SETS: dict[str, Callable[..., core.Value]] = {
    "add": _members(_union),
    "discard": _members(_difference),
    "remove": _members(_difference),
    "update": _several(_union),
    "difference_update": _several(_difference),
    "intersection_update": _several(_intersection),
    "clear": _members(lambda a, b: []),
    "__ior__": _several(_union),
    "__iand__": _several(_intersection),
    "__isub__": _several(_difference),
}
"""What changes a set."""
