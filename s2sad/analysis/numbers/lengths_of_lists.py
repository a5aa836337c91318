"""Lengths of lists: which lists among the arguments may as well have one item, or none.

Of an array it is known whether an axis is of length one, since that is stretched to the
length of another. A list that is run over, and read by its items, is treated alike
whatever its length; once it goes into a function of arrays, or a call that is kept,
more is made of it.
"""

import math
import operator
from collections.abc import Hashable, Iterator, Mapping

from s2sad import ir, ops
from s2sad.analysis.passes.all_kinds import with_all_kinds
from s2sad.ops.runtime import sequences

_OF_LISTS = (
    *(len, bool, operator.not_, sum, max, min, operator.getitem, math.fsum),
    *(sequences.order_of_items, sequences.order_of_rows),
    *(ops.as_list, ops.as_tuple, ops.joined_lists, ops.joined_tuples, ops.repeated),
    *(ops.new_list, ops.tuple_with, ops.contains, *ops.LIST_CHANGES),
)
"""What lists of any length go into as lists."""


def free_lengths(
    function: ir.Function, kinds: Mapping[str, ir.Kind]
) -> frozenset[Hashable]:
    """The axes of lists among the parameters of which nothing is made but lists and
    their items."""
    wanted = {s for kind in kinds.values() for s in _axes_of_lists(kind)}
    if not wanted:
        return frozenset()
    function = with_all_kinds(function)
    for kind in function.kinds.values():
        if isinstance(kind, ir.Array):
            wanted = {s for s in wanted if not _has_axis(kind, s)}
    for s in ir.walk(function.body):
        for operation in ir.operations(s):
            if operation.function not in _OF_LISTS:
                wanted -= _lists_read(operation, function)
    return frozenset(wanted)


def _axes_of_lists(kind: ir.Kind) -> Iterator[Hashable]:
    if isinstance(kind, ir.Structure):
        for item in kind.items:
            yield from _axes_of_lists(item)
    elif isinstance(kind, ir.List) and kind.axis.length == "many":
        yield kind.axis.symbol


def _lists_read(operation: ir.Apply, function: ir.Function) -> set[Hashable]:
    kinds = (function.kinds.get(v.name) for v in ir.value_variables(operation))
    return {k.axis.symbol for k in kinds if isinstance(k, ir.List)}


def _has_axis(kind: ir.Array, symbol: Hashable) -> bool:
    return any(
        axis.length == "many" and _mentions(axis.symbol, symbol)
        for axis in kind.axes or ()
    )


def _mentions(symbol: Hashable, wanted: Hashable) -> bool:
    if symbol == wanted:
        return True
    return isinstance(symbol, tuple) and any(_mentions(s, wanted) for s in symbol)
