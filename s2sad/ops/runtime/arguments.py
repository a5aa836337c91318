"""Checks of the arguments of transpiled derivatives, as decorated functions have them,
and of data whose class is known only when the program runs; gradients in the form of
the argument."""

from typing import Any

import numpy as np


def require_data(name: str, value: Any) -> None:
    """Raise TypeError for complex numbers, and for numbers and arrays of classes with
    operators of their own.

    >>> require_data("x", np.ma.array([1.0]))
    Traceback (most recent call last):
    ...
    TypeError: x is a MaskedArray, whose operators are its own: pass np.asarray(x)
    """
    if isinstance(value, dict):
        for key, item in value.items():
            require_data(f"{name}[{key!r}]", item)
    elif has_own_operators(value):
        what = f"a {type(value).__name__}, whose operators are its own"
        known = [n for n in ("to_numpy", "toarray") if hasattr(value, n)]
        take = f"{name}.{known[0]}()" if known else ""
        one = not hasattr(value, "__array__")
        take = take or (f"float({name})" if one else f"np.asarray({name})")
        raise TypeError(f"{name} is {what}: pass {take}")
    elif isinstance(value, complex | np.complexfloating | np.ndarray) and (
        np.iscomplexobj(value)
    ):
        advice = f"pass {name}.real and {name}.imag"
        raise TypeError(f"{name} is complex: {advice}")


def require_complex(name: str, value: Any) -> None:
    """Raise TypeError for what is no complex number or array of them, where the
    derivative conjugates.

    >>> require_complex("z", 1.0)
    Traceback (most recent call last):
    ...
    TypeError: z isn't complex: pass z + 0j
    """
    if has_own_operators(value):
        require_data(name, value)
    if not isinstance(value, complex | np.complexfloating | np.ndarray) or (
        not np.iscomplexobj(value)
    ):
        raise TypeError(f"{name} isn't complex: pass {name} + 0j")


def require_real(name: str, value: Any, lists: bool = False) -> None:
    """Raise TypeError for what has no derivative: ints, arrays of ints and the like;
    lists of floats may be differentiated where that is said, empty ones always.

    >>> require_real("x", [0.5, np.float32(2.0)], lists=True)
    >>> require_real("x", np.arange(3))
    Traceback (most recent call last):
    ...
    TypeError: x is an array of int64: pass x.astype(float)
    """
    require_data(name, value)
    if type(value) in (list, tuple) and (lists or not value):
        for place, item in enumerate(value):
            if np.ndim(item) and not isinstance(item, list | tuple):
                raise TypeError(f"{name} holds arrays: pass np.array({name})")
            require_real(f"{name}[{place}]", item, lists)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind != "f":
            advice = f"pass {name}.astype(float)"
            raise TypeError(f"{name} is an array of {value.dtype}: {advice}")
    elif not isinstance(value, float | np.floating):
        number = isinstance(value, int | np.number | np.bool_)
        advice = f"float({name})" if number else f"np.array({name}, dtype=float)"
        what = f"of type {type(value).__name__}"
        raise TypeError(f"{name} is {what}: pass {advice}")


def require_items(
    name: str, value: Any, *constructors: type, rank: int = 0, dtype: str = ""
) -> None:
    """Raise TypeError for anything but a list or tuple of floats, of arrays of a rank
    and dtype, or of such lists: the first of the ``constructors`` is that of the whole.

    >>> require_items("rows", [(0.5, 1.0), ()], list, tuple)
    >>> require_items("xs", [0.5, 1], list)
    Traceback (most recent call last):
    ...
    TypeError: xs[1] is of type int: pass float(xs[1])
    """
    first, *others = constructors
    items: Any = value
    if type(value) is not first:
        what = f"{name} is of type {type(value).__name__}"
        raise TypeError(f"{what}: pass a {first.__name__}")
    for place, item in enumerate(items):
        if others:
            part = f"{name}[{place}]"
            require_items(part, item, *others, rank=rank, dtype=dtype)
        elif rank:
            array = isinstance(item, np.ndarray) and not has_own_operators(item)
            if not array or item.ndim != rank or item.dtype != dtype:
                what = f"{name}[{place}] is no array of {dtype} of {rank} axes"
                raise TypeError(what)
        elif type(item) is not float:
            require_real(f"{name}[{place}]", item)
            if np.ndim(item):
                raise TypeError(f"{name}[{place}] is an array: pass a float")


def gradient_like(gradient: Any, x: Any) -> Any:
    """The gradient at the full shape and the dtype of ``x``, as an array of its own; a
    list for a list.

    >>> gradient_like(1.5, [1.0, 2.0]), gradient_like(np.float64(2.0), 1.0)
    ([1.5, 1.5], np.float64(2.0))
    """
    if np.ndim(x) == 0:
        return gradient
    full = np.full_like(x, gradient)
    return items_like(full, x) if isinstance(x, list | tuple) else full


def items_like(array: Any, x: Any) -> Any:
    """The numbers of an array in the lists and tuples of ``x``.

    >>> items_like(np.array([[1.0, 2.0]]), [(0.5, 0.5)])
    [(1.0, 2.0)]
    """
    if not isinstance(x, list | tuple):
        return float(array)
    return type(x)([items_like(row, item) for row, item in zip(array, x)])


def gradient_of_items(cotangent: Any, items: Any) -> list[Any]:
    """The cotangent of a list of numbers, of which some are ints, as a list of its
    structure: None for what has no derivative.

    >>> gradient_of_items(np.array([3.0, 4.0]), [0.5, 1])
    [3.0, None]
    """
    return [
        type(item)(gradient_of_items(part, item))
        if isinstance(item, list | tuple)
        else float(part)
        if isinstance(item, float)
        else None
        for part, item in zip(cotangent, items, strict=True)
    ]


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
