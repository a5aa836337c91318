"""The attributes of the objects of a class that is read, not executed.

What methods assign to ``self``, and what the class declares; the annotation of each is
the one that it is declared or assigned with, or that of the parameter of ``__init__``
that it is.
"""

import abc
import ast
import typing
from collections.abc import Iterator
from typing import Any

from s2sad.source.annotations import annotation_nodes
from s2sad.source.static.values import StaticClass

_WITHOUT_ATTRIBUTES = (object, abc.ABC, typing.Generic, typing.Protocol)
_NOT_ATTRIBUTES = (typing.ClassVar,)
_UNCLEAR = ("__getattr__", "__getattribute__", "__setattr__", "__new__")
"""Methods that decide for themselves what the attributes are."""

Attributes = dict[str, tuple[Any, Any]]


def attributes_of_class(cls: StaticClass) -> Attributes | None:
    """Each attribute's annotation, ``Any`` where there is none, and the resolver of its
    names. None where the text doesn't tell the attributes."""
    found: Attributes = {}
    return found if _collect(cls, found, ()) else None


def names_that_methods_store(cls: StaticClass) -> frozenset[str]:
    """The attributes that methods of a class may store, by a statement or by a text
    handed to ``object.__setattr__``, and those that it and its bases declare."""
    found: set[str] = set()
    for node in cls.node.bases:
        base = annotation_nodes.live_meaning(node, cls.resolver)
        if isinstance(base, StaticClass):
            found |= names_that_methods_store(base)
    for inner in ast.walk(cls.node):
        match inner:
            case ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Constant(value=str(text)) if text.isidentifier():
                found.add(text)
    return frozenset(found)


def _collect(
    cls: StaticClass, found: Attributes, inside: tuple[StaticClass, ...]
) -> bool:
    """Add the attributes that the bases give, and the class; False if unclear."""
    if cls in inside:
        return False
    for node in reversed(cls.node.bases):
        base = annotation_nodes.live_meaning(node, cls.resolver)
        if isinstance(base, StaticClass):
            if not _collect(base, found, (*inside, cls)):
                return False
        elif not any(base is known for known in _WITHOUT_ATTRIBUTES):
            return False
    if cls.node.keywords or cls.node.decorator_list:
        return False
    assigned: dict[str, list[ast.expr | None]] = {}
    constants: dict[str, ast.expr] = {}
    for statement in cls.node.body:
        if isinstance(statement, ast.AnnAssign):
            head = annotation_nodes.live_meaning(statement.annotation, cls.resolver)
            if any(head is known for known in _NOT_ATTRIBUTES):
                continue
            if isinstance(statement.target, ast.Name):
                assigned[statement.target.id] = [statement.annotation]
        elif isinstance(statement, ast.Assign):
            constants |= _constants(statement)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if statement.name in _UNCLEAR:
                return False
            certain = statement.name == "__init__"
            for name, annotation in _assigned_by(statement):
                # What another method makes may not be there, and isn't checked.
                assigned.setdefault(name, []).append(annotation if certain else None)
    for name, constant in constants.items():
        assigned.setdefault(name, [constant])
    for name, given in assigned.items():
        told = [a for a in given if a is not None]
        before = typing.get_origin(found.get(name, (Any,))[0])
        if len(set(map(ast.dump, told))) == 1:
            found[name] = (
                annotation_nodes.evaluated_annotation(told[0], cls.resolver),
                cls.resolver,
            )
        elif name not in found or before is typing.Literal:
            found[name] = (Any, cls.resolver)
    return True


def _constants(statement: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """Literals that a class holds, which objects may have replaced: a float is some
    float; of others it is checked that they are the same."""
    value = statement.value
    if not isinstance(value, ast.Constant):
        return
    if not isinstance(value.value, bool | int | float | str | None):
        return
    annotation: ast.expr = ast.Name("float", ast.Load())
    if not isinstance(value.value, float):
        literal: Any = ast.Constant(typing.Literal)  # type: ignore[arg-type]
        annotation = ast.Subscript(literal, value, ast.Load())
    for target in statement.targets:
        if isinstance(target, ast.Name) and not target.id.startswith("__"):
            yield target.id, annotation


def _assigned_by(
    method: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[tuple[str, ast.expr | None]]:
    """The attributes of its first argument that a method assigns to, each with the
    annotation of what is assigned."""
    parameters = [*method.args.posonlyargs, *method.args.args]
    if not parameters or method.decorator_list:
        return
    given = {p.arg: p.annotation for p in (*parameters[1:], *method.args.kwonlyargs)}
    for node in ast.walk(method):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            given.pop(node.id, None)
    for node in ast.walk(method):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    for inner in ast.walk(target):
                        if _is_attribute(inner, parameters[0].arg):
                            whole = inner is target
                            yield inner.attr, _annotation(value, given, whole)
            case ast.AnnAssign(target=target):
                if _is_attribute(target, parameters[0].arg):
                    yield target.attr, node.annotation
            case ast.AugAssign(target=target) | ast.For(target=target):
                for inner in ast.walk(target):
                    if _is_attribute(inner, parameters[0].arg):
                        yield inner.attr, None


def _is_attribute(node: Any, owner: str) -> typing.TypeGuard[ast.Attribute]:
    if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == owner


def _annotation(
    value: ast.expr, given: dict[str, ast.expr | None], whole: bool
) -> ast.expr | None:
    """The annotation of a parameter that is assigned as it is, or of a float."""
    match value:
        case ast.Name(id=name) if whole:
            return given.get(name)
        case ast.Constant(value=float()) if whole:
            return ast.Name("float", ast.Load())
    return None


def slots_of_class(cls: StaticClass) -> tuple[str, ...] | None:
    """The attributes that objects keep in slots, its bases' first; None where the text
    doesn't say which. Of a class that has none ``()``."""
    names: list[str] = []
    for node in cls.node.bases:
        base = annotation_nodes.live_meaning(node, cls.resolver)
        inherited = slots_of_class(base) if isinstance(base, StaticClass) else ()
        if inherited is None:
            return None
        names += inherited
    words = [w for d in cls.node.decorator_list for w in getattr(d, "keywords", ())]
    if any(w.arg == "slots" and getattr(w.value, "value", True) for w in words):
        names += annotation_nodes.fields_of_class(cls, "dataclass") or ()
    for statement in cls.node.body:
        read = (node.id for node in ast.walk(statement) if isinstance(node, ast.Name))
        if "__slots__" not in read:
            continue
        try:
            own = ast.literal_eval(getattr(statement, "value", statement))
        except ValueError:
            return None
        names += (own,) if isinstance(own, str) else own
    hidden = ("__dict__", "__weakref__")
    found = tuple(name for name in dict.fromkeys(names) if name not in hidden)
    return None if any(name.startswith("__") for name in found) else found
