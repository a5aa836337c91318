"""Objects that only the run can tell apart.

An object that the program changes is a cell as long as the names that hold it are
known (``cells.py``). Where they aren't (an object in two lists, a linked list, a tree
that a recursion walks), all objects of the class are kept together, each attribute in a
list of its own, and what names, lists and attributes hold is a *reference*, the place
of the object in those lists::

    head = None                              nodes_e, nodes_link = [], []
    for e in v:                              head = None
        head = Node(e, head)                 for e in v:
    while head is not None:         ->           nodes_e.append(e)
        total += head.e                          nodes_link.append(head)
        head = head.link                         head = len(nodes_e) - 1
                                             while head is not None:
                                                 total += nodes_e[head]
                                                 head = nodes_link[head]

A reference is data like any whole number: it may be chosen by the run, put into lists
of unknown length and passed to functions that call themselves. To read or change the
object, it is opened: a cell that stands at a place of the lists (``places.py``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.lists import (
    as_dynamic,
    as_row,
    axis_of,
    with_item_in_column,
)
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells, object_forms
from s2sad.frontend.specialise.heap.places import Place

# ------------------------------------------------------------------ the lists


def make_lists(spec: Specialiser) -> None:
    """At the start of the program: an empty list for each attribute."""
    for cls, form in spec.facts.shared.items():
        if form.template is not None:
            _make_lists(spec, cls, form.template)


def _make_lists(spec: Specialiser, cls: Any, template: core.Value) -> None:
    """The lists for the objects of a class."""
    title = _plural(cls.__name__)
    cell = cells.new_cell(spec, list, title)
    cell.frame.shared_class = cls
    axis = axis_of(spec, None)

    def empty(leaf: core.Leaf, path: tuple) -> core.Leaf:
        if leaf not in object_forms.STAND_INS:
            return leaf
        target = spec.fresh("_".join((title, *(str(p) for p in path if p))))
        return spec.assign(target, ir.Apply(ops.new_list, ()), ir.List(None, axis))

    columns = core.map_leaves(template, empty)
    spec.set_content(cell, core.Aggregate(core.Rows, (core.ROW,), (columns,)))
    spec.object_lists[cls] = cell


def _plural(name: str) -> str:
    """``node_lists`` hold what ``NodeList`` objects do."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return f"{words}s"


@core.verb
def referred(
    spec: Specialiser, cls: Any, attributes: Mapping[str, core.Value]
) -> core.Value:
    """A new object with these attributes, as a reference."""
    item = core.Aggregate(cls, tuple(attributes), tuple(attributes.values()))
    if cls is core.NumberList:
        (items,) = item.items
        held: core.Value = replace(item, items=(as_dynamic(spec, items, None),))
    else:
        parts = tuple(spec.as_cells(part) for part in item.items)
        held = as_row(spec, replace(item, items=parts), None)
    form = spec.facts.shared[cls]
    template = object_forms.template_of(held)
    if form.template is not None:
        template = object_forms.merged(spec, form.template, template, cls)
    if template != form.template:
        spec.learn(spec.facts.with_shared(cls, template=template))
        if cls in spec.object_lists:
            raise core.Learned
        _make_lists(spec, cls, template)
    held = object_forms.fitted(spec, held, template)
    lists: core.Cell = spec.object_lists[cls]
    content = spec.content_of(lists)
    assert isinstance(content, core.Aggregate)
    columns = content.items[0]
    first = next((c for c in core.leaves(columns) if isinstance(c.kind, ir.List)), None)
    if first is None:
        raise core.Unsupported(
            None,
            f"{core.describe(item)} without attributes that may change is held where "
            "only the run can tell it from others",
            "give it an attribute, a number that tells them apart",
        )
    place = core.single(spec.apply(len, (first,), hint=_singular(lists)))
    longer = _with_object(spec, columns, held)
    changes = lists.frame.changes
    spec.set_content(lists, replace(content, items=(longer,)), shifted=False)
    lists.frame.changes = changes  # those that were there stay as they are
    return _reference(spec, cls, place)


def _singular(lists: core.Cell) -> str:
    return str(lists.frame.given).removesuffix("s")


def _reference(spec: Specialiser, cls: Any, place: core.Leaf) -> core.Aggregate:
    kind = ir.OPAQUE if spec.facts.shared[cls].nullable else ir.INT
    leaf = core.Leaf(place.operand, kind)
    return core.Aggregate(object_forms.reference_to(cls), (object_forms.KEY,), (leaf,))


def _with_object(
    spec: Specialiser, columns: core.Value, item: core.Value
) -> core.Value:
    """Each list with the part of one more object that belongs to it."""
    parts = iter(list(core.leaves(item)))

    def append(column: core.Leaf, path: tuple) -> core.Value:
        part = next(parts)
        if not isinstance(column.kind, ir.List):
            return column
        held = core.Leaf(part.operand, _item_kind(part))
        longer: core.Value = with_item_in_column(spec, column, held, None, None)
        return longer

    return core.map_leaves(columns, append)


def _item_kind(leaf: core.Leaf) -> Any:
    kind = ir.without_value(leaf.kind)
    return ir.OPAQUE if isinstance(kind, ir.Known) else kind


# ------------------------------------------------------------------ references


@core.verb
def opened(spec: Specialiser, value: core.Value) -> core.Value:
    """The object that a reference leads to, to be read and changed; other values as
    they are."""
    if not spec.facts.shared or not object_forms.is_reference(value):
        return value
    cls = value.constructor.cls  # type: ignore[attr-defined]
    (index,) = value.items
    assert isinstance(index, core.Leaf)
    if index.operand == ir.Const(None):
        return core.constant(None)
    if isinstance(index.operand, ir.Var):
        kept = spec.fresh("place")
        spec.assign(kept, index.operand, index.kind)
        index = core.Leaf(kept, index.kind)
    path = (core.ITEMS,) if cls is core.NumberList else ()
    place = Place(
        spec.object_lists[cls], _place(spec, index), path, (0, 0), reference=index
    )
    _, number = spec.fresh_owner(cls)
    title = core.ITEMS if cls is core.NumberList else ""
    frame = core.CellFrame(
        spec.frame.source,
        prefix=f".{cls.__name__}.{number}:",
        title=title,
        place=place,
    )
    return core.Cell(list if cls is core.NumberList else cls, frame)


@core.verb
def closed(spec: Specialiser, value: core.Value) -> core.Value:
    """The value with references in place of the objects in it, as it is kept."""
    if not spec.facts.shared:
        return value
    if core.is_open(value):
        place = value.frame.place
        return _reference(spec, place.within.frame.shared_class, place.reference)
    parts = core.parts_of(value)
    new = tuple(closed(spec, part) for _, part in parts)
    if all(a is b for a, (_, b) in zip(new, parts, strict=True)):
        return value
    return core.with_parts(value, new)


def _place(spec: Specialiser, reference: core.Leaf) -> core.Leaf:
    """The place in the lists, where the reference isn't None: reading what stands there
    raises a TypeError otherwise."""
    if reference.kind != ir.OPAQUE:
        return reference
    operation = ir.Apply(ops.place_of_object, (reference.operand,))
    return core.single(spec.define(operation, ir.INT, "place"))


def may_be_none(spec: Specialiser, value: core.Value) -> bool:
    """True for an object that may be None."""
    if not core.is_open(value):
        return False
    cls = value.frame.place.within.frame.shared_class
    return bool(spec.facts.shared[cls].nullable)


def truth_of_reference(spec: Specialiser, value: core.Value) -> core.Value | None:
    """Whether an object that may be None is one; None for other values."""
    if not may_be_none(spec, value):
        return None
    cls: Any = value.constructor  # type: ignore[union-attr]
    if hasattr(cls, "__bool__") or hasattr(cls, "__len__"):  # a list too
        raise core.Unsupported(
            None,
            f"a test on a {cls.__name__} that may be None, whose class says itself "
            "whether it is true",
            "compare it with None",
        )
    return is_none_test(spec, value, ast.IsNot())


def is_none_test(spec: Specialiser, value: core.Value, op: ast.cmpop) -> core.Value:
    """``value is None``, or ``is not``."""
    import operator

    assert isinstance(value, core.Cell)
    negated = isinstance(op, ast.IsNot | ast.NotEq)
    function = operator.is_not if negated else operator.is_
    operands = (value.frame.place.reference.operand, ir.Const(None))
    return spec.define(ir.Apply(function, operands), ir.BOOL, "condition")


def identity_test(
    spec: Specialiser, op: ast.cmpop, left: core.Value, right: core.Value
) -> core.Value | None:
    """``left is right`` of objects of which only the run knows which they are; None for
    other values."""
    import operator

    negated = isinstance(op, ast.IsNot | ast.NotEq)
    left, right = (
        opened(spec, v) if object_forms.is_reference(v) else v for v in (left, right)
    )
    for value, other in ((left, right), (right, left)):
        if not core.is_open(value):
            continue
        if object_forms.is_none(other):
            if not may_be_none(spec, value):
                return core.constant(negated)
            return is_none_test(spec, value, op)
        if (
            not isinstance(other, core.Cell)
            or value.constructor is not other.constructor
        ):
            return core.constant(negated)
        if not core.is_open(other):  # of the module, or kept while it was made
            raise core.Unsupported(None, *object_forms.kept_while_made(other))
        function = operator.ne if negated else operator.eq
        operands = (left, right)
        places = [c.frame.place.reference.operand for c in operands]  # type: ignore
        return spec.define(ir.Apply(function, tuple(places)), ir.BOOL, "condition")
    return None


def structure_of(
    spec: Specialiser, value: core.Value, node: ast.AST | None
) -> core.Value:
    """The value with the structure that they are now in place of objects, as a result
    holds them."""

    if not spec.facts.shared:
        return value
    if object_forms.is_reference(value):
        cls = value.constructor.cls  # type: ignore[attr-defined]
        if spec.facts.shared[cls].nullable:
            raise core.Unsupported(
                node,
                f"a {cls.__name__} is returned that may be None, or may refer to "
                "others of its class",
                "return the numbers and arrays that it holds",
            )
        value = opened(spec, value)
        assert isinstance(value, core.Cell)
        return structure_of(spec, spec.value_at(value), node)
    parts = core.parts_of(value)
    if isinstance(value, core.Aggregate) and value.constructor is core.Rows:
        if any(map(holds_reference, value.items)):
            raise core.Unsupported(
                node,
                "a list of objects is returned whose length isn't known before the "
                "program runs, and which may hold one of them twice",
                "return lists of the numbers that they hold",
            )
    new = tuple(structure_of(spec, part, node) for _, part in parts)
    if all(a is b for a, (_, b) in zip(new, parts, strict=True)):
        return value
    return core.with_parts(value, new)


def holds_reference(value: core.Value) -> bool:
    """True for a reference and a structure with one in it."""
    return object_forms.is_reference(value) or any(
        holds_reference(part) for _, part in core.parts_of(value)
    )
