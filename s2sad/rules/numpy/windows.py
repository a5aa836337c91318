"""Windows that slide over an array."""

import numpy as np

from s2sad import ir, rules
from s2sad.rules.numpy.kinds_of_arrays import NOT_GIVEN, axes_of_shape, settled_axes_of
from s2sad.rules.steps.scatter import Scattered

sliding_window_view = np.lib.stride_tricks.sliding_window_view


def windows_kind(
    x: ir.Kind, window_shape: ir.Kind, axis: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    """One axis has fewer places, and the windows are the last axis."""
    axes = ir.axes_of(x)
    vector = axes is not None and len(axes) == 1
    along = rules.static_value(axis)
    one = isinstance(along, int) or (along is None and vector)
    if axes is None or not one or not isinstance(window_shape, ir.Scalar):
        raise rules.CallRefused(
            "sliding_window_view has a rule for one axis of an array of known rank, "
            "and a window that is an int",
            "slide over one axis after the other",
        )
    k = 0 if along is None else settled_axes_of(axis, len(axes))[0]
    window = (axes_of_shape(window_shape) or ())[0]
    return ir.Array(ir.dtype_of(x), (*axes[:k], ir.Axis("any"), *axes[k + 1 :], window))


@rules.reverse_of(sliding_window_view, kind=windows_kind, linear=True, view=True)
def _windows(x, window_shape, axis=None, *, out, out_bar):
    if rules.known_rank(x) == 1:
        starts = np.arange(x.size - window_shape + 1)
        return Scattered(starts[:, None] + np.arange(window_shape), out_bar, True)
    k = rules.settled_axes(axis, x)[0]
    starts = np.arange(x.shape[k] - window_shape + 1)
    places = starts[:, None] + np.arange(window_shape)
    beside = np.moveaxis(out_bar, -1, k + 1)
    return Scattered((slice(None),) * k + (places,), beside, True)
