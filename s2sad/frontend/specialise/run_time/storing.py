"""Storing numbers, arrays and references into attributes of run-time values, and into
lists and dicts.

::

    for p in particles:                      particles = working_copy(particles)
        p.x += dt * p.v             ->       for p in particles:
                                                 p.x = p.x + dt * p.v

The store is an effect on the object, and what is read of such an attribute depends on
when it is read. So no read of it is shared, moved or repeated; which attributes these
are is a fact of the whole program, by their names alone: any two references may lead to
one object. Of lists and dicts these are the items of a class that one holds which is
stored into. The caller's own objects stay as they are, since the program works on a
copy of all that may lead to them.
"""

import operator
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from enum import Enum
from functools import reduce

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.containers import dicts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import forming
from s2sad.frontend.specialise.objects import chosen_slots, members
from s2sad.frontend.specialise.optionals import values_as_references
from s2sad.frontend.specialise.run_time import owning, queries, unions
from s2sad.ops.runtime.results import require_attribute, require_empty, require_item
from s2sad.ops.runtime.structures import require_like
from s2sad.rules.steps.stopped import stopped
from s2sad.source.annotations.annotation_nodes import holds_name

ADVICE = "keep the value in a local variable, or make a new object"


def store_attribute(
    spec: Specialiser, owner: core.Leaf, name: str, value: core.Value
) -> None:
    """``owner.name = value``."""
    owner = unions.structured(owner)
    forms = queries.kind_of(owner).forms
    function_records.check_attribute(forms, name)
    for form in forms:
        if forming.is_own(spec, form):
            if name not in form.slots:
                forming.grow_attribute(spec, form, name, value)
        elif name not in form.keys:
            forming.take_from_class(spec, form, name)
    held = ir.kind_of_slot(queries.kind_of(owner), name)
    mixed = any(forming.is_in_class_of_some(spec, form, name) for form in forms)
    if mixed or held is None or not all(name in form.slots for form in forms):
        raise core.Unsupported(
            f"the attribute {name!r} is stored, which not all of the objects that are "
            "given have",
            "give objects that have it",
        )
    for form in forms:
        _check_class(form.constructor, name)
    given = any(
        name in form.optional and not forming.is_own(spec, form) for form in forms
    )
    if given and not _was_read(spec, owner.operand, ir.Const(name)):
        check = ir.Apply(require_attribute, (owner.operand, ir.Const(name)))
        spec.emit(ir.Effect(spec.span, check))
    store(spec, owner, core.constant(name), value, held, (name,))


def store_item(
    spec: Specialiser, owner: core.Leaf, index: core.Value, value: core.Value
) -> None:
    """``owner[index] = value`` of a list or dict, of an index or key that it has."""
    owner = unions.structured(owner)
    kind = queries.kind_of(owner)
    if not all(form.constructor in _CHANGED for form in kind.forms):
        raise core.Unsupported(
            f"an item of a value of kind {kind} that is given is stored",
            "make a new list or dict of what is read from it",
        )
    index = key_of(spec, index)
    if not isinstance(index, core.Leaf):
        raise core.Unsupported(
            f"{core.describe(index)} of a value of kind {kind} is stored into",
            "store its items one by one",
        )
    if not all(form.is_uniform for form in kind.forms):
        if not rules.is_static(index.kind) and spec.may_ask(index):
            index = core.constant(spec.ask(index))
        elif not rules.is_static(index.kind) and queries.is_dict(owner):

            def under(name: str) -> None:
                store_item(spec, owner, core.constant(name), value)

            if chosen_slots.store(spec, owner, index, value, under):
                return
    held: ir.Kind | None = None
    slots: set[Hashable] = set()
    for form in kind.forms:
        key = ir.EACH if form.is_uniform else _slot_at(form, index)
        own = form.slots.get(key)
        if own is None and form.is_uniform and form.constructor is dict:
            return spec.put_under_key(owner, index, value)
        if own is None and form.constructor is dict and forming.is_own(spec, form):
            forming.open_keys(spec, form)
        if own is None:
            raise core.Unsupported(
                f"an item is stored that not all of the {kind} that are given have",
                "give such that have it: a derivative adds none",
            )
        held = own if held is None else ir.join(held, own)
        slots.update(slots_of(form, key))
    assert held is not None
    loose = any(form.is_uniform or form.optional for form in kind.forms)
    if queries.is_dict(owner) and loose:
        if not _was_read(spec, owner.operand, index.operand):
            if spec.keys_of.get(index.operand) != owner.operand:
                if not owning.makes_container(value):
                    owning.own_if_argument(spec, owner)  # the key may be a new one
                if queries.class_of_items(owner) is dict:
                    return spec.put_under_key(owner, index, value)
            check = ir.Apply(require_item, (owner.operand, index.operand))
            spec.emit(ir.Effect(spec.span, check))
    store(spec, owner, index, value, held, slots)


def key_of(spec: Specialiser, index: core.Value) -> core.Value:
    """An index or key as one operand, where it is a tuple."""
    function_records.check_key(spec, index)
    if not isinstance(index, core.Aggregate) or index.constructor is slice:
        return index
    operand = dicts.key_operand(spec, index)
    return spec.assign(spec.fresh("key"), operand, core.kind_of(index))


def operand_of_key(spec: Specialiser, key: core.Value) -> core.Leaf:
    """A key that only the run knows; an object is kept."""
    key = key_of(spec, key)
    if isinstance(key, core.Cell):
        spec.keep_objects(key)
    if not isinstance(key, core.Leaf):
        raise core.Unsupported(
            f"{core.describe(key)} is a key of a dict of which only the run knows the "
            "keys",
            "use a number or text that tells which one it is",
        )
    return key


def _slot_at(form: ir.Form, index: core.Leaf) -> Hashable:
    """The key of a slot of a dict or list whose items are unlike."""
    if not rules.is_static(index.kind):
        return None
    key = rules.static_value(index.kind)
    if form.constructor is list and isinstance(key, int) and key < 0:
        return key + len(form.keys)
    return key


def _was_read(spec: Specialiser, holder: ir.Operand, key: ir.Operand) -> bool:
    """True where an item or attribute was read just before: it is there."""
    for s in reversed(spec.block):
        if ir.is_line(s, ops.stored_item, ops.stored_attribute):
            if s.value.args == (holder, key):
                return True
        if isinstance(s, ir.COMPOUND) or {str(holder), str(key)} & ir.names_written(s):
            return False
    return False


def store(
    spec: Specialiser,
    owner: core.Leaf,
    key: core.Leaf,
    value: core.Value,
    held: ir.Kind,
    slots: Iterable[Hashable],
) -> None:
    """Store into a slot that holds a kind of numbers or arrays."""
    if ir.is_optional_array(core.kind_of(value)):

        def store_this(known: core.Value) -> None:
            store(spec, owner, key, known, held, slots)

        return by_presence(spec, value, store_this)
    of_items = holds_items(queries.kind_of(owner))
    for form in queries.kind_of(owner).forms:
        place = _slot_at(form, key) if of_items else key.operand.value  # type: ignore
        place = ir.EACH if form.is_uniform else place
        held_none = form.slots.get(place) == ir.NONE
        kind = core.kind_of(value)
        takes_number = held_none and (_is_number(kind) or isinstance(kind, ir.Array))
        if takes_number or forming.is_own(spec, form):
            grown = forming.grow_slot(spec, form, place, value)
            held = values_as_references.joined(held, grown)
    name = "an item" if of_items else f"the attribute {key.operand}"
    value = as_item(spec, queries.kind_of(owner), held, value)
    stored = as_held(spec, value, held, name)
    for slot in slots:
        note_stored(spec, slot, held, stored.kind)
    is_array = isinstance(stored.kind, ir.Array) and isinstance(held, ir.Array)
    if is_array and (of_items or not ir.may_lack(owner.kind, place)):
        before = _read(spec, owner, key, ir.join(held, stored.kind))
        demand = ir.Apply(require_like, (core.operand_of(before), stored.operand))
        spec.emit(ir.Effect(spec.span, demand))
    function = ops.store_item if of_items else ops.store_attribute
    operation = ir.Apply(function, (owner.operand, key.operand, stored.operand))
    spec.emit(ir.Effect(spec.span, operation))


def by_presence(
    spec: Specialiser, value: core.Value, run: Callable[[core.Value], None]
) -> None:
    """Do the same with an array, or None, on two paths: so is its adjoint."""
    array = core.single(value)
    test = spec.operate(operator.is_, (array, core.constant(None)))
    present = replace(array, kind=array.kind.present)  # type: ignore[attr-defined]
    spec.shared([array], times=2)
    spec.choose(test, lambda: run(core.constant(None)), lambda: run(present))


_CHANGED = (list, dict, deque)


_GATHERED = "<gathered>"


def slots_of(form: ir.Form, key: Hashable) -> tuple[Hashable, ...]:
    """What a slot is called where it is stored into: an attribute by its name, an item
    by the class of what holds it, those that were met there, and whether the program
    made it."""
    if form.gathers:
        return (_GATHERED,)
    for cls in _CHANGED:
        if issubclass(form.constructor, cls):
            return tuple((cls, met, form.is_made) for met in form.types.get(key, ()))
    return (key,) if isinstance(key, str) and key != ir.EACH else ()


def holds_items(kind: ir.Reference) -> bool:
    """True for what may be a list or dict."""
    return any(issubclass(form.constructor, _CHANGED) for form in kind.forms)


def names_of_stored(
    spec: Specialiser, kind: ir.Reference, key: str | core.Leaf | None = None
) -> list[Hashable]:
    """What the slots are called that one key, or any, stands for, as far as the program
    stores into them."""
    found = []
    for form in kind.forms if spec.facts.stored else ():
        keys: Iterable[Hashable] = form.slots
        if isinstance(key, str):
            keys = (key,)
        elif key is not None and (form.is_uniform or rules.is_static(key.kind)):
            keys = (ir.EACH if form.is_uniform else _slot_at(form, key),)
        names = (n for k in keys if k in form.slots for n in slots_of(form, k))
        found += [name for name in names if name in spec.facts.stored]
    return found


def _check_class(cls: type, name: str) -> None:
    """Refuse a class that does something else than to store."""
    member = members.member_of(cls, name)
    by_itself = member is None or member.sort == "data" or is_slot(member.value)
    by_itself |= member is not None and member.cached
    own = members.member_of(cls, "__setattr__")
    if own is not None and own.owner is not object:
        by_itself = False
    if not by_itself or issubclass(cls, tuple | list | dict):
        raise core.Unsupported(
            f"storing the attribute {name!r} of a {cls.__name__} that is given is "
            "the work of its class",
            ADVICE,
        )


def is_slot(value: object) -> bool:
    """True for what a class holds for a slot of its objects."""
    return type(value).__name__ == "member_descriptor"


def as_item(
    spec: Specialiser, owner: ir.Reference, held: ir.Kind, value: core.Value
) -> core.Value:
    """A whole number that is put among floats into a list or dict which the program
    makes, as one of them that stays whole: it may be an index. Written out among the
    items of a list it is a number like the others, and all else is what it is."""
    kind = core.kind_of(value)
    is_whole = isinstance(kind, ir.Scalar) and kind.type in ("int", "bool")
    if not is_whole or not ir.is_real_number_kind(held):
        return value
    assert isinstance(value, core.Leaf)
    if all(
        form.is_uniform
        and forming.is_own(spec, form)
        and (form.constructor is dict or not isinstance(value.operand, ir.Const))
        for form in owner.forms
    ):
        constant = ir.Apply(stopped, (value.operand,))
        return spec.assign(spec.fresh("whole"), constant, ir.Scalar("float"))
    return value


def as_held(
    spec: Specialiser, value: core.Value, held: ir.Kind, name: str
) -> core.Leaf:
    """What is stored where a number or array of some kind is held."""
    value = function_records.as_held(spec, held, value)
    kind = core.kind_of(value)
    if _holds_references(held):
        value = spec.kept_container(held, value)
        kind = core.kind_of(value)
        if kind == ir.NONE or isinstance(kind, ir.Reference):
            assert isinstance(value, core.Leaf)
            return value
        if isinstance(value, core.Cell) or core.is_object(value):
            spec.keep_objects(value)
        if isinstance(held, ir.Reference) and ir.is_value(kind):
            assert isinstance(value, core.Leaf)
            return values_as_references.as_reference(spec, value, held)
    may_lack = kind == ir.NONE or ir.is_optional_number(kind)
    if isinstance(value, core.Leaf) and may_lack and _is_number(held):
        return value  # None beside numbers
    if isinstance(value, core.Leaf) and _may_lack_arrays(kind, held):
        return value
    if isinstance(held, ir.Members):
        spec.hold_sets(value)
    of_data = held == ir.OPAQUE or (held == kind and held != ir.NONE)
    of_data |= isinstance(held, ir.Members) and isinstance(kind, ir.Members)
    if of_data and isinstance(value, core.Leaf) and _is_data(kind):
        return core.Leaf(value.operand, held)
    numbers = isinstance(kind, _NUMBERS) and (held == ir.NONE or _is_number(held))
    arrays = isinstance(held, ir.Array) and isinstance(kind, ir.Array)
    if not isinstance(value, core.Leaf) or not (numbers or arrays):
        raise core.Unsupported(
            f"{core.describe(value)} is stored in {name}, which holds {held}, of what "
            "is given",
            "store what it holds: a number, text, array or an object of such a class",
        )
    whole = isinstance(kind, ir.Scalar) and kind.type in ("int", "bool")
    if whole and ir.is_real_number_kind(held):
        if isinstance(value.operand, ir.Const):
            return core.single(core.constant(float(value.operand.value)))
        return core.single(spec.apply(float, (value,), hint="stored"))
    return value


_NUMBERS = (ir.Scalar, ir.NumPyScalar)


def _is_number(kind: ir.Kind) -> bool:
    """True for numbers, also where None may stand in their place."""
    return isinstance(kind, _NUMBERS) or ir.is_optional_number(kind)


def _may_lack_arrays(kind: ir.Kind, held: ir.Kind) -> bool:
    """True for an array where None stands, too, and for None beside arrays."""
    if kind == ir.NONE:
        return isinstance(held, ir.Array) or ir.is_optional_array(held)
    is_array = isinstance(kind, ir.Array) and not kind.promoted
    return is_array and (held == ir.NONE or ir.is_optional_array(held))


def _is_data(kind: ir.Kind) -> bool:
    """True for texts, and what else has no derivative and nobody looks into."""
    text = isinstance(kind, ir.Known) and isinstance(kind.value, str | bytes | Enum)
    return text or kind in (ir.OPAQUE, ir.NONE) or isinstance(kind, ir.Members)


def _holds_references(held: ir.Kind) -> bool:
    """True for a slot of references, and one in which None stood alone."""
    return isinstance(held, ir.Reference) or held == ir.NONE


def note_stored(
    spec: Specialiser, slot: Hashable, held: ir.Kind, stored: ir.Kind
) -> None:
    """Let it be known that the program stores into attributes of this name, or such
    items, and what these hold then."""
    known = spec.facts.stored.get(slot)
    kind = _without_value(stored)
    kind = kind if known is None else values_as_references.joined(known, kind)
    joined = values_as_references.joined(held, kind)
    function = isinstance(held, ir.Known) and callable(held.value)
    if joined == held and held != ir.NONE and (function or _is_data(held)):
        alike = True
    elif _holds_references(joined):
        new = _forms(stored) - _forms(held)
        if new and held != ir.NONE:
            owning.let_be_of_form(spec, new, _forms(held))
        alike = held == ir.NONE or all(form.is_value for form in new)
    elif ir.is_optional_array(joined):
        arrays = [getattr(k, "present", None) or k for k in (held, stored)]
        arrays = [k for k in arrays if isinstance(k, ir.Array)]
        alike = len({(ir.dtype_of(k), ir.rank_of(k)) for k in arrays}) == 1
    elif ir.is_optional_number(joined):
        numbers = [k for k in (held, stored) if k != ir.NONE]
        alike = len({ir.is_real_number_kind(k) for k in numbers}) == 1
        alike = alike and len({ir.is_complex(k) for k in numbers}) == 1
    elif isinstance(joined, ir.Array):
        # what isn't known is checked when the program runs
        dtypes = {ir.dtype_of(held), ir.dtype_of(stored)} - {None}
        ranks = {ir.rank_of(held), ir.rank_of(stored)} - {None}
        alike = len(dtypes) < 2 and len(ranks) < 2
    else:
        varies = ir.is_real_number_kind(held)
        alike = isinstance(joined, _NUMBERS)
        alike = alike and ir.is_real_number_kind(joined) == varies
        alike = alike and ir.is_complex(joined) == ir.is_complex(held)
    if not alike or ir.is_promoted(joined):
        raise core.Unsupported(
            f"{stored} is stored where {held} stands",
            "store what is of one kind, and give such",
        )
    if kind != known:
        spec.learn(replace(spec.facts, stored={**spec.facts.stored, slot: kind}))


def _forms(kind: ir.Kind) -> set[ir.Form]:
    return set(kind.forms) if isinstance(kind, ir.Reference) else set()


def _without_value(kind: ir.Kind) -> ir.Kind:
    return replace(kind, value=None) if isinstance(kind, ir.Scalar) else kind


def read_stored(
    spec: Specialiser, value: core.Leaf, key: str | core.Leaf, held: ir.Kind
) -> core.Value | None:
    """What stands in a slot; None where the program doesn't store into such."""
    names = names_of_stored(spec, queries.kind_of(value), key)
    if not names:
        return None
    forms = queries.kind_of(value).forms  # that of a dict made here holds all of it
    own = queries.is_dict(value) and all(forming.is_own(spec, f) for f in forms)
    stored = [spec.facts.stored[name] for name in names if not own]
    if not _holds_references(held) and any(map(_holds_references, stored)):
        if isinstance(key, str):
            return None  # an attribute of this name, of another class
        stored = [kind for kind in stored if not _holds_references(kind)]
    kind = reduce(values_as_references.joined, stored, held)
    if isinstance(held, ir.Reference) and isinstance(kind, ir.Reference):
        sorts = {form.sort for form in held.forms}  # others stand elsewhere
        kind = kind.among(tuple(f for f in kind.forms if f.sort in sorts or f.is_value))
    if isinstance(held, ir.Scalar) and held.type == "int" and kind != held:
        raise core.Unsupported(
            f"{held} is read of what may be stored into, which may be {kind} then",
            "give floats wherever a float may be stored",
        )
    return _read(spec, value, core.constant(key) if isinstance(key, str) else key, kind)


def _read(
    spec: Specialiser, value: core.Leaf, key: core.Leaf, kind: ir.Kind
) -> core.Value:
    of_items = holds_items(queries.kind_of(value))
    function = ops.stored_item if of_items else ops.stored_attribute
    operation = ir.Apply(function, (value.operand, key.operand))
    name = key.operand.value if isinstance(key.operand, ir.Const) else None
    hint = str(name) if not of_items else "item"
    return spec.assign(spec.fresh(hint), operation, kind)


def is_resized(spec: Specialiser, kind: ir.Reference) -> bool:
    """True for what may be a list of which the program changes how many items it
    has."""
    return not spec.facts.resized.isdisjoint(names_of_stored(spec, kind))


def is_empty(spec: Specialiser, value: core.Leaf) -> bool:
    """True for a list or dict of which all that were given are empty. That it still is
    one is checked where it may have got items under another name."""
    kind = queries.kind_of(value)
    if ir.kind_of_slot(kind, ir.EACH) is not None:
        return False
    classes = {form.constructor for form in kind.forms}
    if any(isinstance(n, tuple) and n[0] in classes for n in spec.facts.resized):
        check = ir.Apply(require_empty, (value.operand,))
        spec.emit(ir.Effect(spec.span, check))
    return True


def leads_to_stored(spec: Specialiser, kind: ir.Kind | None) -> bool:
    """True for a reference that may lead to something into which the program stores."""
    if isinstance(kind, ir.List):
        return leads_to_stored(spec, kind.item)
    return isinstance(kind, ir.Reference) and any(
        names_of_stored(spec, ir.Reference((form,)))
        or holds_written(spec, ir.Reference((form,)))
        for form in (ir.reached_forms(kind) if spec.facts.stored else ())
    )


def leads_to_changed_sets(spec: Specialiser, kind: ir.Kind | None) -> bool:
    """True for a set, and for what may lead to one, where the program changes sets."""
    if not spec.facts.sets_change:
        return False
    if isinstance(kind, ir.List):
        return leads_to_changed_sets(spec, kind.item)
    if isinstance(kind, ir.Members):
        return kind.constructor is set
    return isinstance(kind, ir.Reference) and any(
        isinstance(slot, ir.Members)
        for form in ir.reached_forms(kind)
        for slot in form.slots.values()
    )


def holds_written(spec: Specialiser, kind: ir.Reference) -> bool:
    """True where arrays stand in the slots of a value, and the program writes into
    such."""
    slots = (slot for form in kind.forms for slot in form.slots.values())
    written = ops.WRITTEN_ARRAYS in spec.facts.stored
    return written and any(isinstance(slot, ir.Array) for slot in slots)


def keeps_array(
    owner: core.Value, name: str | None, old: core.Value, new: core.Value
) -> bool:
    """True where an array that stands in a slot of something kept was changed in place
    (``p.w += v``), so that the slot goes on holding it."""
    if not isinstance(old, core.Leaf) or not isinstance(new, core.Leaf):
        return False
    if not queries.is_reference(owner) or new.operand != old.operand:
        return False
    if not isinstance(new.kind, ir.Array) or new.kind.promoted:
        return False
    assert isinstance(owner, core.Leaf)
    for form in queries.kind_of(unions.structured(owner)).forms:
        if name is not None:
            _check_class(form.constructor, name)
        elif not issubclass(form.constructor, _CHANGED):
            return False
    return True


def compares_stored(spec: Specialiser, kind: ir.Kind) -> bool:
    """True where ``==`` reads what may be stored into, or runs the user's code."""
    return any(
        holds_name(form.constructor, "__eq__")
        for form in ir.reached_forms(kind)
        if form.constructor not in (list, tuple, dict)
    ) or any(
        names_of_stored(spec, ir.Reference((form,)))
        for form in ir.reached_forms(kind)
        if form.constructor in (list, tuple, dict)
    )
