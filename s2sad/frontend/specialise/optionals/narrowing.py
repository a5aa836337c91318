"""What a test says of values that may be None, or one of several forms.

    prev = None                              (prev: float or None)
    for h in values:
        if prev is not None:        ->           prev is a float in this branch
            total += (h - prev) ** 2
        prev = h

A fact holds for the statement that makes the test: later, the variable may be bound
anew. What stands in a slot of a run-time value is another variable each time it is
read; what a test says of it is remembered for the slot (``note_slot``), as long as the
value isn't bound anew::

    if n.left is not None:          ->       n.left isn't None in this branch
        stack.append(n.left)
"""

import ast
import operator
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control import sorts
from s2sad.frontend.specialise.core.context import Context
from s2sad.source.annotations.annotation_nodes import class_meant


@dataclass(frozen=True)
class Among:
    """A reference leads to a value of one of these forms."""

    operand: ir.Operand
    forms: tuple[ir.Form, ...]


Fact = ir.Operand | Among
"""A variable isn't None, or of some forms alone."""
Presence = tuple[frozenset[Fact], frozenset[Fact]]
"""What holds if a test is true, and if it is false."""
NOTHING: Presence = (frozenset(), frozenset())


def presence_of(spec: Context, test: core.Value) -> Presence:
    """What the truth of a value says."""
    if isinstance(test, core.Choice):
        return frozenset({test.which.operand}), frozenset()
    if not isinstance(test, core.Leaf):
        return NOTHING
    known: Presence = spec.presence.get(test.operand, NOTHING)
    if _may_be_none(test):
        return known[0] | {test.operand}, known[1]
    return known


def note(spec: Context, test: core.Value, presence: Presence) -> core.Value:
    """Remember what a test says; returns the test."""
    if (
        isinstance(test, core.Leaf)
        and isinstance(test.operand, ir.Var)
        and any(presence)
    ):
        spec.presence[test.operand] = presence
    return test


def note_comparison(
    spec: Context, op: ast.cmpop, left: core.Value, right: core.Value, test: core.Value
) -> core.Value:
    """``x is None`` and ``x is not None`` say whether x is a value; ``e[0] == "add"``
    says which form e has, where its forms hold different texts there."""
    for value, other in ((left, right), (right, left)):
        if not isinstance(value, core.Leaf) or not isinstance(other, core.Leaf):
            continue
        facts: Presence | None = None
        if other.kind == ir.NONE and _may_be_none(value):
            facts = frozenset({value.operand}), frozenset()
        elif isinstance(other.kind, ir.Known):
            facts = _forms_told(spec, value, other.kind)
            equal = isinstance(op, ast.Is | ast.Eq)
            tells = equal or isinstance(op, ast.IsNot | ast.NotEq)
            if facts is not None and tells and _is_known(spec, facts):
                return core.constant(bool(facts[0]) is equal)
        if facts is not None and isinstance(op, ast.IsNot | ast.NotEq):
            return note(spec, test, facts if other.kind == ir.NONE else facts[::-1])
        if facts is not None and isinstance(op, ast.Is | ast.Eq):
            return note(spec, test, facts[::-1] if other.kind == ir.NONE else facts)
    return test


def note_forms(
    spec: Context,
    test: core.Value,
    value: core.Leaf,
    forms: tuple[ir.Form, ...],
    *,
    none: bool = False,
) -> core.Value:
    """The test says whether a reference leads to a value of one of these forms, or is
    ``none``."""
    assert isinstance(value.kind, ir.Reference)
    others = tuple(form for form in value.kind.forms if form not in forms)
    true: set[Fact] = {Among(value.operand, forms)} if forms else set()
    false: set[Fact] = {Among(value.operand, others)} if others else set()
    (false if none else true).add(value.operand)
    return note(spec, test, (frozenset(true), frozenset(false)))


def choice_is_none(spec: Context, choice: core.Choice, op: ast.cmpop) -> core.Value:
    """``function is None``, or ``is not``, of one of several functions."""
    which = choice.which.operand
    negated = isinstance(op, ast.IsNot)
    operation = ir.Apply(
        operator.is_not if negated else operator.is_, (which, ir.Const(None))
    )
    test = spec.assign(spec.fresh("condition"), operation, ir.BOOL)
    present: frozenset[Fact] = frozenset({which})
    return note(
        spec, test, (present, frozenset()) if negated else (frozenset(), present)
    )


def narrow(frames: list[core.Frame], present: frozenset[Fact]) -> None:
    """In these activations the facts hold."""
    if not present:
        return
    for frame in frames:
        for name, value in frame.names.items():
            frame.names[name] = narrowed(value, present)


def tell_flag(frames: list[core.Frame], test: core.Leaf, truth: bool) -> None:
    """In a branch on the flag of a jump (whether a function has returned), it is known;
    behind one whose other branch raises it still is."""
    if test.kind != ir.BOOL or not isinstance(test.operand, ir.Var):
        return
    for frame in frames:
        for name, value in frame.names.items():
            if isinstance(value, core.Leaf) and value.operand == test.operand:
                if name.startswith("."):
                    frame.names[name] = core.Leaf(
                        test.operand, ir.Scalar("bool", truth)
                    )


def narrowed(value: core.Value, present: frozenset[Fact]) -> core.Value:
    """The value with what the facts say known by its kind."""

    def sharper(leaf: core.Leaf) -> core.Leaf:
        kind = leaf.kind
        if leaf.operand in present and _may_be_none(leaf):
            kind = kind.present if isinstance(kind, ir.Unknown) else kind.present()  # type: ignore
        if isinstance(kind, ir.Reference) and len(kind.forms) > 1:
            for fact in present:
                if isinstance(fact, Among) and fact.operand == leaf.operand:
                    kind = kind.among(fact.forms)
        return leaf if kind is leaf.kind else core.Leaf(leaf.operand, kind, leaf.path)

    if isinstance(value, core.Aggregate):
        parts = tuple(narrowed(part, present) for part in value.items)
        return value if parts == value.items else replace(value, items=parts)
    if isinstance(value, core.Choice) and value.which.operand in present:
        options = tuple((tag, one) for tag, one in value.options if tag is not None)
        return replace(value, options=options) if options else value
    return core.map_leaves(value, sharper)


def _may_be_none(value: core.Value) -> bool:
    if not isinstance(value, core.Leaf) or not isinstance(value.operand, ir.Var):
        return False
    if isinstance(value.kind, ir.Reference):
        return value.kind.may_be_none
    return isinstance(value.kind, ir.Unknown) and value.kind.present is not None


# ------------------------------------------------------------------ slots


def note_slot(
    spec: Context, holder: ir.Operand, key: Hashable, value: core.Leaf
) -> core.Leaf:
    """A slot was read, and may be read again: the value with what is known of it."""
    if not isinstance(holder, ir.Var) or not _may_be_told(value.kind):
        return value
    slot = core.slot_name(holder, key)
    known = spec.frame.names.get(slot)
    if isinstance(known, core.Leaf) and known.kind != value.kind:
        value = replace(value, kind=_sharper_of(known.kind, value.kind))
    spec.frame.names[slot] = value
    spec.told_slots = True
    return value


def _may_be_told(kind: ir.Kind) -> bool:
    """True where a test may say more of a value."""
    if isinstance(kind, ir.Reference):
        return kind.may_be_none or len(kind.forms) > 1
    return isinstance(kind, ir.Unknown)


def _sharper_of(known: ir.Kind, read: ir.Kind) -> ir.Kind:
    if isinstance(known, ir.Reference) and isinstance(read, ir.Reference):
        kind = read.among(known.forms)
        return kind if known.may_be_none else kind.present()
    return known if isinstance(read, ir.Unknown) and known == read.present else read


def _is_known(spec: Context, facts: Presence) -> bool:
    """True where all forms that the program makes have the text, or none has. The next
    data that is given may have others."""
    given = {id(f) for kind in spec.kinds_given for f in ir.forms_in(kind)}
    told = [fact for side in facts for fact in side if isinstance(fact, Among)]
    made = all(id(form) not in given for fact in told for form in fact.forms)
    return made and not all(facts)


def _forms_told(spec: Context, value: core.Leaf, text: ir.Known) -> Presence | None:
    """Which forms a value has if what was read from one of its slots is this text, and
    if it isn't."""
    told = [
        _told_by(held, key, text)
        for held, key in _holders_of(spec, value.operand)
        if len(held.kind.forms) > 1  # type: ignore[attr-defined]
    ]
    if not told:
        return None
    true, false = zip(*told, strict=True)
    return frozenset().union(*true), frozenset().union(*false)


def holder_of_class(spec: Context, value: core.Leaf) -> core.Leaf | None:
    """The run-time value of which this is the class, where it has a name."""
    held = (held for held, key in _holders_of(spec, value.operand) if key == core.CLASS)
    return next(held, None)


def _holders_of(spec: Context, operand: ir.Operand) -> Iterator[tuple[core.Leaf, str]]:
    """The run-time values from which something was read, each with the slot."""
    for holder, key in _slots_read_into(spec, operand):
        for held in spec.frame.names.values():
            if isinstance(held, core.Part):
                held = held.sources[0]
            if not isinstance(held, core.Leaf) or held.operand != holder:
                continue
            if isinstance(held.kind, ir.Reference):
                yield held, key


def _slots_read_into(
    spec: Context, operand: ir.Operand
) -> Iterator[tuple[ir.Var, str]]:
    for name, value in spec.frame.names.items():
        if core.is_slot_name(name) and isinstance(value, core.Leaf):
            if value.operand == operand:
                yield core.slot_of_name(name)


def _told_by(holder: core.Leaf, key: str, text: ir.Known) -> Presence | None:
    assert isinstance(holder.kind, ir.Reference)
    there, elsewhere = [], []
    for form in holder.kind.forms:
        slot: ir.Kind | None = None
        if key == core.CLASS:
            slot = ir.Known(class_meant(form.constructor))
        else:
            slot = next((k for s, k in form.slots.items() if repr(s) == key), None)
        known = [f for f in holder.kind.forms if f.slots.get(0) == text]
        other = key == repr(0) and any(sorts.begins_otherwise(form, f) for f in known)
        if slot == text or not (isinstance(slot, ir.Known) or other):
            there.append(form)
        if slot != text:
            elsewhere.append(form)
    true = {Among(holder.operand, tuple(there))} if there else set()
    false = {Among(holder.operand, tuple(elsewhere))} if elsewhere else set()
    return frozenset(true), frozenset(false)
