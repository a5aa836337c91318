"""Attributes of run-time values: what an object holds, or what its class does.

An attribute that some of the objects of a class lack is read as any other: where it
isn't there Python raises its AttributeError, unless the class makes up for it::

    w = p.weight        ->        w = p.weight if "weight" in vars(p) else 1.0
"""

from collections import deque
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.objects import attribute_dicts, members, objects
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.run_time import queries, reading, storing, unions
from s2sad.frontend.specialise.run_time.queries import kind_of
from s2sad.source.annotations.annotation_nodes import holds_name
from s2sad.source.kinds.attributes import hides_nothing


def attribute_of_reference(
    spec: Specialiser, value: core.Leaf, name: str
) -> core.Value:
    """``value.name``: what the object holds, or what its class does."""
    value = unions.structured(value)
    kind = kind_of(value)
    function_records.check_attribute(kind.forms, name)
    classes = tuple(dict.fromkeys(form.constructor for form in kind.forms))
    if name == "maxlen" and classes == (deque,):
        operation = ir.Apply(getattr, (value.operand, ir.Const(name)))
        length = ir.join(ir.INT, ir.NONE)
        return spec.assign(spec.fresh(name), operation, length)
    if all(issubclass(cls, ir.CONTAINERS) and not _has_fields(cls) for cls in classes):
        return core.Method(value, name)
    if name == "__class__":
        return unions.type_of(spec, value)
    if name == core.DICT:
        return attribute_dicts.attributes_of(value)
    name = members.mangled(name, spec)
    value = _of_classes_with(spec, value, name)
    kind = kind_of(value)
    classes = tuple(dict.fromkeys(form.constructor for form in kind.forms))
    found = [members.member_of(cls, name) for cls in classes]
    held = _held(kind, name)
    if held is not None and not any(map(_goes_first, found)):
        if not is_optional(kind, name) or not any(map(_makes_up_for, classes, found)):
            return reading.read(spec, value, name, held)
    if len(classes) == 1:
        return _of_one_class(spec, value, name)
    sorts = {None if m is None else m.sort for m in found}
    if any(name in form.keys for form in kind.forms):
        sorts = {None}  # what they hold themselves goes first
    if sorts <= {"method", "static", "class"}:
        return core.Method(value, name)
    first = found[0]
    for cls, member in zip(classes, found, strict=True):
        if member is not None:
            members.note_read(spec, cls, name)
    if sorts == {"property"} and all(m.value is first.value for m in found):  # type: ignore[union-attr]
        return objects.bound_member(spec, value, name, first)  # type: ignore[arg-type]
    if len(kind.forms) == 1:
        raise core.Unsupported(f"the attribute {name!r} of {kind}")
    return unions.by_form(spec, value, lambda one: spec.attribute_of(one, name))


def _of_classes_with(spec: Specialiser, value: core.Leaf, name: str) -> core.Leaf:
    """A reference to an object of one of the classes that have an attribute: Python
    raises where it leads to one of another class."""
    forms = kind_of(value).forms
    having = {f.constructor for f in forms if _may_have(f, name)}
    there = tuple(form for form in forms if form.constructor in having)
    if len(there) == len(forms) or len({f.constructor for f in forms}) == 1:
        return value
    why = f"an object of this class has no attribute {name!r}"
    if not there:  # objects of a class that isn't among those of this data may
        spec.raise_now(AttributeError, why)
        raise core.NothingFollows
    test = unions.is_among(spec, value, there)
    spec.raise_unless(test, AttributeError, why)
    return narrowing.narrowed(value, narrowing.presence_of(spec, test)[0])  # type: ignore[return-value]


def _may_have(form: ir.Form, name: str) -> bool:
    made = members.member_of(form.constructor, "__getattr__") is not None
    return made or name in form.optional or is_object_with(form, name)


def _goes_first(member: members.Member | None) -> bool:
    """True for a property that is asked whatever the object holds itself."""
    return member is not None and member.sort == "property" and not member.cached


def _has_fields(cls: type) -> bool:
    """True for a class of named tuples, and others that are derived from tuples."""
    return issubclass(cls, tuple) and cls is not tuple


def _held(kind: ir.Reference, name: str) -> ir.Kind | None:
    """The kind of an attribute that the objects hold themselves, whatever class they
    are of."""
    held = ir.kind_of_slot(kind, name)
    if len(kind.forms) == 1 or held is None:
        return held
    places = {
        form.keys.index(name) if issubclass(form.constructor, tuple) else None
        for form in kind.forms
    }
    return held if queries.is_told(held) and len(places) == 1 else None


def is_optional(kind: ir.Reference, name: str) -> bool:
    """True for an attribute that some of the objects don't have."""
    return any(name in form.optional for form in kind.forms)


def has_own(spec: Specialiser, value: core.Leaf, name: str) -> core.Value:
    """Whether an object of one class has an attribute of its own."""
    (form,) = kind_of(value).forms
    if name in form.from_class:
        raise core.Unsupported(
            f"whether an object has an attribute {name!r} beside that of its class",
            "give it the attribute in __init__",
        )
    if name not in form.optional:
        return core.constant(name in form.keys)
    if hides_nothing(form.constructor, name):
        test = ir.Apply(hasattr, (value.operand, ir.Const(name)))
    else:
        held = ir.Apply(getattr, (value.operand, ir.Const("__dict__")))
        names = spec.assign(spec.fresh("names"), held, ir.OPAQUE)
        test = ir.Apply(ops.contains, (ir.Const(name), core.operand_of(names)))
    return spec.assign(spec.fresh("condition"), test, ir.BOOL)


def _makes_up_for(cls: type, member: members.Member | None) -> bool:
    """True where the class has something to give for an attribute that an object
    lacks."""
    makes = members.member_of(cls, "__getattr__") is not None
    return makes or not (member is None or storing.is_slot(member.value))


def _of_one_class(spec: Specialiser, value: core.Leaf, name: str) -> core.Value:
    """What an object of one class holds, if it does; else what the class holds, or its
    ``__getattr__`` makes."""
    held = _held(kind_of(value), name)
    if held is not None and is_optional(kind_of(value), name):
        return spec.select(
            has_own(spec, value, name),
            lambda: reading.read(spec, value, name, held),
            lambda: _of_class(spec, value, name),
            name,
        )
    return _of_class(spec, value, name)


def _of_class(spec: Specialiser, value: core.Leaf, name: str) -> core.Value:
    """What the class of an object holds, or its ``__getattr__`` makes."""
    cls: Any = kind_of(value).constructor
    if issubclass(cls, tuple) and name in ("_replace", "_asdict"):
        return core.Method(value, name)
    member = members.member_of(cls, name)
    form = kind_of(value).forms[0]
    if name in set(form.keys) - form.optional and not issubclass(cls, tuple):
        raise core.Unsupported(
            f"the annotations of {cls.__name__} don't say what {name} holds",
            f"annotate it, as in `{name}: float`",
        )
    if member is None:
        made = objects.attribute_made(spec, value, cls, name)
        if made is not None:
            return made
        members.no_attribute(spec, cls, name)
    members.note_read(spec, cls, name)
    return objects.bound_member(spec, value, name, member)


def has_attribute(spec: Specialiser, value: core.Leaf, name: str) -> core.Value:
    """Whether an object has an attribute, of its own or of its class."""
    kind = kind_of(value)
    function_records.check_attribute(kind.forms, name)
    for form in kind.forms:
        if not is_object_with(form, name):
            members.require_none_made(form.constructor, name)
    if not any(_is_told_by_itself(form, name) for form in kind.forms):
        there = tuple(form for form in kind.forms if is_object_with(form, name))
        return unions.is_among(spec, value, there)

    def of_one(one: core.Leaf) -> core.Value:
        (form,) = kind_of(one).forms
        if _is_told_by_itself(form, name):
            return has_own(spec, one, name)
        return core.constant(is_object_with(form, name))

    return unions.by_form(spec, value, of_one)


def attribute_or(
    spec: Specialiser, value: core.Leaf, name: str, default: core.Value
) -> core.Value:
    """``getattr(value, name, default)``."""

    def of_one(one: core.Leaf) -> core.Value:
        return spec.select(
            has_attribute(spec, one, name),
            lambda: spec.attribute_of(one, name),
            lambda: default,
            name,
        )

    value = unions.present(value)
    if all(is_object_with(form, name) for form in kind_of(value).forms):
        return spec.attribute_of(value, name)
    return unions.by_form(spec, value, of_one)


def is_object_with(form: ir.Form, name: str) -> bool:
    """True for objects that all have an attribute, of their own or of their class."""
    held = name in form.keys and name not in form.optional
    if held and not issubclass(form.constructor, dict):
        return True
    if name in form.optional and hides_nothing(form.constructor, name):
        return False
    return holds_name(form.constructor, name)


def _is_told_by_itself(form: ir.Form, name: str) -> bool:
    """True where only an object itself tells whether it has an attribute."""
    return name in form.optional and not is_object_with(form, name)
