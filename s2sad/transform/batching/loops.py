"""Operations that no rule batches, run once for each tangent.

::

    y = interp(x.dot, a, b)    ->    parts = []
                                     for k in range(size):
                                         parts.append(interp(x.dot[k], a, b))
                                     y = stack(parts)
"""

import operator
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.transform.batching.calls import Batch, Call, is_batched
from s2sad.transform.batching.lists.lists import is_batched_list, one_of_list


def one_by_one(call: Call) -> core.Value:
    """The operation on one tangent after the other."""
    spec, mode = call.mode.spec, call.mode
    parts = spec.fresh("parts")
    spec.assign(parts, ir.Apply(ops.new_list, ()), ir.List(None))
    with spec.loop_over_places(spec.fresh("k"), mode.size) as k:
        args = tuple(_one(call, value, k) for value in call.args)
        words = {name: _one(call, value, k) for name, value in call.keywords.items()}
        made = spec.apply(
            call.value.function, args, words, spelling=call.value.spelling
        )
        if not isinstance(made, core.Leaf):
            raise core.NotBatched("a structure is returned")
        if not isinstance(made.kind, ir.Scalar | ir.NumPyScalar | ir.Array):
            raise core.NotBatched(f"{made.kind} is returned")
        kind = ir.List(ir.as_item(made.kind), mode.axis)
        spec.assign(parts, ir.Apply(ops.appended, (parts, made.operand)), kind)
    return spec.apply(np.array, (core.Leaf(parts, kind),))


def _one(call: Call, value: Any, k: core.Leaf) -> core.Value:
    if is_batched_list(value):
        return one_of_list(call, value, k)
    if isinstance(value, Batch):
        if ir.is_of_references(value.item):
            raise core.NotBatched("a structure of tangents is asked for something")
        return call.mode.spec.apply(operator.getitem, (value.leaf, k))
    if isinstance(value, core.Aggregate) and is_batched(value):
        items = tuple(_one(call, item, k) for item in value.items)
        return core.Aggregate(value.constructor, value.keys, items)
    return value
