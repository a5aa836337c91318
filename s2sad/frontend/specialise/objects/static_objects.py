"""Objects made of classes that are only read as text."""

import ast
from dataclasses import replace

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.objects import construction, members
from s2sad.frontend.specialise.run_time import making, queries
from s2sad.source.annotations.annotation_nodes import (
    class_of_structures,
    form_of_class,
    live_meaning,
    stand_in_of,
)
from s2sad.source.static.attributes import attributes_of_class
from s2sad.source.static.fields import StaticField, fields_when_made
from s2sad.source.text.resolve import StaticClass, StaticFunction

_OF_DATACLASSES = ("__init__", "__new__", "__setattr__", "__getattribute__")
"""Methods of their own with which dataclasses do more than to keep their fields."""


def static_instance(
    spec: Specialiser, cls: StaticClass, args: Args, keywords: Words
) -> core.Value:
    """A NamedTuple or dataclass whose defaults are literals, or made by a
    ``default_factory`` that says no more than a literal, with its ``__post_init__``; an
    object of a plain class, by its ``__init__``; other classes are refused."""
    form, made_over = form_of_class(cls), cls.reader.is_made_over(cls)
    if form is None and not made_over and attributes_of_class(cls) is not None:
        return _initialised(spec, cls, args, keywords)
    fields = fields_when_made(cls, form) if form else None
    written = (members.member_of(cls, name) for name in _OF_DATACLASSES)
    if (
        fields is None
        or made_over
        or any(m and isinstance(m.value, StaticFunction) for m in written)
        or any(_is_descriptor(cls, field.default) for field in fields.values())
    ):
        raise core.Unsupported(
            f"how a {cls.name} is made isn't known from the text",
            "make it a NamedTuple, a dataclass or a class with __init__ alone, or "
            "differentiate the function where it is imported",
        )
    values = _given(cls, fields, args, keywords)
    after = members.member_of(cls, "__post_init__") if form == "dataclass" else None
    if after is None:
        kept = stand_in_of(cls)
        if queries.is_made_kept(spec, kept):
            return making.made_object(spec, kept, values)
        if queries.may_be_kept(spec, kept):
            spec.taken_apart.add(kept)
        return core.Aggregate(
            class_of_structures(cls), tuple(values), tuple(values.values())
        )
    return _completed(spec, cls, fields, values, after)


def _is_descriptor(cls: StaticClass, default: ast.expr | None) -> bool:
    """True for a default that takes what is stored into its field."""
    if not isinstance(default, ast.Call):
        return False
    made = live_meaning(default.func, cls.resolver)
    return isinstance(made, StaticClass) and made.reader.defines(made, "__set__")


def _given(
    cls: StaticClass, fields: dict[str, StaticField], args: Args, keywords: Words
) -> dict[str, core.Value]:
    """What a call of a class gives to its fields, in their order."""
    positional = [n for n, f in fields.items() if f.taken and f.by_position]
    others = {n for n, f in fields.items() if f.taken} - set(positional[: len(args)])
    if len(args) > len(positional) or not set(keywords) <= others:
        raise core.Unsupported(f"{cls.name} has other fields", "check the call")
    given = dict(zip(positional, args, strict=False)) | keywords
    values = {}
    for name, field in fields.items():
        if name in given:
            values[name] = given[name]
        elif field.default is not None or field.taken:
            values[name] = _default(cls, field)
    return values


def _completed(
    spec: Specialiser,
    cls: StaticClass,
    fields: dict[str, StaticField],
    values: dict[str, core.Value],
    after: members.Member,
) -> core.Value:
    """An instance of a dataclass whose ``__post_init__`` is run on a draft."""

    def initialise(draft: core.Value) -> None:
        for name, value in values.items():
            if fields[name].stored:
                construction.set_field(spec, draft, name, value)
        handed = [value for name, value in values.items() if not fields[name].stored]
        spec.call_value(core.constant(after.value), (draft, *handed), {})

    return _of_class(construction.drafted(spec, stand_in_of(cls), initialise), cls)


def _initialised(
    spec: Specialiser, cls: StaticClass, args: Args, keywords: Words
) -> core.Value:
    """An object whose ``__init__`` is run on a draft."""
    made = construction.construct(spec, stand_in_of(cls), args, keywords)
    assert made is not None
    return _of_class(made, cls)


def _of_class(made: core.Value, cls: StaticClass) -> core.Value:
    if isinstance(made, core.Aggregate):
        return replace(made, constructor=cls)  # type: ignore[arg-type]
    return made


def static_replaced(
    spec: Specialiser,
    value: core.Value,
    cls: StaticClass,
    changes: dict[str, core.Value],
) -> core.Value:
    """``dataclasses.replace`` of an instance of such a class."""
    if form_of_class(cls) != "dataclass" or not isinstance(value, core.Aggregate):
        raise core.Unsupported(
            f"replace of a {cls.name}", "pass an instance of a dataclass"
        )
    kept = dict(zip(value.keys, value.items, strict=True))
    return static_instance(spec, cls, (), {**kept, **changes})  # type: ignore[dict-item]


def _default(cls: StaticClass, field: StaticField) -> core.Value:
    if field.default is None:
        raise core.Unsupported(f"{cls.name} needs {field.name!r}", "check the call")
    try:
        ast.literal_eval(field.default)
    except (ValueError, TypeError):
        raise core.Unsupported(
            f"the default of {field.name!r} of {cls.name} is no literal",
            "pass the value",
        ) from None
    return _value_of_literal(field.default)


def _value_of_literal(literal: ast.expr) -> core.Value:
    match literal:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            kind = list if isinstance(literal, ast.List) else tuple
            return core.aggregate_of(tuple(map(_value_of_literal, items)), kind)
        case ast.Dict(keys=keys, values=values):
            names = tuple(ast.literal_eval(key) for key in keys if key is not None)
            return core.Aggregate(dict, names, tuple(map(_value_of_literal, values)))
    return core.constant(ast.literal_eval(literal))
