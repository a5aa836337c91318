"""Calls that stay calls: of functions that call themselves, and of those that are kept.

A function becomes a procedure for each form of its arguments
(``procedure_programs.py``); a call takes the one that fits. Numbers and lengths are
forgotten where a function calls itself with others.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.analysis.passes.purity import has_effects
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.cells import set_name
from s2sad.frontend.specialise.heap.kept_objects import keep_one_of
from s2sad.frontend.specialise.iteration import eager_iteration
from s2sad.frontend.specialise.recursion import (
    attempted_calls,
    bound_outside,
    captured_variables,
    deciding_numbers,
    forms,
    iterators_passed,
    other_cells,
    procedure_programs,
)
from s2sad.frontend.specialise.recursion.kept_calls import is_better_written_out
from s2sad.frontend.specialise.recursion.leaving import arrived, chosen_as_cells
from s2sad.frontend.specialise.recursion.results import zero_of
from s2sad.frontend.specialise.shaping.stopped_values import as_constant
from s2sad.source.text.source_function import SourceFunction

MOST_KNOWN = 4
"""So many versions of a function are made for what is known in calls of it."""


class CallsItself(Exception):
    """A function calls itself that was compiled for what is known in other calls."""


class WrittenOut(Exception):
    """The calls of a function are better written out."""


class WrittenOutHere(Exception):
    """This call is."""


def call_procedure(
    spec: Specialiser,
    source: SourceFunction,
    bound: dict[str, core.Value],
    parent: core.Frame | None,
    activation: Callable[[], core.Frame],
    body: list[Any],
    kept: bool = False,
) -> core.Value:
    """A call of a function that calls itself, or of one whose calls are ``kept``.
    Raises WrittenOut if the latter can't be, or needn't be."""
    returned: attempted_calls.Classes = ()
    iterators_passed.check_not_begun(spec, bound.values(), kept)
    bound_outside.without_known_lengths(spec, source, parent, bound)
    while True:
        try:
            procedure = _procedure_for(
                spec, source, bound, parent, activation, body, returned
            )
            details: captured_variables.Details = procedure.details
            if returned:
                break
            awaited = attempted_calls.awaited(spec)
            changes = details.written or details.changed
            if not (changes or attempted_calls.may_store(spec, procedure, awaited)):
                break
            if awaited is None and kept:
                raise WrittenOutHere
            if not awaited:
                break
            returned = awaited
        except core.BindsOutside as found:
            if found.procedure is not spec.procedures.abandoned:
                raise
            bound_outside.carry_variable(spec, source, found)
        except CallsItself as found:
            if found.args[0] is not spec.procedures.abandoned:
                raise
            if found.args[0].details.kept:
                # whether it ends is found out where its calls are written out
                raise WrittenOut from None
    kept = kept and source.identity not in spec.procedures.recursive
    if kept and details.problems:
        raise WrittenOut
    spec.problems += [p for p in details.problems if p not in spec.problems]
    if details.result is None:
        spec.procedures.unfinished.add(procedure)
        spec.unreachable = True
        raise core.NothingFollows
    if kept and is_better_written_out(spec, procedure):
        raise WrittenOut
    if kept:
        spec.procedures.kept.add(source.identity)
    cells = other_cells.cells_of_call(procedure, bound) or other_cells.NO_OTHERS
    other_cells.note_lacked(spec, details, cells)
    given = arguments_of(spec, procedure, bound, cells)
    if spec.eager_iteration_under_way:
        captured = other_cells.captured_in_call(spec, details, cells)
        read = [
            (*other_cells.variable_of_call(cells, *variable), value)
            for variable, value in captured.items()
        ]
        eager_iteration.note_call(spec, bound.values(), read)
    value = _with_handed_through(details, given, call_with(spec, procedure, given))
    value = arrived(spec, details, other_cells.with_cells(value, cells))
    if details.written or details.changed:
        value = _stored_back(spec, details, given, value, cells)
    passed = (bound[name] for name in details.arguments)
    iterators_passed.note_taken(spec, details.taken, passed)
    if details.awaited:
        value = attempted_calls.raised_again(spec, value)
    return chosen_as_cells(spec, value)


def _with_handed_through(
    details: captured_variables.Details, given: list[core.Leaf], value: core.Value
) -> core.Value:
    """What a call gives: of what is handed through, the arguments themselves."""
    if details.handed_through is None:
        return value
    names = (str(p.operand) for p in details.parameters)
    arguments = dict(zip(names, given, strict=True))
    results = iter(core.leaves(value))

    def here(leaf: core.Leaf) -> core.Leaf:
        known = arguments.get(str(leaf.operand))
        if known is not None or forms.is_static(leaf):
            return known or leaf
        return next(results)

    return core.map_leaves(details.handed_through, here)


def _procedure_for(
    spec: Specialiser,
    source: SourceFunction,
    bound: dict[str, core.Value],
    parent: core.Frame | None,
    activation: Callable[[], core.Frame],
    body: list[Any],
    awaited: attempted_calls.Classes = (),
) -> ir.Procedure:
    """The procedure for a call, the one that is known or a new one."""
    forms.form_of(bound)  # says what can't be passed
    family = (source.identity, id(parent), awaited)
    same = [p for k, p in spec.procedures.known.items() if k[0] == source.identity]
    procedure = next(
        (
            p
            for k, p in spec.procedures.known.items()
            if k[:3] == family and captured_variables.is_for(spec, p, bound)
        ),
        None,
    )
    kept = source.identity not in spec.procedures.recursive
    if procedure is None:
        if not kept:
            _learn_kinds(spec, source, family, bound)
        check_is_not_under_way(spec, source, family, bound)
        key = (*family, next(spec.serials))
        if len(same) >= procedure_programs.MOST_VERSIONS:
            raise core.Unsupported(
                f"{source.name} calls itself with ever other kinds of arguments",
                "pass arguments of the same kinds in each call",
            )
        earlier, problems = dict(spec.procedures.known), len(spec.problems)
        whole = kept and len(same) < MOST_KNOWN
        while procedure is None or _decides_more(spec, procedure, family, bound):
            spec.procedures.known = dict(earlier)
            del spec.problems[problems:]
            procedure = spec.procedures.known[key] = procedure_programs.new_procedure(
                spec,
                source,
                bound,
                whole=whole,
                lengths=spec.procedures.lengths.get(family, {}),
                deciding=spec.procedures.deciding[family] if whole else frozenset(),
            )
            procedure.details.kept = kept
            procedure.details.parent, procedure.details.awaited = parent, awaited
            try:
                procedure_programs.specialise_procedure(
                    spec, procedure, activation, body
                )
            except BaseException as stopped:
                # with it go those that rest on what it was taken to return
                spec.procedures.known = earlier
                spec.procedures.abandoned = procedure
                if not isinstance(stopped, procedure_programs.NeverReturnsYet):
                    raise
                spec.unreachable = True
                raise core.NothingFollows from None
    return procedure


def _learn_kinds(
    spec: Specialiser,
    source: SourceFunction,
    family: Hashable,
    bound: dict[str, core.Value],
) -> None:
    """A call of a function that calls itself may differ from others by whose floats it
    gives alone."""
    found = dict(spec.facts.parameters)
    for procedure in [p for k, p in spec.procedures.known.items() if k[:3] == family]:
        for name, kind in captured_variables.kinds_missing(
            spec, procedure, bound
        ).items():
            key = source.identity, name
            found[key] = forms.of_both(found.get(key, kind), kind) or kind
    if found != spec.facts.parameters:
        spec.learn(replace(spec.facts, parameters=found))


def _decides_more(
    spec: Specialiser,
    procedure: ir.Procedure,
    family: Hashable,
    bound: dict[str, core.Value],
) -> bool:
    """True where floats decide a branch of a procedure that was made for any, and this
    call knows some: it is made again for these."""
    details: captured_variables.Details = procedure.details
    if not details.whole:
        return False
    found = deciding_numbers.found_in(procedure) - details.deciding
    details.deciding |= found
    spec.procedures.deciding[family] |= found
    cells = other_cells.cells_of_call(procedure, bound) or other_cells.NO_OTHERS
    captured = other_cells.captured_in_call(spec, details, cells)
    return deciding_numbers.known_at(found, {**bound, **captured})


def check_is_not_under_way(
    spec: Specialiser,
    source: SourceFunction,
    family: Hashable,
    bound: dict[str, core.Value],
) -> None:
    """Raise CallsItself where a function calls itself with other whole numbers or
    lengths than those that it is compiled for."""
    found: ir.Procedure | None = None
    for outer in versions_under_way(spec, source):
        details: captured_variables.Details = outer.details
        if family != (source.identity, id(details.parent), details.awaited):
            continue  # made elsewhere, or called inside of another try
        if details.kept:
            found = outer
        elif not details.exact:
            lengths = captured_variables.lengths_passed(spec, outer, bound)
            if lengths is not None:
                spec.procedures.lengths[family] = forms.joined(*lengths)
                found = outer
    if found is not None:
        raise CallsItself(found)
    _keep_what_is_made_anew(spec, source, family, bound)


def _keep_what_is_made_anew(
    spec: Specialiser,
    source: SourceFunction,
    family: Hashable,
    bound: dict[str, core.Value],
) -> None:
    """Keep the lists, dicts and objects that a function makes to call itself with them:
    a procedure that isn't complete stands for no call with others."""
    under_way = 0
    for outer in versions_under_way(spec, source):
        own: captured_variables.Details = outer.details
        if own.exact or family != (source.identity, id(own.parent), own.awaited):
            continue
        pairs = [(value, own.arguments[name]) for name, value in bound.items()]
        cells = [
            value
            for value, other in pairs
            if isinstance(value, core.Cell) and isinstance(other, core.Cell)
            if value.frame is not other.frame
        ]
        keep_one_of(spec, cells)
        under_way += bool(cells)
    if under_way > MOST_KNOWN:
        raise core.Unsupported(
            f"{source.name} calls itself with ever other lists, dicts or objects that "
            "it makes, and they can't be kept as they are",
            "pass what they hold, or parts of one list by their bounds",
        )


def versions_under_way(
    spec: Specialiser, source: SourceFunction
) -> Iterator[ir.Procedure]:
    """The procedures of a function that are being compiled, the last one first."""
    outer = spec.procedures.under_way
    while outer is not None:
        made_of = outer.details.source
        if made_of and made_of.identity == source.identity:
            yield outer
        outer = spec.procedures.enclosing[outer]


def _stored_back(
    spec: Specialiser,
    details: captured_variables.Details,
    given: list[core.Leaf],
    returned: core.Value,
    cells: other_cells.Cells,
) -> core.Value:
    """The result of a call; what it has written into has its new value."""

    assert isinstance(returned, core.Aggregate)
    result, *others = returned.items
    count = len(details.written)
    arrays, variables = others[:count], others[count:]
    arguments = dict(zip((str(p.operand) for p in details.parameters), given))
    if arrays and spec.constants:
        raise core.Unsupported(
            "a function that calls itself writes into an array in a block of no_grad",
            "return a new array",
        )
    for name, new in zip(details.written, arrays, strict=True):
        argument = arguments[name]
        if isinstance(argument.kind, ir.List):
            raise core.Unsupported(
                "a function that calls itself writes into arrays that a list holds",
                "write into them where the list is made, or return new ones",
            )
        if not isinstance(argument.kind, ir.Array):
            raise core.Unsupported(
                "a function that calls itself may write into an argument of kind"
                f" {argument.kind}",
                "write x = x + y for x += y there",
            )
        if not isinstance(argument.operand, ir.Var):
            raise core.store_refused()
        spec.store(argument, core.constant(Ellipsis), new)
    # the name of an array that was written into may be bound to another one by now
    for variable, value in zip(details.changed, variables, strict=True):
        owner, name = other_cells.variable_of_call(cells, *variable)
        if isinstance(owner, core.CellFrame):
            set_name(spec, core.Cell(object, owner), name, value)
        else:
            with spec.inside(owner):
                spec.bind(name, value)
    for frame, grown in details.grown.items():
        (cells[frame].frame if frame in cells else frame).grow(grown)
    return result


def arguments_of(
    spec: Specialiser,
    procedure: ir.Procedure,
    bound: dict[str, core.Value],
    cells: other_cells.Cells = other_cells.NO_OTHERS,
) -> list[core.Leaf]:
    """What is given for the parameters of a procedure, captured variables last."""
    details: captured_variables.Details = procedure.details
    given: list[core.Leaf] = []
    # calls bind parameters in orders of their own: keywords first, defaults last
    pairs = [(own, bound[name]) for name, own in details.arguments.items()]
    captured = other_cells.captured_in_call(spec, details, cells)
    pairs += [(own, captured[owner, name]) for owner, name, own in details.captured]
    parameters = {leaf.operand for leaf in details.parameters}
    for own, value in pairs:
        value = _with_all_bound(spec, value)
        for parameter, leaf in zip(core.leaves(own), core.leaves(value), strict=True):
            if parameter.operand in parameters:
                given.append(leaf)
    return given


def _with_all_bound(spec: Specialiser, value: core.Value) -> core.Value:
    """A value that is passed, with zeros for what no path before the call may have
    bound: of a structure that may be None, of one of several functions."""
    options = {id(leaf) for leaf in forms.option_leaves(value)}
    if not options:
        return value

    def zeroed(leaf: core.Leaf, path: tuple) -> core.Leaf:
        if id(leaf) in options:
            targets[path] = spec.fresh("given")
            kind = ir.without_value(leaf.kind)
            spec.assign(targets[path], zero_of(leaf.kind), kind)
        return leaf

    def given(leaf: core.Leaf, path: tuple) -> core.Leaf:
        target = targets.get(path)
        if target is None:
            return leaf
        return spec.assign(target, leaf.operand, ir.without_value(leaf.kind))

    targets: dict[tuple, ir.Var] = {}
    core.map_with_paths(value, zeroed)
    return spec.copied(value, given)


def call_with(
    spec: Specialiser, procedure: ir.Procedure, given: list[core.Leaf]
) -> core.Value:
    """A call of a procedure with a value for each parameter."""
    details: captured_variables.Details = procedure.details
    lengths: dict[Hashable, ir.Axis] = {}
    for parameter, leaf in zip(details.parameters, given, strict=False):
        for own, axis in zip(
            forms.axes_of(parameter.kind), forms.axes_of(leaf.kind), strict=False
        ):
            lengths[own.symbol] = axis
    owner_of_lengths = spec.fresh_owner(procedure.__name__)

    def kind_here(kind: ir.Kind, place: int) -> ir.Kind:
        def here(k: int, axis: ir.Axis) -> ir.Axis:
            own = ir.Axis(axis.length, (owner_of_lengths, place, k))
            return lengths.get(axis.symbol, own)

        return forms.with_axes(kind, here)

    assert details.result is not None
    dynamic = forms.dynamic_leaves(details.result)
    kinds = [kind_here(leaf.kind, k) for k, leaf in enumerate(dynamic)]
    operation = ir.Apply(procedure, tuple(core.operand_of(leaf) for leaf in given))
    stem = procedure.short  # an object is named like its class, in small letters
    stem = stem.lower() if stem[:1].isupper() else stem
    if not dynamic:
        if has_effects(procedure):
            spec.emit(ir.Effect(spec.span, operation))
        return details.result
    if len(dynamic) == 1:
        results = [spec.assign(spec.fresh(stem), operation, kinds[0])]
    else:
        structure = ir.Structure(tuple, tuple(range(len(kinds))), tuple(kinds))
        made = spec.define(operation, structure, stem)
        results = list(map(core.single, made.items))  # type: ignore[union-attr]
    if spec.constants:
        results = [core.single(as_constant(spec, leaf)) for leaf in results]
    remaining = iter(results)
    return core.map_leaves(
        details.result, lambda leaf: leaf if forms.is_static(leaf) else next(remaining)
    )
