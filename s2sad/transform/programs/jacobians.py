"""Jacobians: the program that carries all unit tangents, or cotangents, at once.

::

    def f(x):                   def f_jacobian(x):
        return sin(x) * w           x.dot = eye(x.shape[0])
                            ->      y.dot = mul(mul(x.dot, cos(x)), w)
                                    return transpose(y.dot)

In forward mode there is a tangent for each element of the arguments, in reverse mode a
cotangent for each element of the results (Griewank and Walther, Evaluating Derivatives,
2nd ed., chapter 8).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.derivatives.jacobian_loops import Results, wanted_places
from s2sad.frontend.specialise.recursion import captured_variables, forms
from s2sad.rules.steps.jacobian_steps import (
    from_columns,
    from_rows,
    in_precision_of,
    no_dependence,
    number_of_elements,
    some_unit_seeds,
    unit_seeds,
)
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.batching.batch import VectorMode
from s2sad.transform.batching.programs.batched_programs import (
    vector_mode,
)
from s2sad.transform.calls.cotangents_of_calls import with_cotangents_taken
from s2sad.transform.calls.pushed_procedures import pushforward_of
from s2sad.transform.calls.whole_jacobians import OfJacobian
from s2sad.transform.programs import primal_programs, webs
from s2sad.transform.reverse.gradient import sweeps

Bounds = list[tuple[core.Leaf, core.Leaf]]
"""Where the unit tangents of each of some values start and stop."""


def jacobian_of(
    procedure: ir.Procedure,
    active: tuple[str, ...],
    direction: str,
    results: Results = None,
) -> ir.Procedure:
    """The program that returns the results and, for each real one, its Jacobian with
    respect to each of the parameters ``active``, in "forward" or "reverse"
    ``direction``. In direction "sum" it is summed over the elements of the result.

    Raises NotBatched where tangents can't be carried together.
    """
    key = ("jacobian", active, direction, results)
    known: ir.Procedure | None = procedure.derived.get(key)
    if known is None:
        made = ir.Procedure(
            f"{procedure.__name__}_jacobian", f"Jacobian of {procedure.__name__}."
        )
        with primal_programs.undisturbed(procedure.details.spec):
            procedure.details.spec.derived = True
            JacobianInTheMaking(procedure, active, direction, results).fill(made)
            made.gradient = OfJacobian(procedure, active, direction, results)
        known = procedure.derived[key] = made
    return known


@dataclass
class JacobianInTheMaking:
    """A Jacobian in the making."""

    procedure: ir.Procedure
    active: tuple[str, ...]
    direction: str
    results: Results = None

    def is_wanted(self, place: int) -> bool:
        """Whether the Jacobian of a result is asked for."""
        return place in wanted_places(self.result_kinds, self.results)

    def __post_init__(self) -> None:
        details: captured_variables.Details = self.procedure.details
        self.spec = details.spec
        parameters = {str(p.operand): p for p in details.parameters}
        self.arguments = [parameters[name] for name in self.active]
        self.result_kinds = forms.returned_kinds(self.procedure)
        for leaf in self.arguments:
            _check_rank(leaf.kind)
        for place, kind in enumerate(self.result_kinds):
            if self.is_wanted(place):
                _check_rank(kind)

    @property
    def more_parameters(self) -> tuple[core.Leaf, ...]:
        """What the program takes behind the arguments."""
        return ()

    def fill(self, made: ir.Procedure) -> None:
        """Write the program."""
        program, values, blocks = (
            self._forward() if self.direction == "forward" else self._reverse()
        )
        flat = [*map(core.operand_of, values), *map(core.operand_of, blocks)]
        final = ir.Return(None, flat[0] if len(flat) == 1 else ir.pack_tuple(*flat))
        program = replace(
            program,
            name=made.__name__,
            docstring=made.docstring,
            parameters=(
                *program.parameters,
                *(str(leaf.operand) for leaf in self.more_parameters),
            ),
            body=(*program.body, final),
        )
        made.function = program
        kinds = [*map(core.kind_of, values), *map(core.kind_of, blocks)]
        results = [core.Leaf(ir.Var("result"), kind) for kind in kinds]
        result = results[0] if len(results) == 1 else core.aggregate_of(tuple(results))
        details: captured_variables.Details = self.procedure.details
        made.details = captured_variables.Details(
            self.spec,
            (*details.parameters, *self.more_parameters),
            {},
            0,
            result=result,
            made=True,
        )

    # ---------------------------------------------------------------- forward

    def _forward(self) -> tuple[ir.Function, list[core.Leaf], list[core.Leaf]]:
        pushed = pushforward_of(self.procedure, self.active, unit_tangents=True)
        program = webs.split_webs(pushed.function)
        *body, last = program.body
        assert isinstance(last, ir.Return) and isinstance(last.value, ir.Pack)
        own = len(self.procedure.details.parameters)
        dots = program.parameters[own:]
        kinds = dict(program.kinds)
        with self.spec.new_block() as start:
            seeds, bounds = self._seeds(self.arguments)
            for name, seed in zip(dots, seeds, strict=True):
                self.spec.assign(ir.Var(name), seed.operand, seed.kind)
        lines, mode = self._batched(
            replace(program, body=tuple(body)), dict(zip(dots, seeds, strict=True))
        )
        count = len(self.result_kinds)
        values = [
            core.Leaf(operand, kind)
            for operand, kind in zip(
                last.value.items[:count], self.result_kinds, strict=True
            )
        ]
        tangents = last.value.items[count:]
        blocks: list[core.Leaf] = []
        with self.spec.new_block() as end:
            values = [self._one(mode, value) for value in values]
            pairs = zip(values, tangents, strict=True)
            for place, (value, tangent) in enumerate(pairs):
                if not self.is_wanted(place):
                    continue
                for k, x in enumerate(self.arguments):
                    blocks.append(self._column(mode, tangent, value, x, bounds, k))
        function = replace(
            program,
            parameters=program.parameters[:own],
            body=(*start, *lines, *end),
            kinds={**kinds, **(mode.function.kinds if mode else {})},
            temporaries=frozenset(program.temporaries | self.spec.temporaries),
        )
        return function, values, blocks

    def _one(self, mode: VectorMode | None, value: core.Leaf) -> core.Leaf:
        """A result that all tangents have alike, where there is one for each."""
        if mode is None or str(value.operand) not in mode.batched:
            return value
        whole = mode.leaf(str(value.operand))
        made = self.spec.apply(operator.getitem, (whole, core.constant(0)))
        assert isinstance(made, core.Leaf)
        return made

    def _column(
        self,
        mode: VectorMode | None,
        tangent: ir.Operand,
        value: core.Leaf,
        x: core.Leaf,
        bounds: Bounds,
        k: int,
    ) -> core.Leaf:
        """The Jacobian of a result with respect to an argument."""
        if not isinstance(tangent, ir.Var):
            return self._made("jacobian", no_dependence, y=value, x=x)
        if mode is None:
            return core.Leaf(tangent, ir.tangent_kind(value.kind))
        if tangent.name not in mode.batched:
            return self._made("jacobian", no_dependence, y=value, x=x)
        own = self.spec.apply(ops.own_copy, (mode.leaf(tangent.name),), hint="columns")
        assert isinstance(own, core.Leaf)
        part = self._part(own, bounds, k)
        made = self._made("jacobian", from_columns, columns=part, y=value, x=x)
        return self._made("jacobian", in_precision_of, jacobian=made, x=x)

    # ---------------------------------------------------------------- reverse

    def _reverse(self) -> tuple[ir.Function, list[core.Leaf], list[core.Leaf]]:
        specialised = primal_programs.specialised_procedure(self.procedure)
        function = primal_programs.prepared(self.procedure)
        real = [k for k in range(len(self.result_kinds)) if self.is_wanted(k)]
        kinds = dict(function.kinds)
        names = {k: self.spec.fresh("gradient") for k in real}
        if self.direction == "sum":
            names = {}
        parts: list[core.Value] = []
        for k, kind in enumerate(self.result_kinds):
            if k not in names:  # a cotangent of 1 broadcasts
                summed = self.direction == "sum" and k in real
                parts.append(core.constant(1.0 if summed else None))
                continue
            kinds[names[k].name] = ir.tangent_kind(kind)
            parts.append(core.Leaf(names[k], ir.tangent_kind(kind)))
        function = replace(
            function,
            kinds=kinds,
            parameters=(*function.parameters, *(v.name for v in names.values())),
        )
        seed = parts[0] if len(parts) == 1 else core.aggregate_of(tuple(parts))
        both = sweeps(
            specialised,
            function,
            self.active,
            seed,
            recompute=self.spec.options.recompute,
            whole_seeds=True,
            marked=Masked.NO if self.direction == "sum" else Masked.UNIT,
        )
        program, ahead, behind, operands, adjoints = self._split_at_seeds(both)
        values = [
            core.Leaf(operand, kind)
            for operand, kind in zip(operands, self.result_kinds, strict=True)
        ]
        results = [values[k] for k in real]
        with self.spec.new_block() as start:
            seeds, bounds = self._seeds(results) if names else ([], [])
            for name, one in zip(names.values(), seeds, strict=True):
                self.spec.assign(name, one.operand, one.kind)
        given = {v.name: one for v, one in zip(names.values(), seeds, strict=True)}
        lines, mode = self._batched(replace(program, body=behind), given)
        blocks: list[core.Leaf] = []
        with self.spec.new_block() as end:
            rows = results[:1] if self.direction == "sum" else results
            for k, value in enumerate(rows):
                for x, adjoint in zip(self.arguments, adjoints, strict=True):
                    blocks.append(self._row(mode, adjoint, value, x, bounds, k))
        count = len(program.parameters) - len(names)
        function = replace(
            program,
            parameters=program.parameters[:count],
            body=(*ahead, *start, *lines, *end),
            kinds={**program.kinds, **(mode.function.kinds if mode else {})},
            temporaries=frozenset(program.temporaries | self.spec.temporaries),
        )
        return function, values, blocks

    def _split_at_seeds(
        self, both: Any
    ) -> tuple[
        ir.Function, ir.Block, ir.Block, tuple[ir.Operand, ...], tuple[ir.Operand, ...]
    ]:
        """The two sweeps, in which each variable has one kind, with the results and
        the adjoints."""
        between = ir.Assign(None, ir.Var(".seeds"), ir.Const(None))
        adjoints = [core.operand_of(g) for g in both.gradients]
        result = both.result
        values = result.items if isinstance(result, ir.Pack) else (result,)
        final = ir.Return(None, ir.pack_tuple(*values, *adjoints))
        body = (*both.function.body, between, *both.reverse, final)
        program = webs.split_webs(replace(both.function, body=body))
        place = next(
            k
            for k, s in enumerate(program.body)
            if isinstance(s, ir.Assign) and s.target == between.target
        )
        last = program.body[-1]
        assert isinstance(last, ir.Return) and isinstance(last.value, ir.Pack)
        operands = last.value.items
        count = len(values)
        ahead, behind = program.body[:place], program.body[place + 1 : -1]
        return program, ahead, behind, operands[:count], operands[count:]

    def _row(
        self,
        mode: VectorMode | None,
        operand: ir.Operand,
        value: core.Leaf,
        x: core.Leaf,
        bounds: Bounds,
        k: int,
    ) -> core.Leaf:
        """The Jacobian of a result with respect to an argument."""
        if mode is None:
            return core.Leaf(operand, ir.tangent_kind(x.kind))
        if not isinstance(operand, ir.Var) or operand.name not in mode.batched:
            return self._made("jacobian", no_dependence, y=value, x=x)
        part = self._part(mode.leaf(operand.name), bounds, k)
        made = self._made("jacobian", from_rows, rows=part, y=value, x=x)
        return self._made("jacobian", in_precision_of, jacobian=made, x=x)

    # ---------------------------------------------------------------- steps

    def _seeds(self, values: list[core.Leaf]) -> tuple[list[core.Leaf], Bounds]:
        """The unit tangents of some values, and where those of each start and stop."""
        spec = self.spec
        if len(values) == 1:
            self.size = self._made("count", number_of_elements, x=values[0])
            bounds = [(core.constant(0), self.size)]
            if ir.rank_of(values[0].kind) == 0:
                return [core.constant(1.0)], bounds
            return [self._made("seeds", unit_seeds, x=values[0])], bounds
        stop = core.constant(0)
        bounds = []
        for value in values:
            start = stop
            length = self._made("count", number_of_elements, x=value)
            total = spec.operate(operator.add, (start, length), None)
            assert isinstance(total, core.Leaf)
            stop = total
            if isinstance(stop.operand, ir.Var):
                spec.read_again.add(stop.operand)
            bounds.append((start, stop))
        self.size = stop
        seeds = [
            self._made("seeds", some_unit_seeds, x=value, count=stop, start=start)
            for value, (start, _) in zip(values, bounds, strict=True)
        ]
        return seeds, bounds

    def _batched(
        self, function: ir.Function, seeds: dict[str, core.Leaf]
    ) -> tuple[ir.Block, VectorMode | None]:
        """The lines for all unit tangents; as they are where there is but one."""
        if all(ir.rank_of(seed.kind) == 0 for seed in seeds.values()):
            return function.body, None
        function = with_cotangents_taken(function)
        axes = [ir.axes_of(seed.kind) for seed in seeds.values()]
        axis = axes[0][0] if axes[0] else ir.Axis("any")
        if axis.symbol is None:
            axis = ir.Axis(axis.length, self.spec.fresh_owner("tangents"))
        for name, seed in seeds.items():
            rank = ir.axes_of(seed.kind)
            assert rank is not None and isinstance(seed.kind, ir.Array)
            seeds[name] = replace(seed, kind=replace(seed.kind, axes=(axis, *rank[1:])))
        given = {name: seed.kind for name, seed in seeds.items()}
        mode = vector_mode(function, self.spec, given, self.size, axis)
        return mode.block(function.body), mode

    def _part(self, rows: core.Leaf, bounds: Bounds, k: int) -> core.Leaf:
        """The rows that belong to one of several values."""
        if len(bounds) == 1:
            return rows
        start, stop = bounds[k]
        if start == core.constant(0):
            start = core.constant(None)
        if k == len(bounds) - 1:
            stop = core.constant(None)
        index = core.slice_of(start, stop, core.constant(None))
        part = self.spec.apply(operator.getitem, (rows, index))
        assert isinstance(part, core.Leaf)
        return part

    def _made(
        self, hint: str, text: Callable[..., Any], **values: core.Value
    ) -> core.Leaf:
        """What a text gives, in a variable of its own."""
        spec = self.spec
        made = spec.expand(text, values)
        assert isinstance(made, core.Leaf)
        line = spec.block[-1] if spec.block else None
        own_line = isinstance(line, ir.Assign) and line.target == made.operand
        if not own_line or not isinstance(made.operand, ir.Var):
            return made
        assert isinstance(line, ir.Assign)
        own = spec.fresh(hint)
        spec.block[-1] = replace(line, target=own)
        return core.Leaf(own, made.kind)


def _check_rank(kind: ir.Kind) -> None:
    if ir.rank_of(kind) is None or ir.is_promoted(kind):
        raise core.NotBatched("the rank of an argument or result isn't known")
