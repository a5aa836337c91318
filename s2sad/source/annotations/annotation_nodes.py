"""Annotations that were only read: their syntax trees, and those of classes.

Takes the syntax tree of an annotation; gives the live annotation that it means. Only
names of NumPy, the standard library and the like are live there: what the static
resolver merely read (a class of the user, jaxtyping) is represented by a stand-in
class, so that ``Optional[Params]`` can be formed as if it were live.
"""

from __future__ import annotations

import abc
import ast
import collections
import dataclasses
import enum
import functools
import typing
from typing import Any

import numpy as np

from s2sad.source.annotations.jaxtyping import JaxtypingArray
from s2sad.source.static.values import StaticClass, StaticData, StaticForeign
from s2sad.source.text import parsed, resolve


class StandIn(type):
    """A class in place of an annotation that isn't a live object."""

    meaning: StaticClass | JaxtypingArray

    @classmethod
    def of(
        cls,
        meaning: StaticClass | JaxtypingArray,
        bases: tuple[type, ...] = (),
        **held: Any,
    ) -> StandIn:
        stand_in = cls(getattr(meaning, "name", "StandIn"), bases, held)
        stand_in.meaning = meaning
        return stand_in


def is_structure(annotation: Any) -> bool:
    """True for lists, dicts, tuples and objects."""
    if typing.get_origin(annotation) is typing.Union:
        return any(map(is_structure, typing.get_args(annotation)))
    containers = (list, dict, tuple, collections.deque)
    return (
        isinstance(annotation, StandIn)
        or typing.get_origin(annotation) in containers
        or typing.is_typeddict(annotation)
    )


@functools.cache
def stand_in_of(cls: StaticClass) -> StandIn:
    """The class of cells and forms of objects of a class which is only read."""
    found = (live_meaning(node, cls.resolver) for node in cls.node.bases)
    bases = tuple(stand_in_of(b) for b in found if isinstance(b, StaticClass))
    if _own_form(cls) == "namedtuple":
        fields = fields_of_class(cls, "namedtuple") or ()
        return StandIn.of(cls, (tuple,), _fields=tuple(fields))
    return StandIn.of(cls, bases)


def class_of_structures(cls: Any) -> Any:
    """The class of structures that are of a class, as the program knows them: another
    stands in for a NamedTuple that is only read, and is a tuple as well."""
    named = isinstance(cls, StaticClass) and form_of_class(cls) == "namedtuple"
    return stand_in_of(cls) if named else cls


def holds_name(cls: Any, name: str) -> bool:
    """True for a class, or one that it stands for, that has something of its own or its
    bases' under a name; ``object`` aside."""
    meant = class_meant(cls)
    if not isinstance(meant, StaticClass):
        return getattr(cls, name, None) is not getattr(object, name, None)
    if name == "__eq__" and form_of_class(meant) is not None:
        return True
    return static_member(meant, name) is not None


def static_member(cls: StaticClass, name: str) -> Any:
    """What a class that was read, or one of its bases, holds under a name; None if
    nothing."""
    try:
        return cls.member(name)
    except resolve.NameNotFound:
        return None


def is_frozen(cls: StaticClass) -> bool:
    """True for a dataclass whose objects can't be stored into."""
    words = [w for d in cls.node.decorator_list for w in getattr(d, "keywords", ())]
    bases = (live_meaning(node, cls.resolver) for node in cls.node.bases)
    return any(word.arg == "frozen" for word in words) or any(
        is_frozen(base) for base in bases if isinstance(base, StaticClass)
    )


def class_meant(cls: Any) -> Any:
    """The class that the class of a draft stands for; others as they are."""
    return cls.meaning if isinstance(cls, StandIn) else cls


def parsed_annotation(text: str) -> ast.expr | None:
    try:
        found: ast.expr = parsed.syntax_tree(text.strip(), mode="eval").body
        return found
    except (SyntaxError, ValueError):
        return None


def evaluated_annotation(node: ast.expr, resolver: Any) -> Any:
    """The annotation that a syntax tree means; ``Any`` for what can't be made out."""
    try:
        return _evaluated(node, resolver)
    except RecursionError:
        raise
    except Exception:
        return Any


def _evaluated(node: ast.expr, resolver: Any) -> Any:
    match node:
        case ast.Constant(value=str(text)):
            inner = parsed_annotation(text)
            return Any if inner is None else evaluated_annotation(inner, resolver)
        case ast.Constant(value=value):
            return value
        case ast.Name() | ast.Attribute():
            return _as_annotation(_meaning(node, resolver), resolver)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return typing.Union[  # noqa: UP007
                evaluated_annotation(left, resolver),
                evaluated_annotation(right, resolver),
            ]
        case ast.Tuple(elts=elements):
            return tuple(evaluated_annotation(e, resolver) for e in elements)
        case ast.List(elts=elements):
            return [evaluated_annotation(e, resolver) for e in elements]
        case ast.Subscript(value=base, slice=index):
            return _subscript(_meaning(base, resolver), index, resolver)
    return Any


def _meaning(node: ast.expr, resolver: Any) -> Any:
    """What an expression stands for, as the resolver has it."""
    if isinstance(node, ast.Name):
        return resolver.resolve(node.id).value
    if isinstance(node, ast.Attribute):
        return resolver.attribute(_meaning(node.value, resolver), node.attr)
    return evaluated_annotation(node, resolver)


def _subscript(base: Any, index: ast.expr, resolver: Any) -> Any:
    elements = index.elts if isinstance(index, ast.Tuple) else [index]
    name = _jaxtyping_name(base)
    if name is not None:
        text = ast.literal_eval(elements[1])
        return StandIn.of(JaxtypingArray(name, text))
    base = _as_annotation(base, resolver)
    if base is Any or any(isinstance(e, ast.Starred) for e in elements):
        return Any
    if isinstance(base, StandIn):  # a generic class of the user
        return base
    if base is typing.Literal:
        return base[tuple(ast.literal_eval(e) for e in elements)]
    if base is typing.Annotated:
        return evaluated_annotation(elements[0], resolver)
    return base[evaluated_annotation(index, resolver)]


def _as_annotation(value: Any, resolver: Any) -> Any:
    """A value of the resolver as a live annotation."""
    if isinstance(value, StaticClass):
        return StandIn.of(value)
    if isinstance(value, StaticForeign):
        module, _, name = value.path.rpartition(".")
        if module == "typing_extensions":
            return getattr(typing, name, Any)
        if value.path == "jaxtyping.Array":
            return np.ndarray
        return Any
    if isinstance(value, StaticData):
        return _alias(value, resolver)
    return value


def _alias(data: StaticData, resolver: Any) -> Any:
    """What ``Vector = NDArray[np.float64]`` means, where its names can be looked up."""
    try:
        binding = resolver.resolve(data.name)
    except resolve.NameNotFound:
        return Any
    here = binding.value is data and binding.module == data.module
    if not here or data.expression is None:
        return Any
    return evaluated_annotation(data.expression, resolver)


def _jaxtyping_name(value: Any) -> str | None:
    path = value.path if isinstance(value, StaticForeign) else None
    if path is None and isinstance(value, type):
        path = f"{value.__module__}.{value.__name__}"
    module, _, name = (path or "").rpartition(".")
    return name if module == "jaxtyping" else None


def fields_of_class(cls: StaticClass, form: str) -> dict[str, tuple[Any, Any]] | None:
    """Each field's annotation and the resolver of its names; None if not known."""
    fields: dict[str, tuple[Any, Any]] = {}
    return fields if _collect_fields(cls, form, fields) else None


def _own_form(cls: StaticClass) -> str | None:
    """What the class is by its own decorators and direct bases."""
    for decorator in cls.node.decorator_list:
        call = decorator.func if isinstance(decorator, ast.Call) else decorator
        if live_meaning(call, cls.resolver) is dataclasses.dataclass:
            return "dataclass"
    for node in cls.node.bases:
        base = live_meaning(node, cls.resolver)
        if base is typing.NamedTuple:
            return "namedtuple"
        if base is typing.TypedDict:
            return "typeddict"
        if isinstance(base, type) and issubclass(base, enum.Enum):
            return "enum"
    return None


def form_of_class(cls: StaticClass, inside: tuple[StaticClass, ...] = ()) -> str | None:
    """``"dataclass"``, ``"namedtuple"``, ``"typeddict"``, ``"enum"``, or None."""
    own = _own_form(cls)
    if own is not None:
        return own
    for node in cls.node.bases:
        base = live_meaning(node, cls.resolver)
        if isinstance(base, StaticClass) and base not in inside:
            form = form_of_class(base, (*inside, cls))
            if form is not None:
                return form
    return None


def is_tuple_class(cls: Any) -> bool:
    """True for tuple and what is derived from it, a NamedTuple that is read, too."""
    if isinstance(cls, StaticClass):
        return form_of_class(cls) == "namedtuple"
    return isinstance(cls, type) and issubclass(cls, tuple)


def is_derived(cls: Any, classes: tuple[Any, ...]) -> bool | None:
    """``issubclass``, also of classes that are read; None where their text doesn't
    tell."""
    meant = class_meant(cls)
    asked = tuple(c for c in classes if not isinstance(c, StaticClass))
    if not isinstance(meant, StaticClass):
        return issubclass(cls, asked)
    if any(meant is c for c in classes) or object in asked:
        return True
    unclear = any(type(c) is abc.ABCMeta for c in asked)  # asks for methods, maybe
    found: list[bool | None] = [None if unclear else False]
    for node in meant.node.bases:
        base = live_meaning(node, meant.resolver)
        if isinstance(base, StaticClass):
            found.append(is_derived(base, classes))
        elif any(base is known for known in _WITHOUT_FIELDS):
            found.append(base is typing.NamedTuple and issubclass(tuple, asked))
        else:
            found.append(None)
    return True if True in found else None if None in found else False


def live_meaning(node: ast.expr, resolver: Any) -> Any:
    """What a name means, its subscript left out; None where that is not known."""
    base = node.value if isinstance(node, ast.Subscript) else node
    try:
        value = _meaning(base, resolver)
    except RecursionError:
        raise
    except Exception:
        return None
    return value if isinstance(value, StaticClass) else _as_annotation(value, resolver)


_WITHOUT_FIELDS = (object, typing.NamedTuple, typing.TypedDict, typing.Generic, abc.ABC)
_NOT_FIELDS = (typing.ClassVar, dataclasses.InitVar, dataclasses.KW_ONLY)


def _collect_fields(
    cls: StaticClass, form: str, fields: dict[str, tuple[Any, Any]]
) -> bool:
    """Adds the fields of a class and its bases, each with the resolver of its names;
    False where some can't be known."""
    for node in reversed(cls.node.bases):
        base = live_meaning(node, cls.resolver)
        if isinstance(base, StaticClass):
            if not _collect_fields(base, form, fields):
                return False
        elif not any(base is known for known in _WITHOUT_FIELDS):
            return False
    if form != "typeddict" and _own_form(cls) != form:
        return True  # annotations there declare no fields
    for keyword in cls.node.keywords:
        whole = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        if keyword.arg == "total" and not whole:
            return False
    for statement in cls.node.body:
        if not isinstance(statement, ast.AnnAssign):
            continue
        if not isinstance(statement.target, ast.Name):
            continue
        head = live_meaning(statement.annotation, cls.resolver)
        if form == "dataclass" and any(head is known for known in _NOT_FIELDS):
            continue
        if head is typing.NotRequired:
            return False
        annotation = evaluated_annotation(statement.annotation, cls.resolver)
        fields[statement.target.id] = (annotation, cls.resolver)
    return True
