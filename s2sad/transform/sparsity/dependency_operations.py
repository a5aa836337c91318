"""How the nodes of a result follow from those of the arguments, by operation.

Operations that only *move* elements are run on nodes as they are; *elementwise* ones
join the nodes of all arguments; *reductions* join along axes, as the records of
operations say (:mod:`s2sad.ops.records`). Others have a function of their own. What
isn't known depends on all that any argument depends on."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad import ops
from s2sad.ops import buffers, lists
from s2sad.ops.runtime import broadcasting
from s2sad.rules.registry import Rule

REDUCTIONS = (np.average, np.linalg.norm)
"""Reductions along ``axis``, with ``keepdims``, beside those that are recorded so."""

SPREAD = {
    np.full_like: ("fill_value", "a"),
    broadcasting.broadcast_to_shape_of: ("cotangent", "x"),
    buffers.broadcast_like: ("value", "x"),
    buffers.full_like_of: ("value", "x"),
}
"""The first parameter is spread out to the shape of the second."""

ADDING = (buffers.index_add, buffers.added_to, buffers.subtracted_from)
"""Sums into elements of a buffer, each named once unless ``repeats``."""

PRODUCTS = (operator.matmul, np.matmul, operator.imatmul, np.dot)

COUNTED_STORES: dict[Any, int] = {
    **dict.fromkeys((*buffers.STORES, lists.with_item_stored), 3),
    lists.without_item: 2,
}
"""So many arguments matter; one behind them tells what is overwritten."""


def is_elementwise(rule: Rule) -> bool:
    """True where an element of the result depends on those at its place alone."""
    known = ops.does(rule.function, ops.Does.ELEMENTWISE)
    return rule.partials is not None or known
