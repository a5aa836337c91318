"""``numpy.fft``: all norms, lengths that cut and continue, axes, complex and real."""

import numpy as np

from tests.rules.cases.form import case

RNG = np.random.default_rng(11)
X = RNG.normal(size=(3, 4, 5))
Z = X + 1j * RNG.normal(size=X.shape)
NORMS = (None, "backward", "ortho", "forward")
ALONG_AXIS = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)
ALONG_AXES = (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn)
OF_PLANES = (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2)


def inputs(function):
    """What a transform takes: that to half a spectrum no complex numbers."""
    half = function.__name__.startswith(("rfft", "ihfft"))
    return (X,) if half else (X, Z)


def of_spacing(x, d):
    return x[0, 0] * np.fft.fftfreq(5, d) + np.fft.rfftfreq(8, d=d)


def filtered(x):
    """There and back, with an odd number of places."""
    spectrum = np.fft.rfft(x, axis=1)
    factors = np.exp(-np.arange(spectrum.shape[1]))[:, None]
    return np.fft.irfft(spectrum * factors, x.shape[1], axis=1)


def tapered(x):
    taper = np.hanning(5) * np.hamming(5) + np.bartlett(5) * np.blackman(5)
    return np.abs(np.fft.fft(x * taper * np.kaiser(5, 3.0)))


CASES = [
    case(np.fft.fftfreq, 5, 0.3),
    case(np.fft.rfftfreq, 5, 0.3),
    case(tapered, X),
    *(
        case(f, x, n, axis=axis, norm=norm, note=x.dtype.kind)
        for f in (*ALONG_AXIS, np.fft.hfft, np.fft.ihfft)
        for x in inputs(f)
        for n, axis, norm in (
            (None, -1, None),
            (3, -1, "ortho"),
            (8, 1, "forward"),
            (7, 0, "backward"),
            (1, 1, None),
            (4, -2, "ortho"),
        )
    ),
    *(
        case(f, x, s, axes=axes, norm=norm, note=f"{x.dtype.kind} {s} {axes}")
        for f in ALONG_AXES
        for x in inputs(f)
        for s, axes, norm in (
            (None, None, None),
            (None, (2, 0), "ortho"),
            ((5, 3), (-1, 0), "forward"),
            ((-1, 7), (1, 2), None),
            ((2, 2, 6), (0, 1, 2), "backward"),
        )
    ),
    *(
        case(f, x, s, norm=norm, note=f"{x.dtype.kind} {s}")
        for f in OF_PLANES
        for x in inputs(f)
        for s, norm in ((None, None), ((3, 6), "ortho"))
    ),
    *(
        case(f, x, axes=axes, note=x.dtype.kind)
        for f in (np.fft.fftshift, np.fft.ifftshift)
        for x in (X, Z)
        for axes in (None, 1, (0, -1))
    ),
    case(of_spacing, X, 0.3),
    case(np.fft.fftfreq, 5, 0.3),
    case(np.fft.rfftfreq, 5, 0.3),
    case(filtered, X[:, :3]),
    case(filtered, X),
    case(np.fft.fft, np.zeros((0, 3)), note="no signals"),
    case(np.fft.rfft, np.zeros((0, 3)), note="no signals"),
    case(np.fft.fft, X.astype(np.float32), note="float32"),
    case(np.fft.irfft, Z.astype(np.complex64), note="complex64"),
]
