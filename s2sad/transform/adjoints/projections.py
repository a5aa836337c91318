"""Items of arguments: variables of their own, which take their cotangents."""

import operator
from collections.abc import Mapping

from s2sad import ir


def is_projection(statement: ir.Assign, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for taking one item out of an argument that is a structure. (Items of other
    structures are variables of their own, and those of arrays are no projections.)"""
    value = statement.value
    if not isinstance(value, ir.Apply) or value.function not in (
        operator.getitem,
        getattr,
    ):
        return False
    holder = value.args[0]
    return isinstance(holder, ir.Var) and isinstance(
        kinds.get(holder.name), ir.Structure
    )
