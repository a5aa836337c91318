"""``max``, ``min`` and ``sorted``, with keys and defaults."""

import ast
import operator
from functools import partial
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.library import lists as library_lists
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import run_time_sets
from s2sad.frontend.specialise.containers.lists import as_dynamic, is_list
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import consumers
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.objects.structure_comparisons import sort_key
from s2sad.frontend.specialise.run_time import queries, reading, storing
from s2sad.ops.runtime.sequences import order_of_items, order_of_rows


@consumers.consumer(max, min)
def _max_min(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    keywords = dict(keywords)
    key = keywords.pop("key", None)
    default = keywords.pop("default", None)
    if key is not None and isinstance(key, core.Leaf) and key.kind == ir.Known(None):
        key = None
    if len(args) == 1:
        (value,) = args
        args = (consumers.materialised(spec, value if key else _in_any_order(value)),)
        whole = core.items_of(args[0])
        if whole is not None and not whole and default is not None:
            return default
        if whole is not None and len(whole) == 1:
            if key is not None:  # which may store something
                _key_of(spec, key, whole[0])
            return whole[0]
        if default is not None and whole is None:
            return _with_default(spec, function, args[0], key, default)
    if key is None and len(args) == 1 and _is_opaque(core.kind_of(args[0])):
        operation = ir.Apply(function, (core.operand_of(args[0]),))
        return spec.define(operation, ir.OPAQUE, "text")
    if key is None and any(
        isinstance(kind, ir.List) for kind in _kinds_to_order(spec, args)
    ):
        raise core.Unsupported(
            f"{function.__name__} of lists that change or differ in length can't be "
            "differentiated",
            "give it a key, or compare numbers",
        )
    kept = _kept_item(args[0]) if key is None and len(args) == 1 else None
    if kept is not None and not queries.is_record(kept):
        text = library_lists.largest if function is max else library_lists.smallest
        return spec.call_function(text, args, {})
    if (
        kept is None
        and key is None
        and not any(map(_is_structure, _items_to_order(args)))
    ):
        return consumers.plain_call(spec, function, args, keywords)
    return _by_key(spec, function, args, key)


def _kept_item(values: core.Value) -> core.Leaf | None:
    """What stands for the items of a list of what is kept; None for other values."""
    kind = core.kind_of(values)
    item = kind.item if isinstance(kind, ir.List) else None
    if queries.is_sequence(values):
        item = ir.kind_of_slot(queries.kind_of(values), ir.EACH)
    return core.Leaf(ir.Const(None), item) if isinstance(item, ir.Reference) else None


def _without_derivative(spec: Specialiser, value: core.Value) -> core.Leaf | None:
    """A list of whole numbers, texts and the like, or the keys of a dict: Python puts
    them in order. None for other values."""
    if core.is_view(value) and value.what == f"{core.VIEW}keys":
        (value,) = value.sources
    value = spec.contents(value)
    items: set[Any] = set()
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.List):
        items = {value.kind.item}
    elif queries.is_dict(value):
        forms = queries.kind_of(value).forms
        items = {(f.key or ir.OPAQUE) if f.is_uniform else None for f in forms}
    if not items <= {ir.INT, ir.BOOL, ir.OPAQUE} or len(items) != 1:
        return None
    if queries.is_dict(value) and storing.is_resized(spec, queries.kind_of(value)):
        asked = ir.Apply(ops.stored_keys, (value.operand,))
        value = spec.assign(spec.fresh("keys"), asked, ir.List(ir.OPAQUE))
    return core.Leaf(core.operand_of(value), ir.List(items.pop()))


def _in_any_order(value: core.Value) -> core.Value:
    """A set as a tuple: the order of its items doesn't matter."""
    if isinstance(value, core.Aggregate) and value.constructor in (set, frozenset):
        return core.aggregate_of(value.items)
    return value


def _items_to_order(args: Any) -> tuple[core.Value, ...]:
    """The values of which one is chosen, as far as they are known one by one."""
    if len(args) > 1:
        return tuple(args)
    (value,) = args
    known = core.items_of(value)
    if known is None and isinstance(value, core.Aggregate) and is_list(value):
        return value.items
    return known or ()


def _kinds_to_order(spec: Specialiser, args: Any) -> list[ir.Kind | None]:
    """The kinds of the values of which one is chosen, where each is one value."""
    items = (spec.contents(value) for value in _items_to_order(args))
    kinds: list[ir.Kind | None] = [v.kind for v in items if isinstance(v, core.Leaf)]
    if len(args) == 1 and isinstance(args[0], core.Leaf):
        kinds += [args[0].kind.item] if isinstance(args[0].kind, ir.List) else []
    return kinds


def _is_structure(value: core.Value) -> bool:
    whole = isinstance(value, core.Aggregate | core.Cell) or queries.is_reference(value)
    return whole or core.has_methods(value)


def _with_default(
    spec: Specialiser, function: Any, value: core.Value, key: Any, default: core.Value
) -> core.Value:
    items = spec.iterate(value)
    keywords = {} if key is None else {"key": key}
    if isinstance(items, core.Aggregate):
        if not items.items:
            return default
        return _max_min(spec, function, (value,), keywords)
    length = items.length  # type: ignore[union-attr]
    test = spec.compare(ast.Gt(), length, core.constant(0))
    return spec.select(
        test,
        lambda: _max_min(spec, function, (value,), keywords),
        lambda: default,
        "choice",
    )


def _either(
    spec: Specialiser, test: core.Value, first: core.Value, second: core.Value
) -> core.Value:
    return spec.select(test, lambda: first, lambda: second, "best")


def _by_key(
    spec: Specialiser, function: Any, args: Any, key: core.Value | None
) -> core.Value:
    """The first of the items whose key is largest or smallest."""
    key_of = partial(_key_of, spec, key)
    holder = args[0] if len(args) == 1 else core.aggregate_of(args)
    items = spec.iterate(holder)
    if isinstance(items, core.Aggregate):
        better = ast.Gt() if function is max else ast.Lt()
        if not items.items:
            raise core.Unsupported(
                f"{function.__name__} of no values", "test for that first"
            )
        best, *others = items.items
        best_key = key_of(best)
        for item in others:
            other = key_of(item)
            test = spec.compare(better, other, best_key)
            best, best_key = _better(
                spec, test, (item, other), (best, best_key), key is None
            )
        return best
    items = core.elements_of(items)
    keys = _keys(spec, items, key)
    if isinstance(keys, core.Leaf):
        extreme = spec.apply(function, (keys,))
        place = spec.apply(ops.index_of_first, (keys, extreme), hint="place")
    else:
        _check_not_empty(spec, function, items)
        order = _order(spec, keys, function is max)
        first = (order, core.constant(0))
        place = spec.apply(operator.getitem, first, hint="place")
    return items.element(place)  # type: ignore[arg-type]


def _key_of(spec: Specialiser, key: core.Value | None, item: core.Value) -> core.Value:
    """What a key function gives for an item, which goes on to be used."""
    if key is None:
        return item
    spec.shared([item], times=2)
    return spec.call_value(key, (item,), {})


def _check_not_empty(spec: Specialiser, function: Any, items: core.Elements) -> None:
    text = f"{function.__name__}() iterable argument is empty"
    empty = spec.compare(ast.Eq(), items.length, core.constant(0))
    spec.raise_if(empty, ValueError, text)


def _better(
    spec: Specialiser,
    test: core.Value,
    new: tuple[core.Value, core.Value],
    old: tuple[core.Value, core.Value],
    same: bool,
) -> tuple[core.Value, core.Value]:
    """The better item and its key, which may be the item itself."""
    if same:
        best = _either(spec, test, new[0], old[0])
        return best, best
    pair: Any = _either(spec, test, core.aggregate_of(new), core.aggregate_of(old))
    best, key = pair.items
    return best, key


@consumers.consumer(sorted)
def _sorted(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    keywords = dict(keywords)
    key = keywords.pop("key", None)
    reverse = keywords.pop("reverse", core.constant(False))
    if key is not None and isinstance(key, core.Leaf) and key.kind == ir.Known(None):
        key = None
    descending = core.known_value(reverse) if core.is_known(reverse) else None
    if descending is None:
        raise core.Unsupported("sorted takes reverse= as a literal")
    if key is None and isinstance(args[0], core.Leaf) and args[0].kind == ir.OPAQUE:
        words = (("reverse", ir.Const(True)),) * bool(descending)
        operation = ir.Apply(sorted, (args[0].operand,), words)
        return spec.define(operation, ir.OPAQUE, "items")
    words = (("reverse", ir.Const(True)),) * bool(descending)
    if run_time_sets.is_of_the_run(args[0]):
        if key is None:
            return run_time_sets.listed(spec, args[0], sorted, words)
        args = (run_time_sets.listed(spec, args[0]),)
    plain = None if key else _without_derivative(spec, args[0])
    if plain is not None:
        operation = ir.Apply(sorted, (plain.operand,), words)
        return spec.assign(spec.fresh("items"), operation, plain.kind)
    value = consumers.materialised(spec, args[0] if key else _in_any_order(args[0]))
    if key is None and reading.is_view_of_items(args[0]):
        key = core.constant(operator.itemgetter(0))  # the keys differ
    items = spec.iterate(value)
    if isinstance(items, core.Aggregate):
        return _sorted_structure(spec, items, key, bool(descending))
    items = core.elements_of(items)
    own = (
        key is None
        and isinstance(value, core.Leaf)
        and ir.is_list_of_numbers(value.kind)
    )
    keys = value if own else _keys(spec, items, key)
    order = _order(spec, keys, bool(descending))

    def element(index: core.Leaf) -> core.Value:
        place = spec.apply(operator.getitem, (order, index), hint="place")
        return items.element(place)  # type: ignore[arg-type]

    found = core.Elements(items.length, element)
    return collected(spec, core.Lazy("list", (), lambda spec, sources: found))


def _sorted_structure(
    spec: Specialiser, items: core.Aggregate, key: Any, descending: bool
) -> core.Value:
    """As many values in another order, which may be known only when the program
    runs."""
    keys = [_key_of(spec, key, item) for item in items.items]
    if all(core.is_known(k) for k in keys):
        known = [core.known_value(k) for k in keys]
        numbers = range(len(keys))
        order = spec.outcome(
            lambda: sorted(numbers, key=known.__getitem__, reverse=descending)
        )
        return core.aggregate_of(tuple(items.items[k] for k in order), list)
    if len(keys) < 2:
        return core.aggregate_of(items.items, list)
    values = as_dynamic(spec, items)
    found = [_sort_key(spec, k) for k in keys]
    own = key is None and isinstance(values, core.Leaf)
    own = own and ir.rank_of(core.kind_of(items.items[0])) == 0
    places = _order(
        spec,
        values if own else as_dynamic(spec, core.aggregate_of(tuple(found), list)),
        descending,
    )
    ranked = []
    for k in range(len(keys)):
        at = (places, core.constant(k))
        place = spec.apply(operator.getitem, at, hint="place")
        ranked.append(spec.item_of(values, place))
    return core.aggregate_of(tuple(ranked), list)


def _sort_key(spec: Specialiser, value: core.Value) -> core.Value:
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Unknown):
        if value.kind.present is not None:  # None raises where it is compared
            value = core.Leaf(value.operand, value.kind.present)
    found = sort_key(spec, _with_kept_tuples_apart(spec, value))
    if found is None:
        raise core.Unsupported(
            f"the order of {core.describe(value)} isn't followed where it is known "
            "only when the program runs",
            "sort by a number or a tuple of numbers: key=lambda item: ...",
        )
    return found


def _with_kept_tuples_apart(spec: Specialiser, value: core.Value) -> core.Value:
    if queries.is_reference(value) and queries.is_record(value):
        cls: Any = queries.kind_of(value).constructor
        if cls is None or cls.__lt__ is not tuple.__lt__:
            return value
        value = core.aggregate_of(reading.unpacked(spec, value))
    if isinstance(value, core.Aggregate) and value.constructor is tuple:
        items = (_with_kept_tuples_apart(spec, item) for item in value.items)
        return core.aggregate_of(tuple(items))
    return value


def _keys(spec: Specialiser, items: core.Elements, key: Any) -> core.Value:
    """What elements are ordered by, in a list."""

    def key_of(item: core.Value) -> core.Value:
        return _sort_key(spec, _key_of(spec, key, item))

    lazy = core.Lazy("map", (), lambda spec, sources: items.mapped(key_of))
    return collected(spec, lazy)


def _is_opaque(kind: ir.Kind) -> bool:
    """True for a list of texts and the like, which Python puts in order."""
    return isinstance(kind, ir.List) and kind.item == ir.OPAQUE


def _is_ordered_by_python(spec: Specialiser, kind: ir.Kind) -> bool:
    """True for a list of texts and the like, and for one of lists or tuples of numbers,
    of any length, that nobody changes."""
    item = kind.item if isinstance(kind, ir.List) else None
    if isinstance(item, ir.List):
        return ir.is_list_of_numbers(item)
    if not isinstance(item, ir.Reference) or item.may_be_none:
        return _is_opaque(kind)
    if item.constructor not in (list, tuple) or not queries.are_sequences(item):
        return False
    held = ir.kind_of_slot(item, ir.EACH)
    numbers = isinstance(held, ir.Scalar | ir.NumPyScalar)
    return numbers and not storing.leads_to_stored(spec, item)


def _order(spec: Specialiser, keys: core.Value, descending: bool) -> core.Value:
    """The places of the items in order; equal ones stay in the order they had."""
    columns = list(core.leaves(keys))
    by_python = [_is_ordered_by_python(spec, leaf.kind) for leaf in columns]
    for leaf, ordered in zip(columns, by_python, strict=True):
        if not ir.is_list_of_numbers(leaf.kind) and not ordered:
            raise core.Unsupported(
                "values are ordered by anything but numbers and texts",
                "sort by numbers or texts: key=lambda item: ...",
            )
    if len(columns) == 1:
        operands = (columns[0], core.constant(descending))
        return spec.apply(order_of_items, operands, hint="order")
    if any(by_python):
        rows = (core.constant(descending), *columns)
        return spec.apply(order_of_rows, rows, hint="order")
    arrays: list[core.Value] = []
    for leaf in columns:
        array: core.Value = spec.apply(np.array, (leaf,), hint="keys")
        if descending:
            assert isinstance(leaf.kind, ir.List)
            truth = leaf.kind.item in (ir.BOOL, ir.NumPyScalar("bool"))
            negate = np.logical_not if truth else operator.neg
            array = spec.operate(negate, (array,))
        arrays.append(array)
    # The last one counts most.
    last_first = core.aggregate_of(tuple(arrays[::-1]))
    return spec.apply(np.lexsort, (last_first,), hint="order")
