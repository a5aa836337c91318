"""The program of a procedure: a function that is specialised once, on the kinds of its
arguments, and called.

What it returns is found by repetition: at first a call of itself is taken never to
return, so that only the paths that end the recursion count; then their kind is assumed
until it no longer changes. What was specialised meanwhile, with such an assumption, is
made anew each time. Variables of enclosing functions become parameters.
"""

import ast
import builtins
import functools
import itertools
import operator
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.memory.parameters_written import parameters_written
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import list_meetings
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.own_arguments import (
    checks_of_own,
    hold_own_cells,
    with_own_arrays,
)
from s2sad.frontend.specialise.heap.cells import cells_in, late_attribute
from s2sad.frontend.specialise.recursion import attempted_calls, deciding_numbers, forms
from s2sad.frontend.specialise.recursion.bound_outside import captured_to_change
from s2sad.frontend.specialise.recursion.captured_variables import (
    Details,
    as_parameters,
    held_by,
)
from s2sad.frontend.specialise.recursion.guesses import (
    are_alike,
    class_in_itself,
    in_common,
    join_guesses,
    one_more,
    with_known_leaves,
    without_operands,
)
from s2sad.frontend.specialise.recursion.iterators_passed import (
    iterators_in,
    own_iterators,
    taken_of,
)
from s2sad.frontend.specialise.recursion.leaving import made_inside
from s2sad.frontend.specialise.recursion.results import with_result
from s2sad.frontend.specialise.run_time import stored_refusals
from s2sad.source.normalise import normalised
from s2sad.source.text import scopes, source_function

GATHERED = ".items"
"""The name of a generator's own under which it is given a list for what it yields, or
the consumer that takes it."""
MOST_VERSIONS = 12
"""A function that calls itself with ever new kinds of arguments is refused."""
FEW_GUESSES = 2
"""After so many guesses of what it returns, what each call makes anew is kept."""


class NeverReturnsYet(Exception):
    """Every path of a function calls others that are under way, of which it isn't known
    yet that they return."""


def procedure_of(
    spec: Specialiser,
    source: source_function.SourceFunction,
    bound: dict[str, core.Value],
    activation: Callable[[], core.Frame],
    body: list[Any],
    own_arguments: bool = False,
) -> ir.Procedure:
    """A function as a procedure for the kinds of one call, to be differentiated. With
    ``own_arguments`` it works on copies of what it writes into."""
    procedure = new_procedure(spec, source, bound, exact=True)
    procedure.details.own_arguments = own_arguments
    spec.procedures.known["exact", procedure] = procedure
    specialise_procedure(spec, procedure, activation, body)
    return procedure


def new_procedure(
    spec: Specialiser,
    source: source_function.SourceFunction,
    bound: dict[str, core.Value],
    exact: bool = False,
    name: str = "",
    whole: bool = False,
    lengths: forms.Lengths = MappingProxyType({}),
    deciding: deciding_numbers.Places = frozenset(),
) -> ir.Procedure:
    """A procedure whose program isn't known yet, with parameters for what is bound."""
    names = {p.__name__ for p in spec.procedures.known.values() if p is not None}
    own = source.name.strip("_") if source.name.endswith("__") else source.name
    if hasattr(builtins, own):  # ``__len__`` of a Bag is bag_len
        *_, owner, _ = ("", *source.qualname.split("."))
        own = f"{owner.lower()}_{own}" if owner.isidentifier() else own
    wish = name or (own if own.isidentifier() else "function")
    name, count = wish, 1
    while name in names:
        count += 1
        name = f"{wish}_{count}"
    node = source.node
    text = None if isinstance(node, ast.Lambda) else ast.get_docstring(node)
    summary = (text or f"Value of {source.name}.").partition("\n")[0]
    procedure = ir.Procedure(name, summary, source.span_of(node))
    procedure.short = wish
    details = Details(
        spec,
        (),
        {},
        next(spec.serials),
        source,
        exact=exact,
        whole=whole,
        lengths=lengths,
        deciding=deciding,
    )
    details.names_inside |= scopes.assigned_names(normalised(source))
    for parameter, value in bound.items():
        wish = parameter.strip(".")
        while wish != parameter and wish in details.names_inside | bound.keys():
            wish += "_"
        given = as_parameters(spec, details, wish, value)
        details.arguments[parameter] = given
        if parameter == GATHERED:
            taker = core.operand_of(given)
            if isinstance(taker, ir.Const):
                details.consumer = taker.value
            else:
                details.gathered.add(str(taker))
    procedure.details = details
    return procedure


def specialise_procedure(
    spec: Specialiser,
    procedure: ir.Procedure,
    activation: Callable[[], core.Frame],
    body: list[Any],
) -> None:
    """Repeat until what the procedure returns, and what it captures, is known."""
    details: Details = procedure.details
    spec.procedures.enclosing[procedure] = spec.procedures.under_way
    outer = spec.frame, spec.procedures.under_way, spec.raise_points, spec.active
    outer_constants, spec.constants = spec.constants, False
    outer_given = spec.given
    since, spec.repeated_since = spec.repeated_since, next(spec.serials)
    problems = len(spec.problems)
    earlier = set(spec.procedures.known)
    shared = list(spec.shared_frames)
    details.caught_before = len(spec.caught)
    details.changed = captured_to_change(spec, details)
    outside = {owner: owner.names for owner, _ in details.changed}
    unfinished: set[ir.Procedure] = spec.procedures.unfinished
    guess: core.Value | None = None
    try:
        for attempt in itertools.count():
            if attempt > MOST_VERSIONS:
                raise _not_of_one_kind(procedure)
            del spec.problems[problems:]
            captured = len(details.captured)
            met = set(spec.procedures.known) - earlier
            for key in met:  # they rest on the last guess
                del spec.procedures.known[key]
            details.result, spec.procedures.unfinished = guess, set()
            spec.frame, spec.procedures.under_way = activation(), procedure
            spec.raise_points, spec.active = [], [spec.frame]
            spec.shared_frames = list(shared)
            spec.note_shared(spec.frame, body)
            for owner, names in outside.items():
                owner.names = dict(names)
            counts = {o: o.counts() for o in outside if isinstance(o, core.CellFrame)}
            result, block = _run_once(spec, details, body)
            for cell, before in counts.items():
                details.grown[cell] = tuple(map(operator.sub, cell.counts(), before))
            if bound_inside := _bound_inside(details, block):
                _capture_again(spec, details, bound_inside)
                guess = None
                continue
            written = _written_into(spec, details, block)
            if written != details.written:
                details.written, guess = written, None
                continue
            if result is None and spec.procedures.unfinished - {procedure}:
                raise NeverReturnsYet
            if result is None:
                raise core.Unsupported(
                    f"{procedure.__name__} calls itself on every path",
                    "let one path return without a call of itself",
                )
            if guess is not None and (cls := class_in_itself(result)) is not None:
                spec.keep_objects(cls, surely=True)
            if guess is not None:
                spec.keep_nested(guess, result)
            result, assumed = _with_own_lengths(result, details), guess
            details.handed_back = _handed_back(details, forms.dynamic_leaves(result))
            if guess is not None and list_meetings.meet_as_lists(guess, result):
                with spec.new_block() as more:
                    result = list_meetings.met_as_list(spec, result, guess)
                block += more
                with spec.new_block():  # a guess has no value yet
                    guess = list_meetings.met_as_list(spec, guess, result)
            if guess is not None and attempt > FEW_GUESSES:
                if (made := one_more(guess, result)) is not None:
                    spec.keep_objects(made, surely=True)
                    raise _not_of_one_kind(procedure)
            if guess is not None:
                result = in_common(spec, result, guess)
                guess = in_common(spec, guess, result)
            with spec.kept_if_refused(guess, result):
                both = result if guess is None else join_guesses(guess, result)
            if (
                assumed is not None
                and are_alike(both, assumed)
                and captured == len(details.captured)
            ):
                break
            first, guess = guess is None, both
            if first and procedure not in spec.procedures.unfinished:
                break
    finally:
        spec.frame, spec.procedures.under_way, spec.raise_points, spec.active = outer
        spec.constants, spec.given = outer_constants, outer_given
        spec.repeated_since = since
        for owner, names in outside.items():
            owner.names = names
        spec.shared_frames = shared
        spec.unreachable = False
        unfinished = unfinished | (spec.procedures.unfinished - {procedure})
        spec.procedures.unfinished = unfinished
    details.problems = spec.problems[problems:]
    details.result = without_operands(guess)
    assert result is not None
    kinds = {str(p.operand): p.kind for p in details.parameters}
    function = ir.Function(procedure.__name__, tuple(kinds), tuple(block), kinds)
    returned = forms.results_of_call(procedure, result)
    through = _parameters_returned(procedure, returned, block)
    if through:
        details.handed_through = _with_parameters(details.result, returned, through)
        kept = zip(returned, forms.dynamic_leaves(details.result), strict=True)
        others = [(own, leaf) for own, leaf in kept if own.operand not in through]
        returned = [own for own, _ in others]
        details.result = core.aggregate_of(tuple(leaf for _, leaf in others))
    details.handed_back = _handed_back(details, returned)
    function = with_result(spec, function, result, returned)
    if not details.problems:
        _check_closed(function)
    if details.own_arguments:
        stored_refusals.note_written_arrays(spec, [function])
        function = with_own_arrays(function, spec)
    procedure.function = function
    attempted_calls.note_complete(spec, procedure)


def _bound_inside(details: Details, block: list[ir.Statement]) -> set[str]:
    """The names of captured variables that are names of others in a program, too: of a
    function that is written out there."""
    captured = details.captured[len(details.changed) :]
    names = {leaf.operand for _, _, v in captured for leaf in core.leaves(v)}
    return {
        variable.name
        for s in ir.walk(tuple(block))
        for variable in ir.direct_writes(s)
        if variable in names and _binds(details, s, variable)
    }


def _capture_again(spec: Specialiser, details: Details, names: set[str]) -> None:
    """Capture no variable under one of these names."""
    details.names_inside |= names
    own = {leaf.operand for v in details.arguments.values() for leaf in core.leaves(v)}
    details.parameters = tuple(p for p in details.parameters if p.operand in own)
    details.captured, details.written = [], ()
    details.changed = captured_to_change(spec, details)


def _binds(details: Details, s: ir.Statement, v: ir.Var) -> bool:
    """False for a line that changes an array parameter where it is."""
    kind = next((p.kind for p in details.parameters if p.operand == v), None)
    is_array = isinstance(kind, ir.Array) and not ir.is_promoted(kind)
    return not (is_array and ops.is_write(s) and ir.direct_reads(s)[0] == v)


def _parameters_returned(
    procedure: ir.Procedure, dynamic: list[core.Leaf], block: list[Any]
) -> set[ir.Operand]:
    """The parameters that a kept call returns as they were given; none where the
    procedure calls itself, which was written for what it returned so far."""
    own = procedure.details
    if not own.kept or procedure in ir.all_procedures([tuple(block)]):
        return set()
    parameters = {p.operand for p in own.parameters}
    written = [(s, v) for s in ir.walk(tuple(block)) for v in ir.direct_writes(s)]
    bound = {v for s, v in written if v in parameters and _binds(own, s, v)}
    handed_back = _written_at_the_end(own, dynamic)
    return {leaf.operand for leaf in dynamic} & parameters - bound - handed_back


def _with_parameters(
    result: core.Value, dynamic: list[core.Leaf], through: set[ir.Operand]
) -> core.Value:
    """What is returned, with the parameters among it."""
    found = iter(dynamic)

    def own(leaf: core.Leaf) -> core.Leaf:
        if forms.is_static(leaf):
            return leaf
        returned = next(found)
        return returned if returned.operand in through else leaf

    return core.map_leaves(result, own)


def _check_closed(function: ir.Function) -> None:
    """Raise Unsupported where a procedure reads what only the program around it has."""
    known = ir.names_written_in(function.body) | {*function.parameters}
    free = ir.names_read_in(function.body) - known
    if free:
        name, *_ = ir.in_order(free)
        raise core.Unsupported(
            f"{function.name} calls itself and reads {name!r} of the program around it",
            "pass it as an argument",
        )


def _not_of_one_kind(procedure: ir.Procedure) -> core.Unsupported:
    return core.Unsupported(
        f"what {procedure.__name__} returns isn't of one kind",
        "return values of the same kind on all paths",
    )


def _run_once(
    spec: Specialiser, details: Details, body: list[Any]
) -> tuple[core.Value | None, list[Any]]:
    spec.unreachable = False
    arrays = [p for p in details.parameters if str(p.operand) in details.written]
    with spec.new_block() as block:
        kept: list[core.Value] = [
            spec.assign(ir.Var(_given(array.operand)), array.operand, array.kind)
            for array in arrays
        ]
        for name, value in details.arguments.items():
            value = details.arguments[name] = own_iterators(spec, value)
            if name in spec.frame.rebound and _is_told_apart(value):
                spec.bind(name, value)
            else:  # a dict of keywords is made by the call
                spec.frame.names[name] = spec.as_cells(value, name)
        if details.own_arguments:
            hold_own_cells(spec, details)
        for owner, name, value in details.captured[: len(details.changed)]:
            if (owner, name) in details.makes:
                owner.names.pop(name, None)
                continue
            with spec.inside(owner):
                spec.bind(name, value)
        if details.awaited:
            run_body = functools.partial(spec.run, body)
            attempted_calls.run_attempt(spec, details.awaited, run_body)
        else:
            spec.run(body)
    if details.own_arguments:
        stored_refusals.refuse_captured(
            spec, block, [v for _, _, v in details.captured]
        )
        block[:0] = checks_of_own(spec, details)
    passed = iterators_in(details.arguments.values())
    details.taken = tuple(taken_of(spec, value) for value in passed)
    if spec.unreachable:
        return None, block
    result = core.constant(None) if spec.frame.result is None else spec.frame.result
    _check_made(spec, details)
    changed = [held_by(spec, owner, name) for owner, name in details.changed]
    leaving = [result, *changed]
    result, *others = map(with_known_leaves, made_inside(spec, details, leaving))
    if details.awaited:
        result = attempted_calls.with_raised(spec, details.awaited, result)
    stay = _unbound(details, block, arrays, (result, *others))
    kept = [a if a in stay else given for a, given in zip(arrays, kept, strict=True)]
    names = {_given(array.operand) for array in stay}
    block = [s for s in block if names.isdisjoint(ir.names_written(s))]
    kept += others
    return (core.aggregate_of((result, *kept)) if kept else result), block


def _check_made(spec: Specialiser, details: Details) -> None:
    """Refuse a call that gives an object an attribute on some paths only."""
    for owner, name in details.makes:
        if not isinstance(owner.names.get(name), core.Missing | None):
            continue
        values = [*details.arguments.values()]
        frame = details.parent
        while frame is not None:
            values += frame.names.values()
            frame = frame.parent
        found = (cell for value in values for cell in cells_in(value))
        if not details.kept:
            spec.keep_objects(next(cell for cell in found if cell.frame is owner))
        raise late_attribute(name)


def _unbound(
    details: Details,
    block: list[Any],
    arrays: list[core.Leaf],
    returned: tuple[core.Value, ...],
) -> list[core.Leaf]:
    """The parameters of arrays that hold at the end what was written into, and are
    returned under no other name: they need none to be handed back."""
    held = {leaf.operand for value in returned for leaf in core.leaves(value)}
    bound = {
        v
        for s in ir.walk(tuple(block))
        for v in ir.direct_writes(s)
        if _binds(details, s, v)
    }
    return [array for array in arrays if array.operand not in held | bound]


def _is_told_apart(value: core.Value) -> bool:
    """True for what a variable has to tell from other things that a parameter may be
    bound to: functions, None, what may change."""
    return (
        core.is_function(value)
        or isinstance(value, core.Cell | core.Choice)
        or value == core.NOTHING
        or any(_is_told_apart(part) for _, part in core.parts_of(value))
    )


def _given(array: object) -> str:
    """The name of a parameter that is written into for all that is handed back of
    it."""
    return f"{array}.given"


def _handed_back(details: Details, dynamic: list[core.Leaf]) -> frozenset[int]:
    """Which of the results are the parameters that are written into."""
    given = _written_at_the_end(details, dynamic)
    places = (k for k, leaf in enumerate(dynamic) if leaf.operand in given)
    return frozenset(places)


def _written_at_the_end(details: Details, dynamic: list[core.Leaf]) -> set[ir.Operand]:
    """Of the parameters that are written into, what holds all that is handed back of
    them."""
    returned = {leaf.operand for leaf in dynamic}
    given = {name: ir.Var(_given(name)) for name in details.written}
    return {v if v in returned else ir.Var(name) for name, v in given.items()}


def _written_into(
    spec: Specialiser, details: Details, block: list[Any]
) -> tuple[str, ...]:
    """The parameters of arrays that a program writes into, also under other names."""
    kinds = {str(p.operand): p.kind for p in details.parameters}
    function = ir.Function(
        "", tuple(kinds), tuple(block), {**spec.kinds_of_inlined, **kinds}
    )
    written = {*parameters_written(function), *details.written}
    return () if details.exact else tuple(name for name in kinds if name in written)


def _with_own_lengths(result: core.Value, details: Details) -> core.Value:
    """Lengths of what is returned that aren't those of a parameter get names that don't
    change from one repetition to the next."""
    known = {a.symbol for leaf in details.parameters for a in forms.axes_of(leaf.kind)}
    parts = {leaf.operand for leaf in forms.option_leaves(result)}
    places = itertools.count()

    def own(leaf: core.Leaf) -> core.Leaf:
        place = next(places)
        may_be_empty = leaf.operand in parts

        def own_axis(k: int, axis: ir.Axis) -> ir.Axis:
            if axis.symbol in known and not may_be_empty:
                return axis
            return ir.Axis(axis.length, ("result", place, k))

        return replace(leaf, kind=forms.with_axes(leaf.kind, own_axis))

    return core.map_leaves(result, own)
