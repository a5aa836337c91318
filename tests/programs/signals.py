"""Transforms, spectra and sound."""

import math
from itertools import chain, pairwise
from operator import add, mul

import numpy as np

from tests.programs.registry import normal, program

WINDOWS = {
    "hann": lambda t: 0.5 - 0.5 * np.cos(2.0 * np.pi * t),
    "hamming": lambda t: 0.54 - 0.46 * np.cos(2.0 * np.pi * t),
    "flat": None,
}


def fft(re, im):
    """The Fourier transform of real and imaginary parts, by halves."""
    n = len(re)
    if n == 1:
        return re, im
    even_re, even_im = fft(re[::2], im[::2])
    odd_re, odd_im = fft(re[1::2], im[1::2])
    angles = -2.0 * np.pi * np.arange(n // 2) / n
    c, s = np.cos(angles), np.sin(angles)
    twisted_re, twisted_im = c * odd_re - s * odd_im, s * odd_re + c * odd_im
    return (
        np.concatenate([even_re + twisted_re, even_re - twisted_re]),
        np.concatenate([even_im + twisted_im, even_im - twisted_im]),
    )


@program(normal(110, 8), "hann", wrt="signal")
def spectral_centroid(signal, window="flat"):
    """Centre of the power spectrum of a windowed signal."""
    t = np.linspace(0.0, 1.0, len(signal))
    if (shape := WINDOWS[window]) is not None:
        signal = signal * shape(t)
    re, im = fft(signal, np.zeros_like(signal))
    power = (re**2 + im**2)[: len(signal) // 2]
    return np.sum(np.arange(len(power)) * power) / np.sum(power)


@program(normal(111, 8), normal(112, 8), wrt=("re", "im"))
def filter_bank(re, im):
    """A transform, and its real and imaginary parts as results."""
    a, b = fft(re, im)
    return a[1:3], b[0] * a[0]


@program(normal(113, 6), normal(114, 6), 0.5, wrt=("a", "b", "gamma"), scalar=True)
def soft_dtw(a, b, gamma):
    """Soft dynamic time warping, row by row of its table."""

    def soft_min(*values):
        lowest = min(values)
        return lowest - gamma * math.log(
            sum(math.exp((lowest - v) / gamma) for v in values)
        )

    big = 50.0
    row = (0.0, *([big] * len(b)))
    for x in a:
        new = (big,)
        for (diagonal, above), y in zip(pairwise(row), b):
            new += ((x - y) ** 2 + soft_min(diagonal, above, new[-1]),)
        row = new
    return row[-1]


@program(normal(115, 7), np.array([0.25, 0.5, 0.25]), wrt=("signal", "kernel"))
def convolution(signal, kernel):
    """Convolution with mirrored ends, by sums over shifts."""
    half = len(kernel) // 2
    padded = np.concatenate([signal[half:0:-1], signal, signal[-2 : -2 - half : -1]])
    shifted = [padded[k : k + len(signal)] for k in range(len(kernel))]
    smooth = sum(map(mul, kernel, shifted))
    return np.sum((smooth - signal) ** 2)


@program(normal(116, 8), wrt="signal")
def haar_wavelets(signal):
    """Entropy-like cost of wavelet coefficients, level by level."""
    level = 0
    cost = 0.0
    while len(signal) > 1:
        left, right = signal[::2], signal[1::2]
        signal, detail = (
            (left + right) / math.sqrt(2.0),
            (left - right) / math.sqrt(2.0),
        )
        level += 1
        cost += level * np.sum(np.log(1.0 + detail**2))
    return cost + signal[0]


@program(1.5, 0.3, (2.0, 3.5, 7.0), wrt=("pitch", "brightness", "times"), scalar=True)
def additive_synthesis(pitch, brightness, times):
    """Energy of a tone of several partials that fade."""

    def make_partial(k):
        def tone(t):
            return brightness**k * math.sin(k * pitch * t) * math.exp(-0.1 * k * t)

        return tone

    partials = [make_partial(k) for k in range(1, 5)]
    late = [lambda t: k * math.cos(pitch * t) for k in range(3)]
    total = 0.0
    for t in times:
        sample = sum(tone(t) for tone in chain(partials, late))
        total += sample * sample
    return total


@program(normal(117, 5), 0.7, wrt=("coefficients", "pole"), scalar=True)
def allpass_cascade(coefficients, pole):
    """The response of a cascade of sections at a few frequencies."""

    def section(w, a):
        numerator = a + math.cos(w)
        denominator = 1.0 + a * math.cos(w)
        return numerator / denominator

    def response(w, *sections, order=1):
        if not sections:
            return float(order)
        head, *tail = sections
        return section(w, 0.3 * math.tanh(head)) * response(
            w, *tail, order=order + pole
        )

    frequencies = [0.1 * k for k in range(1, 5)]
    return add(
        *(
            sum(response(w, *coefficients) for w in f)
            for f in (
                frequencies[:2],
                frequencies[2:],
            )
        )
    )
