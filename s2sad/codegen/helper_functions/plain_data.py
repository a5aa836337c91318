"""A check of data whose class is known only when the program runs."""

from __future__ import annotations

from typing import Any

import numpy as np


def require_plain(value: Any) -> Any:
    """The value, if rules of derivatives hold for its operators: those of another class
    (a pandas Series aligns by index) may mean something else.

    >>> require_plain(np.ones(2))
    array([1., 1.])
    >>> require_plain(np.ma.array([1.0]))
    Traceback (most recent call last):
    ...
    TypeError: a MaskedArray has operators of its own, so a derivative through it \
would be wrong: take its .to_numpy(), np.asarray(...) or float(...)
    """
    cls = type(value)
    if isinstance(value, np.ndarray):
        known = cls.__mul__ is np.ndarray.__mul__ and value.dtype.kind in "biufc"
        known = known and cls.__array_ufunc__ is np.ndarray.__array_ufunc__
    elif isinstance(value, np.generic):
        known = value.dtype.kind in "biufc"
    elif isinstance(value, int | float | complex):
        known = cls.__mul__ in (int.__mul__, float.__mul__, complex.__mul__)
    else:
        own = ("__mul__", "__array__", "__array_ufunc__")
        known = cls in (str, tuple, list) or not any(hasattr(cls, n) for n in own)
    if not known:
        name = f"{'an' if cls.__name__[:1] in 'AEIOU' else 'a'} {cls.__name__}"
        raise TypeError(
            f"{name} has operators of its own, so a derivative through it would be "
            "wrong: take its .to_numpy(), np.asarray(...) or float(...)"
        )
    return value


def to_numpy(value: Any) -> Any:
    """The numbers of a pandas object, and of others with this method, as an array."""
    return value.to_numpy()


def toarray(value: Any) -> Any:
    """The numbers of a sparse matrix as an array."""
    return value.toarray()
