"""What runs of the specialiser find out of a program: it is specialised again with all
of it, until a run finds nothing new.

Facts only grow. They decide how values are followed, not what is computed: a list that
a program changes is a cell, an object that only the run can tell from others a
reference. A run that learns a fact goes on as if it had been known, as far as that
leads, since it may learn more; what it makes is thrown away. What was found out of a
function is known when another derivative of it is asked for: that takes one run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

from s2sad import ir
from s2sad.source.text.source_function import SourceFunction


class ItemsChange:
    """Stands among the classes whose values a program changes: lists, dicts, sets and
    deques change also where they stand in a list whose length isn't known."""


class PlacesMatter:
    """Stands among the classes whose values a program changes: an item that was read
    from a list is used after others were appended, so that a negative index would lead
    to another one."""


Use = tuple[ir.Span, Hashable] | None
"""An expression that runs over a list, and which it is of those that it runs over."""


@dataclass(frozen=True)
class Facts:
    """What is known of a program before a run."""

    changing: frozenset[type] = frozenset()
    """The classes whose values the program changes."""
    holds_taken: bool = False
    """Items that an expression takes of a list or dict are held, since it changes."""
    keyed_heaps: bool = True
    """heapq itself may order the items of heaps."""
    keeps_calls: bool = False
    """Written out, its calls make the program too long."""
    keeps_changing_calls: bool = False
    """It is too long even without the calls that change nothing of the caller's."""
    called_once: frozenset[Hashable] = frozenset()
    """Then, the definitions of functions that are called at one place alone."""
    stored: Mapping[Hashable, ir.Kind] = field(default_factory=dict)
    """The attributes of run-time values into which the program stores, by their
    names, and the items, by the class of what holds them and their own; with the kinds
    of what is stored."""
    resized: frozenset[Hashable] = frozenset()
    """Those of the items, named in the same way, of which the program changes how many
    there are."""
    removes_keys: bool = False
    """It removes keys of such dicts, so that one may come again."""
    resizing: frozenset[ir.Span | None] = frozenset()
    """The functions that do so, or call others that do."""
    storing: frozenset[Hashable] = frozenset()
    """The definitions of functions that store into such values and are called in a try
    before that is seen: they call themselves."""
    parameters: Mapping[tuple[Hashable, str], ir.Kind] = field(default_factory=dict)
    """The parameters of functions that call themselves, by definition, that are given
    floats of Python's in some calls and of NumPy's in others, or empty lists: with
    kinds for all."""
    iterators: frozenset[ir.Span] = frozenset()
    """The calls of ``iter`` of which only the run knows how many items were taken: they
    make objects."""
    gathered: frozenset[Hashable] = frozenset()
    """The generators that call themselves: what they yield is gathered in a list."""
    in_turns: frozenset[ir.Span] = frozenset()
    """The calls of such generators that see what runs over them, or are seen by it: it
    runs at each yield."""
    by_index: frozenset[Use] = frozenset()
    """The uses of lists that may grow or shrink while they are run over: each item is
    read by its index, as long as there is one."""
    kept: Mapping[Hashable, ir.Form] = field(default_factory=dict)
    """The expressions that make lists and dicts which are put into something that is
    given and go on to be used under their own names: they are kept from there on, as
    those that stand there are."""
    made: Mapping[type, Mapping[str, ir.Kind]] = field(default_factory=dict)
    """The classes of kept objects of which the program makes others that are kept, too;
    with the kinds of the numbers that these hold."""
    formed: Mapping[type, ir.Form] = field(default_factory=dict)
    """What is known of the objects of classes of which the program is given none."""
    made_in_others: frozenset[type] = frozenset()
    """The classes whose ``__init__`` makes others of the class: a call of one is a call
    of a function that calls itself."""
    made_empty: frozenset[type] = frozenset()
    """Those of the classes of kept objects of which one is used while its ``__init__``
    runs, or gets other attributes on other paths: it is made without attributes, which
    are stored into it one by one."""
    function_records: frozenset[ast.AST] = frozenset()
    """The lambdas and nested functions that make records of what they keep, since loops
    or calls make ever more of them that only the run tells apart."""
    grown: int = 0
    """How often something new was found out of these, and of lists that are given
    empty."""
    changes_foreign: bool = False
    """It calls methods that change what functions of libraries gave: what is asked of
    such an object depends on when it is asked."""
    sets_change: bool = False
    """It changes sets that the run holds: what one is asked depends on when it is
    asked."""
    of_data: dict[int, tuple[Any, ir.Kind]] = field(default_factory=dict, compare=False)
    """Data of the module that is kept, by its identity, with its kind: what else is
    known of its forms holds for these forms alone, so it has them in every run."""
    owned: frozenset[Hashable] = frozenset()
    """The paths of arguments that are lists or dicts of which the program changes the
    structure: it holds such of its own in their place."""

    @property
    def changes_containers(self) -> bool:
        """The program changes lists, dicts or sets."""
        return bool(self.changing or self.resized or self.sets_change)

    @property
    def found_in_calls(self) -> bool:
        """Something is known that calls may have told, whether they are kept or not."""
        of_kept = self.stored or self.made or self.owned
        changes = self.changing or self.sets_change
        return bool(changes or self.holds_taken or of_kept)

    def with_changing(self, cls: type) -> Facts:
        """The program changes values of a class that was treated by value so far."""
        return replace(self, changing=self.changing | {cls})


ValueAt = Callable[[Hashable], Any]
_PASSED: ContextVar[ValueAt | None] = ContextVar("passed", default=None)
_FOUND: ContextVar[Facts | None] = ContextVar("found", default=None)


@contextmanager
def values_passed(at: ValueAt, found: Facts | None = None) -> Iterator[None]:
    """Compile with the values of a call at hand, for what decides kinds, and with what
    was found out before the kinds of arguments were changed for it."""
    tokens = _PASSED.set(at), _FOUND.set(found)
    try:
        yield
    finally:
        _PASSED.reset(tokens[0])
        _FOUND.reset(tokens[1])


def facts_found() -> Facts | None:
    """What was found out before kinds were changed for it; asked for once."""
    found = _FOUND.get()
    _FOUND.set(None)
    return found


def value_passed(path: Hashable) -> Any:
    """The value at a path in the arguments; None where there is no call."""
    at = _PASSED.get()
    return at and at(path)


_KNOWN: WeakKeyDictionary[Any, dict[Hashable, Facts]] = WeakKeyDictionary()


def known_facts(source: SourceFunction, key: Hashable) -> Facts | None:
    """What was found out of a function before, for the same arguments."""
    try:
        known = _KNOWN.get(_owner(source), {}).get(key)
    except TypeError:  # data that can't be hashed
        return None
    return known and _without_data(known)


def note_facts(source: SourceFunction, key: Hashable, facts: Facts | None) -> None:
    """Let facts be known; None where they don't hold any more."""
    try:
        known = _KNOWN.setdefault(_owner(source), {})
        if facts is None:
            known.pop(key, None)
        else:
            known[key] = _without_data(facts)
    except TypeError:
        return


def _without_data(facts: Facts) -> Facts:
    """Facts for another time, when data of the module may hold something else."""
    return replace(facts, of_data={})


def _owner(source: SourceFunction) -> Any:
    """Functions that one factory made share their text, and may differ otherwise."""
    captures = getattr(source.function, "__closure__", None)
    return source.function if captures else source.node
