"""``np.pad`` in all its modes: axis by axis, as NumPy does."""

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.runtime import broadcasting, indices


@stands_for(np.pad, words=("mode", "end_values", "stat_length", "reflect_type"))
def pad(
    array,
    pad_width,
    mode="constant",
    *,
    constant_values=0,
    end_values=0,
    stat_length=None,
    reflect_type="even",
):
    """``np.pad(array, pad_width, mode)``."""
    if mode == "constant" and rules.known_rank(constant_values) == 0:
        return np.pad(array, pad_width, constant_values=constant_values)
    if reflect_type != "even":
        rules.not_supported("np.pad with reflect_type='odd'", "write the padding out")
    padded = array if rules.is_array(array) else np.asarray(array)
    if not rules.is_floating(padded) and mode in ("mean", "median", "linear_ramp"):
        rules.not_supported(
            "np.pad with this mode of an array of ints", "cast it to floats"
        )
    rank = rules.known_rank(padded)
    for k, (before, behind) in enumerate(_pairs(pad_width, rank)):
        if mode in ("edge", "reflect", "symmetric", "wrap"):
            places = indices.padded_places(padded.shape[k], before, behind, mode)
            padded = np.take(padded, places, axis=k)
        elif mode == "constant":
            first, last = _pairs(constant_values, rank)[k]
            shape = _beside(padded, k)
            left = np.zeros(shape) + first
            right = np.zeros(shape) + last
            padded = _joined(padded, k, before, behind, left, right)
        elif mode == "linear_ramp":
            first, last = _pairs(end_values, rank)[k]
            left = np.linspace(first, padded[_index(k, 0)], before, False, axis=k)
            right = np.linspace(last, padded[_index(k, -1)], behind, False, axis=k)
            parts = _cast(left, padded), padded, _cast(np.flip(right, k), padded)
            padded = np.concatenate(parts, axis=k)
        else:
            first, last = _pairs(stat_length, rank)[k]
            left = _statistic(padded[_until(k, first)], mode, k)
            right = _statistic(padded[_from(k, last)], mode, k)
            padded = _joined(padded, k, before, behind, left, right)
    return padded


def _pairs(widths, rank):
    """A pair for each axis, from a number, a pair, or pairs."""
    if widths is None or rules.known_rank(widths) == 0:
        return ((widths, widths),) * rank
    if rules.known_rank(widths[0]) == 0:
        return ((widths[0], widths[-1]),) * rank
    if len(widths) == 1:
        return ((widths[0][0], widths[0][-1]),) * rank
    return tuple((one[0], one[-1]) for one in widths)


def _joined(padded, k, before, behind, left, right):
    """An array with copies of what has one place along an axis in front and behind."""
    left, right = _cast(left, padded), _cast(right, padded)
    parts = (np.repeat(left, before, axis=k), padded, np.repeat(right, behind, axis=k))
    return np.concatenate(parts, axis=k)


def _cast(part, padded):
    return part if rules.is_double(padded) else broadcasting.as_dtype_of(part, padded)


def _statistic(part, mode, k):
    if mode == "maximum":
        return np.max(part, axis=k, keepdims=True)
    if mode == "minimum":
        return np.min(part, axis=k, keepdims=True)
    if mode == "mean":
        return np.mean(part, axis=k, keepdims=True)
    if mode == "median":
        return np.median(part, axis=k, keepdims=True)
    rules.not_supported("np.pad with this mode", "write the padding out")
    return part


def _beside(padded, k):
    """The shape of one place along an axis."""
    return (*padded.shape[:k], 1, *padded.shape[k + 1 :])


def _index(k, place):
    return (*((slice(None),) * k), place)


def _until(k, length):
    return (*((slice(None),) * k), slice(None, length))


def _from(k, length):
    start = None if length is None else -length
    return (*((slice(None),) * k), slice(start, None))
