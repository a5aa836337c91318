"""Functions that only the run can tell from others, compared: their records are equal
where Python has the functions equal."""

import ast
import operator
from collections import deque
from typing import TypeGuard

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.core.specialiser import Specialiser


def compared(
    spec: Specialiser, op: ast.cmpop, left: core.Value, right: core.Value
) -> core.Value | None:
    """Whether two functions are the same, by ``is`` or by ``==``, of which one is a
    record; None for other comparisons."""
    if not isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        return None
    by_object = isinstance(op, ast.Is | ast.IsNot)
    for record, other in ((left, right), (right, left)):
        if function_records.is_record(record):
            found = searched_for(spec, record.kind, other, by_object)
            if found is None:
                return None
            denies = isinstance(op, ast.IsNot | ast.NotEq)
            function = operator.ne if denies else operator.eq
            asked = ir.Apply(function, (record.operand, core.operand_of(found)))
            return spec.assign(spec.fresh("condition"), asked, ir.BOOL)
    return None


def searched_for(
    spec: Specialiser, among: ir.Kind | None, value: core.Value, by_object: bool = False
) -> core.Value | None:
    """A function that is compared with records, as such a record; None for a value that
    is none."""
    if function_records.may_be_record(value) or core.is_function(value):
        function_records.let_be_records(spec, value)
        value = function_records.as_record(spec, value)
        if not function_records.is_record(value):
            raise core.Unsupported(
                "whether these are the same function isn't known", "compare names"
            )
    if not function_records.is_record(value):
        return None
    assert isinstance(value.kind, ir.Reference)
    if isinstance(among, ir.Reference):
        function_records.check_identity(spec, value.kind, among, by_object)
    return value


def as_item_of(
    spec: Specialiser, container: core.Value, value: core.Value
) -> core.Value:
    """A function that is looked for among others; other values as they are."""
    container = spec.content_of(container) if _is_list(container) else container
    if not holds_records(container):
        return value
    for item in _items(container):
        value = searched_for(spec, core.kind_of(item), value) or value
    return value


def _is_list(value: core.Value) -> TypeGuard[core.Cell]:
    return isinstance(value, core.Cell) and value.constructor in (list, deque)


def _items(container: core.Value) -> tuple[core.Value, ...]:
    """The items of a list, or one for all of them."""
    if isinstance(container, core.Aggregate):
        return container.items
    kind = core.kind_of(container)
    item = kind.item if isinstance(kind, ir.List) else None
    if isinstance(kind, ir.Reference):
        item = ir.kind_of_slot(kind, ir.EACH)
    return () if item is None else (core.Leaf(ir.Const(None), item),)


def holds_records(container: core.Value) -> bool:
    """True for a list or tuple of records."""
    if isinstance(container, core.Aggregate):
        return any(map(function_records.is_record, container.items))
    return isinstance(container, core.Leaf) and function_records.holds_records(
        container.kind
    )
