"""Tangents and cotangents that callers pass: checked against what they belong to.

Takes a seed and the value it is a tangent or cotangent of; gives it with the structure,
shapes and dtypes of that value, as generated code expects.

>>> seed_like({"w": 1, "n": None}, {"w": 2.0, "n": "a"}, "the tangent of params")
{'w': 1.0, 'n': None}
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.codegen.fitting_seeds import stands_as_it_is
from s2sad.errors import ArgumentError
from s2sad.source.kinds.attributes import attributes_of


def seed_like(seed: Any, primal: Any, what: str, *, of_result: bool = False) -> Any:
    """The seed in the structure, shapes and dtypes of ``primal``.

    ``what`` says in errors what the seed is. An int in a result may stand where other
    paths give a float: with ``of_result``, its seed is a number, and None means zero.
    Parts of ``primal`` that have no derivative (strings, None) have None in the result,
    ints in structures zero; None for a part that has one means zero. Raises
    ArgumentError where structures or shapes differ, where the seed of a real number is
    complex, and where it isn't numeric.
    """
    if fits(seed, primal):
        return seed
    if type(primal) is np.float64 and type(seed) is float:
        return np.float64(seed)
    if stands_as_it_is(seed, primal):
        return seed
    if _parts(primal) is not None:
        return _structure(seed, primal, what, of_result)
    return _number(seed, primal, what, of_result)


def _number(seed: Any, primal: Any, what: str | _Place, of_result: bool) -> Any:
    """The seed of what is no structure."""
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


def check_one_tangent(seed: Any, primal: Any, what: str) -> None:
    """Raise ArgumentError where one object, list or dict that stands at several places
    has different tangents there; ``seed`` is as :func:`seed_like` gives it."""
    known: dict[int, Any] = {}
    waiting = [(seed, primal)]
    while waiting:
        seed, primal = waiting.pop()
        parts = None if type(primal) in (np.ndarray, float) else _parts(primal)
        if parts is None:
            continue
        if not isinstance(primal, tuple):
            if id(primal) in known:
                if known[id(primal)] is seed:
                    continue
                raise ArgumentError(
                    f"{what} has several tangents for {_describe(primal)} that stands "
                    "at several places: let one tangent stand there, as copy.deepcopy "
                    "makes them"
                )
            known[id(primal)] = seed
        found = _parts(seed)
        assert found is not None
        waiting += (
            pair
            for pair in zip(found.items, parts.items, strict=True)
            if type(pair[1]) is not float
        )


_ZEROS = bytes(64)


def outline(value: Any) -> Any:
    """Something of the structure, shapes and dtypes of a value that takes no memory."""
    return _mapped(_outline_of_leaf, value)


def _outline_of_leaf(value: Any) -> Any:
    if type(value) is np.ndarray and value.dtype.kind in "biufc":
        return np.ndarray(value.shape, value.dtype, _ZEROS, 0, (0,) * value.ndim)
    if type(value) is np.ndarray and value.dtype.kind == "f":
        zero, strides = bytes(value.itemsize), (0,) * value.ndim
        return np.ndarray(value.shape, value.dtype, zero, 0, strides)
    if isinstance(value, np.ndarray):
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)
    return value


def copied(value: Any) -> Any:
    """The value with copies of its arrays."""
    return _mapped(lambda v: v.copy() if isinstance(v, np.ndarray) else v, value)


def _mapped(of_leaf: Callable[[Any], Any], value: Any) -> Any:
    """A structure with other leaves; what appears twice in it does so in the new one,
    unless it is a tuple. Without recursion."""
    result: list[Any] = [None]
    made: dict[int, Any] = {}
    incomplete: list[tuple[_Parts, Any, list[Any], list[Any], int]] = []
    waiting: list[tuple[Any, list[Any], int]] = [(value, result, 0)]
    while waiting:
        value, holder, index = waiting.pop()
        if id(value) in made:
            holder[index] = made[id(value)]
            continue
        parts = _parts(value)
        if parts is None:
            holder[index] = of_leaf(value)
            continue
        whole = parts.bare()
        given: list[Any] = [None] * len(parts.items)
        holder[index] = whole
        if whole is not None:
            made[id(value)] = whole
        incomplete.append((parts, whole, given, holder, index))
        waiting += ((item, given, k) for k, item in enumerate(parts.items))
    for parts, whole, given, holder, index in reversed(incomplete):
        holder[index] = parts.fill(whole, given)
    return result[0]


def _leaves_of(value: Any) -> Iterator[Any]:
    """What is no structure in a structure; what appears twice counts once, but for
    tuples."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        parts = None if type(value) in (np.ndarray, float) else _parts(value)
        if parts is None:
            yield value
        elif id(value) not in seen:
            if not isinstance(value, tuple):
                seen.add(id(value))
            waiting += reversed(parts.items)


def shapes_of(value: Any) -> Iterator[tuple[int, ...]]:
    """The shapes of all numbers and arrays in a structure that carry derivatives."""
    return (np.shape(leaf) for leaf in _leaves_of(value) if has_derivative(leaf))


def holds_complex(value: Any) -> bool:
    """Whether there is a complex number or array in a structure."""
    return any(map(_is_complex, _leaves_of(value)))


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
    if fitting is not None and (seed is None or isinstance(seed, int)):
        return False  # products of ints would be ints; None stands for zeros
    # A float takes any dtype.
    dtype = getattr(seed, "dtype", None)
    return dtype is None or dtype == getattr(fitting, "dtype", dtype)


@dataclasses.dataclass(frozen=True, slots=True)
class _Parts:
    """What a structure is made of."""

    keys: Sequence[Any]
    items: Sequence[Any]
    spelling: str
    """What is written behind the name of the whole for a key."""
    bare: Callable[[], Any]
    """Makes a structure of this form that gets its parts later; None for a tuple."""
    fill: Callable[[Any, list[Any]], Any]
    """Gives it its parts."""


def _parts(value: Any) -> _Parts | None:
    """What a structure is made of; None for anything else."""
    cls = type(value)
    if cls in (dict, defaultdict, OrderedDict):
        items = list(value.values())
        return _Parts(
            list(value), items, "[{!r}]", lambda: copy.copy(value), _filled_dict
        )
    if cls is list:
        keys = range(len(value))
        return _Parts(keys, value, "[{}]", lambda: [None] * len(value), _filled_list)
    if cls is deque:
        keys = range(len(value))
        bare = lambda: deque(value, value.maxlen)  # noqa: E731
        return _Parts(keys, value, "[{}]", bare, _filled_deque)
    if cls is tuple:
        keys = range(len(value))
        return _Parts(keys, value, "[{}]", lambda: None, lambda _, items: tuple(items))
    if isinstance(value, tuple) and hasattr(cls, "_fields"):
        return _Parts(
            cls._fields, value, ".{}", lambda: None, lambda _, items: cls._make(items)
        )
    names = attributes_of(value)
    if names is None:
        return None

    def fill(made: Any, items: list[Any]) -> Any:
        for name, item in zip(names, items, strict=True):
            object.__setattr__(made, name, item)
        return made

    held = [getattr(value, name) for name in names]
    return _Parts(names, held, ".{}", lambda: copy.copy(value), fill)


def _filled_dict(made: dict[Any, Any], items: list[Any]) -> dict[Any, Any]:
    made.update(zip(list(made), items, strict=True))
    return made


def _filled_list(made: list[Any], items: list[Any]) -> list[Any]:
    made[:] = items
    return made


def _filled_deque(made: deque[Any], items: list[Any]) -> deque[Any]:
    made.clear()
    made.extend(items)
    return made


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """Where a part of a seed stands; spelled where an error speaks of it."""

    spelling: str
    key: Any = None
    holder: _Place | None = None

    def __str__(self) -> str:
        spelled = []
        place: _Place | None = self
        while place is not None:
            spelled.append(place.spelling.format(place.key))
            place = place.holder
        return "".join(reversed(spelled))


_Waiting = tuple[Any, Any, list[Any], int, _Place]
"""A seed, what it belongs to, where it goes, and how that is spelled."""


def _structure(seed: Any, primal: Any, what: str, of_result: bool) -> Any:
    """The seed of a structure, part by part, without recursion: objects may lead to
    10^5 others. What is one object in both places has one tangent."""
    result: list[Any] = [None]
    made: dict[tuple[int, int], Any] = {}
    incomplete: list[tuple[_Parts, Any, list[Any], list[Any], int]] = []
    waiting: list[_Waiting] = [(seed, primal, result, 0, _Place("{}", what))]
    while waiting:
        seed, primal, holder, index, place = waiting.pop()
        if fits(seed, primal):
            holder[index] = seed
            continue
        parts = _parts(primal)
        if parts is None:
            found = _number(seed, primal, place, of_result)
            is_int = found is None and _is_number(primal)
            holder[index] = 0.0 if is_int and holder is not result else found
            continue
        key = id(primal), id(seed)
        if key in made:
            holder[index] = made[key]
            continue
        items = _items_beside(seed, primal, parts, place)
        whole = parts.bare()
        given: list[Any] = [None] * len(parts.items)
        holder[index] = whole
        if whole is not None:
            made[key] = whole
        incomplete.append((parts, whole, given, holder, index))
        beside = zip(items, parts.items, parts.keys, strict=True)
        for k, (part, item, name) in enumerate(beside):
            if type(part) is float and type(item) is float:
                given[k] = part
            else:
                inner = _Place(parts.spelling, name, place)
                waiting.append((part, item, given, k, inner))
    for parts, whole, given, holder, index in reversed(incomplete):
        holder[index] = parts.fill(whole, given)
    return result[0]


def _items_beside(
    seed: Any, primal: Any, parts: _Parts, place: _Place
) -> Sequence[Any]:
    """What a seed holds for each part of a structure."""
    if seed is None:
        return [None] * len(parts.items)
    found = _parts(seed)
    if found is None or type(seed) is not type(primal):
        raise ArgumentError(
            f"{place} is {_describe(seed)}, but must be {_describe(primal)}"
        )
    if type(primal) in (list, tuple, deque) and len(seed) != len(primal):
        counts = f"{len(seed)} items, but must have {len(primal)}"
        raise ArgumentError(f"{place} has {counts}")
    if set(found.keys) != set(parts.keys):
        raise ArgumentError(
            f"{place} has the items {_listed(found.keys)}, but must have "
            f"{_listed(parts.keys)}"
        )
    if isinstance(parts.keys, range):
        return found.items
    by_key = dict(zip(found.keys, found.items))
    return [by_key[key] for key in parts.keys]


def _listed(keys: Sequence[Any]) -> str:
    return str(list(keys)) if len(keys) <= _MANY else f"{list(keys[:_MANY])} and others"


_MANY = 64


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
