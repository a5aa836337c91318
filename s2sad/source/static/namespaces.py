"""What says what the names in a text mean, as others ask it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, eq=False)
class Binding:
    """What a name means."""

    name: str
    origin: str
    """``"global"``, ``"closure"`` or ``"builtin"``."""
    value: Any
    module: str
    """The module whose namespace is asked; ``"<closure>"`` for a captured variable."""


class Resolver(Protocol):
    """Says what the names in a function mean."""

    @property
    def module(self) -> str:
        """The module whose names the function reads; see ``namespace_name``."""
        ...

    def resolve(self, name: str) -> Binding:
        """The meaning of a name that isn't local. Raises ``NameNotFound``."""
        ...

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``, without running code of the user. Raises ``NameNotFound``."""
        ...


class ModuleText(Protocol):
    """A module that is read, not executed; see ``module.py``."""

    name: str
    path: Path

    @property
    def resolver(self) -> Resolver:
        """What names mean in it."""
        ...

    def defines(self, name: str) -> bool:
        """True for a name that the module binds."""
        ...

    def value(self, name: str) -> Any:
        """What a name means once the module is loaded. Raises ``NameNotFound``."""
        ...

    def meaning(self, name: str, found: Any, owner: Any = None) -> Any:
        """The value of a name that a scan of the module or of a class binds."""
        ...

    def read(self, node: Any, owner: Any) -> Any:
        """The function that a definition makes, before its decorators."""
        ...

    def imported_module(self, dotted: str, level: int) -> Any:
        """The module that an import statement with ``level`` dots names."""
        ...

    def stores_attribute(self, owner: Any, name: str) -> bool:
        """True where some text stores an attribute of this name of what is read."""
        ...

    def gives_defaults(self, path: str) -> bool:
        """True where a function at a path may get other code or defaults."""
        ...

    def replaces(self, owner: Any, name: str, value: Any) -> bool:
        """True where some text may store another value as an attribute."""
        ...

    def may_still_load(self, module: Any, name: str) -> bool:
        """True for a name of a module that may be bound again when this one is
        loaded."""
        ...

    def is_bound_again(self, name: str, line: int) -> bool:
        """True for a name that means something else at a line than in the end."""
        ...


class ClassText(Protocol):
    """Reads the classes of a module; see ``classes.py``."""

    def member(self, owner: Any, name: str) -> Any:
        """What a class, or one that it inherits from, holds under a name."""
        ...

    def has_special_members(self, owner: Any) -> bool:
        """True if what is assigned in the body isn't what attributes give."""
        ...

    def only_declares(self, owner: Any, name: str) -> bool:
        """True for a name that is annotated without a value."""
        ...

    def defines(self, owner: Any, name: str) -> bool:
        """True for a name that the class, or what it inherits from, may hold."""
        ...

    def accessor(self, owner: Any, name: str, decorator: str) -> Any:
        """The getter or setter of a property."""
        ...

    def is_plain_data(self, expression: Any) -> bool:
        """True where objects give what the class holds as it is."""
        ...

    def is_made_over(self, owner: Any) -> bool:
        """True where some text changes how objects are made, read or compared."""
        ...

    def names_with_bases(self, owner: Any) -> list[str]:
        """The names of the class and those that it is derived from."""
        ...

    def scan(self, owner: Any) -> Any:
        """The bindings of the body."""
        ...


class StaticNamespace:
    """What has attributes in its text: a module or a class."""

    name: str

    def member(self, name: str) -> Any:
        """An attribute. Raises ``NameNotFound``."""
        raise NotImplementedError
