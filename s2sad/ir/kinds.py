"""Kinds: what the compiler knows of a value before the program runs.

A derivative is compiled for the kinds of its arguments. A kind says whether a value is
a Python float, a NumPy scalar or an array, of which dtype and rank, and of each axis
whether its length is one, is not one, or is unknown. That is enough to know every
broadcast at compile time.

>>> x = Array("float64", (Axis("many", "x0"), Axis("many", "x1")))
>>> str(x)
'float64[n, n]'
"""

import random
from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2sad.ir.quick_making import quickly_made


@quickly_made
@dataclass(frozen=True, slots=True)
class Axis:
    """What is known of the length of one axis."""

    length: str
    """``"one"``, ``"many"`` (known not to be one) or ``"any"`` (unknown)."""
    symbol: Hashable = None
    """Two axes with equal symbols (not None) have equal lengths."""

    def __str__(self) -> str:
        return {"one": "1", "many": "n", "any": "?"}[self.length]


ONE = Axis("one")
EMPTY = Axis("many", ("empty",))
"""The axis of an argument whose length is 0."""


class Passing(tuple[Any, ...]):
    """The symbol, or part of the symbol, of an axis whose length may be another in the
    next iteration or call: such axes of two items of a list may differ."""

    __slots__ = ()


def is_lasting(symbol: Hashable) -> bool:
    """True for the symbol of an axis that has one length as long as the program runs.

    >>> is_lasting(("x", 0)), is_lasting(Passing(("loop", 0))), is_lasting(None)
    (True, False, False)
    """
    return symbol is not None and not _holds_passing(symbol)


def _holds_passing(symbol: Hashable) -> bool:
    if isinstance(symbol, Passing):
        return True
    return isinstance(symbol, tuple) and any(map(_holds_passing, symbol))


class _Longer(tuple[Any, ...]):
    """The symbol of a length that differs from another's by a number that is known."""

    __slots__ = ()


def longer_by(symbol: Hashable, by: int) -> Hashable:
    """The symbol of an axis that is longer by so much than one of this symbol.

    >>> n = ("x", 0)
    >>> longer_by(longer_by(n, 1), -1) == n, longer_by(n, 1) == longer_by(n, 2)
    (True, False)
    """
    if symbol is None:
        return None
    base, by = (
        (symbol[0], symbol[1] + by) if isinstance(symbol, _Longer) else (symbol, by)
    )
    return _Longer((base, by)) if by else base


class Kind:
    """Base class of all kinds."""

    __slots__ = ()

    def leads_to_numbers(self) -> bool:
        """True for a reference from which numbers can be reached that may carry a
        derivative (:mod:`s2sad.ir.references`)."""
        return False

    def gradient_kind(self) -> Any:
        """The kind of the gradient with respect to a value of the kind."""
        return tangent_kind(self)


@quickly_made
@dataclass(frozen=True, slots=True)
class Scalar(Kind):
    """A Python number."""

    type: str
    """``"float"``, ``"int"``, ``"bool"`` or ``"complex"``."""
    value: Any = None
    """The number itself where it is known at compile time and decides something."""
    length_of: Hashable = None
    """The axis symbol whose length this int is, where that is known."""
    cls: Any = None
    """The class derived from ``type`` that an argument is of; ``object`` where paths
    met that have others."""

    def __str__(self) -> str:
        return self.type if self.value is None else f"{self.type}={self.value!r}"


@quickly_made
@dataclass(frozen=True, slots=True)
class NumPyScalar(Kind):
    """A NumPy scalar, or a number of which only the rank (0) is known (dtype None)."""

    dtype: str | None
    maybe_python: bool = False
    """True where the value is a Python number on some paths (``x = 1.0`` before a loop
    that multiplies by a NumPy scalar): its operators may raise where NumPy's give inf
    or nan."""

    def __str__(self) -> str:
        return f"np.{self.dtype or 'number'}"


@quickly_made
@dataclass(frozen=True, slots=True)
class Array(Kind):
    """A NumPy array."""

    dtype: str | None
    """The dtype's name, None where unknown."""
    axes: tuple[Axis, ...] | None
    """One entry an axis; None where the rank is unknown."""
    promoted: bool = False
    """True where the value may also be a number that broadcasts like the array (``total
    = 0.0`` before a loop that adds arrays): elementwise operations may treat it as the
    array."""

    @property
    def is_unknown(self) -> bool:
        """True where neither dtype nor rank is known: it may be a number."""
        return self.dtype is None and self.axes is None

    def __str__(self) -> str:
        axes = "..." if self.axes is None else ", ".join(map(str, self.axes))
        return f"{self.dtype or '?'}[{axes}]" + ("|number" if self.promoted else "")


@quickly_made
@dataclass(frozen=True, slots=True)
class Known(Kind):
    """A value that is itself known: None, a string, a function, a module, a dtype, a
    slice."""

    value: Any = field(hash=False)

    def __str__(self) -> str:
        return f"={getattr(self.value, '__name__', None) or repr(self.value)}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Known):
            return NotImplemented
        if self.value is other.value:
            return True
        plain = (str, bytes, int, float, tuple, slice, np.dtype)
        return (
            type(self.value) is type(other.value)
            and isinstance(self.value, plain)
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash(type(self.value))


@quickly_made
@dataclass(frozen=True, slots=True)
class Structure(Kind):
    """A tuple, list, dict, NamedTuple or dataclass whose layout is known."""

    constructor: type
    """``tuple``, ``list``, ``dict`` or the NamedTuple or dataclass itself."""
    keys: tuple[Hashable, ...]
    """Positions, dict keys or field names, one for each item."""
    items: tuple[Kind, ...]

    def __str__(self) -> str:
        inner = ", ".join(
            f"{k!r}: {v}" for k, v in zip(self.keys, self.items, strict=True)
        )
        return f"{self.constructor.__name__}({inner})"


def tuple_of_kinds(items: Iterable[Kind]) -> Structure:
    """The kind of a tuple of values of these kinds."""
    kinds = tuple(items)
    return Structure(tuple, tuple(range(len(kinds))), kinds)


@dataclass(frozen=True, slots=True)
class List(Kind):
    """A list or tuple whose length is known only when the program runs; its items are
    numbers, arrays or such lists, all of one kind. An axis of them that has a symbol is
    equally long in all items, see :func:`as_item`."""

    item: Kind | None
    """None for a list that holds nothing yet."""
    axis: Axis = Axis("any")
    """Its length, as of an array's first axis; while it grows, the length it will
    have."""
    constructor: type = list
    """``list`` or ``tuple``."""

    def __str__(self) -> str:
        return f"{self.constructor.__name__} of {self.item} [{self.axis}]"


@dataclass(frozen=True, slots=True)
class Unknown(Kind):
    """Nothing is known; emitted code decides at run time. ``inactive`` means that the
    value is known to carry no derivative (a string, an opaque object, an index
    array)."""

    inactive: bool = False
    present: Kind | None = None
    """The kind of the value where it isn't None, if that is all it may be."""

    def __str__(self) -> str:
        if self.present is not None:
            return f"{self.present} or None"
        return "opaque" if self.inactive else "unknown"


@dataclass(frozen=True, slots=True)
class Foreign(Unknown):
    """A number or array of a class whose operators rules don't know (a pandas Series, a
    Decimal): no derivative flows through it."""

    inactive: bool = True
    cls: type = object

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True, slots=True)
class Sparse(Foreign):
    """A sparse matrix of SciPy, which has products with vectors and matrices."""

    dtype: str | None = None
    axes: tuple[Axis, ...] = ()
    star_is_product: bool = False
    """``X * w`` is ``X @ w``, as of ``scipy.sparse.csr_matrix``."""


@dataclass(frozen=True, slots=True)
class Unread(Unknown):
    """What a function without a rule makes of what may vary: nobody has looked at its
    class."""


@dataclass(frozen=True, slots=True)
class Raised(Unknown):
    """An exception that a call has returned, or None."""

    inactive: bool = True
    classes: tuple[type[BaseException], ...] = ()
    """It is of one of these, as far as they are known."""


@dataclass(frozen=True, slots=True)
class Members(Unknown):
    """A set or frozenset that the run holds: what it holds has no derivative."""

    inactive: bool = True
    member: Kind | None = None
    """The kind of what it holds: whole numbers or truth values, as long as the program
    changes no sets; None for anything else."""
    constructor: type = set
    of_module: bool = False
    """Whether it may stand in data of the module, which others read, too."""

    def __str__(self) -> str:
        return self.constructor.__name__


@dataclass(frozen=True, slots=True)
class RandomSource(Unknown):
    """An ``np.random.Generator``, a RandomState, or a ``random.Random`` of Python's."""

    inactive: bool = True
    cls: type = np.random.Generator

    def __str__(self) -> str:
        return self.cls.__name__.lower()


FLOAT = Scalar("float")
INT = Scalar("int")
BOOL = Scalar("bool")
COMPLEX = Scalar("complex")
UNKNOWN = Unknown()
UNREAD = Unread()
OPAQUE = Unknown(inactive=True)
GENERATOR = RandomSource()
RANDOM_STATE = RandomSource(cls=np.random.RandomState)
PYTHON_RANDOM = RandomSource(cls=random.Random)
NONE = Known(None)

Numeric = (Scalar, NumPyScalar, Array)
_SCALAR_DTYPES = {
    "float": "float64",
    "int": "int64",
    "bool": "bool",
    "complex": "complex128",
}


def dtype_of(kind: Kind) -> str | None:
    """The dtype's name that the value has, or would have as an array."""
    if isinstance(kind, Scalar):
        return _SCALAR_DTYPES[kind.type]
    if isinstance(kind, NumPyScalar | Array):
        return kind.dtype
    return None


def may_be_python_number(kind: Kind) -> bool:
    """True for a number whose operators may be Python's, which raise where NumPy's give
    inf or nan.

    >>> may_be_python_number(FLOAT), may_be_python_number(NumPyScalar("float64"))
    (True, False)
    >>> may_be_python_number(NumPyScalar("float64", maybe_python=True))
    True
    """
    if isinstance(kind, NumPyScalar):
        return kind.maybe_python or kind.dtype is None
    return isinstance(kind, Scalar)


def rank_of(kind: Kind) -> int | None:
    """Number of axes; None where unknown."""
    if isinstance(kind, Scalar | NumPyScalar):
        return 0
    if isinstance(kind, Array) and kind.axes is not None:
        return len(kind.axes)
    return None


def axes_of(kind: Kind) -> tuple[Axis, ...] | None:
    """The axes of a numeric kind, () for numbers; None where the rank is unknown."""
    if isinstance(kind, Scalar | NumPyScalar):
        return ()
    return kind.axes if isinstance(kind, Array) else None


def is_never_empty(kind: List) -> bool:
    """True for a list that is known to have an item.

    >>> is_never_empty(List(FLOAT, Axis("many", ("length", 2))))
    True
    >>> is_never_empty(List(FLOAT, Axis("any", "n")))
    False
    """
    match kind.axis.symbol:
        case ("length", int(length)) if length > 0:
            return not isinstance(kind.axis.symbol, Passing)
    return kind.axis.length == "one"


def least_length(axis: Axis) -> int:
    """What an axis is at least long.

    The argument of which an axis is ``"many"`` has two elements or more there, since
    other kinds stand for one element and for none.

    >>> [least_length(axis) for axis in (ONE, Axis("many", ("x", 0)), EMPTY)]
    [1, 2, 0]
    >>> least_length(Axis("many", ("length", 3))), least_length(Axis("any", ("x", 0)))
    (2, 0)
    """
    if axis.length == "one":
        return 1
    match axis.symbol:
        case Passing() | ("length" | "dim", 0):
            return 0
        case (_, int()) if axis.length == "many" and type(axis.symbol) is tuple:
            return 2
    return 0


def array_of_list(kind: Kind | None) -> Array | None:
    """The kind of the array that ``np.array`` makes of a list's items, and of the
    cotangent of the list; None for other kinds, and where the rank of items isn't
    known. Lengths that may differ between items are one length in such an array.

    >>> str(array_of_list(List(Array("float64", (ONE,)), Axis("many", "n"))))
    'float64[n, 1]'
    """
    if not isinstance(kind, List):
        return None
    item = kind.item
    if item is None:
        return Array("float64", (kind.axis,))
    item = array_of_list(item) if isinstance(item, List) else item
    axes = axes_of(item) if item is not None else None
    if axes is None or (isinstance(item, Array) and item.promoted):
        return None
    whole = kind.axis.symbol
    inner = tuple(
        Axis(a.length, ("item", whole, k))
        if a.symbol is None and a.length != "one" and whole is not None
        else a
        for k, a in enumerate(axes)
    )
    return Array(dtype_of(item), (kind.axis, *inner))  # type: ignore[arg-type]


def as_item(kind: Kind) -> Kind:
    """The kind as that of an item of a list: lengths that may differ between items have
    no symbols.

    >>> as_item(Array("float64", (Axis("many", ("x", 0)), Axis("any", Passing("ab")))))
    Array(dtype='float64', axes=(Axis(length='many', symbol=('x', 0)), \
Axis(length='any', symbol=None)), promoted=False)
    """
    if isinstance(kind, Array) and kind.axes is not None:
        return replace(kind, axes=tuple(map(_axis_of_items, kind.axes)))
    if isinstance(kind, List):
        return replace(kind, axis=_axis_of_items(kind.axis))
    return kind


def without_passing_lengths(kind: Kind) -> Kind:
    """The kind with the lengths forgotten that may be others in the next iteration.

    >>> axes = (Axis("many", ("x", 0)), Axis("any", Passing("ab")))
    >>> without_passing_lengths(Array("float64", axes)).axes[1]
    Axis(length='any', symbol=None)
    """
    if isinstance(kind, List):
        item = None if kind.item is None else without_passing_lengths(kind.item)
        return replace(kind, item=item, axis=_axis_of_items(kind.axis))
    if isinstance(kind, Scalar):
        passing = kind.length_of is not None and not is_lasting(kind.length_of)
        return replace(kind, length_of=None) if passing else kind
    return as_item(kind)


def with_free_items(kind: Kind) -> Kind:
    """The kind with the lengths of a list's items forgotten, as where it is handed from
    one function to another."""
    if not isinstance(kind, List) or kind.item is None:
        return kind
    item = with_free_items(kind.item)
    if isinstance(item, List):
        item = replace(item, axis=replace(item.axis, symbol=None))
    if isinstance(item, Array) and item.axes is not None:
        axes = tuple(replace(axis, symbol=None) for axis in item.axes)
        item = replace(item, axes=axes)
    return replace(kind, item=item)


def _axis_of_items(axis: Axis) -> Axis:
    return axis if is_lasting(axis.symbol) else replace(axis, symbol=None)


def is_ragged(kind: Kind) -> bool:
    """True for a list whose items are arrays or lists that may differ in shape.

    >>> is_ragged(List(Array("float64", (Axis("any", ("x", 0)),))))
    False
    >>> is_ragged(List(List(FLOAT)))
    True
    """
    item = kind.item if isinstance(kind, List) else None
    if isinstance(item, List):
        return _may_differ(item.axis) or is_ragged(item)
    return isinstance(item, Array) and any(map(_may_differ, item.axes or ()))


def _may_differ(axis: Axis) -> bool:
    return axis.length != "one" and axis.symbol is None


def cotangent_kind_of_list(kind: Kind | None) -> Array | List | None:
    """The kind of a list's cotangent: an array whose first axis runs along the list, or
    a list of the cotangents of its items where these may differ in shape. None for
    other kinds, and where the rank of items isn't known.

    >>> same = Array("float64", (Axis("any", ("x", 0)),))
    >>> other = Array("float64", (Axis("any"),))
    >>> [str(cotangent_kind_of_list(List(item))) for item in (same, other)]
    ['float64[?, ?]', 'list of float64[?] [?]']
    """
    kind = without_none(kind)
    if not isinstance(kind, List) or not is_ragged(kind):
        return array_of_list(kind)
    item = cotangent_kind_of_item(kind.item) if kind.item is not None else None
    if item is None or (isinstance(item, Array) and item.promoted):
        return None
    return List(as_item(item), kind.axis)


def cotangent_kind_of_item(kind: Kind) -> Kind | None:
    """The kind of the cotangent of an item of a list whose items may differ in shape.
    A list of arrays has a list there too: it may be empty, and an array of zeros
    wouldn't have the arrays' axes."""
    if not isinstance(kind, List):
        return kind
    if isinstance(kind.item, List) or (isinstance(kind.item, Array) and kind.item.axes):
        item = cotangent_kind_of_item(kind.item)
        if item is None or (isinstance(item, Array) and item.promoted):
            return None
        return List(as_item(item), kind.axis)
    return cotangent_kind_of_list(kind)


def is_list_of_numbers(kind: Kind | None) -> bool:
    """True for a list of Python's or NumPy's numbers."""
    return isinstance(kind, List) and isinstance(kind.item, Scalar | NumPyScalar)


def holds_unlike_numbers(kind: Kind | None) -> bool:
    """True for a list in which ints may stand beside floats.

    >>> holds_unlike_numbers(List(Scalar("float", cls=object)))
    True
    """
    if not isinstance(kind, List):
        return False
    item = kind.item
    mixed = isinstance(item, Scalar) and item.cls is object
    return mixed or holds_unlike_numbers(item)


def with_free_lengths(
    kinds: Mapping[str, Kind], free: Set[Hashable]
) -> dict[str, Kind]:
    """The kinds of arguments in which lists along these axes may be of any length."""
    return {name: _with_free_length(kind, free) for name, kind in kinds.items()}


def _with_free_length(kind: Kind, free: Set[Hashable]) -> Kind:
    if isinstance(kind, Structure):
        items = tuple(_with_free_length(item, free) for item in kind.items)
        return replace(kind, items=items)
    if isinstance(kind, List) and kind.axis.symbol in free:
        return replace(kind, axis=replace(kind.axis, length="any"))
    return kind


def is_real_number_kind(kind: Kind) -> bool:
    """True where the value may carry a derivative: floats, and what may turn out to be
    one."""
    if isinstance(kind, List):
        return kind.item is not None and is_real_number_kind(kind.item)
    if isinstance(kind, Unknown):
        return not kind.inactive
    if isinstance(kind, Structure):
        return any(is_real_number_kind(item) for item in kind.items)
    if isinstance(kind, Numeric):
        name = dtype_of(kind)
        return name is None or name.startswith(("float", "complex", "longdouble"))
    return kind.leads_to_numbers()


def is_optional_number(kind: Kind | None) -> bool:
    """True for a number or None: in an adjoint there is a number for either."""
    return isinstance(kind, Unknown) and isinstance(kind.present, Scalar | NumPyScalar)


def is_optional_array(kind: Kind | None) -> bool:
    """True for an array or None: so is an adjoint."""
    return isinstance(kind, Unknown) and isinstance(kind.present, Array)


def array_if_present(kind: Any) -> Any:
    """The kind of an array that may be None where it is one."""
    if isinstance(kind, Unknown) and isinstance(kind.present, Array):
        return kind.present
    return kind


def without_none(kind: Any) -> Any:
    """The kind of a number that may be None where it is one, also of those in a
    list."""
    if isinstance(kind, List) and kind.item is not None:
        item = without_none(kind.item)
        return kind if item is kind.item else List(item, kind.axis, kind.constructor)
    return kind.present if is_optional_number(kind) else kind


def is_complex(kind: Kind) -> bool:
    """True for complex numbers and arrays, lists of them, and what is such a one where
    it isn't None."""
    if isinstance(kind, List) and kind.item is not None:
        return is_complex(kind.item)
    if isinstance(kind, Unknown) and kind.present is not None:
        return is_complex(kind.present)
    return (dtype_of(kind) or "").startswith("complex")


def dtype_is_unknown(kind: Kind) -> bool:
    """True for what may be a number or array of any dtype."""
    if isinstance(kind, Unknown):
        told = kind.present is not None and dtype_of(kind.present) is not None
        return not (kind.inactive or told)
    return isinstance(kind, NumPyScalar | Array) and kind.dtype is None


def is_promoted(kind: Kind | None) -> bool:
    """True for what is a number on one path and an array on another."""
    return isinstance(kind, Array) and kind.promoted


def without_value(kind: Kind) -> Kind:
    """The kind with the values of numbers forgotten, as for a variable that a loop
    changes."""
    if isinstance(kind, Scalar) and (
        kind.value is not None or kind.length_of is not None
    ):
        return Scalar(kind.type)
    if isinstance(kind, Structure):
        return replace(kind, items=tuple(without_value(i) for i in kind.items))
    if isinstance(kind, Known) and isinstance(kind.value, str | bytes):
        return OPAQUE
    return kind


def settled(kind: Kind) -> Kind:
    """The kind by which derivatives treat a variable: one that is a number or None is
    read only where it is a number."""
    if isinstance(kind, Unknown) and isinstance(kind.present, Scalar | NumPyScalar):
        return kind.present
    return kind


def with_symbol_renamed(kind: Kind, old: Hashable, new: Hashable) -> Kind:
    """The kind with one axis symbol replaced by another."""
    if isinstance(kind, Structure):
        items = tuple(with_symbol_renamed(item, old, new) for item in kind.items)
        return replace(kind, items=items)
    if isinstance(kind, Unknown) and kind.present is not None:
        return replace(kind, present=with_symbol_renamed(kind.present, old, new))
    if isinstance(kind, Array) and kind.axes is not None:
        axes = tuple(
            replace(a, symbol=new) if a.symbol == old else a for a in kind.axes
        )
        return replace(kind, axes=axes)
    return kind


def covers(kind: Array, added: Kind | None) -> bool:
    """True where adding a value of this kind can't widen the array."""
    axes, others = kind.axes, axes_of(added) if added is not None else ()
    if axes is None or others is None or len(others) > len(axes):
        return False
    pairs = zip(reversed(axes), reversed(others), strict=False)
    return all(
        a.length == "many"
        or b.length == "one"
        or (a.symbol is not None and a.symbol == b.symbol)
        for a, b in pairs
    )


def given_kind(kind: Any) -> Any:
    """The kind of a tangent or cotangent that a program is given: its callers may have
    a number of Python's for one of NumPy's, 1.0 or a sum of such.

    >>> given_kind(NumPyScalar("float64")).maybe_python
    True
    """
    return replace(kind, maybe_python=True) if isinstance(kind, NumPyScalar) else kind


def tangent_kind(kind: Any) -> Any:
    """The kind of a tangent at full shape."""
    from s2sad.ir.kinds import (
        COMPLEX,
        FLOAT,
        UNKNOWN,
        Array,
        List,
        NumPyScalar,
        Scalar,
        is_complex,
        without_none,
    )

    kind = without_none(kind)
    if not is_real_number_kind(kind):
        return OPAQUE
    if isinstance(kind, Scalar):
        return COMPLEX if is_complex(kind) else FLOAT
    return kind if isinstance(kind, NumPyScalar | Array | List) else UNKNOWN
