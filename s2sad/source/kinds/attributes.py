"""What an object keeps: the attributes of instances of the user's classes.

>>> from types import SimpleNamespace
>>> attributes_of(SimpleNamespace(w=1.0, b=2.0))
('w', 'b')
>>> attributes_of(1.0)
"""

import dataclasses
import enum
import functools
import sys
import types
from typing import Any

import numpy as np


def names_items(cls: Any) -> bool:
    """True for a class of tuples whose items have names, which leaves it to Python what
    its items are."""
    if not isinstance(getattr(cls, "_fields", None), tuple):
        return False
    own = (cls.__getitem__, cls.__len__)
    return issubclass(cls, tuple) and own == (tuple.__getitem__, tuple.__len__)


def attributes_of(value: Any) -> tuple[str, ...] | None:
    """The names of the attributes that an instance of a user's class holds: fields of a
    dataclass first. None for anything else, and where an attribute isn't simply there
    (a field that was never set, code that runs when it is read)."""
    cls: Any = type(value)
    if cls in _NEVER_OBJECTS or not is_users_class(cls):
        return None
    fields: tuple[str, ...] = ()
    if dataclasses.is_dataclass(cls):
        fields = tuple(f.name for f in dataclasses.fields(cls))
    held = getattr(value, "__dict__", {})
    slots = [name for name, found in _slots_of(cls) if _is_set(found, value, name)]
    names = dict.fromkeys((*fields, *slots, *held))
    try:
        for name in fields:
            getattr(value, name)
    except AttributeError:
        return None
    return tuple(names) if all(map(_is_name, names)) else None


_NEVER_OBJECTS = frozenset(
    {float, int, bool, complex, np.ndarray, str, tuple, list, dict, type}
)


@functools.lru_cache(maxsize=1024)
def _slots_of(cls: type) -> tuple[tuple[str, Any], ...]:
    """The slots of a class and its bases, which never get others."""
    return tuple(
        (name, found)
        for base in reversed(cls.__mro__)
        for name, found in vars(base).items()
        if type(found) is types.MemberDescriptorType
    )


def _is_set(slot: Any, value: Any, name: str) -> bool:
    if name == "__dict__":
        return False
    try:
        slot.__get__(value)
    except AttributeError:
        return False
    return True


@functools.lru_cache(maxsize=1024)
def hides_nothing(cls: type, name: str) -> bool:
    """True where objects of a class that lack an attribute of their own have none: the
    class holds none either, and makes none."""
    held = (vars(base)[name] for base in cls.__mro__ if name in vars(base))
    makes = hasattr(cls, "__getattr__")
    return not makes and all(type(h) is types.MemberDescriptorType for h in held)


def tells_of(cls: type, name: str) -> bool:
    """True where an object of a class tells whether it has an attribute of its own."""
    in_dict = has_dict(cls) and all(name != slot for slot, _ in _slots_of(cls))
    return in_dict or hides_nothing(cls, name)


def has_dict(cls: type) -> bool:
    """True where objects of a class may hold any attributes."""
    return any("__dict__" in vars(base) for base in cls.__mro__)


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name.isidentifier()


@functools.lru_cache(maxsize=1024)
def is_users_class(cls: type) -> bool:
    """True for classes whose instances are nothing but their attributes."""
    if cls is types.SimpleNamespace:
        return True
    if "__s2sad_written_out__" in vars(cls):
        return True
    root = cls.__module__.partition(".")[0]
    if root in ("numpy", "scipy", "s2sad", "functools", "builtins"):
        return False
    if root in sys.stdlib_module_names and root != "__main__":
        return False
    if cls.__getattribute__ is not object.__getattribute__:
        return False
    ufunc = getattr(cls, "__array_ufunc__", None)
    arrays = hasattr(cls, "__array_function__") or ufunc is not None
    if arrays or issubclass(cls, enum.Enum | BaseException):
        return False
    if not all(base.__flags__ & _MADE_BY_PYTHON for base in cls.__mro__[:-1]):
        return False
    holds_more = cls.__basicsize__ > object.__basicsize__ + 8 * _places(cls)
    return not holds_more and cls.__itemsize__ == 0


_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def _places(cls: type) -> int:
    """How many references an instance has room for: slots, the dict, weak ones."""
    return 2 + sum(
        type(found) is types.MemberDescriptorType
        for base in cls.__mro__
        for found in vars(base).values()
    )
