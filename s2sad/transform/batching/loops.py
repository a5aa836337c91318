"""Operations that no rule batches, run once for each tangent.

::

    y = interp(x.dot, a, b)    ->    parts = []
                                     for k in range(size):
                                         parts.append(interp(x.dot[k], a, b))
                                     y = stack(parts)
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.frontend.specialise.core.exceptions import NotBatched
from s2sad.frontend.specialise.core.values import Aggregate, Leaf, Value
from s2sad.ir.kinds import INT, Array, List, NumPyScalar, Scalar, as_item
from s2sad.ir.nodes import Apply, Const, For
from s2sad.ops.lists import appended, new_list
from s2sad.transform.batching.calls import Batch, Call, is_batched
from s2sad.transform.batching.lists import is_batched_list, one_of_list


def one_by_one(call: Call) -> Value:
    """The operation on one tangent after the other."""
    spec, mode = call.mode.spec, call.mode
    parts = spec.fresh("parts")
    spec.assign(parts, Apply(new_list, ()), List(None))
    place = spec.fresh("k")
    with spec.new_block() as body:
        k = Leaf(place, INT)
        args = tuple(_one(call, value, k) for value in call.args)
        words = {name: _one(call, value, k) for name, value in call.keywords.items()}
        made = spec.apply(
            call.value.function, args, words, spelling=call.value.spelling
        )
        if not isinstance(made, Leaf):
            raise NotBatched("a structure is returned")
        if not isinstance(made.kind, Scalar | NumPyScalar | Array):
            raise NotBatched(f"{made.kind} is returned")
        kind = List(as_item(made.kind), mode.axis)
        spec.assign(parts, Apply(appended, (parts, made.operand)), kind)
    spec.emit(For(spec.span, place, Const(0), mode.size.operand, Const(1), tuple(body)))
    return spec.apply(np.array, (Leaf(parts, kind),))


def _one(call: Call, value: Any, k: Leaf) -> Value:
    if is_batched_list(value):
        return one_of_list(call, value, k)
    if isinstance(value, Batch):
        return call.mode.spec.apply(operator.getitem, (value.leaf, k))
    if isinstance(value, Aggregate) and is_batched(value):
        items = tuple(_one(call, item, k) for item in value.items)
        return Aggregate(value.constructor, value.keys, items)
    return value
