"""Operations on adjoints and tangents as a whole."""

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.structures import zeros_of_structure


def zeros_of(spec: Specialiser, operand: ir.Operand) -> ir.Apply:
    """Zeros for what a variable leads to; where the program writes into arrays, one
    that stands in several places has one array of zeros."""
    return ir.Apply(zeros_of_structure, (operand,), _words(spec))


def added_structure(
    spec: Specialiser, adjoint: ir.Operand, amounts: ir.Operand, own_keys: bool = False
) -> ir.Apply:
    """A structure added to an adjoint; where the program writes into arrays, into those
    that are there. Dicts of the structure may have more keys than such with
    ``own_keys``."""
    words = _words(spec)
    if own_keys:
        words = (*words, ("own_keys", ir.Const(True)))
    return ir.Apply(ops.add_structure, (adjoint, amounts), words)


def refuse_told_by_text(kind: ir.Kind) -> None:
    """Refuse tuples with numbers beside others: tangents, and gradients, have no texts
    that say which these are."""
    forms = list(ir.forms_in(kind))
    told = any(isinstance(form.slots.get(0), ir.Known) for form in forms)
    if told and any(form.is_value for form in forms):
        raise core.Unsupported(
            "the gradient of a tangent of tuples of which texts say what they hold",
            "take first derivatives, or make the tuples objects of classes",
        )


def _words(spec: Specialiser) -> tuple[tuple[str, ir.Const], ...]:
    written = ops.WRITTEN_ARRAYS in spec.facts.stored
    return (("arrays", ir.Const(True)),) if written else ()
