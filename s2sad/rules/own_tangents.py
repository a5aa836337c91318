"""The tangent of what a store is to change."""

import numpy as np

from s2sad import ops, rules


def own_tangent(tangent, buffer):
    """The tangent of a buffer at full shape, that of a list as a list. One that is full
    is copied later, where somebody else sees it."""
    if rules.is_list(buffer):
        return ops.zero_items(buffer) if rules.is_literal_zero(tangent) else tangent
    if rules.is_complex_number(buffer) and not rules.is_complex_number(tangent):
        if not rules.is_literal_zero(tangent):
            tangent = tangent + 0j  # that of a real part alone
    if rules.surely_has_shape_of(tangent, buffer):
        return tangent
    if rules.is_literal_zero(tangent):
        return np.zeros_like(buffer)  # a number has no precision of its own
    return ops.full_like_of(tangent, buffer)
