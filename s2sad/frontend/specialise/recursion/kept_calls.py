"""Which calls stay calls, and which are replaced by what they run.

A call of a user's function is written out where that costs little text. A program that
would be much longer than what its functions are one by one keeps its calls: each
function becomes a procedure (``recursion/``), with a derivative of its own, but for
those so short that a call of them is hardly shorter. So text and time grow with what
the user wrote, however often functions call each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.source.text.source_function import SourceFunction

LEAST_TEXT = 400
"""So many operations may a program have when its calls are written out, in any case."""
MOST_COPIES = 3
"""A longer one, so many times what its functions have one by one."""
SHORT = 12
"""A function of so many operations, without a loop or try, is written out always."""
MAKES_OBJECTS = ("__init__", "__new__", "__post_init__")
"""Methods that are a part of what makes an object."""


def stays_call(spec: Specialiser, source: SourceFunction) -> bool:
    """True for a function whose calls are kept, as far as its own text tells."""
    if source.is_made or source.name in MAKES_OBJECTS:
        return False
    if spec.facts.needs_calls_written:
        return False
    if source.identity in spec.procedures.written_out:
        return False
    return spec.options.calls == "kept" or spec.facts.keeps_calls


def is_short(spec: Specialiser, procedure: ir.Procedure) -> bool:
    """True for a procedure that is written out where it is called, since a call is
    hardly shorter."""
    if spec.options.calls == "kept":
        return False
    body = procedure.function.body
    return sum(1 for _ in ir.walk(body)) <= SHORT + 1 and all(
        isinstance(s, ir.Assign | ir.Return | ir.Effect)
        and not any(isinstance(o.function, ir.Procedure) for o in ir.operations(s))
        for s in body
    )


def note_size(
    spec: Specialiser, source: SourceFunction, made: Iterable[ir.Statement]
) -> None:
    """A function was written out, for the first time perhaps: calls are kept from now
    on if it has become too long. Only what it calls itself counts, so that it doesn't
    matter who calls it, and how often."""
    procedures = spec.procedures
    if spec.options.calls != "budget" or source.identity in procedures.measured:
        return
    procedures.measured.add(source.identity)
    counts = Counter(s.span for s in ir.walk(tuple(made)))
    for span, count in counts.items():
        procedures.once.setdefault(span, count)
    own = sum(procedures.once[span] for span in counts)
    if counts.total() > max(LEAST_TEXT, MOST_COPIES * own):
        spec.learn(replace(spec.facts, keeps_calls=True))
