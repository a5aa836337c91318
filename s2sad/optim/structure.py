"""Walking over parameter structures.

A structure is a tuple, list, dict, NamedTuple, dataclass or other object that keeps
attributes, whose parts are structures again; anything else (a float, an array, None, a
string, a function) is a leaf. This folder needs
NumPy alone and imports nothing of s2sad outside itself, so a copy of it works beside a
transpiled file.
"""

import copy
import dataclasses
import enum
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any


class StructureError(ValueError):
    """Two structures that should have the same layout differ."""


def map_structure(
    f: Callable[..., Any], *structures: Any, names: Sequence[str] | None = None
) -> Any:
    """Apply f to corresponding leaves and return the results in the same structure.

    Takes one or more structures of one layout: the same nesting of tuples, lists,
    dicts (the same keys, in any order), NamedTuples and objects (the same types).
    The result has the types and the order of the first structure. Nothing given is
    changed. An object is copied and its attributes replaced: no `__init__` is run.

    Where layouts differ a StructureError tells the path and what each structure has
    there, calling the structures by `names` where these are given.

    >>> map_structure(lambda p, g: p - 0.5 * g, {"w": (1.0, 2.0)}, {"w": (2.0, 2.0)})
    {'w': (0.0, 1.0)}
    """
    return map_structure_with_path(
        lambda path, *leaves: f(*leaves), *structures, names=names
    )


def map_structure_with_path(
    f: Callable[..., Any], *structures: Any, names: Sequence[str] | None = None
) -> Any:
    """Like map_structure, but f takes the path of the leaves as its first argument.

    A path is written as Python would reach the leaf from its structure; it is empty
    for a structure that is itself a leaf.

    >>> map_structure_with_path(lambda path, leaf: path, {"layers": [(0.0, 0.0)]})
    {'layers': [("['layers'][0][0]", "['layers'][0][1]")]}
    """
    if not structures:
        raise TypeError("map_structure needs at least one structure")
    if names is None:
        names = [f"structure {number}" for number in range(1, len(structures) + 1)]
    return _map(f, "", structures, names)


def _map(
    f: Callable[..., Any], path: str, structures: tuple[Any, ...], names: Sequence[str]
) -> Any:
    first = structures[0]
    for other, name in zip(structures[1:], names[1:]):
        difference = _difference(first, other, names[0], name)
        if difference:
            where = f"at {path}" if path else "at the top"
            raise StructureError(
                f"{names[0]} and {name} differ in structure {where}: {difference}"
            )

    def map_parts(parts: Iterable[tuple[str, Callable[[Any], Any]]]) -> list[Any]:
        return [
            _map(f, path + step, tuple(get(part) for part in structures), names)
            for step, get in parts
        ]

    if isinstance(first, dict):
        values = map_parts((f"[{key!r}]", _item(key)) for key in first)
        mapped = copy.copy(first)
        mapped.update(zip(first, values))
        return mapped
    if _is_namedtuple(first):
        fields = type(first)._fields
        return type(first)._make(map_parts((f".{x}", _field(x)) for x in fields))
    if isinstance(first, tuple | list):
        return type(first)(map_parts((f"[{i}]", _item(i)) for i in range(len(first))))
    fields = _attributes(first)
    if fields is not None:
        mapped = copy.copy(first)
        values = map_parts((f".{field}", _field(field)) for field in fields)
        for field, value in zip(fields, values):
            object.__setattr__(mapped, field, value)
        return mapped
    return f(path, *structures)


def _difference(first: Any, other: Any, first_name: str, other_name: str) -> str:
    """What keeps the outermost layer of other from matching that of first, or ''."""
    if _layer(first) is not _layer(other):
        return (
            f"{first_name} has {_describe(first)}, {other_name} has {_describe(other)}"
        )
    if isinstance(first, dict) and first.keys() != other.keys():
        missing = [key for key in first if key not in other]
        extra = [key for key in other if key not in first]
        said = [f"{other_name} lacks {_listed(missing)}"] if missing else []
        said += [f"{other_name} also has {_listed(extra)}"] if extra else []
        return " and ".join(said)
    if isinstance(first, tuple | list) and len(first) != len(other):
        return (
            f"{first_name} has {_describe(first)} of length {len(first)}, "
            f"{other_name} one of length {len(other)}"
        )
    return ""


def _layer(value: Any) -> type | None:
    """The type that decides how value is walked; None for a leaf."""
    if isinstance(value, dict):
        return dict
    if isinstance(value, tuple | list) or _attributes(value) is not None:
        return type(value)
    return None


def _describe(value: Any) -> str:
    if isinstance(value, dict):
        return "a dict"
    if _layer(value) is None:
        return "None" if value is None else f"a leaf of type {type(value).__name__}"
    return f"a {type(value).__name__}"


def _listed(keys: list[Any]) -> str:
    return ", ".join(repr(key) for key in keys)


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _attributes(value: Any) -> list[str] | None:
    """The names of what an object keeps, fields of a dataclass first; None for what
    isn't taken apart: numbers, arrays, functions, objects of libraries."""
    cls = type(value)
    if isinstance(value, type):
        return None
    names = []
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    elif not _is_users_class(cls):
        return None
    slots = [
        name
        for base in reversed(cls.__mro__)
        for name, found in vars(base).items()
        if isinstance(found, types.MemberDescriptorType) and name != "__dict__"
    ]
    held = [*slots, *getattr(value, "__dict__", {})]
    return list(dict.fromkeys([*names, *(n for n in held if hasattr(value, n))]))


def _is_users_class(cls: type) -> bool:
    """True for classes written in Python whose instances keep attributes."""
    if cls is types.SimpleNamespace:
        return True
    root = cls.__module__.partition(".")[0]
    library = root in sys.stdlib_module_names or root in ("numpy", "scipy", "s2sad")
    if (library and root != "__main__") or hasattr(cls, "__array_function__"):
        return False
    if issubclass(cls, enum.Enum | BaseException):
        return False
    return all(base.__flags__ & _MADE_BY_PYTHON for base in cls.__mro__[:-1])


_MADE_BY_PYTHON = 1 << 9


def _item(key: Any) -> Callable[[Any], Any]:
    return lambda structure: structure[key]


def _field(name: str) -> Callable[[Any], Any]:
    return lambda structure: getattr(structure, name)
