"""What runs of the specialiser found out of a program: it is specialised again with all
of it, until a run finds nothing new.

Facts only grow. They decide how values are followed, not what is computed: a list that
a program changes is a cell, an object that only the run can tell from others a
reference. What was found out of a function is known when another derivative of it is
asked for: that takes one run.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.heap.object_forms import Form
from s2sad.source.text.source_function import SourceFunction

FINDINGS = (core.Changes, core.Shares, core.TakenItemsChange)
"""How a run says what it found out."""


@dataclass(frozen=True)
class Facts:
    """What is known of a program before a run."""

    changing: frozenset[type] = frozenset()
    """The classes whose values the program changes."""
    shared: Mapping[type, Form] = field(default_factory=dict)
    """Those whose objects are held by references, and what is known of these."""
    holds_taken: bool = False
    """Items that an expression takes of a list or dict are held, since it changes."""
    keyed_heaps: bool = True
    """heapq itself may order the items of heaps."""

    def joined(self, found: Exception) -> Facts:
        """With what a run found out, which it says by an exception."""
        match found:
            case core.Changes(cls=cls):
                return replace(self, changing=self.changing | {cls})
            case core.Shares(cls=cls, form=Form() as form):
                shared = {**self.shared, cls: form}
                return replace(self, changing=self.changing | {cls}, shared=shared)
            case core.TakenItemsChange():
                return replace(self, holds_taken=True)
        raise found


OF_NUMBERS = Facts(frozenset({list}), {core.NumberList: Form()})
"""Lists of numbers are held by references."""

_KNOWN: WeakKeyDictionary[Any, dict[Hashable, Facts]] = WeakKeyDictionary()


def known_facts(source: SourceFunction, key: Hashable) -> Facts | None:
    """What was found out of a function before, for the same arguments."""
    try:
        return _KNOWN.get(_owner(source), {}).get(key)
    except TypeError:  # data that can't be hashed
        return None


def note_facts(source: SourceFunction, key: Hashable, facts: Facts | None) -> None:
    """Let facts be known; None where they don't hold any more."""
    try:
        known = _KNOWN.setdefault(_owner(source), {})
        if facts is None:
            known.pop(key, None)
        else:
            known[key] = facts
    except TypeError:
        return


def _owner(source: SourceFunction) -> Any:
    """Functions that one factory made share their text, and may differ otherwise."""
    captures = getattr(source.function, "__closure__", None)
    return source.function if captures else source.node
