"""Parts of arrays that stand in run-time values: what was just read isn't read again,
and what is added to a part of an adjoint that was just made zero is stored there.

::

    y = stored_part(w, i)                 y = stored_part(w, i)
    z = stored_part(w, i)           ->    z = y

    put_adjoint_part(w.bar, i, 0.0)
    add_to_part(w.bar, i, v)        ->    put_adjoint_part(w.bar, i, v)

Any two arrays may be one, or views of one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops


def part_read_once(
    s: ir.Statement, parts: dict[ir.Operand, ir.Var], same: dict[ir.Operand, ir.Operand]
) -> tuple[ir.Statement, dict[ir.Operand, ir.Var], dict[ir.Operand, ir.Operand]]:
    """A line, and what is known of parts of arrays behind it."""
    read: ir.Operand | None = None
    if ir.is_line(s, ops.stored_part):
        array, index = s.value.args
        read = ir.pack_tuple(same.get(array, array), index)
        if read in parts:
            s, read = replace(s, value=parts[read]), None
    if any(
        o.function in (*ops.STORES_INTO_ARRAYS, *ops.ADDS_TO_ADJOINTS)
        or isinstance(o.function, ir.Procedure)
        for o in ir.operations(s)
    ):
        parts = {}
    written = ir.names_written(s)
    parts, same = unless_written(parts, written), unless_written(same, written)
    if ir.is_line(s) and read is not None:
        if written.isdisjoint(v.name for v in ir.operand_variables(read)):
            parts = {**parts, read: s.target}
    value = getattr(s, "value", None)
    if isinstance(s, ir.Assign) and isinstance(value, ir.Var) and s.target != value:
        same = {**same, s.target: same.get(value, value)}
    return s, parts, same


def unless_written(
    known: dict[ir.Operand, Any], written: frozenset[str]
) -> dict[ir.Operand, Any]:
    """What is known of operands none of which was bound anew."""
    if not known or not written:
        return known
    return {
        read: held
        for read, held in known.items()
        if held.name not in written
        and written.isdisjoint(v.name for v in ir.operand_variables(read))
    }


def with_parts_filled(block: ir.Block, kinds: Mapping[str, ir.Kind]) -> ir.Block:
    """A block in which parts of adjoints aren't made zero first."""
    lines = [
        ir.with_blocks(s, lambda inner: with_parts_filled(inner, kinds)) for s in block
    ]
    left: list[ir.Statement | None] = [*lines]
    for place, s in enumerate(lines):
        if not isinstance(s, ir.Effect) or s.value.function is not ops.put_adjoint_part:
            continue
        array, index, value = s.value.args
        if value != ir.Const(0.0) or not _names_each_once(index, kinds):
            continue
        found = _added_behind(lines, place, (array, index))
        if found is not None:
            added = lines[found]
            assert isinstance(added, ir.Effect)
            store = replace(s.value, args=added.value.args)
            left[place], left[found] = None, replace(added, value=store)
    return ir.as_block([s for s in left if s is not None], block)


def _names_each_once(index: ir.Operand, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for numbers and slices, which name no element twice."""
    if isinstance(index, ir.Pack) and index.constructor is tuple:
        return all(_names_each_once(item, kinds) for item in index.items)
    if isinstance(index, ir.Const):
        return index.value is None or type(index.value) in (int, type(Ellipsis))
    return isinstance(index, ir.Slice) or isinstance(
        ir.kind_of(index, kinds), ir.Scalar
    )


def _added_behind(
    lines: list[ir.Statement], place: int, part: tuple[ir.Operand, ...]
) -> int | None:
    """The place of the line that adds to a part, with none between that may read or
    change any."""
    named = {v.name for operand in part for v in ir.operand_variables(operand)}
    for later in range(place + 1, len(lines)):
        s = lines[later]
        if isinstance(s, ir.Effect) and s.value.function is ops.add_to_part:
            return later if s.value.args[:2] == part else None
        if not isinstance(s, ir.Assign | ir.Save | ir.Restore):
            return None
        if named & ir.names_written(s) or any(map(_touches_parts, ir.operations(s))):
            return None
    return None


def _touches_parts(operation: ir.Apply) -> bool:
    function = operation.function
    module = str(getattr(function, "__module__", ""))
    return (
        isinstance(function, ir.Procedure)
        or function in (ops.stored_part, ops.items_of, ops.stored_items)
        or module.startswith(ops.CALLED_BY_NAME)
    )
