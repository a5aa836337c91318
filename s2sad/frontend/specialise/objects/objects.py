"""Objects of the user's classes: their attributes and methods, and how they are made.

An object that an argument holds, or that the program makes, is a structure with the
attributes as items. One of a module or closure is known, and its attributes are read
live. Methods are functions whose first argument is the object::

    class Layer:
        def __init__(self, w): self.w = w
        def __call__(self, x): return x @ self.w

    def f(layer, x):                     f(layer, x):
        return layer(x)          ->          w = layer.w
                                             return x @ w

While ``__init__`` runs, the object is a cell, an activation whose names are the
attributes. If the program changes objects of the class later, it stays one
(``cells.py``).
"""

import functools
import types
from collections.abc import Iterator
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import cached_calls
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import forming
from s2sad.frontend.specialise.heap.cells import (
    check_may_change,
    holds_changing,
    read_name,
    set_name,
)
from s2sad.frontend.specialise.language.names import external_value, known_object
from s2sad.frontend.specialise.library_calls import plain_tuples
from s2sad.frontend.specialise.objects import attribute_dicts, members
from s2sad.frontend.specialise.run_time import storing
from s2sad.source.annotations import annotation_nodes
from s2sad.source.kinds import external_data
from s2sad.source.static.attributes import attributes_of_class
from s2sad.source.text.resolve import StaticClass, StaticData


def class_of(value: core.Value) -> Any:
    """The class of an object."""
    match value:
        case core.Aggregate() | core.Cell():
            return annotation_nodes.class_meant(core.class_called(value.constructor))
        case core.Super():
            return class_of(value.receiver)
        case core.Leaf(kind=ir.Reference() as kind):
            return kind.constructor
        case core.Leaf():
            return type(value.kind.value)  # type: ignore[attr-defined]
    raise TypeError(f"no object: {value}")


def _check_instance(value: core.Super) -> None:
    """``super()`` needs an object whose class is known."""
    receiver = value.receiver
    if isinstance(receiver, core.Leaf) and isinstance(receiver.kind, ir.Reference):
        if receiver.kind.constructor is not None:
            return
    elif not isinstance(receiver, core.Leaf) or isinstance(receiver.kind, ir.Known):
        cls = class_of(receiver)
        if not isinstance(cls, type) or value.owner in cls.__mro__:
            return
    raise core.Unsupported(
        f"super() of a value {core.describe(receiver)}",
        "call the function of the class by its name",
    )


def _check_no_key(spec: Specialiser, value: core.Value) -> None:
    """Refuse to look into an object that is a key of a dict which is taken apart: what
    it holds may change from one call to the next, and has no derivative there."""
    if not isinstance(value, core.Leaf) or not isinstance(value.operand, ir.Const):
        return
    owner = value.operand.value
    if type(owner).__hash__ is object.__hash__ and any(
        owner is key for kind in spec.kinds_given for key in _keys_in(kind)
    ):
        raise core.Unsupported(
            "an attribute of an object that is a key of a dict",
            "keep the objects in a list or under names, too, and read them there",
        )


def _keys_in(kind: ir.Kind) -> Iterator[Any]:
    """The keys of the dicts that a value holds at any depth."""
    if isinstance(kind, ir.Structure):
        yield from kind.keys if kind.constructor is dict else ()
        for item in kind.items:
            yield from _keys_in(item)


def object_attribute(spec: Specialiser, value: core.Value, name: str) -> core.Value:
    """``value.name`` of an object or ``super()``."""
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Reference):
        return spec.attribute_of(value, name)
    name = members.mangled(name, spec)
    _check_no_key(spec, value)
    if isinstance(value, core.Super):
        _check_instance(value)
    cls = class_of(value)
    if name in ("_replace", "_asdict") and annotation_nodes.is_tuple_class(cls):
        return core.Method(value, name)
    behind = value.owner if isinstance(value, core.Super) else None
    member = members.member_of(cls, name, behind)
    if member is None or member.sort != "property" or member.cached:
        held = _held_attribute(spec, value, name)
        if held is not None:
            return held
    if name == "__class__":
        return core.constant(cls)
    if name == core.DICT and not isinstance(value, core.Super):
        return attribute_dicts.attributes_of(value)
    receiver = value.receiver if isinstance(value, core.Super) else value
    if member is None:
        made = attribute_made(spec, receiver, cls, name)
        if made is not None:
            return made
        if name == "__init__" and isinstance(value, core.Super):
            if isinstance(cls, StaticClass) and attributes_of_class(cls) is not None:
                return core.constant(_do_nothing)  # of object, or of ABC and the like
        members.no_attribute(spec, cls, name)
    if member.sort != "property" or member.cached:
        if isinstance(value, core.Leaf):
            members.note_held(spec, value.kind.value, name)  # type: ignore[attr-defined]
    if member.sort != "other" or isinstance(cls, StaticClass):
        members.note_read(spec, cls if behind is None else member.owner, name)
    return bound_member(spec, receiver, name, member)


def _held_attribute(
    spec: Specialiser, value: core.Value, name: str
) -> core.Value | None:
    """What the object itself holds under a name."""
    if isinstance(value, core.Aggregate):
        return value.item(name) if name in value.keys else None
    if isinstance(value, core.Cell):
        return read_name(spec, value, name)
    if isinstance(value, core.Leaf):
        owner = value.kind.value  # type: ignore[attr-defined]
        slots = members.member_of(type(owner), name)
        slot = slots is not None and isinstance(slots.value, types.MemberDescriptorType)
        if name in getattr(owner, "__dict__", {}) or (slot and hasattr(owner, name)):
            found = getattr(owner, name)
            spec.read_attribute(owner, name, found)
            return known_object(spec, owner, f".{name}", found)
    return None


def bound_member(
    spec: Specialiser, receiver: core.Value, name: str, member: members.Member
) -> core.Value:
    """What a class holds, as an attribute of an instance."""
    cls = annotation_nodes.class_meant(class_of(receiver))
    match member.sort:
        case "method":
            return core.Partial(core.constant(member.value), (receiver,))
        case "static":
            return core.constant(member.value)
        case "class":
            return core.Partial(core.constant(member.value), (core.constant(cls),))
        case "property" if member.cached:
            return _computed_once(spec, receiver, name, member.value)
        case "property":
            return spec.call_value(core.constant(member.value), (receiver,), {})
        case "data" if isinstance(cls, StaticClass):
            if isinstance(member.value, tuple):
                return _read_from_class(spec, cls, name, member.value)
            return core.constant(member.value)
        case "data":
            return known_object(spec, cls, f".{name}", member.value)
    if isinstance(member.value, StaticData):
        return _data_of_class(spec, receiver, cls, name, member.value)
    if isinstance(member.value, functools.singledispatchmethod):
        return dispatched_method(member.value, receiver)
    if member.owner is tuple:  # index and count
        return spec.attribute_of(plain_tuples.as_tuple(spec, receiver), name)
    special = _special_method(name)
    if special is None:
        special = _described(spec, receiver, cls, name, member)
    if special is not None:
        return special
    raise core.Unsupported(
        f"the attribute {name!r} of {core.describe(receiver)} is computed by a "
        f"{type(member.value).__name__}",
        "make it a method or a property",
    )


def _data_of_class(
    spec: Specialiser, receiver: core.Value, cls: Any, name: str, data: StaticData
) -> core.Value:
    """What a class that is read as text holds, where the file reads it."""
    if not cls.reader.is_plain_data(data.expression):
        raise core.Unsupported(
            f"what the class of {core.describe(receiver)} holds as {name!r} is only "
            "known when it runs",
            "make it a method or a property, or read it outside and pass it in",
        )
    return _read_from_class(spec, cls, name, data)


def _read_from_class(spec: Specialiser, cls: Any, name: str, value: Any) -> core.Value:
    read = core.Read(cls.resolver.when_loaded(), cls.path, (name,), value)
    spec.module.reads.append(read)
    return external_value(spec, value, f"{cls.path}.{name}", cls.module)


def _computed_once(
    spec: Specialiser, receiver: core.Value, name: str, function: Any
) -> core.Value:
    """A cached property that the object doesn't hold yet. It does from here on, if it
    is one that the program changes; where nothing changes it is computed again."""
    by_value = isinstance(receiver, core.Aggregate)
    if by_value and holds_changing(spec, receiver):
        receiver = check_may_change(spec, receiver)
    start = len(spec.block)
    made = spec.call_value(core.constant(function), (receiver,), {})
    made = cached_calls.shared_arrays(spec, made)
    if isinstance(receiver, core.Cell):
        set_name(spec, receiver, name, made)
        return read_name(spec, receiver, name) or made
    lines = tuple(spec.block[start:])
    if cached_calls.differs_later(lines):
        if by_value:
            check_may_change(spec, receiver)
        elif isinstance(kind := core.kind_of(receiver), ir.Reference):
            assert isinstance(receiver, core.Leaf)
            if not forming.gets_attributes(spec, kind, name):
                raise core.Unsupported(
                    f"the cached property {name!r} of an object that is given depends "
                    "on what the program changes",
                    "make it a property, or compute it where it is needed",
                )
            storing.store_attribute(spec, receiver, name, made)
    cached_calls.note_arrays_read(spec, lines)
    return made


def attribute_made(
    spec: Specialiser, receiver: core.Value, cls: Any, name: str
) -> core.Value | None:
    """What the ``__getattr__`` of an object's class gives for a name; None for a class
    that has none."""

    maker = members.member_of(cls, "__getattr__")
    special = name.startswith("__") and name.endswith("__")
    if maker is None or maker.sort != "method" or special:
        return None
    members.note_read(spec, cls, "__getattr__")
    function = core.constant(maker.value)
    return spec.call_value(function, (receiver, core.constant(name)), {})


def _described(
    spec: Specialiser, receiver: core.Value, cls: Any, name: str, member: members.Member
) -> core.Value | None:
    """What the ``__get__`` of a descriptor of the user's gives; None for others."""

    if not isinstance(cls, type) or not external_data.is_live_object(member.value):
        return None
    getter = members.member_of(type(member.value), "__get__")
    if getter is None or getter.sort != "method":
        return None
    members.note_read(spec, type(member.value), "__get__")
    place = f".__dict__[{name!r}]"
    descriptor = known_object(spec, member.owner, place, member.value)
    function = core.constant(getter.value)
    return spec.call_value(function, (descriptor, receiver, core.constant(cls)), {})


def _special_method(name: str) -> core.Value | None:
    """Methods that namedtuples and ``object`` bring along."""
    if name == "__init__":  # of object
        return core.constant(_do_nothing)
    return None


def _do_nothing(*args: Any) -> Any:
    """``object.__init__``."""
    return None


def dispatched_method(method: Any, receiver: core.Value) -> core.Value:
    """``receiver.method``, where the class of what it is called with tells which."""
    given = (core.constant(method.dispatcher), receiver)
    return core.Partial(core.constant(on_the_second), given)


def on_the_second(dispatcher: Any, receiver: Any, *args: Any, **words: Any) -> Any:
    """What a method of ``functools.singledispatchmethod`` does."""
    found = dispatcher.dispatch(type(args[0]))
    return found.__get__(receiver, type(receiver))(*args, **words)
