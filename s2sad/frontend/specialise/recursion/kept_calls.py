"""Which calls stay calls, and which are replaced by what they run.

A call of a user's function is written out where that costs little text. A program that
would be much longer than what its functions are one by one keeps its calls: each
function becomes a procedure (``recursion/``), with a derivative of its own, but for
those so short that a call of them is hardly shorter, and for those that change what is
their caller's, as long as the program can be compiled so. So text and time grow with
what the user wrote, however often functions call each other.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.recursion.text_sizes import TextSizes
from s2sad.source.text.source_function import SourceFunction

LEAST_TEXT = 400
"""So many operations may a program have when its calls are written out, in any case."""
MOST_COPIES = 3
"""A longer one, so many times what its functions have one by one."""
DOUBTS = 8
"""How many times what may be written out a text has to be, to be believed that it is
too long."""
SHORT = 12
"""A function of so many operations, without a loop or try, is written out always."""
MAKES_OBJECTS = ("__init__", "__new__", "__post_init__")
"""Methods that are a part of what makes an object."""


def surely_kept(source: SourceFunction) -> frozenset[Hashable] | None:
    """The functions that are called at one place alone, where the text tells that calls
    have to be kept; None where a run has to tell."""
    sizes = TextSizes()
    total = sizes.look(source)
    budget = max(LEAST_TEXT, MOST_COPIES * sizes.once)
    return sizes.called_once if sizes.is_known and total > DOUBTS * budget else None


def stays_call(spec: Specialiser, source: SourceFunction) -> bool:
    """True for a function whose calls are kept, as far as its own text tells."""
    if source.is_made or source.name in MAKES_OBJECTS:
        return False
    if source.identity in spec.procedures.written_out:
        return False
    if spec.options.calls == "kept":
        return True
    once = source.identity in spec.facts.called_once
    return spec.facts.keeps_calls and not once


def is_better_written_out(spec: Specialiser, procedure: ir.Procedure) -> bool:
    """True for a procedure of which a call is hardly shorter, and for one that changes
    its caller's lists or arrays: a call would copy them. One that calls itself decides
    when it is complete."""
    if spec.options.calls == "kept" or not ir.is_complete(procedure):
        return False
    details, body = procedure.details, procedure.function.body
    if (details.changed or details.written) and not spec.facts.keeps_changing_calls:
        return True
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
    if spec.options.calls != "budget" or spec.facts.keeps_calls:
        return
    if source.identity in procedures.measured:
        return
    procedures.measured.add(source.identity)
    counts = Counter(s.span for s in ir.walk(tuple(made)))
    for span, count in counts.items():
        procedures.once.setdefault(span, count)
    own = sum(procedures.once[span] for span in counts)
    if counts.total() > max(LEAST_TEXT, MOST_COPIES * own):
        spec.learn(replace(spec.facts, keeps_calls=True))


def note_site(spec: Specialiser, source: SourceFunction) -> None:
    """A function is called at a place."""
    node = spec.place
    place = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    sites = spec.procedures.sites.setdefault(source.identity, set())
    sites.add((spec.frame.source.identity, *place))


def note_end(spec: Specialiser) -> None:
    """All calls of the program have been seen: where they are kept, those of functions
    that are called at one place are written out still."""
    if not spec.facts.keeps_calls or spec.known.keeps_calls or spec.problems:
        return
    sites = spec.procedures.sites.items()
    once = frozenset(function for function, places in sites if len(places) == 1)
    spec.learn(replace(spec.facts, called_once=once))
