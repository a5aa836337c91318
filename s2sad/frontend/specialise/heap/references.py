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
from typing import Any, TypeGuard

from s2sad.frontend.specialise.core.activations import CellFrame
from s2sad.frontend.specialise.core.exceptions import Shares, Unsupported
from s2sad.frontend.specialise.core.values import (
    ITEMS,
    ROW,
    Aggregate,
    Cell,
    Leaf,
    NumberList,
    Rows,
    Value,
    constant,
    describe,
    leaves,
    map_leaves,
    parts_of,
    with_parts,
)
from s2sad.frontend.specialise.heap.object_forms import (
    KEY,
    STAND_INS,
    Form,
    fitted,
    is_none,
    is_reference,
    merged,
    reference_to,
    template_of,
)
from s2sad.ir.kinds import (
    BOOL,
    INT,
    OPAQUE,
    Known,
    List,
    without_value,
)
from s2sad.ir.nodes import Apply, Const, Var
from s2sad.ops.lists import new_list, place_of_object


def is_open(value: Value) -> TypeGuard[Cell]:
    """True for an object that a reference leads to."""
    if not isinstance(value, Cell) or value.frame.place is None:
        return False
    return value.frame.place.reference is not None


# ------------------------------------------------------------------ the lists


def make_lists(spec: Any) -> None:
    """At the start of the program: an empty list for each attribute."""
    from s2sad.frontend.specialise.containers.lists import axis_of
    from s2sad.frontend.specialise.heap.cells import new_cell, set_content

    for cls, form in spec.shared_classes.items():
        if form.template is None:
            continue
        title = _plural(cls.__name__)
        cell = new_cell(spec, list, title)
        cell.frame.shared_class = cls
        axis = axis_of(spec, None)

        def empty(
            leaf: Leaf, path: tuple, title: str = title, axis: Any = axis
        ) -> Leaf:
            if leaf not in STAND_INS:
                return leaf
            target = spec.fresh("_".join((title, *(str(p) for p in path if p))))
            made: Leaf = spec.assign(target, Apply(new_list, ()), List(None, axis))
            return made

        columns = map_leaves(form.template, empty)
        set_content(spec, cell, Aggregate(Rows, (ROW,), (columns,)))
        spec.object_lists[cls] = cell


def _plural(name: str) -> str:
    """``node_lists`` hold what ``NodeList`` objects do."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return f"{words}s"


def referred(spec: Any, cls: Any, attributes: Mapping[str, Value]) -> Value:
    """A new object with these attributes, as a reference."""
    from s2sad.frontend.specialise.containers.lists import as_dynamic, as_row
    from s2sad.frontend.specialise.heap.cells import as_cells, content_of, set_content

    item = Aggregate(cls, tuple(attributes), tuple(attributes.values()))
    if cls is NumberList:
        (items,) = item.items
        held: Value = replace(item, items=(as_dynamic(spec, items, None),))
    else:
        parts = tuple(as_cells(spec, part) for part in item.items)
        held = as_row(spec, replace(item, items=parts), None)
    form: Form = spec.shared_classes[cls]
    template = template_of(held)
    if form.template is not None:
        template = merged(spec, form.template, template, cls)
    if template != form.template:
        raise Shares(cls, replace(form, template=template))
    held = fitted(spec, held, template)
    lists: Cell = spec.object_lists[cls]
    content = content_of(spec, lists)
    assert isinstance(content, Aggregate)
    columns = content.items[0]
    first = next((c for c in leaves(columns) if isinstance(c.kind, List)), None)
    if first is None:
        raise Unsupported(
            None,
            f"{describe(item)} without attributes that may change is held where only "
            "the run can tell it from others",
            "give it an attribute, a number that tells them apart",
        )
    place = spec.apply(len, (first,), hint=_singular(lists))
    longer = _with_object(spec, columns, held)
    changes = lists.frame.changes
    set_content(spec, lists, replace(content, items=(longer,)), shifted=False)
    lists.frame.changes = changes  # those that were there stay as they are
    return _reference(spec, cls, place)


def kept_while_made(draft: Value) -> tuple[str, str]:
    """Why an object can't be used under a name that it was given while it was made: it
    has its place in the lists only behind that."""
    return (
        f"{describe(draft)} that only the run can tell from others is put somewhere by "
        "its own __init__",
        "put it there behind the call that makes it",
    )


def _singular(lists: Cell) -> str:
    return str(lists.frame.given).removesuffix("s")


def _reference(spec: Any, cls: Any, place: Leaf) -> Aggregate:
    kind = OPAQUE if spec.shared_classes[cls].nullable else INT
    leaf = Leaf(place.operand, kind)
    return Aggregate(reference_to(cls), (KEY,), (leaf,))


def _with_object(spec: Any, columns: Value, item: Value) -> Value:
    """Each list with the part of one more object that belongs to it."""
    from s2sad.frontend.specialise.containers.lists import with_item_in_column

    parts = iter(list(leaves(item)))

    def append(column: Leaf, path: tuple) -> Value:
        part = next(parts)
        if not isinstance(column.kind, List):
            return column
        held = Leaf(part.operand, _item_kind(part))
        longer: Value = with_item_in_column(spec, column, held, None, None)
        return longer

    return map_leaves(columns, append)


def _item_kind(leaf: Leaf) -> Any:
    kind = without_value(leaf.kind)
    return OPAQUE if isinstance(kind, Known) else kind


# ------------------------------------------------------------------ references


def opened(spec: Any, value: Value) -> Value:
    """The object that a reference leads to, to be read and changed; other values as
    they are."""
    from s2sad.frontend.specialise.heap.places import Place

    if not spec.shared_classes or not is_reference(value):
        return value
    cls = value.constructor.cls  # type: ignore[attr-defined]
    (index,) = value.items
    assert isinstance(index, Leaf)
    if index.operand == Const(None):
        return constant(None)
    if isinstance(index.operand, Var):
        kept = spec.fresh("place")
        spec.assign(kept, index.operand, index.kind)
        index = Leaf(kept, index.kind)
    path = (ITEMS,) if cls is NumberList else ()
    place = Place(
        spec.object_lists[cls], _place(spec, index), path, (0, 0), reference=index
    )
    _, number = spec.fresh_owner(cls)
    title = ITEMS if cls is NumberList else ""
    frame = CellFrame(
        spec.frame.source,
        prefix=f".{cls.__name__}.{number}:",
        title=title,
        place=place,
    )
    return Cell(list if cls is NumberList else cls, frame)


def closed(spec: Any, value: Value) -> Value:
    """The value with references in place of the objects in it, as it is kept."""
    if not spec.shared_classes:
        return value
    if is_open(value):
        place = value.frame.place
        return _reference(spec, place.within.frame.shared_class, place.reference)
    parts = parts_of(value)
    new = tuple(closed(spec, part) for _, part in parts)
    if all(a is b for a, (_, b) in zip(new, parts, strict=True)):
        return value
    return with_parts(value, new)


def _place(spec: Any, reference: Leaf) -> Leaf:
    """The place in the lists, where the reference isn't None: reading what stands there
    raises a TypeError otherwise."""
    if reference.kind != OPAQUE:
        return reference
    operation = Apply(place_of_object, (reference.operand,))
    return spec.define(operation, INT, "place")


def may_be_none(spec: Any, value: Value) -> bool:
    """True for an object that may be None."""
    if not is_open(value):
        return False
    cls = value.frame.place.within.frame.shared_class
    return bool(spec.shared_classes[cls].nullable)


def truth_of_reference(spec: Any, value: Value) -> Value | None:
    """Whether an object that may be None is one; None for other values."""
    if not may_be_none(spec, value):
        return None
    cls: Any = value.constructor  # type: ignore[union-attr]
    if hasattr(cls, "__bool__") or hasattr(cls, "__len__"):  # a list too
        raise Unsupported(
            None,
            f"a test on a {cls.__name__} that may be None, whose class says itself "
            "whether it is true",
            "compare it with None",
        )
    return is_none_test(spec, value, ast.IsNot())


def is_none_test(spec: Any, value: Value, op: ast.cmpop) -> Value:
    """``value is None``, or ``is not``."""
    import operator

    assert isinstance(value, Cell)
    negated = isinstance(op, ast.IsNot | ast.NotEq)
    function = operator.is_not if negated else operator.is_
    operands = (value.frame.place.reference.operand, Const(None))
    return spec.define(Apply(function, operands), BOOL, "condition")


def identity_test(spec: Any, op: ast.cmpop, left: Value, right: Value) -> Value | None:
    """``left is right`` of objects of which only the run knows which they are; None for
    other values."""
    import operator

    negated = isinstance(op, ast.IsNot | ast.NotEq)
    left, right = (opened(spec, v) if is_reference(v) else v for v in (left, right))
    for value, other in ((left, right), (right, left)):
        if not is_open(value):
            continue
        if is_none(other):
            if not may_be_none(spec, value):
                return constant(negated)
            return is_none_test(spec, value, op)
        if not isinstance(other, Cell) or value.constructor is not other.constructor:
            return constant(negated)
        if not is_open(other):  # of the module, or kept while it was made
            raise Unsupported(None, *kept_while_made(other))
        function = operator.ne if negated else operator.eq
        operands = (left, right)
        places = [c.frame.place.reference.operand for c in operands]  # type: ignore
        return spec.define(Apply(function, tuple(places)), BOOL, "condition")
    return None


def structure_of(spec: Any, value: Value, node: ast.AST | None) -> Value:
    """The value with the structure that they are now in place of objects, as a result
    holds them."""
    from s2sad.frontend.specialise.heap.places import value_at

    if not spec.shared_classes:
        return value
    if is_reference(value):
        cls = value.constructor.cls  # type: ignore[attr-defined]
        if spec.shared_classes[cls].nullable:
            raise Unsupported(
                node,
                f"a {cls.__name__} is returned that may be None, or may refer to "
                "others of its class",
                "return the numbers and arrays that it holds",
            )
        value = opened(spec, value)
        assert isinstance(value, Cell)
        return structure_of(spec, value_at(spec, value), node)
    parts = parts_of(value)
    if isinstance(value, Aggregate) and value.constructor is Rows:
        if any(map(holds_reference, value.items)):
            raise Unsupported(
                node,
                "a list of objects is returned whose length isn't known before the "
                "program runs, and which may hold one of them twice",
                "return lists of the numbers that they hold",
            )
    new = tuple(structure_of(spec, part, node) for _, part in parts)
    if all(a is b for a, (_, b) in zip(new, parts, strict=True)):
        return value
    return with_parts(value, new)


def holds_reference(value: Value) -> bool:
    """True for a reference and a structure with one in it."""
    return is_reference(value) or any(
        holds_reference(part) for _, part in parts_of(value)
    )
