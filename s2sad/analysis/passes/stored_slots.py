"""Slots of objects into which a program stores: what is known of them is not read
again, and what goes back into them is not taken out.

::

    x = stored_attribute(p, 'x')                x = stored_attribute(p, 'x')
    store_attribute(p, 'x', y)          ->      store_attribute(p, 'x', y)
    z = stored_attribute(p, 'x')                z = y

    put_adjoint(p.bar, 'x', 0.0)        ->
    add_to_attribute(p.bar, 'x', v)             put_adjoint(p.bar, 'x', v)

    v = stored_attribute(p.bar, 'x')            v = stored_attribute(p.bar, 'x')
    put_adjoint(p.bar, 'x', 0.0)        ->
    add_to_attribute(p.bar, 'x', v)

Both look at lines that follow each other in one block, and take any two references to
lead to one object.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sad import ir, ops

Slot = tuple[ir.Operand, ir.Operand]
"""A reference, and the name of an attribute."""


def with_slots_settled(function: ir.Function) -> ir.Function:
    """Both."""
    return without_slots_emptied(with_slots_read_once(function))


def with_slots_read_once(function: ir.Function) -> ir.Function:
    """The function with what was just read from, or stored into, a slot in place of
    what would be read again."""
    if not _stores(function):
        return function
    return ir.altered(function, body=_read_once(function.body))


def _stores(function: ir.Function) -> bool:
    return any(
        isinstance(s, ir.Effect) and s.value.function in ops.STORES_INTO_SLOTS
        for s in ir.walk(function.body)
    )


def _read_once(block: ir.Block) -> ir.Block:
    known: dict[Slot, ir.Operand] = {}
    lines: list[ir.Statement] = []
    for s in block:
        if isinstance(s, ir.COMPOUND):
            known = {}
            lines.append(ir.with_blocks(s, _read_once))
            continue
        slot: Any = None
        if ir.is_line(s, *ops.READS_OF_STORED):
            slot = s.value.args
            if slot in known:
                s = replace(s, value=known[slot])
        written = ir.names_written(s)
        changed = changed_by(s)
        known = {
            (holder, key): held
            for (holder, key), held in known.items()
            if changed is not None and key not in changed
            if not written.intersection((str(holder), str(held)))
        }
        if isinstance(s, ir.Assign) and slot and str(slot[0]) not in written:
            known[slot] = s.target
        if isinstance(s, ir.Effect) and s.value.function in ops.STORES_INTO_SLOTS:
            holder, key, *stored = s.value.args
            if stored:
                known[holder, key] = stored[0]
        lines.append(s)
    return ir.as_block(lines, block)


def changed_by(s: ir.Statement) -> tuple[ir.Operand, ...] | None:
    """The names of the attributes that a line may change; None for any."""
    keys: list[ir.Operand] = []
    for operation in ir.operations(s):
        function = operation.function
        if function in (ops.add_to_attribute, *ops.STORES_INTO_SLOTS):
            keys.append(operation.args[1])
        elif function in ops.ADDS_TO_ADJOINTS or isinstance(function, ir.Procedure):
            return None
    return tuple(keys)


# ------------------------------------------------------------------ adjoints


def without_slots_emptied(function: ir.Function) -> ir.Function:
    """The function with what is added to a slot that was just made zero stored there,
    and without making zero what gets its old value back."""
    if not _stores(function):
        return function
    return ir.altered(function, body=_filled_at_once(function.body))


def _filled_at_once(block: ir.Block) -> ir.Block:
    lines = [ir.with_blocks(s, _filled_at_once) for s in block]
    for place, s in enumerate(lines):
        if not (isinstance(s, ir.Effect) and _makes_zero(s.value)):
            continue
        holder, key, _ = s.value.args
        found = _next_at(lines, place, holder, key)
        if found is None:
            continue
        added = lines[found]
        assert isinstance(added, ir.Effect)
        amount = added.value.args[2]
        store = replace(s.value, args=(holder, key, amount))
        given_back = _is_held(lines, place, amount, holder, key)
        lines[place] = _NOTHING
        lines[found] = _NOTHING if given_back else replace(added, value=store)
    return ir.as_block([s for s in lines if s is not _NOTHING], block)


_NOTHING = ir.Effect(None, ir.Apply(ops.evaluated, (ir.Const(None),)))


def _makes_zero(operation: ir.Apply) -> bool:
    return operation.function is ops.put_adjoint and operation.args[2] == ir.Const(0.0)


def _next_at(
    lines: list[ir.Statement], place: int, holder: ir.Operand, key: ir.Operand
) -> int | None:
    """The place of the line that adds to a slot, behind one that made it zero, before
    anything else may be done to it."""
    for later in range(place + 1, len(lines)):
        s = lines[later]
        if isinstance(s, (*ir.COMPOUND, ir.Save, ir.Restore)):
            if isinstance(s, ir.COMPOUND) or str(holder) in ir.names_written(s):
                return None
            continue
        if isinstance(s, ir.Effect) and s.value.function is ops.add_to_attribute:
            if s.value.args[:2] == (holder, key):
                return later
        if _touches(s, key) or str(holder) in ir.names_written(s):
            return None
    return None


def _touches(s: ir.Statement, key: ir.Operand) -> bool:
    """True for a line that may read or change an attribute of this name."""
    changed = changed_by(s)
    reads = (ops.read_attribute, *ops.READS_OF_STORED)
    return (
        changed is None
        or key in changed
        or isinstance(s, ir.Return)
        or any(
            key in operation.args[1:2]
            for operation in ir.operations(s)
            if operation.function in reads
        )
        or any(
            str(getattr(operation.function, "__module__", "")).startswith(
                ops.CALLED_BY_NAME
            )
            for operation in ir.operations(s)
        )
    )


def _is_held(
    lines: list[ir.Statement],
    place: int,
    amount: ir.Operand,
    holder: ir.Operand,
    key: ir.Operand,
) -> bool:
    """True for the variable that was read from a slot, as it was in front of a line."""
    for earlier in range(place - 1, -1, -1):
        s = lines[earlier]
        if ir.is_line(s, *ops.READS_OF_STORED) and s.target == amount:
            return s.value.args == (holder, key)
        written = ir.names_written_within(s)
        if isinstance(s, ir.COMPOUND) or _touches(s, key):
            return False
        if written.intersection((str(amount), str(holder))):
            return False
    return False
