"""Calls that write into an array: as stores.

::

    np.multiply(x, y, out=z)               ->       z[...] = np.multiply(x, y)
    np.multiply(x, y, out=z, where=m)      ->       z[m] = np.multiply(x[m], y[m])
    np.copyto(x, y)                        ->       x[...] = y
    np.fill_diagonal(x, v)                 ->       x[i, i] = v
    np.add.at(x, i, v)                     ->       x = accumulated(x, i, v)
    np.put(x, i, v), np.place(x, m, v)     ->       x[i] = v, x[m] = v
    x.fill(v), x.sort()                    ->       x[...] = v, x[...] = np.sort(x)
"""

import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.library.texts import text_for
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import added_places, flat_places, stores, subscripts
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.ops.runtime.indices import index_along_axis
from s2sad.rules.numpy.indexing import is_mask, may_repeat
from s2sad.source.text.source import source_of_own

_EVERYTHING, _ALWAYS = core.constant(Ellipsis), core.constant(True)
_NOTHING, _LAST, _NO = core.constant(None), core.constant(-1), core.constant(False)


def writing_call(
    spec: Specialiser, function: Any, args: Args, words: Words
) -> core.Value | None:
    """The value of a call that writes into an array, or may; None for any other."""
    from s2sad.frontend.library.numpy.ufuncs import method_of_ufunc

    if isinstance(function, types.BuiltinMethodType):
        known = ACCUMULATIONS.get((function.__self__, _name(function)))
        if known is not None and args:
            return _accumulation(spec, known, args, words)
        if isinstance(function.__self__, np.ufunc):
            text = method_of_ufunc(function.__self__, _name(function))
            if text is not None and "out" not in words:
                operands = (core.constant(function.__self__), *args)
                return spec.inline(source_of_own(text), operands, words)
    if isinstance(function, np.ufunc) and len(args) == function.nin + 1:
        *args_in, out = args
        if "out" not in words:
            args, words = tuple(args_in), {**words, "out": out}
    if "out" in words and (rules.rule_for(function) or text_for(function)):
        return _with_output(spec, function, args, words)
    if _name(function) == "at" and _is_of_ufunc(function):
        return _at(spec, function.__self__, args, words)
    writer = WRITERS.get(function) if inspect.isroutine(function) else None
    if writer is None:
        return None
    try:
        given = inspect.signature(writer).bind(spec, *args, **words)
    except TypeError:
        return None
    if not _is_array(given.args[1]):
        return None
    return writer(*given.args, **given.kwargs)


def writes_into_arrays(function: Any) -> bool:
    """True for what changes its first argument alone, which is an array."""
    if _name(function) == "at" and _is_of_ufunc(function):
        return True
    return inspect.isroutine(function) and function in WRITERS


def _is_of_ufunc(function: Any) -> bool:
    return isinstance(getattr(function, "__self__", None), np.ufunc)


def writing_method(
    spec: Specialiser, receiver: core.Value, name: str, args: Args, words: Words
) -> core.Value | None:
    """The same for methods of arrays."""

    if name == "view" and not args and not words:
        return receiver
    if not _is_array(receiver):
        return None
    if name == "fill" and len(args) == 1 and not words:
        return _stored(spec, receiver, _EVERYTHING, args[0])
    if name in ("sort", "partition") and not {"kind", "order"} & set(words):
        function: Any = np.sort if name == "sort" else np.partition
        ordered = spec.call_function(function, (receiver, *args), words)
        return _stored(spec, receiver, _EVERYTHING, ordered)
    if name == "put":
        return writing_call(spec, np.put, (receiver, *args), words)
    return None


# -------------------------------------------------------------------- out=


def _with_output(
    spec: Specialiser, function: Any, args: Args, words: Words
) -> core.Value | None:

    others = {name: value for name, value in words.items() if name != "out"}
    out = words["out"]
    if isinstance(out, core.Aggregate) and len(out.items) == 1:
        out = out.items[0]
    if out == _NOTHING:
        return spec.call_function(function, args, others)
    if not _is_array(out):
        return None
    if function in _ONE_BY_ONE:
        for value in args:
            flat_places.demand_unshared(spec, out, value)
    if not isinstance(function, np.ufunc) or "where" not in others:
        value = spec.call_function(function, args, others)
        _stored(spec, out, _EVERYTHING, value)
        return out
    mask = others.pop("where")
    if mask == _ALWAYS:
        value = spec.call_function(function, args, others)
        _stored(spec, out, _EVERYTHING, value)
        return out
    mask = _spread(spec, mask, out)
    parts = tuple(_part(spec, a, mask, out) for a in args)
    value = spec.call_function(function, parts, others)
    _stored(spec, out, mask, value)
    return out


_ONE_BY_ONE = (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)
"""Functions that put each of their arguments into ``out`` before they read the next."""


def _accumulation(
    spec: Specialiser, function: Any, args: Args, words: Words
) -> core.Value | None:
    """``np.add.accumulate(x)`` runs along the first axis, where none is named."""

    named = len(args) > 1 or "axis" in words
    words = words if named else {**words, "axis": core.constant(0)}
    return spec.call_function(function, args, words)


ACCUMULATIONS: dict[Any, Any] = {
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
    (np.add, "reduce"): np.sum,
    (np.multiply, "reduce"): np.prod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
    (np.fmax, "reduce"): np.nanmax,
    (np.fmin, "reduce"): np.nanmin,
    (np.logical_and, "reduce"): np.all,
    (np.logical_or, "reduce"): np.any,
}
"""Methods of ufuncs, as the functions that they are by another name."""

# -------------------------------------------------------------------- masks


def _spread(spec: Specialiser, value: core.Value, like: core.Value) -> core.Value:
    """A value in the shape of an array."""

    if _same_shape(value, like):
        return value
    shape = spec.attribute_of(like, "shape")
    return spec.call_function(np.broadcast_to, (value, shape), {})


def _part(
    spec: Specialiser, value: core.Value, mask: core.Value, like: core.Value
) -> core.Value:
    """What a value, spread over an array, has where a mask is true."""
    if ir.rank_of(core.kind_of(value)) == 0:
        return value
    return spec.item_of(_spread(spec, value, like), mask)


def _copyto(
    spec: Specialiser, dst: core.Value, src: core.Value, *, where: core.Value = _ALWAYS
) -> core.Value:
    if where == _ALWAYS:
        return _stored(spec, dst, _EVERYTHING, src)
    mask = _spread(spec, where, dst)
    part = _part(spec, stores.as_array(spec, src), mask, dst)
    return _stored(spec, dst, mask, part)


def _put(
    spec: Specialiser, a: core.Value, ind: core.Value, v: core.Value
) -> core.Value | None:
    if _is_empty(ind) or _is_empty(v):
        return _NOTHING
    ind, v = _as_places(spec, ind), stores.as_array(spec, v)
    if is_mask(core.kind_of(ind)) or (_rank(ind) == 0 and _rank(v) != 0):
        return None
    assert isinstance(a, core.Leaf)
    if _same_shape(ind, v):
        return _stored(spec, a, flat_places.flat_index(spec, a, ind), v)

    def put() -> None:
        values = flat_places.repeated(spec, v, ind)
        _stored(spec, a, flat_places.flat_index(spec, a, ind), values)

    return _unless_empty(spec, v, put)


def _as_places(spec: Specialiser, index: core.Value) -> core.Value:
    """A list of places as an array; one that may be empty stays a list, for an array of
    no numbers is one of floats."""
    if isinstance(core.kind_of(index), ir.List):
        return index
    return stores.as_array(spec, index)


def _place(
    spec: Specialiser, arr: core.Value, mask: core.Value, vals: core.Value
) -> core.Value | None:
    if not is_mask(core.kind_of(mask)) or _rank(mask) != _rank(arr):
        return None
    vals = stores.as_array(spec, vals)
    flat_places.demand_unshared(spec, arr, vals)
    if _rank(vals) != 0:
        vals = flat_places.repeated(spec, vals, spec.item_of(arr, mask))
    return _stored(spec, arr, mask, vals)


def _putmask(
    spec: Specialiser, a: core.Value, mask: core.Value, values: core.Value
) -> core.Value | None:
    if not is_mask(core.kind_of(mask)) or _rank(mask) != _rank(a):
        return None
    if _is_empty(values):
        return _NOTHING
    values = stores.as_array(spec, values)

    def put() -> None:
        spread = values
        if not _same_shape(values, a):
            spread = flat_places.repeated(spec, values, a)
        if _rank(spread) != 0:
            spread = spec.item_of(spread, mask)
        _stored(spec, a, mask, spread)

    return _unless_empty(spec, values, put)


def _is_empty(value: core.Value) -> bool:
    """True for ``[]``, and for what has no elements."""
    if isinstance(value, core.Aggregate):
        return not value.items
    return ir.EMPTY in (ir.axes_of(core.kind_of(value)) or ())


def _unless_empty(
    spec: Specialiser, values: core.Value, put: Callable[[], None]
) -> core.Value:
    """Values put one after the other, again and again: of none, nothing is put."""
    if not _may_be_empty(core.kind_of(values)):
        put()
        return _NOTHING
    test = spec.operate(operator.ne, (_count(spec, values), core.constant(0)))
    spec.choose(test, put, lambda: None)
    return _NOTHING


def _may_be_empty(kind: ir.Kind) -> bool:
    if isinstance(kind, ir.List):
        return not ir.is_never_empty(kind)
    return any(axis.length == "any" for axis in ir.axes_of(kind) or ())


def _count(spec: Specialiser, values: core.Value) -> core.Value:
    if isinstance(core.kind_of(values), ir.List) or _rank(values) == 1:
        return spec.call_function(len, (values,), {})
    return spec.attribute_of(values, "size")


def _put_along_axis(
    spec: Specialiser,
    arr: core.Value,
    indices: core.Value,
    values: core.Value,
    axis: core.Value = _LAST,
) -> core.Value | None:
    if axis == _NOTHING:
        return None
    indices = _as_places(spec, indices)
    if _rank(arr) != 1:
        indices = spec.apply(index_along_axis, (indices, arr, axis))
    return _stored(spec, arr, indices, values)


def _fill_diagonal(
    spec: Specialiser, a: core.Value, val: core.Value, wrap: core.Value = _NO
) -> core.Value | None:
    if _rank(a) != 2 or wrap != _NO:
        return None
    return _stored(spec, a, _diagonal(spec, a), val)


WRITERS: dict[Any, Callable[..., core.Value | None]] = {
    np.copyto: _copyto,
    np.put: _put,
    np.place: _place,
    np.putmask: _putmask,
    np.put_along_axis: _put_along_axis,
    np.fill_diagonal: _fill_diagonal,
}
"""With the parameters that are supported. They give None for what isn't."""

# -------------------------------------------------------------------- at


def _at(
    spec: Specialiser, ufunc: np.ufunc, args: Args, words: Words
) -> core.Value | None:
    """``ufunc.at(x, i, v)``: where a place stands twice, both times count."""

    if words or len(args) != ufunc.nin + 1 or not _is_array(args[0]):
        return None
    array, index, *others = args
    assert isinstance(array, core.Leaf)
    index = subscripts.as_index_of_array(spec, array, index)
    if ufunc in (np.add, np.subtract):
        value = stores.as_array(spec, others[0])
        if ufunc is np.subtract:
            value = spec.operate(operator.neg, (value,))
        if may_repeat(core.kind_of(index)):
            value = added_places.spread_over_places(spec, array, index, value)
        spec.store(array, index, value, ops.accumulated)
        return _NOTHING
    if not may_repeat(core.kind_of(index)):
        old = spec.item_of(array, index)
        new = spec.call_function(ufunc, (old, *others), {})
        return _stored(spec, array, index, new)
    helper = one_by_one if len(others) == 1 else one_by_one_alone
    source = user_source(helper)
    assert source is not None
    return spec.inline(source, (core.constant(ufunc), array, index, *others), {})


def one_by_one(ufunc: Any, array: Any, index: Any, value: Any) -> None:
    """``ufunc.at(array, index, value)`` as a loop over the places."""
    places = np.arange(array.size).reshape(array.shape)[index]
    values = np.broadcast_to(value, places.shape).ravel()
    for k, place in enumerate(places.ravel()):
        at = np.unravel_index(place, array.shape)
        array[at] = ufunc(array[at], values[k])


def one_by_one_alone(ufunc: Any, array: Any, index: Any) -> None:
    """``ufunc.at(array, index)`` as a loop over the places."""
    for place in np.arange(array.size).reshape(array.shape)[index].ravel():
        at = np.unravel_index(place, array.shape)
        array[at] = ufunc(array[at])


# -------------------------------------------------------------------- parts


def _stored(
    spec: Specialiser, array: core.Value, index: core.Value, value: core.Value
) -> core.Value:
    assert isinstance(array, core.Leaf)
    spec.store(array, index, value)
    return _NOTHING


def _diagonal(spec: Specialiser, array: core.Value) -> core.Value:

    shape = spec.attribute_of(array, "shape")
    lengths = tuple(spec.item_of(shape, core.constant(k)) for k in range(2))
    count = spec.call_function(min, lengths, {})
    places = spec.call_function(np.arange, (count,), {})
    return core.aggregate_of((places, places))


def _same_shape(a: core.Value, b: core.Value) -> bool:
    """True where two arrays surely have the same lengths."""
    own, other = (getattr(core.kind_of(v), "axes", None) for v in (a, b))
    if own is None or own != other:
        return False
    return all(axis == ir.ONE or axis.symbol is not None for axis in own)


def _is_array(value: core.Value) -> bool:
    if not isinstance(value, core.Leaf) or not isinstance(value.kind, ir.Array):
        return False
    return not value.kind.promoted and isinstance(value.operand, ir.Var)


def _rank(value: core.Value) -> int | None:
    return ir.rank_of(value.kind) if isinstance(value, core.Leaf) else None


def _name(function: Any) -> str:
    return getattr(function, "__name__", "")
