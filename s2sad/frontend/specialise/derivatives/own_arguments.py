"""Programs that work on copies of what they are given: those of functions that write
into their arguments, and are differentiated inside of another function.

::

    def f(x, y):            ->      def f(x, y):
        x[0] = y[1]                     require_apart(x, y)
        return x * y                    x = x.copy()
                                        x[0] = y[1]
                                        return x * y

A derivative leaves the arguments as they are, so nobody sees the difference, unless two
arguments share memory: that is checked when the program runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.memory.parameters_written import parameters_written
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.passes.all_kinds import with_all_kinds
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.derivatives.argument_checks import checks_of_arguments
from s2sad.frontend.specialise.heap.references import holds_reference
from s2sad.frontend.specialise.run_time import working_copies


def own_values(spec: Specialiser, args: Args, words: Words) -> tuple[Args, Words]:
    """What a derivative is given, with what lists, dicts and objects hold now in their
    place. Notes which these are."""
    if not spec.facts.changing:
        return args, words
    values = (*args, *words.values())
    spec.given_cells = [f for value in values for f in core.frames_of_cells(value)]
    own = tuple(spec.by_content(spec.by_value(value)) for value in values)
    return own[: len(args)], dict(zip(words, own[len(args) :], strict=True))


def keep_apart(
    spec: Specialiser, procedure: ir.Procedure, given: list[Any], node: Any
) -> None:
    """What a program changes must be no other of its arguments: refuse one that is
    ``given`` twice. Whether two arguments of the whole program are one is checked when
    that runs."""
    if not any(frame in spec.changed_cells for frame in procedure.details.own_cells):
        return
    if len(set(given)) < len(given):
        raise core.Unsupported(
            node,
            f"{procedure.__name__} is given one list, dict or object twice, and "
            "changes it",
            "pass a copy",
        )
    if len(given) > 1:
        spec.compared_cells |= set(given)


def hold_own_cells(spec: Specialiser, details: Any) -> None:
    """Let the parameters hold lists, dicts and objects that may change as cells of
    their own."""
    arguments: Mapping[str, core.Value] = details.arguments
    arguments = working_copies.work_on_copies(spec, arguments)
    details.own_cells = []
    for name, value in arguments.items():
        held = spec.as_cells(value, name, new=True)
        if holds_reference(held):
            spec.bind(name, held)
        else:
            spec.frame.names[name] = held
        details.own_cells += core.frames_of_cells(held)


def with_own_arrays(function: ir.Function, spec: Specialiser) -> ir.Function:
    """The program with copies of the arrays among its parameters that it writes
    into."""
    written = parameters_written(function)
    copies: list[ir.Statement] = []
    for name in function.parameters:
        kind = function.kinds.get(name)
        plain = (
            isinstance(kind, ir.Array) and kind.axes is not None and not kind.promoted
        )
        if name in written and plain:
            copy = ir.Apply(ops.own_copy, (ir.Var(name),))
            copies.append(ir.Assign(spec.main_span, ir.Var(name), copy, kind))
    if not copies:
        return function
    known = with_all_kinds(function)
    memory = points_to(known, apart=True, as_written=True)
    checks = checks_of_arguments(known, memory, spec)
    return replace(function, body=(*checks, *copies, *function.body))
