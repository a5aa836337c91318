"""Compressed sweeps: the program that carries given tangents, or cotangents, at once.

::

    def f(x):                   def f_sweep(x, seeds):
        return sin(x) * w           x.dot = seeds            # one tangent a row
                            ->      y.dot = mul(mul(x.dot, cos(x)), w)
                                    return y.dot

Each seed is the sum of unit tangents of elements that no result shares, so that the
columns of a sparse Jacobian can be read from the sums (Curtis, Powell and Reid, On the
estimation of sparse Jacobian matrices, 1974). In reverse mode seeds are cotangents of
the result, and rows are summed.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.recursion.forms import returned_kinds
from s2sad.rules.steps.shape_queries import axis_length
from s2sad.transform.batching.batch import VectorMode
from s2sad.transform.programs import jacobian_parts, jacobians, primal_programs


def compressed_sweep_of(
    procedure: ir.Procedure, active: str, direction: str
) -> ir.Procedure:
    """The program that takes the arguments and seeds, and returns what becomes of the
    seeds, along the first axis. ``direction`` is "forward" or "reverse".

    Raises NotBatched where tangents can't be carried together.
    """
    key = ("compressed sweep", active, direction)
    known: ir.Procedure | None = procedure.derived.get(key)
    if known is None:
        made = ir.Procedure(
            f"{procedure.__name__}_sweep", f"Compressed sweep of {procedure.__name__}."
        )
        spec = procedure.details.spec
        with primal_programs.undisturbed(spec):
            spec.derived = True
            _CompressedSweep(procedure, (active,), direction).fill(made)
        known = procedure.derived[key] = made
    return known


@dataclass
class _CompressedSweep(jacobians.JacobianInTheMaking):
    """Such a program in the making."""

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = returned_kinds(self.procedure)
        if len(kinds) != 1 or not ir.is_real_number_kind(kinds[0]):
            raise core.Unsupported(
                "a sparse Jacobian is that of one array of floats", "return one array"
            )
        kind = self.arguments[0].kind if self.direction == "forward" else kinds[0]
        axes = ir.axes_of(kind)
        assert axes is not None
        self.axis = ir.Axis("any", self.spec.fresh_owner("seeds"))
        self.given = core.Leaf(
            self.spec.fresh("seeds"), ir.Array(ir.dtype_of(kind), (self.axis, *axes))
        )

    @property
    def more_parameters(self) -> tuple[core.Leaf, ...]:
        """The seeds."""
        return (self.given,)

    def _forward(self) -> Any:
        function, _, blocks = super()._forward()
        return self._with_seeds(function), [], blocks

    def _reverse(self) -> Any:
        function, _, blocks = super()._reverse()
        return self._with_seeds(function), [], blocks

    def _with_seeds(self, function: Any) -> Any:
        kinds = {**function.kinds, str(self.given.operand): self.given.kind}
        return replace(function, kinds=kinds)

    def _seeds(self, values: list[core.Leaf]) -> jacobian_parts.Seeds:
        size = core.single(self.spec.apply(axis_length, (self.given, core.constant(0))))
        return jacobian_parts.Seeds([self.given], [(core.constant(0), size)], size)

    def _column(
        self, mode: VectorMode | None, tangent: ir.Operand, of: jacobians.Block
    ) -> core.Leaf:
        return self._carried(mode, tangent, of.value)

    def _row(
        self, mode: VectorMode | None, operand: ir.Operand, of: jacobians.Block
    ) -> core.Leaf:
        return self._carried(mode, operand, of.x)

    def _carried(
        self, mode: VectorMode | None, operand: ir.Operand, like: core.Leaf
    ) -> core.Leaf:
        """What became of the seeds; zeros where that doesn't depend on them."""
        assert mode is not None
        if isinstance(operand, ir.Var) and operand.name in mode.batched:
            return mode.leaf(operand.name)
        axes = ir.axes_of(like.kind)
        assert axes is not None
        shape = mode.shape_with_size(like, axes)
        return core.single(self.spec.apply(np.zeros, (shape,)))
