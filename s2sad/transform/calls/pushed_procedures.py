"""Tangents through procedures: a call of a program is differentiated in forward mode by
a call of one that carries tangents along.

::

    y = f(x)      y, y.dot = f_jvp(x, x.dot)

It is made once for the arguments that vary, and again where what calls give it may hold
more zeros by structure. While it is being made it may already be called, by itself.
"""

from dataclasses import dataclass, replace

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.derivatives import inlined_programs
from s2sad.frontend.specialise.recursion import forms
from s2sad.source.text.composed import OF_DERIVATIVE
from s2sad.transform.calls import (
    gradients_again,
    jacobians_again,
    properties,
    refused_parameters,
)
from s2sad.transform.calls.whole_jacobians import is_whole
from s2sad.transform.forward.forward import ForwardMode
from s2sad.transform.forward.tangents import fresh_parameter
from s2sad.transform.programs import primal_programs
from s2sad.transform.reverse.reverse import may_matter
from s2sad.transform.run_time.active_references import active_in


@dataclass(eq=False)
class _Pushed:
    """The program that carries tangents through a procedure."""

    procedure: ir.Procedure
    masked: frozenset[str] = frozenset()
    """The parameters that are given tangents which may hold zeros by selection."""
    unit: frozenset[str] = frozenset()
    """Those that are given tangents of which most elements are zero."""
    unit_results: frozenset[int] = frozenset()
    """The results whose tangents are such, too."""
    in_making: bool = False


def pushforward_of(
    procedure: ir.Procedure,
    active: tuple[str, ...],
    *,
    unit_tangents: bool = False,
    masked: frozenset[str] = frozenset(),
) -> ir.Procedure:
    """The program that takes the arguments and the tangents of those that vary, and
    returns the results and their tangents in one tuple. ``unit_tangents``: it is made
    for tangents of which most elements are zero; those of the parameters ``masked`` may
    hold zeros by selection. It is made again where a later call gives more of these."""
    unit = frozenset(active) if unit_tangents else frozenset[str]()
    return pushed_call(procedure, active, masked, unit)[0]


def pushed_call(
    procedure: ir.Procedure,
    active: tuple[str, ...],
    masked: frozenset[str],
    unit: frozenset[str],
) -> tuple[ir.Procedure, frozenset[int]]:
    """The same for a call that gives unit tangents, or what came from them, for the
    parameters ``unit``; and the results whose tangents are such, too."""
    if is_whole(procedure):
        pushed = jacobians_again.pushforward_of(procedure, active)
        if pushed is not None:
            return pushed, frozenset()
        procedure = jacobians_again.line_by_line(procedure)
    given_as = tuple(properties.given_to(procedure).items())
    key = ("pushforward", active, bool(unit), given_as)
    known = procedure.derived.get(key)
    if known is not None and masked <= known.masked and unit <= known.unit:
        return known.procedure, known.unit_results
    if known is None:
        name = f"{name_of(procedure, active, 'pushforward')}_jvp"
        made = ir.Procedure(name, f"Value and tangent of {procedure.short}.", procedure)
        made.short = f"{procedure.short}_jvp"
        known = procedure.derived[key] = _Pushed(made)
    known.masked |= masked
    known.unit |= unit
    if not known.in_making:
        _make_pushed(procedure, active, known)
    return known.procedure, known.unit_results


def _make_pushed(
    procedure: ir.Procedure, active: tuple[str, ...], known: _Pushed
) -> None:
    """Write the program, until it is made for all that calls of itself give."""
    made = None
    with primal_programs.in_making(procedure, known) as spec:
        spec.derived = True
        while made != (known.masked, known.unit):
            made = known.masked, known.unit
            if inlined_programs.hands_residuals_on(procedure):
                pushed, some_zero = known.procedure, any(made)
                gradients_again.fill_pushforward(procedure, active, pushed, some_zero)
            else:
                _fill_pushed(procedure, active, known)


def _fill_pushed(
    procedure: ir.Procedure, active: tuple[str, ...], known: _Pushed
) -> None:
    pushed = known.procedure
    specialised = primal_programs.specialised_procedure(procedure)
    spec = specialised.specialiser
    parameters: dict[str, core.Leaf] = {
        str(p.operand): p for p in procedure.details.parameters
    }
    with primal_programs.undisturbed(spec):
        spec.derived = True
        function = primal_programs.prepared(procedure)
        kinds = dict(function.kinds)
        given: dict[str, core.Leaf] = {}
        for parameter in active:
            own = fresh_parameter(f"{parameter}_dot", function)
            kind = parameters[parameter].kind
            if not isinstance(kind, ir.Reference):
                kind = ir.given_kind(ir.tangent_kind(kind))
            kinds[own] = kind
            given[parameter] = core.Leaf(ir.Var(own), kind)
        refused_parameters.check_refused(function, given, spec, True)
        varying = active_in(
            function, list(given), may_matter(function, spec), called=True
        )
        function = replace(function, kinds=kinds)
        mode = ForwardMode(function, specialised, varying, given, known.masked)
        mode.unit = set(known.unit)
        mode.is_called = True
        source = procedure.details.source
        written = source is not None and source.filename.startswith(OF_DERIVATIVE)
        mode.over_reverse = procedure.details.made or written
        program = mode.run()
        last = function.final
        known.unit_results = frozenset(
            k
            for k, v in enumerate(ir.operand_variables(last.value))
            if v.name in mode.unit
        )
        names = [str(leaf.operand) for leaf in given.values()]
        flat = [
            item
            for part in ir.tuple_items(program.final.value)
            for item in (part.items if isinstance(part, ir.Pack) else (part,))
        ]
        program = program.returning(ir.pack_tuple(*flat))
        program = replace(program, parameters=(*program.parameters, *names))
    pushed.function = named(program, pushed)
    values = list(procedure.details.parameters)
    dots = [core.Leaf(leaf.operand, leaf.kind) for leaf in given.values()]
    kinds_of_results = forms.returned_kinds(procedure)
    tangents = [
        kind if ir.is_of_references(kind) else kind.gradient_kind()
        for kind in kinds_of_results
    ]
    results = (*kinds_of_results, *tangents)
    assert len(flat) == len(results)
    pushed.details = inlined_programs.details_of_derivative(
        spec, (*values, *dots), results
    )


def named(function: ir.Function, procedure: ir.Procedure) -> ir.Function:
    return replace(function, name=procedure.__name__, docstring=procedure.docstring)


def name_of(procedure: ir.Procedure, active: tuple[str, ...], what: str) -> str:
    """Versions for other active parameters are told apart by them."""
    own = procedure.__name__
    others = any(key[0] == what for key in procedure.derived if isinstance(key, tuple))
    return f"{own}_{'_'.join(active)}" if others else own
