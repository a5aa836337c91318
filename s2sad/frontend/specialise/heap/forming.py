"""The forms of objects and lists that the program makes, of which it is given none.

What they hold is joined over the whole program, place by place::

    Node(x, None), Node(2, head)      ->      Node(value: float, link: Node or None)

A form grows while facts are found: the program is specialised again until it doesn't
any more.
"""

from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import replace
from types import NoneType
from typing import Any, TypeGuard

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.control import sorts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import kept_objects, places
from s2sad.frontend.specialise.objects import members
from s2sad.frontend.specialise.optionals import values_as_references
from s2sad.frontend.specialise.run_time import queries
from s2sad.source.kinds import families

_CLASSES = {"float": float, "int": int, "bool": bool, "complex": complex}


def grow(spec: Specialiser, form: ir.Form, values: Mapping[str, core.Value]) -> None:
    """Let it be known that an object has these attributes."""
    missing = set(form.keys) - values.keys()
    new = [name for name in values if name not in form.keys]
    if form.slots:
        missing |= set(new)  # the others have none
    if new or not missing <= form.optional:
        form.keys = (*form.keys, *new)
        form.optional |= missing
        _note_growth(spec, form)
    for name, value in values.items():
        grow_slot(spec, form, name, value)


def grow_attribute(
    spec: Specialiser, form: ir.Form, name: str, value: core.Value
) -> None:
    """Let it be known that an object gets another attribute when it is there."""
    if name not in form.keys:
        form.keys = (*form.keys, name)
        member = members.member_of(form.constructor, name)
        if member is not None and type(member.value) in _PLAIN:
            form.from_class.add(name)
            grow_slot(spec, form, name, core.constant(member.value))
        else:
            form.optional.add(name)
        _note_growth(spec, form)
    grow_slot(spec, form, name, value)


def is_in_class_of_some(spec: Specialiser, form: ir.Form, name: str) -> bool:
    """True for an attribute that some of the objects which are given have themselves,
    and others in their class: there is no one place to store into."""
    if name not in form.optional or is_own(spec, form):
        return False
    member = members.member_of(form.constructor, name)
    return member is not None and type(member.value) in _PLAIN


def take_from_class(spec: Specialiser, form: ir.Form, name: str) -> None:
    """Let it be known that the program stores into an attribute that the objects which
    it is given have in their class alone; does nothing where the class has no such
    data."""
    member = members.member_of(form.constructor, name)
    if member is None or type(member.value) not in _PLAIN:
        return
    form.keys = (*form.keys, name)
    form.from_class.add(name)
    grow_slot(spec, form, name, core.constant(member.value))
    if isinstance(member.value, str):  # as it is where objects have it themselves
        form.slots[name], form.types[name] = ir.OPAQUE, frozenset({str})


_PLAIN = (bool, int, float, str, type(None))


def with_class_data(
    form: ir.Form, values: Mapping[str, core.Value]
) -> Mapping[str, core.Value]:
    """The attributes of an object that is made, with those that its class holds."""
    of_class = {
        str(name): core.constant(member.value)
        for name in ir.in_order(map(str, form.from_class))
        if (member := members.member_of(form.constructor, name)) is not None
    }
    return {**of_class, **values}


def grow_items(spec: Specialiser, form: ir.Form, content: core.Value) -> None:
    """Let it be known that a list, tuple or dict holds this."""
    if isinstance(content, core.Leaf) and isinstance(content.kind, ir.List):
        if content.kind.item is not None:
            each = core.Leaf(content.operand, content.kind.item)
            grow_slot(spec, form, ir.EACH, each)
    elif isinstance(content, core.Aggregate) and content.constructor is not core.Rows:
        if not form.slots and form.is_uniform and not form.is_open:
            form.keys = _keys_of(content)
        if not form.is_uniform and form.keys != content.keys:
            raise _unlike(form, None, core.describe(content))
        form.has_known_keys |= form.is_open and bool(content.keys)
        for key, item in zip(content.keys, content.items, strict=True):
            grow_slot(spec, form, ir.EACH if form.is_uniform else key, item)
            if form.constructor is dict and form.is_uniform:
                grow_key(spec, form, core.single(core.constant(key)))


def open_keys(spec: Specialiser, form: ir.Form) -> None:
    """Let it be known that a dict which the program makes gets keys that only the run
    knows: what stands under all of them is joined. Does nothing for unlike things."""
    kinds, classes = list(form.slots.values()), form.types.values()
    references = [isinstance(kind, ir.Reference) for kind in kinds]
    if form.is_record:  # and is none: it gets others than those that it is made with
        form.is_record, kinds = False, []
    elif any(references) and not all(references):
        return
    held = None
    for kind in kinds:
        held = _joined(form, held, kind)
    keys = form.keys if kinds else ()
    _forget_items(form, is_open=True)
    if held is not None:
        form.slots[ir.EACH], form.types[ir.EACH] = held, frozenset().union(*classes)
    for key in keys:
        grow_key(spec, form, core.single(core.constant(key)))
    _note_growth(spec, form)
    raise core.Learned


def open_records(spec: Specialiser, kind: ir.Reference) -> None:
    """The same of dicts that were taken for records."""
    for form in kind.forms:
        if form.is_record:
            open_keys(spec, form)


def _close_keys(spec: Specialiser, form: ir.Form) -> None:
    """Let it be known that a dict which was taken for one that gets new keys holds
    unlike things under those with which it is made: a key of the run is one of them.
    What was found out of items that are stored is found out anew. Does nothing for
    other dicts."""
    if form.is_open and form.has_known_keys and form.is_record is None:
        form.is_record = True
        _forget_items(form, is_open=False)
        spec.learn(replace(spec.facts, stored={}, grown=spec.facts.grown + 1))
        raise core.Learned


def _forget_items(form: ir.Form, is_open: bool) -> None:
    form.is_open, form.keys, form.key = is_open, (ir.EACH,), None
    form.slots, form.types = {}, {}
    form.optional.clear()


def grow_key(spec: Specialiser, form: ir.Form, key: core.Value) -> None:
    """Let it be known that a dict has such a key."""
    if _is_tuple(core.kind_of(key)):
        key = _parts_of_key(core.kind_of(key))
    if isinstance(key, core.Aggregate):
        parts = core.map_leaves(key, lambda leaf: replace(leaf, kind=_of_key(leaf)))
        kind, _ = _kind_of_container(spec, form, form.key, parts)
    else:
        kind = _of_key(key)
    joined = kind if form.key is None else ir.join(form.key, kind)
    if joined != form.key:
        form.key = joined
        _note_growth(spec, form)


def _of_key(key: core.Value) -> ir.Kind:
    """The kind of a key: a number, a reference, or what nobody looks into."""
    kind = core.kind_of(key)
    if isinstance(kind, ir.Reference):
        return kind
    is_number = isinstance(kind, ir.Scalar | ir.NumPyScalar)
    return ir.without_value(kind) if is_number else ir.OPAQUE


def _parts_of_key(kind: ir.Kind) -> core.Value:
    """A tuple that is a key, as one of values of which the kinds are known."""
    if not _is_tuple(kind):
        return core.Leaf(ir.Const(None), kind)
    return core.aggregate_of(tuple(map(_parts_of_key, kind.items)))


def _is_tuple(kind: ir.Kind) -> TypeGuard[ir.Structure]:
    return isinstance(kind, ir.Structure) and kind.constructor is tuple


def is_own(spec: Specialiser, form: ir.Form) -> bool:
    """True for the form of what the program makes, of which it is given none."""
    return form in queries.forms_made(spec)


def gets_attributes(spec: Specialiser, kind: ir.Reference, name: str) -> bool:
    """True where all objects that it may be have an attribute or may get it."""
    return all(name in f.slots or is_own(spec, f) for f in kind.forms)


def texts_of_others(spec: Specialiser, form: ir.Form) -> tuple[str, ...]:
    """The texts by which other tuples are told from those of a form."""
    known = (*queries.forms_made(spec), *queries.forms_given(spec))
    others = [other for other in known if sorts.begins_otherwise(form, other)]
    return tuple(sorted({str(ir.text_in_front(other)) for other in others}))


def grow_slot(
    spec: Specialiser, form: ir.Form, key: Hashable, value: core.Value
) -> ir.Kind:
    """Let it be known what stands under a key; gives what does then."""
    held = form.slots.get(key)
    if function_records.is_another(held, value):
        with spec.new_block():
            held = form.slots[key] = function_records.kind_of_record(spec, held)
        form.types[key] = frozenset(f.constructor for f in held.forms)
    kind, classes = _kind_in_slot(spec, form, held, value)
    if _are_unlike(held, kind):
        _close_keys(spec, form)
    joined = _joined(form, held, kind)
    classes |= form.types.get(key, frozenset())
    if joined != held or classes != form.types.get(key):
        form.slots[key], form.types[key] = joined, classes
        _note_growth(spec, form)
    return joined


def _are_unlike(held: ir.Kind | None, kind: ir.Kind) -> bool:
    """True for a number, say, beside a list."""
    kinds = [k for k in (held, kind) if k is not None and k != ir.NONE]
    with_items = [isinstance(k, ir.Reference) and not ir.are_values(k) for k in kinds]
    return any(with_items) and not all(with_items)


def _joined(form: ir.Form, held: ir.Kind | None, kind: ir.Kind) -> ir.Kind:
    """The kind of a slot that holds one more value."""
    joined = kind if held is None else values_as_references.joined(held, kind)
    if joined == ir.UNKNOWN or ir.is_promoted(joined):
        raise _unlike(form, held, str(kind))
    return joined


def _unlike(form: ir.Form, held: ir.Kind | None, what: str) -> core.Unsupported:
    name = form.constructor.__name__
    another = "" if held is None else f", and another one holds {held} there"
    which, place = f"a {name} that only the run can tell from others", " in one place"
    if form.is_open:
        which, place = "a dict whose keys only the run knows", ""
        another = "" if held is None else f" beside {held}"
    return core.Unsupported(
        f"{which} holds {what}{another}",
        f"let each {name} hold values of one sort{place}",
    )


def _note_growth(spec: Specialiser, grown: ir.Form) -> None:
    """Nothing is known of a form that doesn't stand anywhere yet: it may be refused
    where it would."""
    given, own = queries.forms_given(spec), queries.forms_made(spec)
    known = [*given, *own]
    if all(form is not grown for form in known):
        return
    families.close_made(own)
    for form in known:
        form.active = form.gradient = None  # whether it leads to numbers, say
    spec.learn(replace(spec.facts, grown=spec.facts.grown + 1))


def _kind_in_slot(
    spec: Specialiser, owner: ir.Form, held: ir.Kind | None, value: core.Value
) -> tuple[ir.Kind, frozenset[Any]]:
    """The kind of a value where a slot holds it, and its class."""
    makers: frozenset[Hashable] = frozenset()
    cls = None
    if places.is_plain_container(value):
        cls, makers = value.constructor, value.frame.makers
        value = spec.content_of(value)
    if core.is_function(value) or function_records.may_be_record(value):
        with spec.new_block():
            value = function_records.as_held(spec, held, value)
    kind = core.kind_of(value)
    spec.hold_sets(value)
    if isinstance(value, core.Choice):
        kept_objects.keep_one_of(spec, (value,))
    if not isinstance(value, core.Leaf) or isinstance(kind, ir.List):
        if kept_objects.class_in(value) not in (list, dict):
            spec.keep_objects(value)  # an object is kept, too
        return _kind_of_container(spec, owner, held, value, makers, cls)
    if isinstance(kind, ir.Reference):
        return kind, frozenset(form.constructor for form in kind.forms)
    if isinstance(kind, ir.Scalar):
        kind = ir.without_value(kind)
    return kind, frozenset(_classes_of(kind))


def _classes_of(kind: ir.Kind) -> set[Any]:
    """The classes of what is no reference."""
    if isinstance(kind, ir.Scalar):
        return {_CLASSES[kind.type]}
    if isinstance(kind, ir.NumPyScalar):
        return {np.dtype(kind.dtype).type}
    if isinstance(kind, ir.Array):
        return {np.ndarray}
    if isinstance(kind, ir.Unknown) and kind.present is not None:
        return {NoneType, *_classes_of(kind.present)}
    return {type(kind.value) if isinstance(kind, ir.Known) else object}


def _is_number(value: core.Value) -> bool:
    return isinstance(core.kind_of(value), ir.Scalar | ir.NumPyScalar)


def _kind_of_container(
    spec: Specialiser,
    owner: ir.Form,
    held: ir.Kind | None,
    value: core.Value,
    makers: frozenset[Hashable] = frozenset(),
    cls: Any = None,
) -> tuple[ir.Kind, frozenset[Any]]:
    """The kind of a list, tuple or dict: all that stand in one slot have one form, and
    so have those that the same expression makes where one leads to the other. A dict
    that stands beside numbers in another one is such a dict itself."""
    beside_numbers = False
    if not (held in (None, ir.NONE) or isinstance(held, ir.Reference)):
        if not ir.is_value(held):
            _close_keys(spec, owner)
            raise _unlike(owner, held, core.describe(value))
        held, beside_numbers = None, True
    if cls is not deque:
        cls = getattr(value, "constructor", list)
    if isinstance(value, core.Aggregate) and core.is_rows(value) and cls is not deque:
        cls = list
    forms = held.forms if isinstance(held, ir.Reference) else ()
    sort = sorts.sort_of_made(value)
    given = queries.forms_given(spec) if sort is not None else ()
    form = next(
        (
            f
            for f in forms
            if f.constructor is f.called is cls
            and sorts.sort_of_form(f) in (None, sort)
            if f not in given  # which holds what it is given with
        ),
        None,
    )
    if form is None and beside_numbers and cls is owner.constructor is dict:
        open_ones = owner.is_uniform and _keys_of(value) == (ir.EACH,)
        form = owner if open_ones and is_own(spec, owner) else None
    if form is None:
        around = (
            f for f in queries.forms_made(spec) if not makers.isdisjoint(f.makers)
        )
        form = next((f for f in around if _leads_to(f, owner)), None)
    if form is None:
        form = sorts.form_of_sort(sort) if sort else ir.Form(cls, _keys_of(value))
        form.makers, form.is_made = makers, True
        form = sorts.of_one_sort(form, queries.forms_made(spec))
        _joined(owner, held, ir.Reference((form,)))  # else nothing was found out
    grow_items(spec, form, value)
    return ir.Reference((form,)), frozenset({cls})


def _leads_to(form: ir.Form, other: ir.Form) -> bool:
    return any(f is other for f in ir.reached_forms(ir.Reference((form,))))


def _keys_of(value: core.Value) -> tuple[Hashable, ...]:
    """The keys of a container of which each item has a kind of its own."""
    if not isinstance(value, core.Aggregate) or value.constructor in (list, core.Rows):
        return (ir.EACH,)
    if value.constructor is dict and value.items and _is_table(value):
        return (ir.EACH,)
    if value.constructor is dict and all(map(_is_number, value.items)):
        kinds = {ir.without_value(core.kind_of(item)) for item in value.items}
        if len(set(map(_is_whole, kinds))) < 2:
            return (ir.EACH,)  # others may get more keys
    return value.keys


def _is_table(value: core.Aggregate) -> bool:
    """True for a dict with numbers as keys, under which nothing stands so far."""
    numbers = all(type(key) is int for key in value.keys)
    return numbers and all(core.kind_of(item) == ir.NONE for item in value.items)


def _is_whole(kind: ir.Kind) -> bool:
    """True for a number that stays whole, such as an index, beside floats."""
    return not ir.is_real_number_kind(kind)
