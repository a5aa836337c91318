"""Which arguments are kept as they are: what has many items, deques, objects that lead
to others of their class, expressions in tuples, texts that are data.

All else is taken apart, one variable for each item.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from itertools import islice
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.source.kinds import attributes, lists
from s2sad.source.kinds.references import (
    DICTS,
    Forms,
    NoForm,
    is_told_by_text,
)

LONGEST_NAME = 40
"""Longer texts are no names of cases."""
FEW = 4
"""Up to so many items that are alike are followed one by one."""


class KeptAtRunTime:
    """Keeps what has many items, and objects that lead to others of their class."""

    everything = False
    """Keeps all lists, dicts and objects."""

    def __init__(self) -> None:
        self.forms = Forms()
        self.kept = False
        """Whether anything was kept."""
        self.why_not = ""
        """What stands in the way where something can't be."""

    def kind(self, value: Any, path: Hashable) -> ir.Kind | None:
        """The kind of a list, dict or object that is kept; None for others."""
        if type(value) is str and is_prose(value):
            return ir.OPAQUE
        kept = (
            type(value) is deque
            or _has_many_alike(value)
            or _leads_to_its_class(value)
            or is_told_by_text(value)
        )
        if not (kept or self.everything):
            return None
        try:
            found = self.forms.kind(value, path)
        except NoForm as problem:
            self.why_not = str(problem)
            return None
        self.kept = True
        return found


def is_prose(text: str) -> bool:
    """True for a text that is data, not the name of a case."""
    return len(text) > LONGEST_NAME or len(text.split()) > 1


def _has_many_alike(value: Any) -> bool:
    if type(value) not in (*ir.CONTAINERS, *DICTS) or len(value) <= FEW:
        return False
    items = value.values() if isinstance(value, dict) else value
    classes = set(map(type, items))
    if classes == {float, type(None)} and type(value) is list:
        return True
    classes -= {type(None)}
    if classes == {str}:
        return True
    if classes <= {float, int}:
        return len(classes) > 0 and isinstance(value, dict)
    if len(classes) != 1:
        return all(map(attributes.is_users_class, classes))
    (cls,) = classes
    if cls is np.ndarray:
        return isinstance(value, dict) and len({item.ndim for item in items}) == 1
    of_lists = cls is list and not isinstance(value, dict)
    if of_lists and lists.kind_of_list(value, "") is not None:
        return False
    return (
        cls in ir.CONTAINERS
        or cls in DICTS
        or hasattr(cls, "_fields")
        or attributes.is_users_class(cls)
    )


def _leads_to_its_class(value: Any) -> bool:
    """True for an object from which another one of its class can be reached: a tree, a
    chain, parents and children."""
    cls: Any = type(value)
    if not attributes.is_users_class(cls):
        return False
    seen = {id(value)}
    waiting = [value]
    while waiting and len(seen) < 1000:
        holder = waiting.pop()
        if isinstance(holder, dict):
            parts: Iterable[Any] = holder.values()
        elif isinstance(holder, list | tuple | deque):
            parts = islice(holder, 8)
        else:
            names = attributes.attributes_of(holder) or ()
            parts = [getattr(holder, name) for name in names]
        for part in parts:
            if type(part) is cls:
                return True
            if id(part) not in seen and (
                isinstance(part, ir.CONTAINERS)
                or attributes.attributes_of(part) is not None
            ):
                seen.add(id(part))
                waiting.append(part)
    return False
