"""Jacobians taken inside a function that is differentiated: in forward or reverse mode,
all tangents at once or one after the other."""

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives import inlined_programs, structure_jacobians
from s2sad.frontend.specialise.derivatives.jacobian_loops import jacobian_one_by_one
from s2sad.frontend.specialise.recursion.forms import dynamic_leaves


@core.verb
def nested_jacobian(
    spec: Specialiser,
    procedure: ir.Procedure,
    given: list[core.Leaf],
    active: tuple[str, ...],
    direction: str,
    count: int | None,
) -> tuple[list[core.Leaf], list[core.Leaf]]:
    """The results of a program, and the Jacobian of each real one of the first
    ``count`` with respect to each of the parameters ``active``. An empty ``direction``
    is chosen by ranks."""
    direction = _fit_for_complex(procedure, active, count, direction)
    total = len(dynamic_leaves(procedure.details.result))
    try:
        made = spec.derivatives.jacobian_of(procedure, active, direction, count)
    except core.NotBatched as reason:
        if direction == "sum":
            raise core.Unsupported(f"elementwise_grad: {reason}", "use vjp") from None
        return jacobian_one_by_one(spec, procedure, given, active, direction, count)
    found = inlined_programs.results_of_derivative(spec, made, given)
    return found[:total], found[total:]


def _fit_for_complex(
    procedure: ir.Procedure, active: tuple[str, ...], count: int | None, direction: str
) -> str:
    """The direction in which a Jacobian of complex numbers says what it means: of real
    results the gradients, of real arguments the derivatives. What is complex at both
    ends has neither where it isn't holomorphic, and nobody says whether it is."""
    parameters = {str(p.operand): p.kind for p in procedure.details.parameters}
    before = any(structure_jacobians.holds_complex(parameters[name]) for name in active)
    results = dynamic_leaves(procedure.details.result)[:count]
    behind = any(structure_jacobians.holds_complex(leaf.kind) for leaf in results)
    if any(map(structure_jacobians.is_kept, results)):
        direction = direction and "forward"
    backwards = "sum" if direction == "sum" else "reverse"
    wanted = backwards if before else "forward" if behind else direction
    if (before and behind) or (direction and wanted and wanted != direction):
        raise core.Unsupported(
            "a Jacobian by complex numbers is that of real results, and one of complex "
            "results is that by real numbers",
            "take jacrev of the real and the imaginary part, or vjp and jvp",
        )
    return wanted or _direction(procedure, active, count)


def _direction(
    procedure: ir.Procedure, active: tuple[str, ...], count: int | None
) -> str:
    """Reverse where the ranks say that there are fewer results than arguments."""
    parameters = {str(p.operand): p.kind for p in procedure.details.parameters}
    results = dynamic_leaves(procedure.details.result)[:count]
    if any(map(structure_jacobians.is_kept, results)):
        return "forward"
    if any(isinstance(parameters[name], ir.Reference) for name in active):
        return "reverse"  # of however many numbers
    ranks = [ir.rank_of(parameters[name]) or 0 for name in active]
    wide = max((ir.rank_of(leaf.kind) or 0 for leaf in results), default=0)
    return "reverse" if wide < max(ranks) else "forward"
