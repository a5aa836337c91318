"""Slots of objects, lists and dicts: what is known of them is not read again, and what
goes back into those into which a program stores is not taken out.

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
lead to one object, and any two keys but two texts to be one. Nothing is stored into
slots that ``read_attribute`` and ``read_item`` read.
"""

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.passes import array_parts, purity

Key = tuple[bool, ir.Operand]
"""Whether it is an item, and its key or the name of the attribute."""
Slot = tuple[ir.Operand, Key]
"""A reference, and what of it."""
_ANY_ITEM: Key = (True, ir.Var("any key"))
_OF_ITEMS = (*(ops.read_item, ops.stored_item, ops.add_to_item), *ops.STORES_INTO_ITEMS)


def _slot(operation: ir.Apply) -> Slot:
    holder, *keys = operation.args[:2]
    if not keys:
        return holder, _ANY_ITEM
    return holder, (operation.function in _OF_ITEMS, keys[0])


def _may_meet(key: Key, others: Iterable[Key]) -> bool:
    """True where one of these may be the same attribute or item."""
    return key in others or (
        key[0] and any(of_items and _may_equal(key[1], k) for of_items, k in others)
    )


def _may_equal(a: ir.Operand, b: ir.Operand) -> bool:
    texts = (isinstance(k, ir.Const) and isinstance(k.value, str) for k in (a, b))
    return a == b or not all(texts)


def with_slots_settled(function: ir.Function) -> ir.Function:
    """Both."""
    return without_slots_emptied(with_slots_read_once(function))


def with_slots_read_once(function: ir.Function) -> ir.Function:
    """The function with what was just read from, or stored into, a slot in place of
    what would be read again."""
    return ir.altered(function, body=_read_once(function.body))


def _stores(function: ir.Function) -> bool:
    return any(
        isinstance(s, ir.Effect) and s.value.function in ops.STORES_INTO_SLOTS
        for s in ir.walk(function.body)
    )


def _read_once(block: ir.Block) -> ir.Block:
    known: dict[Slot, ir.Operand] = {}
    lasting: dict[Slot, ir.Operand] = {}
    """What stands in slots into which nothing is stored."""
    parts: dict[ir.Operand, ir.Var] = {}
    """What was read of arrays since something was last written into one."""
    same: dict[ir.Operand, ir.Operand] = {}
    """Names for what others lead to."""
    lines: list[ir.Statement] = []
    for s in block:
        within = ir.names_written_within(s)
        if isinstance(s, ir.COMPOUND):
            known, lasting, parts = {}, _still(lasting, within), {}
            same = array_parts.unless_written(same, within)
            lines.append(ir.with_blocks(s, _read_once))
            continue
        slot: Any = None
        if ir.is_line(s, ops.read_attribute, ops.read_item):
            own = _slot(s.value)
            if own in lasting:
                s = replace(s, value=lasting[own])
            elif not within.intersection((str(own[0]), str(own[1][1]))):
                lasting = {**_still(lasting, within), own: s.target}
                within = frozenset()
        lasting = _still(lasting, within)
        s, parts, same = array_parts.part_read_once(s, parts, same)
        if ir.is_line(s, ops.stored_attribute, ops.stored_item):
            slot = _slot(s.value)
            if slot in known:
                s = replace(s, value=known[slot])
        written = ir.names_written(s)
        changed = changed_by(s)
        known = {
            (holder, key): held
            for (holder, key), held in _still(known, written).items()
            if changed is not None and not _may_meet(key, changed)
        }
        if isinstance(s, ir.Assign) and slot:
            if not written.intersection((str(slot[0]), str(slot[1][1]))):
                known[slot] = s.target
        if isinstance(s, ir.Effect) and s.value.function in ops.STORES_INTO_SLOTS:
            stored = s.value.args[2:]
            if stored and s.value.function not in ops.STORES_INTO_ARRAYS:
                known[_slot(s.value)] = stored[0]
        lines.append(s)
    return ir.as_block(lines, block)


def _still(
    known: dict[Slot, ir.Operand], written: frozenset[str]
) -> dict[Slot, ir.Operand]:
    """What is known of slots behind lines that assign some variables."""
    return {
        (holder, key): held
        for (holder, key), held in known.items()
        if not written.intersection((str(holder), str(key[1]), str(held)))
    }


_MAY_CHANGE_ANY = (*ops.ADDS_TO_ADJOINTS, ops.method_of_object)


def changed_by(s: ir.Statement) -> tuple[Key, ...] | None:
    """The attributes and items that a line may change; None for any."""
    keys: list[Key] = []
    for operation in ir.operations(s):
        function = operation.function
        if function in ops.STORES_INTO_ARRAYS:
            continue  # which stay in their slots
        if function in (*ops.ADDS_TO_SLOTS, *ops.STORES_INTO_SLOTS):
            keys.append(_slot(operation)[1])
        elif function in _MAY_CHANGE_ANY or isinstance(function, ir.Procedure):
            return None
    return tuple(keys)


def slots_read(s: ir.Statement, apart: Container[str] = ()) -> Iterator[str]:
    """What a line reads of slots into which the program stores, or asks of lists and
    dicts that change: the attribute, ``ITEMS``, or ``ANY`` for whatever a call may.
    Lists in the variables ``apart`` are nobody else's."""
    for operation in ir.operations(s):
        function = operation.function
        if isinstance(function, ir.Procedure):
            yield from _in_call(function, slots_read)
            if ir.is_complete(function) and purity.reads_written(function):
                yield ANY
        elif operation.args and getattr(operation.args[0], "name", None) in apart:
            continue
        elif function is ops.stored_attribute:
            yield operation.args[1].value  # type: ignore[union-attr]
        elif function in ops.READS_OF_STORED or function in ops.ASKS_WHAT_IT_HAS:
            yield ITEMS


def slots_stored(s: ir.Statement, apart: Container[str] = ()) -> Iterator[str]:
    """What a line stores into, told in the same way."""
    for operation in ir.operations(s):
        function = operation.function
        if isinstance(function, ir.Procedure):
            yield from _in_call(function, slots_stored)
            if ir.is_complete(function) and purity.writes_kept(function):
                yield ANY
        elif operation.args and getattr(operation.args[0], "name", None) in apart:
            continue
        elif function in ops.STORES_INTO_ARRAYS:
            yield ANY
        elif function in ops.STORES_INTO_ATTRIBUTES:
            yield operation.args[1].value  # type: ignore[union-attr]
        elif function in ops.STORES_INTO_ITEMS:
            yield ITEMS


def _in_call(
    procedure: ir.Procedure, told: Callable[..., Iterator[str]]
) -> Iterator[str]:
    """What a call does. Of one that isn't complete that isn't known; what a generator
    does that calls itself is told by the call around it."""
    for one in ir.with_called(procedure):
        gathered = getattr(one.details, "gathered", ())
        if not ir.is_complete(one):
            yield from () if gathered else (ANY,)
            continue
        for s in ir.walk(one.function.body):
            if not any(isinstance(o.function, ir.Procedure) for o in ir.operations(s)):
                yield from told(s, gathered)


ITEMS, ANY = "<items>", "<any>"

# ------------------------------------------------------------------ adjoints


def without_slots_emptied(function: ir.Function) -> ir.Function:
    """The function with what is added to a slot that was just made zero stored there,
    and without making zero what gets its old value back."""
    if not _stores(function):
        return function
    body = array_parts.with_parts_filled(_filled_at_once(function.body), function.kinds)
    return ir.altered(function, body=body)


def _filled_at_once(block: ir.Block) -> ir.Block:
    lines = [ir.with_blocks(s, _filled_at_once) for s in block]
    for place, s in enumerate(lines):
        if not (isinstance(s, ir.Effect) and _makes_zero(s.value)):
            continue
        slot = _slot(s.value)
        found = _next_at(lines, place, slot)
        if found is None:
            continue
        added = lines[found]
        assert isinstance(added, ir.Effect)
        amount = added.value.args[2]
        store = replace(s.value, args=added.value.args)
        given_back = s.value.function not in ops.INSERTS and _is_held(
            lines, place, amount, slot
        )
        lines[place] = _NOTHING
        lines[found] = _NOTHING if given_back else replace(added, value=store)
    return ir.as_block([s for s in lines if s is not _NOTHING], block)


_ZERO = ir.Const(0.0)
_NOTHING = ir.Effect(None, ir.Apply(ops.evaluated, (ir.Const(None),)))


def _makes_zero(operation: ir.Apply) -> bool:
    fills = operation.function in (*ops.FILLS_ADJOINTS, *ops.INSERTS)
    return fills and operation.args[2] == _ZERO


def _next_at(lines: list[ir.Statement], place: int, slot: Slot) -> int | None:
    """The place of the line that adds to a slot, behind one that made it zero, before
    anything else may be done to it."""
    holder, key = slot
    named = {str(holder), str(key[1])}
    for later in range(place + 1, len(lines)):
        s = lines[later]
        if isinstance(s, (*ir.COMPOUND, ir.Save, ir.Restore)):
            if isinstance(s, ir.COMPOUND) or named & ir.names_written(s):
                return None
            continue
        if isinstance(s, ir.Effect) and s.value.function in ops.ADDS_TO_SLOTS:
            if _slot(s.value) == slot:
                return later
        if _touches(s, key) or named & ir.names_written(s):
            return None
    return None


def _touches(s: ir.Statement, key: Key) -> bool:
    """True for a line that may read or change such an attribute or item."""
    changed = changed_by(s)
    read = [
        _slot(operation)[1]
        for operation in ir.operations(s)
        if operation.function in _READS
    ]
    return (
        changed is None
        or _may_meet(key, (*changed, *read))
        or isinstance(s, ir.Return)
        or any(
            str(getattr(operation.function, "__module__", "")).startswith(
                ops.CALLED_BY_NAME
            )
            for operation in ir.operations(s)
        )
    )


_READS = (ops.read_attribute, ops.read_item, *ops.READS_OF_STORED, ops.items_of)


def _is_held(
    lines: list[ir.Statement], place: int, amount: ir.Operand, slot: Slot
) -> bool:
    """True for the variable that was read from a slot, as it was in front of a line."""
    for earlier in range(place - 1, -1, -1):
        s = lines[earlier]
        if ir.is_line(s, *ops.READS_OF_STORED) and s.target == amount:
            return len(s.value.args) > 1 and _slot(s.value) == slot
        written = ir.names_written_within(s)
        if isinstance(s, ir.COMPOUND) or _touches(s, slot[1]):
            return False
        if written.intersection((str(amount), str(slot[0]), str(slot[1][1]))):
            return False
    return False


# ------------------------------------------------------------------ items taken


def with_items_taken(
    block: ir.Block, kind_of: Callable[[ir.Operand], ir.Reference | None]
) -> ir.Block:
    """A block with one line where an item is read and then removed, with nothing
    between but the like of another list::

        v = stored_item(xs, k)        v = take_item(xs, k)
        remove_item(xs, k)      ->
    """
    lines = list(block)
    for place, s in enumerate(lines):
        if ir.is_line(s, ops.stored_item) and _can_give(s.value, kind_of):
            found = _removed_behind(lines, place, s.value, kind_of)
            if found is not None:
                removal = lines[found]
                assert isinstance(removal, ir.Effect)
                takes = ops.TAKES[removal.value.function]
                lines[place] = replace(s, value=ir.Apply(takes, s.value.args))
                lines[found] = _NOTHING
    return ir.as_block([s for s in lines if s is not _NOTHING], block)


def _can_give(
    read: ir.Apply, kind_of: Callable[[ir.Operand], ir.Reference | None]
) -> bool:
    """True for an item that Python removes and gives in one step: deques give those at
    their ends."""
    kind = kind_of(read.args[0])
    if kind is None or any(form.constructor is deque for form in kind.forms):
        ends = (ir.Const(-1), ir.Const(0)) if kind else (ir.Const(-1),)
        return read.args[1] in ends
    return True


def _removed_behind(
    lines: list[ir.Statement],
    place: int,
    read: ir.Apply,
    kind_of: Callable[[ir.Operand], ir.Reference | None],
) -> int | None:
    """The place of the line that removes an item which was just read."""
    of_adjoint = ir.is_adjoint(kind_of(root_of(read)))
    named = {v.name for v in ir.value_variables(read)}
    named |= ir.names_written(lines[place])
    for later in range(place + 1, len(lines)):
        s = lines[later]
        if s is _NOTHING:
            continue
        if isinstance(s, ir.Effect) and s.value.function in ops.REMOVES:
            if s.value.args == read.args:
                return later
        elif not ir.is_line(s, ops.stored_item, *ops.TAKES.values()):
            return None
        assert isinstance(s, ir.Assign | ir.Effect) and isinstance(s.value, ir.Apply)
        other = ir.is_adjoint(kind_of(root_of(s.value)))
        if named & ir.names_written(s) or other == of_adjoint:
            return None
    return None


def root_of(operation: ir.Apply) -> ir.Operand:
    """The variable that leads to the list or dict that an operation is about."""
    holder: Any = operation.args[0]
    while isinstance(holder, ir.Apply):
        holder = holder.args[0]
    return holder
