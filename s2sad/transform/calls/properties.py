"""What holds of parameters and results of procedures, for the transforms: noted when
all of a program is known, before anything is made of it."""

from collections.abc import Mapping

from s2sad import ir
from s2sad.analysis.dataflow.through_calls import Calls, OfProcedure, Property, in_calls
from s2sad.analysis.numbers import infinite_values, whole_numbers

_NOTED = (whole_numbers.WHOLE, infinite_values.SINGULAR)


def note_calls(
    function: ir.Function, given: Mapping[str, frozenset[str]] = {}
) -> dict[str, Calls]:
    """Note what holds in the calls of a whole program, beside what held in others, if
    so much holds of what is ``given`` to it. Found is where what holds, by the name of
    the property."""
    found = {
        wanted.name: in_calls(wanted, function, given.get(wanted.name, frozenset()))
        for wanted in _NOTED
    }
    for name, calls in found.items():
        for procedure, here in calls.items():
            if procedure.details is not None:
                known = procedure.details.in_calls.get(name, OfProcedure())
                procedure.details.in_calls[name] = OfProcedure(
                    known.given | here.given, known.results | here.results
                )
    procedures = ir.all_procedures([function.body])
    if procedures:
        is_infinite = infinite_values.infinite_cotangents(function)
    for procedure in procedures:
        if procedure.details is not None:
            known = bool(procedure.details.infinite_cotangent)
            procedure.details.infinite_cotangent = known or is_infinite(procedure, 0)
    return found


def note_derivatives(
    function: ir.Function, given: Mapping[str, frozenset[str]]
) -> None:
    """Note what holds in the calls of a derivative that is differentiated again: of
    other derivatives nothing is known yet."""
    called = (p.details for p in ir.called_procedures(function.body))
    if any(details is not None and not details.in_calls for details in called):
        note_calls(function, given)


def given_to(procedure: ir.Procedure) -> dict[str, frozenset[str]]:
    """What is known to hold of the parameters of a procedure."""
    noted: Mapping[str, OfProcedure] = procedure.details.in_calls
    return {name: known.given for name, known in noted.items() if known.given}


def calls_of(wanted: Property, function: ir.Function, given: frozenset[str]) -> Calls:
    """Where a property holds in the calls of a program, as it was noted."""

    def known(procedure: ir.Procedure) -> OfProcedure | None:
        if procedure.details is None:
            return OfProcedure()
        noted: Mapping[str, OfProcedure] = procedure.details.in_calls
        return noted.get(wanted.name)

    return in_calls(wanted, function, given, known)
