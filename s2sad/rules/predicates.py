"""Questions that a rule asks of its arguments; the compiler answers from their kinds.

In the text of a rule they are calls with ordinary arguments; the answer is a constant
and the branches not taken leave no trace in the gradient. Called with live values, as
when a rule is run as plain Python to test it, a question is asked of their kinds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.ir.kinds import (
    ONE,
    UNKNOWN,
    Array,
    Axis,
    Kind,
    Known,
    List,
    NumPyScalar,
    Scalar,
    Structure,
    array_of_list,
    axes_of,
    dtype_of,
    is_ragged,
    least_length,
    may_be_python_number,
    rank_of,
)
from s2sad.rules.refusal import CallRefused
from s2sad.rules.result_kinds import normalised_axes, static_value


def static_predicate(question: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function of kinds that the compiler calls while it compiles a rule."""

    @functools.wraps(question)
    def ask(*arguments: Any) -> Any:
        return question(*(_kind_of_argument(a) for a in arguments))

    ask.__s2sad_static__ = True  # type: ignore[attr-defined]
    return ask


def _kind_of_argument(argument: Any) -> Kind:
    return argument if isinstance(argument, Kind) else live_kind(argument)


def live_kind(value: Any) -> Kind:
    """The kind of a live value, numbers by value and lengths as symbols.

    >>> str(live_kind((2, np.zeros((3, 1)))))
    'tuple(0: int=2, 1: float64[n, 1])'
    """
    if (
        isinstance(value, bool | int | float | complex)
        and type(value).__module__ != "numpy"
    ):
        return Scalar(type(value).__name__, value)
    if isinstance(value, np.ndarray):
        axes = tuple(
            ONE if n == 1 else Axis("many", ("length", n)) for n in value.shape
        )
        return Array(value.dtype.name, axes)
    if isinstance(value, np.generic):
        return NumPyScalar(value.dtype.name)
    if isinstance(value, tuple | list):
        keys = getattr(value, "_fields", range(len(value)))
        return Structure(type(value), tuple(keys), tuple(map(live_kind, value)))
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return Structure(
            slice, ("lower", "upper", "step"), tuple(map(live_kind, parts))
        )
    return Known(value)


@static_predicate
def is_python_number(x: Kind) -> bool:
    """A Python float or int, whose operators raise where NumPy's give inf or nan."""
    return isinstance(x, Scalar)


@static_predicate
def is_array(x: Kind) -> bool:
    """Known to be an array, not a number."""
    return isinstance(x, Array) and not x.promoted


@static_predicate
def is_of_unknown_kind(x: Kind) -> bool:
    """An array of which neither dtype nor rank is known: it may be a number."""
    return isinstance(x, Array) and x.is_unknown


@static_predicate
def is_literal_zero(x: Kind) -> bool:
    """A number known to be 0 when the gradient is compiled."""
    return isinstance(x, Scalar) and x.value is not None and x.value == 0


@static_predicate
def is_literal_minus_one(x: Kind) -> bool:
    """The value is written as -1."""
    return isinstance(x, Scalar) and x.value == -1


@static_predicate
def is_literal_at_least_one(x: Kind) -> bool:
    """A number known to be 1 or more when the gradient is compiled."""
    if not isinstance(x, Scalar) or x.value is None or x.type == "complex":
        return False
    return x.value >= 1


@static_predicate
def is_number_of_type_int(x: Kind) -> bool:
    """A Python int or bool."""
    return isinstance(x, Scalar) and x.type in ("int", "bool")


@static_predicate
def known_rank(x: Kind) -> int:
    """The number of axes; -1 where it isn't known before the program runs."""
    rank = rank_of(x)
    promoted = isinstance(x, Array) and x.promoted  # a number on some path
    return -1 if rank is None or promoted else rank


@static_predicate
def surely_has_elements(x: Kind) -> bool:
    """No axis of an array can have length 0."""
    return (
        isinstance(x, Array)
        and x.axes is not None
        and all(least_length(axis) > 0 for axis in x.axes)
    )


@static_predicate
def is_none(x: Kind) -> bool:
    """The argument is None."""
    return isinstance(x, Known) and x.value is None


@static_predicate
def is_number(x: Kind) -> bool:
    """A number of rank 0, Python's or NumPy's."""
    return isinstance(x, Scalar | NumPyScalar)


@static_predicate
def is_sequence(x: Kind) -> bool:
    """A tuple or list of known length."""
    return isinstance(x, Structure) and x.constructor in (tuple, list)


@static_predicate
def is_list(x: Kind) -> bool:
    """A list whose length is known only when the program runs."""
    return isinstance(x, List)


@static_predicate
def has_rows(items: Kind) -> bool:
    """A list whose cotangent is a list, since its items may differ in shape."""
    return is_ragged(items)


@static_predicate
def holds_vectors(items: Kind) -> bool:
    """A list of arrays of one axis, or of lists of numbers."""
    return rank_of(array_of_list(items) or UNKNOWN) == 2


@static_predicate
def has_one_item(items: Kind) -> bool:
    """A list that is known to hold one item."""
    return isinstance(items, List) and items.axis.length == "one"


@static_predicate
def runs_along(cotangent: Kind, items: Kind) -> bool:
    """The cotangent of such a list has an axis along the list: it doesn't merely
    broadcast to it."""
    whole = array_of_list(items)
    rank = rank_of(cotangent)
    return rank is None or whole is None or rank == rank_of(whole)


@static_predicate
def is_complex_number(x: Kind) -> bool:
    """A complex number or array."""
    return (dtype_of(x) or "").startswith("complex")


@static_predicate
def is_double(x: Kind) -> bool:
    """Double precision, real: NumPy's own constants and counts don't widen it."""
    return dtype_of(x) == "float64"


@static_predicate
def common_rank(*arrays: Kind) -> int:
    """The largest rank of several arrays."""
    return max(rank_of(x) or 0 for x in arrays)


@static_predicate
def all_axes(rank: Kind) -> tuple[int, ...]:
    """The axes of an array of this rank."""
    return tuple(range(static_value(rank)))


@static_predicate
def is_slice(x: Kind) -> bool:
    """True for a slice."""
    return isinstance(x, Structure) and x.constructor is slice


@static_predicate
def is_text(x: Kind) -> bool:
    """True for a string."""
    return isinstance(x, Known) and isinstance(x.value, str)


@static_predicate
def is_floating(x: Kind) -> bool:
    """True for a number, or array, that surely is of floats."""
    if isinstance(x, Scalar):
        return x.type == "float"
    return (dtype_of(x) or "").startswith("float") and not may_be_python_number(x)


@static_predicate
def dtype_name(x: Kind) -> str | None:
    """The name of the dtype; None where it isn't known."""
    return dtype_of(x)


@static_predicate
def settled_axis(axis: Kind, x: Kind) -> int:
    """One axis of ``x``, counted from 0."""
    return normalised_axes(static_value(axis), rank_of(x) or 1)[0]


@static_predicate
def settled_axes(axis: Kind, x: Kind) -> tuple[int, ...]:
    """The axes of ``x`` that an ``axis`` argument names, from 0, in rising order."""
    rank = rank_of(x) or 0
    return normalised_axes(static_value(axis), rank) if rank else ()


def _bare(axes: tuple[int, ...]) -> int | tuple[int, ...]:
    """One axis is written as a number."""
    return axes[0] if len(axes) == 1 else axes


@static_predicate
def axes_to_insert(cotangent: Kind, x: Kind, axis: Kind) -> int | tuple[int, ...]:
    """The axes to insert in a reduction's cotangent to align it with ``x``.

    The cotangent may have fewer axes than the result where it broadcasts to it; no
    axes are inserted in front of it.
    """
    rank, present = rank_of(x) or 0, rank_of(cotangent) or 0
    gone = normalised_axes(static_value(axis), rank) if rank else ()
    inserted: list[int] = []
    pending: list[int] = []
    for position in range(-1, -rank - 1, -1):
        if rank + position in gone:
            pending.append(position)
        elif present:
            present -= 1
            inserted += pending
            pending = []
        else:
            break
    width = (rank_of(cotangent) or 0) + len(inserted)
    return _bare(tuple(sorted(width + p for p in inserted)))


@static_predicate
def broadcast_is_known(cotangent: Kind, x: Kind) -> bool:
    """It is known along which axes ``x`` was broadcast to the cotangent's shape."""
    source, wide = axes_of(x), axes_of(cotangent)
    if source is None or wide is None or known_rank(x) < 0 or known_rank(cotangent) < 0:
        return False
    common = min(len(source), len(wide))
    return all(
        a.length == "one" or c.length == "one" or a.length == "many" or _equal(a, c)
        for a, c in zip(source[-common:], wide[-common:])
        if common
    )


def _equal(a: Axis, b: Axis) -> bool:
    return a.symbol is not None and a.symbol == b.symbol


@static_predicate
def surely_has_shape_of(tangent: Kind, x: Kind) -> bool:
    """The tangent is known to have the full shape of ``x``, an array."""
    own, wanted = axes_of(tangent), axes_of(x)
    if not isinstance(tangent, Array) or tangent.promoted or not isinstance(x, Array):
        return False
    if x.promoted or own is None or wanted is None or len(own) != len(wanted):
        return False
    return all(
        a.length == "many" or b.length == "one" or _equal(a, b)
        for a, b in zip(own, wanted)
    )


@static_predicate
def leading_axes(cotangent: Kind, x: Kind) -> int | tuple[int, ...]:
    """The axes of the cotangent that ``x`` doesn't have."""
    extra = (rank_of(cotangent) or 0) - (rank_of(x) or 0)
    return _bare(tuple(range(extra)))


@static_predicate
def stretched_axes(cotangent: Kind, x: Kind) -> int | tuple[int, ...]:
    """The axes, from the last, of length 1 in ``x`` but not in the cotangent."""
    source, wide = axes_of(x) or (), axes_of(cotangent) or ()
    common = min(len(source), len(wide))
    return _bare(
        tuple(
            p
            for p in range(-common, 0)
            if source[p].length == "one" and wide[p].length != "one"
        )
    )


@static_predicate
def is_numpy(x: Kind) -> bool:
    """An array or NumPy scalar, whose operators don't raise where Python's do."""
    if isinstance(x, NumPyScalar):
        return not may_be_python_number(x)
    return isinstance(x, Array) and not x.promoted


@static_predicate
def is_literal(x: Kind) -> bool:
    """A number known when the gradient is compiled."""
    return isinstance(x, Scalar) and x.value is not None


@static_predicate
def is_finite_literal(x: Kind) -> bool:
    """A finite number known when the gradient is compiled."""
    return isinstance(x, Scalar) and x.value is not None and bool(np.isfinite(x.value))


@static_predicate
def is_literal_nonzero(x: Kind) -> bool:
    """A number other than 0 known when the gradient is compiled."""
    return isinstance(x, Scalar) and x.value is not None and x.value != 0


@static_predicate
def is_literal_positive(x: Kind) -> bool:
    """A number above 0 known when the gradient is compiled."""
    return isinstance(x, Scalar) and x.value is not None and x.value > 0


@static_predicate
def has_literal_zero(values: Kind) -> bool:
    """One of the items of a tuple is a number known to be 0."""
    return isinstance(values, Structure) and any(map(is_literal_zero, values.items))


@static_predicate
def axes_behind(axis: Kind, x: Kind) -> int | tuple[int, ...]:
    """1, 2, ...: the axes to insert in a vector that runs along one axis of ``x``."""
    rank = rank_of(x) or 1
    behind = rank - 1 - normalised_axes(static_value(axis), rank)[0]
    return _bare(tuple(range(1, behind + 1)))


@static_predicate
def axes_except(axis: Kind, x: Kind) -> int | tuple[int, ...]:
    """All axes of ``x`` but those named."""
    rank = rank_of(x) or 0
    named = normalised_axes(static_value(axis), rank)
    return _bare(tuple(k for k in range(rank) if k not in named))


@static_predicate
def axes_but_last(x: Kind, count: Kind) -> tuple[int, ...]:
    """All axes of ``x`` but the last few."""
    return tuple(range((rank_of(x) or 0) - static_value(count)))


@static_predicate
def inverse_permutation(axes: Kind) -> tuple[int, ...]:
    """The axes with which ``np.transpose`` undoes a transposition."""
    order = static_value(axes)
    return tuple(sorted(range(len(order)), key=lambda k: order[k] % len(order)))


@static_predicate
def other_grid_axes(
    position: Kind, arrays: Kind, indexing: Kind
) -> int | tuple[int, ...]:
    """The axes along which one of the arrays of ``np.meshgrid`` does not vary."""
    k = int(static_value(position))
    count = len(arrays.items) if isinstance(arrays, Structure) else 1
    if count > 1 and k < 2 and static_value(indexing) == "xy":
        k = 1 - k
    return _bare(tuple(axis for axis in range(count) if axis != k))


@static_predicate
def numpy_dtype(x: Kind) -> type:
    """The scalar type of the dtype, as it is written."""
    return np.dtype(dtype_of(x)).type


@static_predicate
def not_supported(reason: Kind, advice: Kind) -> bool:
    """Refuses the call that is compiled, where a text gets to this line."""
    raise CallRefused(static_value(reason), static_value(advice))
