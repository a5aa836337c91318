"""Dicts and tuples that lead to others of their own sort, as the nodes of a chain or
of a tree do.

>>> is_node({"value": 1.0, "next": {"value": 2.0, "next": None}})
True
>>> is_node({"weight": 1.0, "bias": {"weight": 2.0}})
False
"""

from collections import Counter
from collections.abc import Hashable
from typing import Any

import numpy as np

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


DEEPEST_TAKEN_APART = 3
"""Lists and tuples in one another, with numbers at the bottom, that go deeper are
nested without a structure that is known before the program runs."""
MOST_TAKEN_APART = 16
"""The same where numbers stand at different depths, and there are more of them."""
MOST_LOOKED_AT = 1000


def is_nested(value: Any) -> bool:
    """True for lists and tuples in one another, or a dict of dicts of its names, and so
    on, in which numbers or texts stand at various depths, or deep down. Arrays are
    parameters of a model, unless they stand deeper than those do.

    >>> is_nested([1.0, [2.0, [3.0, [4.0, 5.0]]]])
    True
    >>> is_nested([[1.0, 2.0], [3.0, 4.0]])
    False
    """
    cls = type(value)
    sort = sort_of(value) if cls is dict else cls
    if cls not in (list, tuple, dict) or sort is None:
        return False
    waiting, depths, seen = [(value, 1)], Counter[int](), 0
    arrays = False
    while waiting and seen < MOST_LOOKED_AT:
        holder, depth = waiting.pop()
        seen += 1
        for part in holder.values() if cls is dict else holder:
            inner = (
                type(part) in (list, tuple) if cls is not dict else type(part) is cls
            )
            if inner and (cls is not dict or sort_of(part) == sort):
                waiting.append((part, depth + 1))
            elif type(part) not in _VALUES:
                return False
            else:
                depths[depth] += 1
                arrays |= type(part) is np.ndarray
    if arrays:
        return max(depths) > 2 * DEEPEST_TAKEN_APART
    if len(depths) < 2 and (cls is list or not depths):
        return False  # which have a kind of their own
    if len(depths) < 2:
        return max(depths) > DEEPEST_TAKEN_APART
    return max(depths) > DEEPEST_TAKEN_APART or depths.total() > MOST_TAKEN_APART


_VALUES = (float, int, bool, str, np.float64, np.ndarray, type(None))


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
