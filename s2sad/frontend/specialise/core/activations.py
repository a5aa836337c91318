"""Activations of user functions: what their names hold, and where one may raise."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise.core.values import Missing, Value, serials
from s2sad.source.text.source_function import SourceFunction

LOST = "<lost>"
"""The name under which a list, dict or object says why it can't be used any more."""


@dataclass(eq=False)
class Frame:
    """One activation of a user function."""

    source: SourceFunction
    names: dict[str, Value] = field(default_factory=dict)
    prefix: str = ""
    """Put before the names of an inlined function's variables where they would
    collide."""
    local_names: frozenset[str] = frozenset()
    result: Value | None = None
    parent: Frame | None = None
    """The activation that a nested function or comprehension was written in; its names
    are seen as they are when they are read."""
    written_by_others: frozenset[str] = frozenset()
    """Own names that nested functions and comprehensions may bind."""
    key: Hashable = None
    """What its variables belong to, if not to all activations of the source: closures
    made in it may read them when it has ended."""
    rebound: frozenset[str] = frozenset()
    """Names bound at more than one place."""
    global_names: frozenset[str] = frozenset()
    """Names declared global."""
    caller: Frame | None = None
    generator: Any = None
    """Of a generator that runs: its consumer."""
    runs_over: tuple[Hashable, ...] = ()
    """Of the generators that it runs over now: their code and the place of the call."""
    called_with: tuple[Hashable, ...] = ()
    """Which functions it got as arguments."""
    form: Hashable = None
    """The structure and kinds of its arguments."""
    node: ast.AST | None = None
    """What of its text is run or evaluated now."""
    serial: int = field(default_factory=serials.__next__)
    """Later activations have a higher one."""

    def owner(self, name: str) -> Frame | None:
        """The activation whose local variable a name is; None for a global one."""
        if name in self.global_names:
            return None
        frame: Frame | None = self
        while frame is not None and name not in frame.local_names:
            if name in frame.names:
                break
            frame = frame.parent
        return frame


CLASS = "its class"
"""Stands for a slot: ``type(value)``."""
_SLOT = ".slot:"


def slot_name(holder: ir.Var, key: Hashable) -> str:
    """The name under which an activation holds what it last read from a slot of a
    run-time value; ``key`` is an attribute, a position or the variable of an index."""
    text = key.name if isinstance(key, ir.Var) else repr(key)
    return f"{_SLOT}{holder.name}:{CLASS if key == CLASS else text}"


def is_slot_name(name: str) -> bool:
    """True for such a name."""
    return name.startswith(_SLOT)


def slot_of_name(name: str) -> tuple[ir.Var, str]:
    """The variable of the value, and the text of the key."""
    holder, _, key = name.removeprefix(_SLOT).partition(":")
    return ir.Var(holder), key


def without_slots(names: dict[str, Value]) -> dict[str, Value]:
    """Names without what is known of slots."""
    return {n: value for n, value in names.items() if not is_slot_name(n)}


def forget_slots(frame: Frame, changed: ir.Var) -> None:
    """Where a variable is bound anew, what was read from its slots, by it or into it
    is of another value."""
    for name in [*filter(is_slot_name, frame.names)]:
        read: Any = frame.names[name]
        if read.operand == changed or changed.name in name[len(_SLOT) :].split(":"):
            del frame.names[name]


def rename_in_slots(frame: Frame, old: ir.Operand, new: ir.Var) -> None:
    """What was read from a slot is in another variable."""
    for name in filter(is_slot_name, frame.names):
        read: Any = frame.names[name]
        if read.operand == old:
            frame.names[name] = replace(read, operand=new)


def share_slots(frame: Frame, holder: ir.Operand, copy: ir.Var) -> None:
    """What was read from a slot of a value was read from its copy, too."""
    for name in [*filter(is_slot_name, frame.names)]:
        known, key = slot_of_name(name)
        if known == holder:
            frame.names[f"{_SLOT}{copy.name}:{key}"] = frame.names[name]


@dataclass(eq=False)
class CellFrame(Frame):
    """What a list, dict or object holds that the program may change."""

    given: str = ""
    """The name that it was bound to first."""
    title: str = ""
    """Of a list or dict: the name under which its content stands."""
    outside: str = ""
    """How the user's module calls it, if it isn't the function's own."""
    changes: int = 0
    """Grows with each change, on any path."""
    frozen: bool = False
    """True where a list of unknown length holds the same list or dict by value: it
    can't be changed."""
    makers: frozenset[Hashable] = frozenset()
    """The expressions that may have made a list or dict, or the values of one that is a
    defaultdict."""
    version: int = 0
    """Grows with each change of its length, on any path."""
    shifts: int = 0
    """Grows with each change that moves items to other places."""
    replaced: int = 0
    """How often an item was replaced by another."""
    place: Any = None
    """Of an item of a list whose length isn't known: where it stands."""
    resized_items: int = 0
    """Grows with each change of the length of an item that is a list."""

    def lengths(self) -> tuple[int, int]:
        """Differs where the list, or one that may be the same item of a list, grew or
        shrank."""
        around = 0 if self.place is None else self.place.within.frame.resized_items
        return self.version, around

    def counts(self) -> tuple[int, ...]:
        """All that grows with changes."""
        return tuple(getattr(self, name) for name in _COUNTS)

    def grow(self, by: tuple[int, ...]) -> None:
        """Changes were made elsewhere: in a function that is called."""
        for name, more in zip(_COUNTS, by, strict=True):
            setattr(self, name, getattr(self, name) + more)


_COUNTS = ("changes", "version", "shifts", "replaced", "resized_items")


@dataclass(frozen=True)
class Awaited:
    """What is caught of what the statements under way raise."""

    types: Value | None
    """The classes; None for all."""
    goes_on: bool = True
    """False for a handler that ends by raising."""
    of_manager: bool = False
    """True for a manager that may hide what is raised, which isn't known."""


@dataclass(eq=False)
class RaisePoints:
    """What names hold at the places of a try where something may raise."""

    frames: list[Frame]
    catches_unbound: bool = False
    """A handler is run where a name is read that has no value."""
    start: list[dict[str, Value]] = field(init=False)
    """What they held before."""
    states: list[list[dict[str, Value]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start = [dict(frame.names) for frame in self.frames]

    def note(self) -> None:
        """Something may raise now."""
        state = [dict(frame.names) for frame in self.frames]
        if not self.states or self.states[-1] != state:
            self.states.append(state)


def lose(frame: Frame, reason: str, advice: str, keeps: Any = None) -> None:
    """Let a cell not be used any more."""
    frame.names = {LOST: Missing(reason, advice, keeps=keeps)}
