"""Methods of ufuncs: ``np.add.outer`` and its like. Each text takes the ufunc first."""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import rules
from s2sad.ops.numerics import special, statistics
from s2sad.ops.runtime.ties import running_places


def outer(ufunc, a, b):
    """``ufunc.outer(a, b)``."""
    a, b = (x if rules.is_array(x) else np.asarray(x) for x in (a, b))
    return ufunc(np.reshape(a, a.shape + (1,) * rules.known_rank(b)), b)


def reduce(ufunc, array, axis=0, *, keepdims=False):
    """``ufunc.reduce(array, axis)``: from one element along an axis to the next."""
    array = array if rules.is_array(array) else np.asarray(array)
    if axis is None:
        array, along = np.ravel(array), 0
    else:
        along = axis
    lines = np.moveaxis(array, along, 0)
    reduced = lines[0]
    for line in lines[1:]:
        reduced = ufunc(reduced, line)
    return np.expand_dims(reduced, along) if keepdims else reduced


def reduce_logaddexp(ufunc, array, axis=0, *, keepdims=False):
    """``np.logaddexp.reduce(array, axis)``."""
    array = array if rules.is_array(array) else np.asarray(array)
    return special.log_of_summed_exponentials(array, axis, keepdims)


def accumulate(ufunc, array, axis=0):
    """``ufunc.accumulate(array, axis)``."""
    array = array if rules.is_array(array) else np.asarray(array)
    lines = np.moveaxis(array, axis, 0)
    if not rules.surely_has_elements(lines) and len(lines) == 0:
        return np.copy(array)
    now = lines[0]
    values = [now]
    for line in lines[1:]:
        now = ufunc(now, line)
        values.append(now)
    return np.moveaxis(np.array(values), 0, axis)


def sums_reduced_at(ufunc, array, indices, axis=0):
    """``np.add.reduceat(array, indices, axis)``."""
    array = array if rules.is_array(array) else np.asarray(array)
    return statistics.sums_between(array, indices, axis)


def running_extremum(ufunc, array, axis=0):
    """``np.maximum.accumulate(array, axis)``: of elements that are equal the first."""
    array = array if rules.is_array(array) else np.asarray(array)
    places = running_places(ufunc, array, axis)
    if rules.known_rank(array) == 1:
        return array[places]
    return np.take_along_axis(array, places, axis)


def method_of_ufunc(ufunc: Any, name: str) -> Callable[..., Any] | None:
    """The text of a method of a ufunc of two arguments; None where there is none."""
    if ufunc.nin != 2 or ufunc.nout != 1 or ufunc.signature is not None:
        return None
    own = _OF_ONE_UFUNC.get((ufunc, name))
    return own or _OF_ALL_UFUNCS.get(name)


_OF_ALL_UFUNCS: dict[str, Callable[..., Any]] = {
    "outer": outer,
    "reduce": reduce,
    "accumulate": accumulate,
}
_OF_ONE_UFUNC: dict[Any, Callable[..., Any]] = {
    (np.logaddexp, "reduce"): reduce_logaddexp,
    (np.add, "reduceat"): sums_reduced_at,
    (np.maximum, "accumulate"): running_extremum,
    (np.minimum, "accumulate"): running_extremum,
}
