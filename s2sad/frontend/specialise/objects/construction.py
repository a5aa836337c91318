"""Making objects: ``__init__`` is run on a draft, whose attributes are the names of an
activation of its own.

>>> own = type("A", (), {"__module__": "model"})
>>> core.is_plain_class(int), core.is_plain_class(own)
(False, True)
"""

import ast
import dataclasses
import inspect
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.joining import class_of_cells
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import cells, chosen_cells, kept_objects
from s2sad.frontend.specialise.language.names import known_object
from s2sad.frontend.specialise.objects import constructors, members
from s2sad.frontend.specialise.optionals.optionals import present
from s2sad.frontend.specialise.run_time import making, queries, storing
from s2sad.source.annotations.annotation_nodes import StandIn, class_meant
from s2sad.source.kinds.attributes import is_users_class
from s2sad.source.static.attributes import names_that_methods_store
from s2sad.source.text.resolve import StaticClass

_OF_TUPLES = ("__new__", "__init__", "__getitem__", "__len__")


def construct(
    spec: Specialiser, cls: Any, args: Args, keywords: Words
) -> core.Value | None:
    """An instance of a user's class; None for classes that aren't taken apart."""
    if isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields"):
        _check_generated(cls)
        made = _named_tuple(spec, cls, args, keywords)
        return replace(made, maker=spec.frame.source.span_of(spec.place))
    if cls is types.SimpleNamespace and not args:
        return core.Aggregate(cls, tuple(keywords), tuple(keywords.values()))
    if not isinstance(cls, StandIn) and not core.is_plain_class(cls):
        if isinstance(cls, type) and is_users_class(cls):
            raise core.Unsupported(
                f"a {cls.__name__} is made by more than __init__: its class has a "
                "__new__ or a metaclass of its own",
                "make the object outside of the differentiated function and pass it in",
            )
        return None
    function = constructors.function_of(spec, cls)
    if function is not None:
        return spec.inline(function, args, keywords)
    return drafted(spec, cls, lambda made: _initialise(spec, cls, made, args, keywords))


def drafted(
    spec: Specialiser, cls: Any, initialise: Callable[[core.Value], None]
) -> core.Value:
    """An object of a class, as ``initialise`` leaves the draft of it; the run makes one
    without attributes first where it is used before."""
    if making.is_made_empty(spec, cls):
        empty = making.empty_object(spec, cls)
        spec.shared([empty], times=2)  # it is self, and what is made
        initialise(empty)
        return empty
    draft = cells.new_cell(spec, cls, spec.title)
    draft.frame.written_by_others |= _stored_names(cls)
    draft.frame.rebound |= draft.frame.written_by_others
    try:
        initialise(draft)
        if queries.is_made_kept(spec, cls):
            if any(isinstance(v, core.Missing) for v in draft.frame.names.values()):
                spec.keep_objects(draft)
            made = making.made_object(spec, cls, draft.frame.names)
            core.lose(draft.frame, *kept_objects.kept_while_made(draft))
            return made
        if queries.may_be_kept(spec, cls):
            spec.taken_apart.add(queries.class_of_kept(cls))
        return draft if class_meant(cls) in spec.facts.changing else _finished(draft)
    finally:
        changes = class_meant(cls) in spec.facts.changing
        if not changes or cls in spec.facts.made:
            spec.shared_frames = [f for f in spec.shared_frames if f is not draft.frame]


def _stored_names(cls: type) -> frozenset[str]:
    """The attributes that methods of a class may store."""
    if isinstance(cls, StandIn):
        assert isinstance(cls.meaning, StaticClass)
        return names_that_methods_store(cls.meaning)
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
    return frozenset(stored)


def _initialise(
    spec: Specialiser, cls: Any, draft: core.Value, args: Args, keywords: Words
) -> None:
    member = members.member_of(cls, "__init__") or members.Member(
        "method", None, object
    )
    if has_fields_alone(cls):
        _fill_dataclass(spec, cls, draft, args, keywords)
        return
    members.note_read(spec, class_meant(cls), "__init__")
    if member.owner is object:
        if args or keywords:
            raise core.Unsupported(f"{cls.__name__} takes no arguments", "pass none")
        return
    spec.call_value(core.constant(member.value), (draft, *args), keywords)


def has_fields_alone(cls: Any) -> bool:
    """True for a dataclass whose ``__init__`` was written by ``dataclass``."""
    member = members.member_of(cls, "__init__")
    if member is None or not dataclasses.is_dataclass(cls):
        return False
    return getattr(member.value, "__code__", None) is not None and (
        member.value.__code__.co_filename == "<string>"
        or not member.value.__code__.co_filename
    )


def _fill_dataclass(
    spec: Specialiser, cls: Any, draft: core.Value, args: Args, keywords: Words
) -> None:
    table = _fields(cls)
    taken = fields_taken(cls)
    members.note_read(spec, cls, "__init__")
    defaults = defaults_of_init(spec, cls)
    positional = [name for name, field in taken.items() if not field.kw_only]
    if len(args) > len(positional):
        raise core.Unsupported(
            f"{cls.__name__} takes {len(positional)} positional arguments, {len(args)} "
            "are given",
            "check the call",
        )
    given = dict(zip(positional, args, strict=False))
    for name, value in keywords.items():
        if name not in taken or name in given:
            what = "gets {!r} twice" if name in given else "has no field {!r}"
            raise core.Unsupported(
                f"{cls.__name__} {what.format(name)}", "check the call"
            )
        given[name] = value
    extra = []
    frozen = cls.__dataclass_params__.frozen
    for name, field in table.items():
        held = given.get(name) or default_of_field(spec, cls, field, defaults)
        if held is None and field.init:
            raise core.Unsupported(f"{cls.__name__} needs {name!r}", "check the call")
        if held is None:
            continue
        if field._field_type is dataclasses._FIELD_INITVAR:  # type: ignore[attr-defined]
            extra.append(held)
        elif frozen or name not in taken:
            set_field(spec, draft, name, held)
        else:
            set_attribute(spec, draft, name, held)
    after = members.member_of(cls, "__post_init__")
    if after is not None:
        members.note_read(spec, cls, "__post_init__")
        spec.call_value(core.constant(after.value), (draft, *extra), {})


def set_field(
    spec: Specialiser, made: core.Value, name: str, value: core.Value
) -> None:
    """Let an object have what a class that makes its own ``__init__`` stores."""
    if isinstance(made, core.Cell):
        cells.set_name(spec, made, name, value)
    elif queries.is_reference(made):
        storing.store_attribute(spec, made, name, value)


def _fields(cls: Any) -> dict[str, Any]:
    return {
        name: field
        for name, field in cls.__dataclass_fields__.items()
        if field._field_type is not dataclasses._FIELD_CLASSVAR  # type: ignore[attr-defined]
    }


def fields_taken(cls: Any) -> dict[str, Any]:
    """The fields of a dataclass that are given where an object is made."""
    return {name: field for name, field in _fields(cls).items() if field.init}


def defaults_of_init(spec: Specialiser, cls: Any) -> dict[str, Any]:
    """The defaults that the ``__init__`` of a dataclass has, whatever the class holds
    by now."""
    code, held = cls.__init__.__code__, _defaults_now(spec, cls.__init__)
    names = code.co_varnames[: code.co_argcount]
    by_position = dict(zip(names[len(names) - len(held) :], held, strict=True))
    return by_position | (cls.__init__.__kwdefaults__ or {})


def default_of_field(
    spec: Specialiser, cls: Any, field: Any, defaults: dict[str, Any]
) -> core.Value | None:
    """What a field holds where nothing is given; None where something must be."""
    default = field.default
    if default is not dataclasses.MISSING and field.init:
        default = defaults.get(field.name, default)
    elif default is not dataclasses.MISSING:  # the object has it from its class
        held = getattr(cls, field.name, default)
        if not inspect.ismemberdescriptor(held):
            members.note_read(spec, cls, field.name)
            default = held
    if default is not dataclasses.MISSING:
        value = known_object(spec, cls, f".{field.name}", default)
        if isinstance(default, int | float | str):
            return core.constant(default)
        return value
    if field.default_factory is not dataclasses.MISSING:
        factory = core.constant(field.default_factory)
        made = spec.call_value(factory, (), {})
        if isinstance(made, core.Aggregate) and made.constructor is set:
            maker = spec.frame.source.span_of(spec.place), field.name
            made = spec.made_anew(replace(made, maker=maker), "", frozenset({maker}))
        return made
    return None


def store_attribute(
    spec: Specialiser, target: ast.Attribute, value: core.Value, owner: core.Value
) -> None:
    """``owner.name = value``."""
    set_attribute(spec, owner, members.mangled(target.attr, spec), value)


def set_attribute(
    spec: Specialiser, owner: core.Value, name: str, value: core.Value
) -> None:
    """``setattr(owner, name, value)``."""

    if chosen_cells.is_choice_of_cells(owner):
        spec.shared([value], times=2)
        return chosen_cells.change_the_one(
            spec, owner, lambda one: set_attribute(spec, one, name, value)
        )
    owner = present(spec, owner)
    if queries.is_reference(owner):
        if not _set_by_property(spec, owner, name, value):
            storing.store_attribute(spec, owner, name, value)
        return
    if not (core.is_object(owner) or core.is_cell_of_object(owner)):
        spec.keep_objects(class_of_cells(owner))
        raise core.Unsupported(
            "writing to an attribute can't be differentiated",
            "make a new object with the changed value, or keep the value in a local "
            "variable and return it",
        )
    if _set_by_property(spec, owner, name, value):
        return
    cls: Any = class_meant(kept_objects.class_in(owner))
    member = members.member_of(cls, name)
    if isinstance(cls, StaticClass):
        if member is not None and member.sort in ("property", "other"):
            raise core.Unsupported(
                f"storing the attribute {name!r} of an object whose class holds one",
                "store it under another name",
            )
        _require_plain_stores(cls, members.member_of(cls, "__setattr__") is None)
        return cells.set_name(spec, cells.check_may_change(spec, owner), name, value)
    found = None if member is None else vars(member.owner)[name]
    if hasattr(type(found), "__set__") and not inspect.ismemberdescriptor(found):
        raise core.Unsupported(
            f"storing the attribute {name!r} of a {cls.__name__} is the work of a "
            f"{type(found).__name__}",
            "use a property, or store it under another name",
        )
    own = members.member_of(cls, "__setattr__")
    assert own is not None
    _require_plain_stores(cls, own.owner is object)
    cells.set_name(spec, cells.check_may_change(spec, owner), name, value)


def _require_plain_stores(cls: Any, plain: bool) -> None:
    if not plain:
        raise core.Unsupported(
            f"{cls.__name__} stores attributes by a __setattr__ of its own",
            "use object.__setattr__(self, name, value)",
        )


def _set_by_property(
    spec: Specialiser, owner: core.Value, name: str, value: core.Value
) -> bool:
    """Call the setter of a property; False where the attribute is none."""
    if queries.is_reference(owner):
        cls: Any = queries.kind_of(owner).constructor
    else:
        cls = kept_objects.class_in(owner)
    cls = class_meant(cls)
    setter = None if cls is None else members.setter_of(cls, name)
    if setter is None:
        return False
    members.note_read(spec, cls, name)
    spec.call_value(core.constant(setter), (owner, value), {})
    return True


def _finished(draft: core.Cell) -> core.Aggregate:
    names = draft.frame.names
    for name, value in names.items():
        if any(part is draft for part in _everything(value)):
            raise core.Unsupported(
                f"the attribute {name!r} of a {draft.constructor.__name__} refers to "
                "the object itself",
                "look the method up where it is called",
            )
    return core.Aggregate(draft.constructor, tuple(names), tuple(names.values()))


def _everything(value: core.Value) -> list[core.Value]:

    found = [value]
    for _, part in core.parts_of(value):
        found += _everything(part)
    return found


def _check_generated(cls: Any) -> None:
    """Refuse a class derived from a NamedTuple that says itself how its objects are
    made, or what their items are."""
    owners = {name: members.owner_of(cls, name) for name in _OF_TUPLES}
    own = [n for n, c in owners.items() if c not in (tuple, object)]
    if own and (own != ["__new__"] or "_fields" not in vars(owners["__new__"])):
        raise core.Unsupported(
            f"a {cls.__name__} is a tuple whose class has a {own[-1]} of its own",
            "make the object outside of the differentiated function and pass it in",
        )


def _named_tuple(
    spec: Specialiser, cls: Any, args: Args, keywords: Words
) -> core.Aggregate:
    fields = list(cls._fields)
    held = _defaults_now(spec, cls.__new__)
    defaults = dict(zip(fields[len(fields) - len(held) :], held, strict=True))
    if len(args) > len(fields):
        raise core.Unsupported(f"{cls.__name__} has {len(fields)} fields")
    values = dict(zip(fields, args, strict=False)) | keywords
    for name in fields:
        if name not in values:
            if name not in defaults:
                raise core.Unsupported(f"{cls.__name__} needs {name!r}")
            values[name] = core.constant(defaults[name])
    if set(values) != set(fields):
        raise core.Unsupported(f"{cls.__name__} has other fields")
    return core.Aggregate(cls, tuple(fields), tuple(values[f] for f in fields))


def _defaults_now(spec: Specialiser, function: Any) -> tuple[Any, ...]:
    """The defaults of positional parameters, which dispatch looks at again."""
    held = getattr(function, "__defaults__", None)
    read = core.Read(core.LiveObject(function), "", ("__defaults__",), held)
    spec.module.reads.append(read)
    return held or ()


def replaced(value: core.Aggregate, changes: dict[str, core.Value]) -> core.Value:
    """The structure with other values for some of its fields."""
    for name in changes:
        if name not in value.keys:
            raise core.Unsupported(f"{core.describe(value)} has no field {name!r}")
    items = tuple(
        changes.get(str(key), item)
        for key, item in zip(value.keys, value.items, strict=True)
    )
    return replace(value, items=items)
