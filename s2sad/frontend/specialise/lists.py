"""Lists whose length is known only when the program runs.

Such a list is a leaf of kind ``List``; one of tuples or dicts is kept as parallel
lists, one for each number or array in them, under the mark ``Rows``.
"""

from __future__ import annotations

import ast
import operator
from typing import Any

from s2sad.frontend.specialise.context import Unsupported
from s2sad.frontend.specialise.iteration import (
    Elements,
    iterate,
    known_items,
)
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import (
    Aggregate,
    Lazy,
    Leaf,
    Rows,
    Value,
    aggregate_of,
    describe,
    kind_of,
    leaves,
    map_leaves,
    operand_of,
)
from s2sad.ir.kinds import (
    Array,
    Axis,
    Kind,
    List,
    NumPyScalar,
    Scalar,
    join,
    without_value,
)
from s2sad.ir.nodes import Apply, Var
from s2sad.rules.result_kinds import is_static, static_value
from s2sad.transform.lists import appended, as_tuple, joined_lists, new_list


class OtherForm(Exception):
    """The items of a list are structures: it must start as parallel lists."""

    def __init__(self, item: Value) -> None:
        super().__init__()
        self.item = item


def is_list(value: Value) -> bool:
    """A list whose length isn't known."""
    return (isinstance(value, Leaf) and isinstance(value.kind, List)) or (
        isinstance(value, Aggregate) and value.constructor is Rows
    )


def axis_of(spec: Specialiser, length: Value | None) -> Axis:
    """The axis along a list of this length; None where the length isn't known when the
    list is begun."""
    kind = kind_of(length) if length is not None else None
    symbol = getattr(kind, "length_of", None) or spec.fresh_owner("list")
    return Axis("many" if symbol in spec.many_symbols else "any", symbol)


def empty_list(
    spec: Specialiser, axis: Axis, form: Value | None = None, wish: str = ""
) -> Value:
    """A new list in a variable of its own; ``form`` is an item of it, if they are
    structures. ``wish`` is the name that the list will be bound to."""

    def new(path: tuple) -> Value:
        if wish:
            target = spec.variable(wish, ("item", *path) if path else ())
        else:
            target = spec.fresh("_".join(("values", *map(str, path))))
        return spec.assign(target, Apply(new_list, ()), List(None, axis))

    if form is None:
        return new(())

    structure = map_leaves(form, lambda leaf, path: new(path))
    return Aggregate(Rows, ("item",), (structure,))


def with_item(
    spec: Specialiser,
    items: Value,
    item: Value,
    position: Value | None,
    node: ast.AST | None,
) -> Value:
    """The list, in the same variable, with an item at its end."""
    if isinstance(items, Leaf):
        if not isinstance(item, Leaf):
            if isinstance(item, Aggregate) and any(True for _ in leaves(item)):
                raise OtherForm(item)
            raise Unsupported(
                node,
                f"{describe(item)} is put into a list whose length isn't known before "
                "the program runs",
                "put numbers or arrays into it",
            )
        return _appended(spec, items, item, position, node)
    assert isinstance(items, Aggregate)
    (template,) = items.items
    same = _form(template) == _form(item)
    if not same:
        raise Unsupported(
            node,
            "the items of a list whose length isn't known before the program runs "
            "have different structures",
            "give all items the same structure",
        )
    lists, added = list(leaves(template)), list(leaves(item))
    grown = iter(
        [
            _appended(spec, a, b, position, node)
            for a, b in zip(lists, added, strict=True)
        ]
    )
    return Aggregate(
        Rows, ("item",), (map_leaves(template, lambda leaf, path: next(grown)),)
    )


def _form(value: Value) -> Any:
    if isinstance(value, Aggregate):
        return (value.constructor, value.keys, tuple(map(_form, value.items)))
    return type(value)


def _appended(
    spec: Specialiser,
    items: Leaf,
    item: Leaf,
    position: Value | None,
    node: ast.AST | None,
) -> Value:
    assert isinstance(items.kind, List)
    kind: Kind = without_value(item.kind)
    known = items.kind.item
    if known is not None:
        kind = join(known, kind, ("items", items.kind.axis.symbol))
    plain = isinstance(kind, Scalar | NumPyScalar | List) or (
        isinstance(kind, Array) and kind.axes is not None and not kind.promoted
    )
    if not plain:
        raise Unsupported(
            node,
            "a list whose length isn't known before the program runs holds values of "
            f"different kinds, or of kind {kind}",
            "put numbers alone into it, or arrays of one rank",
        )
    place = () if position is None else (operand_of(position),)
    longer = Apply(appended, (items.operand, operand_of(item), *place))
    assert isinstance(items.operand, Var)
    return spec.assign(items.operand, longer, List(kind, items.kind.axis))


def tuple_of(spec: Specialiser, value: Value, node: ast.AST | None) -> Value:
    """``tuple(value)`` of a list; parallel lists hold structures either way."""
    if isinstance(value, Leaf):
        return spec.apply(as_tuple, (value,), node=node, hint="values")
    return value


def display(spec: Specialiser, parts: list[tuple[bool, Value]], node: ast.AST) -> Value:
    """``[*first, second]`` where the length of what is unpacked isn't known; each part
    is a list, or an item."""
    whole: Value | None = None
    items: list[Value] = []
    for unpacked, value in [*parts, (True, aggregate_of((), list))]:
        if not unpacked:
            items.append(value)
            continue
        if isinstance(value, Aggregate) and value.constructor is not Rows:
            items += value.items
            if value.items:
                continue
        for segment in (aggregate_of(tuple(items), list), value):
            if isinstance(segment, Aggregate) and segment.constructor is not Rows:
                if not segment.items:
                    continue
                segment = _as_list(spec, segment, node)
            whole = segment if whole is None else _both(spec, whole, segment, node)
        items = []
    assert whole is not None
    return whole


def _both(spec: Specialiser, first: Value, second: Value, node: ast.AST) -> Value:
    if not (isinstance(first, Leaf) and isinstance(second, Leaf)):
        raise Unsupported(
            node,
            "lists of structures whose length isn't known are joined",
            "keep the parts of the structures in lists of their own",
        )
    return spec.apply(joined_lists, (first, second), node=node, hint="values")


def joined(
    spec: Specialiser, function: Any, operands: tuple[Value, ...], node: ast.AST
) -> Value | None:
    """``first + second`` where one of them is a list whose length isn't known."""
    if function is not operator.add or len(operands) != 2:
        return None
    first, second = operands
    if isinstance(first, Aggregate) and first.constructor is list:
        first = _as_list(spec, first, node)
    if isinstance(second, Aggregate) and second.constructor is list:
        second = _as_list(spec, second, node)
    if not (is_list(first) and is_list(second)):
        return None
    return spec.apply(joined_lists, (first, second), node=node, hint="values")


def _as_list(spec: Specialiser, value: Aggregate, node: ast.AST) -> Value:
    """A structure as a list whose length isn't followed."""
    made = empty_list(spec, axis_of(spec, None))
    for item in value.items:
        made = with_item(spec, made, item, None, node)
    return made


def item_of_list(
    spec: Specialiser, value: Value, index: Value, node: ast.AST
) -> Value | None:
    """An item or slice of parallel lists, or of a range; None for other values."""
    if isinstance(value, Lazy) and value.what == "range":
        items = iterate(spec, value, node)
        if isinstance(kind_of(index), Scalar):
            assert isinstance(items, Elements)
            known = known_items(spec, items)
            if known is not None and is_static(kind_of(index)):
                return known.items[static_value(kind_of(index))]
        raise Unsupported(
            node, "an item of a range that isn't known here", "compute the number"
        )
    if not isinstance(value, Aggregate) or value.constructor is not Rows:
        return None
    (template,) = value.items

    def item(leaf: Leaf, path: tuple) -> Value:
        hint = f"item_{path[-1]}"
        return spec.apply(operator.getitem, (leaf, index), node=node, hint=hint)

    part = map_leaves(template, item)
    if isinstance(index, Aggregate) and index.constructor is slice:
        return Aggregate(Rows, ("item",), (part,))
    return part
