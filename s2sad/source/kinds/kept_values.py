"""Which arguments are kept as they are: what has many items, deques, objects, dicts and
tuples that lead to others of their sort, expressions in tuples, texts that are data.

All else is taken apart, one variable for each item.
"""

from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Set
from itertools import islice
from typing import Any

import numpy as np

from s2sad import errors, ir
from s2sad.source.kinds import attributes, lists, nodes, references
from s2sad.source.kinds.kinds_of_values import kind_of_value

LONGEST_NAME = 40
"""Longer texts are no names of cases."""


class KeptAtRunTime:
    """Keeps what has many items, and objects that lead to others of their class."""

    def __init__(
        self,
        lists_of: Iterable[str] = (),
        *,
        everything: bool = False,
        expressions: bool = False,
    ) -> None:
        """``lists_of`` are parameters of which lists of any length are kept, too;
        ``everything``: all lists, dicts and objects are kept that can be. With
        ``expressions`` all tuples that begin with texts are parts of one."""
        self.lists_of = frozenset(lists_of)
        self.everything = everything
        self.expressions = expressions
        self.forms = references.Forms(expressions)
        self.why_not = ""
        """What stands in the way where something can't be."""
        self.classes: Set[type] = frozenset()
        """Classes of which objects are kept wherever they stand, with lists and tuples
        of what leads to them: one and the same may be among others that are kept."""
        self.kept = False
        """Whether anything was kept."""
        self.texts = False
        """Whether there are texts that are data, which are opaque beside what is
        kept."""
        self.lists: dict[int, Any] = {}
        """The lists of numbers that are kept, wherever they stand, by identity."""

    def kinds(self, named: Mapping[str, Any]) -> dict[str, ir.Kind]:
        """The kinds of arguments. Where an object is kept, all of its class are.

        Raises ArgumentError for what isn't followed."""
        found: tuple[Any, ...] = frozenset(), 0, False
        while True:
            kinds = {n: kind_of_value(v, n, self) for n, v in named.items()}
            self.classes |= self.forms.of_classes.keys()
            before = found
            found = self.classes, len(self.lists), self.kept and self.texts
            if found == before or not self.kept:
                return kinds
            self.forms = references.Forms(self.expressions)

    def kind(self, value: Any, path: Hashable) -> ir.Kind | None:
        """The kind of a list, dict or object that is kept; None for others."""
        if type(value) is str:
            self.texts |= is_prose(value)
            return ir.OPAQUE if self.kept and is_prose(value) else None
        if _parameter(path) in self.lists_of and _is_list_of_numbers(value):
            self.lists[id(value)] = value
        kept = (
            type(value) is deque
            or id(value) in self.lists
            or _has_many_alike(value)
            or _leads_to_its_class(value)
            or references.is_told_by_text(value)
            or nodes.is_node(value)
            or nodes.is_nested(value)
            or (len(self.classes) > 0 and _holds_one(value, self.classes))
        )
        if not (kept or self.everything):
            return None
        try:
            found = self.forms.kind(value, path)
        except references.NoForm as problem:
            self.why_not = str(problem)
            return None
        if not isinstance(found, ir.Reference):
            return None
        self.kept = True
        return found


def with_objects_kept(
    kinds: Mapping[str, ir.Kind], values: Mapping[str, Any], cls: type
) -> Mapping[str, ir.Kind]:
    """The kinds of arguments of which objects of one more class are kept. Raises
    ArgumentError where they can't be."""
    keeping = KeptAtRunTime()
    keeping.kept = True
    forms = (f for kind in kinds.values() for f in ir.forms_in(kind))
    keeping.classes = {cls, *(f.constructor for f in forms)} - {
        *ir.CONTAINERS,
        *references.DICTS,
    }
    found = keeping.kinds(values)
    if cls not in keeping.forms.of_classes:
        why = keeping.why_not or "they stand in something that can't be kept"
        raise errors.ArgumentError(
            f"which of the objects of {cls.__name__} a name means is known only when "
            f"the derivative runs, and they can't be followed there: {why}"
        )
    return {
        name: found[name] if any(ir.forms_in(found[name])) else kind
        for name, kind in kinds.items()
    }


def _parameter(path: Any) -> Any:
    """The parameter that a path starts at."""
    while isinstance(path, tuple):
        path = path[0]
    return path


def _is_list_of_numbers(value: Any) -> bool:
    if type(value) not in (list, tuple):
        return False
    kind = lists.kind_of_list(value, "")
    return kind is not None and ir.is_real_number_kind(kind)


def is_prose(text: str) -> bool:
    """True for a text that is data, not the name of a case."""
    return len(text) > LONGEST_NAME or len(text.split()) > 1


def _has_many_alike(value: Any) -> bool:
    if (
        type(value) not in (*ir.CONTAINERS, *references.DICTS)
        or len(value) <= lists.LONGEST_TAKEN_APART
    ):
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
        ranks = {item.ndim for item in items if item is not None}
        return isinstance(value, dict) and len(ranks) == 1
    of_lists = cls is list and not isinstance(value, dict)
    if of_lists and lists.kind_of_list(value, "") is not None:
        return False
    return (
        cls in ir.CONTAINERS
        or cls in references.DICTS
        or cls in (set, frozenset)
        or hasattr(cls, "_fields")
        or attributes.is_users_class(cls)
    )


def _holds_one(value: Any, classes: Set[type]) -> bool:
    """True for an object of one of these classes, and for a list or tuple of objects of
    one class that lead to some."""
    if type(value) in classes:
        return True
    if not isinstance(value, list | tuple) or len(set(map(type, value))) != 1:
        return False
    cls: Any = type(value[0])
    return attributes.is_users_class(cls) and _leads_to(value, classes)


def _leads_to_its_class(value: Any) -> bool:
    """True for an object from which another one of its class can be reached: a tree, a
    chain, parents and children."""
    cls: Any = type(value)
    return attributes.is_users_class(cls) and _leads_to(value, {cls})


def _leads_to(value: Any, classes: Set[type]) -> bool:
    """True where an object of one of these classes can be reached; of a list the first
    few items tell."""
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
            if type(part) in classes:
                return True
            if id(part) not in seen and (
                isinstance(part, ir.CONTAINERS)
                or attributes.attributes_of(part) is not None
            ):
                seen.add(id(part))
                waiting.append(part)
    return False
