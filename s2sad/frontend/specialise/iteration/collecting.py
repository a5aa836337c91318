"""The values of an iterator as a list."""

from __future__ import annotations

import ast

from s2sad.frontend.specialise.containers.lists import (
    OtherForm,
    axis_of,
    empty_list,
    with_item,
)
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Lazy,
    Leaf,
    Value,
    aggregate_of,
    constant,
)
from s2sad.frontend.specialise.iteration.iteration import (
    Elements,
    NotKnown,
    drive,
    iterate,
)


def collected(
    spec: Specialiser,
    lazy: Lazy,
    node: ast.AST | None,
    short: bool = True,
    wish: str = "",
) -> Value:
    """The values of an iterator as a list: a structure where their number is known,
    else a list built when the program runs."""
    if short:
        try:
            return attempt(spec, lambda: known_list(spec, lazy, node))
        except NotKnown:
            pass
        return _built(spec, lazy, node, wish)
    try:
        return attempt(spec, lambda: _built(spec, lazy, node, wish))
    except Unsupported as problem:
        try:
            return attempt(spec, lambda: known_list(spec, lazy, node))
        except (Unsupported, NotKnown):
            raise problem from None


def known_list(spec: Specialiser, lazy: Lazy, node: ast.AST | None) -> Value:
    """The values as a structure; raises NotKnown where their number isn't known."""
    found: list[Value] = []
    straight = spec.block

    def add(item: Value) -> None:
        if spec.block is not straight:  # in a loop or branch of the program
            raise NotKnown
        found.append(item)

    drive(spec, iterate(spec, lazy, node), add, set(), node=node, known=True)
    return aggregate_of(tuple(found), list)


def _built(spec: Specialiser, lazy: Lazy, node: ast.AST | None, wish: str) -> Value:
    try:
        return attempt(spec, lambda: _built_of(spec, lazy, node, None, wish))
    except OtherForm as other:
        form = other.item
    return _built_of(spec, lazy, node, form, wish)


def _built_of(
    spec: Specialiser,
    lazy: Lazy,
    node: ast.AST | None,
    form: Value | None,
    wish: str,
) -> Value:
    items = iterate(spec, lazy, node)
    hidden = f".{spec.fresh('list').name.replace('.', '_')}"
    length = None
    placed = isinstance(items, Elements)
    if isinstance(items, Elements):
        length, items = items.length, _with_places(spec, items)
    axis = axis_of(spec, length)
    spec.frame.names[hidden] = empty_list(spec, axis, form, wish)

    def add(item: Value) -> None:
        position: Value | None = None
        if placed:
            assert isinstance(item, Aggregate)
            item, place = item.items
            position = None if place == constant(None) else place
        longer = with_item(spec, spec.frame.names[hidden], item, position, node)
        spec.frame.names[hidden] = longer

    drive(spec, items, add, {hidden}, node=node)
    return spec.frame.names.pop(hidden)


def _with_places(spec: Specialiser, items: Elements) -> Elements:
    """The elements with their places, where these are known."""

    def of_number(number: Leaf) -> Value:
        place: Value | None = number
        if items.numbers is not None:
            place = items.numbers.place(spec, number)
        item = items.of_number(number)
        return aggregate_of((item, constant(None) if place is None else place))

    return Elements(items.length, items.element, items.numbers, of_number, items.hint)
