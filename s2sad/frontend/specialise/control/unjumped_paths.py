"""Names where no path that jumped is left.

What follows a statement that may jump stands under a test of the jump's flag
(``normalise/jumps.py``). Behind the statement, a name may be of one kind where the flag
is true and of another where it is false; only the latter is read under the test::

    match pair:
        case [a, b] if a > b:              # b is a float
            result, returned = b, True
        case [a, *b]:                      # b is a list
            pass
    if returned: ...
    else:
        total = sum(b)                     # the list
"""

import functools
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise.control.joining import join_values
from s2sad.frontend.specialise.core.activations import LOST, CellFrame, Frame
from s2sad.frontend.specialise.core.values import Leaf, Missing, Value
from s2sad.source.normalise.jumps import is_jump_flag

Names = list[dict[str, Value]]
"""What the names of each activation at stake hold."""


def note_unjumped(
    frames: Sequence[Frame], met: Names, ends: list[Names], owner: Hashable
) -> None:
    """Behind paths: names that can't be read remember what they are where no path
    jumped."""
    for flag, live in _flags(ends):
        if not live:
            continue
        for k, frame in enumerate(frames):
            for name, value in met[k].items():
                if not isinstance(value, Missing) or name == LOST:
                    continue
                held = [end[k].get(name) for end in live]
                found = _joined(name, held, flag, owner, isinstance(frame, CellFrame))
                if found is not None:
                    unjumped = (*value.unjumped, (flag, found))
                    met[k][name] = replace(value, unjumped=unjumped)


def _flags(ends: list[Names]) -> list[tuple[ir.Operand, list[Names]]]:
    """The flags that are true behind some of the paths, or behind some that led to
    them, each with the paths behind which they may be false."""
    jumped: dict[ir.Operand, list[int]] = {}
    for place, end in enumerate(ends):
        for names in end:
            for name, value in names.items():
                if isinstance(value, Missing):
                    for flag, _ in value.unjumped:
                        jumped.setdefault(flag, [])
                elif is_jump_flag(name) and _is_true(value):
                    assert isinstance(value, Leaf)
                    jumped.setdefault(value.operand, []).append(place)
    return [
        (flag, [end for place, end in enumerate(ends) if place not in places])
        for flag, places in jumped.items()
    ]


def _is_true(value: Value) -> bool:
    return isinstance(value, Leaf) and value.kind == ir.Scalar("bool", True)


def _joined(
    name: str, held: list[Value | None], flag: ir.Operand, owner: Hashable, on_all: bool
) -> Value | None:
    """What a name is on all of some paths; None where that can't be told."""
    values = []
    for value in held:
        if isinstance(value, Missing):
            value = dict(value.unjumped).get(flag)
            if value is None:
                return None
        if value is not None:
            values.append(value)
        elif on_all:
            return None
    if not values:
        return None
    found = functools.reduce(lambda a, b: join_values(name, a, b, owner), values)
    return None if isinstance(found, Missing) else found


def tell_unjumped(frames: Iterable[Frame], flag: ir.Operand) -> None:
    """Where a flag is false, names are what they are where no path jumped."""
    for frame in frames:
        for name, value in frame.names.items():
            if isinstance(value, Missing) and value.unjumped:
                frame.names[name] = dict(value.unjumped).get(flag, value)


def forget_unjumped(frames: Iterable[Frame]) -> None:
    """Flags, or names, are about to be bound anew."""
    for frame in frames:
        for name, value in frame.names.items():
            if isinstance(value, Missing) and value.unjumped:
                frame.names[name] = replace(value, unjumped=())
