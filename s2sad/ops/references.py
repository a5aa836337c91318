"""Operations on run-time values: lists, dicts and objects that a program keeps as they
are (:mod:`s2sad.ir.references`).

Reading a number or array has a derivative: its adjoint is added to the slot that it was
read from, in the adjoint of the value. Reading a reference has none of its own: the
reference in the same slot of the adjoint is read beside it."""

import operator
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.ops.lists import (
    appended,
    as_list,
    as_tuple,
    contains,
    joined_lists,
    joined_tuples,
    list_of,
    repeated,
    tuple_of,
    tuple_with,
    with_inserted_item,
    with_item_stored,
    without_item,
)
from s2sad.ops.runtime.jacobians import add_rows_to_items, put_axis_in_front
from s2sad.ops.runtime.results import is_module_array, module_array
from s2sad.ops.runtime.structures import (
    add_structure,
    add_to_items,
    add_to_slice,
    instance_of,
    last_key,
    named_items,
)
from s2sad.ops.sets import at_its_time


def make_object(
    cls: Any, names: tuple[Any, ...], *values: Any, maxlen: int | None = None
) -> Any:
    """An object of a class that is kept, with these attributes, or a list, tuple, dict
    or deque."""
    if cls is deque:
        return deque(values, maxlen)
    if cls in (list, tuple):
        return cls(values)
    if cls is dict:
        return dict(zip(names, values, strict=True))
    if issubclass(cls, tuple):
        return cls(*values)
    return instance_of(cls, **dict(zip(names, values, strict=True)))


def make_adjoint(cls: Any, names: tuple[Any, ...], *values: Any) -> Any:
    """The adjoint of such an object, or its tangent."""
    if hasattr(cls, "_fields"):
        return named_items(cls)(values)
    return make_object(list if cls is tuple else cls, names, *values)


def slots_filled_later(
    kind: ir.Kind | None, cls: Any, names: tuple[Any, ...]
) -> dict[Any, float | None]:
    """The attributes that objects of a class get when they are there already, and what
    the adjoint of one without them holds."""
    forms = kind.forms if isinstance(kind, ir.Reference) else ()
    return {
        key: _zero_of(form.slots[key])
        for form in forms
        if form.constructor is cls
        for key in form.keys
        if key in form.optional and key not in names
    }


def _zero_of(held: ir.Kind) -> float | None:
    """What stands in an adjoint where a slot is empty: an array has no shape yet."""
    if isinstance(held, ir.Reference | ir.Array) or ir.is_optional_array(held):
        return None
    return 0.0 if ir.is_real_number_kind(held) else None


TEXT_OF_CLASS = "text"
"""The attribute of a class that the compiler made which is its text, for emitted
files."""


def record_class(name: str, doc: str, equal_by: str | None = None) -> Any:
    """A class whose objects hold the keywords that they are made with. Two of them are
    equal if they are one object, or where what they hold under ``equal_by`` is one;
    with an empty text all are equal.

    >>> vars(record_class("Scaled", "What scaled keeps.")(by=2.0))
    {'by': 2.0}
    """
    lines = [
        f"class {name}:",
        f'    """{doc}"""',
        "    def __init__(self, /, **attributes):",
        "        vars(self).update(attributes)",
    ]
    if equal_by is not None:
        same, told = "type(self) is type(other)", "type(self)"
        if equal_by:
            same += f" and self.{equal_by} is other.{equal_by}"
            told = f"id(self.{equal_by})"
        lines += [
            "    def __eq__(self, other):",
            f"        return {same}",
            "    def __hash__(self):",
            f"        return hash({told})",
        ]
    text = "\n".join([*lines, ""])
    namespace: dict[str, Any] = {"__name__": "s2sad.ops.runtime.structures"}
    exec(text, namespace)
    made = namespace[name]
    setattr(made, TEXT_OF_CLASS, text)
    return made


def kept_list(items: Any) -> Any:
    """A list of references by value as one that an object may hold."""
    return list(items)


def read_item(container: Any, key: Any) -> Any:
    """``container[key]``."""
    return container[key]


def read_itself(value: Any, name: str) -> Any:
    """A number, array or text where others of its place are references: the slot of its
    adjoint has a ``name``."""
    return value


def kept_value(value: Any) -> Any:
    """A number or array as a reference, beside others."""
    return value


def read_attribute(record: Any, name: str) -> Any:
    """``record.name``."""
    return getattr(record, name)


def stored_attribute(record: Any, name: str) -> Any:
    """``record.name``, into which the program stores: what is read depends on when."""
    return getattr(record, name)


def store_attribute(record: Any, name: str, value: Any) -> None:
    """``record.name = value``."""
    setattr(record, name, value)


def put_adjoint(adjoint: Any, name: str, value: Any) -> None:
    """``adjoint.name = value``, where the reverse sweep took what stood there."""
    setattr(adjoint, name, value)


def clear_adjoint(adjoint: Any, name: str) -> None:
    """Zeros in place of an array, in a new one: somebody has taken the old one."""
    setattr(adjoint, name, np.zeros_like(getattr(adjoint, name)))


def stored_item(container: Any, key: Any) -> Any:
    """``container[key]`` of a list or dict into which the program stores."""
    return container[key]


def store_item(container: Any, key: Any, value: Any) -> None:
    """``container[key] = value``, of a key that is there."""
    container[key] = value


def insert_item(container: Any, place: int, value: Any) -> None:
    """Let a list get another item, which stands at this place then; -1: at the end."""
    container.insert(len(container) if place == -1 else place, value)


def remove_item(container: Any, place: int) -> None:
    """``del container[place]``."""
    del container[place]


def add_key(container: Any, key: Any, value: Any) -> None:
    """``container[key] = value`` of a key that a dict doesn't have."""
    container[key] = value


def add_key_again(container: Any, key: Any, value: Any) -> None:
    """The same of a key that the dict may have had before."""
    container[key] = value


def remove_key(container: Any, key: Any) -> None:
    """``del container[key]``. The slot of the adjoint stays: its keys keep their
    order."""
    del container[key]


def slot_or_none(adjoint: Any, key: Any) -> Any:
    """What the adjoint of a dict has under a key that the dict doesn't have now."""
    return adjoint.get(key)


def take_key(container: Any, key: Any) -> Any:
    """``container.pop(key)``."""
    return container.pop(key)


def take_item(container: Any, place: int) -> Any:
    """``container.pop(place)``: an item that is read and removed."""
    return container.pop(place)


def store_items(container: Any, place: None, items: Any) -> None:
    """Let a list hold these items in place of its own."""
    container[:] = items


def clear_items(container: Any, place: None) -> None:
    """Let a list or deque hold nothing."""
    container.clear()


def fill_items(container: Any, place: None, items: Any) -> None:
    """Let a list or deque that holds nothing hold these items."""
    container.extend(items)


def clear_keys(container: Any, place: None) -> None:
    """Let a dict hold nothing. The slots of the adjoint stay."""
    container.clear()


def reverse_items(container: Any, place: None) -> None:
    """Turn the order of a list's or deque's items round."""
    container.reverse()


def rotate_items(container: Any, places: int) -> None:
    """``container.rotate(places)`` of a deque."""
    container.rotate(places)


def put_adjoint_item(adjoint: Any, key: Any, value: Any) -> None:
    """``adjoint[key] = value``, where the reverse sweep took what stood there."""
    adjoint[key] = value


def clear_adjoint_item(adjoint: Any, key: Any) -> None:
    """Zeros in place of an array, in a new one: somebody has taken the old one."""
    adjoint[key] = np.zeros_like(adjoint[key])


def add_to_item(adjoint: Any, key: Any, amount: Any) -> None:
    """``adjoint[key] += amount``."""
    adjoint[key] += amount


def add_to_attribute(adjoint: Any, name: str, amount: Any) -> None:
    """``adjoint.name += amount``."""
    setattr(adjoint, name, getattr(adjoint, name) + amount)


def kept_array(value: Any) -> Any:
    """An array as one that objects may hold, and that others see when it is written
    into."""
    return np.array(value)


def read_part(array: Any, index: Any) -> Any:
    """``array[index]`` of such an array, where that is a view of it."""
    return array[index]


def stored_part(array: Any, index: Any) -> Any:
    """``array[index]`` of such an array as it is now, in memory of its own."""
    return array[index].copy()


def store_part(array: Any, index: Any, value: Any) -> None:
    """``array[index] = value`` of such an array."""
    array[index] = value


def increase_part(array: Any, index: Any, amount: Any) -> None:
    """``array[index] += amount`` of such an array, each element as often as it is
    named."""
    np.add.at(array, index, amount)


def put_adjoint_part(adjoint: Any, index: Any, value: Any) -> None:
    """``adjoint[index] = value``, where the reverse sweep took what stood there."""
    adjoint[index] = value


def add_to_part(adjoint: Any, index: Any, amount: Any) -> None:
    """The same of its adjoint."""
    np.add.at(adjoint, index, amount)


def items_of(container: Any) -> Any:
    """The items of a list or tuple as a value of its own, while nobody changes it: the
    list itself."""
    return container


def stored_items(container: Any) -> Any:
    """The items of a list or tuple into which the program stores, as they are now."""
    return list(container)


def stored_keys(container: Any) -> list[Any]:
    """The keys of a dict to which the program adds some, as they are now."""
    return list(container)


def stored_contains(container: Any, key: Any) -> bool:
    """``key in container`` of such a dict, or of a list that may hold others later."""
    return key in container


def stored_index(container: Any, item: Any) -> int:
    """``container.index(item)`` of such a list."""
    return operator.indexOf(container, item)


def stored_count(container: Any, item: Any) -> int:
    """``container.count(item)`` of such a list."""
    return operator.countOf(container, item)


def stored_length(container: Any) -> int:
    """``len(container)`` of a list whose length the program changes."""
    return len(container)


READS_OF_REFERENCES: dict[Callable[..., Any], Callable[..., Any]] = {
    read_itself: add_to_attribute,
    read_item: add_to_item,
    read_attribute: add_to_attribute,
    stored_attribute: add_to_attribute,
    stored_item: add_to_item,
    items_of: add_to_items,
    stored_items: add_to_items,
    read_part: add_to_part,
    stored_part: add_to_part,
}
"""What reads a slot, with what adds to that slot of the adjoint."""
GIVES_WHAT_STANDS = (
    *(*READS_OF_REFERENCES, take_item, take_key, slot_or_none, last_key),
    *(operator.getitem, next),
)
"""What gives a reference that stands in another value."""
READS_OF_STORED = (stored_attribute, stored_item, stored_items, stored_part)
"""Those of which each gives what was stored last."""
MAKES_OBJECTS = (make_object, make_adjoint)
"""What gives an object that nobody else holds: the class, the names of its attributes,
and what they hold."""
KEPT_ARRAYS = (kept_array, module_array)
HANDS_ON = (*MAKES_OBJECTS, kept_list, *KEPT_ARRAYS, kept_value)
"""What gives a reference of which the adjoint is made beside it, and goes on to that of
what it was made of."""
ASKS_WHAT_IT_HAS = (
    *(stored_length, stored_keys, stored_contains, stored_index, stored_count),
    *(slot_or_none, last_key),
)
"""What tells which items a list or dict has now."""
TAKES_ITS_TIME = (
    *READS_OF_STORED,
    *ASKS_WHAT_IT_HAS,
    at_its_time,
    take_item,
    take_key,
    *HANDS_ON,
)
"""What nobody misses where its result isn't read, but can't be moved or repeated."""
STORES_INTO_ATTRIBUTES = (store_attribute, put_adjoint, clear_adjoint)
INSERTS = {insert_item: remove_item, add_key: remove_key, add_key_again: remove_key}
"""What adds an item, with what removes it."""
REMOVES = (remove_item, remove_key)
STORES_AGAIN = {
    remove_item: insert_item,
    add_key_again: store_item,
    store_items: store_items,
    clear_items: fill_items,
}
"""What changes an adjoint, with what puts back how it was."""
MOVES_ITEMS = (reverse_items, rotate_items)
"""What gives the items of a list other places."""
OF_ALL_ITEMS = (store_items, fill_items, clear_items, clear_keys, *MOVES_ITEMS)
"""What is done to a list or dict as a whole."""
TAKES: dict[Callable[..., Any], Callable[..., Any]] = {
    remove_item: take_item,
    remove_key: take_key,
}
"""What removes an item, with what gives it, too."""
RESIZES = (*INSERTS, *REMOVES, *OF_ALL_ITEMS)
"""What changes which items a list has: the list, a place, and what is added if any."""
STORES_INTO_ITEMS = (store_item, put_adjoint_item, clear_adjoint_item, *RESIZES)
STORES_INTO_ARRAYS = (store_part, increase_part, put_adjoint_part)
WRITTEN_ARRAYS = (np.ndarray, np.ndarray)
"""What slots with arrays are called in a program that writes into such."""
KEEPS_WHAT_IS_STORED = (*STORES_INTO_ATTRIBUTES, *STORES_INTO_ITEMS)
KEEPS_OPERANDS = (*KEEPS_WHAT_IS_STORED, *MAKES_OBJECTS, kept_list, kept_value)
"""What lets a slot hold an operand."""
STORES_INTO_SLOTS = (*KEEPS_WHAT_IS_STORED, *STORES_INTO_ARRAYS)
"""What changes a slot: the value, the attribute or key, and what is stored if any."""
FILLS_ADJOINTS = (put_adjoint, put_adjoint_item)
CLEARS_ADJOINTS = (clear_adjoint, clear_adjoint_item)
MOVE_REFERENCES = (
    *(read_item, read_attribute, items_of, kept_list, *MAKES_OBJECTS, slot_or_none),
    *(*KEPT_ARRAYS, read_part, kept_value),
    *(appended, with_inserted_item, without_item, with_item_stored, tuple_with),
    *(list_of, tuple_of, joined_lists, joined_tuples, repeated, as_list, as_tuple),
    *(len, bool, isinstance, contains, operator.not_),
    *(operator.is_, operator.is_not, operator.eq, operator.ne, is_module_array),
)
"""What may be given a run-time value as a whole: it reads, moves or tests it."""
ADDS_TO_SLOTS = (add_to_item, add_to_attribute)
ADDS_TO_ADJOINTS = (
    *(*ADDS_TO_SLOTS, add_to_part),
    *(add_to_items, add_to_slice, add_rows_to_items, add_structure),
)
"""What changes an adjoint, the first argument; the last one is what is added."""


CHANGES_ADJOINTS = (*ADDS_TO_ADJOINTS, put_axis_in_front)


def takes_derivatives(effect: ir.Effect) -> bool:
    """True for an effect that a derivative goes into: what is added to an adjoint or
    stored into a slot, and a program that does so."""
    function = effect.value.function
    takes = (*CHANGES_ADJOINTS, *STORES_INTO_SLOTS)
    return isinstance(function, ir.Procedure) or function in takes


def with_holders(
    read: ir.Apply, change: Callable[[ir.Operand], ir.Operand]
) -> ir.Apply:
    """An operation that gives a reference, with another one for each that it moves:
    what is read from, not the key under which it is read."""
    moved = 1 if read.function in READS_OF_REFERENCES else len(read.args)
    args = (*map(change, read.args[:moved]), *read.args[moved:])
    return replace(read, args=args)
