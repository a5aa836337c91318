"""Quotients by gaps between eigenvalues or singular values, of many matrices with the
same values: their leading axis broadcasts."""

from __future__ import annotations

from s2sad.ops.numerics.decompositions import (
    divided_by_gaps,
    divided_by_sums,
    divided_by_values,
    outside_of,
)
from s2sad.rules.registry import batched_as


@batched_as(divided_by_gaps)
def _by_gaps(x, values, *, batched):
    return divided_by_gaps(x, values) if batched == ("x",) else None


@batched_as(divided_by_sums)
def _by_sums(x, values, *, batched):
    return divided_by_sums(x, values) if batched == ("x",) else None


@batched_as(divided_by_values)
def _by_values(x, values, *, batched):
    return divided_by_values(x, values) if batched == ("x",) else None


@batched_as(outside_of)
def _outside_of(x, basis, *, batched):
    return outside_of(x, basis) if batched == ("x",) else None
