"""A check of data whose class is known only when the program runs."""

from typing import Any

import numpy as np


def has_own_operators(value: Any) -> bool:
    """Whether operators and functions of NumPy may mean something else for a value than
    for Python's and NumPy's own numbers and arrays.

    >>> has_own_operators(np.ones(2)), has_own_operators(np.ma.array([1.0]))
    (False, True)
    """
    cls = type(value)
    if isinstance(value, np.ndarray):
        own = cls.__mul__ is not np.ndarray.__mul__
        own = own or cls.__array_ufunc__ is not np.ndarray.__array_ufunc__
        return own or value.dtype.kind not in "biufc"
    if isinstance(value, np.generic):
        return value.dtype.kind not in "biufc"
    if isinstance(value, int | float | complex):
        return cls.__mul__ not in (int.__mul__, float.__mul__, complex.__mul__)
    if isinstance(value, str | tuple | list):
        return False
    return any(hasattr(cls, n) for n in ("__mul__", "__array__", "__array_ufunc__"))


def require_plain(value: Any) -> Any:
    """The value, if rules of derivatives hold for its operators: those of another class
    (a pandas Series aligns by index) may mean something else.

    >>> require_plain(np.ones(2))
    array([1., 1.])
    >>> require_plain(np.ma.array([1.0]))
    Traceback (most recent call last):
    ...
    TypeError: a MaskedArray has operators of its own, which rules don't know: \
take its .to_numpy(), np.asarray(...) or float(...)
    """
    if has_own_operators(value):
        what = f"a {type(value).__name__} has operators of its own"
        advice = "take its .to_numpy(), np.asarray(...) or float(...)"
        if hasattr(value, "toarray"):  # a sparse one, of which NumPy makes an object
            advice = "take its .toarray()"
        raise TypeError(f"{what}, which rules don't know: {advice}")
    return value


def to_numpy(value: Any) -> Any:
    """The numbers of a pandas object, and of others with this method, as an array."""
    return value.to_numpy()


def toarray(value: Any) -> Any:
    """The numbers of a sparse matrix as an array."""
    return value.toarray()
