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

import operator
from dataclasses import dataclass, replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.derivatives.inlined_programs import details_of_derivative
from s2sad.frontend.specialise.derivatives.jacobian_loops import Results, wanted_places
from s2sad.frontend.specialise.recursion import captured_variables, forms
from s2sad.ops.runtime.structures import as_structure, zeros_of_structure
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.batching.batch import VectorMode
from s2sad.transform.batching.lists import references
from s2sad.transform.batching.programs import batched_programs
from s2sad.transform.calls.cotangents_of_calls import with_cotangents_taken
from s2sad.transform.calls.gradients_again import names_of
from s2sad.transform.calls.pushed_procedures import pushforward_of
from s2sad.transform.calls.whole_jacobians import OfJacobian
from s2sad.transform.programs import jacobian_parts, primal_programs, webs
from s2sad.transform.programs.jacobian_parts import Seeds
from s2sad.transform.reverse.gradient import sweeps


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


@dataclass(frozen=True)
class Block:
    """One of the Jacobians: of a result with respect to an argument."""

    value: core.Leaf
    x: core.Leaf
    seeds: Seeds
    place: int
    """Which of the values seeded its columns, or rows, belong to."""


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
            jacobian_parts.check_rank(leaf.kind)
        for place, kind in enumerate(self.result_kinds):
            if self.is_wanted(place):
                self._check_result(kind)

    def _check_result(self, kind: ir.Kind) -> None:
        if self.direction != "forward" or not isinstance(kind, ir.List):
            jacobian_parts.check_rank(kind)
        if self.direction != "forward" and isinstance(kind, ir.Reference):
            raise core.NotBatched("a structure is returned")

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
        final = ir.Return(None, ir.packed(flat))
        program = replace(
            program,
            name=made.__name__,
            docstring=made.docstring,
            parameters=program.parameters + names_of(self.more_parameters),
            body=(*program.body, final),
        )
        made.function = program
        kinds = [*map(core.kind_of, values), *map(core.kind_of, blocks)]
        parameters = (*self.procedure.details.parameters, *self.more_parameters)
        made.details = details_of_derivative(self.spec, parameters, kinds)

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
            seeds = self._seeds(self.arguments)
            given = dict(zip(dots, seeds.values, strict=True))
            for name, seed in given.items():
                self.spec.assign(ir.Var(name), seed.operand, seed.kind)
        function = replace(program, body=tuple(body))
        lines, mode = self._batched(function, given, seeds.size)
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
                value = _whole(value, tuple(body))
                if not self.is_wanted(place):
                    continue
                for k, x in enumerate(self.arguments):
                    of = Block(value, x, seeds, k)
                    blocks.append(self._column(mode, tangent, of))
        function = replace(
            program,
            parameters=program.parameters[:own],
            body=(*start, *lines, *end),
            kinds={**kinds, **(mode.function.kinds if mode else {})},
            temporaries=frozenset(program.temporaries | self.spec.temporaries),
        )
        return function, values, blocks

    def _column(
        self, mode: VectorMode | None, tangent: ir.Operand, of: Block
    ) -> core.Leaf:
        """The Jacobian, from what the tangent of its result is."""
        if mode is None and isinstance(tangent, ir.Var):
            return core.Leaf(tangent, ir.tangent_kind(of.value.kind))
        columns, spec = _in_batch(mode, tangent), self.spec
        return jacobian_parts.column(spec, of.seeds, columns, of.value, of.x, of.place)

    def _one(self, mode: VectorMode | None, value: core.Leaf) -> core.Leaf:
        """A result that all tangents have alike, where there is one for each."""
        if mode is None or str(value.operand) not in mode.batched:
            return value
        if ir.is_of_references(value.kind):
            raise core.NotBatched("there is a structure for each tangent")
        whole = mode.leaf(str(value.operand))
        return core.single(self.spec.apply(operator.getitem, (whole, core.constant(0))))

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
        kept = adjoints_made(both.function, function)
        program, ahead, behind, operands, adjoints = self._split_at_seeds(both, kept)
        begin = [s for s in behind[: len(kept)] if isinstance(s, ir.Effect)]
        wide = [s.value.args[0] for s in begin]
        behind = behind[len(kept) :]
        values = [
            core.Leaf(operand, kind)
            for operand, kind in zip(operands, self.result_kinds, strict=True)
        ]
        results = [values[k] for k in real]
        with self.spec.new_block() as start:
            seeds = self._seeds(results if names else [])
            for name, one in zip(names.values(), seeds.values, strict=True):
                self.spec.assign(name, one.operand, one.kind)
        given = dict(zip(map(str, names.values()), seeds.values, strict=True))
        function = replace(program, body=behind)
        lines, mode = self._batched(function, given, seeds.size)
        with self.spec.new_block() as widened:
            for adjoint in wide if mode is not None else ():
                references.widen(self.spec, adjoint, seeds.size)
        blocks: list[core.Leaf] = []
        with self.spec.new_block() as end:
            rows = results[:1] if self.direction == "sum" else results
            for k, value in enumerate(rows):
                for x, adjoint in zip(self.arguments, adjoints, strict=True):
                    if mode is not None and isinstance(x.kind, ir.Reference):
                        adjoint = _adjoint_behind(adjoint, (*ahead, *behind), wide)
                    of = Block(value, x, seeds, k)
                    blocks.append(self._row(mode, adjoint, of))
        count = len(program.parameters) - len(names)
        function = replace(
            program,
            parameters=program.parameters[:count],
            body=(*ahead, *start, *widened, *lines, *end),
            kinds={**program.kinds, **(mode.function.kinds if mode else {})},
            temporaries=frozenset(program.temporaries | self.spec.temporaries),
        )
        return function, values, blocks

    def _split_at_seeds(
        self, both: Any, kept: list[ir.Var]
    ) -> tuple[
        ir.Function, ir.Block, ir.Block, tuple[ir.Operand, ...], tuple[ir.Operand, ...]
    ]:
        """The two sweeps, in which each variable has one kind, with the results and
        the adjoints; the second begins with a line for each adjoint that is ``kept``.
        """
        between = ir.Assign(None, ir.Var(".seeds"), ir.Const(None))
        adjoints = [core.operand_of(g) for g in both.gradients]
        result = both.result
        values = result.items if isinstance(result, ir.Pack) else (result,)
        final = ir.Return(None, ir.pack_tuple(*values, *adjoints))
        none = ir.Const(None)
        lines = (ir.Apply(ops.put_axis_in_front, (one, none)) for one in kept)
        begin = (ir.Effect(None, line) for line in lines)
        body = (*both.function.body, between, *begin, *both.reverse, final)
        program = webs.split_webs(replace(both.function, body=body))
        place = next(
            k
            for k, s in enumerate(program.body)
            if isinstance(s, ir.Assign) and s.target == between.target
        )
        operands = ir.tuple_items(program.final.value)
        count = len(values)
        ahead, behind = program.body[:place], program.body[place + 1 : -1]
        return program, ahead, behind, operands[:count], operands[count:]

    def _row(
        self, mode: VectorMode | None, operand: ir.Operand, of: Block
    ) -> core.Leaf:
        """The Jacobian, from what the adjoint of its argument is."""
        kind = of.x.kind
        if mode is None:
            return core.Leaf(operand, ir.tangent_kind(kind))
        rows, spec = _in_batch(mode, operand), self.spec
        if isinstance(kind, ir.Reference) and isinstance(operand, ir.Var):
            rows = core.Leaf(operand, kind)
        return jacobian_parts.row(spec, of.seeds, rows, of.value, of.x, of.place)

    # ---------------------------------------------------------------- steps

    def _seeds(self, values: list[core.Leaf]) -> Seeds:
        """The unit tangents of some values."""
        return jacobian_parts.seeds_of(self.spec, values)

    def _batched(
        self, function: ir.Function, seeds: dict[str, core.Leaf], size: core.Leaf
    ) -> tuple[ir.Block, VectorMode | None]:
        """The lines for all unit tangents; as they are where there is but one."""
        if all(ir.rank_of(seed.kind) == 0 for seed in seeds.values()):
            return function.body, None
        function = with_cotangents_taken(function)
        axes = [found for seed in seeds.values() if (found := ir.axes_of(seed.kind))]
        axis = axes[0][0] if axes else ir.Axis("any")
        if axis.symbol is None:
            axis = ir.Axis(axis.length, self.spec.fresh_owner("tangents"))
        for name, seed in seeds.items():
            rank = ir.axes_of(seed.kind)
            if rank is None or not isinstance(seed.kind, ir.Array):
                continue
            seeds[name] = replace(seed, kind=replace(seed.kind, axes=(axis, *rank[1:])))
        given = {name: seed.kind for name, seed in seeds.items()}
        mode = batched_programs.vector_mode(
            function,
            self.spec,
            given,
            size,
            axis,
            rows_in_adjoints=self.direction != "forward",
        )
        return mode.block(function.body), mode


def _in_batch(mode: VectorMode | None, operand: ir.Operand) -> core.Leaf | None:
    """What a value is for each tangent; None where it is the same for all."""
    if mode is None or not isinstance(operand, ir.Var):
        return None
    return mode.leaf(operand.name) if operand.name in mode.batched else None


def _whole(value: core.Leaf, block: ir.Block) -> core.Leaf:
    """A result; for a gradient by a structure, of which the form alone is asked, the
    structure."""
    for s in block:
        if ir.is_line(s, as_structure) and s.target == value.operand:
            return core.Leaf(s.value.args[0], value.kind)
    return value


def adjoints_made(made: ir.Function, function: ir.Function) -> list[ir.Var]:
    """The structures of zeros that the forward sweep of a function makes for adjoints.
    How many cotangents there are is known behind it: raises NotBatched where some are
    made elsewhere than at its beginning."""
    own = ir.names_written_in(function.body)
    found = [
        s.target
        for s in ir.walk(made.body)
        if ir.is_line(s, zeros_of_structure)
        if isinstance(s.target, ir.Var) and s.target.name not in own
    ]
    called = [p.function.body for p in ir.all_procedures([made.body])]
    inside = any(ir.is_line(s, zeros_of_structure) for b in called for s in ir.walk(b))
    outermost = {s.target for s in made.body if isinstance(s, ir.Assign)}
    if inside or not outermost.issuperset(found):
        raise core.NotBatched("an adjoint is made where it isn't known for how many")
    return found


def _adjoint_behind(
    gradient: ir.Operand, block: ir.Block, wide: list[ir.Operand]
) -> ir.Operand:
    """The adjoint with rows that the gradient by a structure is made of; None where
    nothing contributes to one."""
    for s in block:
        if ir.is_line(s, as_structure) and s.target == gradient:
            adjoint = s.value.args[1]
            return adjoint if adjoint in wide else ir.Const(None)
    raise core.NotBatched("a gradient comes from elsewhere")
