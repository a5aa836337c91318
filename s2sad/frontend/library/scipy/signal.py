"""Functions of ``scipy.signal`` that are made of others."""

import numpy as np
from scipy import fft, signal

from s2sad import rules
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics import filters, spectra

# ------------------------------------------------------------------ borders


@stands_for(signal.convolve2d, words=("boundary", "fillvalue"))
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """``signal.convolve2d(in1, in2, mode, boundary, fillvalue)``."""
    if mode == "valid":
        return signal.convolve2d(in1, in2, "valid")
    in1, in2 = np.asarray(in1), np.asarray(in2)
    rows = _beside(in2.shape[0], mode, False)
    columns = _beside(in2.shape[1], mode, False)
    return signal.convolve2d(
        _continued(in1, (rows, columns), boundary, fillvalue), in2, "valid"
    )


@stands_for(signal.correlate2d, words=("boundary", "fillvalue"))
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """``signal.correlate2d(in1, in2, mode, boundary, fillvalue)``."""
    if mode == "valid":
        return signal.correlate2d(in1, in2, "valid")
    in1, in2 = np.asarray(in1), np.asarray(in2)
    rows = _beside(in2.shape[0], mode, True)
    columns = _beside(in2.shape[1], mode, True)
    return signal.correlate2d(
        _continued(in1, (rows, columns), boundary, fillvalue), in2, "valid"
    )


def _beside(count, mode, late):
    """How many places in front of an axis and behind it a convolution reads."""
    if mode == "full":
        return count - 1, count - 1
    if mode != "same":
        rules.not_supported("a convolution in this mode", "use full, same or valid")
    front = (count - 1 + late) // 2
    return count - 1 - front, front


_WHOLE = (
    *("bool", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
)


def _continued(x, widths, boundary, fillvalue):
    if boundary in ("wrap", "circular"):
        return np.pad(x, widths, mode="wrap")
    if boundary in ("symm", "symmetric"):
        return np.pad(x, widths, mode="symmetric")
    if boundary not in ("fill", "pad"):
        rules.not_supported(
            "a convolution with this boundary", "use fill, wrap or symm"
        )
    if rules.dtype_name(x) in _WHOLE and not rules.is_literal_zero(fillvalue):
        x = x.astype(np.float64)  # the values around may be no whole numbers
    return np.pad(x, widths, constant_values=fillvalue)


# ------------------------------------------------------------------ filters


def _places(axis, rank, start, stop):
    """The index of some places along an axis."""
    return (*((slice(None),) * (axis % rank)), slice(start, stop))


def _longer(x, count, axis):
    """The array with zeros behind, along an axis."""
    rank, k = rules.known_rank(x), axis % rules.known_rank(x)
    return np.pad(x, ((0, 0),) * k + ((0, count),) + ((0, 0),) * (rank - 1 - k))


@stands_for(signal.lfilter, words=("zi",))
def lfilter(b, a, x, axis=-1, zi=None):
    """``signal.lfilter(b, a, x, axis, zi)``: what goes in without feeding back is known
    for all places, those behind the signal too; what is left of it there is the state.
    """
    if zi is None:
        return signal.lfilter(b, a, x, axis)
    b, a, x = np.asarray(b), np.asarray(a), np.asarray(x)
    b, a, rank = b / a[0], a / a[0], rules.known_rank(x)
    unit, count, order = a[:1], x.shape[axis], max(len(a), len(b)) - 1
    driven = signal.lfilter(b, unit, _longer(x, order, axis), axis)
    driven = driven + _longer(np.asarray(zi), count, axis)
    filtered = signal.lfilter(unit, a, driven[_places(axis, rank, 0, count)], axis)
    fed_back = signal.lfilter(a, unit, _longer(filtered, order, axis), axis)
    return filtered, (driven - fed_back)[_places(axis, rank, count, None)]


@stands_for(signal.lfilter_zi)
def lfilter_zi(b, a):
    """``signal.lfilter_zi(b, a)``."""
    b, a = np.asarray(b), np.asarray(a)
    if a[0] == 0.0:
        raise ValueError("the first coefficient of a is zero")
    b, a, order = b / a[0], a / a[0], max(len(a), len(b)) - 1
    b = np.pad(b, (0, order + 1 - len(b)))
    a = np.pad(a, (0, order + 1 - len(a)))
    first = np.eye(order)[:1] if order else np.zeros((1, 0))
    matrix = np.eye(order) - np.eye(order, k=1) + a[1:, None] * first
    return np.linalg.solve(matrix, b[1:] - a[1:] * b[0])


@stands_for(signal.filtfilt)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad"):
    """``signal.filtfilt(b, a, x, axis, padtype, padlen)``."""
    if method != "pad":
        rules.not_supported("filtfilt with method='gust'", "use method='pad'")
    b, a, x = np.asarray(b), np.asarray(a), np.asarray(x)
    edge = _edge(padtype, padlen, 3 * max(len(a), len(b)), x.shape[axis])
    longer = _extended(x, edge, padtype, axis)
    state = _along(signal.lfilter_zi(b, a), axis, rules.known_rank(x))
    for _ in range(2):  # from the start, and from the end
        first = longer[_places(axis, rules.known_rank(x), 0, 1)]
        filtered, _ = lfilter(b, a, longer, axis, state * first)
        longer = np.flip(filtered, axis)
    return longer[_places(axis, rules.known_rank(x), edge, edge + x.shape[axis])]


def _edge(padtype, padlen, default, count):
    """By how many places a signal is continued on both sides."""
    edge = default if padlen is None else padlen
    edge = 0 if padtype is None else edge
    if count <= edge:
        raise ValueError("The length of the input vector x must be greater than padlen")
    return edge


def _extended(x, edge, padtype, axis):
    """The signal continued by its mirror image, by that turned about the last sample,
    or by the last sample."""
    if padtype is None:
        return x
    if padtype not in ("odd", "even", "constant"):
        rules.not_supported(
            "a filter with this padtype", "use odd, even, constant or None"
        )
    rank, count = rules.known_rank(x), x.shape[axis]
    first, last = x[_places(axis, rank, 0, 1)], x[_places(axis, rank, count - 1, None)]
    if padtype == "constant":
        left, right = np.repeat(first, edge, axis), np.repeat(last, edge, axis)
        return np.concatenate((left, x, right), axis)
    left = np.flip(x[_places(axis, rank, 1, edge + 1)], axis)
    right = np.flip(x[_places(axis, rank, count - 1 - edge, count - 1)], axis)
    if padtype == "odd":
        left, right = 2 * first - left, 2 * last - right
    return np.concatenate((left, x, right), axis)


def _along(vector, axis, rank):
    """A vector that runs along an axis."""
    k = axis % rank
    return np.reshape(vector, (1,) * k + (-1,) + (1,) * (rank - 1 - k))


@stands_for(signal.sosfilt)
def sosfilt(sos, x, axis=-1, zi=None):
    """``signal.sosfilt(sos, x, axis, zi)``."""
    sos, filtered = np.asarray(sos), np.asarray(x)
    if zi is None:
        for section in sos:
            filtered = signal.lfilter(section[:3], section[3:], filtered, axis)
        return filtered
    states = []
    for k, section in enumerate(sos):
        b, a = section[:3], section[3:]
        filtered, state = lfilter(b, a, filtered, axis, zi[k])
        states.append(state)
    return filtered, np.stack(states)


@stands_for(signal.sosfiltfilt)
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    """``signal.sosfiltfilt(sos, x, axis, padtype, padlen)``."""
    sos, x = np.asarray(sos), np.asarray(x)
    taps = 2 * len(sos) + 1
    taps -= min(np.sum(sos[:, 2] == 0), np.sum(sos[:, 5] == 0))
    edge = _edge(padtype, padlen, 3 * taps, x.shape[axis])
    longer = _extended(x, edge, padtype, axis)
    for _ in range(2):
        first = longer[_places(axis, rules.known_rank(x), 0, 1)]
        filtered = longer
        for section in sos:
            b, a = section[:3], section[3:]
            state = _along(signal.lfilter_zi(b, a), axis, rules.known_rank(x)) * first
            filtered, _ = lfilter(b, a, filtered, axis, state)
            first = first * (np.sum(b) / np.sum(a))
        longer = np.flip(filtered, axis)
    return longer[_places(axis, rules.known_rank(x), edge, edge + x.shape[axis])]


@stands_for(signal.savgol_filter)
def savgol_filter(
    x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0
):
    """``signal.savgol_filter(x, window_length, polyorder, ...)``."""
    x = np.asarray(x)
    window, half, rank = window_length, window_length // 2, rules.known_rank(x)
    if window % 2 == 0:
        raise ValueError("a window of odd length is expected")
    taps = signal.savgol_coeffs(window, polyorder, deriv=deriv, delta=delta)
    unit = np.ones_like(taps[:1])
    if mode != "interp":
        x = _padded(x, half, axis, mode, cval)
    middle = signal.lfilter(taps, unit, x, axis)
    middle = middle[_places(axis, rank, window - 1, None)]
    if mode != "interp":
        return middle
    count = x.shape[axis]
    if window > count:
        raise ValueError("window_length is greater than the length of x")
    left = filters.savgol_edge_weights(window, polyorder, deriv, delta, 0)
    right = filters.savgol_edge_weights(window, polyorder, deriv, delta, window - half)
    first = _fitted(left, x[_places(axis, rank, 0, window)], axis)
    last = _fitted(right, x[_places(axis, rank, count - window, None)], axis)
    return np.concatenate((first, middle, last), axis)


def _fitted(weights, x, axis):
    """A matrix times the vectors along an axis."""
    return np.moveaxis(np.tensordot(weights, x, (1, axis)), 0, axis)


def _padded(x, half, axis, mode, cval):
    rank, k = rules.known_rank(x), axis % rules.known_rank(x)
    widths = ((0, 0),) * k + ((half, half),) + ((0, 0),) * (rank - 1 - k)
    if mode == "constant":
        return np.pad(x, widths, constant_values=cval)
    if mode == "mirror":
        return np.pad(x, widths, mode="reflect")
    if mode == "nearest":
        return np.pad(x, widths, mode="edge")
    if mode != "wrap":
        rules.not_supported(
            "savgol_filter in this mode", "use interp, mirror or nearest"
        )
    return np.pad(x, widths, mode="wrap")


# ------------------------------------------------------------------ spectra


@stands_for(signal.hilbert)
def hilbert(x, N=None, axis=-1):
    """``signal.hilbert(x, N, axis)``."""
    return fft.ifft(filters.one_sided(fft.fft(x, N, axis), axis), axis=axis)


@stands_for(signal.resample)
def resample(x, num, t=None, axis=0, window=None):
    """``signal.resample(x, num, t, axis)`` of real samples."""
    x = x if rules.is_array(x) else np.asarray(x)
    if window is not None or rules.is_complex_number(x):
        rules.not_supported(
            "resample with a window, or of complex numbers",
            "write it out with scipy.fft",
        )
    count = x.shape[axis]
    common = min(num, count)
    half = fft.rfft(x, axis=axis)
    half = half[_places(axis, rules.known_rank(x), 0, common // 2 + 1)]
    if common % 2 == 0:  # the last frequency stands alone on one side
        factor = 1.0 if num == count else 2.0 if num < count else 0.5
        half = spectra.scaled_at_ends(half, (axis,), (-1,), factor)
    samples = fft.irfft(half, num, axis=axis) * (num / count)
    if t is None:
        return samples
    return samples, t[0] + (t[1] - t[0]) * (count / num) * np.arange(num)
