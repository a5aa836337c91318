"""Functions of NumPy that call others, as loops."""

import math

import numpy as np

from s2sad import rules
from s2sad.frontend.library.numpy.joining import common_shape
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.runtime.broadcasting import as_dtype_of


@stands_for(np.apply_along_axis, always=True)
def apply_along_axis(func1d, axis, arr, *args, **keywords):
    """``np.apply_along_axis(func1d, axis, arr)`` of functions that give numbers or
    vectors."""
    arr = arr if rules.is_array(arr) else np.asarray(arr)
    lines = np.moveaxis(arr, axis, -1)
    count = -1 if rules.surely_has_elements(lines) else math.prod(lines.shape[:-1])
    rows = np.reshape(lines, (count, lines.shape[-1]))
    made = np.array([func1d(row, *args, **keywords) for row in rows])
    if rules.known_rank(made) == 1:
        return np.reshape(made, lines.shape[:-1])
    if rules.known_rank(made) != 2:
        rules.not_supported(
            "np.apply_along_axis of a function that gives matrices", "loop"
        )
    whole = np.reshape(made, (*lines.shape[:-1], made.shape[1]))
    return np.moveaxis(whole, -1, axis)


@stands_for(np.apply_over_axes, always=True)
def apply_over_axes(func, a, axes):
    """``np.apply_over_axes(func, a, axes)``."""
    a = a if rules.is_array(a) else np.asarray(a)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        made = func(a, axis)
        a = (
            made
            if rules.known_rank(made) == rules.known_rank(a)
            else np.expand_dims(made, axis)
        )
    return a


@stands_for(np.vectorize, always=True)
def vectorize(
    pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None
):
    """``np.vectorize(pyfunc)``."""
    if excluded is not None or signature is not None:
        rules.not_supported("np.vectorize with a signature or excluded", "write a loop")

    def vectorized(*operands):
        return each_of(pyfunc, otypes, operands)

    return vectorized


def each_of(function, otypes, operands):
    """The function of each element of arrays that are broadcast to one shape."""
    arrays = tuple(x if rules.is_array(x) else np.asarray(x) for x in operands)
    first = 0.0
    if otypes is None:
        first = function(*(np.ravel(x)[0] for x in arrays))
        if not rules.is_floating(first):
            rules.not_supported(
                "np.vectorize of a function whose first result may be an int, which "
                "makes all of them ints",
                "pass otypes=[float]",
            )
    if len(arrays) == 1:
        (x,) = arrays
        made = np.array([function(_number(e)) for e in np.ravel(x)])
        return _in_dtype_of_first(np.reshape(made, x.shape), first)
    shape = common_shape(*arrays)
    wide = tuple(np.ravel(np.broadcast_to(x, shape)) for x in arrays)
    made = np.array([function(*map(_number, each)) for each in zip(*wide)])
    return _in_dtype_of_first(np.reshape(made, shape), first)


def _in_dtype_of_first(made, first):
    return made if rules.is_double(first) else as_dtype_of(made, first)


def _number(element):
    """An element of an array as the Python number that ``np.vectorize`` passes."""
    return float(element) if rules.is_floating(element) else element


@stands_for(np.fromfunction, always=True)
def fromfunction(function, shape, *, dtype=float, **keywords):
    """``np.fromfunction(function, shape)``."""
    return function(*np.indices(shape, dtype=dtype), **keywords)
