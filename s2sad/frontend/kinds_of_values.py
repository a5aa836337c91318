"""The kinds of live values, and the guard that tells whether a call fits them.

Takes the arguments of a call; gives their kinds, for which a derivative is compiled. A
compiled derivative is found again through its *matcher*: a generated function that is
true where :func:`kind_of_value` would give the kinds that were compiled for, and much
cheaper than asking.

>>> str(kind_of_value((1.0, np.zeros((3, 1))), "p"))
'tuple(0: float, 1: float64[n, 1])'
>>> kinds = {"w": kind_of_value(np.ones(2), "w"), "b": FLOAT}
>>> print(matcher_source(["w", "b"], kinds)[0])
def matches(w, b):
    try:
        return (
            (type(w) is ndarray or array_like(w, kind_1))
            and ((dtype := w.dtype) is dtype_2 or same_dtype(dtype, 'float64'))
            and len(shape_3 := w.shape) == 1
            and shape_3[0] != 1
            and type(b) is float
        )
    except Exception:
        return False
"""

from __future__ import annotations

import builtins
import dataclasses
import enum
import functools
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.errors import ArgumentError
from s2sad.ir.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    ONE,
    OPAQUE,
    UNKNOWN,
    Array,
    Axis,
    Kind,
    Known,
    NumPyScalar,
    Scalar,
    Structure,
    Unknown,
    is_real_number_kind,
    join,
)

LONGEST_STRUCTURE = 64
"""A list or tuple with more items is not taken apart."""

_NUMBERS: dict[type, Kind] = {float: FLOAT, int: INT, bool: BOOL, complex: COMPLEX}
_IDENTICAL = (
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


def kind_of_value(value: Any, path: Hashable) -> Kind:
    """The kind of a live value.

    ``path`` says where the value comes from; the symbols of its axes are named after
    it, and an item of a structure has the path ``(path, key)``. What holds numbers in a
    way that the compiler can't take apart (a subclass of float or dict) is unknown;
    other objects are opaque.

    Raises :class:`~s2sad.errors.ArgumentError` for a list or tuple of more than 64
    items that may carry a derivative, for a structure that contains itself, and for
    array classes whose operators aren't NumPy's (``np.matrix``, masked arrays).
    """
    return _kind(value, path, ())


def _kind(value: Any, path: Hashable, inside: tuple[int, ...]) -> Kind:
    cls = type(value)
    if cls in _NUMBERS:
        return _NUMBERS[cls]
    if cls is np.ndarray:
        return _array(value, path)
    if isinstance(value, _IDENTICAL + _EQUAL):
        return Known(value)
    if isinstance(value, np.generic):
        # A record holds fields, of which nothing is known here.
        return UNKNOWN if isinstance(value, np.void) else NumPyScalar(value.dtype.name)
    if cls in (tuple, list) or _is_namedtuple(value):
        return _sequence(value, path, inside)
    if cls is dict:
        return _structure(value, value, value.values(), path, inside)
    if isinstance(value, np.ndarray) or _has_array_protocol(value):
        return _array(value, path)
    if cls is slice:
        parts = (value.start, value.stop, value.step)
        fixed = all(p is None or isinstance(p, int | np.integer) for p in parts)
        return Known(value) if fixed else OPAQUE
    if dataclasses.is_dataclass(value):
        return _dataclass(value, path, inside)
    if isinstance(value, float | complex | tuple | list | dict):
        return UNKNOWN
    if callable(value) and _wraps_function(value):
        return Known(value)
    return OPAQUE


def _array(value: Any, path: Hashable) -> Array:
    if isinstance(value, np.matrix | np.ma.MaskedArray):
        raise ArgumentError(
            f"{_spell(path)} is a {type(value).__name__}, whose operators are not "
            "those of arrays, so its derivative would be wrong: pass an np.ndarray"
        )
    axes = tuple(_axis(n, (path, k)) for k, n in enumerate(value.shape))
    return Array(_name_of(value.dtype), axes)


def _name_of(dtype: Any) -> str | None:
    if isinstance(dtype, np.dtype) and dtype in _NAMES:
        return _NAMES[dtype]
    name = getattr(dtype, "name", None)
    return name if isinstance(name, str) else None


def _axis(length: Any, symbol: Hashable) -> Axis:
    if length == 1:
        return ONE
    # A lazy array may not know its lengths yet (None or nan).
    known = isinstance(length, int | np.integer)
    return Axis("many" if known else "any", symbol)


def _has_array_protocol(value: Any) -> bool:
    return hasattr(type(value), "__array_function__") and all(
        hasattr(value, name) for name in ("dtype", "ndim", "shape")
    )


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and isinstance(
        getattr(type(value), "_fields", None), tuple
    )


def _wraps_function(value: Any) -> bool:
    """Functions in disguise: ``functools.cache``, a differentiated function."""
    try:
        return isinstance(value.__wrapped__, types.FunctionType)
    except Exception:
        return False


def _sequence(value: Any, path: Hashable, inside: tuple[int, ...]) -> Kind:
    cls = type(value)
    keys = range(len(value)) if cls in (tuple, list) else cls._fields
    if len(value) > LONGEST_STRUCTURE:
        if _carries_nothing(value, value, path, inside):
            return OPAQUE
        raise ArgumentError(
            f"{_spell(path)} is a {cls.__name__} of {len(value)} items: lists of more "
            f"than {LONGEST_STRUCTURE} items are not taken apart, pass an array"
        )
    return _structure(value, keys, value, path, inside)


def _dataclass(value: Any, path: Hashable, inside: tuple[int, ...]) -> Kind:
    names = [f.name for f in dataclasses.fields(value)]
    try:
        items = [getattr(value, name) for name in names]
    except AttributeError:  # a field that was never set
        return UNKNOWN
    return _structure(value, names, items, path, inside)


def _structure(
    value: Any,
    keys: Iterable[Hashable],
    items: Iterable[Any],
    path: Hashable,
    inside: tuple[int, ...],
) -> Kind:
    if type(value) is dict and len(value) > LONGEST_STRUCTURE:
        # A vocabulary, say; large dicts of parameters are taken apart nevertheless.
        if _carries_nothing(value, items, path, inside):
            return OPAQUE
    inside = _enter(value, path, inside)
    keys = tuple(keys)
    kinds = tuple(_kind(i, (path, k), inside) for k, i in zip(keys, items, strict=True))
    return Structure(type(value), keys, kinds)


def _carries_nothing(
    value: Any, items: Iterable[Any], path: Hashable, inside: tuple[int, ...]
) -> bool:
    inside = _enter(value, path, inside)
    return not any(is_real_number_kind(_kind(i, path, inside)) for i in items)


def _enter(value: Any, path: Hashable, inside: tuple[int, ...]) -> tuple[int, ...]:
    if id(value) in inside:
        raise ArgumentError(f"{_spell(path)} contains itself")
    return (*inside, id(value))


def _spell(path: Hashable) -> str:
    """The path as the user would write it: ``params['w1'][0]``."""
    if isinstance(path, tuple) and len(path) == 2:
        return f"{_spell(path[0])}[{path[1]!r}]"
    return str(path) if isinstance(path, str) else "the argument"


def compile_matcher(
    parameters: Sequence[str], kinds: Mapping[str, Kind]
) -> Callable[..., bool]:
    """A function of the parameters, true where the arguments are of these kinds.

    Axes that share a symbol must have the same length. What is not known in a kind (a
    dtype, a rank, an axis ``"any"``) is not checked. The function never raises; making
    it raises ``KeyError`` for a parameter without a kind.
    """
    source, namespace = matcher_source(parameters, kinds)
    exec(compile(source, "<s2sad matcher>", "exec"), namespace)
    matches: Callable[..., bool] = namespace["matches"]
    return matches


def matcher_source(
    parameters: Sequence[str], kinds: Mapping[str, Kind]
) -> tuple[str, dict[str, Any]]:
    """The source of a matcher, and the names that it reads."""
    writer = _Writer(parameters)
    for name in parameters:
        writer.kind(name, kinds[name])
    tests = "\n            and ".join(writer.tests + writer.length_tests()) or "True"
    source = (
        f"def matches({', '.join(parameters)}):\n"
        "    try:\n"
        f"        return (\n            {tests}\n        )\n"
        "    except Exception:\n"
        "        return False"
    )
    return source, writer.namespace


def _array_like(value: Any, kind: Array) -> bool:
    """The slow path, for arrays that are not plainly ``np.ndarray``."""
    found = kind_of_value(value, None)
    if not isinstance(found, Array):
        return False
    if kind.dtype is not None and found.dtype != kind.dtype:
        return False
    if kind.axes is None or found.axes is None:
        return kind.axes is None
    return len(kind.axes) == len(found.axes) and all(
        k.length in ("any", f.length)
        for k, f in zip(kind.axes, found.axes, strict=True)
    )


def _same_dtype(dtype: Any, name: str) -> bool:
    """For a dtype that isn't the usual object: another byte order, ``np.longlong``."""
    return _name_of(dtype) == name


def _numpy_scalar(value: Any, name: str) -> bool:
    return (
        isinstance(value, np.generic)
        and not isinstance(value, np.void | np.str_ | np.bytes_)
        and value.dtype.name == name
    )


def _any_number(value: Any) -> bool:
    return type(value) in _NUMBERS or isinstance(value, np.number | np.bool_)


def _opaque(value: Any) -> bool:
    return kind_of_value(value, None) == OPAQUE


def _known(value: Any, kind: Known) -> bool:
    return bool(Known(value) == kind)


def _promoted(value: Any, kind: Array) -> bool:
    """Whether a number may stand in for the array of a promoted kind."""
    found = kind_of_value(value, None)
    return isinstance(found, Scalar | NumPyScalar) and join(kind, found) == kind


_HELPERS: dict[str, Any] = {
    "ndarray": np.ndarray,
    "array_like": _array_like,
    "same_dtype": _same_dtype,
    "numpy_scalar": _numpy_scalar,
    "any_number": _any_number,
    "opaque": _opaque,
    "known": _known,
    "promoted": _promoted,
    **{n: getattr(builtins, n) for n in ("type", "len", "float", "int", "bool")},
    **{n: getattr(builtins, n) for n in ("complex", "tuple", "list", "dict", "repr")},
}


class _Writer:
    """Writes one test after the other; the cheapest and most telling come first."""

    def __init__(self, parameters: Sequence[str]) -> None:
        self.tests: list[str] = []
        self.namespace: dict[str, Any] = {}
        self.taken = {*parameters, "matches"}
        self.lengths: dict[Hashable, list[str]] = {}
        self.ints: list[tuple[str, Hashable]] = []
        self.helper = {name: self.constant(name, v) for name, v in _HELPERS.items()}
        self.dtype = self.fresh("dtype")
        self.count = 0

    def fresh(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def constant(self, name: str, value: Any) -> str:
        name = self.fresh(name)
        self.namespace[name] = value
        return name

    def numbered(self, name: str) -> str:
        self.count += 1
        return f"{name}_{self.count}"

    def call(self, helper: str, *arguments: str) -> str:
        return f"{self.helper[helper]}({', '.join(arguments)})"

    def is_type(self, name: str, cls: str) -> str:
        return f"{self.call('type', name)} is {self.helper.get(cls, cls)}"

    def kind(self, name: str, kind: Kind) -> None:
        """Adds the tests that the expression ``name`` is of the kind."""
        if isinstance(kind, Scalar):
            self.scalar(name, kind)
        elif isinstance(kind, NumPyScalar):
            self.numpy_scalar(name, kind)
        elif isinstance(kind, Array):
            self.array(name, kind)
        elif isinstance(kind, Known):
            self.known(name, kind)
        elif isinstance(kind, Structure):
            self.structure(name, kind)
        elif isinstance(kind, Unknown):
            if kind.inactive:
                self.tests.append(self.call("opaque", name))
        else:
            raise TypeError(f"no matcher for {kind!r}")

    def scalar(self, name: str, kind: Scalar) -> None:
        self.tests.append(self.is_type(name, kind.type))
        if kind.value is not None:
            value = self.constant(self.numbered("value"), kind.value)
            self.tests.append(f"{name} == {value}")
            if kind.type in ("float", "complex"):
                # Tells 0.0 from -0.0, and nan is nan.
                text = self.constant(self.numbered("text"), repr(kind.value))
                self.tests[-1] = f"{self.call('repr', name)} == {text}"
        if kind.length_of is not None:
            self.ints.append((name, kind.length_of))

    def numpy_scalar(self, name: str, kind: NumPyScalar) -> None:
        if kind.dtype is None:
            self.tests.append(self.call("any_number", name))
            return
        slow = self.call("numpy_scalar", name, repr(kind.dtype))
        dtype = _dtype_named(kind.dtype)
        # The unit of a date is no part of its type.
        if dtype is not None and dtype.kind in "biufc":
            cls = self.constant(self.numbered("type"), dtype.type)
            slow = f"({self.is_type(name, cls)} or {slow})"
        self.tests.append(slow)

    def array(self, name: str, kind: Array) -> None:
        constant = self.constant(self.numbered("kind"), kind)
        if kind.promoted:
            outer, self.tests = self.tests, []
            self.array_only(name, kind, constant)
            inner = " and ".join(self.tests)
            self.tests = outer
            number = self.call("promoted", name, constant)
            self.tests.append(f"({inner} or {number})")
        else:
            self.array_only(name, kind, constant)

    def array_only(self, name: str, kind: Array, constant: str) -> None:
        other = self.call("array_like", name, constant)
        self.tests.append(f"({self.is_type(name, 'ndarray')} or {other})")
        if kind.dtype is not None:
            dtype = _dtype_named(kind.dtype)
            if dtype is None:
                slow = self.call("same_dtype", f"{name}.dtype", repr(kind.dtype))
                self.tests.append(slow)
            else:
                usual = self.constant(self.numbered("dtype"), dtype)
                slow = self.call("same_dtype", self.dtype, repr(kind.dtype))
                test = f"(({self.dtype} := {name}.dtype) is {usual} or {slow})"
                self.tests.append(test)
        if kind.axes is None:
            return
        shape = self.fresh(self.numbered("shape"))
        size = self.call("len", f"{shape} := {name}.shape")
        self.tests.append(f"{size} == {len(kind.axes)}")
        for k, axis in enumerate(kind.axes):
            if axis.length != "any":
                sign = "==" if axis.length == "one" else "!="
                self.tests.append(f"{shape}[{k}] {sign} 1")
            # A promoted number has no shape to compare.
            if axis.symbol is not None and not kind.promoted:
                self.lengths.setdefault(axis.symbol, []).append(f"{shape}[{k}]")

    def known(self, name: str, kind: Known) -> None:
        value = kind.value
        if value is None:
            self.tests.append(f"{name} is None")
            return
        constant = self.constant(self.numbered("known"), value)
        if type(value) in (str, bytes, types.MethodType, types.BuiltinFunctionType):
            cls = self.constant(self.numbered("type"), type(value))
            # Bound methods are made anew each time they are looked up.
            self.tests.append(self.is_type(name, cls))
            self.tests.append(f"{name} == {constant}")
        elif isinstance(value, _IDENTICAL):
            self.tests.append(f"{name} is {constant}")
        else:
            self.namespace[constant] = kind
            self.tests.append(self.call("known", name, constant))

    def structure(self, name: str, kind: Structure) -> None:
        cls = self.constant(self.numbered("type"), kind.constructor)
        self.tests.append(self.is_type(name, cls))
        count = len(kind.keys)
        if kind.constructor is dict:
            keys = self.constant(self.numbered("keys"), list(kind.keys))
            self.tests.append(f"[*{name}] == {keys}")
            self.items(name, kind, [self.key(k) for k in kind.keys])
        elif isinstance(kind.constructor, type) and issubclass(
            kind.constructor, tuple | list
        ):
            self.tests.append(f"{self.call('len', name)} == {count}")
            self.items(name, kind, [f"[{k}]" for k in range(count)])
        else:
            self.items(name, kind, [f".{k}" for k in kind.keys])

    def key(self, key: Hashable) -> str:
        if type(key) in (str, int):
            return f"[{key!r}]"
        return f"[{self.constant(self.numbered('key'), key)}]"

    def items(self, name: str, kind: Structure, readers: list[str]) -> None:
        for reader, item in zip(readers, kind.items, strict=True):
            if item == UNKNOWN:
                continue
            variable = self.fresh(self.numbered("item"))
            # The first test of the item reads it, the others use the variable.
            before = len(self.tests)
            self.kind(variable, item)
            read = f"({variable} := {name}{reader})"
            self.tests[before] = self.tests[before].replace(variable, read, 1)

    def length_tests(self) -> list[str]:
        """Tests that lengths which share a symbol are equal."""
        tests = [
            f"{first} == {other}"
            for first, *others in self.lengths.values()
            for other in others
        ]
        for name, symbol in self.ints:
            if symbol in self.lengths:
                tests.append(f"{name} == {self.lengths[symbol][0]}")
        return tests


def _dtype_named(name: str) -> np.dtype[Any] | None:
    try:
        dtype = np.dtype(name)
    except TypeError:
        return None
    return dtype if dtype.name == name else None
