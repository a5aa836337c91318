"""Batched structures: lists, dicts and objects that are kept as they are, of tangents
or adjoints. In place of each number or array they hold one with the leading axis, so
lines that move references stay as they are::

    s.dot = read_item(springs.dot, j)     s.dot = read_item(springs.dot, j)
    a.dot = read_attribute(s.dot, 'a') -> a.dot = read_attribute(s.dot, 'a')   # [k]
    add_to_attribute(s.bar, 'a', v)       add_to_attribute(s.bar, 'a', v)      # v: [k]
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.structures import zeros_of_structure
from s2sad.transform.batching import calls


def assigns_references(mode: Any, s: ir.Assign) -> bool:
    """Append a line that gives batched references, or reads from them, if it is one."""
    if not isinstance(s.target, ir.Var):
        return False
    function = s.value.function if isinstance(s.value, ir.Apply) else None
    name = s.target.name
    kind = s.kind or mode.item_kinds.get(name, ir.UNKNOWN)
    if not ir.is_of_references(kind):
        if mode.flow.rows_in_adjoints and reads_adjoint(s, mode.item_kinds):
            raise core.NotBatched("an adjoint is read")
        if function not in ops.READS_OF_REFERENCES:
            return False
        holder, *keys = s.value.args  # type: ignore[union-attr]
        if mode._is_batched(ir.pack_tuple(*keys)):
            raise core.NotBatched("a key depends on a tangent")
        if not isinstance(holder, ir.Var):
            return False
        if holder.name not in mode.batched:
            return False
        wide = mode.with_leading_axis(kind)
        mode.function.kinds[name] = wide
        mode.spec.emit(replace(s, kind=wide))
        return True
    if name not in mode.batched:
        return False
    if function in ops.MAKES_OBJECTS:
        raise core.NotBatched("an object is made of tangents or adjoints")
    read = (v.name for v in ir.value_variables(s.value) if v.name in mode.batched)
    if not all(ir.is_of_references(mode.item_kinds.get(v)) for v in read):
        raise core.NotBatched("a structure is made of tangents")
    mode.spec.emit(s)
    if function is zeros_of_structure:
        widen(mode.spec, s.target, mode.size)
    return True


def reads_adjoint(s: ir.Assign, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for a line that gives something else than a reference and reads an adjoint,
    the slots of which may have rows."""
    if ir.is_of_references(s.kind or kinds.get(str(s.target), ir.UNKNOWN)):
        return False
    read = (v for value in ir.operations(s) for v in ir.value_variables(value))
    return any(ir.is_adjoint(kinds.get(v.name)) for v in read)


def widen(spec: Any, adjoint: ir.Operand, size: core.Leaf) -> None:
    """Append the line that lets zeros of a structure be as many as there are."""
    operation = ir.Apply(ops.put_axis_in_front, (adjoint, size.operand))
    spec.emit(ir.Effect(spec.span, operation))


def check_parameters(mode: Any, given: Any) -> None:
    """What is batched because something is added to it must not come from a caller."""
    for name in mode.function.parameters:
        held = ir.is_of_references(mode.item_kinds.get(name))
        if held and name in mode.batched and name not in given:
            raise core.NotBatched(f"{name} is handed on")


def check_store(mode: Any, s: ir.Effect) -> None:
    """What is stored into a slot goes to whoever reads it, by whatever name."""
    if s.value.function in ops.STORES_INTO_SLOTS:
        if any(ir.is_of_references(mode.item_kinds.get(n)) for n in mode.batched):
            raise core.NotBatched("a structure that holds tangents is stored into")


def adds_to_adjoint(mode: Any, s: ir.Effect) -> bool:
    """Append a line that adds something batched to an adjoint, if it is one."""
    function = s.value.function
    if function not in ops.ADDS_TO_ADJOINTS:
        return False
    adjoint, *keys, amount = s.value.args
    argument = mode._argument(amount)
    if not calls.is_batched(argument):
        mode.spec.emit(s)
        return True
    kind = mode.item_kinds.get(str(adjoint))
    if function in ops.ADDS_TO_SLOTS and not mode._is_batched(ir.pack_tuple(*keys)):
        call = calls.Call(mode, s.value, (), {}, ir.UNKNOWN)
        rank = _rank_of_slot(kind, keys[0])
        wide = calls.aligned(call, argument, rank)
        operand = core.operand_of(calls.plain(wide))
        value = replace(s.value, args=(adjoint, *keys, operand))
        mode.spec.emit(replace(s, value=value))
        return True
    if function is ops.add_to_items:
        mode.spec.emit(replace(s, value=_rows_of_items(s.value, kind, argument)))
        return True
    raise core.NotBatched("a structure is added to another")


def _rank_of_slot(kind: ir.Kind | None, key: ir.Operand) -> int:
    """The rank of what stands under a key, in whatever form."""
    forms = kind.forms if isinstance(kind, ir.Reference) else ()
    slots = [_slot_of(form, key) for form in forms]
    ranks = {ir.rank_of(slot) for slot in slots if slot is not None}
    if len(ranks) != 1 or None in ranks:
        raise core.NotBatched("what stands in a slot isn't known")
    (rank,) = ranks
    assert rank is not None
    return rank


def _slot_of(form: ir.Form, key: ir.Operand) -> ir.Kind | None:
    """What stands under a key in values of one form; None where nothing does."""
    if form.is_uniform:
        return form.slots.get(ir.EACH)
    name = key.value if isinstance(key, ir.Const) else None
    fields = getattr(form.constructor, "_fields", ())
    if isinstance(name, int) and -len(fields) <= name < len(fields):
        name = fields[name]
    return form.slots.get(name)


def _rows_of_items(value: ir.Apply, kind: ir.Kind | None, argument: Any) -> ir.Apply:
    """What is added to each item of a list."""
    adjoint, amounts = value.args
    depth = 0
    while isinstance(kind, ir.Reference) and len(kind.forms) == 1:
        kind, depth = kind.forms[0].slots.get(ir.EACH), depth + 1
    item, lists = argument.item, 0
    while isinstance(item, ir.List):
        item, lists = item.item or ir.UNKNOWN, lists + 1
    rank, own = ir.rank_of(kind or ir.UNKNOWN), ir.rank_of(item)
    if rank is None or own is None or lists not in (0, depth):
        raise core.NotBatched("what is added to items isn't known")
    if lists and own == rank:
        return value
    if lists or own not in (0, depth + rank):
        raise core.NotBatched("what is added to items is of another rank")
    args = (adjoint, ir.Const(depth), amounts)
    return ir.Apply(ops.add_rows_to_items, args)
