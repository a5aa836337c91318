"""The axes of the contractions that are the cotangents of a contraction."""

import numpy as np

from s2sad import ir, rules

Axes = tuple[int, ...]


@rules.static_predicate
def contracted_axes(a: ir.Kind, b: ir.Kind, axes: ir.Kind) -> tuple[Axes, Axes]:
    """The axes of ``a`` and ``b`` that ``np.tensordot`` sums over, counted from 0."""
    named = rules.static_value(axes)
    left, right = ir.rank_of(a) or 0, ir.rank_of(b) or 0
    if isinstance(named, int):
        return tuple(range(left - named, left)), tuple(range(named))
    of_a, of_b = (one if isinstance(one, tuple) else (one,) for one in named)
    return tuple(k % left for k in of_a), tuple(k % right for k in of_b)


@rules.static_predicate
def free_axes(x: ir.Kind, contracted: ir.Kind) -> Axes:
    """The axes of ``x`` that are not summed over."""
    gone = rules.static_value(contracted)
    return tuple(k for k in range(ir.rank_of(x) or 0) if k not in gone)


@rules.static_predicate
def axes_after(a: ir.Kind, contracted: ir.Kind, free: ir.Kind) -> Axes:
    """The axes of the result that ``b`` brings: they follow the free axes of ``a``."""
    first = (ir.rank_of(a) or 0) - len(rules.static_value(contracted))
    return tuple(range(first, first + len(rules.static_value(free))))


@rules.static_predicate
def first_axes(count: ir.Kind) -> Axes:
    """As many axes as ``count`` has items."""
    return tuple(range(len(rules.static_value(count))))


@rules.static_predicate
def order_of_left(a: ir.Kind, own: ir.Kind, other: ir.Kind) -> Axes | None:
    """The permutation that brings a left cotangent's axes in order; None if they are.

    It has the free axes of ``a`` first, then the contracted ones in the order of the
    other's axes.
    """
    gone, others = rules.static_value(own), rules.static_value(other)
    free = [k for k in range(ir.rank_of(a) or 0) if k not in gone]
    present = free + [mine for _, mine in sorted(zip(others, gone))]
    return _permutation(present)


@rules.static_predicate
def order_of_right(b: ir.Kind, own: ir.Kind, other: ir.Kind) -> Axes | None:
    """The same for a right cotangent, which has the contracted axes first."""
    gone, others = rules.static_value(own), rules.static_value(other)
    free = [k for k in range(ir.rank_of(b) or 0) if k not in gone]
    present = [mine for _, mine in sorted(zip(others, gone))] + free
    return _permutation(present)


def _permutation(present: list[int]) -> Axes | None:
    order = tuple(present.index(k) for k in range(len(present)))
    return None if order == tuple(range(len(present))) else order


def tensordot_left(a, b, axes, out_bar):
    """The cotangent of ``a`` in ``np.tensordot(a, b, axes)``."""
    free = free_axes(b, axes[1])
    a_bar = np.tensordot(out_bar, b, (axes_after(a, axes[0], free), free))
    order = order_of_left(a, axes[0], axes[1])
    return a_bar if order is None else np.transpose(a_bar, order)


def tensordot_right(a, b, axes, out_bar):
    """The cotangent of ``b`` in ``np.tensordot(a, b, axes)``."""
    free = free_axes(a, axes[0])
    b_bar = np.tensordot(a, out_bar, (free, first_axes(free)))
    order = order_of_right(b, axes[1], axes[0])
    return b_bar if order is None else np.transpose(b_bar, order)
