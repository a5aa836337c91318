"""``scipy.signal``: convolutions in all modes, filters, trends and spectra."""

import numpy as np
from scipy import signal

from tests.rules.cases.form import case

RNG = np.random.default_rng(12)
MODES = ("full", "same", "valid")
SHORT, LONG = RNG.normal(size=4), RNG.normal(size=7)
Z = LONG + 1j * RNG.normal(size=7)
W = RNG.normal(size=3) + 1j * RNG.normal(size=3)
IMAGE, KERNEL, EVEN = (RNG.normal(size=s) for s in ((4, 5), (3, 3), (2, 4)))
COMPLEX_KERNEL = KERNEL + 1j * RNG.normal(size=(3, 3))
B, A = np.array([0.4, -0.2, 0.3]), np.array([1.3, -0.5, 0.2, 0.1])
SIGNALS = RNG.normal(size=(2, 9))
MANY = RNG.normal(size=(2, 25))
SECTIONS = np.array([[1, 2, 1, 1, 0, 0], [3, -1, 0, 1, 0, 0]])
"""Of whole numbers, by which no derivative is taken: SciPy wants ones among them."""
SOS = np.array([[0.2, 0.4, 0.2, 1.0, -0.5, 0.1], [1.0, -0.3, 0.0, 1.0, 0.2, 0.0]])
STATE = RNG.normal(size=(2, 3))


def smoothed(x, alpha):
    """Exponential smoothing, with coefficients in lists."""
    return signal.lfilter([alpha], [1.0, alpha - 1.0], x)


def windowed(x, name, shape):
    window = getattr(signal.windows, name)
    return np.abs(np.fft.rfft(x[:, :8] * window(8, *shape)))


def windowed_by_name(x):
    window = signal.get_window("hann", 9) * signal.get_window(("kaiser", 3.0), 9)
    return np.exp(x * window)


def of_sections(x, gain):
    sos = SOS * np.array([gain, gain, gain, 1.0, 1.0, 1.0])
    both = signal.sosfilt(sos, x), signal.sosfiltfilt(sos, x, axis=0, padlen=3)
    return both[0] + both[1]


SHAPES = {
    "kaiser": (3,),
    "kaiser_bessel_derived": (3,),
    "gaussian": (2,),
    "general_gaussian": (2, 3),
    "general_hamming": (1,),
    "general_cosine": ((1, 2),),
    "chebwin": (50,),
}
"""Arguments of windows, as whole numbers: they may not vary."""


def spectrum(x, fs):
    return signal.welch(x, fs, ("kaiser", 3.0), 5, 2, 8)


CASES = [
    *(
        case(windowed, SIGNALS, name, SHAPES.get(name, ()), note=name)
        for name in signal.windows.__all__
        if name not in ("dpss", "get_window")
    ),
    case(windowed_by_name, SIGNALS),
    *(
        case(f, x, y, mode, **words, note=f"{x.dtype.kind}{y.dtype.kind}")
        for f, words in (
            (signal.convolve, {}),
            (signal.convolve, {"method": "fft"}),
            (signal.correlate, {"method": "direct"}),
            (signal.correlate, {}),
            (signal.fftconvolve, {}),
            (signal.oaconvolve, {}),
        )
        for x, y in (
            (LONG, SHORT),
            (SHORT, LONG),
            (Z, W),
            (W, Z),
            (LONG, W),
            (SHORT, SHORT),
            (IMAGE, EVEN),
            (KERNEL, EVEN[:, :3]),
        )
        for mode in MODES
    ),
    *(
        case(f, x, y, mode, note=str(y.dtype))
        for f in (signal.convolve2d, signal.correlate2d)
        for x, y in ((IMAGE, KERNEL), (IMAGE, EVEN), (IMAGE, COMPLEX_KERNEL))
        for mode in MODES
        if mode != "valid" or y is not COMPLEX_KERNEL or f is signal.convolve2d
    ),
    *(
        case(f, x, y, mode, boundary=boundary, fillvalue=0.3)
        for f in (signal.convolve2d, signal.correlate2d)
        for x, y in ((IMAGE, KERNEL), (IMAGE, EVEN), (KERNEL[:, :2], EVEN))
        for mode in MODES
        for boundary in ("fill", "wrap", "symm")
        if mode != "valid" or x is IMAGE
    ),
    *(
        case(f, x, y, mode, axes=axes)
        for f in (signal.fftconvolve, signal.oaconvolve)
        for x, y, axes in (
            (IMAGE, SIGNALS[:1, :3], 1),
            (IMAGE, IMAGE[:, :2] + 1j, (1,)),
            (KERNEL, EVEN[:, :3], (0, 1)),
        )
        for mode in MODES
    ),
    case(signal.fftconvolve, IMAGE[:1], IMAGE[:, :2], axes=-1, note="both ways"),
    case(signal.lfilter, B, A, SIGNALS[0]),
    case(signal.lfilter, B, A, SIGNALS),
    case(signal.lfilter, B, A, SIGNALS.T, axis=0),
    case(signal.lfilter, B, A[:1], SIGNALS),
    case(signal.lfilter, A, B, SIGNALS[:, :2], note="shorter than the filter"),
    case(signal.lfilter, B + 0.2j, A - 0.1j, Z),
    case(smoothed, SIGNALS, 0.3),
    case(smoothed, SIGNALS[0].astype(np.float32), 0.3),
    case(signal.lfilter, B, A, SIGNALS, zi=STATE),
    case(signal.lfilter, B, A, SIGNALS.T, axis=0, zi=STATE.T),
    case(signal.lfilter, B, A[:1], SIGNALS, zi=STATE[:1, :2]),
    case(signal.lfilter_zi, B, A),
    case(signal.lfilter_zi, A, B),
    case(signal.filtfilt, B, A, MANY),
    case(signal.filtfilt, B, A, MANY.T, axis=0, padtype="even", padlen=4),
    case(signal.filtfilt, B, A, MANY[0], padtype="constant", padlen=3),
    case(signal.filtfilt, B, A, SIGNALS, padtype=None),
    case(signal.filtfilt, B, A, SIGNALS, padlen=0),
    case(signal.sosfilt, SECTIONS, SIGNALS),
    case(signal.sosfilt, SECTIONS, SIGNALS.T, axis=0, zi=RNG.normal(size=(2, 2, 2))),
    case(signal.sosfiltfilt, SECTIONS, MANY),
    case(of_sections, SIGNALS[0], 0.7, seldom=True),  # its program is long
    case(signal.detrend, SIGNALS),
    case(signal.detrend, SIGNALS.T, axis=0, type="constant"),
    case(signal.detrend, SIGNALS, bp=4),
    case(signal.detrend, Z),
    case(signal.savgol_filter, SIGNALS, 5, 2),
    case(signal.savgol_filter, SIGNALS.T, 5, 3, deriv=1, delta=0.5, axis=0),
    *(
        case(signal.savgol_filter, SIGNALS, 5, 2, mode=mode, cval=0.3)
        for mode in ("mirror", "nearest", "wrap", "constant")
    ),
    case(signal.savgol_coeffs, 5, 3, 2, 0.7),
    case(signal.savgol_filter, SIGNALS, 7, 4, 2, 0.7),
    case(signal.hilbert, SIGNALS),
    case(signal.hilbert, SIGNALS.T, 6, axis=0),
    case(signal.hilbert, SIGNALS.astype(np.float32)),
    *(case(signal.resample, SIGNALS.T, num) for num in (4, 5, 9, 14, 15)),
    *(case(signal.resample, SIGNALS[:, :8], num, axis=1) for num in (4, 7, 8, 14)),
    case(signal.resample, SIGNALS[0], 6, np.arange(9.0)),
    case(signal.welch, MANY[0], nperseg=6),
    case(spectrum, MANY, 2.5),
    case(signal.welch, MANY.T, window=np.hanning(7), detrend=False, axis=0),
    case(signal.welch, MANY, nperseg=5, detrend="linear", scaling="spectrum"),
    case(signal.welch, MANY[0].astype(np.float32), nperseg=6, note="float32"),
    case(signal.periodogram, SIGNALS, 2.5),
    case(signal.periodogram, SIGNALS.T, nfft=12, window="hann", axis=0),
    case(signal.periodogram, SIGNALS[0], detrend=False, scaling="spectrum"),
]
