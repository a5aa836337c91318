"""Objects made of classes that are only read as text."""

from __future__ import annotations

import ast

from s2sad.frontend.annotation_nodes import fields_of_class, form_of_class
from s2sad.frontend.resolve import NameNotFound, StaticClass, StaticData
from s2sad.frontend.specialise.exceptions import Unsupported
from s2sad.frontend.specialise.members import member_of
from s2sad.frontend.specialise.values import Aggregate, Value, constant


def static_instance(
    cls: StaticClass, args: tuple[Value, ...], keywords: dict[str, Value], node: ast.AST
) -> Value:
    """A NamedTuple or dataclass with literal defaults; other classes are refused."""
    form = form_of_class(cls)
    fields = fields_of_class(cls, form) if form in ("dataclass", "namedtuple") else None
    own = [
        name
        for name in ("__init__", "__post_init__", "__new__")
        if member_of(cls, name) is not None
    ]
    if fields is None or own:
        raise Unsupported(
            node,
            f"how a {cls.name} is made isn't known from the text",
            "make it a NamedTuple or a dataclass without __post_init__, or "
            "differentiate the function where it is imported",
        )
    names = list(fields)
    if len(args) > len(names) or not set(keywords) <= set(names[len(args) :]):
        raise Unsupported(node, f"{cls.name} has other fields", "check the call")
    values = dict(zip(names, args, strict=False)) | keywords
    for name in names:
        if name not in values:
            values[name] = constant(_default(cls, name, node))
    return Aggregate(cls, tuple(names), tuple(values[name] for name in names))  # type: ignore[arg-type]


def _default(cls: StaticClass, name: str, node: ast.AST) -> object:
    try:
        found = cls.member(name)
    except NameNotFound:
        raise Unsupported(
            node, f"{cls.name} needs {name!r}", "check the call"
        ) from None
    if isinstance(found, StaticData) and isinstance(found.expression, ast.Constant):
        return found.expression.value
    if isinstance(found, int | float | str | type(None)):
        return found
    raise Unsupported(
        node, f"the default of {name!r} of {cls.name} is no literal", "pass the value"
    )
