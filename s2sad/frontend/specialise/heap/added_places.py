"""What ``np.add.at`` adds at the places that an index array names.

NumPy (2.4) reads beyond a value that has fewer axes than the index array, where the
array that is written into has one axis. Such a value is spread out over the places
first. A number is safe, and so are arrays of more axes.
"""

import operator

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.rules.numpy.indexing import getitem_kind, is_whole_number


def spread_over_places(
    spec: Specialiser, array: core.Leaf, index: core.Value, amount: core.Value
) -> core.Value:
    """``amount`` with an element for each place, where it may have too few axes."""
    own = _rank(core.kind_of(amount))
    if own == 0 or isinstance(core.kind_of(amount), ir.List):
        return amount
    if not _may_have_one_axis(array.kind):
        return amount
    places = _array_of_places(index)
    whole = core.kind_of(places or index)
    named = _rank(whole if places else getitem_kind(array.kind, whole))
    if named is not None and (named < 2 or (own is not None and own >= named)):
        return amount
    like = places or spec.apply(operator.getitem, (array, index))
    return spec.apply(ops.broadcast_like, (amount, like), hint="added")


def _may_have_one_axis(array: ir.Kind) -> bool:
    """What is written into may be an array of one axis: the array, or the item of a
    list of arrays that the index starts with."""
    while isinstance(array, ir.List) and array.item is not None:
        array = array.item
    rank = _rank(array)
    return rank is None or rank < 2


def _array_of_places(index: core.Value) -> core.Leaf | None:
    """The only array in an index that takes nothing but its items."""
    while isinstance(index, core.Aggregate) and index.constructor is tuple:
        items = [i for i in index.items if not is_whole_number(core.kind_of(i))]
        if len(items) != 1:
            return None
        index = items[0]
    known = isinstance(index, core.Leaf) and isinstance(index.kind, ir.Array)
    return index if known and not rules.is_static(core.kind_of(index)) else None  # type: ignore[return-value]


def _rank(kind: ir.Kind) -> int | None:
    return None if ir.is_promoted(kind) else ir.rank_of(kind)
