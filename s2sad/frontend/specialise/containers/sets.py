"""Sets of values that are known before the program runs, and the keys of dicts.

    shared = {*triangle} & {*other}        decided at once
    if rest.keys() == {"force"}: ...

Python's order of a set isn't that of the text, so that sets aren't run over.
"""

import ast
import operator
from collections.abc import Iterable
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.builtin_calls import BUILTIN_CALLS
from s2sad.frontend.specialise.control.comprehensions import distinct
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser
from s2sad.frontend.specialise.iteration.consumers import materialised
from s2sad.frontend.specialise.run_time import queries

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


@core.expression(ast.Set)
def set_display(spec: Specialiser, node: ast.Set) -> core.Value:
    """Each value once; they must be known, to tell which are equal."""
    items: list[core.Value] = []
    for inner in node.elts:
        if isinstance(inner, ast.Starred):
            with spec.at(inner):
                items += _known_items(spec, spec.evaluate(inner.value))
        else:
            items.append(spec.evaluate(inner))
    return set_of(items)


def set_of(items: Iterable[core.Value], constructor: type = set) -> core.Value:
    """A set of values that are known."""
    known: dict[Any, core.Value] = {}
    for item in items:
        if not rules.is_static(core.kind_of(item)):
            raise core.Unsupported(
                "a set of values that aren't known before the program runs",
                "use a tuple or list",
            )
        known.setdefault(rules.static_value(core.kind_of(item)), item)
    return core.aggregate_of(tuple(known.values()), constructor)


def is_set(value: core.Value) -> bool:
    """True for a set, and for the keys of a dict."""
    return isinstance(value, core.Aggregate) and value.constructor in (
        set,
        frozenset,
        core.Keys,
    )


@core.verb
def as_unfollowed_set(spec: Specialiser, value: core.Value) -> core.Value:
    """A set as one whose members aren't followed."""
    if isinstance(value, core.Leaf):
        return value
    members = tuple(map(core.operand_of, members_of(value)))
    return spec.define(ir.Apply(ops.set_of_members, members), ir.OPAQUE, "members")


def members(value: core.Value) -> set[Any]:
    """What a set holds."""
    assert isinstance(value, core.Aggregate)
    return {rules.static_value(core.kind_of(item)) for item in value.items}


def members_of(value: core.Value) -> tuple[core.Value, ...]:
    """The same, as values."""
    assert isinstance(value, core.Aggregate)
    return value.items


@core.verb
def set_operation(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value | None:
    """An operator or comparison between sets; None for others."""
    if len(operands) != 2 or not any(map(is_set, operands)):
        return None
    left, right = operands
    if any(isinstance(v, core.Leaf) and v.kind == ir.OPAQUE for v in operands):
        if function in OPERATIONS:
            both = tuple(as_unfollowed_set(spec, value) for value in operands)
            operation = ir.Apply(function, tuple(map(core.operand_of, both)))
            return spec.define(operation, ir.OPAQUE, "members")
    if function in COMPARISONS:
        if is_set(left) and is_set(right):
            return core.constant(function(members(left), members(right)))
        if isinstance(left, core.Aggregate) and isinstance(right, core.Aggregate):
            if function in (operator.eq, operator.ne):
                return core.constant(function is operator.ne)
    elif function in OPERATIONS and is_set(left) and is_set(right):
        return _combined(function, left, right)
    return None


def _combined(function: Any, left: core.Value, right: core.Value) -> core.Value:
    kept = function(members(left), members(right))
    items = (*left.items, *right.items)  # type: ignore[union-attr]
    frozen = isinstance(left, core.Aggregate) and left.constructor is frozenset
    known = {rules.static_value(core.kind_of(item)): item for item in reversed(items)}
    ordered = [known[key] for key in reversed(known) if key in kept]
    return core.aggregate_of(tuple(ordered), frozenset if frozen else set)


def set_method(
    spec: Specialiser, receiver: core.Aggregate, name: str, args: Args
) -> core.Value | None:
    """``known.union(others)`` and the like; None for other methods."""
    if not is_set(receiver):
        return None
    others = [set_of(_known_items(spec, a)) for a in args]
    if name in _TESTS and len(others) == 1:
        test = getattr(members(receiver), name)
        return core.constant(bool(test(members(others[0]))))
    if name == "copy" and not others:
        return receiver
    if name not in _METHODS:
        return None
    result: core.Value = receiver
    for other in others:
        result = _combined(_METHODS[name], result, other)
    return result


def _known_items(spec: Specialiser, value: core.Value) -> tuple[core.Value, ...]:
    if is_set(value):
        return members_of(value)
    items = core.items_of(materialised(spec, value))
    if items is None:
        raise core.Unsupported(
            "a set of values whose number isn't known before the program runs",
            "use a list, or an array and np.unique",
        )
    return items


def _holds_no_numbers(value: core.Value) -> bool:
    """True for what is kept as it is and gives texts and the like, or keys."""
    if not isinstance(value, core.Leaf):
        return False
    if queries.is_dict(value):
        forms = queries.kind_of(value).forms
        return all(form.is_uniform for form in forms)
    if queries.is_sequence(value):
        return ir.kind_of_slot(queries.kind_of(value), ir.EACH) == ir.OPAQUE
    return value.kind == ir.OPAQUE


def _constructor(cls: type) -> Any:
    def make(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
        if not args:
            return set_of((), cls)
        (value,) = args
        if _holds_no_numbers(value):
            operation = ir.Apply(cls, (core.operand_of(value),))
            return spec.define(operation, ir.OPAQUE, "members")
        items = members_of(value) if is_set(value) else None
        if items is None:
            value = materialised(spec, value)
            items = core.items_of(value)
        if items is None or not all(
            rules.is_static(core.kind_of(item)) for item in items
        ):
            return distinct(spec, value)
        return set_of(items, cls)

    return make


BUILTIN_CALLS[set] = _constructor(set)
BUILTIN_CALLS[frozenset] = _constructor(frozenset)
