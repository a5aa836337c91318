"""Objects made of classes that are only read as text."""

from __future__ import annotations

import ast
import dataclasses
from dataclasses import replace

from s2sad.frontend.annotation_nodes import (
    fields_of_class,
    form_of_class,
    stand_in_of,
)
from s2sad.frontend.resolve import (
    NameNotFound,
    StaticClass,
    StaticData,
    StaticFunction,
    follow,
)
from s2sad.frontend.specialise.exceptions import Unsupported
from s2sad.frontend.specialise.members import member_of
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import Aggregate, Value, aggregate_of, constant
from s2sad.frontend.static_attributes import attributes_of_class


def static_instance(
    spec: Specialiser,
    cls: StaticClass,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A NamedTuple or dataclass whose defaults are literals, or made by a
    ``default_factory`` that says no more than a literal; an object of a plain class, by
    its ``__init__``; other classes are refused."""
    form = form_of_class(cls)
    if form is None and attributes_of_class(cls) is not None:
        return _initialised(spec, cls, args, keywords, node)
    fields = fields_of_class(cls, form) if form in ("dataclass", "namedtuple") else None
    own = ("__init__", "__post_init__", "__new__")
    written = (member_of(cls, name) for name in own)
    if fields is None or any(
        m and isinstance(m.value, StaticFunction) for m in written
    ):
        raise Unsupported(
            node,
            f"how a {cls.name} is made isn't known from the text",
            "make it a NamedTuple, a dataclass without __post_init__ or a class with "
            "__init__ alone, or differentiate the function where it is imported",
        )
    names = list(fields)
    if len(args) > len(names) or not set(keywords) <= set(names[len(args) :]):
        raise Unsupported(node, f"{cls.name} has other fields", "check the call")
    values = dict(zip(names, args, strict=False)) | keywords
    for name in names:
        if name not in values:
            values[name] = _default(cls, name, node)
    return Aggregate(cls, tuple(names), tuple(values[name] for name in names))  # type: ignore[arg-type]


def _initialised(
    spec: Specialiser,
    cls: StaticClass,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """An object whose ``__init__`` is run on a draft."""
    from s2sad.frontend.specialise.construction import construct

    made = construct(spec, stand_in_of(cls), args, keywords, node)
    assert made is not None
    if isinstance(made, Aggregate):
        return replace(made, constructor=cls)  # type: ignore[arg-type]
    return made


def static_replaced(
    spec: Specialiser,
    value: Value,
    cls: StaticClass,
    changes: dict[str, Value],
    node: ast.AST,
) -> Value:
    """``dataclasses.replace`` of an instance of such a class."""
    if form_of_class(cls) != "dataclass" or not isinstance(value, Aggregate):
        raise Unsupported(
            node, f"replace of a {cls.name}", "pass an instance of a dataclass"
        )
    kept = dict(zip(value.keys, value.items, strict=True))
    return static_instance(spec, cls, (), {**kept, **changes}, node)  # type: ignore[dict-item]


def _default(cls: StaticClass, name: str, node: ast.AST) -> Value:
    try:
        found = cls.member(name)
    except NameNotFound:
        raise Unsupported(
            node, f"{cls.name} needs {name!r}", "check the call"
        ) from None
    if isinstance(found, int | float | str | type(None)):
        return constant(found)
    expression = found.expression if isinstance(found, StaticData) else None
    literal = _literal_of_field(cls, expression)
    if literal is None:
        raise Unsupported(
            node,
            f"the default of {name!r} of {cls.name} is no literal",
            "pass the value",
        )
    return _value_of_literal(literal)


def _literal_of_field(cls: StaticClass, expression: ast.expr | None) -> ast.expr | None:
    """The literal that a field starts as: itself, or what ``field(default=...)`` or
    ``field(default_factory=...)`` says."""
    if isinstance(expression, ast.Call):
        try:
            if follow(expression.func, cls.resolver) is not dataclasses.field:
                return None
        except NameNotFound:
            return None
        words = {word.arg: word.value for word in expression.keywords}
        expression = words.get("default") or _made(words.get("default_factory"))
    try:
        ast.literal_eval(expression)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return None
    return expression


def _made(factory: ast.expr | None) -> ast.expr | None:
    match factory:
        case ast.Name(id="list"):
            return ast.List([], ast.Load())
        case ast.Name(id="dict"):
            return ast.Dict([], [])
        case ast.Name(id="tuple"):
            return ast.Tuple([], ast.Load())
        case ast.Lambda(body=body):
            return body
    return None


def _value_of_literal(literal: ast.expr) -> Value:
    match literal:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            kind = list if isinstance(literal, ast.List) else tuple
            return aggregate_of(tuple(map(_value_of_literal, items)), kind)
        case ast.Dict(keys=keys, values=values):
            names = tuple(ast.literal_eval(key) for key in keys if key is not None)
            return Aggregate(dict, names, tuple(map(_value_of_literal, values)))
    return constant(ast.literal_eval(literal))
