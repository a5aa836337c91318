"""``max``, ``min`` and ``sorted``, with keys and defaults."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from s2sad.frontend.specialise.containers.lists import as_dynamic, is_list
from s2sad.frontend.specialise.control.comparisons import compare
from s2sad.frontend.specialise.control.conditions import select
from s2sad.frontend.specialise.control.control_flow import choose
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.expressions import operate
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.targets import items_of
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Cell,
    Lazy,
    Leaf,
    Value,
    aggregate_of,
    constant,
    describe,
    kind_of,
    leaves,
    operand_of,
)
from s2sad.frontend.specialise.heap.cells import contents
from s2sad.frontend.specialise.heap.subscripts import item_of
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.iteration.consumers import (
    consumer,
    materialised,
    plain_call,
)
from s2sad.frontend.specialise.iteration.iteration import (
    Elements,
    iterate,
)
from s2sad.frontend.specialise.iteration.iterators import call_value
from s2sad.frontend.specialise.objects.operator_methods import has_methods
from s2sad.frontend.specialise.objects.structure_comparisons import sort_key
from s2sad.ir.kinds import BOOL, Kind, Known, List, NumPyScalar, Scalar
from s2sad.ir.nodes import Apply, Effect
from s2sad.ops.effects import raise_exception
from s2sad.ops.lists import index_of_first
from s2sad.ops.runtime.sequences import order_of_items
from s2sad.rules.result_kinds import is_static, static_value


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
        (value,) = args
        args = (materialised(spec, value if key else _in_any_order(value), node),)
        whole = items_of(args[0])
        if whole is not None and not whole and default is not None:
            return default
        if whole is not None and len(whole) == 1:
            return whole[0]
        if default is not None and whole is None:
            return _with_default(spec, function, args[0], key, default, node)
    if key is None and any(
        isinstance(kind, List) for kind in _kinds_to_order(spec, args)
    ):
        raise Unsupported(
            node,
            f"{function.__name__} of lists that change or differ in length can't be "
            "differentiated",
            "give it a key, or compare numbers",
        )
    if key is None and not any(map(_is_structure, _items_to_order(args))):
        return plain_call(spec, function, args, keywords, node)
    return _by_key(spec, function, args, key, node)


def _in_any_order(value: Value) -> Value:
    """A set as a tuple: the order of its items doesn't matter."""
    if isinstance(value, Aggregate) and value.constructor in (set, frozenset):
        return aggregate_of(value.items)
    return value


def _items_to_order(args: Any) -> tuple[Value, ...]:
    """The values of which one is chosen, as far as they are known one by one."""
    if len(args) > 1:
        return tuple(args)
    (value,) = args
    known = items_of(value)
    if known is None and isinstance(value, Aggregate) and is_list(value):
        return value.items
    return known or ()


def _kinds_to_order(spec: Specialiser, args: Any) -> list[Kind | None]:
    """The kinds of the values of which one is chosen, where each is one value."""
    items = (contents(spec, value) for value in _items_to_order(args))
    kinds: list[Kind | None] = [v.kind for v in items if isinstance(v, Leaf)]
    if len(args) == 1 and isinstance(args[0], Leaf):
        kinds += [args[0].kind.item] if isinstance(args[0].kind, List) else []
    return kinds


def _is_structure(value: Value) -> bool:
    return isinstance(value, Aggregate | Cell) or has_methods(value)


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
    spec: Specialiser, function: Any, args: Any, key: Value | None, node: Any
) -> Value:
    """The first of the items whose key is largest or smallest."""

    def key_of(item: Value) -> Value:
        return item if key is None else call_value(spec, key, (item,), node)

    holder = args[0] if len(args) == 1 else aggregate_of(args)
    items = iterate(spec, holder, node)
    if isinstance(items, Aggregate):
        better = ast.Gt() if function is max else ast.Lt()
        if not items.items:
            raise Unsupported(
                node, f"{function.__name__} of no values", "test for that first"
            )
        best, *others = items.items
        best_key = key_of(best)
        for item in others:
            other = key_of(item)
            test = compare(spec, better, other, best_key, node)
            best, best_key = _better(
                spec, test, (item, other), (best, best_key), key is None, node
            )
        return best
    assert isinstance(items, Elements)
    keys = _keys(spec, items, key, node)
    if isinstance(keys, Leaf):
        extreme = spec.apply(function, (keys,), node=node)
        place = spec.apply(index_of_first, (keys, extreme), node=node, hint="place")
    else:
        _check_not_empty(spec, function, items, node)
        order = _order(spec, keys, function is max, node)
        first = (order, constant(0))
        place = spec.apply(operator.getitem, first, node=node, hint="place")
    return items.element(place)  # type: ignore[arg-type]


def _check_not_empty(
    spec: Specialiser, function: Any, items: Elements, node: Any
) -> None:
    text = f"{function.__name__}() iterable argument is empty"

    def fail() -> None:
        words = tuple(operand_of(constant(word)) for word in (ValueError, text))
        spec.emit(Effect(spec.span, Apply(raise_exception, words)))
        spec.unreachable = True

    empty = compare(spec, ast.Eq(), items.length, constant(0), node)
    choose(spec, empty, fail, lambda: None, node)


def _better(
    spec: Specialiser,
    test: Value,
    new: tuple[Value, Value],
    old: tuple[Value, Value],
    same: bool,
    node: Any,
) -> tuple[Value, Value]:
    """The better item and its key, which may be the item itself."""
    if same:
        best = _either(spec, test, new[0], old[0], node)
        return best, best
    pair: Any = _either(spec, test, aggregate_of(new), aggregate_of(old), node)
    best, key = pair.items
    return best, key


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
    value = materialised(spec, args[0] if key else _in_any_order(args[0]), node)
    items = iterate(spec, value, node)
    if isinstance(items, Aggregate):
        return _sorted_structure(spec, items, key, bool(descending), node)
    assert isinstance(items, Elements)
    own = key is None and isinstance(value, Leaf) and _is_of_numbers(value.kind)
    keys = value if own else _keys(spec, items, key, node)
    order = _order(spec, keys, bool(descending), node)

    def element(index: Leaf) -> Value:
        place = spec.apply(operator.getitem, (order, index), node=node, hint="place")
        return items.element(place)  # type: ignore[arg-type]

    found = Elements(items.length, element)
    return collected(spec, Lazy("list", (), lambda spec, sources: found), node)


def _sorted_structure(
    spec: Specialiser, items: Aggregate, key: Any, descending: bool, node: Any
) -> Value:
    """As many values in another order, which may be known only when the program
    runs."""
    keys = [
        call_value(spec, key, (item,), node) if key else item for item in items.items
    ]
    if all(is_static(kind_of(k)) for k in keys):
        order = sorted(
            range(len(keys)),
            key=lambda k: static_value(kind_of(keys[k])),
            reverse=descending,
        )
        return aggregate_of(tuple(items.items[k] for k in order), list)
    if len(keys) < 2:
        return aggregate_of(items.items, list)
    values = as_dynamic(spec, items, node)
    found = [_sort_key(spec, k, node) for k in keys]
    own = key is None and isinstance(values, Leaf)
    places = _order(
        spec,
        values if own else as_dynamic(spec, aggregate_of(tuple(found), list), node),
        descending,
        node,
    )
    ranked = []
    for k in range(len(keys)):
        at = (places, constant(k))
        place = spec.apply(operator.getitem, at, node=node, hint="place")
        ranked.append(item_of(spec, values, place, node))
    return aggregate_of(tuple(ranked), list)


def _sort_key(spec: Specialiser, value: Value, node: Any) -> Value:
    found = sort_key(spec, value, node)
    if found is None:
        raise Unsupported(
            node,
            f"the order of {describe(value)} isn't followed where it is known only "
            "when the program runs",
            "sort by a number or a tuple of numbers: key=lambda item: ...",
        )
    return found


def _keys(spec: Specialiser, items: Elements, key: Any, node: Any) -> Value:
    """What elements are ordered by, in a list."""

    def key_of(item: Value) -> Value:
        found = item if key is None else call_value(spec, key, (item,), node)
        return _sort_key(spec, found, node)

    lazy = Lazy("map", (), lambda spec, sources: items.mapped(key_of))
    return collected(spec, lazy, node)


def _is_of_numbers(kind: Kind) -> bool:
    return isinstance(kind, List) and isinstance(kind.item, Scalar | NumPyScalar)


def _order(spec: Specialiser, keys: Value, descending: bool, node: Any) -> Value:
    """The places of the items in order; equal ones stay in the order they had."""
    numbers = list(leaves(keys))
    arrays: list[Value] = []
    for leaf in numbers:
        kind = leaf.kind
        if not _is_of_numbers(kind):
            raise Unsupported(
                node, "values are ordered by anything but numbers", "sort by numbers"
            )
        assert isinstance(kind, List)
        if len(numbers) == 1:
            operands = (leaf, constant(descending))
            return spec.apply(order_of_items, operands, node=node, hint="order")
        array: Value = spec.apply(np.array, (leaf,), node=node, hint="keys")
        if descending:
            truth = kind.item in (BOOL, NumPyScalar("bool"))
            negate = np.logical_not if truth else operator.neg
            array = operate(spec, negate, (array,), node)
        arrays.append(array)
    # The last one counts most.
    last_first = aggregate_of(tuple(arrays[::-1]))
    return spec.apply(np.lexsort, (last_first,), node=node, hint="order")
