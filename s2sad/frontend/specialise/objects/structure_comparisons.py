"""Comparisons of tuples, lists, dicts and dataclasses, item by item as Python compares
them.

Two tuples of numbers are compared by one operation when the program runs; what kinds
decide is decided at once.
"""

import ast
import dataclasses
import operator
from typing import Any

from s2sad import errors, ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.conditions import both
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.objects import members
from s2sad.source.annotations.annotation_nodes import is_tuple_class
from s2sad.source.static.fields import compared_fields
from s2sad.source.static.values import StaticClass
from s2sad.source.text.source import source_of

ORDER: dict[Any, ast.cmpop] = {
    operator.lt: ast.Lt(),
    operator.le: ast.LtE(),
    operator.gt: ast.Gt(),
    operator.ge: ast.GtE(),
}
EQUALITY: dict[Any, ast.cmpop] = {operator.eq: ast.Eq(), operator.ne: ast.NotEq()}


def compare_structures(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value | None:
    """A comparison of two structures; None for anything else."""
    if function not in ORDER and function not in EQUALITY:
        return None
    left, right = operands
    first, second = _base(left), _base(right)
    if first is None or second is None:
        return None
    assert isinstance(left, core.Aggregate)
    assert isinstance(right, core.Aggregate)
    if function in EQUALITY:
        equal: core.Value = core.constant(False)
        if first is second:
            equal = _equal(spec, left, right)
        if function is operator.eq:
            return equal

        return spec.operate(operator.not_, (equal,))
    if first is not second or first is dict:
        sign = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
        raise core.Unsupported(
            f"{core.describe(left)} {sign[type(ORDER[function])]} "
            f"{core.describe(right)} raises in Python",
            "compare tuples with tuples, and lists with lists",
        )
    return _ordered(spec, function, left, right)


def _base(value: core.Value) -> type | None:
    """``tuple``, ``list`` or ``dict``, if the value is compared as one."""
    if not isinstance(value, core.Aggregate):
        return None
    if is_tuple_class(value.constructor) and value.constructor is not core.TupleRows:
        return tuple
    if not isinstance(value.constructor, type):
        return None
    if value.constructor in (core.Rows, core.TupleRows, core.Keys):
        return None
    for base in (tuple, list, dict):
        if issubclass(value.constructor, base):
            return base
    return None


def _equal(
    spec: Specialiser, left: core.Aggregate, right: core.Aggregate
) -> core.Value:

    pairs = _pairs(left, right)
    if pairs is None or any(_certainly_differ(a, b) for a, b in pairs):
        return core.constant(False)
    if _are_numbers(left) and _are_numbers(right):
        return _at_once(spec, operator.eq, left, right)

    def equal_from(position: int) -> core.Value:
        if position == len(pairs):
            return core.constant(True)
        test = spec.compare(ast.Eq(), *pairs[position])
        return both(spec, test, lambda: equal_from(position + 1))

    return equal_from(0)


def _pairs(
    left: core.Aggregate, right: core.Aggregate
) -> list[tuple[core.Value, core.Value]] | None:
    """The items that are compared; None where their number or keys differ."""
    if _base(left) is dict:
        if set(left.keys) != set(right.keys):
            return None
        return [(item, right.item(key)) for key, item in zip(left.keys, left.items)]
    if len(left.items) != len(right.items):
        return None
    return list(zip(left.items, right.items, strict=True))


def _certainly_differ(a: core.Value, b: core.Value) -> bool:
    """True for known texts and names that aren't the same."""
    if not (isinstance(a, core.Leaf) and isinstance(b, core.Leaf)):
        return False
    if not (isinstance(a.kind, ir.Known) and isinstance(b.kind, ir.Known)):
        return False
    known = (a.kind.value, b.kind.value)
    if all(isinstance(value, str | bytes | None) for value in known):
        return bool(known[0] != known[1])
    return False


def _are_numbers(value: core.Aggregate) -> bool:
    """Tuples and lists of numbers, nested ones included."""
    return _base(value) in (tuple, list) and all(
        _are_numbers(item)
        if isinstance(item, core.Aggregate)
        else isinstance(item, core.Leaf)
        and isinstance(item.kind, ir.Scalar | ir.NumPyScalar)
        for item in value.items
    )


def _at_once(
    spec: Specialiser, function: Any, left: core.Aggregate, right: core.Aggregate
) -> core.Value:
    operands = (_plain_operand(left), _plain_operand(right))
    return spec.define(ir.Apply(function, operands), ir.BOOL, "condition")


def _plain_operand(value: core.Value) -> ir.Operand:
    """The operand, with tuples in place of NamedTuples."""
    if isinstance(value, core.Aggregate):
        base = _base(value)
        assert base is not None
        items = tuple(map(_as_plain, value.items))
        return core.operand_of(core.aggregate_of(items, base))
    return core.operand_of(value)


def _as_plain(value: core.Value) -> core.Value:
    if isinstance(value, core.Aggregate):
        return core.aggregate_of(
            tuple(map(_as_plain, value.items)), _base(value) or tuple
        )
    return value


def _ordered(
    spec: Specialiser, function: Any, left: core.Aggregate, right: core.Aggregate
) -> core.Value:
    """The first items that differ decide, else the lengths."""

    if _are_numbers(left) and _are_numbers(right):
        return _at_once(spec, function, left, right)
    pairs = list(zip(left.items, right.items, strict=False))
    op = ORDER[function]

    def from_position(position: int) -> core.Value:
        if position == len(pairs):
            return core.constant(function(len(left.items), len(right.items)))
        pair = pairs[position]
        same = spec.compare(ast.Eq(), *pair)
        return spec.select(
            same,
            lambda: from_position(position + 1),
            lambda: ordered(*pair),
            "condition",
        )

    def ordered(a: core.Value, b: core.Value) -> core.Value:
        if _base(a) is _base(b) is dict:
            # Numbers in front may always differ: ``(time, next(count), event)``.
            spec.raise_now(TypeError, "dicts have no order")
            raise core.NothingFollows
        return spec.compare(op, a, b)

    return from_position(0)


def fields_of_method(cls: Any, name: str) -> list[str] | None:
    """The fields that a method compares which ``dataclass`` wrote; None for others."""
    if isinstance(cls, StaticClass):
        return compared_fields(cls, name)
    member = members.member_of(cls, name)
    if member is None or not dataclasses.is_dataclass(cls):
        return None
    try:
        source_of(member.value)
    except errors.SourceError:
        if member.owner is not object:
            return [field.name for field in dataclasses.fields(cls) if field.compare]
    return None


def fields_as_tuple(
    spec: Specialiser, value: core.Value, names: list[str]
) -> core.Aggregate:
    """The tuple by which a dataclass is compared."""
    return core.aggregate_of(tuple(spec.attribute_of(value, name) for name in names))


def sort_key(spec: Specialiser, value: core.Value) -> core.Value | None:
    """What a value is sorted by, as numbers in nested tuples; None where its own
    methods say how."""
    if isinstance(value, core.Aggregate) and core.has_methods(value):
        fields = fields_of_method(value.constructor, "__lt__")
        if fields is not None:
            return sort_key(spec, fields_as_tuple(spec, value, fields))
        member = members.member_of(value.constructor, "__lt__")
        if _base(value) is not tuple or (member and member.owner is not tuple):
            return None
    if isinstance(value, core.Aggregate):
        if _base(value) not in (tuple, list):
            return None
        parts = [sort_key(spec, item) for item in value.items]
        if any(part is None for part in parts):
            return None
        return core.aggregate_of(tuple(parts))  # type: ignore[arg-type]
    return value if isinstance(value, core.Leaf) else None
