"""Methods of sets: of those that are known, and of those that the run holds."""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import (
    dicts,
    list_methods,
    run_time_sets,
    sets,
)
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words

NONE = core.constant(None)
_OPERATORS: dict[str, Callable[..., Any]] = {
    "union": operator.or_,
    "intersection": operator.and_,
    "difference": operator.sub,
    "symmetric_difference": operator.xor,
}
_TESTS = ("issubset", "issuperset", "isdisjoint")
_TAKE_ONE = ("add", "discard", "remove")
_CHANGES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("add", "update", "__ior__"), operator.or_),
    **dict.fromkeys(("discard", "remove"), operator.sub),
    **dict.fromkeys(("difference_update", "__isub__"), operator.sub),
    **dict.fromkeys(("intersection_update", "__iand__"), operator.and_),
    **dict.fromkeys(("symmetric_difference_update", "__ixor__"), operator.xor),
}
_SPELLED = {
    "__ior__": "update",
    "__isub__": "difference_update",
    "__iand__": "intersection_update",
    "__ixor__": "symmetric_difference_update",
}
_ONE_BY_ONE = {"update": "add", "__ior__": "add", "difference_update": "discard"}


def method(
    spec: Specialiser, receiver: core.Value, name: str, args: Args
) -> core.Value | None:
    """``members.union(others)`` and the like; None for other methods."""
    if run_time_sets.is_of_the_run(receiver):
        return _asked(spec, receiver, name, args)
    if not sets.is_set(receiver):
        return None
    others = [sets.set_of_items(spec, a) for a in args]
    if not all(map(sets.is_set, others)):
        held = spec.set_held(receiver)
        assert isinstance(held, core.Leaf)
        return _asked(spec, held, name, others)
    if name in _TESTS and len(others) == 1:
        test = getattr(sets.members(receiver), name)
        return core.constant(bool(test(sets.members(others[0]))))
    if name == "copy" and not others:
        return receiver
    if name not in _OPERATORS:
        return None
    result = receiver
    for other in others:
        result = sets.combined(_OPERATORS[name], result, other)
    return result


def _asked(
    spec: Specialiser, receiver: core.Leaf, name: str, args: Any
) -> core.Value | None:
    """The same of a set that the run holds."""
    if name not in (*_OPERATORS, *_TESTS, "copy"):
        return None
    operands = (receiver.operand, *(_iterated(spec, value) for value in args))
    cls = run_time_sets.class_of(receiver)
    kinds = [receiver.kind, *map(core.kind_of, args)]
    function = _OPERATORS.get(name, operator.or_)
    member = run_time_sets.member_of_combined(spec, function, kinds)
    kind = ir.BOOL if name in _TESTS else ir.Members(member=member, constructor=cls)
    hint = "condition" if name in _TESTS else "members"
    return run_time_sets.asked(
        spec, getattr(cls, name), operands, kind, hint, f"method:{name}"
    )


def _iterated(spec: Specialiser, value: core.Value) -> Any:
    """What a method of a set runs over, as an operand."""
    found = sets.operand_of_items(spec, spec.contents(value))
    if found is not None:
        return found
    return core.operand_of(spec.set_held(sets.set_of_items(spec, value)))


# ------------------------------------------------------------------ changes


def change(spec: Specialiser, value: core.Leaf, name: str, args: Args) -> core.Value:
    """``value.name(*args)`` of a method that changes a set that the run holds."""
    if name == "pop":
        return run_time_sets.taken(spec, value)
    if name in _ONE_BY_ONE and len(args) == 1:
        one = partial(_change_by, spec, value, _ONE_BY_ONE[name])
        if list_methods.one_by_one(spec, args[0], one):
            return NONE
    if name in _TAKE_ONE:
        operands = [dicts.key_operand(spec, a) for a in args]
    else:
        operands = [_iterated(spec, a) for a in args]
    run_time_sets.change(spec, value, _SPELLED.get(name, name), *operands)
    return NONE


def _change_by(
    spec: Specialiser, value: core.Leaf, name: str, item: core.Value
) -> None:
    run_time_sets.change(spec, value, name, dicts.key_operand(spec, item))


def _change_known(
    name: str, spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    """A method that changes which values a set holds that is known; where it isn't any
    more, the run holds it from the start."""
    if name in _ONE_BY_ONE and len(args) == 1:

        def change_by(item: core.Value) -> None:
            _change_known(_ONE_BY_ONE[name], spec, cell, (item,), {})

        if list_methods.one_by_one(spec, args[0], change_by):
            return NONE
    content = spec.content_of(cell)
    others = [
        sets.set_of(spec, args) if name in _TAKE_ONE else sets.set_of_items(spec, other)
        for other in args
    ]
    absent = name == "remove" and sets.is_set(others[0]) and sets.is_set(content)
    absent = absent and not sets.members(others[0]) <= sets.members(content)
    if name == "pop" or absent or not all(map(sets.is_set, (content, *others))):
        run_time_sets.hold(spec, cell.frame.makers)
        raise core.Unsupported(
            "a set whose items aren't known before the program runs is changed, and "
            "what made it isn't known",
            "make the set where it is used: set()",
        )
    if name == "clear":
        content = sets.set_of(spec, ())
    for other in others:
        content = sets.combined(_CHANGES[name], content, other)
    spec.set_content(cell, content)
    return NONE


METHODS_OF_SETS: dict[str, Callable[..., core.Value]] = {
    name: partial(_change_known, name) for name in (*_CHANGES, "clear", "pop")
}
"""What changes a set."""
