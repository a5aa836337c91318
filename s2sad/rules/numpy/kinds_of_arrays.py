"""Steps of kind functions: dtypes, axes and shapes of results."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.rules.result_kinds import array_or_number

NOT_GIVEN = ir.Known(None)
IS_FALSE, IS_TRUE = ir.Known(False), ir.Known(True)
LAST, ZERO, FIRST = ir.Scalar("int", -1), ir.Scalar("int", 0), ir.Scalar("int", 1)
TWO, FIFTY, UNIT = ir.Scalar("int", 2), ir.Scalar("int", 50), ir.Scalar("float", 1.0)
CONSTANT, XY = ir.Known("constant"), ir.Known("xy")
"""Kinds of default values of parameters, which a call leaves out."""

NUMERIC = (ir.Scalar, ir.NumPyScalar, ir.Array)


@functools.lru_cache(maxsize=4096)
def _sampled_dtype(
    function: Callable[..., Any], samples: tuple[tuple[str, str, int], ...]
) -> str | None:
    arguments: list[Any] = []
    for form, dtype, rank in samples:
        if form == "python":
            arguments.append(
                {"int": 1, "float": 1.0, "bool": True, "complex": 1j}[dtype]
            )
        else:
            arguments.append(np.ones((1,) * rank, dtype)[()])
    try:
        with np.errstate(all="ignore"):
            result = function(*arguments)
    except Exception:
        return None
    return str(np.asarray(result).dtype.name)


def result_dtype(
    function: Callable[..., Any], kinds: Sequence[ir.Kind], rank: int = 1
) -> str | None:
    """The dtype that the function gives for arguments of these dtypes, by asking NumPy.

    Arrays are represented by ones of this rank (numbers by numbers).
    """
    samples: list[tuple[str, str, int]] = []
    for kind in kinds:
        name = ir.dtype_of(kind)
        if name is None:
            return None
        if isinstance(kind, ir.Scalar):
            samples.append(("python", kind.type, 0))
        else:
            samples.append(("array", name, 0 if ir.axes_of(kind) == () else rank))
    return _sampled_dtype(function, tuple(samples))


def numeric_dtype(function: Callable[..., Any], a: ir.Kind) -> str | None:
    """The dtype of a function of one array."""
    return result_dtype(function, [a])


def real_dtype(dtype: str | None) -> str | None:
    """The dtype of the parts of complex numbers."""
    return None if dtype is None else str(np.zeros(0, dtype).real.dtype.name)


def promoted_dtype(kinds: Sequence[ir.Kind]) -> str | None:
    """The dtype of arrays joined in one; Python numbers count as arrays."""
    names = [ir.dtype_of(kind) for kind in kinds]
    if not names or None in names:
        return None
    return str(np.result_type(*(np.dtype(n) for n in names)).name)


def as_array(kind: ir.Kind) -> ir.Kind:
    """What ``np.asarray`` makes of it: nested lists of numbers become an array."""
    if isinstance(kind, ir.List):
        return ir.array_of_list(kind) or ir.UNKNOWN
    if not isinstance(kind, ir.Structure):
        return kind if isinstance(kind, NUMERIC) else ir.UNKNOWN
    items = [as_array(item) for item in kind.items]
    if not items:
        return ir.Array("float64", (known_length(0),))
    if kind.constructor not in (tuple, list) or ir.UNKNOWN in items:
        return ir.UNKNOWN
    ranks = {
        None if (a := settled_array_axes(item)) is None else len(a) for item in items
    }
    dtype = promoted_dtype(items)
    if len(ranks) > 1 or None in ranks:
        return ir.Array(dtype, None)
    return ir.Array(dtype, (known_length(len(items)), *joined_axes(items)))


def joined_axes(kinds: Sequence[ir.Kind]) -> tuple[ir.Axis, ...]:
    """The axes of arrays of equal shape; what is known of one is known of all."""
    best: list[ir.Axis] = []
    for column in zip(*(ir.axes_of(kind) or () for kind in kinds)):
        known = [a for a in column if a.length != "any"]
        symbols = [a for a in (known or column) if a.symbol is not None]
        best.append((symbols or known or column)[0])
    return tuple(best)


def settled_array_axes(kind: ir.Kind) -> tuple[ir.Axis, ...] | None:
    """The axes; None where the rank isn't known, or it is a number on some path."""
    if isinstance(kind, ir.Array) and kind.promoted:
        return None
    return ir.axes_of(kind)


def settled_axes_of(axis: ir.Kind, rank: int) -> tuple[int, ...]:
    """The axes that an ``axis`` argument names, counted from 0."""
    return rules.normalised_axes(rules.static_value(axis), rank)


def result_of_reduction(
    function: Callable[..., Any],
    a: ir.Kind,
    axis: ir.Kind,
    keepdims: ir.Kind,
    dtype_from: Sequence[ir.Kind] | None = None,
) -> ir.Kind:
    """The kind of a reduction of ``a`` over ``axis``."""
    a = as_array(a)
    if not isinstance(a, NUMERIC):
        return ir.UNKNOWN
    dtype = result_dtype(function, [a] if dtype_from is None else dtype_from)
    axes = settled_array_axes(a)
    if rules.static_value(axis) is None and not rules.static_value(keepdims):
        return ir.NumPyScalar(dtype)
    if axes is None:
        return ir.Array(dtype, None)
    gone = settled_axes_of(axis, len(axes)) if axes else ()
    if rules.static_value(keepdims):
        kept = tuple(ir.ONE if k in gone else x for k, x in enumerate(axes))
        return array_or_number(dtype, kept)
    return array_or_number(dtype, tuple(x for k, x in enumerate(axes) if k not in gone))


def dtype_named(dtype: ir.Kind, default: str | None) -> str | None:
    """The dtype that a ``dtype`` argument names."""
    if dtype == ir.Known(None):
        return default
    if not rules.is_static(dtype):
        return None
    try:
        found = np.dtype(rules.static_value(dtype))
    except (TypeError, ValueError):  # a list of fields has become a tuple
        found = None
    if found is None or found.names is not None:
        raise rules.CallRefused(
            "an array of records isn't differentiated", "use an array for each field"
        )
    return found.name


def known_length(length: int) -> ir.Axis:
    """The axis of a length that is known."""
    return ir.ONE if length == 1 else ir.Axis("many", ("length", length))


def axis_of_length(length: ir.Kind) -> ir.Axis:
    """The axis of a length given as a number."""
    if isinstance(length, ir.Scalar):
        if length.value is not None:
            if length.value == -1:
                return ir.Axis("any")
            return known_length(length.value)
        return ir.Axis("any", length.length_of)
    return ir.Axis("any")


def axes_of_shape(shape: ir.Kind) -> tuple[ir.Axis, ...] | None:
    """The axes of a shape, a number or tuple of them; None if its rank is unknown."""
    if isinstance(shape, ir.Structure) and shape.constructor in (tuple, list):
        return tuple(axis_of_length(item) for item in shape.items)
    if isinstance(shape, ir.Scalar) or (
        isinstance(shape, ir.NumPyScalar)
        and (shape.dtype or "").startswith(("int", "uint"))
    ):
        return (axis_of_length(shape),)
    if isinstance(shape, ir.Known) and isinstance(shape.value, tuple):
        return tuple(axis_of_length(ir.Scalar("int", n)) for n in shape.value)
    return None


def structure(items: Sequence[ir.Kind], constructor: type = tuple) -> ir.Structure:
    """A tuple of these kinds."""
    return ir.Structure(constructor, tuple(range(len(items))), tuple(items))


def axis_product(axes: Sequence[ir.Axis] | None) -> ir.Axis:
    """The axis that all these axes become when they are flattened into one."""
    wide = [a for a in axes or () if a.length != "one"]
    if axes is not None and not wide:
        return ir.ONE
    if len(wide) == 1:
        return wide[0]
    return ir.Axis("many" if any(a.length == "many" for a in wide) else "any")
