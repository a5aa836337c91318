"""Calls inside try statements, of procedures that change what their callers hold.

Where such a procedure raises, a handler that goes on must know what it had changed by
then. It is called as another program: one that returns what the handlers are for, if it
raises that, beside all that it has changed. The caller raises it::

    try:                             try:
        push(log, x)                     raised, log = push_2(log, x)
    except ValueError:        ->         if raised is not None:
        log.append(0.0)                      raise raised
                                     except ValueError:
                                         log.append(0.0)
"""

import ast
from collections.abc import Callable
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.passes.purity import does
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control import attempts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.optionals.narrowing import choice_is_none

RAISED = ".raised"
"""The name that holds what was raised, or None."""

Classes = tuple[core.Leaf, ...]


def awaited(spec: Specialiser) -> Classes | None:
    """The exceptions that handlers around, in the program under way, wait for so that
    it goes on; None where that isn't known."""
    procedure = spec.procedures.under_way
    handlers = spec.caught[procedure.details.caught_before if procedure else 0 :]
    while handlers and not handlers[0].goes_on:
        handlers = handlers[1:]
    if any(handler.of_manager for handler in handlers):
        return None
    classes: dict[core.Leaf, None] = {}
    for handler in handlers:
        types = handler.types or core.constant(BaseException)
        classes |= dict.fromkeys(core.leaves(types))
    return tuple(classes)


def may_store(
    spec: Specialiser, procedure: ir.Procedure, awaited: Classes | None
) -> bool:
    """True for a procedure that stores into what is kept. Of those that aren't complete
    it is a fact: they are looked at when they are."""
    storing, complete = ops.STORES_INTO_SLOTS, ir.is_complete(procedure)
    if complete and does(procedure, storing):
        return True
    inside = ir.all_procedures([procedure.function.body]) if complete else ()
    for one in (procedure, *inside):
        if not ir.is_complete(one):
            if _is_storing(spec, one):
                return True
            one.details.attempted |= awaited != ()
    return False


def note_complete(spec: Specialiser, procedure: ir.Procedure) -> None:
    """A procedure is complete, and it shows whether it stores."""
    details, stores = procedure.details, does(procedure, ops.STORES_INTO_SLOTS)
    if details.attempted and stores and not _is_storing(spec, procedure):
        storing = spec.facts.storing | {details.source.identity}
        spec.learn(replace(spec.facts, storing=storing))


def _is_storing(spec: Specialiser, procedure: ir.Procedure) -> bool:
    source = procedure.details.source
    return source is not None and source.identity in spec.facts.storing


def run_attempt(spec: Specialiser, classes: Classes, run: Callable[[], None]) -> None:
    """Run the body of a procedure that returns exceptions of these classes."""
    types = core.aggregate_of(classes) if len(classes) > 1 else classes[0]
    spec.bind(RAISED, core.NOTHING)
    frames = spec.frames_at_stake()
    body, points = attempts.attempted(spec, frames, [core.Awaited(types)], run)
    ends: list[tuple[list[ir.Statement], attempts.Names]] = []
    orelse: list[ir.Statement] = []
    if not spec.unreachable:
        ends.append((orelse, [dict(frame.names) for frame in frames]))
    elif spec.procedures.unfinished:
        return  # it isn't known yet that it returns
    spec.start_path(
        frames, attempts.joined_names(spec, frames, points.states, "attempt")
    )
    with spec.new_block() as handler:
        raised = spec.apply(ir.caught_exception, (), hint="raised")
        spec.bind(RAISED, core.Leaf(core.operand_of(raised), ir.OPAQUE))
        ends.append((handler, [dict(frame.names) for frame in frames]))
    spec.start_path(frames, attempts.names_behind(spec, frames, ends, "attempt"))
    handled = (ir.Handler(core.operand_of(types), tuple(handler)),)
    spec.emit(ir.Try(spec.span, tuple(body), handled, tuple(orelse), ()))


def with_raised(spec: Specialiser, awaited: Classes, result: core.Value) -> core.Value:
    """What such a procedure returns: a result where nothing was raised."""
    classes = [getattr(leaf.operand, "value", None) for leaf in awaited]
    known = tuple(c for c in classes if isinstance(c, type))
    kind = ir.Raised(classes=known if len(known) == len(classes) else ())
    raised = core.Leaf(core.operand_of(spec.frame.names[RAISED]), kind)
    return core.Choice(raised, ((None, result),), complete=False)


def raised_again(spec: Specialiser, value: core.Value) -> core.Value:
    """The result of such a call; raises what the procedure has returned."""
    assert isinstance(value, core.Choice)
    which = value.which.operand

    def fail() -> None:
        spec.emit(ir.Effect(spec.span, ir.Apply(ops.raise_exception, (which,))))
        spec.unreachable = True

    test = choice_is_none(spec, value, ast.Is())
    spec.choose(test, lambda: None, fail)
    ((_, result),) = value.options
    return result
