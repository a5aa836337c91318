"""Tangents and cotangents that callers pass: checked against what they belong to.

Takes a seed and the value it is a tangent or cotangent of; gives it with the structure,
shapes and dtypes of that value, as generated code expects.

>>> seed_like({"w": 1, "n": None}, {"w": 2.0, "n": 3}, "the tangent of params")
{'w': 1.0, 'n': None}
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.errors import ArgumentError
from s2sad.source.kinds.attributes import attributes_of


def seed_like(seed: Any, primal: Any, what: str, *, of_result: bool = False) -> Any:
    """The seed in the structure, shapes and dtypes of ``primal``.

    ``what`` says in errors what the seed is. An int in a result may stand where other
    paths give a float: with ``of_result``, its seed is a number, and None means zero.
    Parts of ``primal`` that have no
    derivative (ints, strings, None) have None in the result; None for a part that has
    one means zero. Raises ArgumentError where structures or shapes differ, where the
    seed of a real number is complex, and where it isn't numeric.
    """
    if fits(seed, primal):
        return seed
    if type(primal) is np.float64 and type(seed) is float:
        return np.float64(seed)
    parts = _parts(primal)
    if parts is not None:
        return _structure(seed, primal, parts, what, of_result)
    if not has_derivative(primal):
        if of_result and _is_number(primal) and (seed is None or _is_real(seed)):
            return 0.0 if seed is None else float(seed)
        if seed is None or (not _is_array_like(primal) and not _is_number(primal)):
            return None
        raise ArgumentError(
            f"{what} must be None: {_describe(primal)} has no derivative"
        )
    if seed is None:
        return _zero(primal)
    if not (_is_number(seed) or _is_array_like(seed)):
        raise ArgumentError(f"{what} must be a number or an array, not {seed!r}")
    if np.shape(seed) != np.shape(primal):
        raise ArgumentError(
            f"{what} has shape {np.shape(seed)}, but must have shape {np.shape(primal)}"
        )
    if _is_complex(seed) and not _is_complex(primal):
        raise ArgumentError(f"{what} is complex, but must be real")
    if isinstance(primal, np.generic):
        return primal.dtype.type(seed)
    if isinstance(primal, np.ndarray):
        return np.asarray(seed, dtype=primal.dtype)
    if isinstance(primal, float | complex):
        return type(primal)(seed)
    return seed


def fits(seed: Any, primal: Any) -> bool:
    """Whether a seed is an array or a float as :func:`seed_like` would give it. A quick
    test of the usual case, which may be false for others that fit."""
    cls = type(primal)
    if type(seed) is not cls:
        return False
    if cls is np.ndarray:
        same = seed.dtype is primal.dtype and seed.shape == primal.shape
        return bool(same and primal.dtype.kind in "fc")
    if cls is list or cls is tuple:
        same = len(seed) == len(primal)
        return same and _are_floats(primal) and _are_floats(seed)
    return cls is float


def _are_floats(items: list[Any] | tuple[Any, ...]) -> bool:
    return list(map(type, items)).count(float) == len(items)


def _are_mixed(items: Any) -> bool:
    """True for a list or tuple of floats and ints."""
    if type(items) not in (list, tuple):
        return False
    classes = set(map(type, items))
    return float in classes and {float} < classes <= {float, int, bool}


_ZEROS = bytes(64)


def outline(value: Any) -> Any:
    """Something of the structure, shapes and dtypes of a value that takes no memory."""
    if type(value) is np.ndarray and value.dtype.kind in "biufc":
        return np.ndarray(value.shape, value.dtype, _ZEROS, 0, (0,) * value.ndim)
    if type(value) is np.float64 or type(value) is float:
        return value
    parts = _parts(value)
    if parts is not None:
        return parts.rebuild([outline(item) for item in parts.items])
    if type(value) is np.ndarray and value.dtype.kind == "f":
        zero, strides = bytes(value.itemsize), (0,) * value.ndim
        return np.ndarray(value.shape, value.dtype, zero, 0, strides)
    if isinstance(value, np.ndarray):
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)
    return value


def copied(value: Any) -> Any:
    """The value with copies of its arrays."""
    parts = _parts(value)
    if parts is not None:
        return parts.rebuild([copied(item) for item in parts.items])
    return value.copy() if isinstance(value, np.ndarray) else value


def shapes_of(value: Any) -> Iterator[tuple[int, ...]]:
    """The shapes of all numbers and arrays in a structure that carry derivatives."""
    parts = _parts(value)
    if parts is not None:
        for item in parts.items:
            yield from shapes_of(item)
    elif has_derivative(value):
        yield np.shape(value)


def holds_complex(value: Any) -> bool:
    """Whether there is a complex number or array in a structure."""
    if type(value) in (np.ndarray, float):
        return _is_complex(value)
    parts = _parts(value)
    if parts is not None:
        return any(map(holds_complex, parts.items))
    return _is_complex(value)


def shapes_by_argument(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The shape of each array among arguments; of others those inside."""
    return tuple(
        [
            value.shape
            if type(value) is np.ndarray and value.dtype.kind == "f"
            else (None, *shapes_of(value))
            for value in values
        ]
    )


def number_of_elements(value: Any) -> int:
    """How many numbers in a structure carry derivatives."""
    return sum(math.prod(shape) for shape in shapes_of(value))


def has_derivative(leaf: Any) -> bool:
    """Whether a number or array may carry a derivative."""
    if isinstance(leaf, float | complex):
        return True
    if isinstance(leaf, np.generic) or _is_array_like(leaf):
        return getattr(leaf.dtype, "kind", "") in "fc"
    return False


def same_dtypes(seed: Any, fitting: Any) -> bool:
    """Whether a seed works like the one that :func:`seed_like` made of it."""
    parts, others = _parts(seed), _parts(fitting)
    if parts is not None and others is not None:
        by_key = dict(zip(parts.keys, parts.items))
        return all(
            same_dtypes(by_key[key], item)
            for key, item in zip(others.keys, others.items)
        )
    if isinstance(seed, int) and fitting is not None:
        return False  # products of ints would be ints
    # A float takes any dtype.
    dtype = getattr(seed, "dtype", None)
    return dtype is None or dtype == getattr(fitting, "dtype", dtype)


@dataclasses.dataclass(frozen=True)
class _Parts:
    keys: Sequence[Any]
    items: Sequence[Any]
    spelled: Sequence[str]
    """What is written behind the name of the whole: ``['w']``, ``[0]``, ``.w``."""
    rebuild: Callable[[list[Any]], Any]


def _parts(value: Any) -> _Parts | None:
    """What a structure is made of; None for anything else."""
    cls = type(value)
    if cls is dict:
        return _Parts(
            list(value),
            list(value.values()),
            [f"[{key!r}]" for key in value],
            lambda items: dict(zip(value, items)),
        )
    if isinstance(value, tuple) and hasattr(cls, "_fields"):
        return _Parts(
            cls._fields,
            value,
            [f".{name}" for name in cls._fields],
            cls._make,
        )
    if cls in (tuple, list):
        return _Parts(
            range(len(value)), value, [f"[{k}]" for k in range(len(value))], cls
        )
    names = attributes_of(value)
    if names is not None:

        def rebuild(items: list[Any]) -> Any:
            made = copy.copy(value)
            for name, item in zip(names, items):
                object.__setattr__(made, name, item)
            return made

        return _Parts(
            names,
            [getattr(value, name) for name in names],
            [f".{name}" for name in names],
            rebuild,
        )
    return None


def _structure(
    seed: Any, primal: Any, parts: _Parts, what: str, of_result: bool
) -> Any:
    if seed is None:
        return parts.rebuild(
            [
                seed_like(None, item, f"{what}{spelled}", of_result=of_result)
                for item, spelled in zip(parts.items, parts.spelled)
            ]
        )
    found = _parts(seed)
    if found is None or type(seed) is not type(primal):
        raise ArgumentError(
            f"{what} is {_describe(seed)}, but must be {_describe(primal)}"
        )
    if type(primal) in (list, tuple) and len(seed) != len(primal):
        counts = f"{len(seed)} items, but must have {len(primal)}"
        raise ArgumentError(f"{what} has {counts}")
    if set(found.keys) != set(parts.keys):
        raise ArgumentError(
            f"{what} has the items {list(found.keys)}, but must have {list(parts.keys)}"
        )
    by_key = dict(zip(found.keys, found.items))
    items = [
        seed_like(by_key[key], item, f"{what}{spelled}", of_result=of_result)
        for key, item, spelled in zip(parts.keys, parts.items, parts.spelled)
    ]
    if _are_mixed(primal):  # ints have seeds, too, which nothing is made of
        items = [0.0 if item is None else item for item in items]
    return parts.rebuild(items)


def _is_number(value: Any) -> bool:
    if isinstance(value, np.generic):
        return value.dtype.kind in "biufc"
    return isinstance(value, bool | int | float | complex)


def _is_real(value: Any) -> bool:
    return _is_number(value) and not _is_complex(value)


def _is_array_like(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biufc"


def _is_complex(value: Any) -> bool:
    if isinstance(value, complex):
        return True
    return getattr(getattr(value, "dtype", None), "kind", "") == "c"


def _zero(primal: Any) -> Any:
    if isinstance(primal, float | complex | np.generic):
        return type(primal)(0)
    return np.zeros_like(primal)


def _describe(value: Any) -> str:
    if value is None:
        return "None"
    if _is_array_like(value):
        return f"an array of {value.dtype}"
    name = type(value).__name__
    return f"an {name}" if name[:1] in "aeiou" else f"a {name}"
