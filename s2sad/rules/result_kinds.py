"""Kinds of results: what is known of an operation's result from the kinds of its
arguments.

A kind function takes the kinds of the arguments, under the names of the rule's
parameters, and returns the kind of the result. Where a number decides (an axis),
:func:`static_value` reads it; if it isn't known, the compiler specialises on the value
of the argument it came from.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sad import ir


class ValueNeeded(Exception):
    """Raised by a kind function when a result depends on a number that isn't known."""

    def __init__(self, kind: ir.Kind) -> None:
        super().__init__(str(kind))
        self.kind = kind


def is_static(kind: ir.Kind) -> bool:
    """True where :func:`static_value` would return."""
    if isinstance(kind, ir.Structure):
        return all(is_static(item) for item in kind.items)
    return isinstance(kind, ir.Known) or (
        isinstance(kind, ir.Scalar) and kind.value is not None
    )


def static_value(kind: ir.Kind) -> Any:
    """The Python value of an argument that decides a kind; raises ValueNeeded if
    unknown."""
    if isinstance(kind, ir.Known):
        return kind.value
    if isinstance(kind, ir.Scalar) and kind.value is not None:
        return kind.value
    if isinstance(kind, ir.Structure) and kind.constructor in (tuple, list):
        return tuple(static_value(item) for item in kind.items)
    if isinstance(kind, ir.Structure) and kind.constructor is frozenset:
        return frozenset(static_value(item) for item in kind.items)
    if isinstance(kind, ir.Structure) and hasattr(kind.constructor, "_fields"):
        items = (static_value(item) for item in kind.items)
        return tuple.__new__(kind.constructor, items)
    raise ValueNeeded(kind)


def exact_value(kind: ir.Kind) -> Any:
    """The same with lists as lists, which :func:`static_value` gives as tuples."""
    if isinstance(kind, ir.Structure) and kind.constructor in (tuple, list):
        return kind.constructor(exact_value(item) for item in kind.items)
    return static_value(kind)


@functools.lru_cache(maxsize=4096)
def _sampled_result(function: Callable[..., Any], samples: tuple[Any, ...]) -> Any:
    """The type or dtype that the function gives for arguments of these types.

    NumPy's own promotion rules are asked, by running the function on ones.
    """
    arguments: list[Any] = []
    for form, dtype in samples:
        if form == "python":
            arguments.append(
                {"int": 1, "float": 1.0, "bool": True, "complex": 1j}[dtype]
            )
        elif form == "numpy":
            arguments.append(np.ones((), dtype)[()])
        else:
            arguments.append(np.ones(1, dtype))
    try:
        with np.errstate(all="ignore"):
            result = function(*arguments)
    except Exception:
        return None
    if type(result) in (float, int, bool, complex):
        return ir.Scalar(type(result).__name__)
    return getattr(getattr(result, "dtype", None), "name", None)


def _sample(kind: ir.Kind) -> tuple[str, str] | None:
    if isinstance(kind, ir.Scalar):
        return "python", kind.type
    name = ir.dtype_of(kind)
    if name is None:
        return None
    return ("numpy" if isinstance(kind, ir.NumPyScalar) else "array"), name


def broadcast_axes(
    kinds: Sequence[ir.Kind],
) -> tuple[ir.Axis, ...] | None:
    """The axes of arrays broadcast against each other (NumPy's rules); None if a rank
    is unknown."""
    all_axes = [ir.axes_of(kind) for kind in kinds]
    if any(axes is None for axes in all_axes):
        return None
    rank = max((len(axes) for axes in all_axes if axes is not None), default=0)
    result = []
    for position in range(-rank, 0):
        present = [
            a[position] for a in all_axes if a is not None and len(a) >= -position
        ]
        wide = [a for a in present if a.length != "one"]
        many = [a for a in wide if a.length == "many"]
        symbols = {a.symbol for a in wide}
        if not wide:
            result.append(ir.ONE)
        elif many:
            result.append(many[0])
        elif len(wide) == 1 or (len(symbols) == 1 and None not in symbols):
            result.append(wide[0])
        else:
            # lengths that aren't known are not equal to others that aren't
            names = ("broadcast", *sorted(symbols, key=str))
            result.append(ir.Axis("any", None if None in symbols else names))
    return tuple(result)


def elementwise_result(
    function: Callable[..., Any], kinds: Sequence[ir.Kind]
) -> ir.Kind:
    """The kind of an elementwise function of these arguments."""
    if any(isinstance(kind, ir.Unknown) for kind in kinds):
        return ir.Unknown(inactive=not any(map(ir.is_real_number_kind, kinds)))
    if not all(
        isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Array) for kind in kinds
    ):
        return ir.UNKNOWN
    samples = tuple(_sample(kind) for kind in kinds)
    dtype = None if None in samples else _sampled_result(function, samples)
    if isinstance(dtype, ir.Scalar):
        return dtype
    axes = broadcast_axes(kinds)
    if axes == () and not any(isinstance(k, ir.Array) and k.promoted for k in kinds):
        by_operator = not isinstance(function, np.ufunc)
        mixed = by_operator and all(map(ir.may_be_python_number, kinds))
        return ir.NumPyScalar(dtype, mixed)
    promoted = axes is not None and all(
        not isinstance(k, ir.Array) or k.promoted for k in kinds
    )
    if not promoted and not _covered_by_arrays(axes, kinds):
        return ir.Array(dtype, None)
    return ir.Array(dtype, axes, promoted and bool(axes))


def _covered_by_arrays(
    axes: tuple[ir.Axis, ...] | None, kinds: Sequence[ir.Kind]
) -> bool:
    """False where the shape of a result depends on whether what may be a number is
    one."""
    if axes is None or not any(isinstance(k, ir.Array) and k.promoted for k in kinds):
        return True
    arrays = [k for k in kinds if isinstance(k, ir.Array) and not k.promoted]
    own = broadcast_axes(arrays)
    return (
        own is not None
        and len(own) == len(axes)
        and all(
            a == b or b.length == "one" or a.length == "many"
            for a, b in zip(own, axes, strict=True)
        )
    )


def elementwise_kind(function: Callable[..., Any]) -> Callable[..., ir.Kind]:
    """The kind function of an elementwise function."""

    def kind(**kinds: ir.Kind) -> ir.Kind:
        return elementwise_result(function, tuple(kinds.values()))

    return kind


def same_kind(x: ir.Kind, **others: ir.Kind) -> ir.Kind:
    """The result has the kind of the first argument."""
    return x


def python_int(**kinds: ir.Kind) -> ir.Kind:
    """The result is a Python int."""
    return ir.Scalar("int")


def python_bool(**kinds: ir.Kind) -> ir.Kind:
    """The result is a Python bool."""
    return ir.Scalar("bool")


def opaque(**kinds: ir.Kind) -> ir.Kind:
    """The result holds no number that has a derivative."""
    return ir.OPAQUE


def array_or_number(dtype: str | None, axes: tuple[ir.Axis, ...] | None) -> ir.Kind:
    """An array of these axes, or the NumPy scalar that NumPy returns instead of rank
    0."""
    return ir.NumPyScalar(dtype) if axes == () else ir.Array(dtype, axes)


def normalised_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that an ``axis`` argument names, counted from 0, in increasing order."""
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, tuple) else (axis,)
    if rank == 0 and axes:
        raise CallRefused("an axis of a number is named", "leave the axis out")
    return tuple(sorted(operator.index(a) % rank for a in axes))


class CallRefused(Exception):
    """Raised by a kind function for a call whose derivative the rule doesn't give.

    The compiler turns it into a problem at the call.
    """

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}; instead: {advice}")
        self.reason, self.advice = reason, advice


class NothingToTake(CallRefused):
    """A call that raises, as far as the arguments are known: an item of an empty
    list."""
