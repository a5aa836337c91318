"""Calls that say the same as others, for which there are rules.

::

    round(x, ndigits=2)                     ->     round(x, 2)
    np.where(mask)                          ->     np.nonzero(mask)
    np.sum(x, dtype=float)                  ->     np.sum(x.astype(float))
    np.array(x, copy=True, ndmin=1)         ->     np.array(x)
    x.copy(order="K")                       ->     np.copy(x)
    np.divmod(x, y)                         ->     np.floor_divide and np.remainder
    np.sign(z) of complex numbers           ->     z / abs(z)
    np.tril(v) of a vector               ->     np.tril of rows that are all v
    np.einsum(a, [0, 1], b, [1], [0])       ->     np.einsum("ab,b->a", a, b)
    sliding_window_view(x, (2, 3))          ->     one axis after the other
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.library.numpy.histograms import PART_OF_LARGER
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.special_calls import SPECIAL_CALLS
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.run_time import queries, unions
from s2sad.ops.numerics.complex_numbers import unit_complex
from s2sad.rules.numpy.kinds_of_arrays import as_array
from s2sad.rules.numpy.linalg.einsum import LETTERS


def _called(spec: Specialiser, function: Any, args: Args, words: Words) -> core.Value:

    return spec.call_function(function, args, words)


def _round(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``round`` with its parameters by name."""
    names = ("number", "ndigits")[len(args) :]
    if words and set(words) <= set(names) and (args or "number" in words):
        given = tuple(words[name] for name in names if name in words)
        return _called(spec, round, (*args, *given), {})
    return _usual_round(spec, args, words)


_usual_round = SPECIAL_CALLS[round]


def _where(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``np.where(mask)``: the places."""
    if len(args) + len(words) != 1 or set(words) - {"condition"}:
        return None
    return _called(spec, np.nonzero, (*args, *words.values()), {})


def _sign(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``np.sign`` of complex numbers, which isn't piecewise constant."""
    if len(args) != 1 or words or not ir.is_complex(core.kind_of(args[0])):
        return None
    return _called(spec, unit_complex, args, {})


def _told_by_kind(
    answer: Callable[[ir.Kind], bool | None],
) -> Callable[..., core.Value | None]:
    """A question that the kind of the argument answers, if it is known."""

    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        if len(args) != 1 or words:
            return None
        kind = ir.List(None) if core.is_container(args[0]) else core.kind_of(args[0])
        found = None if ir.is_promoted(kind) else answer(kind)
        return None if found is None else core.constant(found)

    return call


def _isscalar(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``np.isscalar(x)``, also of what may be a number or a list."""
    if len(args) == 1 and queries.is_reference(args[0]):
        kind = queries.kind_of(args[0])
        found = (f for f in kind.forms if f.is_value and f.constructor != np.ndarray)
        if kind.may_be_none:
            return None
        return unions.is_among(spec, args[0], tuple(found))
    return _told_by_kind(_is_scalar)(spec, args, words)


def _is_scalar(kind: ir.Kind) -> bool | None:
    if isinstance(kind, ir.Array | ir.List):
        return False
    return True if isinstance(kind, ir.Scalar | ir.NumPyScalar) else None


def _is_complex_object(kind: ir.Kind) -> bool | None:
    number = isinstance(kind, ir.Scalar | ir.NumPyScalar)
    known = number or (isinstance(kind, ir.Array) and kind.dtype is not None)
    return ir.is_complex(kind) if known else None


def _is_real_object(kind: ir.Kind) -> bool | None:
    found = _is_complex_object(kind)
    return None if found is None else not found


def _of_type(function: Any) -> Callable[..., core.Value | None]:
    """``np.float64(x)`` of an array of that dtype: the array itself."""

    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        kind = core.kind_of(args[0]) if len(args) == 1 and not words else None
        same = isinstance(kind, ir.Array) and kind.dtype == function.__name__
        return args[0] if same and kind.axes and not kind.promoted else None  # type: ignore[union-attr]

    return call


def _diff(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``np.diff(x, 0)``: the array itself."""
    order = args[1] if len(args) > 1 else words.get("n")
    if order is None or not core.is_known(order) or core.known_value(order) != 0:
        return None
    return args[0] if args else words.get("a")


def _triangle(function: Any) -> Callable[..., core.Value | None]:
    """``np.tril(v)`` of a vector: a matrix whose rows are the vector."""

    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        given = {**dict(zip(("m", "k"), args, strict=False)), **words}
        if "m" not in given or ir.rank_of(as_array(core.kind_of(given["m"]))) != 1:
            return None
        vector = _called(spec, np.asarray, (given.pop("m"),), {})
        length = _called(spec, len, (vector,), {})
        shape = core.aggregate_of((length, length))
        rows = _called(spec, np.broadcast_to, (vector, shape), {})
        return _called(spec, function, (rows, *given.values()), {})

    return call


def _divmod(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    if len(args) != 2 or words:
        return None
    parts = (np.floor_divide, np.remainder)
    return core.aggregate_of(tuple(_called(spec, f, args, {}) for f in parts))


def _in_dtype(function: Any) -> Callable[..., core.Value | None]:
    """A reduction with ``dtype``: what is reduced is cast first."""

    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        if "dtype" not in words or not args:
            return None
        array, dtype = args[0], core.kind_of(words["dtype"])
        rest = {name: value for name, value in words.items() if name != "dtype"}
        if not rules.is_static(dtype):
            raise core.Unsupported(
                "the dtype isn't known before the program runs", "name it"
            )
        wanted = rules.static_value(dtype)
        if wanted is not None and np.dtype(wanted).name != ir.dtype_of(
            core.kind_of(array)
        ):
            to = (core.constant(np.dtype(wanted).type),)
            array = spec.call_method(core.Method(array, "astype"), to, {})
        return _called(spec, function, (array, *args[1:]), rest)

    return call


def _array(function: Any) -> Callable[..., core.Value | None]:
    """``np.array`` with keywords that don't change numbers."""

    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        ordered = _in_order(spec, function, args, words)
        if ordered is not None or not args:
            return ordered
        told = {
            name: core.known_value(value)
            for name, value in words.items()
            if name in _ALLOWED and core.is_known(value)
        }
        if not told:
            return None
        for name, value in told.items():
            if value not in _ALLOWED[name]:
                return None
        rest = {name: value for name, value in words.items() if name not in told}
        made = _called(spec, function, args, rest)
        missing = told.get("ndmin", 0)
        if missing:
            kind = core.kind_of(made)
            rank = None if ir.is_promoted(kind) else ir.rank_of(kind)
            if rank is None or not isinstance(made, core.Leaf):
                raise core.Unsupported(
                    "ndmin of an array whose rank isn't known",
                    "use np.atleast_1d, or annotate the array",
                )
            axes = tuple(map(core.constant, range(missing - rank)))
            if axes:
                more = (made, core.aggregate_of(axes))
                made = _called(spec, np.expand_dims, more, {})
        return made

    return call


def _in_order(
    spec: Specialiser, function: Any, args: Args, words: Words
) -> core.Value | None:
    """What copies with ``order``: the rule's call where it says how the copy lies in
    memory, and the call without it elsewhere; None where there is none, or more to
    settle before."""
    given = dict(words)
    if function in _ORDER_BEHIND and len(args) == 1 + _ORDER_BEHIND[function]:
        given["order"], args = args[-1], args[:-1]
    if "order" not in given or set(given) - {"order", "dtype"}:
        return None
    order = _known_order(given.pop("order"))
    is_method = function is np.ndarray.astype
    matters = not _lies_in_one_line(core.kind_of(args[0]), function)
    matters |= order == PART_OF_LARGER
    if order is not None and matters:
        given["order"] = core.constant(order)
        spelling = "method:astype" if is_method else ""
        return spec.apply(function, args, given, spelling=spelling)
    if is_method:
        return spec.call_method(core.Method(args[0], "astype"), args[1:], given)
    return _called(spec, function, args, given)


def _known_order(value: core.Value) -> str | None:
    """By rows, "C", or by columns, "F", or as only texts of the library ask for; None
    for the order of what is copied."""
    order = core.known_value(value) if core.is_known(value) else ""
    if order == PART_OF_LARGER:
        return order
    order = order.upper() if isinstance(order, str) else order
    if order not in (None, "K", "A", "C", "F"):
        raise core.Unsupported(
            "an order in memory that isn't known before the program runs",
            "name 'C' or 'F'",
        )
    return order if order in ("C", "F") else None


def _lies_in_one_line(kind: ir.Kind, function: Any) -> bool:
    """True for numbers, and for vectors, whose copies have but one order."""
    rank = ir.rank_of(kind)
    if ir.is_promoted(kind) or rank is None:
        return False
    return rank == 0 or (rank == 1 and function not in (np.asarray, np.asanyarray))


_ORDER_BEHIND: dict[Any, int] = {
    np.copy: 1,
    np.ndarray.astype: 2,
    np.asarray: 2,
    np.asanyarray: 2,
}
"""Functions that are given an order by its place behind so many arguments."""


def _copied(function: Any) -> Callable[..., core.Value | None]:
    """A copy with an order and nothing else."""

    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        return _in_order(spec, function, args, words) if args else None

    return call


_DEVICES = (None, "cpu")
_ALLOWED: dict[str, tuple[Any, ...]] = {
    "copy": (True,),
    "subok": (False,),
    "ndmin": tuple(range(9)),
    "device": _DEVICES,
}


def _on_the_host(function: Any) -> Callable[..., core.Value | None]:
    """A function that makes an array, with the ``device`` where NumPy's arrays are, and
    ``np.astype`` with ``copy``."""

    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        rest = dict(words)
        for name, allowed in (("device", _DEVICES), ("copy", (True, False))):
            kind = core.kind_of(rest[name]) if name in rest else None
            if (
                kind is not None
                and rules.is_static(kind)
                and rules.static_value(kind) in allowed
            ):
                del rest[name]
        return _called(spec, function, args, rest) if rest != words else None

    return call


_MAKING = (
    *(np.zeros, np.ones, np.empty, np.full, np.eye, np.linspace, np.arange),
    *(np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.astype),
)


def _einsum(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``np.einsum`` with lists of numbers of axes behind the operands."""
    if not args or not isinstance(args[0], core.Leaf) or _is_text(args[0]):
        return None
    operands, lists = args[::2], args[1::2]
    result: Args = ()
    if len(args) % 2:  # the last list is that of the result
        operands, lists, result = args[:-1:2], args[1::2], args[-1:]
    if not all(core.is_known(one) for one in (*lists, *result)):
        raise core.Unsupported(
            "np.einsum with axes that aren't known before the program runs",
            "write the subscripts as text",
        )
    terms = [_as_letters(core.known_value(one)) for one in lists]
    if result:
        terms[-1] += "->" + _as_letters(core.known_value(result[0]))
    subscripts = core.constant(",".join(terms))
    return _called(spec, np.einsum, (subscripts, *operands), words)


def _is_text(value: core.Leaf) -> bool:
    return not isinstance(value.kind, ir.Array | ir.NumPyScalar | ir.Scalar)


def _as_letters(axes: tuple[Any, ...]) -> str:
    return "".join("..." if k is Ellipsis else LETTERS[26:][k] for k in axes)


def _windows(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """Windows over several axes, one after the other."""
    given = {**dict(zip(("x", "window_shape", "axis"), args, strict=False)), **words}
    x, shape = given.get("x"), given.get("window_shape")
    if not isinstance(shape, core.Aggregate) or x is None or len(given) > 3:
        return None
    rank = ir.rank_of(core.kind_of(x))
    named = given.get("axis", core.constant(None))
    try:
        axis = core.known_value(named)
    except rules.ValueNeeded as needed:
        spec.ask_for_value(needed.kind, (named,), sliding_window_view)
        raise
    axes = range(rank or 0) if axis is None else axis
    axes = axes if isinstance(axes, tuple | range) else (axes,)
    if rank is None or len(axes) != len(shape.items):
        return None
    made = x
    for k, length in zip(axes, shape.items, strict=True):
        place = core.constant(k % rank)
        made = _called(spec, sliding_window_view, (made, length, place), {})
    return made


sliding_window_view = np.lib.stride_tricks.sliding_window_view


def _about_dtype(function: Any) -> Callable[..., core.Value | None]:
    """``np.finfo(dtype)``: what it holds is known."""

    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        if len(args) != 1 or words or not core.is_known(args[0]):
            return None
        try:
            return core.constant(function(core.known_value(args[0])))
        except (TypeError, ValueError):
            return None

    return call


_TYPES = (np.float64, np.float32, np.float16, np.complex128, np.complex64)
SPECIAL_CALLS.update({f: _about_dtype(f) for f in (np.finfo, np.iinfo)})
_REDUCTIONS = (np.sum, np.mean, np.prod, np.cumsum, np.cumprod, np.var, np.std)
SPECIAL_CALLS.update({f: _in_dtype(f) for f in _REDUCTIONS})
SPECIAL_CALLS.update({f: _array(f) for f in (np.array, np.asarray, np.asanyarray)})
SPECIAL_CALLS.update({f: _copied(f) for f in (np.copy, np.ndarray.astype)})
SPECIAL_CALLS.update({round: _round, np.where: _where, np.divmod: _divmod})
SPECIAL_CALLS.update({f: _on_the_host(f) for f in _MAKING})
SPECIAL_CALLS.update({f: _of_type(f) for f in _TYPES})
SPECIAL_CALLS.update({np.sign: _sign, np.diff: _diff})
SPECIAL_CALLS.update({f: _triangle(f) for f in (np.tril, np.triu)})
SPECIAL_CALLS[np.isscalar] = _isscalar
SPECIAL_CALLS[np.iscomplexobj] = _told_by_kind(_is_complex_object)
SPECIAL_CALLS[np.isrealobj] = _told_by_kind(_is_real_object)
SPECIAL_CALLS.update({np.einsum: _einsum, sliding_window_view: _windows})
