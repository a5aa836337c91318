"""``max``, ``min`` and ``sorted``, with keys and defaults."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from s2sad.frontend.specialise.comparisons import compare
from s2sad.frontend.specialise.comprehensions import collected
from s2sad.frontend.specialise.consumers import consumer, materialised, plain_call
from s2sad.frontend.specialise.context import Unsupported
from s2sad.frontend.specialise.expressions import operate, select
from s2sad.frontend.specialise.iteration import (
    Elements,
    iterate,
)
from s2sad.frontend.specialise.iterators import call_value
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.targets import items_of
from s2sad.frontend.specialise.values import (
    Aggregate,
    Lazy,
    Leaf,
    Value,
    aggregate_of,
    constant,
    kind_of,
)
from s2sad.ir.kinds import Known, List
from s2sad.rules.result_kinds import is_static, static_value
from s2sad.transform.lists import index_of_first


@consumer(max, min)
def _max_min(
    spec: Specialiser, function: Any, args: Any, keywords: Any, node: Any
) -> Value:
    keywords = dict(keywords)
    key = keywords.pop("key", None)
    default = keywords.pop("default", None)
    if key is not None and isinstance(key, Leaf) and key.kind == Known(None):
        key = None
    if len(args) == 1:
        args = (materialised(spec, args[0], node),)
        whole = items_of(args[0])
        if whole is not None and not whole and default is not None:
            return default
        if whole is not None and len(whole) == 1:
            return whole[0]
        if default is not None and whole is None:
            return _with_default(spec, function, args[0], key, default, node)
    if key is None:
        return plain_call(spec, function, args, keywords, node)
    return _by_key(spec, function, args, key, node)


def _with_default(
    spec: Specialiser, function: Any, value: Value, key: Any, default: Value, node: Any
) -> Value:
    items = iterate(spec, value, node)
    keywords = {} if key is None else {"key": key}
    if isinstance(items, Aggregate):
        if not items.items:
            return default
        return _max_min(spec, function, (value,), keywords, node)
    length = items.length  # type: ignore[union-attr]
    test = compare(spec, ast.Gt(), length, constant(0), node)
    return select(
        spec,
        test,
        lambda: _max_min(spec, function, (value,), keywords, node),
        lambda: default,
        node,
        "choice",
    )


def _either(
    spec: Specialiser, test: Value, first: Value, second: Value, node: Any
) -> Value:
    return select(spec, test, lambda: first, lambda: second, node, "best")


def _by_key(
    spec: Specialiser, function: Any, args: Any, key: Value, node: Any
) -> Value:
    """The first of the items whose key is largest or smallest."""
    holder = args[0] if len(args) == 1 else aggregate_of(args)
    items = iterate(spec, holder, node)
    if isinstance(items, Aggregate):
        better = ast.Gt() if function is max else ast.Lt()
        if not items.items:
            raise Unsupported(
                node, f"{function.__name__} of no values", "test for that first"
            )
        best, *others = items.items
        best_key = call_value(spec, key, (best,), node)
        for item in others:
            other = call_value(spec, key, (item,), node)
            test = compare(spec, better, other, best_key, node)
            chosen = _either(
                spec,
                test,
                aggregate_of((item, other)),
                aggregate_of((best, best_key)),
                node,
            )
            best, best_key = chosen.items  # type: ignore[union-attr]
        return best
    assert isinstance(items, Elements)
    lazy = Lazy(
        "map",
        (),
        lambda spec, sources: items.mapped(
            lambda item: call_value(spec, key, (item,), node)
        ),
    )
    keys = collected(spec, lazy, node)
    extreme = spec.apply(function, (keys,), node=node)
    place = spec.apply(index_of_first, (keys, extreme), node=node, hint="place")
    return items.element(place)  # type: ignore[arg-type]


@consumer(sorted)
def _sorted(
    spec: Specialiser, function: Any, args: Any, keywords: Any, node: Any
) -> Value:
    keywords = dict(keywords)
    key = keywords.pop("key", None)
    reverse = keywords.pop("reverse", constant(False))
    if key is not None and isinstance(key, Leaf) and key.kind == Known(None):
        key = None
    descending = static_value(kind_of(reverse)) if is_static(kind_of(reverse)) else None
    if descending is None:
        raise Unsupported(node, "sorted takes reverse= as a literal", "")
    value = materialised(spec, args[0], node)
    items = iterate(spec, value, node)
    if isinstance(items, Aggregate):
        keys = [
            call_value(spec, key, (item,), node) if key else item
            for item in items.items
        ]
        if all(is_static(kind_of(k)) for k in keys):
            order = sorted(
                range(len(keys)),
                key=lambda k: static_value(kind_of(keys[k])),
                reverse=bool(descending),
            )
            return aggregate_of(tuple(items.items[k] for k in order), list)
        raise Unsupported(
            node,
            "sorted of a structure whose order isn't known before the program runs",
            "use np.sort of an array, or min and max",
        )
    assert isinstance(items, Elements)
    return _sorted_list(spec, items, key, descending, node)


def _sorted_list(
    spec: Specialiser, items: Elements, key: Any, descending: Any, node: Any
) -> Value:
    """A list in the order of its keys; equal ones stay in the order they had."""

    def keys_of(item: Value) -> Value:
        return item if key is None else call_value(spec, key, (item,), node)

    keys = collected(
        spec, Lazy("map", (), lambda spec, sources: items.mapped(keys_of)), node
    )
    if not (isinstance(keys, Leaf) and isinstance(kind_of(keys), List)):
        raise Unsupported(
            node, "sorted by anything but numbers", "sort by one number a value"
        )
    array: Value = spec.apply(np.array, (keys,), node=node, hint="keys")
    if descending:
        array = operate(spec, operator.neg, (array,), node)
    words = {"kind": constant("stable")}
    order = spec.apply(np.argsort, (array,), words, node=node, hint="order")

    def element(index: Leaf) -> Value:
        place = spec.apply(operator.getitem, (order, index), node=node, hint="place")
        return items.element(place)  # type: ignore[arg-type]

    found = Elements(items.length, element)
    return collected(spec, Lazy("list", (), lambda spec, sources: found), node)
