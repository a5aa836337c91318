"""Destination passing: the reverse program of a recursion adds into the adjoint of its
caller, instead of returning one of its own.

::

    def f_reverse(residuals, g):           def f_reverse(residuals, g, x.bar):
        x.bar = zeros_like(x)
        x.bar[1:] = f_reverse(r, h)   ->       f_reverse(r, h, x.bar[1:])
        x.bar[0] += g                          x.bar[0] += g
        return x.bar

A recursion over slices of an array costs as much as the array is long, and so does its
gradient; with an array of its own for each slice, or for each call that reads one item,
it would cost the square of that.

Takes programs whose stores write into buffers (``own_written_buffers``); gives the
same. What may stand between a call and the sum of its result is in
``destinations_in_calls.py``.
"""

from s2sad import ir
from s2sad.analysis.memory.ownership import Ownership
from s2sad.optimise.buffers.destinations_in_calls import HandedCalls, called_in
from s2sad.optimise.buffers.destinations_in_programs import ProgramBuffer, results_of

Programs = dict[ir.Procedure, ir.Function]


def hand_buffers(
    functions: list[ir.Function], procedures: Programs, ownership: Ownership
) -> tuple[list[ir.Function], Programs]:
    """The functions and the procedures that they call, with buffers handed on wherever
    that is possible. ``ownership`` says what else is handed over at calls."""
    tried: set[tuple[ir.Procedure, int]] = set()
    programs: Programs = dict(procedures)
    known: dict[int, tuple[ir.Function, set[ir.Procedure]]] = {}
    """What each program calls, by its identity: few of them change each time."""
    while True:
        called: set[ir.Procedure] = set()
        for f in [*functions, *programs.values()]:
            if id(f) not in known:
                known[id(f)] = f, called_in([f])
            called |= known[id(f)][1]
        places = [
            (procedure, place)
            for procedure, function in programs.items()
            if procedure in called
            for place in range(len(results_of(function)))
            if (procedure, place) not in tried
        ]
        before = programs
        for procedure, place in places:
            tried.add((procedure, place))
            functions, programs, ownership = _with_handed(
                functions, programs, procedure, place, ownership
            )
            if programs is not before:
                break
        else:
            break
    return functions, _reached(functions, programs)


def _with_handed(
    functions: list[ir.Function],
    programs: Programs,
    procedure: ir.Procedure,
    place: int,
    ownership: Ownership,
) -> tuple[list[ir.Function], Programs, Ownership]:
    """One result of one procedure handed on, as far as that is possible."""
    own = ProgramBuffer.of(procedure, programs[procedure], place)
    if own is None:
        return functions, programs, ownership
    handed = ir.Procedure(procedure.__name__, procedure.docstring, procedure)
    handed.short = procedure.short
    handed.handed = procedure.handed + 1
    handed.owned, handed.is_batched = procedure.owned, procedure.is_batched
    handed.seeded = procedure.seeded
    if procedure.reverses is not None:
        forward, places = procedure.reverses
        handed.reverses = forward, (*places[:place], *places[place + 1 :])
    results = len(results_of(programs[procedure]))
    before = functions, programs, ownership
    ownership = ownership.with_fewer_results(handed, procedure, place)
    change = HandedCalls(procedure, place, handed, results, ownership)
    functions = [change.function(f) for f in functions]
    programs = {p: change.function(f, p) for p, f in programs.items()}
    wanted = change.found
    if not wanted and not own.is_made_by_itself:
        return before
    # The other calls get zeros to add to, so that one program serves them all.
    change.with_zeros = True
    functions = [change.function(f) for f in functions]
    programs = {p: change.function(f, p) for p, f in programs.items()}
    buffer = ProgramBuffer.of(procedure, programs[procedure], place)
    assert buffer is not None
    change.with_zeros = False  # what calls itself hands on what it is given
    handed.function = change.by_itself(buffer)
    others = [f for p, f in programs.items() if p is not procedure]
    if not wanted and procedure in called_in([*functions, *others, handed.function]):
        return before  # nothing is gained where some calls return adjoints still
    programs[handed] = handed.function
    return functions, programs, ownership


def _reached(functions: list[ir.Function], programs: Programs) -> Programs:
    """The programs that are called still, in the order they were in."""
    reached: set[ir.Procedure] = set()
    pending = list(functions)
    while pending:
        new = called_in([pending.pop()]) - reached
        reached |= new
        pending += [programs[p] for p in new]
    return {p: f for p, f in programs.items() if p in reached}
