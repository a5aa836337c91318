"""Views: which operations surely give one, and how its array follows from it.

::

    v = np.swapaxes(x, 0, 1)            v = np.swapaxes(x, 0, 1)
    v = stored(v, k, t)          ->     v = stored(v, k, t)
                                        x = np.swapaxes(v, 0, 1)
"""

import operator
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.memory.layouts import is_surely_an_array
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.results import require_array
from s2sad.rules.numpy.windows import sliding_window_view
from s2sad.rules.steps.shape_queries import shape_of
from s2sad.rules.steps.stopped import stopped

Kinds = Mapping[str, ir.Kind]
DIAGONAL = "ii->i"
EVERYTHING = ir.Slice(None, None, None)


def source_of(s: ir.Assign) -> ir.Var | None:
    """The array that a variable is made of, as its view or under another name."""
    value = s.value
    if isinstance(value, ir.Var):
        return value
    if isinstance(value, ir.Apply):
        place = 1 if value.function is np.einsum else 0
        source = value.args[place] if len(value.args) > place else None
        return source if isinstance(source, ir.Var) else None
    return None


def is_view(s: ir.Assign, kinds: Kinds) -> bool:
    """True where a variable is surely another's array, or a view of it."""
    source = source_of(s)
    if source is None or not isinstance(s.target, ir.Var):
        return False
    for name in (source.name, s.target.name):
        if not is_surely_an_array(kinds.get(name)):
            return False
    value = s.value
    if isinstance(value, ir.Var):
        return True
    assert isinstance(value, ir.Apply)
    if value.function is operator.getitem:
        return all(is_basic(i, kinds) for i in ir.tuple_items(value.args[1]))
    if value.function is np.diag:
        return ir.rank_of(kinds[source.name]) == 2
    if value.function is np.einsum:
        return value.args[0] == ir.Const(DIAGONAL)
    return value.function in _VIEWS or ops.rearranges(value.function)


def is_basic(index: ir.Operand, kinds: Kinds) -> bool:
    """True for an entry of an index that surely gives a view."""
    if isinstance(index, ir.Slice) or index in (ir.Const(None), ir.Const(Ellipsis)):
        return True
    return is_whole_number(index, kinds)


def is_whole_number(index: ir.Operand, kinds: Kinds) -> bool:
    """True for an entry of an index that is surely an int."""
    if isinstance(index, ir.Const):
        return isinstance(index.value, int) and not isinstance(index.value, bool)
    kind = ir.kind_of(index, kinds)
    return isinstance(kind, ir.Scalar) and kind.type == "int"


def composed_index(
    outer: ir.Operand, inner: ir.Operand, kinds: Kinds
) -> ir.Operand | None:
    """The index that ``x[outer][inner]`` is of ``x``; None where it can't be said by
    one."""
    rest = list(ir.tuple_items(inner))
    if inner == ir.Const(Ellipsis) or not rest:
        return outer
    basic = [is_basic(i, kinds) for i in rest]
    if basic[0] and not all(basic):
        return None  # a number counts as an index array, which comes first
    found: list[ir.Operand] = []
    sliced = False
    for item in ir.tuple_items(outer):
        if is_whole_number(item, kinds):
            found.append(item)
            continue
        sliced = True
        if not isinstance(item, ir.Slice):
            return None
        own = rest.pop(0) if rest else EVERYTHING
        if EVERYTHING not in (own, item):
            return None
        found.append(item if own == EVERYTHING else own)
    if sliced and not (all(basic) and _none_spread(inner)):
        return None
    return ir.pack_tuple(*found, *rest)


def _none_spread(index: ir.Operand) -> bool:
    """True for an index whose entries stand for one axis each."""
    spread = (ir.Const(None), ir.Const(Ellipsis))
    return not any(item in spread for item in ir.tuple_items(index))


def written_back(
    made: ir.Assign, source: ir.Var, like: ir.Statement, kinds: Kinds
) -> ir.Block:
    """The source of a view that has a new value."""
    assert isinstance(made.target, ir.Var)
    own, kind = made.target, kinds.get(source.name)
    value = made.value
    if not isinstance(value, ir.Apply) or value.function is require_array:
        return (ir.Assign(like.span, source, own, kind),)
    if isinstance(kind, ir.List):
        return _put_back(own, source, value.args[1], like, kind)
    if value.function is operator.getitem:
        return _stored_back(own, source, value.args[1], like, kinds)
    if value.function is np.einsum:
        return _into_the_diagonal(own, source, like, kinds)
    if value.function in READ_ONLY:
        raise core.Unsupported(
            f"this writes into what {value.function.__name__} gives, which NumPy lets "
            "nobody write into",
            "write into the array itself, or into a copy",
        )
    if value.function is stopped:
        raise core.Unsupported(
            "this writes into what stop_gradient gives, which another name shares",
            "write into the array itself, or into a copy",
        )
    rank = None if kind is None else ir.rank_of(kind)
    moved = None if rank is None else ops.index_map_of(value, rank)
    in_order = moved is not None and moved.keeps_rows
    if value.function in _RESHAPED or in_order:
        shape = ir.Var(f"{source.name}.shape")
        query = ir.Apply(shape_of, (source,), (), "attribute:shape")
        again = ir.Apply(np.reshape, (own, shape))
        return (
            ir.Assign(like.span, shape, query, ir.OPAQUE),
            ir.Assign(like.span, source, again, kind),
        )
    again = _rearranged_back(value, own, moved)
    return (ir.Assign(like.span, source, again, kind),)


def _stored_back(
    own: ir.Var, source: ir.Var, index: ir.Operand, like: ir.Statement, kinds: Kinds
) -> ir.Block:
    old = ir.Var(f"{source.name}.old")
    part = ir.Apply(ops.overwritten_part, (source, index))
    store = ir.Apply(ops.stored, (source, index, own, old))
    return (
        ir.Assign(like.span, old, part, kinds.get(own.name)),
        ir.Assign(like.span, source, store, kinds.get(source.name)),
    )


def _put_back(
    own: ir.Var, source: ir.Var, place: ir.Operand, like: ir.Statement, kind: ir.List
) -> ir.Block:
    if not ir.is_ragged(kind):
        store = ir.Apply(ops.with_item_stored, (source, place, own))
        return (ir.Assign(like.span, source, store, kind),)
    old = ir.Var(f"{source.name}.old")
    item = ir.Apply(operator.getitem, (source, place))
    store = ir.Apply(ops.with_item_stored, (source, place, own, old))
    return (
        ir.Assign(like.span, old, item, kind.item),
        ir.Assign(like.span, source, store, kind),
    )


def _into_the_diagonal(
    own: ir.Var, source: ir.Var, like: ir.Statement, kinds: Kinds
) -> ir.Block:
    places = ir.Var(f"{own.name}.places")
    count = ir.Var(f"{own.name}.count")
    lines = (
        ir.Assign(like.span, count, ir.Apply(len, (own,)), ir.Scalar("int")),
        ir.Assign(like.span, places, ir.Apply(np.arange, (count,)), ir.OPAQUE),
    )
    index = ir.pack_tuple(places, places)
    return (*lines, *_stored_back(own, source, index, like, kinds))


def _rearranged_back(
    made: ir.Apply, own: ir.Var, moved: ops.IndexMap | None
) -> ir.Apply:
    """The array, made of the view that a function that rearranges it gave."""
    function, given = made.function, made.args[1:]
    words = dict(made.keywords)
    if ops.is_own_inverse(function):
        return replace(made, args=(own, *given))
    if function is np.moveaxis and len(given) == 2:
        return ir.Apply(function, (own, *reversed(given)))
    if function is np.rot90:
        k, *axes = given or (words.pop("k", ir.Const(1)),)
        if not isinstance(k, ir.Const):
            raise core.Unsupported(
                "this writes into what np.rot90 turned, how often isn't known"
            )
        args = (own, ir.Const(-k.value), *axes)
        return ir.Apply(function, args, tuple(words.items()))
    if moved is None or moved.order is None:
        raise core.Unsupported(
            "this writes into a transpose whose axes aren't known", "name them"
        )
    order = moved.order
    if order == tuple(reversed(range(len(order)))):
        return ops.transposed(own)
    return ops.transposed(own, *(order.index(k) for k in range(len(order))))


_RESHAPED = (np.reshape, np.ravel, np.squeeze)
"""What has the elements of the array in their order. There is no ``reshape`` or
``ravel`` left that may copy, see :mod:`s2sad.transform.memory.plain_views`."""
READ_ONLY = (np.diagonal, np.diag, np.broadcast_to, sliding_window_view)
"""Views that NumPy lets nobody write into."""
_VIEWS = (*_RESHAPED, *READ_ONLY, stopped, require_array)
