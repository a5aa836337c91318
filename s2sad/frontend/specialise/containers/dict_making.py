"""Dicts that are made of pairs: ``dict(zip(keys, values))``, and comprehensions.

Where the keys aren't known, the dict is one that the program changes: it is filled pair
by pair.
"""

from __future__ import annotations

import ast
from typing import Any

from s2sad.frontend.specialise.containers.dict_methods import METHODS_OF_DICTS
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.exceptions import Changes, Unsupported
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.targets import items_of
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Cell,
    Entries,
    Lazy,
    Value,
    describe,
    kind_of,
)
from s2sad.frontend.specialise.heap.cells import contents, new_cell, set_content
from s2sad.frontend.specialise.iteration.collecting import known_list
from s2sad.frontend.specialise.iteration.iteration import NotKnown, iterate
from s2sad.rules.result_kinds import is_static, static_value


def new_dict(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    """``dict(pairs, key=value)``."""
    made = _first_entries(spec, args[0], node) if args else Aggregate(dict, (), ())
    if isinstance(made, Cell):
        METHODS_OF_DICTS["update"](spec, made, (), keywords, node)
        return made
    assert isinstance(made, Aggregate)
    if made.constructor is Entries:
        if keywords:
            raise Unsupported(
                node,
                "a dict is made of one whose keys aren't known before the program "
                "runs, and of more",
                "copy it, and store the others one by one",
            )
        return made
    entries: dict[Any, Value] = dict(zip(made.keys, made.items, strict=True))
    entries.update(keywords)
    return Aggregate(dict, tuple(entries), tuple(entries.values()))


def _first_entries(spec: Specialiser, value: Value, node: ast.AST) -> Value:
    """What ``dict(value)`` holds."""
    if isinstance(value, Aggregate) and value.constructor in (dict, Entries):
        return value
    if isinstance(value, Lazy) and value.what != "range":
        return dict_of_pairs(spec, value, node)
    pairs = Lazy("list", (), lambda spec, sources: iterate(spec, value, node))
    return dict_of_pairs(spec, pairs, node)


def dict_of_pairs(spec: Specialiser, pairs: Lazy, node: ast.AST) -> Value:
    """A dict of the pairs that an iterator gives. Where the keys aren't known, the dict
    is filled when the program runs."""

    def known() -> Value:
        entries: dict[Any, Value] = {}
        for pair in items_of(known_list(spec, pairs, node)) or ():
            key, value = _key_and_value(spec, pair, node)
            if not is_static(kind_of(key)):
                raise NotKnown
            entries[static_value(kind_of(key))] = value
        return Aggregate(dict, tuple(entries), tuple(entries.values()))

    try:
        return attempt(spec, known)
    except NotKnown:
        pass
    if dict not in spec.changing:
        raise Changes(dict)
    cell = new_cell(spec, dict, spec.title)
    set_content(spec, cell, Aggregate(dict, (), ()))
    METHODS_OF_DICTS["update"](spec, cell, (pairs,), {}, node)
    return cell


def _key_and_value(spec: Specialiser, pair: Value, node: ast.AST) -> tuple[Value, ...]:
    items = items_of(contents(spec, pair))
    if items is None or len(items) != 2:
        raise Unsupported(
            node,
            f"a dict is made of {describe(pair)}, and not of a key and a value",
            "write a dict comprehension",
        )
    return items
