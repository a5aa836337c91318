"""The order of elements in memory, in calls of NumPy: generated code may lay arrays out
in another way, so that only the order of reading matters."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(np.reshape, words=("order", "copy"))
def reshape(a: Any, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
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
def ravel(a: Any, order: Any = "C") -> Any:
    """``np.ravel(a, order)``."""
    return np.ravel(a) if _reads_by_rows(order) else np.ravel(a.T)


@stands_for(np.ndarray.flatten, words=("order",))
def flatten(a: Any, order: Any = "C") -> Any:
    """``a.flatten(order)``."""
    return a.flatten() if _reads_by_rows(order) else a.T.flatten()


def _reads_by_rows(order: Any) -> Any:
    if order not in ("C", "F"):
        rules.not_supported(
            "an order that depends on how the array lies in memory", "name 'C' or 'F'"
        )
    return order == "C"


@stands_for(np.copy, words=("order", "subok"))
def copy(a: Any, order: Any = "K", subok: Any = False) -> Any:
    """``np.copy(a, order)``."""
    return np.copy(a)


@stands_for(np.ndarray.astype, words=("order", "casting", "subok", "copy"))
def astype(
    x: Any,
    dtype: Any,
    order: Any = "K",
    casting: Any = "unsafe",
    subok: Any = True,
    copy: Any = True,
) -> Any:
    """``x.astype(dtype, copy=)``."""
    if casting != "unsafe":
        rules.not_supported("a cast with casting=", "leave casting out")
    return x.astype(dtype) if copy else np.asarray(x, dtype)


@stands_for(np.asfortranarray)
def asfortranarray(a: Any, dtype: Any = None) -> Any:
    """``np.asfortranarray(a)``."""
    return np.asarray(a, dtype)


@stands_for(np.require)
def require(a: Any, dtype: Any = None, requirements: Any = None) -> Any:
    """``np.require(a, dtype, requirements)``."""
    return np.asarray(a, dtype)


@stands_for(np.asarray_chkfinite)
def asarray_chkfinite(a: Any, dtype: Any = None) -> Any:
    """``np.asarray_chkfinite(a)``."""
    a = np.asarray(a, dtype)
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a
