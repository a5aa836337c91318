"""Quotients by gaps between eigenvalues or singular values, of many matrices with the
same values: their leading axis broadcasts."""

from s2sad import rules
from s2sad.ops.numerics import decompositions


@rules.batched_as(decompositions.divided_by_gaps)
def _by_gaps(x, values, *, batched):
    return decompositions.divided_by_gaps(x, values) if batched == ("x",) else None


@rules.batched_as(decompositions.divided_by_sums)
def _by_sums(x, values, *, batched):
    return decompositions.divided_by_sums(x, values) if batched == ("x",) else None


@rules.batched_as(decompositions.divided_by_values)
def _by_values(x, values, *, batched):
    return decompositions.divided_by_values(x, values) if batched == ("x",) else None


@rules.batched_as(decompositions.outside_of)
def _outside_of(x, basis, *, batched):
    return decompositions.outside_of(x, basis) if batched == ("x",) else None
