"""The kinds of live values.

Takes the arguments of a call; gives their kinds, for which a derivative is compiled.

>>> str(kind_of_value((1.0, np.zeros((3, 1))), "p"))
'tuple(0: float, 1: float64[n, 1])'
"""

import dataclasses
import enum
import functools
import random
import types
from collections.abc import Hashable, Iterable, Mapping, MutableSequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from s2sad import errors, ir
from s2sad.source.kinds import attributes, foreign_classes, lists

LONGEST_STRUCTURE = 64
"""A list or tuple with more items is not taken apart."""

PYTHON_NUMBERS: dict[type, ir.Kind] = {
    float: ir.FLOAT,
    int: ir.INT,
    bool: ir.BOOL,
    complex: ir.COMPLEX,
}
RANDOM_SOURCES: dict[type, ir.Kind] = {
    np.random.Generator: ir.GENERATOR,
    np.random.RandomState: ir.RANDOM_STATE,
    random.Random: ir.PYTHON_RANDOM,
}
COMPARED_BY_IDENTITY = (
    type(None),
    type,
    types.FunctionType,
    types.ModuleType,
    enum.Enum,
    np.ufunc,
    functools.partial,
    type(Ellipsis),
    type(NotImplemented),
)
# NumPy takes long to spell a name. Other byte orders have the same one.
_NAMES: dict[np.dtype[Any], str] = {
    dtype: dtype.name
    for code in "?" + np.typecodes["AllInteger"] + np.typecodes["AllFloat"]
    for dtype in (np.dtype(code), np.dtype(code).newbyteorder())
}
_EQUAL = (types.MethodType, types.BuiltinFunctionType, str, bytes, np.dtype)


class Keeping(Protocol):
    """Says which lists, dicts and objects are kept as they are."""

    def kind(self, value: Any, path: Hashable) -> ir.Kind | None:
        """The kind of one that is kept; None for one that is taken apart."""


class _Inside(NamedTuple):
    """What a value stands in."""

    identities: tuple[int, ...] = ()
    keeping: Keeping | None = None


def kind_of_value(
    value: Any, path: Hashable, keeping: Keeping | None = None
) -> ir.Kind:
    """The kind of a live value.

    ``path`` says where the value comes from; the symbols of its axes are named after
    it, and an item of a structure has the path ``(path, key)``. What holds numbers in a
    way that the compiler can't take apart (a subclass of dict, a structured array) is
    foreign; other objects are opaque.

    Raises :class:`~s2sad.errors.ArgumentError` for a list or tuple of more than 64
    items that may carry a derivative, and for a structure that contains itself.
    """
    return _kind(value, path, _Inside(keeping=keeping))


def _kind(value: Any, path: Hashable, inside: _Inside) -> ir.Kind:
    cls = type(value)
    if cls in PYTHON_NUMBERS:
        return PYTHON_NUMBERS[cls]
    if cls is np.ndarray:
        return _array(value, path)
    if cls is str and inside.keeping is not None:
        return inside.keeping.kind(value, path) or ir.Known(value)
    if isinstance(value, COMPARED_BY_IDENTITY + _EQUAL):
        return ir.Known(value)
    if isinstance(value, np.generic):
        record = isinstance(value, np.void)  # it holds fields
        return ir.Foreign(cls=cls) if record else ir.NumPyScalar(value.dtype.name)
    if foreign_classes.is_foreign(cls):
        sparse = foreign_classes.is_sparse(cls) and len(value.shape) == 2
        return _sparse(value, path) if sparse else ir.Foreign(cls=cls)
    base = foreign_classes.number_class(cls)
    if base is not None:
        return ir.Scalar(base.__name__, cls=cls)
    if inside.keeping is not None:
        kept = inside.keeping.kind(value, path)
        if kept is not None:
            return kept
    if cls in (tuple, list) or _is_namedtuple(value):
        return _sequence(value, path, inside)
    if cls is dict:
        return _structure(value, value, value.values(), path, inside)
    if isinstance(value, np.ndarray):
        return _array(value, path)
    if cls is slice:
        parts = (value.start, value.stop, value.step)
        fixed = all(p is None or isinstance(p, int | np.integer) for p in parts)
        return ir.Known(value) if fixed else ir.OPAQUE
    if cls in RANDOM_SOURCES:
        return RANDOM_SOURCES[cls]
    if cls in (set, frozenset):
        return ir.Members(constructor=cls)
    names = attributes.attributes_of(value)
    if names is not None:
        return _object(value, names, path, inside)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return ir.UNKNOWN  # a field that was never set
    if isinstance(value, tuple | list | Mapping | MutableSequence):
        return ir.Foreign(cls=cls)
    if callable(value) and _wraps_function(value):
        return ir.Known(value)
    return ir.OPAQUE


def _array(value: Any, path: Hashable) -> ir.Kind:
    if value.dtype.names is not None:
        return ir.Foreign(cls=type(value))
    axes = tuple(_axis(n, (path, k)) for k, n in enumerate(value.shape))
    return ir.Array(dtype_name(value.dtype), axes)


def _sparse(value: Any, path: Hashable) -> ir.Sparse:
    return ir.Sparse(
        cls=type(value),
        dtype=dtype_name(value.dtype),
        axes=tuple(_axis(n, (path, k)) for k, n in enumerate(value.shape)),
        star_is_product=foreign_classes.star_is_product(type(value)),
    )


def dtype_name(dtype: Any) -> str | None:
    if isinstance(dtype, np.dtype) and dtype in _NAMES:
        return _NAMES[dtype]
    name = getattr(dtype, "name", None)
    return name if isinstance(name, str) else None


def _axis(length: int, symbol: Hashable) -> ir.Axis:
    if length == 0:
        return ir.EMPTY
    return ir.ONE if length == 1 else ir.Axis("many", symbol)


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and attributes.names_items(type(value))


def _wraps_function(value: Any) -> bool:
    """Functions in disguise: ``functools.cache``, a differentiated function."""
    try:
        return isinstance(value.__wrapped__, types.FunctionType)
    except Exception:
        return False


def _sequence(value: Any, path: Hashable, inside: _Inside) -> ir.Kind:
    cls = type(value)
    keys = range(len(value)) if cls in (tuple, list) else cls._fields
    if cls in (tuple, list) and (found := lists.kind_of_list(value, path)) is not None:
        return found
    if len(value) > LONGEST_STRUCTURE:
        if _carries_nothing(value, value, path, inside):
            return ir.OPAQUE
        raise too_long(path, value)
    return _structure(value, keys, value, path, inside)


class TooLong(errors.ArgumentError):
    """A list or tuple that can't be held."""


def too_long(path: Hashable, value: Any) -> TooLong:
    """What is raised for a list or tuple that can't be held."""
    return TooLong(
        f"{_spell(path)} is a {type(value).__name__} of {len(value)} items: lists of "
        f"more than {LONGEST_STRUCTURE} items that aren't numbers alone, or arrays of "
        "one rank, are not taken apart"
    )


class _Circle(Exception):
    """An object holds itself."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


def _object(
    value: Any, names: tuple[str, ...], path: Hashable, inside: _Inside
) -> ir.Kind:
    if dataclasses.is_dataclass(value):
        return _structure(
            value, names, [getattr(value, n) for n in names], path, inside
        )
    if id(value) in inside.identities:
        raise _Circle(value)
    inside = inside._replace(identities=(*inside.identities, id(value)))
    try:
        items = tuple(_kind(getattr(value, n), (path, n), inside) for n in names)
    except _Circle as circle:
        if circle.value is value:
            return ir.OPAQUE
        raise
    return ir.Structure(type(value), names, items)


def _structure(
    value: Any,
    keys: Iterable[Hashable],
    items: Iterable[Any],
    path: Hashable,
    inside: _Inside,
) -> ir.Kind:
    if type(value) is dict and len(value) > LONGEST_STRUCTURE:
        # A vocabulary, say; large dicts of parameters are taken apart nevertheless.
        if _carries_nothing(value, items, path, inside):
            return ir.OPAQUE
    inside = _enter(value, path, inside)
    keys = tuple(keys)
    kinds = tuple(_kind(i, (path, k), inside) for k, i in zip(keys, items, strict=True))
    return ir.Structure(type(value), keys, kinds)


def _carries_nothing(
    value: Any, items: Iterable[Any], path: Hashable, inside: _Inside
) -> bool:
    inside = _enter(value, path, inside)
    return not any(ir.is_real_number_kind(_kind(i, path, inside)) for i in items)


def _enter(value: Any, path: Hashable, inside: _Inside) -> _Inside:
    if id(value) in inside.identities:
        raise errors.ArgumentError(f"{_spell(path)} contains itself")
    return inside._replace(identities=(*inside.identities, id(value)))


def _spell(path: Hashable) -> str:
    """The path as the user would write it: ``params['w1'][0]``."""
    if isinstance(path, tuple) and len(path) == 2:
        return f"{_spell(path[0])}[{path[1]!r}]"
    return str(path) if isinstance(path, str) else "the argument"
