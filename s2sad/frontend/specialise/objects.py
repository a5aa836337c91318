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

While ``__init__`` runs, the object is a draft: an activation whose names are the
attributes.
"""

from __future__ import annotations

import ast
import dataclasses
import types
from dataclasses import replace
from typing import Any

from s2sad.frontend.attributes import is_users_class
from s2sad.frontend.specialise.context import Frame, Unsupported
from s2sad.frontend.specialise.members import (
    Member,
    mangled,
    member_of,
    no_attribute,
    note_read,
)
from s2sad.frontend.specialise.names import known_object
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import (
    Aggregate,
    Draft,
    Leaf,
    Method,
    Missing,
    Partial,
    Super,
    Value,
    constant,
    describe,
    leaves,
)
from s2sad.ir.kinds import Known


def class_of(value: Value) -> Any:
    """The class of an object."""
    match value:
        case Aggregate() | Draft():
            return value.constructor
        case Super():
            return class_of(value.receiver)
        case Leaf():
            return type(value.kind.value)  # type: ignore[attr-defined]
    raise TypeError(f"no object: {value}")


def _check_instance(value: Super, node: ast.AST) -> None:
    """``super()`` needs an object whose class is known."""
    receiver = value.receiver
    if not isinstance(receiver, Leaf) or isinstance(receiver.kind, Known):
        cls = class_of(receiver)
        if not isinstance(cls, type) or value.owner in cls.__mro__:
            return
    raise Unsupported(
        node,
        f"super() of a value {describe(receiver)}",
        "call the function of the class by its name",
    )


def object_attribute(
    spec: Specialiser, value: Value, name: str, node: ast.AST
) -> Value:
    """``value.name`` of an object, a draft or ``super()``."""
    name = mangled(name, spec)
    if isinstance(value, Super):
        _check_instance(value, node)
    cls = class_of(value)
    if name in ("_replace", "_asdict") and hasattr(cls, "_fields"):
        return Method(value, name)
    behind = value.owner if isinstance(value, Super) else None
    member = member_of(cls, name, behind)
    if member is None or member.sort != "property":
        held = _held_attribute(spec, value, name, node)
        if held is not None:
            return held
    if name == "__class__":
        return constant(cls)
    if member is None:
        raise no_attribute(cls, name, node)
    receiver = value.receiver if isinstance(value, Super) else value
    if behind is None:
        note_read(spec, cls, name)
    else:
        note_read(spec, member.owner, name)
    return bound_member(spec, receiver, name, member, node)


def _held_attribute(
    spec: Specialiser, value: Value, name: str, node: ast.AST
) -> Value | None:
    """What the object itself holds under a name."""
    if isinstance(value, Aggregate):
        return value.item(name) if name in value.keys else None
    if isinstance(value, Draft):
        found = value.frame.names.get(name)
        if isinstance(found, Missing):
            raise Unsupported(node, found.reason, found.advice)
        if found is None:
            return None
        with spec.inside(value.frame):
            return spec.held(found, [name])
    if isinstance(value, Leaf):
        owner = value.kind.value  # type: ignore[attr-defined]
        slots = member_of(type(owner), name)
        slot = slots is not None and isinstance(slots.value, types.MemberDescriptorType)
        if name in getattr(owner, "__dict__", {}) or (slot and hasattr(owner, name)):
            found = getattr(owner, name)
            spec.read_attribute(owner, name, found)
            return known_object(spec, owner, f".{name}", found, node)
    return None


def bound_member(
    spec: Specialiser, receiver: Value, name: str, member: Member, node: ast.AST
) -> Value:
    """What a class holds, as an attribute of an instance."""
    from s2sad.frontend.specialise.calls import call_value

    cls = class_of(receiver)
    match member.sort:
        case "method":
            return Partial(constant(member.value), (receiver,))
        case "static":
            return constant(member.value)
        case "class":
            return Partial(constant(member.value), (constant(cls),))
        case "property":
            return call_value(spec, constant(member.value), (receiver,), {}, node)
        case "data":
            return known_object(spec, cls, f".{name}", member.value, node)
    special = _special_method(spec, receiver, name)
    if special is not None:
        return special
    raise Unsupported(
        node,
        f"the attribute {name!r} of {describe(receiver)} is computed by a "
        f"{type(member.value).__name__}",
        "make it a method or a property",
    )


def _special_method(spec: Specialiser, receiver: Value, name: str) -> Value | None:
    """Methods that namedtuples and ``object`` bring along."""
    if name == "__init__":  # of object
        return constant(_do_nothing)
    return None


def _do_nothing(*args: Any) -> Any:
    """``object.__init__``."""
    return None


# ------------------------------------------------------------------ making objects


def construct(
    spec: Specialiser,
    cls: Any,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value | None:
    """An instance of a user's class; None for classes that aren't taken apart."""
    if isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(spec, cls, args, keywords, node)
    if cls is types.SimpleNamespace and not args:
        return Aggregate(cls, tuple(keywords), tuple(keywords.values()))
    if not is_plain_class(cls):
        return None
    draft = Draft(cls, _draft_frame(spec, cls))
    spec.shared_frames.append(draft.frame)
    try:
        _initialise(spec, draft, args, keywords, node)
        return _finished(draft, node)
    finally:
        spec.shared_frames.remove(draft.frame)


def is_plain_class(cls: Any) -> bool:
    """True for a class whose instances are made by ``__init__`` alone."""
    return (
        isinstance(cls, type)
        and is_users_class(cls)
        and cls.__new__ is object.__new__
        and type(cls).__call__ is type.__call__
    )


def _draft_frame(spec: Specialiser, cls: type) -> Frame:
    _, number = spec.fresh_owner(cls)
    stored = {
        name
        for base in cls.__mro__
        for found in vars(base).values()
        if isinstance(found, types.FunctionType)
        for name in found.__code__.co_names
    }
    if dataclasses.is_dataclass(cls):
        stored |= {f.name for f in dataclasses.fields(cls)}
        stored |= {
            c
            for base in cls.__mro__
            for found in vars(base).values()
            if isinstance(found, types.FunctionType)
            for c in found.__code__.co_consts
            if isinstance(c, str)
        }
    return Frame(
        spec.frame.source,
        prefix=f".{cls.__name__}.{number}:",
        key=("draft", number),
        written_by_others=frozenset(stored),
        rebound=frozenset(stored),
    )


def _initialise(
    spec: Specialiser,
    draft: Draft,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> None:
    from s2sad.frontend.specialise.calls import call_value

    cls = draft.constructor
    member = member_of(cls, "__init__")
    assert member is not None
    if dataclasses.is_dataclass(cls) and _is_generated(member, cls):
        _fill_dataclass(spec, draft, args, keywords, node)
        return
    note_read(spec, cls, "__init__")
    if member.owner is object:
        if args or keywords:
            raise Unsupported(node, f"{cls.__name__} takes no arguments", "pass none")
        return
    call_value(spec, constant(member.value), (draft, *args), keywords, node)


def _is_generated(member: Member, cls: type) -> bool:
    """``__init__`` was written by ``dataclass``."""
    return getattr(member.value, "__code__", None) is not None and (
        member.value.__code__.co_filename == "<string>"
        or not member.value.__code__.co_filename
    )


def _fill_dataclass(
    spec: Specialiser,
    draft: Draft,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> None:
    from s2sad.frontend.specialise.calls import call_value

    cls: Any = draft.constructor
    table: dict[str, Any] = {
        name: field
        for name, field in cls.__dataclass_fields__.items()
        if field._field_type is not dataclasses._FIELD_CLASSVAR  # type: ignore[attr-defined]
    }
    taken = [n for n, f in table.items() if f.init]
    positional = [n for n in taken if not table[n].kw_only]
    if len(args) > len(positional):
        raise Unsupported(
            node,
            f"{cls.__name__} takes {len(positional)} positional arguments, {len(args)} "
            "are given",
            "check the call",
        )
    given = dict(zip(positional, args, strict=False))
    for name, value in keywords.items():
        if name not in taken or name in given:
            what = "gets {!r} twice" if name in given else "has no field {!r}"
            raise Unsupported(
                node, f"{cls.__name__} {what.format(name)}", "check the call"
            )
        given[name] = value
    extra = []
    for name, field in table.items():
        if name in given:
            value = given[name]
        elif field.default is not dataclasses.MISSING:
            value = known_object(spec, cls, f".{name}", field.default, node)
            if isinstance(field.default, int | float | str):
                value = constant(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            factory = constant(field.default_factory)
            value = call_value(spec, factory, (), {}, node)
        elif field.init:
            raise Unsupported(node, f"{cls.__name__} needs {name!r}", "check the call")
        else:
            continue
        if field._field_type is dataclasses._FIELD_INITVAR:  # type: ignore[attr-defined]
            extra.append(value)
        else:
            set_attribute(spec, draft, name, value)
    after = member_of(cls, "__post_init__")
    if after is not None:
        note_read(spec, cls, "__post_init__")
        call_value(spec, constant(after.value), (draft, *extra), {}, node)


def set_attribute(spec: Specialiser, draft: Draft, name: str, value: Value) -> None:
    """``self.name = value`` while the object is made."""
    with spec.inside(draft.frame):
        spec.bind(name, value)
    bound = draft.frame.names[name]
    spec.read_again |= {leaf.operand for leaf in leaves(bound)}


def store_attribute(
    spec: Specialiser, target: ast.Attribute, value: Value, owner: Value
) -> None:
    """``owner.name = value``: allowed in ``__init__`` alone."""
    from s2sad.frontend.specialise.calls import call_value

    if not isinstance(owner, Draft):
        raise Unsupported(
            target,
            "writing to an attribute can't be differentiated",
            "make a new object with the changed value, or keep the value in a local "
            "variable and return it",
        )
    name = mangled(target.attr, spec)
    cls = owner.constructor
    member = member_of(cls, name)
    if member is not None and isinstance(vars(member.owner)[name], property):
        setter = vars(member.owner)[name].fset
        if setter is not None:
            note_read(spec, cls, name)
            call_value(spec, constant(setter), (owner, value), {}, target)
            return
    own = member_of(cls, "__setattr__")
    assert own is not None
    if own.owner is not object:
        raise Unsupported(
            target,
            f"{cls.__name__} stores attributes by a __setattr__ of its own",
            "use object.__setattr__(self, name, value)",
        )
    if isinstance(value, Draft):
        raise Unsupported(
            target, "an object that holds one that is being made", "store its parts"
        )
    set_attribute(spec, owner, name, value)


def _finished(draft: Draft, node: ast.AST) -> Aggregate:
    names = draft.frame.names
    for name, value in names.items():
        if any(part is draft for part in _everything(value)):
            raise Unsupported(
                node,
                f"the attribute {name!r} of a {draft.constructor.__name__} refers to "
                "the object itself",
                "look the method up where it is called",
            )
    return Aggregate(draft.constructor, tuple(names), tuple(names.values()))


def _everything(value: Value) -> list[Value]:
    from s2sad.frontend.specialise.values import parts_of

    found = [value]
    for _, part in parts_of(value):
        found += _everything(part)
    return found


def _named_tuple(
    spec: Specialiser,
    cls: Any,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    fields = list(cls._fields)
    defaults = dict(cls._field_defaults)
    if len(args) > len(fields):
        raise Unsupported(node, f"{cls.__name__} has {len(fields)} fields", "")
    values = dict(zip(fields, args, strict=False)) | keywords
    for name in fields:
        if name not in values:
            if name not in defaults:
                raise Unsupported(node, f"{cls.__name__} needs {name!r}", "")
            values[name] = constant(defaults[name])
    if set(values) != set(fields):
        raise Unsupported(node, f"{cls.__name__} has other fields", "")
    return Aggregate(cls, tuple(fields), tuple(values[f] for f in fields))


def replaced(value: Aggregate, changes: dict[str, Value], node: ast.AST) -> Value:
    """The structure with other values for some of its fields."""
    for name in changes:
        if name not in value.keys:
            raise Unsupported(node, f"{describe(value)} has no field {name!r}", "")
    items = tuple(
        changes.get(str(key), item)
        for key, item in zip(value.keys, value.items, strict=True)
    )
    return replace(value, items=items)
