"""Which classes of numbers and arrays have the operators that rules are made for.

Rules hold for the numbers of Python and NumPy, and for plain arrays. What else has
operators (a pandas Series aligns by index, a Decimal is no float) is *foreign*: a
derivative through it would be wrong.

>>> import fractions
>>> is_foreign(fractions.Fraction), is_foreign(np.ndarray), is_foreign(str)
(True, False, False)
>>> class Named(float):
...     '''A float with a name.'''
>>> number_class(Named), is_foreign(Named)
(<class 'float'>, False)
"""

import collections
import enum
import functools
import types
from collections.abc import Mapping, MutableSequence
from typing import Any

import numpy as np

from s2sad.source.kinds.attributes import is_users_class

_NUMBERS = (int, float, complex)
_OPERATORS = tuple(
    f"__{side}{name}__"
    for name in ("add", "sub", "mul", "truediv", "matmul", "pow")
    for side in ("", "r")
)
_PROTOCOLS = (
    *("__array__", "__array_ufunc__", "__array_function__", "__array_interface__"),
    *("__float__", *_OPERATORS),
)
"""What has one of these may be combined with a number or an array."""
_HARMLESS = frozenset(
    {
        *("__new__", "__init__", "__init_subclass__", "__class_getitem__", "__doc__"),
        *("__module__", "__qualname__", "__dict__", "__weakref__", "__slots__"),
        *("__repr__", "__str__", "__format__", "__hash__", "__del__", "__dir__"),
        *("__reduce__", "__reduce_ex__", "__setstate__", "__getstate__"),
        *("__getnewargs__", "__getnewargs_ex__", "__copy__", "__deepcopy__"),
        *("__array_finalize__", "__array_priority__", "__getattribute__"),
        *("__firstlineno__", "__static_attributes__"),
    }
)
"""What a class may say of itself without another meaning of its operators."""
_PLAIN: tuple[type, ...] = (
    *(str, bytes, bytearray, tuple, list, dict, set, frozenset, range, slice, type),
    *(collections.deque, types.FunctionType, types.BuiltinFunctionType, np.ufunc),
    *(types.ModuleType, types.MethodType, types.NoneType, np.dtype, np.generic),
)


def number_class(cls: Any) -> type | None:
    """The class of numbers of Python that a class derived from it behaves as, one of an
    enumeration too; None where it has operators of its own, and for others."""
    return _number_class(cls)


def is_foreign(cls: Any) -> bool:
    """True for classes with operators that rules don't know."""
    return _is_foreign(cls)


@functools.lru_cache(maxsize=1024)
def _number_class(cls: Any) -> type | None:
    for base in _NUMBERS:
        if cls is not base and issubclass(cls, base) and cls is not bool:
            return None if _redefined(cls, base) else base
    return None


@functools.lru_cache(maxsize=1024)
def _is_foreign(cls: Any) -> bool:
    if cls in (np.ndarray, np.memmap, np.recarray, bool, *_NUMBERS):
        return False
    if issubclass(cls, np.ndarray):
        return _redefined(cls, np.ndarray)
    if issubclass(cls, np.generic):
        return cls.__module__ != "numpy"
    if issubclass(cls, _NUMBERS):
        return number_class(cls) is None
    if issubclass(cls, _PLAIN) or is_users_class(cls):
        return False
    return any(_has(cls, name) for name in _PROTOCOLS)


def _has(cls: type, name: str) -> bool:
    return any(vars(base).get(name) is not None for base in cls.__mro__)


def _redefined(cls: type, base: type) -> bool:
    """Whether a class changes what its base does. ``enum`` changes texts alone."""
    known = set(dir(base)) - _HARMLESS
    return any(
        name in known or name in _PROTOCOLS
        for own in cls.__mro__[: cls.__mro__.index(base)]
        if own.__module__ != enum.__name__
        for name in vars(own)
    )


def is_sparse(cls: Any) -> bool:
    """True for SciPy's sparse matrices and sparse arrays."""
    return hasattr(cls, "tocsr") and any(
        base.__module__.startswith("scipy.sparse") for base in cls.__mro__
    )


def star_is_product(cls: Any) -> bool:
    """True where ``X * w`` is the product of matrices: of SciPy's older classes."""
    return any(base.__name__ == "spmatrix" for base in cls.__mro__)


def advice_for(cls: Any, name: str) -> str:
    """What to write in the place of a value of a foreign class that is called so."""
    if issubclass(cls, np.ndarray):
        return f"np.asarray({name})"
    if hasattr(cls, "to_numpy"):
        return f"{name}.to_numpy()"
    if hasattr(cls, "detach") and hasattr(cls, "numpy"):
        return f"{name}.detach().numpy()"
    if hasattr(cls, "toarray"):
        return f"{name}.toarray()"
    if is_like_array(cls):
        return f"np.asarray({name})"
    return f"float({name})"


def article(cls: type) -> str:
    """``a Series``, ``an Own``."""
    first = cls.__name__[:1]
    return f"{'an' if first in 'AEIOaeio' else 'a'} {cls.__name__}"


def words_about(cls: type, name: str) -> tuple[str, str]:
    """Why a value of a foreign class is refused, and what to write instead."""
    if cls in (np.ndarray, np.recarray, np.memmap) or issubclass(cls, np.void):
        return f"{name} holds fields", f"pass the fields alone: {name}['...']"
    if issubclass(cls, tuple | list | Mapping | MutableSequence):
        plain = "dict" if issubclass(cls, Mapping) else "list"
        reason = f"{name} is {article(cls)}, which isn't taken apart"
        return reason, f"pass {plain}({name})"
    like = "arrays" if is_like_array(cls) else "floats"
    return (
        f"{name} is {article(cls)}, whose operators are not those of {like}, so its "
        "derivative would be wrong",
        f"pass {advice_for(cls, name)}",
    )


def is_like_array(cls: type) -> bool:
    """True for foreign classes that hold many numbers."""
    return any(hasattr(cls, n) for n in ("__array__", "__array_ufunc__", "shape"))
