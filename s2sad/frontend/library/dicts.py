"""``dict.fromkeys``, and methods of Counter and OrderedDict by those that dicts
have."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import Any

from s2sad.frontend.library.texts import stands_for


@stands_for(dict.fromkeys, always=True)
def fromkeys(keys: Any, value: Any = None) -> dict[Any, Any]:
    """``dict.fromkeys(keys, value)``: all hold the same value."""
    return {key: value for key in keys}  # noqa: C420  (the text of that itself)


@stands_for((Counter, "update"), of_owner=True)
def update(counts: Any, counted: Any = (), **words: Any) -> None:
    """``counts.update(counted)``: what is there already is added to."""
    if isinstance(counted, Mapping):
        for key, count in counted.items():
            counts[key] += count
    else:
        for key in counted:
            counts[key] += 1
    for key in words:
        counts[key] += words[key]


@stands_for((Counter, "subtract"), of_owner=True)
def subtract(counts: Any, counted: Any = (), **words: Any) -> None:
    """``counts.subtract(counted)``."""
    if isinstance(counted, Mapping):
        for key, count in counted.items():
            counts[key] -= count
    else:
        for key in counted:
            counts[key] -= 1
    for key in words:
        counts[key] -= words[key]


@stands_for((Counter, "most_common"), of_owner=True)
def most_common(counts: Any, n: int | None = None) -> list[Any]:
    """``counts.most_common(n)``."""
    pairs = sorted(counts.items(), key=second, reverse=True)
    return pairs if n is None else pairs[: max(n, 0)]


def second(pair: Any) -> Any:
    """What stands in a pair at its end."""
    return pair[1]


@stands_for((Counter, "total"), of_owner=True)
def total(counts: Any) -> Any:
    """``counts.total()``."""
    return sum(counts.values())


@stands_for((OrderedDict, "move_to_end"), of_owner=True)
def move_to_end(entries: Any, key: Any, last: bool = True) -> None:
    """``entries.move_to_end(key, last)``: what is behind it is put in again."""
    value = entries.pop(key)
    entries[key] = value
    if not last:
        for other in list(entries)[:-1]:
            value = entries.pop(other)
            entries[other] = value


@stands_for((OrderedDict, "popitem"), of_owner=True)
def popitem(entries: Any, last: bool = True) -> tuple[Any, Any]:
    """``entries.popitem(last)``."""
    if not entries:
        raise KeyError("dictionary is empty")
    key = list(entries)[-1 if last else 0]
    return key, entries.pop(key)
