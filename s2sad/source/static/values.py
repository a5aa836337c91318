"""What names mean in a module that is read without being executed."""

from __future__ import annotations

import ast
import importlib
import inspect
from dataclasses import dataclass, field
from typing import Any

from s2sad import checkpoints, ir
from s2sad.source.static.namespaces import ClassText, Resolver, StaticNamespace
from s2sad.source.text.source_function import SourceFunction


class NameNotFound(KeyError):
    """A name or an attribute that the resolver can't find."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


@dataclass(frozen=True, eq=False)
class StaticFunction:
    """A ``def`` of a module or a class."""

    source: SourceFunction
    decorators: tuple[str, ...]
    """The dotted path of each decorator, resolved where possible
    (``"s2sad.differentiate"``), without arguments; else its text."""
    owner: StaticClass | None = None
    """The class of whose objects it is a method."""

    def __post_init__(self) -> None:
        # what live functions have, too
        names = (self.source.name, self.source.qualname, self.source.module)
        for attribute, name in zip(("__name__", "__qualname__", "__module__"), names):
            object.__setattr__(self, attribute, name)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.source.name

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters, as ``inspect.signature`` gives those of a live function."""
        return signature_of(self.source)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        raise TypeError(f"{self.name} is read, and never executed")


def signature_of(source: SourceFunction) -> inspect.Signature:
    """The parameters of a function that is text, without annotations."""
    given = source.node.args
    parameters: list[inspect.Parameter] = []

    def add(argument: ast.arg | None, sort: Any) -> None:
        if argument is not None:
            default = source.defaults.get(argument.arg, inspect.Parameter.empty)
            made = inspect.Parameter(argument.arg, sort, default=default)
            parameters.append(made)

    for argument in given.posonlyargs:
        add(argument, inspect.Parameter.POSITIONAL_ONLY)
    for argument in given.args:
        add(argument, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    add(given.vararg, inspect.Parameter.VAR_POSITIONAL)
    for argument in given.kwonlyargs:
        add(argument, inspect.Parameter.KEYWORD_ONLY)
    add(given.kwarg, inspect.Parameter.VAR_KEYWORD)
    return inspect.Signature(parameters)


@dataclass(frozen=True, eq=False)
class StaticClass(ir.KnownByText, StaticNamespace):
    """A class of a module."""

    name: str
    node: ast.ClassDef = field(repr=False)
    resolver: Resolver = field(repr=False)
    module: str
    reader: ClassText = field(repr=False)
    path: str = ""
    """Its name behind those of the classes around it."""

    @property
    def __name__(self) -> str:
        """The name, as a class that is live has it."""
        return self.name

    def member(self, name: str) -> Any:
        """A method, the value of a literal, or ``StaticData``, of the class or what it
        inherits from. Raises ``NameNotFound``."""
        return self.reader.member(self, name)


@dataclass(frozen=True, eq=False)
class StaticData:
    """A value that is only known when the module runs."""

    name: str
    module: str
    expression: ast.expr | None
    """What is assigned; None if the name is bound in several or in other ways."""
    annotation: ast.expr | None
    resolver: Resolver | None = field(default=None, repr=False)
    """What names mean there; None for what a class holds, or where the name is bound in
    ways that aren't read."""
    made: StaticFunction | None = None
    """What gives the value, of one that holds functions and that nobody changes."""


@dataclass(frozen=True)
class UnknownDefault:
    """The default of a parameter that reads what the text doesn't tell."""

    read: str


@dataclass(frozen=True)
class StaticForeign:
    """Something imported from a module that may not be imported here, and of which no
    text was found."""

    path: str

    @property
    def name(self) -> str:
        """The dotted path."""
        return self.path

    def member(self, name: str) -> StaticForeign:
        """An attribute: as unknown as this."""
        return StaticForeign(f"{self.path}.{name}")


@dataclass(frozen=True)
class StaticS2sad:
    """``s2sad`` or something in it, by its path: ``"s2sad.differentiate"``."""

    path: str = "s2sad"

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]

    def member(self, name: str) -> Any:
        """An attribute; ``checkpoint`` itself, and what the modules of rules hold,
        which mean what they are."""
        if name == checkpoints.checkpoint.__name__:
            return checkpoints.checkpoint
        if self.path == "s2sad.rule" or self.path.startswith("s2sad.rules"):
            try:
                return getattr(importlib.import_module(self.path), name)
            except (ImportError, AttributeError):
                pass
        return StaticS2sad(f"{self.path}.{name}")


def literal_defaults(args: ast.arguments) -> dict[str, Any]:
    """The defaults of parameters, the values of literals, else the expressions."""
    positional = [*args.posonlyargs, *args.args]
    pairs = list(zip(positional[len(positional) - len(args.defaults) :], args.defaults))
    pairs += [
        (a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults) if d is not None
    ]
    values: dict[str, Any] = {}
    for parameter, default in pairs:
        try:
            values[parameter.arg] = ast.literal_eval(default)
        except (ValueError, TypeError, SyntaxError, MemoryError):
            values[parameter.arg] = default
    return values


def as_lambda(node: Any) -> ast.Lambda:
    """An expression as a function without parameters."""
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.copy_location(ast.Lambda(nothing, node), node)
