"""Sets that the run holds: what they are asked.

What a set holds has no derivative. Where the program changes sets, what one is asked is
asked at its time: it is neither moved nor done again.
"""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import owning

_NUMBERS = (ir.INT, ir.BOOL)


def is_of_the_run(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for a set that the run holds, and for one of the module."""
    if not isinstance(value, core.Leaf):
        return False
    known = value.kind.value if isinstance(value.kind, ir.Known) else None
    return isinstance(value.kind, ir.Members) or isinstance(known, set | frozenset)


def kind_of_members(spec: Specialiser, kinds: Iterable[ir.Kind]) -> ir.Kind | None:
    """The kind of what a set holds that is made of values of these kinds; None for
    anything but whole numbers and truth values, and where the program changes sets."""
    found = {ir.without_value(kind) for kind in kinds}
    if len(found) != 1 or spec.facts.sets_change:
        return None
    (kind,) = found
    return kind if kind in _NUMBERS else None


def class_of(value: core.Leaf) -> type:
    """``set`` or ``frozenset``."""
    known = value.kind.value if isinstance(value.kind, ir.Known) else None
    return getattr(value.kind, "constructor", type(known))


def member_of(spec: Specialiser, value: core.Leaf) -> ir.Kind | None:
    """The kind of what a set holds; None for anything but whole numbers and truth
    values."""
    kind = value.kind
    return kind_of_members(spec, [getattr(kind, "member", None) or ir.OPAQUE])


def member_of_combined(
    spec: Specialiser, function: Any, kinds: Sequence[ir.Kind]
) -> ir.Kind | None:
    """The kind of what an operator on sets leaves: a difference holds members of the
    first set, anything else those of any."""
    taken = kinds[:1] if function is operator.sub else kinds
    held = [
        getattr(k, "member", None) or getattr(k, "item", None) or ir.OPAQUE
        for k in taken
    ]
    return kind_of_members(spec, held)


def asked(
    spec: Specialiser,
    function: Any,
    operands: tuple[Any, ...],
    kind: ir.Kind,
    hint: str,
    spelling: str = "",
    words: tuple[tuple[str, Any], ...] = (),
) -> core.Leaf:
    """What an operation on sets gives."""
    if spec.facts.sets_change:
        function, operands = ops.at_its_time, (ir.Const(function), *operands)
    operation = ir.Apply(function, operands, words, spelling)
    return spec.assign(spec.fresh(hint), operation, kind)


def listed(
    spec: Specialiser, value: core.Value, function: Any = list, words: Any = ()
) -> core.Value:
    """The members of a set in a list, in the order of the set; ``sorted``: in their
    own. Other values as they are."""
    if not is_of_the_run(value):
        return value
    kind = ir.List(member_of(spec, value) or ir.OPAQUE)
    return asked(spec, function, (value.operand,), kind, "items", words=words)


def number_of(spec: Specialiser, value: core.Leaf) -> core.Leaf:
    """``len(value)``."""
    return asked(spec, len, (value.operand,), ir.INT, "count")


def has_member(spec: Specialiser, value: core.Leaf, item: core.Value) -> core.Leaf:
    """``item in value``."""
    operands = (dicts.key_operand(spec, item), value.operand)
    return asked(spec, ops.contains, operands, ir.BOOL, "condition")


def hold(spec: Specialiser, makers: Iterable[Any]) -> None:
    """Let a set whose members were known be held by the run. Raises Learned, or does
    nothing where nobody knows what made it."""
    owning.let_be_kept(spec, frozenset(makers), None, set)


def as_member(spec: Specialiser, value: core.Value) -> core.Value:
    """A value that a set held, which is a number where it meets one."""
    if isinstance(value, core.Leaf) and value.kind == ir.OPAQUE:
        spec.opaque_items.add(value.operand)
        spec.constant.add(value.operand)
    return value


def change(spec: Specialiser, value: core.Leaf, name: str, *operands: Any) -> None:
    """``value.name(*operands)`` of a method that changes a set."""
    _note_change(spec, value)
    changed = (value.operand, ir.Const(name), *operands)
    spec.emit(ir.Effect(spec.span, ir.Apply(ops.change_members, changed)))


def taken(spec: Specialiser, value: core.Leaf) -> core.Value:
    """``value.pop()``."""
    _note_change(spec, value)
    operation = ir.Apply(ops.member_taken, (value.operand,))
    return as_member(spec, spec.assign(spec.fresh("member"), operation, ir.OPAQUE))


def _note_change(spec: Specialiser, value: core.Leaf) -> None:
    """Let it be known that the program changes sets."""
    known = isinstance(value.operand, ir.Global) or isinstance(value.kind, ir.Known)
    if known or getattr(value.kind, "of_module", False):
        raise core.Unsupported(
            "a set of the module is changed, which others read, too",
            "pass it in as an argument",
        )
    spec.resizes.update([value.operand])
    if not spec.facts.sets_change:
        spec.learn(replace(spec.facts, sets_change=True))
