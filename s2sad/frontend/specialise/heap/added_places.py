"""What ``np.add.at`` adds at the places that an index array names.

NumPy (2.4) reads beyond a value that has fewer axes than the index array, where the
array that is written into has one axis. Such a value is spread out over the places
first. A number is safe, and so are arrays of more axes.
"""

from __future__ import annotations

import ast
import operator

from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.values import Aggregate, Leaf, Value, kind_of
from s2sad.ir.kinds import Array, Kind, List, is_promoted, rank_of
from s2sad.ops.buffers import broadcast_like
from s2sad.rules.numpy.indexing import getitem_kind, is_whole_number
from s2sad.rules.result_kinds import is_static


def spread_over_places(
    spec: Specialiser,
    array: Leaf,
    index: Value,
    amount: Value,
    node: ast.AST | None = None,
) -> Value:
    """``amount`` with an element for each place, where it may have too few axes."""
    own = _rank(kind_of(amount))
    if own == 0 or isinstance(kind_of(amount), List):
        return amount
    if not _may_have_one_axis(array.kind, index):
        return amount
    places = _array_of_places(index)
    whole = kind_of(places or index)
    named = _rank(whole if places else getitem_kind(array.kind, whole))
    if named is not None and (named < 2 or (own is not None and own >= named)):
        return amount
    like = places or spec.apply(operator.getitem, (array, index), node=node)
    return spec.apply(broadcast_like, (amount, like), node=node, hint="added")


def _may_have_one_axis(array: Kind, index: Value) -> bool:
    """What is written into may be an array of one axis: the array, or the item of a
    list of arrays that the index starts with."""
    while isinstance(array, List) and array.item is not None:
        array = array.item
    rank = _rank(array)
    return rank is None or rank < 2


def _array_of_places(index: Value) -> Leaf | None:
    """The only array in an index that takes nothing but its items."""
    while isinstance(index, Aggregate) and index.constructor is tuple:
        items = [i for i in index.items if not is_whole_number(kind_of(i))]
        if len(items) != 1:
            return None
        index = items[0]
    known = isinstance(index, Leaf) and isinstance(index.kind, Array)
    return index if known and not is_static(kind_of(index)) else None  # type: ignore[return-value]


def _rank(kind: Kind) -> int | None:
    return None if is_promoted(kind) else rank_of(kind)
