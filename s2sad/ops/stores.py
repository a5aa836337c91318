"""Stores into arrays, as the user's program has them: with the part that they
overwrite."""

from dataclasses import replace
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.ops.augmented_operators import is_augmented
from s2sad.ops.buffers import STORES, stored
from s2sad.ops.lists import with_item_stored, without_item


def without_old_parts(block: ir.Block) -> ir.Block:
    """The block with stores that don't name what they overwrite, or what is taken."""

    def change(s: ir.Statement) -> ir.Block:
        if not ir.applies(s):
            return (s,)
        function, args = s.value.function, s.value.args
        count = 2 if function is without_item else 3
        if len(args) == count or function not in (*STORES, *_CHANGES_OF_LISTS):
            return (s,)
        return (replace(s, value=replace(s.value, args=args[:count])),)

    return ir.with_leaves(block, change)


_CHANGES_OF_LISTS = (with_item_stored, without_item)


def is_store(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a store of the user's program, which names what it overwrites."""
    return ir.is_line(s, *STORES) and len(s.value.args) == 4


def undoable_store(statement: ir.Statement) -> str | None:
    """The array that a store changes in place, whose old part can be put back."""
    if not ir.applies(statement):
        return None
    function, args = statement.value.function, statement.value.args
    if function not in STORES or len(args) != 4 or args[0] != statement.target:
        return None
    return args[0].name  # type: ignore[union-attr]


BORDER = 2
"""How many elements at either end of an axis a store may leave, for an array that is
kept whole rather than in part."""


def leaves_only_borders(statement: ir.Statement) -> bool:
    """True for a store into all of an array but its borders (``u[1:-1] = ...``). To
    keep the whole array costs hardly more than the part, which would have to be copied
    back as well."""
    assert ir.applies(statement)
    index = statement.value.args[1]
    parts = index.items if isinstance(index, ir.Pack) else (index,)
    return all(map(_leaves_only_border, parts))


def _leaves_only_border(part: ir.Operand) -> bool:
    if isinstance(part, ir.Const):
        return part.value is Ellipsis
    if not isinstance(part, ir.Slice) or part.step not in (None, ir.Const(1)):
        return False
    lower, upper = (
        0 if bound is None else getattr(bound, "value", None)
        for bound in (part.lower, part.upper)
    )
    if not isinstance(lower, int) or not isinstance(upper, int):
        return False
    if upper == 0 and part.upper is not None:
        return False
    return 0 <= lower <= BORDER and -BORDER <= upper <= 0


def lines_of_undoing(statement: ir.Statement) -> ir.Block:
    """What puts the overwritten part of an array back."""
    assert ir.applies(statement)
    array, index, _, old = statement.value.args
    value = ir.Apply(stored, (array, index, old))
    return (replace(statement, value=value, derived=True),)


def is_write(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a store, and for augmented assignment, which changes an array too."""
    return is_store(s) or is_augmented(s)


def require_unshared(array: Any, value: Any) -> None:
    """Demands that a value shares no memory with the array it is stored into: NumPy
    writes some of them one by one, and would read what it has just written. It is
    settled before the program runs."""


def is_demand(s: ir.Statement) -> bool:
    """True for such a demand."""
    return isinstance(s, ir.Effect) and s.value.function is require_unshared
