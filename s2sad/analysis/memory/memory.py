"""What a program knows of memory at one place: the buffers of each variable, and who
shares them.

Tables are never changed. A place at which nothing changes shares those of the place
before it, so that comparing places is quick.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

from s2sad import ir
from s2sad.analysis.dataflow.name_sets import Names, NameSet
from s2sad.analysis.dataflow.shared_tables import SharedTable

Buffer = tuple[Any, ...]
OUTSIDE: Buffer = ("outside",)
"""Memory of the caller, of globals, or of unknown origin."""
SLOTS: Buffer = (*OUTSIDE, "slots of run-time values")
"""That of arrays that stand in lists, dicts and objects which are kept as they are, in
the user's program."""
Buffers = frozenset[Buffer]
ONLY_OUTSIDE: Buffers = frozenset((OUTSIDE,))
ONLY_SLOTS: Buffers = frozenset((SLOTS,))
NO_BUFFERS: Buffers = frozenset()
_ANYBODYS: Buffers = ONLY_OUTSIDE | ONLY_SLOTS


@ir.quickly_made
@dataclass(frozen=True, slots=True)
class Memory:
    """Buffers and views of each variable, at one place."""

    buffers: SharedTable[Buffers]
    views: NameSet
    """Variables that may be a view of their buffer."""
    read_only: NameSet
    """Those of them that can't be written into, or show an element twice."""
    sharing: SharedTable[frozenset[str]]
    """For each variable: those that shared its memory when it was bound, if that isn't
    the caller's; not those that were bound later and share it, too."""
    shared: NameSet
    """Those with which others share theirs, and maybe more."""

    @classmethod
    def at_start(cls, buffers: Mapping[str, Buffers], views: Iterable[str]) -> Memory:
        """What holds where a program starts."""
        table: SharedTable[frozenset[str]] = SharedTable.of({})
        names = Names()
        nothing = names.set_of(())
        return cls(
            SharedTable.of(buffers), names.set_of(views), nothing, table, nothing
        )

    def of(self, name: str) -> Buffers:
        """The buffers a variable may use."""
        return self.buffers.get(name, ONLY_OUTSIDE)

    def is_own(self, name: str) -> bool:
        """True for a variable that holds a whole buffer that this program allocated."""
        return not self.is_outside(name) and name not in self.views

    def is_changeable(self, name: str) -> bool:
        """True for a variable that holds a buffer that this program allocated, or a
        part of one that can be written into."""
        return not self.is_outside(name) and name not in self.read_only

    def is_outside(self, name: str) -> bool:
        """True for what may be memory of the caller, or of others."""
        return any(buffer[0] == OUTSIDE[0] for buffer in self.of(name))

    def partners(self, name: str) -> frozenset[str]:
        """The variables that may share its memory, if it isn't the caller's."""
        found: frozenset[str] = self.sharing.get(name, frozenset())
        if name not in self.shared:
            return found
        return found.union([n for n, held in self.sharing.entries() if name in held])

    def shared_with(self, name: str, others: Iterable[str]) -> bool:
        """True where one of the other variables may use the same buffer."""
        own = self.of(name)
        partners = self.partners(name)
        if own.isdisjoint(_ANYBODYS):
            if isinstance(others, Set):
                others = [other for other in partners if other in others]
            else:
                others = partners.intersection(others)
        for other in others:
            common = own & self.of(other) if other != name else NO_BUFFERS
            if common and (other in partners or not common.isdisjoint(_ANYBODYS)):
                return True
        return False

    def owned_alone(self, name: str, live: Set[str]) -> bool:
        """True where a variable ends that holds a whole buffer, and nothing live shares
        its memory."""
        return self.is_own(name) and self.changeable_alone(name, live)

    def changeable_alone(self, name: str, live: Set[str]) -> bool:
        """True where a variable ends that can be written into, and nothing live shares
        its memory."""
        return (
            name not in live
            and self.is_changeable(name)
            and not self.shared_with(name, live)
        )


@ir.quickly_made
@dataclass(frozen=True, slots=True)
class Held:
    """What a value holds: the buffers, whether it may be a view, or one that can't be
    written into, and the variables that may share them."""

    buffers: Buffers
    view: bool = False
    read_only: bool = False
    partners: frozenset[str] = frozenset()


def joined(a: Memory, b: Memory) -> Memory:
    """What holds where two paths meet."""
    if a is b:
        return a
    return _same_or_new(
        a,
        _united(a.buffers, b.buffers),
        a.views | b.views,
        a.read_only | b.read_only,
        _united(a.sharing, b.sharing),
        a.shared | b.shared,
    )


def changed(fact: Memory, names: Iterable[str], held: Held) -> Memory:
    """``fact`` where these names hold this; ``fact`` itself where they did."""
    own = frozenset(names)
    if not own:
        return fact
    buffers = fact.buffers
    for name in own:
        if buffers.get(name) != held.buffers:
            buffers = buffers.updated(dict.fromkeys(own, held.buffers))
            break
    return _same_or_new(
        fact,
        buffers,
        fact.views | own if held.view else fact.views - own,
        fact.read_only | own if held.read_only else fact.read_only - own,
        *_sharing_where(fact, own, held.partners - own),
    )


def with_kept(fact: Memory, stack: str, held: Held) -> Memory:
    """``fact`` where a stack holds this, too."""
    buffers = fact.buffers.updated({stack: fact.of(stack) | held.buffers})
    views = fact.views | {stack} if held.view else fact.views
    read_only = fact.read_only | {stack} if held.read_only else fact.read_only
    sharing, others = fact.sharing, held.partners - {stack}
    if others:
        sharing = sharing.updated({stack: sharing.get(stack, frozenset()) | others})
    return Memory(buffers, views, read_only, sharing, fact.shared | others)


def _same_or_new(fact: Memory, *parts: Any) -> Memory:
    """``fact`` itself where these are its parts, so that what doesn't change is shared
    between places."""
    own = (fact.buffers, fact.views, fact.read_only, fact.sharing, fact.shared)
    return fact if all(map(operator.is_, own, parts)) else Memory(*parts)


def _sharing_where(
    fact: Memory, own: frozenset[str], others: frozenset[str]
) -> tuple[SharedTable[frozenset[str]], NameSet]:
    """Who shares memory where some names share theirs with others now, and no longer
    with those that they shared it with."""
    known, nobody = fact.sharing, frozenset[str]()
    lost: dict[str, frozenset[str]] = {}
    if not fact.shared.isdisjoint(own):
        lost = {
            n: held - own for n, held in known.entries() if not held.isdisjoint(own)
        }
    if len(own) == 1:
        together = dict.fromkeys(own, others)
    else:
        together = {n: (others | own) - {n} for n in own}
    if not lost and all(known.get(n, nobody) == held for n, held in together.items()):
        return known, fact.shared
    shared = fact.shared | others
    if len(own) > 1:
        shared = shared | own
    return known.updated({**lost, **together}), shared


def _united(
    table: SharedTable[frozenset[Any]], other: SharedTable[frozenset[Any]]
) -> SharedTable[frozenset[Any]]:
    """What both tables hold; ``table`` itself where the other one adds nothing."""
    if table is other:
        return table
    more: dict[str, frozenset[Any]] = {}
    for name, found in table.different(other):
        known = table.get(name)
        if known is None:
            more[name] = found
        elif known is not found and not found <= known:
            more[name] = known | found
    return table.updated(more)
