"""Windows that slide over many arrays, convolutions of many vectors and elements of
many arrays in a row, along one more axis in front: of many tangents or cotangents, as
Jacobians take them."""

from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.rules.numpy.batched_transforms import axis_of_each
from s2sad.rules.numpy.windows import sliding_window_view


@rules.batched_as(sliding_window_view)
def _windows(x, window_shape, axis=None, *, batched):
    if axis is None:
        return sliding_window_view(x, window_shape, axis=1)
    return sliding_window_view(x, window_shape, axis=axis_of_each(axis))


@rules.batched_as(np.convolve)
def _convolutions(a, v, mode="full", *, batched):
    if rules.known_rank(a) != 1 + ("a" in batched) or rules.known_rank(v) != 1 + (
        "v" in batched
    ):
        return None
    if batched == ("a",):
        return a @ matrix_of_convolution(v, a.shape[1], mode)
    if batched == ("v",):
        return v @ matrix_of_convolution(a, v.shape[1], mode)
    widths, count = padding_of_convolution(v.shape[1], a.shape[1], mode)
    windows = sliding_window_view(np.pad(v, ((0, 0), widths)), count, axis=1)
    return np.squeeze(np.expand_dims(a[:, ::-1], 1) @ windows, axis=1)


def matrix_of_convolution(x: Any, m: int, mode: str) -> Any:
    """The matrix by which vectors of this length are multiplied to be convolved with
    ``x``: each of its rows has the elements of ``x``, one place behind those of the row
    above. In memory of its own, for products of windows that overlap are slow."""
    widths, count = padding_of_convolution(x.shape[0], m, mode)
    return sliding_window_view(np.pad(x, widths), count)[::-1].copy()


def padding_of_convolution(n: int, m: int, mode: str) -> tuple[tuple[int, int], int]:
    """How many zeros stand around a vector of length ``n``, over which one of length
    ``m`` slides, turned around; and at how many places."""
    if mode == "full":
        return (m - 1, m - 1), n + m - 1
    if mode == "same":
        first, count = (min(n, m) - 1) // 2, max(n, m)
    else:
        first, count = min(n, m) - 1, max(n, m) - min(n, m) + 1
    return (m - 1 - first, count + first - n), count


@rules.static_predicate
def each_has_elements(arrays: ir.Kind) -> bool:
    """No axis but the leading one can have length 0."""
    axes = ir.axes_of(arrays)
    return axes is not None and all(ir.least_length(axis) > 0 for axis in axes[1:])


@rules.batched_as(np.resize)
def _resized(a, new_shape, *, batched):
    if rules.known_rank(a) == -1 or not each_has_elements(a):
        return None
    rows = a if rules.known_rank(a) == 2 else np.reshape(a, (a.shape[0], -1))
    return rows[:, np.resize(np.arange(rows.shape[1]), new_shape)]
