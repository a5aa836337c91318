"""Adjoints and tangents of lists, dicts and objects that a program keeps as they are:
structures of the same form that hold those of the numbers. Nothing is recursive."""

import enum
import functools
import operator
import sys
import types
from collections import deque
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

OfClasses = Mapping[type, frozenset[str]]
"""The attributes that objects have in their class alone where a function begins that
stores into them."""
_NONE: OfClasses = {}


def zeros_of_structure(value: Any, arrays: bool = False) -> Any:
    """The adjoint of a list, dict, tuple or object before anything was added to it.

    Lists and others are lists in it, objects records of their attributes; a number is
    0.0, an array one of zeros, anything else None. What appears twice among mutable
    values has one adjoint; each tuple has one of its own. Where ``arrays`` are written
    into, one that appears twice has one, too.

    >>> zeros_of_structure([{"w": np.ones(2), "name": "a"}, (1.0, 2.0)])
    [{'w': array([0., 0.]), 'name': None}, [0.0, 0.0]]
    """
    adjoint: list[Any] = [None]
    made: dict[int, Any] = {}
    slots: dict[type, tuple[str, ...] | None] = {}
    waiting: list[Any] = [(value, adjoint, 0)]
    while waiting:
        item, holder, place = waiting.pop()
        cls: Any = type(item)
        if cls is np.ndarray:
            if item.dtype.kind not in "fc":
                holder[place] = None
            else:
                holder[place] = zeros_once(item, made if arrays else {})
            continue
        if cls is not tuple and id(item) in made:
            holder[place] = made[id(item)]
            continue
        if isinstance(item, list | tuple | deque):
            bars: Any
            parts: Any = ()
            if set(map(type, item)) <= {float, int}:
                bars = [0.0] * len(item)
            else:
                bars = [None] * len(item)
                parts = enumerate(item)
            if hasattr(cls, "_fields"):
                bars = named_items(cls)(bars)
            elif isinstance(item, deque):
                bars = deque(bars, item.maxlen)
            holder[place] = bars
        elif isinstance(item, dict):
            holder[place] = bars = dict.fromkeys(item)
            parts = item.items()
        else:
            if cls not in slots:
                slots[cls] = slots_of(cls)
            if slots[cls] is None:
                holder[place] = _zero(item)
                continue
            holder[place] = record = SimpleNamespace()
            bars = record.__dict__
            parts = held_in(item, slots[cls]) if slots[cls] else item.__dict__.items()
        made[id(item)] = holder[place]
        for key, part in parts:
            of = type(part)
            if of is float or of is int or part is None:
                bars[key] = 0.0  # where a number stands, or may stand
            else:
                bars[key] = None  # in its turn
                if of is not str:
                    waiting.append((part, bars, key))
    return adjoint[0]


def zeros_once(array: Any, made: dict[int, Any]) -> Any:
    """The adjoint of an array that others may hold, too."""
    if id(array) not in made:
        made[id(array)] = np.zeros_like(array)
    return made[id(array)]


def copied_once(array: Any, made: dict[int, Any]) -> Any:
    """The copy of an array or set that others may hold, too."""
    if id(array) not in made:
        made[id(array)] = array.copy()
    return made[id(array)]


def _zero(value: Any) -> Any:
    """The adjoint of a number; None for anything else that isn't looked into."""
    if isinstance(value, np.inexact):
        return type(value)(0.0)
    if isinstance(value, complex):
        return 0j
    return 0.0 if isinstance(value, int | float | np.generic) else None


@functools.lru_cache(maxsize=256)
def named_items(cls: Any) -> Any:
    """The class of adjoints of a named tuple: a list whose items have names, too.

    >>> from collections import namedtuple
    >>> bars = named_items(namedtuple("Spring", "k rest"))([0.0, 1.0])
    >>> bars.k += 2.0
    >>> bars, bars.rest
    ([2.0, 1.0], 1.0)
    """

    def item(place: int) -> property:
        def put(items: list[Any], value: Any) -> None:
            items[place] = value

        return property(operator.itemgetter(place), put)

    names = {name: item(place) for place, name in enumerate(cls._fields)}
    return type(f"{cls.__name__}Adjoint", (list,), {"__slots__": (), **names})


class Adjoint:
    """The adjoint of an object in a file, which becomes one of the object's class."""

    def __init__(self, of: type) -> None:
        self._of = of


class NoNumber:
    """The adjoint of None, or of an int, beside numbers: it takes what is added."""

    def __add__(self, amount: Any) -> "NoNumber":
        return self

    value = property(lambda self: self, lambda self, value: None)


class ValueAdjoint:
    """The adjoint of a number or array that stands where lists, tuples or objects may
    stand, too: ``value`` takes what is added."""

    def __init__(self, value: Any) -> None:
        self.value = value


OF = "_of"
"""Where such an adjoint has the class."""


def as_structure(value: Any, adjoint: Any, of_classes: OfClasses = _NONE) -> Any:
    """The adjoint of a list, dict, tuple or object as a value of its classes; None in
    place of what has no derivative. Objects are made without ``__init__``, and without
    attributes ``of_classes``.

    >>> as_structure([(1.0, "a")], [[2.0, None]])
    [(2.0, None)]
    """
    result: list[Any] = [None]
    made: dict[int, Any] = {}
    slots: dict[type, tuple[str, ...] | None] = {}
    waiting: list[Any] = [(value, adjoint, result, 0)]
    others: list[Any] = []
    while waiting:
        item, bars, holder, place = waiting.pop()
        cls: Any = type(item)
        if type(bars) in (ValueAdjoint, NoNumber):
            holder[place] = bars.value if type(bars) is ValueAdjoint else None
            continue
        if cls is np.ndarray or bars is None:
            holder[place] = bars
            continue
        given: Any
        if isinstance(item, tuple):
            given = [None] * len(item)
            parts: Any = enumerate(item)
            others.append((holder, place, cls, given))
        elif id(item) in made:
            holder[place] = made[id(item)]
            continue
        elif isinstance(item, list):
            holder[place] = given = [None] * len(item)
            parts = enumerate(item)
            if set(map(type, item)) == {float} and ValueAdjoint not in map(type, bars):
                given[:] = bars
                parts = ()
        elif isinstance(item, deque):
            holder[place] = given = deque([None] * len(item), item.maxlen)
            parts = enumerate(item)
        elif isinstance(item, dict):
            holder[place] = given = dict.fromkeys(item)
            parts = item.items()
        else:
            if cls not in slots:
                slots[cls] = slots_of(cls)
            if slots[cls] is None:
                whole_number = isinstance(item, int | np.integer | np.bool_)
                holder[place] = None if whole_number else bars
                continue
            bars = parts_of_object(bars)
            holder[place] = whole = bare(cls)
            if slots[cls]:
                parts = held_in(item, slots[cls])
                given = {}
                others.append((whole, None, None, given))
            else:
                parts, given = item.__dict__.items(), whole.__dict__
            if cls in of_classes:
                parts = [p for p in parts if p[0] not in of_classes[cls]]
        made[id(item)] = holder[place]
        for key, part in parts:
            of = type(part)
            bar = bars[key]
            if of is float:
                given[key] = bar.value if type(bar) is ValueAdjoint else bar
            else:
                given[key] = None  # in its turn
                if of is not str and of is not int and part is not None:
                    waiting.append((part, bar, given, key))
    store_late(others)
    return result[0]


def store_late(others: list[Any]) -> None:
    """Make the tuples, and give objects with slots what they hold: what is inside them
    was met later."""
    for whole, place, cls, given in reversed(others):
        if cls is None:
            for key, part in given.items():
                object.__setattr__(whole, key, part)
        else:
            whole[place] = cls(given) if cls is tuple else cls._make(given)


def add_structure(
    adjoint: Any, amounts: Any, arrays: bool = False, own_keys: bool = False
) -> None:
    """Add the numbers of a structure to those of an adjoint of the same form; None in
    their place stands for zeros. With ``arrays`` those that are there are added to;
    with ``own_keys`` keys that dicts of the adjoint lack are left out.

    >>> adjoint = [0.0, [1.0, None]]
    >>> add_structure(adjoint, [2.0, (3.0, None)])
    >>> adjoint
    [2.0, [4.0, None]]
    """
    seen: set[tuple[int, int]] = set()
    waiting: list[Any] = [(adjoint, amounts)]
    while waiting:
        bars, given = waiting.pop()
        if given is None or (id(bars), id(given)) in seen:
            continue
        seen.add((id(bars), id(given)))
        if isinstance(bars, list | deque):
            parts: Any = enumerate(given)
        elif isinstance(bars, dict):
            parts = given.items()
            if own_keys:
                parts = [(key, part) for key, part in parts if key in bars]
        else:
            parts = parts_of_object(given).items()
        record = not isinstance(bars, list | dict | deque)
        for key, part in parts:
            bar = getattr(bars, key) if record else bars[key]
            if bar is None or part is None or type(bar) is NoNumber:
                continue
            if arrays and isinstance(bar, np.ndarray):
                if (id(bar), id(part)) not in seen:
                    seen.add((id(bar), id(part)))
                    bar += part
                continue
            if type(bar) is ValueAdjoint and type(part) is not ValueAdjoint:
                bar.value = bar.value + part
            elif not isinstance(bar, np.ndarray | np.generic | float | complex):
                waiting.append((bar, part))
            elif record:
                setattr(bars, key, bar + part)
            else:
                bars[key] = bar + part


_PLAIN = frozenset((float, int, str, types.NoneType))


def own_structure(
    value: Any, views: bool = False, of_classes: OfClasses = _NONE
) -> Any:
    """A copy of a list, dict, tuple or object with all that it leads to, arrays
    included, and with ``views`` of the same memory if they are. What is neither a
    container nor made of attributes is shared. Objects hold attributes ``of_classes``
    themselves. Those that are keys as well are keys of the copies.

    >>> inner = [1.0]
    >>> whole = own_structure([inner, (inner, np.ones(1))])
    >>> whole, whole[0] is whole[1][0], whole[0] is inner
    ([[1.0], ([1.0], array([1.]))], True, False)
    """
    result: list[Any] = [None]
    made: dict[int, Any] = {}
    slots: dict[type, tuple[str, ...] | None] = {}
    waiting: list[Any] = [(value, result, 0)]
    others: list[Any] = []
    keyed: list[Any] = []
    while waiting:
        item, holder, place = waiting.pop()
        cls: Any = type(item)
        own: Any
        if isinstance(item, tuple):
            own = [None] * len(item)
            parts: Any = enumerate(item)
            others.append((holder, place, cls, own))
        elif id(item) in made:
            holder[place] = made[id(item)]
            continue
        elif isinstance(item, np.ndarray):
            own = _own_view(item, made) if views else copied_once(item, made)
            holder[place] = own
            continue
        elif isinstance(item, set | bytearray):
            holder[place] = made[id(item)] = item.copy()
            keyed.append(holder[place])
            continue
        elif isinstance(item, list):
            made_plainly = cls.__init__ is list.__init__
            holder[place] = own = cls(item) if made_plainly else list(item)
            parts = () if set(map(type, item)) <= {float, int} else enumerate(item)
        elif isinstance(item, deque):
            holder[place] = own = item.copy()
            parts = enumerate(item)
        elif isinstance(item, dict):
            holder[place] = own = item.copy()
            parts = item.items()
            keyed.append(own)
        else:
            if cls not in slots:
                slots[cls] = slots_of(cls)
            if slots[cls] is None:
                holder[place] = item
                continue
            holder[place] = whole = bare(cls)
            if slots[cls]:
                parts = held_in(item, slots[cls])
                own = {}
                others.append((whole, None, None, own))
            else:
                parts, own = item.__dict__.items(), whole.__dict__
            for name in of_classes.get(cls, ()):
                object.__setattr__(whole, name, getattr(item, name))
        made[id(item)] = holder[place]
        for key, part in parts:
            of = type(part)
            own[key] = part  # in its turn
            if of not in _PLAIN:
                waiting.append((part, own, key))
    store_late(others)
    for own in keyed:
        if any(type(key).__hash__ is object.__hash__ for key in own):
            _with_keys_copied(own, made)
    return result[0]


def _with_keys_copied(own: Any, made: dict[int, Any]) -> None:
    """Let the keys of a dict, or the members of a set, be the copies that were made of
    them."""
    held = own.items() if isinstance(own, dict) else own
    items = list(held)
    own.clear()
    if isinstance(own, dict):
        own.update((made.get(id(key), key), part) for key, part in items)
    else:
        own.update(made.get(id(key), key) for key in items)


def _own_view(array: Any, made: dict[int, Any]) -> Any:
    """The same part of the copy of what owns an array's memory."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if id(owner) not in made:
        made[id(owner)] = owner.copy(order="K")
    if owner is not array:
        flat = made[id(owner)].ravel(order="K")
        first, place = owner.ctypes.data, array.ctypes.data
        shape, strides = array.shape, array.strides
        made[id(array)] = np.ndarray(shape, array.dtype, flat, place - first, strides)
    return made[id(array)]


def own_structures(*values: Any, views: bool = False) -> tuple[Any, ...]:
    """Copies of several values; what they share, the copies share."""
    copies: tuple[Any, ...] = own_structure(values, views)
    return copies


def working_copy(value: Any, of_classes: OfClasses = _NONE) -> Any:
    """A copy of an argument, into which a derivative stores as the function does: the
    caller's own stays as it is. Objects hold attributes ``of_classes`` themselves."""
    return own_structure(value, of_classes=of_classes)


def require_like(held: Any, value: Any) -> None:
    """Raise ValueError where an array is stored in place of one of another shape or
    dtype: the adjoint of a slot is one array."""
    if held.shape != value.shape or held.dtype != value.dtype:
        raise ValueError(
            f"an array of shape {value.shape} and dtype {value.dtype} is stored in "
            f"an attribute in place of one of shape {held.shape} and dtype "
            f"{held.dtype}: a derivative needs both alike"
        )


def tangent_copy(value: Any, tangent: Any, arrays: bool = False) -> Any:
    """The tangent of such a copy: one for each object, wherever it stands.

    Raises ValueError for different tangents of one number that stands at two places;
    zeros at one of them say nothing.

    >>> inner = [1.0]
    >>> one, other = tangent_copy([inner, inner], [[3.0], [0.0]])
    >>> one, one is other
    ([3.0], True)
    """
    bars = zeros_of_structure(value, arrays)
    seen: set[tuple[int, int]] = set()
    waiting: list[Any] = [(bars, tangent)]
    while waiting:
        own, given = waiting.pop()
        if given is None or (id(own), id(given)) in seen:
            continue
        seen.add((id(own), id(given)))
        if isinstance(own, np.ndarray):
            own[...] = _one_of(own, given)
            continue
        if isinstance(own, list | deque):
            parts: Any = enumerate(given)
        elif isinstance(own, dict):
            parts = given.items()
        else:
            own, parts = own.__dict__, parts_of_object(given).items()
        for key, part in parts:
            if isinstance(own, dict) and key not in own:
                own[key] = part  # that of an attribute which the object lacks so far
                continue
            bar = own[key]
            if isinstance(bar, np.generic | float | complex) and part is not None:
                own[key] = _one_of(bar, part)
            elif bar is not None:
                waiting.append((bar, part))
    return bars


def _one_of(known: Any, given: Any) -> Any:
    if not np.any(known):
        return given
    if np.any(given) and not np.array_equal(known, given):
        raise ValueError(
            "an object that is given twice, and that the function changes, has "
            "different tangents at its two places"
        )
    return known


def instance_of(cls: Any, /, **attributes: Any) -> Any:
    """An object of a class with these attributes, made without `__init__`."""
    made = object.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def bare(cls: type) -> Any:
    """An object without attributes; no ``__new__`` of the user's runs."""
    base: Any = SimpleNamespace if issubclass(cls, SimpleNamespace) else object
    return base.__new__(cls)


def parts_of_object(value: Any) -> Any:
    """What the attributes of an object or record hold, by name."""
    if type(value) is SimpleNamespace:
        return value.__dict__
    cls: Any = type(value)
    slots = slots_of(cls)
    return dict(held_in(value, slots)) if slots else value.__dict__


_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_NEVER_RECORDS = (enum.Enum, BaseException, type, int, float, complex, str, bytes)


@functools.lru_cache(maxsize=1024)
def slots_of(cls: Any) -> tuple[str, ...] | None:
    """The attributes that objects of a class hold in slots, its bases' first; None for
    classes of Python and NumPy, whose instances aren't looked into."""
    if cls is SimpleNamespace:
        return ()
    root = cls.__module__.partition(".")[0]
    if root in ("numpy", "scipy") or root in sys.stdlib_module_names - {"__main__"}:
        return None
    if not cls.__flags__ & _MADE_BY_PYTHON or issubclass(cls, _NEVER_RECORDS):
        return None
    return tuple(
        name
        for base in reversed(cls.__mro__)
        for name, found in base.__dict__.items()
        if type(found) is types.MemberDescriptorType and name != "__dict__"
    )


def held_in(value: Any, slots: tuple[str, ...] | None) -> Any:
    """The attributes of an object that has slots, each with what it holds."""
    held = {name: getattr(value, name) for name in slots or () if hasattr(value, name)}
    return (held | getattr(value, "__dict__", {})).items()


def last_key(held: Any) -> Any:
    """The key that a dict's `popitem` gives.

    >>> last_key({"a": 1.0, "b": 2.0})
    'b'
    """
    for key in reversed(held):
        return key
    raise KeyError("popitem(): dictionary is empty")


def add_to_slice(adjoint: Any, places: slice, amounts: Any) -> None:
    """Add a number to each item of a part of a list.

    >>> adjoint = [0.0, 1.0, 2.0]
    >>> add_to_slice(adjoint, slice(1, None), [2.0, 3.0])
    >>> add_to_slice(adjoint, slice(2), 0.5)
    >>> adjoint
    [0.5, 3.5, 5.0]
    """
    items = range(len(adjoint))[places]
    if not isinstance(amounts, list):
        amounts = np.broadcast_to(amounts, len(items)).tolist()
    for k, amount in zip(items, amounts, strict=True):
        adjoint[k] += amount


def add_to_items(adjoint: Any, amounts: Any) -> None:
    """Add a number or array to each item of a list, or of the lists in it.

    >>> adjoint = [0.0, 1.0]
    >>> add_to_items(adjoint, [2.0, 3.0])
    >>> adjoint
    [2.0, 4.0]
    """
    if not isinstance(amounts, list | tuple) and np.ndim(amounts) == 0:
        amounts = [amounts] * len(adjoint)
    elif (
        isinstance(amounts, np.ndarray) and amounts.dtype == float and amounts.ndim == 1
    ):
        amounts = amounts.tolist()  # numbers of Python, as those of lists are
    for k, amount in enumerate(amounts):
        if isinstance(adjoint[k], list):
            add_to_items(adjoint[k], amount)
        else:
            adjoint[k] += amount
