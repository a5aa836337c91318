"""Numbers between two ends: ``np.linspace`` with all its keywords, ``np.logspace``,
``np.geomspace``."""

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(np.linspace, words=("retstep", "dtype", "axis"))
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """``np.linspace(start, stop, num, retstep=, dtype=, axis=)``."""
    values = np.linspace(start, stop, num, endpoint)
    if axis != 0:
        values = np.moveaxis(values, 0, axis)
    if dtype is np.float32:
        values = values.astype(np.float32)
    elif dtype not in (None, float, np.float64):
        rules.not_supported("np.linspace with this dtype", "cast what it gives")
    elif dtype is not None and not rules.is_double(values):
        values = values.astype(np.float64)
    if not retstep:
        return values
    steps = num - 1 if endpoint else num
    if steps <= 0:
        return values, float("nan")
    return values, np.subtract(stop, start) / steps


@stands_for(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, *, axis=0):
    """``np.logspace(start, stop, num, base=)``."""
    if np.ndim(base) != 0:
        rules.not_supported("np.logspace with an array of bases", "write the power")
    return np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))


@stands_for(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, *, axis=0):
    """``np.geomspace(start, stop, num)`` of ends with the same sign."""
    start = start if rules.is_double(start) else np.asarray(start, float)
    stop = stop if rules.is_double(stop) else np.asarray(stop, float)
    sign = np.sign(start)
    first, last = start / sign, stop / sign
    values = logspace(np.log10(first), np.log10(last), num, endpoint)
    if num > 0:
        values[0] = first
    if num > 1 and endpoint:
        values[-1] = last
    values = values * sign
    return np.moveaxis(values, 0, axis) if axis != 0 else values
