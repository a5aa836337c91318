"""Dicts and tuples that lead to others of their own sort, as the nodes of a chain or
of a tree do.

>>> is_node({"value": 1.0, "next": {"value": 2.0, "next": None}})
True
>>> is_node({"weight": 1.0, "bias": {"weight": 2.0}})
False
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from s2sad import ir
from s2sad.source.kinds.columns import LONGEST_RECORD


def sort_of(value: Any) -> Hashable:
    """What nodes of one sort have in common: the names of a dict, the class of a
    NamedTuple, the length of a tuple. None for other values."""
    cls = type(value)
    if cls is dict:
        names = tuple(value)
        of_texts = 1 < len(names) <= LONGEST_RECORD and all(
            type(name) is str for name in names
        )
        return (dict, frozenset(names)) if of_texts else None
    if cls is tuple:
        return (tuple, len(value)) if 1 < len(value) <= LONGEST_RECORD else None
    return (cls,) if hasattr(cls, "_fields") else None


def is_node(value: Any) -> bool:
    """True for a dict or tuple under a key of which another one of its sort stands,
    and so on, until there is none, or none in a list."""
    sort = sort_of(value)
    return sort is not None and any(_leads_on(value, k, sort) for k in keys_of(value))


def keys_of(node: Any) -> tuple[Hashable, ...]:
    """The names, or the places, of what a dict or tuple holds."""
    if type(node) is dict:
        return tuple(node)
    return getattr(type(node), "_fields", tuple(range(len(node))))


def _leads_on(node: Any, key: Any, sort: Hashable) -> bool:
    """True where the nodes under a key end as those of a chain or tree do."""
    passed: set[int] = set()
    part = node
    while sort_of(part) == sort and id(part) not in passed:
        passed.add(id(part))
        part = getattr(part, key) if hasattr(part, "_fields") else part[key]
        while type(part) in (list, tuple) and part and sort_of(part) != sort:
            part = part[0]
    if len(passed) < 2:
        return False
    missing = type(part) is dict and key not in part and set(part) < set(node)
    ends = part is None or missing or (isinstance(part, ir.CONTAINERS) and not part)
    return ends or id(part) in passed
