"""What names mean in a module that is read without being executed."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from s2sad.checkpoints import checkpoint

if TYPE_CHECKING:
    from s2sad.frontend.resolve import Resolver
    from s2sad.frontend.source import SourceFunction
    from s2sad.frontend.static_classes import ClassReader


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

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.source.name


@dataclass(frozen=True, eq=False)
class StaticClass:
    """A class of a module."""

    name: str
    node: ast.ClassDef = field(repr=False)
    resolver: Resolver = field(repr=False)
    module: str
    reader: ClassReader = field(repr=False)

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
        """An attribute; ``checkpoint`` itself, which means what it is."""
        if name == checkpoint.__name__:
            return checkpoint
        return StaticS2sad(f"{self.path}.{name}")
