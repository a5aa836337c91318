"""``scipy.fft``: all norms, lengths and types, real and complex."""

import numpy as np
from scipy import fft

from tests.rules.cases.form import case
from tests.rules.cases.library.numpy_fft import X, Z, inputs

ALONG_AXIS = (fft.fft, fft.ifft, fft.rfft, fft.irfft, fft.hfft, fft.ihfft)
ALONG_AXES = (fft.fftn, fft.ifftn, fft.rfftn, fft.irfftn, fft.hfftn, fft.ihfftn)
OF_PLANES = (fft.fft2, fft.ifft2, fft.rfft2, fft.irfft2, fft.hfft2, fft.ihfft2)


def of_spacing(x, d):
    return x[0, 0] * fft.fftfreq(5, d) + fft.rfftfreq(8, d)


def to_fast_length(x):
    count = fft.next_fast_len(x.shape[1] + 3) + fft.prev_fast_len(x.shape[1])
    return fft.rfft(x, count, axis=1)


CASES = [
    *(
        case(f, x, n, axis=axis, norm=norm, note=x.dtype.kind)
        for f in ALONG_AXIS
        for x in inputs(f)
        for n, axis, norm in ((None, -1, None), (3, 1, "ortho"), (7, 0, "forward"))
    ),
    *(
        case(f, x, s, axes=axes, norm=norm, note=f"{x.dtype.kind} {s} {axes}")
        for f in ALONG_AXES
        for x in inputs(f)
        for s, axes, norm in (
            (None, None, None),
            (None, (2, 0), "ortho"),
            ((5, 3), None, "forward"),
            ((5, 3), (-1, 0), "backward"),
        )
    ),
    *(
        case(f, x, s, norm=norm, note=f"{x.dtype.kind} {s}")
        for f in OF_PLANES
        for x in inputs(f)
        for s, norm in ((None, None), ((3, 6), "ortho"))
    ),
    case(fft.fft, X, workers=1),
    *(
        case(f, x, axes=axes, note=x.dtype.kind)
        for f in (fft.fftshift, fft.ifftshift)
        for x in (X, Z)
        for axes in (None, 1, (0, -1))
    ),
    case(of_spacing, X, 0.3),
    case(fft.fftfreq, 5, 0.3),
    case(fft.rfftfreq, 5, 0.3),
    case(to_fast_length, X),
    *(
        case(f, x, type, n, axis=axis, norm=norm, orthogonalize=ortho)
        for f in (fft.dct, fft.idct, fft.dst, fft.idst)
        for x, n, axis, norm, ortho in (
            (X, None, -1, None, None),
            (X, None, -1, "ortho", None),
            (X, 6, 0, "forward", True),
            (X, 2, 1, "ortho", False),
            (Z, None, 0, None, None),
            (X, 3, 1, None, True),
            (X.astype(np.float32), None, 0, "forward", None),
        )
        for type in (1, 2, 3, 4)
    ),
    *(
        case(f, x, type, s, axes=axes, norm=norm, orthogonalize=ortho, note=str(s))
        for f in (fft.dctn, fft.idctn, fft.dstn, fft.idstn)
        for x, s, axes, norm, ortho in (
            (X, None, None, None, None),
            (X, None, (0, 2), "ortho", None),
            (X, (6, 2), (1, -3), "forward", None),
            (X, (3, 7), None, "ortho", False),
            (Z, None, 1, None, None),
        )
        for type in (1, 2, 3, 4)
    ),
]
