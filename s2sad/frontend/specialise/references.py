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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeGuard

from s2sad.frontend.specialise.activations import CellFrame
from s2sad.frontend.specialise.exceptions import Shares, Unsupported
from s2sad.frontend.specialise.values import (
    ROW,
    Aggregate,
    Cell,
    Leaf,
    Reference,
    Rows,
    Value,
    constant,
    describe,
    is_cell_of_object,
    is_object,
    is_rows,
    leaves,
    map_leaves,
    parts_of,
    with_parts,
)
from s2sad.ir.kinds import (
    BOOL,
    INT,
    NONE,
    OPAQUE,
    Known,
    List,
    without_value,
)
from s2sad.ir.nodes import Apply, Const, Var
from s2sad.transform.lists import new_list, place_of_object

KEY = ""
"""The only key of a reference: it is kept in a variable with the name itself."""


@dataclass(frozen=True)
class Form:
    """What is known of the objects of a class that are held by references."""

    template: Value | None = None
    """The attributes of an object. A number or array is a stand-in; what all objects
    share (a string, a function) is a constant. None where no object was made yet."""
    nullable: bool = False
    """A name or attribute may hold None in place of an object."""


STAND_IN = Leaf(Const(Reference), OPAQUE)
"""Of an attribute that differs between objects."""


EMPTY = Leaf(Const(list), OPAQUE)
"""Of an attribute that is an empty list: what it will hold isn't known."""


@cache
def reference_to(cls: Any) -> type[Reference]:
    """The mark of references to objects of a class."""
    return type(cls.__name__, (Reference,), {"cls": cls})


def is_reference(value: Value | None) -> TypeGuard[Aggregate]:
    """True for the place of an object."""
    return (
        isinstance(value, Aggregate)
        and isinstance(value.constructor, type)
        and issubclass(value.constructor, Reference)
    )


def is_open(value: Value) -> TypeGuard[Cell]:
    """True for an object that a reference leads to."""
    if not isinstance(value, Cell) or value.frame.place is None:
        return False
    place = value.frame.place
    return bool(place.within.frame.shared_class) and not place.path


def let_share(spec: Any, value: Any) -> None:
    """Where an object can't be followed as a cell: specialise the program again, with
    references to the objects of its class. Does nothing for what isn't such a cell."""
    from s2sad.frontend.specialise.construction import is_plain_class

    cls = value.constructor if isinstance(value, Cell | Aggregate) else value
    known = spec.shared_classes
    if is_plain_class(cls) and cls not in known and not spec.derived:
        raise Shares(cls, Form())


def let_share_one_of(spec: Any, values: Iterable[Value]) -> None:
    """The same for the first object among values and what is in them."""
    for value in values:
        if is_object(value) or is_cell_of_object(value):
            let_share(spec, value)
        let_share_one_of(spec, (part for _, part in parts_of(value)))


@contextmanager
def sharing(spec: Any, *values: Value | None) -> Iterator[None]:
    """Where an object among the values can't be held as what it is, hold references to
    objects of its class."""
    try:
        yield
    except Unsupported:
        let_share_one_of(spec, (v for v in values if v is not None))
        raise


# ------------------------------------------------------------------ the lists


def make_lists(spec: Any) -> None:
    """At the start of the program: an empty list for each attribute."""
    from s2sad.frontend.specialise.cells import new_cell, set_content
    from s2sad.frontend.specialise.lists import axis_of

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
            if leaf not in (STAND_IN, EMPTY):
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
    from s2sad.frontend.specialise.cells import content_of, set_content
    from s2sad.frontend.specialise.lists import row_of

    item = Aggregate(cls, tuple(attributes), tuple(attributes.values()))
    held = row_of(spec, item, None)
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
    set_content(spec, lists, replace(content, items=(longer,)), shifted=False)
    return _reference(spec, cls, place)


def _singular(lists: Cell) -> str:
    return str(lists.frame.given).removesuffix("s")


def _reference(spec: Any, cls: Any, place: Leaf) -> Aggregate:
    kind = OPAQUE if spec.shared_classes[cls].nullable else INT
    leaf = Leaf(place.operand, kind)
    return Aggregate(reference_to(cls), (KEY,), (leaf,))


def _with_object(spec: Any, columns: Value, item: Value) -> Value:
    """Each list with the part of one more object that belongs to it."""
    from s2sad.frontend.specialise.lists import with_item_in_column

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


# ------------------------------------------------------------------ forms of objects


def template_of(value: Value) -> Value:
    """What of an object is the same for all of its class, as far as this one tells."""

    def part(leaf: Leaf, path: tuple) -> Leaf:
        known = leaf.kind
        if isinstance(known, List) and known.item is None:
            return EMPTY
        return constant(known.value) if isinstance(known, Known) else STAND_IN

    return map_leaves(value, part)


def merged(spec: Any, a: Value, b: Value, cls: Any) -> Value:
    """The template of objects of which some have one form, some another."""
    if a == b:
        return a
    for one, other in ((a, b), (b, a)):
        if is_reference(one) and _is_none(other):
            _let_be_none(spec, one)
            return one
        if is_object(one) and _is_none(other):
            let_share(spec, one)
        if one == EMPTY and (other == STAND_IN or is_rows(other)):
            return other
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        if all(leaf == STAND_IN or _is_text(leaf) for leaf in (a, b)):
            return STAND_IN
    if isinstance(a, Aggregate) and isinstance(b, Aggregate):
        same = a.constructor is b.constructor and set(a.keys) == set(b.keys)
        if same and len(a.keys) == len(b.keys):
            items = tuple(merged(spec, a.item(k), b.item(k), cls) for k in a.keys)
            return replace(a, items=items)
    raise Unsupported(
        None,
        f"objects of {cls.__name__}, which only the run can tell apart, hold different "
        f"things: {_of(a)}, and {_of(b)}",
        "give all of them the same attributes, with values of the same sort",
    )


def _of(value: Value) -> str:
    if value == EMPTY:
        return "an empty list"
    return "a number or array" if value == STAND_IN else describe(value)


def _is_none(value: Value) -> bool:
    return isinstance(value, Leaf) and value.kind == NONE


def _is_text(leaf: Leaf) -> bool:
    return isinstance(leaf.kind, Known) and isinstance(leaf.kind.value, str)


def _let_be_none(spec: Any, value: Aggregate) -> None:
    cls = value.constructor.cls  # type: ignore[attr-defined]
    form: Form = spec.shared_classes[cls]
    if not form.nullable:
        raise Shares(cls, replace(form, nullable=True))


def fitted(spec: Any, value: Value, template: Value) -> Value:
    """A value in the form of a template: None as a reference to nothing, attributes in
    its order."""
    if is_reference(template):
        return met_as_reference(spec, value, template)
    if is_rows(template) and template_of(value) == EMPTY:
        from s2sad.frontend.specialise.lists import axis_of, empty_list

        assert isinstance(template, Aggregate)
        return empty_list(spec, axis_of(spec, None), template.items[0])
    if isinstance(template, Aggregate) and isinstance(value, Aggregate):
        same = template.constructor is value.constructor
        if same and set(template.keys) == set(value.keys):
            items = tuple(
                fitted(spec, value.item(key), part)
                for key, part in zip(template.keys, template.items, strict=True)
            )
            return replace(template, items=items)
    if isinstance(template, Leaf) and isinstance(value, Leaf):
        changes = template in (STAND_IN, EMPTY) or isinstance(template.kind, List)
        if changes or value.kind == template.kind:
            return value
    raise Unsupported(
        None,
        f"{_of(value)} is stored where other objects of the class hold {_of(template)}",
        "give all of them the same attributes, with values of the same sort",
    )


# ------------------------------------------------------------------ references


def opened(spec: Any, value: Value) -> Value:
    """The object that a reference leads to, to be read and changed; other values as
    they are."""
    from s2sad.frontend.specialise.places import Place

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
    place = Place(spec.object_lists[cls], _place(spec, index), (), (0, 0), index)
    _, number = spec.fresh_owner(cls)
    frame = CellFrame(
        spec.frame.source, prefix=f".{cls.__name__}.{number}:", place=place
    )
    return Cell(cls, frame)


def closed(spec: Any, value: Value) -> Value:
    """The value with references in place of the objects in it, as it is kept."""
    if not spec.shared_classes:
        return value
    if is_open(value):
        return _reference(spec, value.constructor, value.frame.place.reference)
    parts = parts_of(value)
    new = tuple(closed(spec, part) for _, part in parts)
    if all(a is b for a, (_, b) in zip(new, parts, strict=True)):
        return value
    return with_parts(value, new)


def met_as_reference(spec: Any, value: Value, other: Aggregate) -> Value:
    """What a value is where it meets a reference, or takes its place: None becomes one
    that leads to nothing."""
    if is_reference(value) and value.constructor is other.constructor:
        return value
    if _is_none(value):
        _let_be_none(spec, other)
        return replace(other, items=(Leaf(Const(None), OPAQUE),))
    raise Unsupported(
        None,
        f"{describe(value)} is stored where others hold {describe(other)}",
        "store an object of the same class, or None",
    )


def _place(spec: Any, reference: Leaf) -> Leaf:
    """The place in the lists, where the reference isn't None: reading what stands there
    raises a TypeError otherwise."""
    if reference.kind != OPAQUE:
        return reference
    operation = Apply(place_of_object, (reference.operand,))
    return spec.define(operation, INT, "place")


def may_be_none(spec: Any, value: Value) -> bool:
    """True for an object that may be None."""
    return is_open(value) and spec.shared_classes[value.constructor].nullable


def truth_of_reference(spec: Any, value: Value) -> Value | None:
    """Whether an object that may be None is one; None for other values."""
    if not may_be_none(spec, value):
        return None
    cls: Any = value.constructor  # type: ignore[union-attr]
    if hasattr(cls, "__bool__") or hasattr(cls, "__len__"):
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
    for value, other in ((left, right), (right, left)):
        if not is_open(value):
            continue
        if _is_none(other):
            if not may_be_none(spec, value):
                return constant(negated)
            return is_none_test(spec, value, op)
        if not is_open(other) or value.constructor is not other.constructor:
            return constant(negated)
        function = operator.ne if negated else operator.eq
        operands = (left, right)
        places = [c.frame.place.reference.operand for c in operands]  # type: ignore
        return spec.define(Apply(function, tuple(places)), BOOL, "condition")
    return None


def structure_of(spec: Any, value: Value, node: ast.AST | None) -> Value:
    """The value with the structure that they are now in place of objects, as a result
    holds them."""
    from s2sad.frontend.specialise.places import value_at

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
