"""NumPy on hyper-dual numbers, for programs that write into arrays.

What NumPy would make of floats is an object array of hyper-dual numbers here. All else
is NumPy's own: which results are views, what a store changes, the order of elements
and of stores, ``out=``. No array is copied that NumPy doesn't copy.

NumPy's functions of object arrays call methods of the elements, which plain numbers
lack, and a store may put a plain number into an array. Hence every array that comes to
a function, or from it, has its plain numbers made hyper-dual first, where they stand: a
store into an array of floats would have converted them as well.
"""

from __future__ import annotations

import math
import types

import numpy as np

from tests.support.dual_numbers import Dual, dual, is_number, number

FLOATS = (float, np.float64, np.dtype(float), "float", "float64", "d", number)
"""What a program may call the dtype of floats."""


class _NumPy:
    """Stands for the ``numpy`` module, or for a part of it."""

    def __init__(self, module, **others):
        self._module = module
        self._others = others

    def __getattr__(self, name):
        if name in self._others:
            return self._others[name]
        found = getattr(self._module, name)
        if isinstance(found, types.ModuleType):
            return _NumPy(found)
        if isinstance(found, np.ufunc):
            return _Ufunc(found)
        if not callable(found) or isinstance(found, type):
            return found
        return on_dual_arrays(found)


class _Ufunc:
    """A ufunc, whose methods are functions too."""

    def __init__(self, ufunc):
        self._ufunc = ufunc

    def __call__(self, *args, **keywords):
        # Lists would become arrays inside, with plain numbers among the others.
        args = [np.array(a) if isinstance(a, list | tuple) else a for a in args]
        return on_dual_arrays(self._ufunc)(*args, **keywords)

    def __getattr__(self, name):
        found = getattr(self._ufunc, name)
        return on_dual_arrays(found) if callable(found) else found


def on_dual_arrays(function):
    """A function of NumPy, for object arrays of hyper-dual numbers."""

    def wrapped(*args, **keywords):
        args = [object if _means_float(a) else a for a in args]
        if _means_float(keywords.get("dtype")):
            keywords["dtype"] = object
        for argument in (*args, *keywords.values()):
            _make_dual(argument)
        return _result(function(*args, **keywords))

    return wrapped


def _means_float(dtype) -> bool:
    if isinstance(dtype, type) and issubclass(dtype, float):
        return True
    return isinstance(dtype, str | types.FunctionType | np.dtype) and dtype in FLOATS


def _make_dual(value) -> None:
    """Make plain numbers in object arrays hyper-dual, where they stand."""
    if isinstance(value, list | tuple):
        for item in value:
            _make_dual(item)
    if not (isinstance(value, np.ndarray) and value.dtype == object):
        return
    owner = value
    while (base := getattr(owner, "base", None)) is not None:
        # A read-only view may be of an array that can be written; what lies between
        # them in as_strided is no array.
        owner = base
    if not (isinstance(owner, np.ndarray) and owner.dtype == object):
        owner = value
    writable = owner.flags.writeable
    for place, item in enumerate(owner.flat):
        if isinstance(item, Dual) or not (item is None or is_number(item)):
            continue
        if not writable:
            owner.flags.writeable = True  # zeros by .imag
        # Elements that np.empty made have no value yet.
        owner.flat[place] = Dual(math.nan) if item is None else dual(item)
    owner.flags.writeable = writable


def _result(value):
    if isinstance(value, list | tuple):
        return type(value)(_result(item) for item in value)
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "f":
        value = value.astype(object)
    _make_dual(value)
    return value


def _everywhere(name):
    """A predicate which NumPy doesn't have for objects."""

    def function(x):
        if not isinstance(x, np.ndarray) or x.dtype != object:
            return getattr(np, name)(dual(x).value if is_number(x) else x)
        plain = [getattr(np, name)(dual(v).value) for v in x.ravel().tolist()]
        return np.array(plain, bool).reshape(x.shape)

    return function


NUMPY = _NumPy(
    np, **{name: _everywhere(name) for name in ("isnan", "isfinite", "isinf")}
)
"""Stands for the ``numpy`` module in programs that run on hyper-dual numbers."""
