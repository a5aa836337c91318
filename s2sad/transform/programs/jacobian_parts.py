"""Seeds of Jacobians, and what of a Jacobian belongs to one result and one argument."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives import structure_jacobians
from s2sad.rules.steps.jacobian_steps import (
    from_columns,
    from_rows,
    in_precision_of,
    no_dependence,
    number_of_elements,
    some_unit_seeds,
    unit_seeds,
)


@dataclass(frozen=True)
class Seeds:
    """The unit tangents, or cotangents, of some values."""

    values: list[core.Leaf]
    bounds: list[tuple[core.Leaf, core.Leaf]]
    """Where those of each value start and stop."""
    size: core.Leaf

    def part(self, spec: Specialiser, rows: core.Leaf, k: int) -> core.Leaf:
        """The rows that belong to one of several values."""
        if len(self.bounds) == 1:
            return rows
        start, stop = self.bounds[k]
        if start == core.constant(0):
            start = core.constant(None)
        if k == len(self.bounds) - 1:
            stop = core.constant(None)
        index = core.slice_of(start, stop, core.constant(None))
        return core.single(spec.apply(operator.getitem, (rows, index)))


def seeds_of(spec: Specialiser, values: list[core.Leaf]) -> Seeds:
    """The unit tangents of some values, along one axis."""
    if len(values) == 1:
        (value,) = values
        size = _count(spec, value)
        bounds = [(core.constant(0), size)]
        if ir.rank_of(value.kind) == 0:
            return Seeds([core.constant(1.0)], bounds, size)
        return Seeds([_seeds_of_one(spec, value, size, None)], bounds, size)
    stop = core.constant(0)
    bounds = []
    for value in values:
        start = stop
        length = _count(spec, value)
        total = core.single(spec.operate(operator.add, (start, length)))
        stop = total
        if isinstance(stop.operand, ir.Var):
            spec.read_again.add(stop.operand)
        bounds.append((start, stop))
    seeds = [
        _seeds_of_one(spec, value, stop, start)
        for value, (start, _) in zip(values, bounds, strict=True)
    ]
    return Seeds(seeds, bounds, stop)


def _count(spec: Specialiser, x: core.Leaf) -> core.Leaf:
    if structure_jacobians.is_kept(x):
        return structure_jacobians.number_of_tangents(spec, x)
    return by_text(spec, "count", number_of_elements, x=x)


def _seeds_of_one(
    spec: Specialiser, x: core.Leaf, count: core.Leaf, start: core.Leaf | None
) -> core.Leaf:
    if structure_jacobians.is_kept(x):
        first = core.constant(0) if start is None else start
        return structure_jacobians.unit_tangents(spec, x, count, first)
    if start is None:
        return by_text(spec, "seeds", unit_seeds, x=x)
    return by_text(spec, "seeds", some_unit_seeds, x=x, count=count, start=start)


def column(
    spec: Specialiser,
    seeds: Seeds,
    columns: core.Leaf | None,
    y: core.Leaf,
    x: core.Leaf,
    k: int,
) -> core.Leaf:
    """The Jacobian of a result with respect to argument ``k``, from its tangents; None
    where it doesn't depend on any."""
    if structure_jacobians.is_kept(x) or structure_jacobians.is_kept(y):
        given = core.constant(None) if columns is None else columns
        start, _ = seeds.bounds[k]
        return structure_jacobians.by_columns(spec, given, y, x, start)
    if columns is None:
        return by_text(spec, "jacobian", no_dependence, y=y, x=x)
    own = core.single(spec.apply(ops.own_copy, (columns,), hint="columns"))
    part = seeds.part(spec, own, k)
    found = by_text(spec, "jacobian", from_columns, columns=part, y=y, x=x)
    return by_text(spec, "jacobian", in_precision_of, jacobian=found, x=x)


def row(
    spec: Specialiser,
    seeds: Seeds,
    rows: core.Leaf | None,
    y: core.Leaf,
    x: core.Leaf,
    k: int,
) -> core.Leaf:
    """The Jacobian of result ``k`` with respect to an argument, from the adjoints of
    that; None where it depends on no result."""
    if structure_jacobians.is_kept(x):
        start, _ = seeds.bounds[k]
        if rows is None:
            none = core.constant(None)
            return structure_jacobians.by_columns(spec, none, y, x, start)
        return structure_jacobians.by_rows(spec, rows, y, x, start)
    if rows is None:
        return by_text(spec, "jacobian", no_dependence, y=y, x=x)
    part = seeds.part(spec, rows, k)
    found = by_text(spec, "jacobian", from_rows, rows=part, y=y, x=x)
    return by_text(spec, "jacobian", in_precision_of, jacobian=found, x=x)


def check_rank(kind: ir.Kind) -> None:
    """Raise NotBatched for a value of which unit tangents can't be made at once."""
    if isinstance(kind, ir.Reference):
        return
    if ir.rank_of(kind) is None or ir.is_promoted(kind):
        raise core.NotBatched("the rank of an argument or result isn't known")


def by_text(
    spec: Specialiser, hint: str, text: Callable[..., Any], **values: core.Value
) -> core.Leaf:
    """What a text gives, in a variable of its own."""
    found = core.single(spec.expand(text, values))
    line = spec.block[-1] if spec.block else None
    own_line = isinstance(line, ir.Assign) and line.target == found.operand
    if not own_line or not isinstance(found.operand, ir.Var):
        return found
    assert isinstance(line, ir.Assign)
    own = spec.fresh(hint)
    spec.block[-1] = replace(line, target=own)
    return core.Leaf(own, found.kind)
