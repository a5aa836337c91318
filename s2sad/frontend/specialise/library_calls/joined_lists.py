"""Lists among the arrays that ``np.concatenate`` and its like join: each is made an
array first, as in NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.special_calls import SPECIAL_CALLS
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words


def _joining(function: Any) -> Callable[..., core.Value | None]:
    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        if spec.derived or not args:
            return None
        arrays, *rest = map(spec.by_value, args)
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


def _is_list(value: core.Value) -> bool:
    if isinstance(value, core.Aggregate):
        return value.constructor in (list, tuple)
    return isinstance(core.kind_of(value), ir.List)


_JOINING = (np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack)
SPECIAL_CALLS.update({f: _joining(f) for f in _JOINING})
