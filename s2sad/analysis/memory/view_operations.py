"""Whose memory operations give: new memory, views of what they are given, or memory
that somebody else holds."""

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.ops.numerics import linear_systems, matrices, statistics
from s2sad.ops.runtime import indices, products, rows, sequences

KEEPS_BUFFER = (
    *ops.WRITES,
    *ops.PLAIN,
    products.add_turned_products,
)
FRESH = (
    *(ops.stored_part, ops.own_copy, ops.full_like_of, ops.overwritten_part),
    indices.last_writes,
    *(
        ops.zeros_along,
        ops.zero_items,
        ops.zero_lists,
        ops.zero_inserted,
        sequences.zero_row_inserted,
        ops.without_place,
    ),
    *(
        ops.zero_appended,
        sequences.stacked_tangents,
        sequences.zero_tangents,
        sequences.zero_row_in_each,
    ),
    sequences.without_row_in_each,
    *(
        ops.zero_rows,
        ops.own_rows,
        ops.added_rows,
        rows.rows_of_terms,
        rows.sum_of_repeats,
        rows.repeated_rows,
    ),
    *(
        rows.stacked_rows,
        rows.rows_apart,
        ops.item_within,
        ops.zero_numbers,
        ops.numbers_of,
    ),
    *(linear_systems.gmres_solution, linear_systems.bicgstab_solution),
    statistics.sums_between,
    *(matrices.cofactors, matrices.inverse_or_nan, matrices.lower_with_half_diagonal),
)
_CONVERTS = (np.asarray, np.asanyarray, np.ascontiguousarray)
"""What copies a list, and no array."""
LISTS = (
    *ops.LIST_CHANGES,
    ops.new_list,
    ops.list_of,
    ops.as_list,
    ops.joined_lists,
    ops.repeated,
)
"""What gives a list that holds what its operands do."""
PARTS = (operator.getitem, ops.without_last, ops.rows_of, np.reshape, np.ravel)
"""What gives a part of an array, or all of it with other axes, as what rearranges it
does: it can be written into where the array can, and no element is shown twice."""


def is_number(kind: ir.Kind | None) -> bool:
    """True for values that have no buffer."""
    return isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Known | ir.Raised)


def is_view_operation(value: ir.Apply, kinds: Mapping[str, ir.Kind]) -> bool:
    """True where the result may share memory with an argument."""
    function = value.function
    if function in FRESH and not is_copy_of_list(value, kinds):
        return False
    if function is ops.broadcast_like:
        return True
    if function is operator.getitem:
        return not gives_copy(value.args[1], kinds)
    if function is np.ndarray.astype or function is np.copy:
        return False
    if function in _CONVERTS:
        return not _is_list(value.args[0], kinds)
    if function is np.einsum:
        return len(value.args) == 2  # a transposition or a diagonal of one array
    rule = rules.rule_for(function)
    if isinstance(function, rules.OwnRule):
        return function.rule.view
    if rule is None or (getattr(function, "__module__", "") or "").startswith("s2sad."):
        return True
    return rule.view


def is_copy_of_list(value: ir.Apply, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for another list with the same arrays."""
    first = value.args[0] if value.function is ops.own_copy else None
    kind = ir.kind_of(first, kinds)
    return isinstance(kind, ir.List) and not is_number(kind.item)


def _is_list(operand: ir.Operand, kinds: Mapping[str, ir.Kind]) -> bool:
    if isinstance(operand, ir.Pack):
        return operand.constructor in (list, tuple)
    return isinstance(ir.kind_of(operand, kinds), ir.List)


def gives_what_others_hold(value: ir.Apply) -> bool:
    """True where the result may be memory of the caller, or of anybody else: of module
    data, and of a function that isn't known."""
    function = value.function
    if function is ops.shared_result or any(
        isinstance(a, ir.Global) for a in value.args
    ):
        return True
    if rules.rule_for(function) is not None or isinstance(function, ir.Procedure):
        return False
    module = getattr(function, "__module__", None) or ""
    return module.split(".")[0] not in ("s2sad", "numpy", "_operator", "builtins")


def holds_module_data(operand: ir.Operand) -> bool:
    """True for what is written out and holds data of the module."""
    if isinstance(operand, ir.Pack):
        return any(map(holds_module_data, operand.items))
    return isinstance(operand, ir.Global)


def are_apart(function: Any) -> bool:
    """True where each of several results has memory of its own: factors of a matrix."""
    return getattr(function, "__module__", None) == np.linalg.__name__


def gives_copy(index: ir.Operand, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for an index that surely gives a copy: an array or a list is part of it."""
    if isinstance(index, ir.Pack) and issubclass(index.constructor, tuple):
        return any(gives_copy(part, kinds) for part in index.items)
    if isinstance(index, ir.Var):
        kind = kinds.get(index.name)
        if isinstance(kind, ir.List):
            return True
        # What may be a number as well is no array here.
        return isinstance(kind, ir.Array) and bool(kind.axes) and not kind.promoted
    return not isinstance(index, ir.Slice | ir.Const)
