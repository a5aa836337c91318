"""Questions that a rule asks of its arguments; the compiler answers from their kinds.

In the text of a rule they are calls with ordinary arguments; the answer is a constant
and the branches not taken leave no trace in the gradient. Called with live values, as
when a rule is run as plain Python to test it, a question is asked of their kinds.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.rules.result_kinds import CallRefused, normalised_axes, static_value


def static_predicate(question: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function of kinds that the compiler calls while it compiles a rule."""

    @functools.wraps(question)
    def ask(*arguments):
        return question(*(_kind_of_argument(a) for a in arguments))

    ask.__s2sad_static__ = True  # type: ignore[attr-defined]
    return ask


def _kind_of_argument(argument: Any) -> ir.Kind:
    return argument if isinstance(argument, ir.Kind) else live_kind(argument)


def live_kind(value: Any) -> ir.Kind:
    """The kind of a live value, numbers by value and lengths as symbols.

    >>> str(live_kind((2, np.zeros((3, 1)))))
    'tuple(0: int=2, 1: float64[n, 1])'
    """
    if (
        isinstance(value, bool | int | float | complex)
        and type(value).__module__ != "numpy"
    ):
        return ir.Scalar(type(value).__name__, value)
    if isinstance(value, np.ndarray):
        axes = tuple(
            ir.ONE if n == 1 else ir.Axis("many", ("length", n)) for n in value.shape
        )
        return ir.Array(value.dtype.name, axes)
    if isinstance(value, np.generic):
        return ir.NumPyScalar(value.dtype.name)
    if isinstance(value, tuple | list):
        keys = getattr(value, "_fields", range(len(value)))
        return ir.Structure(type(value), tuple(keys), tuple(map(live_kind, value)))
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return ir.Structure(
            slice, ("lower", "upper", "step"), tuple(map(live_kind, parts))
        )
    return ir.Known(value)


@static_predicate
def is_python_number(x: ir.Kind) -> bool:
    """A Python float or int, whose operators raise where NumPy's give inf or nan."""
    return isinstance(x, ir.Scalar)


@static_predicate
def is_array(x: ir.Kind) -> bool:
    """Known to be an array, not a number."""
    return isinstance(x, ir.Array) and not x.promoted


@static_predicate
def is_of_unknown_kind(x: ir.Kind) -> bool:
    """An array of which neither dtype nor rank is known: it may be a number."""
    return isinstance(x, ir.Array) and x.is_unknown


@static_predicate
def is_literal_zero(x: ir.Kind) -> bool:
    """A number known to be 0 when the gradient is compiled."""
    return isinstance(x, ir.Scalar) and x.value is not None and x.value == 0


@static_predicate
def is_literal_minus_one(x: ir.Kind) -> bool:
    """The value is written as -1."""
    return isinstance(x, ir.Scalar) and x.value == -1


@static_predicate
def is_literal_at_least_one(x: ir.Kind) -> bool:
    """A number known to be 1 or more when the gradient is compiled."""
    if not isinstance(x, ir.Scalar) or x.value is None or x.type == "complex":
        return False
    return x.value >= 1


@static_predicate
def is_number_of_type_int(x: ir.Kind) -> bool:
    """A Python int or bool."""
    return isinstance(x, ir.Scalar) and x.type in ("int", "bool")


@static_predicate
def known_rank(x: ir.Kind) -> int:
    """The number of axes; -1 where it isn't known before the program runs."""
    rank = ir.rank_of(x)
    promoted = isinstance(x, ir.Array) and x.promoted  # a number on some path
    return -1 if rank is None or promoted else rank


@static_predicate
def surely_has_elements(x: ir.Kind) -> bool:
    """No axis of an array can have length 0."""
    return (
        isinstance(x, ir.Array)
        and x.axes is not None
        and all(ir.least_length(axis) > 0 for axis in x.axes)
    )


@static_predicate
def is_empty(x: ir.Kind) -> bool:
    """An array that is known to have no elements."""
    return isinstance(x, ir.Array) and ir.EMPTY in (x.axes or ())


@static_predicate
def least_length_along(axis: ir.Kind, x: ir.Kind) -> int:
    """What an array is at least long along an axis; 0 where nothing is known."""
    axes = ir.axes_of(x)
    if not axes or (isinstance(x, ir.Array) and x.promoted):
        return 0
    return ir.least_length(axes[normalised_axes(static_value(axis), len(axes))[0]])


@static_predicate
def is_none(x: ir.Kind) -> bool:
    """The argument is None."""
    return isinstance(x, ir.Known) and x.value is None


@static_predicate
def is_number(x: ir.Kind) -> bool:
    """A number of rank 0, Python's or NumPy's."""
    return isinstance(x, ir.Scalar | ir.NumPyScalar)


@static_predicate
def is_sequence(x: ir.Kind) -> bool:
    """A tuple or list of known length."""
    return isinstance(x, ir.Structure) and x.constructor in (tuple, list)


@static_predicate
def has_plain_order(x: ir.Kind) -> bool:
    """True for what no code of the user's compares: numbers, texts, and lists and
    tuples of such."""
    if isinstance(x, ir.Structure):
        return x.constructor in (list, tuple) and all(map(has_plain_order, x.items))
    if isinstance(x, ir.List):
        return x.item is None or has_plain_order(x.item)
    if isinstance(x, ir.Reference):
        reached = ir.reached_forms(x)
        return all(f.is_value or f.constructor in (list, tuple) for f in reached)
    return True


@static_predicate
def is_list(x: ir.Kind) -> bool:
    """A list whose length is known only when the program runs."""
    return isinstance(x, ir.List)


@static_predicate
def is_mask(x: ir.Kind) -> bool:
    """An array of truth values."""
    return ir.dtype_of(x) == "bool"


@static_predicate
def has_rows(items: ir.Kind) -> bool:
    """A list whose cotangent is a list, since its items may differ in shape."""
    return ir.is_ragged(items)


@static_predicate
def holds_vectors(items: ir.Kind) -> bool:
    """A list of arrays of one axis, or of lists of numbers."""
    return ir.rank_of(ir.array_of_list(items) or ir.UNKNOWN) == 2


@static_predicate
def rank_of_items(items: ir.Kind) -> int:
    """The number of axes of what a list holds; -1 where it isn't known."""
    rank = ir.rank_of(ir.array_of_list(items) or ir.UNKNOWN)
    return -1 if rank is None else rank - 1


@static_predicate
def has_one_item(items: ir.Kind) -> bool:
    """A list that is known to hold one item."""
    return isinstance(items, ir.List) and items.axis.length == "one"


@static_predicate
def runs_along(cotangent: ir.Kind, items: ir.Kind) -> bool:
    """The cotangent of such a list has an axis along the list: it doesn't merely
    broadcast to it."""
    whole = ir.array_of_list(items)
    rank = ir.rank_of(cotangent)
    return rank is None or whole is None or rank == ir.rank_of(whole)


@static_predicate
def is_complex_number(x: ir.Kind) -> bool:
    """A complex number or array."""
    return ir.is_complex(x)


@static_predicate
def is_double(x: ir.Kind) -> bool:
    """Double precision, real: NumPy's own constants and counts don't widen it."""
    return ir.dtype_of(x) == "float64"


@static_predicate
def common_rank(*arrays: ir.Kind) -> int:
    """The largest rank of several arrays."""
    return max(ir.rank_of(x) or 0 for x in arrays)


@static_predicate
def all_axes(rank: ir.Kind) -> tuple[int, ...]:
    """The axes of an array of this rank."""
    return tuple(range(static_value(rank)))


@static_predicate
def is_slice(x: ir.Kind) -> bool:
    """True for a slice."""
    return isinstance(x, ir.Structure) and x.constructor is slice


@static_predicate
def is_text(x: ir.Kind) -> bool:
    """True for a string."""
    return isinstance(x, ir.Known) and isinstance(x.value, str)


@static_predicate
def is_floating(x: ir.Kind) -> bool:
    """True for a number, or array, that surely is of floats."""
    if isinstance(x, ir.Scalar):
        return x.type == "float"
    return (ir.dtype_of(x) or "").startswith("float") and not ir.may_be_python_number(x)


@static_predicate
def dtype_name(x: ir.Kind) -> str | None:
    """The name of the dtype; None where it isn't known."""
    return ir.dtype_of(x)


@static_predicate
def settled_axis(axis: ir.Kind, x: ir.Kind) -> int:
    """One axis of ``x``, counted from 0."""
    return normalised_axes(static_value(axis), ir.rank_of(x) or 1)[0]


@static_predicate
def settled_axes(axis: ir.Kind, x: ir.Kind) -> tuple[int, ...]:
    """The axes of ``x`` that an ``axis`` argument names, from 0, in rising order."""
    rank = ir.rank_of(x) or 0
    return normalised_axes(static_value(axis), rank) if rank else ()


def _bare(axes: tuple[int, ...]) -> int | tuple[int, ...]:
    """One axis is written as a number."""
    return axes[0] if len(axes) == 1 else axes


@static_predicate
def axes_to_insert(
    cotangent: ir.Kind, x: ir.Kind, axis: ir.Kind
) -> int | tuple[int, ...]:
    """The axes to insert in a reduction's cotangent to align it with ``x``.

    The cotangent may have fewer axes than the result where it broadcasts to it; no
    axes are inserted in front of it.
    """
    rank, present = ir.rank_of(x) or 0, ir.rank_of(cotangent) or 0
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
    width = (ir.rank_of(cotangent) or 0) + len(inserted)
    return _bare(tuple(sorted(width + p for p in inserted)))


@static_predicate
def broadcast_is_known(cotangent: ir.Kind, x: ir.Kind) -> bool:
    """It is known along which axes ``x`` was broadcast to the cotangent's shape."""
    source, wide = ir.axes_of(x), ir.axes_of(cotangent)
    if source is None or wide is None or known_rank(x) < 0 or known_rank(cotangent) < 0:
        return False
    common = min(len(source), len(wide))
    return all(
        a.length == "one" or c.length == "one" or a.length == "many" or _equal(a, c)
        for a, c in zip(source[-common:], wide[-common:])
        if common
    )


def _equal(a: ir.Axis, b: ir.Axis) -> bool:
    return a.symbol is not None and a.symbol == b.symbol


@static_predicate
def surely_has_shape_of(tangent: ir.Kind, x: ir.Kind) -> bool:
    """The tangent is known to have the full shape of ``x``, an array."""
    own, wanted = ir.axes_of(tangent), ir.axes_of(x)
    if (
        not isinstance(tangent, ir.Array)
        or tangent.promoted
        or not isinstance(x, ir.Array)
    ):
        return False
    if x.promoted or own is None or wanted is None or len(own) != len(wanted):
        return False
    return all(
        a.length == "many" or b.length == "one" or _equal(a, b)
        for a, b in zip(own, wanted)
    )


@static_predicate
def leading_axes(cotangent: ir.Kind, x: ir.Kind) -> int | tuple[int, ...]:
    """The axes of the cotangent that ``x`` doesn't have."""
    extra = (ir.rank_of(cotangent) or 0) - (ir.rank_of(x) or 0)
    return _bare(tuple(range(extra)))


@static_predicate
def stretched_axes(cotangent: ir.Kind, x: ir.Kind) -> int | tuple[int, ...]:
    """The axes, from the last, of length 1 in ``x`` but not in the cotangent."""
    source, wide = ir.axes_of(x) or (), ir.axes_of(cotangent) or ()
    common = min(len(source), len(wide))
    return _bare(
        tuple(
            p
            for p in range(-common, 0)
            if source[p].length == "one" and wide[p].length != "one"
        )
    )


@static_predicate
def is_numpy(x: ir.Kind) -> bool:
    """An array or NumPy scalar, whose operators don't raise where Python's do."""
    if isinstance(x, ir.NumPyScalar):
        return not ir.may_be_python_number(x)
    return isinstance(x, ir.Array) and not x.promoted


@static_predicate
def is_literal(x: ir.Kind) -> bool:
    """A number known when the gradient is compiled."""
    return isinstance(x, ir.Scalar) and x.value is not None


@static_predicate
def is_finite_literal(x: ir.Kind) -> bool:
    """A finite number known when the gradient is compiled."""
    return (
        isinstance(x, ir.Scalar) and x.value is not None and bool(np.isfinite(x.value))
    )


@static_predicate
def is_literal_nonzero(x: ir.Kind) -> bool:
    """A number other than 0 known when the gradient is compiled."""
    return isinstance(x, ir.Scalar) and x.value is not None and x.value != 0


@static_predicate
def is_literal_positive(x: ir.Kind) -> bool:
    """A number above 0 known when the gradient is compiled."""
    return isinstance(x, ir.Scalar) and x.value is not None and x.value > 0


@static_predicate
def has_literal_zero(values: ir.Kind) -> bool:
    """One of the items of a tuple is a number known to be 0."""
    return isinstance(values, ir.Structure) and any(map(is_literal_zero, values.items))


@static_predicate
def axes_behind(axis: ir.Kind, x: ir.Kind) -> int | tuple[int, ...]:
    """1, 2, ...: the axes to insert in a vector that runs along one axis of ``x``."""
    rank = ir.rank_of(x) or 1
    behind = rank - 1 - normalised_axes(static_value(axis), rank)[0]
    return _bare(tuple(range(1, behind + 1)))


@static_predicate
def axes_except(axis: ir.Kind, x: ir.Kind) -> int | tuple[int, ...]:
    """All axes of ``x`` but those named."""
    rank = ir.rank_of(x) or 0
    named = normalised_axes(static_value(axis), rank)
    return _bare(tuple(k for k in range(rank) if k not in named))


@static_predicate
def axes_but_last(x: ir.Kind, count: ir.Kind) -> tuple[int, ...]:
    """All axes of ``x`` but the last few."""
    return tuple(range((ir.rank_of(x) or 0) - static_value(count)))


@static_predicate
def inverse_permutation(axes: ir.Kind) -> tuple[int, ...]:
    """The axes with which ``np.ndarray.transpose`` undoes a transposition."""
    order = static_value(axes)
    return tuple(sorted(range(len(order)), key=lambda k: order[k] % len(order)))


@static_predicate
def other_grid_axes(
    position: ir.Kind, arrays: ir.Kind, indexing: ir.Kind
) -> int | tuple[int, ...]:
    """The axes along which one of the arrays of ``np.meshgrid`` does not vary."""
    k = int(static_value(position))
    count = len(arrays.items) if isinstance(arrays, ir.Structure) else 1
    if count > 1 and k < 2 and static_value(indexing) == "xy":
        k = 1 - k
    return _bare(tuple(axis for axis in range(count) if axis != k))


@static_predicate
def numpy_dtype(x: ir.Kind) -> type:
    """The scalar type of the dtype, as it is written."""
    return np.dtype(ir.dtype_of(x)).type


@static_predicate
def not_supported(reason: ir.Kind, advice: ir.Kind) -> bool:
    """Refuses the call that is compiled, where a text gets to this line."""
    raise CallRefused(static_value(reason), static_value(advice))
