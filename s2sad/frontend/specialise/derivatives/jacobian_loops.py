"""Jacobians of programs whose tangents can't be carried together: row by row.

::

    rows = []
    for k in range(y.size):
        gradient = reshape(eye(1, y.size, k), y.shape)
        rows.append(x.bar)      # of the pullback of gradient
    jacobian = array(rows)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.foreign import unknown_result
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives import inlined_programs, structure_jacobians
from s2sad.ops.runtime.broadcasting import broadcast_to_shape_of
from s2sad.ops.runtime.fitting import require_rank
from s2sad.rules.steps import jacobian_steps

Results = int | tuple[int, ...] | None
"""Of which results there is a Jacobian: the first so many, those at some places, or
all."""


def wanted_places(kinds: list[ir.Kind], wanted: Results) -> list[int]:
    """The places of those that may carry a derivative."""
    if not isinstance(wanted, tuple):
        wanted = tuple(range(len(kinds))[:wanted])
    return [k for k in wanted if ir.is_real_number_kind(kinds[k])]


def jacobian_one_by_one(
    spec: Specialiser,
    procedure: ir.Procedure,
    given: list[core.Leaf],
    active: tuple[str, ...],
    direction: str,
    wanted: Results,
) -> tuple[list[core.Leaf], list[core.Leaf]]:
    """The results, and the Jacobian of each real one with respect to each of the
    parameters ``active``, by one tangent or cotangent after the other. Only the
    ``wanted`` results are differentiated."""
    parameters = procedure.details.parameters
    arguments = [
        leaf
        for leaf, parameter in zip(given, parameters, strict=True)
        if str(parameter.operand) in active
    ]
    order = [str(p.operand) for p in parameters if str(p.operand) in active]
    arguments = [arguments[order.index(name)] for name in active]
    results = inlined_programs.results_inlined(spec, procedure, given)
    places = wanted_places([leaf.kind for leaf in results], wanted)
    results = [_settled(spec, r) if k in places else r for k, r in enumerate(results)]
    real = [results[k] for k in places]
    for leaf in (*arguments, *real):
        if not isinstance(leaf.kind, ir.Reference):
            _check_shape(leaf, procedure)
    derived, spec.derived = spec.derived, True
    try:
        if direction == "forward":
            made = spec.derivatives.pushforward_of(
                procedure, active, unit_tangents=True
            )
            count = len(results)
            keep = {count + k: results[k] for k in places}
            columns = _rows(spec, made, given, arguments, keep)
            return results, [
                from_columns(spec, columns[j][i], y, x)
                for j, y in enumerate(real)
                for i, x in enumerate(arguments)
            ]
        if [ir.axes_of(leaf.kind) for leaf in real] == [()]:
            made = spec.derivatives.gradient_of(
                procedure, active, value=False, seeded=False, results=tuple(places)
            )
            return results, inlined_programs.results_of_derivative(spec, made, given)
        made = spec.derivatives.gradient_of(
            procedure, active, value=False, seeded=True, unit_seeds=True, results=wanted
        )
        rows = _rows(spec, made, given, real, dict(enumerate(arguments)))
        return results, [
            _from_rows(spec, rows[i][j], y, x)
            for j, y in enumerate(real)
            for i, x in enumerate(arguments)
        ]
    finally:
        spec.derived = derived


def from_columns(
    spec: Specialiser, columns: core.Leaf, y: core.Leaf, x: core.Leaf
) -> core.Leaf:
    """The Jacobian from its columns; of and by structures it is a structure."""
    if structure_jacobians.is_kept(x) or structure_jacobians.is_kept(y):
        start = core.constant(0)
        return structure_jacobians.by_columns(spec, columns, y, x, start)
    return made_by_text(spec, jacobian_steps.from_columns, columns=columns, y=y, x=x)


def _from_rows(
    spec: Specialiser, rows: core.Leaf, y: core.Leaf, x: core.Leaf
) -> core.Leaf:
    """The Jacobian from its rows; with respect to a structure it is a structure."""
    if structure_jacobians.is_kept(x):
        return structure_jacobians.by_rows(spec, rows, y, x, core.constant(0))
    return made_by_text(spec, jacobian_steps.from_rows, rows=rows, y=y, x=x)


def _rows(
    spec: Specialiser,
    made: ir.Procedure,
    given: list[core.Leaf],
    seeded: list[core.Leaf],
    keep: Mapping[int, core.Leaf],
) -> list[list[core.Leaf]]:
    """For each of the results kept, and each of the values seeded, what the program
    gives for unit seeds: derivatives of the shape of what ``keep`` maps them to."""
    names = [[spec.fresh("rows") for _ in seeded] for _ in keep]
    kinds: list[list[Any]] = [[None] * len(seeded) for _ in keep]
    for j, x in enumerate(seeded):
        for row in names:
            spec.assign(row[j], ir.Apply(ops.new_list, ()), ir.List(None))
        size = number_of_tangents(spec, x)
        place = spec.fresh("k")
        axis = ir.Axis("any", spec.fresh_owner("rows"))
        with spec.loop_over_places(place, size) as k:
            seeds = [_seed(spec, y, k, y is x) for y in seeded]
            found = inlined_programs.results_of_derivative(spec, made, [*given, *seeds])
            for i, (position, like) in enumerate(keep.items()):
                item = found[position]
                if ir.is_promoted(item.kind):
                    item = _applied(spec, broadcast_to_shape_of, item, like)
                kinds[i][j] = ir.List(ir.as_item(item.kind), axis)
                value = ir.Apply(ops.appended, (names[i][j], item.operand))
                spec.assign(names[i][j], value, kinds[i][j])
    return [
        [
            structure_jacobians.stacked(spec, core.Leaf(name, kind), like)
            if structure_jacobians.is_kept(like)
            else _applied(spec, np.array, core.Leaf(name, kind))
            for name, kind in zip(row, own, strict=True)
        ]
        for row, own, like in zip(names, kinds, keep.values(), strict=True)
    ]


def number_of_tangents(spec: Specialiser, x: core.Leaf) -> core.Leaf:
    """How many numbers a value holds."""
    if structure_jacobians.is_kept(x):
        return structure_jacobians.number_of_tangents(spec, x)
    return made_by_text(spec, jacobian_steps.number_of_elements, x=x)


def _seed(spec: Specialiser, x: core.Leaf, place: core.Leaf, own: bool) -> core.Leaf:
    """The unit seed of a value at a place; zeros for the others."""
    if structure_jacobians.is_kept(x):
        where = place if own else core.constant(-1)
        return structure_jacobians.unit_tangent(spec, x, where)
    if own:
        return made_by_text(spec, jacobian_steps.unit_seed, x=x, place=place)
    if ir.axes_of(x.kind) == ():
        return core.constant(0.0)
    return _applied(spec, np.zeros_like, x)


def _settled(spec: Specialiser, leaf: core.Leaf) -> core.Leaf:
    """A result; the run sees to it that one which may be a number is an array."""
    axes = ir.axes_of(leaf.kind)
    if not axes or not isinstance(leaf.kind, ir.Array) or not ir.is_promoted(leaf.kind):
        return leaf
    check = ir.Apply(require_rank, (leaf.operand, ir.Const(len(axes))))
    spec.emit(ir.Effect(spec.span, check))  # also where the value isn't read
    return _applied(spec, require_rank, leaf, core.constant(len(axes)))


def _check_shape(leaf: core.Leaf, procedure: ir.Procedure) -> None:
    kind = leaf.kind
    plain = isinstance(
        kind, ir.Scalar | ir.NumPyScalar | ir.Array
    ) and not ir.is_promoted(kind)
    if not plain or ir.axes_of(kind) is None:
        advice = "let what is returned be an array from its start, such as "
        advice += "np.zeros_like(x)"
        if isinstance(kind, ir.List):
            advice = "take it of a function of arrays: f(np.array(xs)), which gives one"
        problem = core.Unsupported(
            f"a Jacobian needs numbers and arrays of known rank, not {kind}", advice
        )
        raise unknown_result(procedure, (leaf,), problem)


def made_by_text(spec: Specialiser, text: Any, **values: core.Value) -> core.Leaf:
    """What a text gives."""
    return core.single(spec.expand(text, values))


def _applied(spec: Specialiser, function: Any, *args: core.Value) -> core.Leaf:
    return core.single(spec.apply(function, args))
