"""Views: which operations surely give one, and how its array follows from it.

::

    v = np.swapaxes(x, 0, 1)            v = np.swapaxes(x, 0, 1)
    v = stored(v, k, t)          ->     v = stored(v, k, t)
                                        x = np.swapaxes(v, 0, 1)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from s2sad.analysis.memory.layouts import is_surely_an_array
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.ir.kinds import OPAQUE, Kind, List, Scalar, is_ragged, rank_of
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.ops.buffers import overwritten_part, stored
from s2sad.ops.lists import with_item_stored
from s2sad.rules.numpy.windows import sliding_window_view
from s2sad.rules.steps.shape_queries import shape_of
from s2sad.rules.steps.stopped import stopped

Kinds = Mapping[str, Kind]
DIAGONAL = "ii->i"
EVERYTHING = Slice(None, None, None)
_NONE, _ONCE = Const(None), Const(1)


def source_of(s: Assign) -> Var | None:
    """The array that a variable is made of, as its view or under another name."""
    value = s.value
    if isinstance(value, Var):
        return value
    if isinstance(value, Apply):
        place = 1 if value.function is np.einsum else 0
        source = value.args[place] if len(value.args) > place else None
        return source if isinstance(source, Var) else None
    return None


def is_view(s: Assign, kinds: Kinds) -> bool:
    """True where a variable is surely another's array, or a view of it."""
    source = source_of(s)
    if source is None or not isinstance(s.target, Var):
        return False
    for name in (source.name, s.target.name):
        if not is_surely_an_array(kinds.get(name)):
            return False
    value = s.value
    if isinstance(value, Var):
        return True
    assert isinstance(value, Apply)
    if value.function is operator.getitem:
        return all(is_basic(i, kinds) for i in index_items(value.args[1]))
    if value.function is np.diag:
        return rank_of(kinds[source.name]) == 2
    if value.function is np.einsum:
        return value.args[0] == Const(DIAGONAL)
    return value.function in _VIEWS


def index_items(index: Operand) -> tuple[Operand, ...]:
    """The entries of an index."""
    if isinstance(index, Pack) and index.constructor is tuple:
        return index.items
    return (index,)


def is_basic(index: Operand, kinds: Kinds) -> bool:
    """True for an entry of an index that surely gives a view."""
    if isinstance(index, Slice) or index in (Const(None), Const(Ellipsis)):
        return True
    return is_whole_number(index, kinds)


def is_whole_number(index: Operand, kinds: Kinds) -> bool:
    """True for an entry of an index that is surely an int."""
    if isinstance(index, Const):
        return isinstance(index.value, int) and not isinstance(index.value, bool)
    kind = kinds.get(index.name) if isinstance(index, Var) else None
    return isinstance(kind, Scalar) and kind.type == "int"


def composed_index(outer: Operand, inner: Operand, kinds: Kinds) -> Operand | None:
    """The index that ``x[outer][inner]`` is of ``x``; None where it can't be said by
    one."""
    if inner == Const(Ellipsis):
        return outer
    rest = list(index_items(inner))
    basic = [is_basic(i, kinds) for i in rest]
    if basic[0] and not all(basic):
        return None  # a number counts as an index array, which comes first
    found: list[Operand] = []
    sliced = False
    for item in index_items(outer):
        if is_whole_number(item, kinds):
            found.append(item)
            continue
        sliced = True
        if not isinstance(item, Slice):
            return None
        own = rest.pop(0) if rest else EVERYTHING
        if EVERYTHING not in (own, item):
            return None
        found.append(item if own == EVERYTHING else own)
    if sliced and not (all(basic) and _none_spread(inner)):
        return None
    return pack_tuple(*found, *rest)


def _none_spread(index: Operand) -> bool:
    """True for an index whose entries stand for one axis each."""
    spread = (Const(None), Const(Ellipsis))
    return not any(item in spread for item in index_items(index))


def written_back(made: Assign, source: Var, like: Statement, kinds: Kinds) -> Block:
    """The source of a view that has a new value."""
    assert isinstance(made.target, Var)
    own, kind = made.target, kinds.get(source.name)
    if not isinstance(made.value, Apply):
        return (Assign(like.span, source, own, kind),)
    value = made.value
    if isinstance(kind, List):
        return _put_back(own, source, value.args[1], like, kind)
    if value.function is operator.getitem:
        return _stored_back(own, source, value.args[1], like, kinds)
    if value.function is np.einsum:
        return _into_the_diagonal(own, source, like, kinds)
    if value.function in READ_ONLY:
        raise Unsupported(
            None,
            f"this writes into what {value.function.__name__} gives, which NumPy lets "
            "nobody write into",
            "write into the array itself, or into a copy",
        )
    if value.function is stopped:
        raise Unsupported(
            None,
            "this writes into what stop_gradient gives, which another name shares",
            "write into the array itself, or into a copy",
        )
    if value.function in _RESHAPED:
        shape = Var(f"{source.name}.shape")
        query = Apply(shape_of, (source,), (), "attribute:shape")
        again = Apply(np.reshape, (own, shape))
        return (
            Assign(like.span, shape, query, OPAQUE),
            Assign(like.span, source, again, kind),
        )
    words = dict(value.keywords)
    again = _REARRANGED[value.function](own, *value.args[1:], **words)
    return (Assign(like.span, source, again, kind),)


def _stored_back(
    own: Var, source: Var, index: Operand, like: Statement, kinds: Kinds
) -> Block:
    old = Var(f"{source.name}.old")
    part = Apply(overwritten_part, (source, index))
    store = Apply(stored, (source, index, own, old))
    return (
        Assign(like.span, old, part, kinds.get(own.name)),
        Assign(like.span, source, store, kinds.get(source.name)),
    )


def _put_back(
    own: Var, source: Var, place: Operand, like: Statement, kind: List
) -> Block:
    if not is_ragged(kind):
        store = Apply(with_item_stored, (source, place, own))
        return (Assign(like.span, source, store, kind),)
    old = Var(f"{source.name}.old")
    item = Apply(operator.getitem, (source, place))
    store = Apply(with_item_stored, (source, place, own, old))
    return (
        Assign(like.span, old, item, kind.item),
        Assign(like.span, source, store, kind),
    )


def _into_the_diagonal(own: Var, source: Var, like: Statement, kinds: Kinds) -> Block:
    places = Var(f"{own.name}.places")
    count = Var(f"{own.name}.count")
    lines = (
        Assign(like.span, count, Apply(len, (own,)), Scalar("int")),
        Assign(like.span, places, Apply(np.arange, (count,)), OPAQUE),
    )
    index = pack_tuple(places, places)
    return (*lines, *_stored_back(own, source, index, like, kinds))


def _same_again(function: Any) -> Callable[..., Apply]:
    """Of a view that is its own inverse."""

    def back(view: Var, *args: Operand, **words: Operand) -> Apply:
        return Apply(function, (view, *args), tuple(words.items()))

    return back


def _transposed_back(view: Var, axes: Operand = _NONE) -> Apply:
    if axes == _NONE:
        return Apply(np.transpose, (view,))
    items = index_items(axes)
    order = [i.value % len(items) for i in items if isinstance(i, Const)]
    if len(order) != len(items):
        raise Unsupported(
            None, "this writes into a transpose whose axes aren't known", "name them"
        )
    inverse = (Const(order.index(k)) for k in range(len(order)))
    return Apply(np.transpose, (view, pack_tuple(*inverse)))


def _moved_back(view: Var, source: Operand, destination: Operand) -> Apply:
    return Apply(np.moveaxis, (view, destination, source))


def _turned_back(view: Var, k: Operand = _ONCE, **words: Operand) -> Apply:
    if not isinstance(k, Const):
        raise Unsupported(
            None, "this writes into what np.rot90 turned, how often isn't known", ""
        )
    return Apply(np.rot90, (view, Const(-k.value)), tuple(words.items()))


_REARRANGED: dict[Any, Callable[..., Apply]] = {
    np.transpose: _transposed_back,
    np.swapaxes: _same_again(np.swapaxes),
    np.matrix_transpose: _same_again(np.matrix_transpose),
    np.moveaxis: _moved_back,
    np.flip: _same_again(np.flip),
    np.fliplr: _same_again(np.fliplr),
    np.flipud: _same_again(np.flipud),
    np.rot90: _turned_back,
}
"""For each function that rearranges an array: the array, made of the view."""
_RESHAPED = (
    *(np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d),
    *(np.reshape, np.ravel),
)
"""What has the elements of the array in their order. There is no ``reshape`` or
``ravel`` left that may copy, see :mod:`s2sad.transform.memory.plain_views`."""
READ_ONLY = (np.diagonal, np.diag, np.broadcast_to, sliding_window_view)
"""Views that NumPy lets nobody write into."""
_VIEWS = (*_REARRANGED, *_RESHAPED, *READ_ONLY, stopped)
