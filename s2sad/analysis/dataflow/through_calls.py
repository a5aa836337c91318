"""Through calls: what may hold of the variables of a program, when procedures are given
values of which it holds, and return them.

A property is found in one program at a time, where it is known for its parameters and
for the results of what it calls. Here it is found for all procedures that a program
calls, until nothing changes: of a parameter it holds where some call gives it such a
value.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace

from s2sad import ir
from s2sad.analysis.memory.ownership import called, targets
from s2sad.analysis.reverse.activity import SLOTS


@dataclass(frozen=True)
class OfProcedure:
    """Where a property holds in the calls of a procedure."""

    given: frozenset[str] = frozenset()
    """The parameters of which it may hold; and ``SLOTS``, where it may of what it or
    what it calls stores into some."""
    results: frozenset[int] = frozenset()
    """The results, by place."""


Calls = Mapping[ir.Procedure, OfProcedure]
NO_CALLS: Calls = {}


@dataclass(frozen=True)
class Property:
    """What may hold of a variable."""

    name: str
    variables: Callable[[ir.Function, Set[str], Calls], Set[str]]
    """Those of a program of which it may hold, if it may hold of some parameters and of
    what calls return."""
    holds: Callable[[ir.Operand, Set[str], Mapping[str, ir.Kind]], bool]
    """Whether it holds of an operand, if it does of these variables."""


def in_calls(
    wanted: Property,
    function: ir.Function,
    given: Set[str] = frozenset(),
    known: Callable[[ir.Procedure], OfProcedure | None] = lambda procedure: None,
) -> Calls:
    """Where a property holds in the calls of a program and of the procedures that it
    calls, unless that is ``known``; ``given`` are the parameters of the program of
    which it may hold."""
    procedures = ir.all_procedures([function.body], lambda p: known(p) is not None)
    calls = {p: known(p) or OfProcedure() for p in procedures}
    programs = {
        p: p.function for p in procedures if known(p) is None and ir.is_complete(p)
    }
    before: Calls | None = None
    while programs and before != calls:
        before = dict(calls)
        _hand_over(wanted, function, wanted.variables(function, given, calls), calls)
        for p, program in programs.items():
            found = wanted.variables(program, calls[p].given, calls)
            _hand_over(wanted, program, found, calls)
            last = program.final
            holds = [
                wanted.holds(v, found, program.kinds)
                for v in ir.tuple_items(last.value)
            ]
            places = frozenset(k for k, it_holds in enumerate(holds) if it_holds)
            given_here = calls[p].given | (found & {SLOTS})
            calls[p] = OfProcedure(given_here, places)
    return calls


def _hand_over(
    wanted: Property,
    function: ir.Function,
    found: Set[str],
    calls: dict[ir.Procedure, OfProcedure],
) -> None:
    """Note of which parameters a property holds where a program calls others."""
    for s in ir.walk(function.body):
        for call in ir.operations(s):
            procedure = call.function
            if isinstance(procedure, ir.Procedure) and ir.is_complete(procedure):
                given = zip(procedure.function.parameters, call.args, strict=False)
                names = {n for n, v in given if wanted.holds(v, found, function.kinds)}
                own = calls[procedure]
                calls[procedure] = replace(own, given=own.given | names)


def results_in(s: ir.Statement, calls: Calls) -> frozenset[str]:
    """The variables that get results of a call of which a property holds."""
    procedure = called(s)
    if procedure is None or procedure not in calls:
        return frozenset()
    places = calls[procedure].results
    return frozenset(str(v) for k, v in enumerate(targets(s)) if k in places)
