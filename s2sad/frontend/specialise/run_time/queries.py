"""Questions about references: what is kept as it is, and of which sort it is."""

from collections import deque
from dataclasses import replace
from functools import reduce
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.source.annotations.annotation_nodes import stand_in_of
from s2sad.source.static.values import StaticClass

SEQUENCES = (list, tuple, deque)


def is_reference(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for a value that is kept as it is when the program runs."""
    return isinstance(value, core.Leaf) and isinstance(value.kind, ir.Reference)


def kind_of(value: core.Leaf) -> ir.Reference:
    """The kind of a reference."""
    assert isinstance(value.kind, ir.Reference)
    return value.kind


def is_told(kind: ir.Kind) -> bool:
    """True for a kind that says what can be done with a value."""
    return kind != ir.UNKNOWN


def is_record(value: core.Leaf) -> bool:
    """True for a tuple of which each item has a kind of its own."""
    forms = kind_of(value).forms
    return all(issubclass(f.constructor, tuple) and not f.is_uniform for f in forms)


def is_sequence(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for a list, tuple or deque whose items are alike."""
    return is_reference(value) and are_sequences(kind_of(value))


def are_sequences(kind: ir.Reference) -> bool:
    """The same of a kind. ``()`` is one beside others: ``d.get(key, ())``."""
    uniform = [form.is_uniform for form in kind.forms if not form.is_empty_tuple]
    classes = (form.constructor in SEQUENCES for form in kind.forms)
    return bool(uniform) and all(uniform) and all(classes)


def item_of_tuples(kind: ir.Reference) -> ir.Kind | None:
    """The kind of the items of tuples of several lengths that are all alike; None where
    they aren't, and for other values."""
    if any(f.constructor is not tuple or f.optional for f in kind.forms):
        return None
    slots = [slot for form in kind.forms for slot in form.slots.values()]
    if not slots or not all(isinstance(s, ir.Reference | ir.Scalar) for s in slots):
        return None
    joined = reduce(ir.join, slots)
    plain = isinstance(joined, ir.Reference | ir.Scalar) and not ir.is_promoted(joined)
    return joined if plain else None


def may_be_deque(value: core.Value) -> bool:
    """True for what may be a deque."""
    return is_reference(value) and any(
        form.constructor is deque for form in kind_of(value).forms
    )


def may_have_limit(spec: Specialiser, deque: core.Leaf) -> bool:
    """True for a deque that may have a greatest length."""
    own = forms_made(spec)
    return any(f.has_limits or f not in own for f in kind_of(deque).forms)


def class_of_items(value: core.Value) -> type | None:
    """``list``, ``dict`` or ``deque`` for one that is kept and whose items are alike;
    None for other values."""
    forms = kind_of(value).forms if is_reference(value) else ()
    classes = {form.constructor for form in forms if form.is_uniform}
    uniform = all(form.is_uniform for form in forms)
    (cls,) = classes if len(classes) == 1 and uniform else (None,)
    return cls if cls in (list, dict, deque) else None


def is_dict(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for a dict."""
    return is_reference(value) and all(
        issubclass(form.constructor, dict) for form in kind_of(value).forms
    )


def kind_of_keys(kind: ir.Reference) -> ir.Kind:
    """The kind of the keys of dicts."""
    known = [form.key for form in kind.forms if form.key is not None]
    return reduce(ir.join, known) if known else ir.OPAQUE


def has_known_keys(kind: ir.Reference) -> bool:
    """True for dicts of which all have the same keys, in the same order."""
    first = kind.forms[0]
    return not first.is_uniform and all(
        form.keys == first.keys and not form.optional for form in kind.forms
    )


def has_one_sort(kind: ir.Reference) -> bool:
    """True for dicts whose values are alike, and for those that all have the same
    keys."""
    return has_known_keys(kind) or all(form.is_uniform for form in kind.forms)


def form_given(spec: Specialiser, cls: Any) -> ir.Form | None:
    """The form of the objects of a class that are kept as they are; None where there
    are none, or several forms."""
    cls = class_of_kept(cls)
    forms = {
        id(form): form
        for kind in spec.kinds_given
        for form in ir.forms_in(kind)
        if form.constructor is cls
    }
    if not forms:
        return spec.facts.formed.get(cls)
    return next(iter(forms.values())) if len(forms) == 1 else None


def class_of_kept(cls: Any) -> Any:
    """The class that forms have for a class; for one that was only read another stands
    in."""
    return stand_in_of(cls) if isinstance(cls, StaticClass) else cls


def may_be_kept(spec: Specialiser, cls: Any) -> bool:
    """True for a class whose objects the program makes and takes apart, and could keep
    among those that it is given."""
    is_made = class_of_kept(cls) in spec.facts.made
    return not is_made and form_given(spec, cls) is not None


def is_made_kept(spec: Specialiser, cls: Any) -> bool:
    """True for a class whose objects are kept where the program makes them."""
    is_made = class_of_kept(cls) in spec.facts.made
    return is_made and form_given(spec, cls) is not None


def _holds_apart(value: core.Value, cls: Any) -> bool:
    """True for what holds an object of a class that is taken apart."""
    if class_of_kept(getattr(value, "constructor", None)) is class_of_kept(cls):
        return True
    return any(_holds_apart(part, cls) for _, part in core.parts_of(value))


def let_be_made_empty(spec: Specialiser, cls: Any) -> None:
    """Let it be known that objects of a class which are kept are used while they are
    made; does nothing where some are given: all of these have their attributes."""
    if class_of_kept(cls) not in spec.facts.formed:
        return
    if not spec.has_learned:
        made_empty = spec.facts.made_empty | {class_of_kept(cls)}
        spec.learn(replace(spec.facts, made_empty=made_empty))
    raise core.Learned


def let_be_kept(spec: Specialiser, cls: Any) -> None:
    """Let it be known that the objects of a class are kept."""
    made = {**spec.facts.made, class_of_kept(cls): {}}
    apart = [n for n, value in spec.given.items() if _holds_apart(value, cls)]
    if apart and any(core.value_passed((name,)) is None for name in apart):
        raise core.Unsupported(
            f"which of the objects of {cls.__name__} a name means is known only when "
            "the program runs, and they are taken apart",
            "call the derivative with them, or put them into a list",
        )
    if apart:
        raise core.KeepObjects(cls, replace(spec.facts, made=made))
    cls = class_of_kept(cls)
    formed = spec.facts.formed
    if form_given(spec, cls) is None:
        formed = {**formed, cls: ir.Form(cls)}
    spec.learn(replace(spec.facts, made=made, formed=formed))


def forms_given(spec: Specialiser) -> list[ir.Form]:
    """The forms of all that the program is given."""
    return [form for kind in spec.kinds_given for form in ir.forms_in(kind)]


def forms_made(spec: Specialiser) -> list[ir.Form]:
    """Those of what it makes, of which it is given none."""
    given = set(forms_given(spec))
    made = (*spec.facts.formed.values(), *spec.facts.kept.values())
    found = ir.reached_forms(ir.Reference(tuple(f for f in made if f not in given)))
    return [form for form in found if form not in given]
