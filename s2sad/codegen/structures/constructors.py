"""Calls of users' classes that make an object with given attributes and do nothing
else.

::

    def __init__(self, value, link):        instance_of(Node, value=v, link=head)
        self.value = value             ->   Node(value=v, link=head)
        self.link = link
"""

import ast
import inspect
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from types import FunctionType, SimpleNamespace
from typing import Any

from s2sad import ir
from s2sad.errors import SourceError
from s2sad.source.annotations.annotation_nodes import form_of_class
from s2sad.source.static.fields import fields_when_made
from s2sad.source.static.values import NameNotFound, StaticClass, StaticFunction
from s2sad.source.text.source import source_of


def words_of_call(
    cls: Any, names: tuple[Any, ...], values: Sequence[ir.Operand]
) -> list[tuple[str, ir.Operand]] | None:
    """The keywords of a call that makes an object with these attributes; None where no
    call does just that."""
    given = dict(zip(map(str, names), values, strict=True))
    if _takes_its_attributes(cls, names):
        return list(given.items())
    stored = _stored_by_init(cls)
    if stored is None or stored.keys() != given.keys():
        return None
    words = []
    for name, held in stored.items():
        if isinstance(held, str):
            words.append((held, given[name]))
        elif repr(given[name]) != repr(held):
            return None  # another constant than that which is stored
    return words


def _takes_its_attributes(cls: Any, names: tuple[Any, ...]) -> bool:
    """True for a NamedTuple and a plain dataclass."""
    if isinstance(cls, StaticClass):
        if any(_method(cls, n) is not None for n in ("__post_init__", "__init__")):
            return False
        form = form_of_class(cls)
        made = fields_when_made(cls, form) if form is not None else None
        return form not in (None, "dataclass") or (
            made is not None and all(f.taken and f.stored for f in made.values())
        )
    if issubclass(cls, tuple) or cls is SimpleNamespace:
        return True
    init: Any = cls.__init__
    if not is_dataclass(cls) or hasattr(cls, "__post_init__"):
        return False
    generated = init.__code__.co_filename == "<string>"
    taken = [f.name for f in fields(cls) if f.init]
    return generated and sorted(taken) == sorted(names)


def _stored_by_init(cls: Any) -> dict[str, str | ir.Const] | None:
    """The attributes that ``__init__`` stores, each with the parameter or the constant
    that it holds; None for one that does something else."""
    node = _init_of(cls)
    if node is None or node.decorator_list:
        return None
    own, *names = [p.arg for p in (*node.args.posonlyargs, *node.args.args)]
    names += [p.arg for p in node.args.kwonlyargs]
    if node.args.vararg or node.args.kwarg or node.args.posonlyargs:
        return None
    stored: dict[str, str | ir.Const] = {}
    for statement in node.body:
        pairs = _pairs(statement)
        if pairs is None:
            return None
        for target, value in pairs:
            match target, value:
                case ast.Attribute(ast.Name(id=owner), name), ast.Name(id=parameter):
                    held: str | ir.Const = parameter
                case ast.Attribute(ast.Name(id=owner), name), ast.Constant(constant):
                    held = ir.Const(constant)
                case _:
                    return None
            if owner != own or name in stored:
                return None
            stored[name] = held
    taken = [held for held in stored.values() if isinstance(held, str)]
    if sorted(taken) != sorted(names) or any(_runs_code(cls, n) for n in stored):
        return None
    return stored


def _pairs(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]] | None:
    """What an assignment stores where; none of a docstring."""
    match statement:
        case ast.Expr(ast.Constant(str())):
            return []
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return [(target, value)]
        case ast.Assign(targets=[ast.Tuple(targets)], value=ast.Tuple(values)):
            return list(zip(targets, values)) if len(targets) == len(values) else None
        case ast.Assign(targets=[target], value=value):
            return [(target, value)]
    return None


def _init_of(cls: Any) -> ast.FunctionDef | None:
    """The definition of ``__init__``, where making an object runs nothing else."""
    if isinstance(cls, StaticClass):
        special = ("__new__", "__setattr__")
        if cls.node.bases or cls.node.keywords or cls.node.decorator_list:
            return None
        if any(_method(cls, name) is not None for name in special):
            return None
        found = _method(cls, "__init__")
        node: Any = found.source.node if found is not None else None
    else:
        init = cls.__init__
        plain = type(cls) is type and cls.__new__ is object.__new__
        if not plain or cls.__setattr__ is not object.__setattr__:
            return None
        if not isinstance(init, FunctionType):
            return None
        try:
            node = source_of(init).node
        except SourceError:
            return None
    return node if isinstance(node, ast.FunctionDef) else None


def _runs_code(cls: Any, name: str) -> bool:
    """True for an attribute that is stored by code of its class."""
    if isinstance(cls, StaticClass):
        return _method(cls, name) is not None  # a property, or what hides one
    held = inspect.getattr_static(cls, name, None)
    return hasattr(type(held), "__set__") and not inspect.ismemberdescriptor(held)


def _method(cls: StaticClass, name: str) -> StaticFunction | None:
    try:
        found = cls.member(name)
    except NameNotFound:
        return None
    return found if isinstance(found, StaticFunction) else None
