"""Reading items and attributes of run-time values.

A slot that holds a number or array gives a number or array, any other a reference::

    s = springs[k]           (s: a reference to a Spring)
    k = s.k                  (k: float)
"""

import operator
from collections import defaultdict
from collections.abc import Hashable
from functools import partial
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import running_over
from s2sad.frontend.specialise.objects import chosen_slots
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.run_time import (
    by_value,
    defaultdicts,
    making,
    queries,
    storing,
    unions,
)
from s2sad.frontend.specialise.run_time.queries import (
    is_dict,
    is_record,
    is_reference,
    is_sequence,
    is_told,
    kind_of,
    may_be_deque,
)
from s2sad.source.kinds import families


def read(
    spec: Specialiser, value: core.Leaf, key: Hashable | core.Value, kind: ir.Kind
) -> core.Value:
    """What stands in a slot: an attribute's name, or the operand of an index or key."""
    if isinstance(kind, ir.Known):
        assert isinstance(key, str | core.Leaf)
        stored = storing.read_stored(spec, value, key, kind)
        return core.constant(kind.value) if stored is None else stored
    if isinstance(kind, ir.OneOf):
        held = read(spec, value, key, ir.OPAQUE)
        assert isinstance(held, core.Leaf)
        options = tuple((tag, core.constant(tag)) for tag in kind.values)
        return core.Choice(held, options)
    assert isinstance(key, str | core.Leaf)
    if isinstance(key, str):
        kind = making.with_made(spec, value.kind, key, kind)
    stored = storing.read_stored(spec, value, key, kind)
    if stored is not None:
        return stored
    if isinstance(key, str):
        operation = ir.Apply(ops.read_attribute, (value.operand, ir.Const(key)))
        found = spec.assign(spec.fresh(key), operation, kind)
        return narrowing.note_slot(spec, value.operand, key, found)
    operation = ir.Apply(ops.read_item, (value.operand, key.operand))
    found = spec.assign(spec.fresh("item"), operation, kind)
    slot = key.operand.value if isinstance(key.operand, ir.Const) else key.operand
    if isinstance(slot, Hashable):
        return narrowing.note_slot(spec, value.operand, slot, found)
    return found


@core.verb
def read_slot(
    spec: Specialiser, value: core.Leaf, name: str, kind: ir.Kind
) -> core.Value:
    """What stands in a slot of an object that is kept."""
    return read(spec, value, name, kind)


@core.verb
def read_itself(spec: Specialiser, value: core.Value) -> core.Value:
    """A reference to what is surely a number, array or text as that."""
    if not is_reference(value) or not ir.are_values(value.kind):
        return value
    slot = ir.kind_of_slot(kind_of(value), ir.ITSELF)
    if slot is None or not is_told(slot):
        return value
    operation = ir.Apply(ops.read_itself, (value.operand, ir.Const(ir.ITSELF)))
    return spec.assign(spec.fresh("number"), operation, slot)


def item_of_reference(
    spec: Specialiser, value: core.Leaf, index: core.Value
) -> core.Value:
    """``value[index]``."""
    value = unions.structured(value)
    kind = kind_of(value)
    if any(form.is_value for form in kind.forms):

        def item_of(one: core.Leaf) -> core.Value:
            return spec.item_of(spec.read_itself(one), index)

        return unions.by_form(spec, value, item_of)
    if not all(issubclass(form.constructor, ir.CONTAINERS) for form in kind.forms):
        method = spec.attribute_of(value, "__getitem__")
        return spec.call_value(method, (index,), {})
    if core.is_slice(index):
        if not is_sequence(value) or may_be_deque(value):
            raise core.Unsupported(
                f"a slice of a value of kind {kind}", "take its items one by one"
            )
        return spec.item_of(by_value.items_of(spec, value), index)
    if is_dict(value):
        index = storing.key_of(spec, index)
    if not isinstance(index, core.Leaf):
        raise core.Unsupported(
            f"an item of a value of kind {kind} under {core.describe(index)}",
            "use a number or text as index or key",
        )
    if any(f.constructor is defaultdict for f in kind.forms):
        defaultdicts.require_item(spec, value, index)
    if is_sequence(value):  # an empty tuple among them raises when the program runs
        kind = kind.among(tuple(form for form in kind.forms if form.is_uniform))
        value = core.Leaf(value.operand, kind, value.path)
    if all(form.is_uniform for form in kind.forms):
        slot = _kind_of_items(spec, kind)
        return read(spec, value, index, slot)
    return _item_of_record(spec, value, index)


def _kind_of_items(spec: Specialiser, kind: ir.Reference) -> ir.Kind:
    slot = ir.kind_of_slot(kind, ir.EACH)
    if slot is None and all(form in queries.forms_made(spec) for form in kind.forms):
        spec.raise_now(LookupError, "an item is read of what holds none")
        raise core.NothingFollows  # until more is known of what the program makes
    if slot is None:
        raise core.Unsupported(
            f"an item is read of a {kind}, and those that were given are all empty",
            "give one that holds items",
        )
    return slot


def _item_of_record(
    spec: Specialiser, value: core.Leaf, index: core.Leaf
) -> core.Value:
    """An item of a tuple or dict of which each item has a kind of its own."""
    kind = kind_of(value)
    if not rules.is_static(index.kind):
        if isinstance(index.kind, ir.Scalar) and spec.may_ask(index):
            index = core.constant(spec.ask(index))
        else:

            def under(held: ir.Kind, names: list[Any]) -> core.Value:
                if len(names) > 1:
                    return read(spec, value, index, held)
                return _item_of_record(spec, value, core.constant(names[0]))

            found = chosen_slots.item(spec, value, index, under)
            if found is not None:
                return found
            raise core.Unsupported(
                f"an item of a {kind} whose items are of different kinds, under an "
                "index or key that isn't known before the program runs",
                "write the index or key out",
            )
    known = rules.static_value(index.kind)
    by_place = [_key_at(form, known) for form in kind.forms]
    if None in by_place and len(set(map(len, (f.keys for f in kind.forms)))) > 1:
        there = tuple(
            f for f, key in zip(kind.forms, by_place, strict=True) if key is not None
        )
        if there:  # others raise when the program runs
            sharper = core.Leaf(value.operand, kind.among(there), value.path)
            return _item_of_record(spec, sharper, index)
    if None in by_place:
        error = (KeyError if is_dict(value) else IndexError)(known)
        problem = core.Unsupported(
            f"there is no item {known!r} in a {kind}", "check the index or key"
        )
        if all(map(families.is_told, kind.forms)):
            # behind a test for a text that none of those at hand begins with
            spec.raise_now(type(error), *error.args)
            raise core.NothingFollows
        spec.raises(problem, error)
    slot: ir.Kind | None = None
    for form, key in zip(kind.forms, by_place, strict=True):
        own = form.slots[key[0]]  # type: ignore[index]
        slot = own if slot is None else ir.join(slot, own)
    assert slot is not None
    if is_told(slot) or len(kind.forms) == 1:
        return read(spec, value, index, slot)
    if not unions.are_told_apart(kind):
        raise core.Unsupported(
            f"the item {known!r} of a {kind}, which holds unlike things there",
            "let all hold the same there",
        )
    return unions.by_form(spec, value, lambda one: item_of_reference(spec, one, index))


def _key_at(form: ir.Form, index: Any) -> tuple[Hashable] | None:
    """The key of the slot at a position, or of a dict; None where there is none."""
    if issubclass(form.constructor, dict):
        return (index,) if index in form.keys else None
    places = range(-len(form.keys), len(form.keys))
    return (form.keys[index],) if index in places else None


def unpacked(spec: Specialiser, value: core.Leaf) -> tuple[core.Value, ...]:
    """The items of a tuple of which each has a kind of its own."""
    places = map(core.constant, range(len(kind_of(value).forms[0].keys)))
    return tuple(item_of_reference(spec, value, place) for place in places)


def length_of(spec: Specialiser, value: core.Leaf) -> core.Value:
    """``len(value)``."""
    kind = kind_of(unions.structured(value))
    counts = {len(form.keys) for form in kind.forms if not form.is_uniform}
    loose = any(form.is_uniform or form.optional for form in kind.forms)
    loose |= storing.is_resized(spec, kind)
    if len(counts) == 1 and not loose:
        return core.constant(counts.pop())
    if is_sequence(value) and storing.is_empty(spec, value):
        return core.constant(0)
    function = ops.stored_length if storing.is_resized(spec, kind) else len
    operation = ir.Apply(function, (value.operand,))
    return spec.assign(spec.fresh("count"), operation, ir.INT)


# ------------------------------------------------------------------ iteration


def may_resize(spec: Specialiser, value: core.Leaf) -> bool:
    """True for a dict of no known keys to which the program adds keys, or takes some
    away."""
    kind = kind_of(value)
    return storing.is_resized(spec, kind) and not queries.has_known_keys(kind)


def run_over(spec: Specialiser, value: core.Leaf) -> core.Iteration:
    """What a loop over a list, tuple or dict runs over."""
    value = unions.structured(value)
    kind = kind_of(value)
    if is_dict(value):
        return _over_keys(spec, value, _as_it_is)
    if is_record(value) and len({len(form.keys) for form in kind.forms}) == 1:
        return core.aggregate_of(unpacked(spec, value))
    if not is_sequence(value):
        alike = queries.item_of_tuples(kind)
        if alike is None:
            raise core.Unsupported(
                f"a loop over a value of kind {kind}", "test which one it is first"
            )
        count = length_of(spec, value)
        return core.Elements(count, lambda index: read(spec, value, index, alike))
    slot = ir.kind_of_slot(kind, ir.EACH)
    if slot is None and storing.is_empty(spec, value):
        return core.aggregate_of((), kind.constructor or list)
    assert slot is not None

    def element(held: Any, index: core.Leaf) -> core.Value:
        return read(spec, held, index, slot)

    if storing.is_resized(spec, kind):
        use = running_over.use_of(spec, value)
        if use in spec.facts.by_index:
            length: Any = partial(length_of, spec)
            return running_over.by_index(spec, value, length, element)
        running_over.watch_kept(spec, value, use)
    return core.Elements(length_of(spec, value), partial(element, value))


def _as_it_is(key: core.Value) -> core.Value:
    return key


def _over_keys(spec: Specialiser, value: core.Leaf, change: Any) -> core.Iteration:
    """The keys of a dict, in their order. Where the loop may add some to it, or take
    some away, the dict's length is looked at in each turn, as Python does."""
    kind = kind_of(value)
    form = kind.forms[0]
    if queries.has_known_keys(kind):
        names = tuple(map(core.constant, form.keys))
        if storing.names_of_stored(spec, kind) and change is not _as_it_is:
            # what stands under a key is read when it is reached
            return spec.mapped(core.aggregate_of(names), change)
        return core.aggregate_of(tuple(map(change, names)))
    if all(f.is_uniform for f in kind.forms):
        if storing.is_empty(spec, value):
            return core.aggregate_of(())
    key = queries.kind_of_keys(kind)
    function = ops.stored_keys if storing.is_resized(spec, kind) else list
    operation = ir.Apply(function, (value.operand,))
    # in a list numbers would have a derivative: such keys stay what they are
    kind_of_all = ir.OPAQUE if ir.is_real_number_kind(key) else ir.List(ir.OPAQUE)
    listed = spec.assign(spec.fresh("keys"), operation, kind_of_all)
    length = spec.assign(spec.fresh("count"), ir.Apply(len, (listed.operand,)), ir.INT)
    use = running_over.use_of(spec, value)
    may_change = use in spec.facts.by_index
    if storing.is_resized(spec, kind) and not may_change:
        running_over.watch_kept(spec, value, use)

    def refuse(change: str) -> None:
        spec.raise_now(RuntimeError, f"dictionary {change} during iteration")

    def check_last() -> None:
        """A key that came in place of another one is the last."""
        asked = ir.Apply(ops.last_key, (value.operand,))
        last = spec.assign(spec.fresh("key"), asked, key)
        known = ir.Apply(ops.contains, (last.operand, listed.operand))
        test = spec.assign(spec.fresh("condition"), known, ir.BOOL)
        spec.choose(test, lambda: None, partial(refuse, "keys changed"))

    def check_keys() -> None:
        read = ir.Apply(operator.getitem, (listed.operand, ir.Const(-1)))
        before = spec.assign(spec.fresh("key"), read, key)
        asked = ir.Apply(ops.last_key, (value.operand,))
        now = spec.assign(spec.fresh("key"), asked, key)
        apart = ir.Apply(operator.is_not, (now.operand, before.operand))
        test = spec.assign(spec.fresh("condition"), apart, ir.BOOL)
        spec.choose(test, check_last, lambda: None)

    def checked_length(held: core.Value) -> core.Value:
        now = length_of(spec, value)
        differs = spec.operate(operator.ne, (now, length))
        spec.choose(differs, partial(refuse, "changed size"), lambda: None)
        if spec.facts.removes_keys:
            filled = spec.operate(operator.gt, (now, core.constant(0)))
            spec.choose(filled, check_keys, lambda: None)
        return length

    def element(index: core.Leaf) -> core.Value:
        read: Any = ops.read_item
        if isinstance(listed.kind, ir.List):
            read = operator.getitem
        operation = ir.Apply(read, (listed.operand, index.operand))
        found = spec.assign(spec.fresh("key"), operation, key)
        spec.keys_of[found.operand] = value.operand
        return change(found)

    if may_change:
        return running_over.by_index(
            spec, value, checked_length, lambda held, index: element(index)
        )
    return core.Elements(length, element)


def searched(
    spec: Specialiser, function: Any, value: core.Leaf, item: core.Value
) -> core.Value | None:
    """Whether, where or how often a list holds what equals an item, which depends on
    when it is asked; None where it doesn't."""
    kind = kind_of(value)
    if not storing.leads_to_stored(spec, kind) or not isinstance(item, core.Leaf):
        return None
    operation = ir.Apply(function, (value.operand, item.operand))
    of_truth = function is ops.stored_contains
    hint, found = ("condition", ir.BOOL) if of_truth else ("place", ir.INT)
    return spec.assign(spec.fresh(hint), operation, found)


def has_key(spec: Specialiser, value: core.Leaf, key: core.Value) -> core.Value:
    """``key in value`` of a dict."""
    forms = kind_of(value).forms
    if storing.is_resized(spec, kind_of(value)):
        operands = (value.operand, core.operand_of(storing.key_of(spec, key)))
        asked = ir.Apply(ops.stored_contains, operands)
        return spec.assign(spec.fresh("condition"), asked, ir.BOOL)
    if rules.is_static(core.kind_of(key)) and not any(f.is_uniform for f in forms):
        known = rules.static_value(core.kind_of(key))
        if not any(known in form.keys for form in forms):
            return core.constant(False)
        if all(known in set(form.keys) - form.optional for form in forms):
            return core.constant(True)
    test = ir.Apply(ops.contains, (dicts.key_operand(spec, key), value.operand))
    return spec.define(test, ir.BOOL, "condition")


def is_view_of_items(value: core.Value) -> bool:
    """True for ``d.items()``."""
    if not core.is_view(value) or value.what != f"{core.VIEW}items":
        return False
    return len(value.sources) == 1 and is_dict(value.sources[0])


def entries_of(spec: Specialiser, value: core.Leaf, what: str) -> core.Iteration:
    """What ``value.items()``, ``.values()`` or ``.keys()`` runs over."""

    def change(key: core.Leaf) -> core.Value:
        if what == "keys":
            return key
        held = under_key(spec, value, key)
        return held if what == "values" else core.aggregate_of((key, held))

    return _over_keys(spec, value, change)


def under_key(spec: Specialiser, value: core.Leaf, key: core.Leaf) -> core.Value:
    """``value[key]`` of a dict that has the key."""
    if all(form.is_uniform for form in kind_of(value).forms):
        return read(spec, value, key, _kind_of_items(spec, kind_of(value)))
    return _item_of_record(spec, value, key)
