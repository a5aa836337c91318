"""Lists among the arrays that ``np.concatenate`` and its like join: each is made an
array first, as in NumPy; and lists of arrays of which only the run knows how many there
are."""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.library.numpy import joined_rows
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.special_calls import SPECIAL_CALLS
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.source.text.source import source_of_own


def _joining(function: Any) -> Callable[..., core.Value | None]:
    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        if spec.derived or not args:
            return None
        arrays, *rest = map(spec.by_value, args)
        text = _of_list(function, core.kind_of(arrays))
        if text is not None:
            return spec.inline(source_of_own(text), (arrays, *rest), words)
        if not isinstance(arrays, core.Aggregate) or core.is_rows(arrays):
            return None
        if arrays.constructor not in (list, tuple):
            return None
        if not any(map(_is_list, arrays.items)):
            return None
        items = tuple(
            spec.apply(np.array, (item,), hint="array") if _is_list(item) else item
            for item in arrays.items
        )
        joined = core.aggregate_of(items, arrays.constructor)
        words = {k: spec.by_value(v) for k, v in words.items()}
        return spec.apply(function, (joined, *rest), words)

    return call


def _of_list(function: Any, kind: ir.Kind) -> Callable[..., Any] | None:
    """The text of such a function of a list of unknown length; None where there is a
    rule, and where the rank of the items isn't known."""
    rank = ir.rank_of(ir.array_of_list(kind) or ir.UNKNOWN)
    if not isinstance(kind, ir.List) or rank is None:
        return None
    if function is np.hstack and rank > 2:
        return joined_rows.side_by_side_of_list
    return joined_rows.columns_of_list if function is np.column_stack else None


def _is_list(value: core.Value) -> bool:
    if isinstance(value, core.Aggregate):
        return value.constructor in (list, tuple)
    return isinstance(core.kind_of(value), ir.List)


_JOINING = (np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack)
SPECIAL_CALLS.update({f: _joining(f) for f in _JOINING})
