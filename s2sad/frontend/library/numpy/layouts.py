"""The order of elements in memory, in calls of NumPy: generated code may lay arrays out
in another way, so that only the order of reading matters."""

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(np.reshape, words=("order", "copy"))
def reshape(a, shape, order="C", *, copy=None):
    """``np.reshape(a, shape, order=)``."""
    if _reads_by_rows(order):
        made = np.reshape(a, shape)
    else:
        lengths = tuple(shape) if rules.is_sequence(shape) else (shape,)
        made = np.reshape(a.T, lengths[::-1]).T
    if copy is False:
        rules.not_supported("a reshape with copy=False", "leave copy out")
    return made.copy() if copy else made


@stands_for(np.ravel, words=("order",))
def ravel(a, order="C"):
    """``np.ravel(a, order)``."""
    return np.ravel(a) if _reads_by_rows(order) else np.ravel(a.T)


@stands_for(np.ndarray.flatten, words=("order",))
def flatten(a, order="C"):
    """``a.flatten(order)``."""
    return a.flatten() if _reads_by_rows(order) else a.T.flatten()


def _reads_by_rows(order):
    if order not in ("C", "F"):
        rules.not_supported(
            "an order that depends on how the array lies in memory", "name 'C' or 'F'"
        )
    return order == "C"


@stands_for(np.copy, words=("order", "subok"))
def copy(a, order="K", subok=False):
    """``np.copy(a, order)``."""
    return np.copy(a, order=order)


@stands_for(np.ndarray.astype, words=("order", "casting", "subok", "copy"))
def astype(x, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """``x.astype(dtype, order, copy=)``."""
    if casting != "unsafe":
        rules.not_supported("a cast with casting=", "leave casting out")
    return x.astype(dtype, order=order) if copy else np.asarray(x, dtype, order=order)


@stands_for(np.asfortranarray)
def asfortranarray(a, dtype=None):
    """``np.asfortranarray(a)``: a copy, unless its elements lie by columns."""
    a = a if dtype is None and rules.is_array(a) else np.asarray(a, dtype)
    if rules.known_rank(a) == 1:
        return a
    return np.transpose(np.ascontiguousarray(np.transpose(a)))


@stands_for(np.require)
def require(a, dtype=None, requirements=None):
    """``np.require(a, dtype)``: what is required beside may want a copy."""
    if requirements is not None:
        rules.not_supported(
            "np.require with requirements", "use np.ascontiguousarray or np.copy"
        )
    return np.asarray(a, dtype)


@stands_for(np.asarray_chkfinite)
def asarray_chkfinite(a, dtype=None):
    """``np.asarray_chkfinite(a)``."""
    a = np.asarray(a, dtype)
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a
