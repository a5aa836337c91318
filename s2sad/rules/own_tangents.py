"""Tangents that a store is to change."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.ops.buffers import full_like_of
from s2sad.ops.lists import zero_items
from s2sad.rules.predicates import (
    is_complex_number,
    is_list,
    is_literal_zero,
    surely_has_shape_of,
)


def own_tangent(tangent: Any, buffer: Any) -> Any:
    """The tangent of a buffer at full shape, that of a list as a list. One that is full
    is copied later, where somebody else sees it."""
    if is_list(buffer):
        return zero_items(buffer) if is_literal_zero(tangent) else tangent
    if is_complex_number(buffer) and not is_complex_number(tangent):
        if not is_literal_zero(tangent):
            tangent = tangent + 0j  # that of a real part alone
    if surely_has_shape_of(tangent, buffer):
        return tangent
    if is_literal_zero(tangent):
        return np.zeros_like(buffer)  # a number has no precision of its own
    return full_like_of(tangent, buffer)
