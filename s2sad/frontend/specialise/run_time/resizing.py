"""Lists that stand in what a program is given, and of which it changes how many items
they have.

::

    node.children.append(q)        ->        children = read_attribute(node, 'children')
                                             insert_item(children, -1, q)

An argument that is a list becomes the program's own (``owning.py``); one that stands in
an object or list is changed where it stands, in the copy that the program works on. How
long such lists are is asked when it matters, as what stands in them is
(``storing.py``). Items come and go one by one where the program lets them; what else
changes a list (sorting, slices) gives the list new items, computed from all it has.
"""

import operator
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import (
    container_methods,
    derived_dicts,
    dict_methods,
    lists,
    run_time_sets,
    set_methods,
)
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import cells, forming, kept_objects
from s2sad.frontend.specialise.iteration import iteration, running_over
from s2sad.frontend.specialise.optionals import values_as_references
from s2sad.frontend.specialise.run_time import (
    by_value,
    merged_dicts,
    methods,
    owning,
    queries,
    reading,
    storing,
    unions,
)
from s2sad.ops.runtime import indices, results

NONE = core.constant(None)
LAST = core.constant(-1)


def change(
    spec: Specialiser, value: core.Value, name: str, args: Args, words: Words
) -> core.Value:
    """``value.name(...)`` of a method that changes a list, dict, set or deque."""
    if run_time_sets.is_of_the_run(value):
        return set_methods.change(spec, value, name, args)
    if name == "__ior__":
        derived_dicts.check_operator(value, *args)
    if queries.is_reference(value):
        value = unions.structured(value)
        if not any(map(owning.makes_container, args)):
            owning.own_if_argument(spec, value)
        cls = queries.class_of_items(value)
        if name in _KEEPS_EMPTY and cls and storing.is_empty(spec, value):
            return NONE
        if cls is list:
            return _change_where_it_stands(spec, value, name, args, words)
        table: dict[Any, Any] = {dict: _BY_KEYS, deque: _OF_DEQUES}
        method = table.get(cls, {}).get(name)
        if method is not None:
            return core.handled(name, method, spec, value, args, words)
    cell = cells.check_may_change(spec, value)
    return container_methods.change(spec, cell, name, args, words)


def _change_where_it_stands(
    spec: Specialiser, value: core.Leaf, name: str, args: Args, words: Words
) -> core.Value:
    for item in _added(spec, value, name, args):
        _note_resized(spec, value, item)
    by_items = _BY_ITEMS.get(name)
    if by_items is not None and not words and not any(map(core.is_slice, args)):
        return core.handled(name, by_items, spec, value, args)
    spec.learn_changing(list)
    if name == "__setitem__" and _holds_objects(value):
        args = (args[0], _held_as_in(spec, value, args[1]))
    cell = cells.new_cell(spec, list, "items")
    spec.set_content(cell, by_value.items_of(spec, value))
    result = container_methods.change(spec, cell, name, args, words)
    content = spec.content_of(cell)
    if not lists.is_list(content):
        content = lists.as_dynamic(spec, content, list)
    _emit(spec, ops.store_items, value, NONE, content)
    return result


def _holds_objects(value: core.Leaf) -> bool:
    held = ir.kind_of_slot(queries.kind_of(value), ir.EACH)
    return isinstance(held, ir.Reference) and not all(
        issubclass(form.constructor, list | dict) for form in held.forms
    )


def _held_as_in(spec: Specialiser, value: core.Leaf, more: core.Value) -> core.Value:
    """The items that take the place of a slice, as the list holds such."""
    (form, *_) = queries.kind_of(value).forms
    made = ir.Apply(ops.make_object, (ir.Const(list), ir.Const(())))
    items = spec.assign(spec.fresh("items"), made, ir.Reference((form,)))
    _note_resized(spec, items, is_new=True)
    _extend(spec, items, (more,))
    return by_value.items_of(spec, items)


def _note_resized(
    spec: Specialiser,
    value: core.Leaf,
    added: core.Value | None = None,
    *,
    is_new: bool = False,
) -> None:
    """Let it be known that such lists or dicts get other items, of which one may be
    ``added``; to one that ``is_new`` no loop leads."""
    kind = queries.kind_of(value)
    if isinstance(value.operand, ir.Global):
        raise core.Unsupported(
            f"a {kind} of the module is changed, which others read, too",
            "pass it in as an argument",
        )
    if added is not None and ir.kind_of_slot(kind, ir.EACH) is None:
        _fill(spec, value, added)
    held = ir.kind_of_slot(kind, ir.EACH)
    if held is None:
        raise core.Unsupported(
            f"the items of a {kind} change, and those that were given are all empty",
            "give one that holds items",
        )
    slots = {name for form in kind.forms for name in storing.slots_of(form, ir.EACH)}
    for slot in slots:
        storing.note_stored(spec, slot, held, held)
    around = [] if is_new else running_over.kept_run_over(spec)
    if not is_new:
        spec.resizes.update(kind.forms)
    for watched in around:
        alike = watched.kind.constructor is kind.constructor
        both = kind.forms, watched.forms
        alike &= all(any(not f.is_made for f in forms) for forms in both)
        if alike and watched.forms.isdisjoint(kind.forms):
            operands = (value.operand, watched.value.operand)
            names = [re.split("[.~]", str(operand))[0] for operand in operands]
            words = map(ir.Const, (*names, "it is run over while it changes"))
            demand = ir.Apply(results.require_distinct, (*operands, *words))
            spec.emit(ir.Effect(spec.span, demand))
    if not slots <= spec.facts.resized:
        spec.learn(replace(spec.facts, resized=spec.facts.resized | slots))


def _fill(spec: Specialiser, value: core.Leaf, item: core.Value) -> None:
    """Let it be known what lists hold of which all that are given are empty; nothing
    where that can't be told."""
    if kept_objects.class_in(item) not in owning.OWNED:
        spec.keep_objects(item)  # an object that the program makes is kept there
    for form in queries.kind_of(value).forms:
        forming.grow_slot(spec, form, ir.EACH, item)


def _added(
    spec: Specialiser, value: core.Leaf, name: str, args: Args
) -> list[core.Value | None]:
    """What a method adds, as far as its kind is to be known: to lists that are all
    empty so far."""
    if name in _ADDS_ONE:
        return [args[-1]]
    if name not in _ADDS_SEVERAL:
        return [None]
    if ir.kind_of_slot(queries.kind_of(value), ir.EACH) is not None:
        return [None]
    with spec.new_block():
        listed = spec.contents(spec.call_function(list, args[-1:], {}))
    if isinstance(listed, core.Aggregate) and listed.constructor is list:
        return [*listed.items] or [None]
    kind = core.kind_of(listed)
    item = kind.item if isinstance(kind, ir.List) else None
    if isinstance(kind, ir.Reference):
        item = ir.kind_of_slot(kind, ir.EACH)
    return [None if item is None else core.Leaf(ir.Const(None), item)]


_ADDS_ONE = ("append", "insert")
_ADDS_SEVERAL = ("extend", "__iadd__", "__setitem__")
_KEEPS_EMPTY = ("clear", "reverse", "rotate", "sort")
"""What does nothing to a list, deque or dict that holds nothing."""


def _emit(spec: Specialiser, function: Any, *operands: core.Value) -> None:
    args = tuple(map(core.operand_of, operands))
    spec.emit(ir.Effect(spec.span, ir.Apply(function, args)))


# ------------------------------------------------------------------ one by one


def _add(
    spec: Specialiser, value: core.Leaf, place: core.Value, item: core.Value
) -> None:
    if ir.is_optional_array(core.kind_of(item)):

        def add_this(known: core.Value) -> None:
            _add(spec, value, place, known)

        return storing.by_presence(spec, item, add_this)
    kind = queries.kind_of(value)
    held = ir.kind_of_slot(kind, ir.EACH)
    assert held is not None
    held = _grown(spec, value, held, item)
    for form in kind.forms:
        if forming.is_own(spec, form) and form.constructor is dict:
            forming.grow_key(spec, form, place)
    item = storing.as_item(spec, kind, held, item)
    stored = storing.as_held(spec, item, held, "an item")
    for form in kind.forms:
        for name in storing.slots_of(form, ir.EACH):
            storing.note_stored(spec, name, held, stored.kind)
    function: Any = ops.insert_item
    if queries.is_dict(value):
        function = ops.add_key_again if spec.facts.removes_keys else ops.add_key
    _emit(spec, function, value, place, stored)


def _grown(
    spec: Specialiser, owner: core.Leaf, held: ir.Kind, item: core.Value
) -> ir.Kind:
    """The kind of what stands in a list or dict that gets an item."""
    for form in queries.kind_of(owner).forms:
        if forming.is_own(spec, form):
            grown = forming.grow_slot(spec, form, ir.EACH, item)
            held = values_as_references.joined(held, grown)
    return held


def _append(spec: Specialiser, value: core.Leaf, args: Args) -> core.Value:
    (item,) = args
    _add(spec, value, LAST, item)
    return NONE


def _insert(spec: Specialiser, value: core.Leaf, args: Args) -> core.Value:
    place, item = args
    if place != core.constant(0):
        length = reading.length_of(spec, value)
        bounds = (place, NONE, core.constant(1), length)
        place = spec.apply(indices.first_of_slice, bounds, hint="place")
    _add(spec, value, place, item)
    return NONE


def _extend(spec: Specialiser, value: core.Leaf, args: Args) -> core.Value:
    (more,) = args
    _for_each(spec, more, partial(_add, spec, value, LAST))
    return NONE


def _for_each(
    spec: Specialiser, more: core.Value, add: Callable[[core.Value], None]
) -> None:
    """Add each of some items; those of a list that is kept are taken first."""
    if queries.is_sequence(more):
        more = by_value.items_of(spec, more)
    iteration.drive(spec, spec.iterate(more), add, set(), hint="item")


def _pop(spec: Specialiser, value: core.Leaf, args: Args) -> core.Value:
    place = args[0] if args else LAST
    item = reading.item_of_reference(spec, value, place)
    _remove_at(spec, value, place)
    return item


def _delete(spec: Specialiser, value: core.Leaf, args: Args) -> core.Value:
    _pop(spec, value, args)
    return NONE


def _remove(spec: Specialiser, value: core.Leaf, args: Args) -> core.Value:
    place = reading.searched(spec, ops.stored_index, value, args[0])
    if place is None:
        raise core.Unsupported(
            f"{core.describe(args[0])} is removed from a {value.kind}",
            "remove a number or an object that is given",
        )
    _remove_at(spec, value, place)
    return NONE


def _remove_at(spec: Specialiser, value: core.Leaf, place: core.Value) -> None:
    """Remove the item at a place that is there. It is told from the front, for there it
    is put back."""
    kind = core.kind_of(place)
    known = rules.static_value(kind) if rules.is_static(kind) else None
    if place != LAST and (known is None or known < 0):
        length = reading.length_of(spec, value)
        place = spec.operate(operator.mod, (place, length))
    _emit(spec, ops.remove_item, value, place)


def _of_all(function: Any, place: core.Value = NONE) -> Callable[..., core.Value]:
    """A method that is done to all items at once."""

    def method(spec: Specialiser, value: core.Leaf, args: Args) -> core.Value:
        _emit(spec, function, value, *(args or (place,)))
        return NONE

    return method


# ------------------------------------------------------------------ of deques


def _of_deque(adds: str, left: bool = False) -> Callable[..., core.Value]:
    """The method of a deque that adds items at one end; one that has a greatest length
    drops its item at the other."""

    def add(spec: Specialiser, value: core.Leaf, item: core.Value) -> None:
        _note_resized(spec, value, item)
        if queries.may_have_limit(spec, value):
            limit = spec.attribute_of(value, "maxlen")
            length = reading.length_of(spec, value)
            full = spec.operate(operator.eq, (length, limit))
            end = LAST if left else core.constant(0)
            drop = partial(_remove_at, spec, value, end)
            spec.choose(full, drop, lambda: None)
        _add(spec, value, core.constant(0) if left else LAST, item)

    def method(
        spec: Specialiser, value: core.Leaf, args: Args, words: Words
    ) -> core.Value:
        (more,) = args
        if adds == "one":
            add(spec, value, more)
        else:
            _for_each(spec, more, partial(add, spec, value))
        return NONE

    return method


def _removing(
    change: Callable[..., core.Value], *place: core.Value
) -> Callable[..., core.Value]:
    def method(
        spec: Specialiser, value: core.Leaf, args: Args, words: Words
    ) -> core.Value:
        _note_resized(spec, value)
        return change(spec, value, (*args, *place))

    return method


_OF_DEQUES = {
    "append": _of_deque("one"),
    "appendleft": _of_deque("one", left=True),
    "extend": _of_deque("several"),
    "__iadd__": _of_deque("several"),
    "extendleft": _of_deque("several", left=True),
    "pop": _removing(_pop),
    "popleft": _removing(_pop, core.constant(0)),
    "remove": _removing(_remove),
    "__delitem__": _removing(_delete),
    "clear": _removing(_of_all(ops.clear_items)),
    "reverse": _removing(_of_all(ops.reverse_items)),
    "rotate": _removing(_of_all(ops.rotate_items, core.constant(1))),
}


# ------------------------------------------------------------------ under keys


@core.verb
def put_under_key(
    spec: Specialiser,
    owner: core.Leaf,
    key: core.Leaf,
    value: core.Value,
) -> None:
    """``owner[key] = value`` of a dict that is kept and may not have the key."""
    _note_resized(spec, owner, value)
    _put(spec, owner, key, value)


def _put(
    spec: Specialiser, owner: core.Leaf, key: core.Leaf, value: core.Value
) -> None:
    held = ir.kind_of_slot(queries.kind_of(owner), ir.EACH)
    assert held is not None
    held = _grown(spec, owner, held, value)
    value = storing.as_item(spec, queries.kind_of(owner), held, value)
    value = storing.as_held(spec, value, held, "an item")

    def store() -> None:
        names = storing.names_of_stored(spec, queries.kind_of(owner))
        storing.store(spec, owner, key, value, held, names)

    there = reading.has_key(spec, owner, key)
    spec.choose(there, store, lambda: _add(spec, owner, key, value))


@core.verb
def put_into_new(
    spec: Specialiser,
    owner: core.Leaf,
    key: core.Leaf,
    value: core.Value,
    may_have: bool,
) -> None:
    """The same of a dict that is being made, which nothing else leads to."""
    _note_resized(spec, owner, value, is_new=True)
    (_put if may_have else _add)(spec, owner, key, value)


@core.verb
def fill(spec: Specialiser, owner: core.Leaf, content: core.Value) -> None:
    """Put the items of a list whose length only the run knows into one that holds none
    yet."""

    def put(item: core.Value) -> None:
        _note_resized(spec, owner, item)
        _add(spec, owner, LAST, item)

    iteration.drive(spec, spec.iterate(content), put, set(), hint="item")


def _note_keys_removed(spec: Specialiser) -> None:
    if not spec.facts.removes_keys:
        spec.learn(replace(spec.facts, removes_keys=True))


def _taken_out(
    spec: Specialiser, value: core.Leaf, args: Args, words: Words
) -> core.Value:
    """``value.pop(key)``, with a default or without."""
    key, *default = args
    _note_resized(spec, value)
    _note_keys_removed(spec)

    def take() -> core.Value:
        item = reading.item_of_reference(spec, value, key)
        _emit(spec, ops.remove_key, value, storing.key_of(spec, key))
        return item

    if not default:
        return take()
    there = reading.has_key(spec, value, key)
    return spec.select(there, take, lambda: default[0], "value")


def _deleted(
    spec: Specialiser, value: core.Leaf, args: Args, words: Words
) -> core.Value:
    is_counter = derived_dicts.class_of(value) is Counter
    default = (core.constant(0),) if is_counter else ()
    _taken_out(spec, value, (*args, *default), {})
    return NONE


def _with_default(
    spec: Specialiser, value: core.Leaf, args: Args, words: Words
) -> core.Value:
    key, *default = args
    _note_resized(spec, value, *default)
    return item_or_made(spec, value, key, lambda: (default or [NONE])[0])


def item_or_made(
    spec: Specialiser, value: core.Leaf, key: core.Value, make: Callable[[], core.Value]
) -> core.Value:
    """``value[key]`` of a dict, to which what is made is added if it isn't there."""
    key = storing.key_of(spec, key)
    assert isinstance(key, core.Leaf)

    def add() -> None:
        made = make()
        _note_resized(spec, value, made)
        _add(spec, value, key, made)

    there = reading.has_key(spec, value, key)
    spec.choose(there, lambda: None, add)
    return reading.item_of_reference(spec, value, key)


def item_of_derived(spec: Specialiser, value: core.Leaf, key: core.Value) -> core.Value:
    """``value[key]`` of a dict that has what it doesn't hold made."""
    sort = derived_dicts.sort_of(value)
    assert sort is not None
    if sort[0] is Counter:
        return methods.counted(spec, value, key)
    if sort[0] is not defaultdict:
        return reading.item_of_reference(spec, value, key)
    factory, maker = spec.factories[sort], sort[1]
    is_there = isinstance(key, core.Leaf) and not spec.facts.removes_keys
    is_there = is_there and spec.keys_of.get(core.operand_of(key)) == value.operand
    if factory == NONE or is_there:
        return reading.item_of_reference(spec, value, key)

    def make() -> core.Value:
        return dict_methods.made_by(spec, factory, (maker,))

    return item_or_made(spec, value, key, make)


def _updated(
    spec: Specialiser, value: core.Leaf, args: Args, words: Words
) -> core.Value:
    for more in (*args, core.Aggregate(dict, tuple(words), tuple(words.values()))):
        pairs = more
        if merged_dicts.is_dict(spec.contents(more)):
            entries = spec.attribute_of(more, "items")
            pairs = spec.call_value(entries, (), {})

        def put(pair: core.Value) -> None:
            key, item = dict_methods.key_and_value(spec, pair)
            key = storing.key_of(spec, key)
            assert isinstance(key, core.Leaf)
            put_under_key(spec, value, key, item)

        iteration.drive(spec, spec.iterate(pairs), put, set(), hint="")
    return NONE


def _last_taken_out(
    spec: Specialiser, value: core.Leaf, args: Args, words: Words
) -> core.Value:
    kind = queries.kind_of(value)
    key = spec.assign(
        spec.fresh("key"),
        ir.Apply(ops.last_key, (value.operand,)),
        queries.kind_of_keys(kind),
    )
    return core.aggregate_of((key, _taken_out(spec, value, (key,), {})))


def _emptied(
    spec: Specialiser, value: core.Leaf, args: Args, words: Words
) -> core.Value:
    _note_resized(spec, value)
    _note_keys_removed(spec)
    _emit(spec, ops.clear_keys, value, NONE)
    return NONE


_BY_KEYS = {
    "clear": _emptied,
    "popitem": _last_taken_out,
    "pop": _taken_out,
    "__delitem__": _deleted,
    "setdefault": _with_default,
    "update": _updated,
    "__ior__": _updated,
}


_BY_ITEMS = {
    "append": _append,
    "insert": _insert,
    "extend": _extend,
    "__iadd__": _extend,
    "pop": _pop,
    "remove": _remove,
    "__delitem__": _delete,
    "clear": _of_all(ops.clear_items),
    "reverse": _of_all(ops.reverse_items),
}
