"""Power spectra of ``scipy.signal``, of real signals.

P. D. Welch, The use of fast Fourier transform for the estimation of power spectra, IEEE
Transactions on Audio and Electroacoustics 15 (1967).
"""

import numpy as np
from scipy import signal

from s2sad import rules
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics.spectra import taper_of
from s2sad.rules.steps.shape_steps import in_dtype_of

windows = np.lib.stride_tricks.sliding_window_view


@stands_for(signal.welch)
def welch(
    x,
    fs=1.0,
    window="hann",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
):
    """``signal.welch(x, fs, window, nperseg, noverlap, nfft, detrend)``: frequencies,
    and the means of the powers of segments."""
    x = x if rules.is_array(x) else np.asarray(x)
    last = x if rules.known_rank(x) == 1 else np.moveaxis(x, axis, -1)
    if rules.is_text(window) or isinstance(window, tuple):
        length = min(256 if nperseg is None else nperseg, last.shape[-1])
        taper = named_taper(window, length)
    else:
        length, taper = len(window), np.asarray(window)
    if length > last.shape[-1] or (nperseg is not None and length > nperseg):
        raise ValueError("the window is longer than a segment, or than the signal")
    step = length - (length // 2 if noverlap is None else noverlap)
    if step < 1:
        raise ValueError("noverlap must be less than nperseg.")
    segments = windows(last, length, axis=-1)[..., ::step, :]
    count = length if nfft is None else nfft
    powers = powers_of(segments, taper, fs, count, detrend, return_onesided, scaling)
    mean = np.mean(powers, axis=-2)
    mean = mean if rules.known_rank(x) == 1 else np.moveaxis(mean, -1, axis)
    return np.fft.rfftfreq(count, 1.0 / fs), mean


@stands_for(signal.periodogram)
def periodogram(
    x,
    fs=1.0,
    window="boxcar",
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
):
    """``signal.periodogram(x, fs, window, nfft, detrend)``: frequencies, and the powers
    of the whole signal."""
    x = x if rules.is_array(x) else np.asarray(x)
    last = x if rules.known_rank(x) == 1 else np.moveaxis(x, axis, -1)
    length = last.shape[-1]
    count = length if nfft is None else nfft
    if count < length:
        raise ValueError("nfft must not be less than the length of the signal")
    if rules.is_text(window) or isinstance(window, tuple):
        taper = named_taper(window, length)
    else:
        taper = np.asarray(window)
    powers = powers_of(last, taper, fs, count, detrend, return_onesided, scaling)
    powers = powers if rules.known_rank(x) == 1 else np.moveaxis(powers, -1, axis)
    return np.fft.rfftfreq(count, 1.0 / fs), powers


def named_taper(window, length):
    """A window by its name, or by its name and a number."""
    if rules.is_text(window):
        return taper_of(window, length)
    if len(window) != 2:
        rules.not_supported("a window of several parameters", "pass an array as window")
    return taper_of(window[0], length, window[1])


def powers_of(segments, taper, fs, count, detrend, return_onesided, scaling):
    """The powers along the last axis; those of both signs count at the positive
    frequencies."""
    if rules.is_complex_number(segments) or not return_onesided:
        rules.not_supported(
            "power spectra with two sides", "write them out with np.fft.fft"
        )
    if scaling != "density" and scaling != "spectrum":
        raise ValueError(f"Unknown scaling: {scaling!r}")
    if count < segments.shape[-1]:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    if detrend == "linear":
        segments = signal.detrend(segments, axis=-1)
    elif detrend == "constant":
        segments = segments - np.mean(segments, axis=-1, keepdims=True)
    elif detrend:
        rules.not_supported(
            "this detrend of power spectra", "use constant, linear or False"
        )
    taper = in_dtype_of(taper, segments)
    parts = np.fft.rfft(segments * taper, count)
    powers = np.real(parts) ** 2 + np.imag(parts) ** 2
    if scaling == "density":
        whole = fs * np.sum(taper * taper)
    else:
        whole = np.sum(taper) ** 2
    places = np.arange(count // 2 + 1)
    twice = (places > 0) & (2 * places < count)
    return powers * (in_dtype_of(1.0 + twice, segments) / whole)
