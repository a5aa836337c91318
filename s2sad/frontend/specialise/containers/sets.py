"""Sets of values that are known before the program runs, and the keys of dicts.

    shared = {*triangle} & {*other}        decided at once
    if rest.keys() == {"force"}: ...

Python's order of a set isn't that of the text, so that sets aren't run over.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable
from typing import Any

from s2sad.frontend.specialise.calls.builtin_calls import BUILTIN_CALLS
from s2sad.frontend.specialise.control.comprehensions import distinct
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.specialiser import Specialiser, expression
from s2sad.frontend.specialise.core.targets import items_of
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Keys,
    Leaf,
    Value,
    aggregate_of,
    constant,
    kind_of,
    operand_of,
)
from s2sad.frontend.specialise.iteration.consumers import materialised
from s2sad.ir.kinds import OPAQUE
from s2sad.ir.nodes import Apply
from s2sad.ops.dicts import set_of_members
from s2sad.rules.result_kinds import is_static, static_value

OPERATIONS = (operator.and_, operator.or_, operator.sub, operator.xor)
COMPARISONS = (
    *(operator.eq, operator.ne, operator.lt),
    *(operator.le, operator.gt, operator.ge),
)
_METHODS = {
    "union": operator.or_,
    "intersection": operator.and_,
    "difference": operator.sub,
    "symmetric_difference": operator.xor,
}
_TESTS = {"issubset", "issuperset", "isdisjoint"}


@expression(ast.Set)
def set_display(spec: Specialiser, node: ast.Set) -> Value:
    """Each value once; they must be known, to tell which are equal."""
    items: list[Value] = []
    for inner in node.elts:
        if isinstance(inner, ast.Starred):
            items += _known_items(spec, spec.evaluate(inner.value), inner)
        else:
            items.append(spec.evaluate(inner))
    return set_of(items, node)


def set_of(items: Iterable[Value], node: ast.AST, constructor: type = set) -> Value:
    """A set of values that are known."""
    known: dict[Any, Value] = {}
    for item in items:
        if not is_static(kind_of(item)):
            raise Unsupported(
                node,
                "a set of values that aren't known before the program runs",
                "use a tuple or list",
            )
        known.setdefault(static_value(kind_of(item)), item)
    return aggregate_of(tuple(known.values()), constructor)


def is_set(value: Value) -> bool:
    """True for a set, and for the keys of a dict."""
    return isinstance(value, Aggregate) and value.constructor in (set, frozenset, Keys)


def as_unfollowed_set(spec: Specialiser, value: Value) -> Value:
    """A set as one whose members aren't followed."""
    if isinstance(value, Leaf):
        return value
    members = tuple(map(operand_of, members_of(value)))
    return spec.define(Apply(set_of_members, members), OPAQUE, "members")


def members(value: Value) -> set[Any]:
    """What a set holds."""
    assert isinstance(value, Aggregate)
    return {static_value(kind_of(item)) for item in value.items}


def members_of(value: Value) -> tuple[Value, ...]:
    """The same, as values."""
    assert isinstance(value, Aggregate)
    return value.items


def set_operation(
    spec: Specialiser, function: Any, operands: tuple[Value, ...], node: ast.AST
) -> Value | None:
    """An operator or comparison between sets; None for others."""
    if len(operands) != 2 or not any(map(is_set, operands)):
        return None
    left, right = operands
    if function in COMPARISONS:
        if is_set(left) and is_set(right):
            return constant(function(members(left), members(right)))
        if isinstance(left, Aggregate) and isinstance(right, Aggregate):
            if function in (operator.eq, operator.ne):
                return constant(function is operator.ne)
    elif function in OPERATIONS and is_set(left) and is_set(right):
        return _combined(function, left, right)
    return None


def _combined(function: Any, left: Value, right: Value) -> Value:
    kept = function(members(left), members(right))
    items = (*left.items, *right.items)  # type: ignore[union-attr]
    frozen = isinstance(left, Aggregate) and left.constructor is frozenset
    known = {static_value(kind_of(item)): item for item in reversed(items)}
    ordered = [known[key] for key in reversed(known) if key in kept]
    return aggregate_of(tuple(ordered), frozenset if frozen else set)


def set_method(
    spec: Specialiser,
    receiver: Aggregate,
    name: str,
    args: tuple[Value, ...],
    node: ast.AST,
) -> Value | None:
    """``known.union(others)`` and the like; None for other methods."""
    if not is_set(receiver):
        return None
    others = [set_of(_known_items(spec, a, node), node) for a in args]
    if name in _TESTS and len(others) == 1:
        test = getattr(members(receiver), name)
        return constant(bool(test(members(others[0]))))
    if name == "copy" and not others:
        return receiver
    if name not in _METHODS:
        return None
    result: Value = receiver
    for other in others:
        result = _combined(_METHODS[name], result, other)
    return result


def _known_items(spec: Specialiser, value: Value, node: ast.AST) -> tuple[Value, ...]:
    if is_set(value):
        return members_of(value)
    items = items_of(materialised(spec, value, node))
    if items is None:
        raise Unsupported(
            node,
            "a set of values whose number isn't known before the program runs",
            "use a list, or an array and np.unique",
        )
    return items


def _constructor(cls: type) -> Any:
    def make(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
        if not args:
            return set_of((), node, cls)
        (value,) = args
        items = members_of(value) if is_set(value) else None
        if items is None:
            value = materialised(spec, value, node)
            items = items_of(value)
        if items is None or not all(is_static(kind_of(item)) for item in items):
            return distinct(spec, value, node)
        return set_of(items, node, cls)

    return make


BUILTIN_CALLS[set] = _constructor(set)
BUILTIN_CALLS[frozenset] = _constructor(frozenset)
