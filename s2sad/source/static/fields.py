"""What a dataclass or NamedTuple takes where it is made, by the text of its class."""

import ast
import dataclasses
import typing
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from s2sad.source.annotations.annotation_nodes import live_meaning
from s2sad.source.static.values import StaticClass


@dataclass(frozen=True)
class StaticField:
    """A field as the class declares it; see ``dataclasses.Field``."""

    name: str
    default: ast.expr | None
    """The expression that it starts as where nothing is given; None without one."""
    taken: bool = True
    """True for a parameter of ``__init__``."""
    by_position: bool = True
    """False for a parameter that is given by its name alone."""
    stored: bool = True
    """False for an ``InitVar``, which ``__post_init__`` is handed."""
    compared: bool = True
    """True for one by which ``dataclass`` compares objects."""


def fields_when_made(cls: StaticClass, form: str) -> dict[str, StaticField] | None:
    """The fields of a ``"dataclass"`` or ``"namedtuple"`` in the order of its
    parameters; None where the text doesn't tell them."""
    if form not in ("dataclass", "namedtuple"):
        return None
    fields: dict[str, StaticField] = {}
    return fields if _collect(cls, fields) else None


def _collect(cls: StaticClass, fields: dict[str, StaticField]) -> bool:
    """Add the fields of the bases, and those of a class; False for an unclear one."""
    for node in reversed(cls.node.bases):
        base = live_meaning(node, cls.resolver)
        if isinstance(base, StaticClass) and not _collect(base, fields):
            return False
    options = _options(cls)
    if options is None or not options.get("init", True):
        return False
    declares = any(
        live_meaning(node, cls.resolver) is typing.NamedTuple for node in cls.node.bases
    )
    if declares or cls.node.decorator_list:
        by_name = bool(options.get("kw_only", False))
        for found in _declared(cls, by_name):
            if found is None:
                return False
            fields[found.name] = found
    return True


def _options(cls: StaticClass) -> dict[str, Any] | None:
    """What ``dataclass`` is told; None beside other decorators."""
    options: dict[str, Any] = {}
    for decorator in cls.node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        meaning = live_meaning(call.func if call else decorator, cls.resolver)
        if meaning is not dataclasses.dataclass:
            return None
        for word in call.keywords if call else ():
            if not isinstance(word.value, ast.Constant):
                return None
            options[word.arg or ""] = word.value.value
    return options


def compared_fields(cls: StaticClass, method: str) -> list[str] | None:
    """The fields that the ``__eq__``, ``__lt__`` or so on of a class compares which
    ``dataclass`` writes; None for another method, or none."""
    options = _options(cls)
    if options is None or method in cls.reader.scan(cls).definitions:
        return None
    written = options.get(*(("eq", True) if method == "__eq__" else ("order", False)))
    if cls.node.decorator_list and written:
        fields = fields_when_made(cls, "dataclass")
        compared = (f for f in (fields or {}).values() if f.stored and f.compared)
        return None if fields is None else [field.name for field in compared]
    for node in cls.node.bases:
        base = live_meaning(node, cls.resolver)
        if isinstance(base, StaticClass):
            return compared_fields(base, method)
    return None


def _declared(cls: StaticClass, by_name: bool) -> Iterator[StaticField | None]:
    """The fields that the body of a class declares; None for an unclear one."""
    for statement in cls.node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                head = live_meaning(statement.annotation, cls.resolver)
                if head is dataclasses.KW_ONLY:
                    by_name = True
                elif head is not typing.ClassVar:
                    own = StaticField(name, value, by_position=not by_name)
                    own = replace(own, stored=head is not dataclasses.InitVar)
                    yield _as_said(own, cls)


def _as_said(own: StaticField, cls: StaticClass) -> StaticField | None:
    """A field by the words of ``field(...)``; None where these are no literals."""
    call = own.default
    if not isinstance(call, ast.Call):
        return own
    if live_meaning(call.func, cls.resolver) is not dataclasses.field:
        return own
    words = {word.arg: word.value for word in call.keywords}
    said: dict[str, Any] = {}
    names = {"init": "taken", "compare": "compared", "kw_only": "by_position"}
    for word, name in names.items():
        if word in words:
            value = words[word]
            if not isinstance(value, ast.Constant):
                return None
            said[name] = bool(value.value) == (word != "kw_only")
    default = words.get("default", words.get("default_factory"))
    if "default" not in words and default is not None:
        default = _made(default)
    return replace(own, default=default, **said)


def _made(factory: ast.expr) -> ast.expr:
    """What a ``default_factory`` makes."""
    match factory:
        case ast.Name(id="list"):
            return ast.List([], ast.Load())
        case ast.Name(id="dict"):
            return ast.Dict([], [])
        case ast.Name(id="tuple"):
            return ast.Tuple([], ast.Load())
        case ast.Lambda(body=body):
            return body
    return ast.Call(factory, [], [])
