"""Operations on dicts and sets whose keys are known only when the program runs, as
functions of the IR.

Such a dict is a list of its values, and a plain dict that tells the place of each key
in that list. The list carries the derivative.
"""

import itertools
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.ops.inner_lists import CHANGES_WITHIN
from s2sad.ops.keyed_heaps import KEY_CHANGES
from s2sad.ops.lists import LIST_CHANGES, extended


def places_of(*keys: Any) -> dict[Any, int]:
    """``{first: 0, second: 1}``: the places of keys."""
    return {key: place for place, key in enumerate(keys)}


def places_of_keys(keys: Any) -> dict[Any, int]:
    """``{first: 0, second: 1}`` of keys of any number."""
    return {key: place for place, key in enumerate(keys)}


def keys_together(*holders: Any) -> list[Any]:
    """The keys of several dicts, each once; ``list(dict.fromkeys([*first, *second]))``.

    >>> keys_together({"b": 1, "a": 2}, ("c", "b"))
    ['b', 'a', 'c']
    """
    return list(dict.fromkeys(itertools.chain.from_iterable(holders)))


def keys_but(holder: Any, others: tuple[Any, ...]) -> list[Any]:
    """``[key for key in holder if key not in others]``."""
    return [key for key in holder if key not in others]


def place_added(places: dict[Any, int], key: Any, place: int) -> dict[Any, int]:
    """``places`` after ``places[key] = place``."""
    return {**places, key: place}


def place_removed(places: dict[Any, int], key: Any) -> dict[Any, int]:
    """``places`` after ``del places[key]``."""
    fewer = dict(places)
    del fewer[key]
    return fewer


def place_of_key(places: dict[Any, int], key: Any) -> int:
    """``places[key]``."""
    return places[key]


def keys_in_order(places: dict[Any, int]) -> list[Any]:
    """``list(places)``."""
    return list(places)


def places_in_order(places: dict[Any, int]) -> list[int]:
    """``list(places.values())``."""
    return list(places.values())


def set_of_members(*members: Any) -> set[Any]:
    """``{first, second}``."""
    return set(members)


def change_members(members: set[Any], name: str, *args: Any) -> None:
    """``members.add(member)``, or another method that changes a set."""
    getattr(members, name)(*args)


def member_taken(members: set[Any]) -> Any:
    """``members.pop()``."""
    return members.pop()


def at_its_time(function: Any, *args: Any) -> Any:
    """``function(*args)``, which depends on what a set holds that changes."""
    return function(*args)


def done_now(value: ir.Apply) -> ir.Apply:
    """Such an operation as the one that it does."""
    function, *args = value.args
    assert isinstance(function, ir.Const)
    return replace(value, function=function.value, args=tuple(args))


CONTAINER_CHANGES = (
    *LIST_CHANGES,
    *CHANGES_WITHIN,
    *KEY_CHANGES,
    extended,
    place_added,
    place_removed,
)
"""The operations that the emitter writes as changes of their first operand."""
