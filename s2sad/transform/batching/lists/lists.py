"""Batched lists: each item has the leading axis, the list itself has as many as before.

::

    items.dot = []                             items.dot = []
    items.dot.append(mul(x.dot, w))      ->    items.dot.append(mul(x.dot, w))  # [k, n]
    y.dot = array(items.dot)                   y.dot = stack(items.dot, axis=1)

So what moves items about stays as it is. An array that is made of items has the leading
axis in front of that along the list.
"""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.rules.numpy.indexing import getitem_kind
from s2sad.transform.batching.calls import Batch, Call, is_batched, plain, stored_at
from s2sad.transform.batching.elements import inner_index


def is_batched_list(value: Any) -> bool:
    """True for a list of batched items."""
    return isinstance(value, Batch) and isinstance(value.item, ir.List)


def repeated_list(mode: Any, items: core.Leaf, kind: ir.List, zeros: bool) -> core.Leaf:
    """A list that all tangents share, with each item repeated; of zeros where its items
    are known to be."""
    spec, item = mode.spec, kind.item
    made = spec.fresh("items")
    spec.assign(made, ir.Apply(ops.new_list, ()), ir.List(None))
    wide = mode.with_leading_axis(kind)
    if item is not None:
        place = spec.fresh("k")
        with spec.loop_over_places(place, spec.apply(len, (items,))) as k:
            one = spec.apply(operator.getitem, (items, k))
            each = mode.repeated(one, item, zeros=zeros)
            spec.assign(made, ir.Apply(ops.appended, (made, each.operand)), wide)
    if kind.constructor is tuple:
        own: core.Leaf = spec.apply(ops.as_tuple, (core.Leaf(made, wide),))
        return own
    return core.Leaf(made, wide)


def whole(call: Call, value: Any) -> core.Value:
    """A value with a leading axis, whether it has one yet or not."""
    if isinstance(value, Batch):
        return value.leaf
    if isinstance(value, core.Aggregate):
        parts = tuple(whole(call, item) for item in value.items)
        return core.Aggregate(value.constructor, value.keys, parts)
    return call.mode.repeated(value, core.kind_of(value))


def moved(call: Call) -> core.Value:
    """Operations that put items somewhere: they do the same with batched ones."""
    rule = rules.rule_for(call.value.function)
    assert rule is not None
    carried = set(rule.differentiable)
    bound = rule.arguments_of(call.args, call.keywords)
    values: list[core.Value] = []
    for name, value in bound.items():
        if name in carried:
            values.append(whole(call, value))
        elif is_batched(value):
            raise core.NotBatched("a place depends on a tangent")
        else:
            values.append(value)
    return of_item_kind(call, call.apply(call.value.function, *values))


def of_item_kind(call: Call, made: core.Value) -> core.Value:
    """A list of batched items is known to have the same leading axis in all."""
    if isinstance(made, core.Leaf) and isinstance(call.item, ir.List):
        return replace(made, kind=call.mode.with_leading_axis(call.item))
    return made


def item_of_list(call: Call) -> core.Value:
    items, index = call.args
    inside, _ = _index_in_lists(index, items.item)
    return of_item_kind(call, call.apply(call.value.function, items, inside))


def _index_in_lists(index: Any, kind: ir.Kind) -> tuple[Any, ir.Kind | None]:
    """An index that leads through lists to an item, or to a part of one, in front of
    which the leading axis stands; with the kind of that item, None where it leads to
    several."""
    if is_batched(index):
        raise core.NotBatched("an index depends on a tangent")
    found: ir.Kind | None = kind
    if not isinstance(index, core.Aggregate) or index.constructor is not tuple:
        return index, _item_kind(found, index)
    path, rest = [], list(index.items)
    while rest and isinstance(found, ir.List):
        path.append(rest.pop(0))
        found = _item_kind(found, path[-1])
    if not rest:
        return index, found
    if found is None:
        raise core.NotBatched("parts of several items are named")
    inner = inner_index(core.aggregate_of(tuple(rest)))
    return core.aggregate_of((*path, *inner.items)), None


def _item_kind(kind: ir.Kind | None, place: Any) -> ir.Kind | None:
    one = isinstance(core.kind_of(place), ir.Scalar | ir.NumPyScalar)
    return kind.item if isinstance(kind, ir.List) and one else None


def store_in_list(call: Call) -> core.Value:
    """Stores into items, and into parts of them."""
    items, index, value, *more = call.args
    if any(map(is_batched, more)) or call.keywords:
        raise core.NotBatched("something else depends on a tangent")
    kind = items.item if isinstance(items, Batch) else core.kind_of(items)
    inside, item = _index_in_lists(index, kind)
    wide = whole(call, items)
    if isinstance(item, ir.Scalar | ir.NumPyScalar | ir.Array):
        rank = ir.rank_of(item)
        if isinstance(value, Batch):
            value = stored_at(call, value, rank or 0)
        elif call.value.function in REPLACING:
            if rank != ir.rank_of(core.kind_of(value)):
                raise core.NotBatched("an item is replaced by one of another rank")
            value = whole(call, value)
    elif isinstance(core.kind_of(plain(value)), ir.List):
        value = whole(call, value)
    elif isinstance(item, ir.List):
        if not isinstance(value, Batch):
            raise core.NotBatched("what all share is stored")
        value = call.apply(np.moveaxis, value, 0, depth_of_lists(item))
    elif isinstance(value, Batch):
        assert isinstance(wide, core.Leaf)
        part = ir.rank_of(getitem_kind(wide.kind, core.kind_of(plain(inside))))
        if part is None or inside is index:
            raise core.NotBatched("the rank of a part isn't known")
        value = stored_at(call, value, part - 1)
    made = call.apply(call.value.function, wide, inside, value, *more)
    return of_item_kind(call, made)


def depth_of_lists(kind: ir.Kind | None) -> int:
    return 1 + depth_of_lists(kind.item) if isinstance(kind, ir.List) else 0


REPLACING = (ops.stored, ops.index_set)
"""Stores that put a value into the place of another."""


def item_within_list(call: Call) -> core.Value:
    """``lists[place][index]``, an array now."""
    lists, place, index = call.args
    if is_batched(place) or is_batched(index):
        raise core.NotBatched("an index depends on a tangent")
    inner = call.apply(operator.getitem, lists, place)
    return call.apply(operator.getitem, inner, index)


def changed_within(call: Call) -> core.Value:
    """A change of a list in a list, whose items are arrays now."""
    lists, place, *others = call.args
    if is_batched(place):
        raise core.NotBatched("a place depends on a tangent")
    kind = lists.item if isinstance(lists, Batch) else core.kind_of(lists)
    assert isinstance(kind, ir.List) and kind.item is not None
    wide = whole(call, lists)
    item = Batch(call.apply(operator.getitem, wide, place), kind.item)
    change = ops.OF_ONE_LIST[call.value.function]
    value = replace(call.value, function=change)
    one = replace(call, value=value, args=(item, *others), item=kind.item)
    changed = call.apply(ops.with_item_stored, wide, place, moved(one))
    return of_item_kind(call, changed)


def one_of_list(call: Call, value: Batch, k: core.Leaf) -> core.Leaf:
    """The list of one tangent: ``[item[k] for item in items]``."""
    spec = call.mode.spec
    own = value.item
    assert isinstance(own, ir.List) and own.item is not None
    made = spec.fresh("items")
    spec.assign(made, ir.Apply(ops.new_list, ()), ir.List(None))
    place = spec.fresh("place")
    with spec.loop_over_places(place, spec.apply(len, (value.leaf,))) as each:
        item = spec.apply(operator.getitem, (value.leaf, each))
        if isinstance(own.item, ir.List):
            one = one_of_list(call, Batch(item, own.item), k)
        else:
            one = spec.apply(operator.getitem, (item, k))
        kind: ir.Kind = replace(own, item=ir.as_item(one.kind), constructor=list)
        spec.assign(made, ir.Apply(ops.appended, (made, one.operand)), kind)
    if own.constructor is tuple:
        tupled: core.Leaf = spec.apply(ops.as_tuple, (core.Leaf(made, kind),))
        return tupled
    return core.Leaf(made, kind)
