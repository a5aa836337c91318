"""Operations on adjoints and tangents as a whole."""

from s2sad import ir, ops
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.structures import zeros_of_structure


def zeros_of(spec: Specialiser, operand: ir.Operand) -> ir.Apply:
    """Zeros for what a variable leads to; where the program writes into arrays, one
    that stands in several places has one array of zeros."""
    return ir.Apply(zeros_of_structure, (operand,), _words(spec))


def added_structure(
    spec: Specialiser, adjoint: ir.Operand, amounts: ir.Operand
) -> ir.Apply:
    """A structure added to an adjoint; where the program writes into arrays, into those
    that are there."""
    return ir.Apply(ops.add_structure, (adjoint, amounts), _words(spec))


def _words(spec: Specialiser) -> tuple[tuple[str, ir.Const], ...]:
    written = ops.WRITTEN_ARRAYS in spec.facts.stored
    return (("arrays", ir.Const(True)),) if written else ()
