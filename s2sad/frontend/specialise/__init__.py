"""From syntax and the kinds of arguments to typed IR."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad import errors, ir
from s2sad.analysis.numbers.whole_numbers import WHOLE
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import (  # noqa: F401  (handlers register on import)
    calls,
    foreign_operands,
    rule_texts,
)
from s2sad.frontend.specialise.calls.inlining import run_whole
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.containers import (  # noqa: F401  (handlers register on import)
    displays,
    given_containers,
    list_operators,
    sets,
)
from s2sad.frontend.specialise.control import (  # noqa: F401  (handlers register on import)
    attempts,
    comparisons,
    comprehensions,
    conditions,
    fixed_points,
    loops,
    managers,
)
from s2sad.frontend.specialise.control.local_values import check_locals, with_retained
from s2sad.frontend.specialise.control.phi_copies import with_phi_copies_placed
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.work import Work
from s2sad.frontend.specialise.derivatives import (  # noqa: F401  (handlers register on import)
    nested_jacobians,
)
from s2sad.frontend.specialise.derivatives.derivative_programs import DerivativePrograms
from s2sad.frontend.specialise.equations import (  # noqa: F401  (handlers register on import)
    found_solutions,
    trajectories,
)
from s2sad.frontend.specialise.heap import (  # noqa: F401  (handlers register on import)
    stores,
    subscripts,
)
from s2sad.frontend.specialise.heap.argument_cells import (
    argument_cells,
    checks_of_cells,
    checks_of_kept,
    checks_of_stored,
    holds_changing_lists,
    refuse_held_lists,
)
from s2sad.frontend.specialise.heap.kept_objects import makers_to_keep
from s2sad.frontend.specialise.iteration import (  # noqa: F401  (handlers register on import)
    columns,
    consumers,
    orderings,
)
from s2sad.frontend.specialise.iteration.eager_iteration import check_eager_iteration
from s2sad.frontend.specialise.iterators import (  # noqa: F401  (handlers register on import)
    groups,
    itertools_calls,
    selections,
    subsequences,
    zips,
)
from s2sad.frontend.specialise.language import (  # noqa: F401  (handlers register on import)
    expressions,
    names,
    statements,
)
from s2sad.frontend.specialise.library_calls import (  # noqa: F401  (handlers register on import)
    constant_calls,
    imports,
    joined_lists,
    other_spellings,
)
from s2sad.frontend.specialise.objects import (  # noqa: F401  (handlers register on import)
    attributes,
    copying,
    fields_of_dataclasses,
    methods,
    object_iteration,
)
from s2sad.frontend.specialise.optionals.optionals import is_optional
from s2sad.frontend.specialise.patterns import (  # noqa: F401  (handlers register on import)
    statements as patterns,
)
from s2sad.frontend.specialise.recursion.kept_calls import surely_kept
from s2sad.frontend.specialise.run_time import stored_refusals, working_copies
from s2sad.frontend.specialise.run_time.defaultdicts import refuse_caught
from s2sad.source.normalise import normalised
from s2sad.source.text import scopes, source_function

__all__ = ["Specialised", "specialise"]


@dataclass(frozen=True)
class Specialised:
    """A function specialised on the kinds of its arguments."""

    function: ir.Function
    result: core.Value
    result_kind: ir.Kind
    arguments: Mapping[str, core.Value]
    """The values of the parameters as they enter the function."""
    reads: tuple[core.Read, ...]
    specialiser: Specialiser
    """Compiles rules into the same program."""
    given: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What holds of parameters, by the name of the property."""

    @property
    def all_reads(self) -> tuple[core.Read, ...]:
        """What was read then and since."""
        return self.reads + tuple(self.specialiser.module.reads[len(self.reads) :])


def specialise(
    source: source_function.SourceFunction,
    kinds: Mapping[str, ir.Kind],
    derivatives: DerivativePrograms,
    options: core.Options = core.DEFAULT,
    retained: tuple[str, ...] = (),
) -> Specialised:
    """Specialise a function on kinds, one for each of its parameters. ``derivatives``
    makes the programs of those that it takes itself. ``retained`` are local variables
    whose adjoints are asked for.

    Raises UnsupportedError with all problems found, and SpecialiseOnValue where the
    number passed for a parameter decides a kind.
    """
    key = (
        tuple(kinds.items()),
        options.static,
        options.keyed_heaps,
        options.calls,
        options.data_lists.form,
        retained,
    )
    facts = core.known_facts(source, key)
    if facts is not None:
        try:
            spec = Specialiser(source, derivatives, options, facts, Work(source))
            made = _made(spec, source, kinds, retained)
        except (core.BindsOutside, errors.UnsupportedError):
            made = None
        if made is not None:
            return made
        core.note_facts(source, key, None)  # data that it reads may have changed
    once = surely_kept(source) if options.calls == "budget" else None
    facts = nothing_known = core.Facts(
        keyed_heaps=options.keyed_heaps,
        keeps_calls=once is not None,
        called_once=once or frozenset(),
    )
    found = core.facts_found()
    if found is not None:
        facts = replace(found, keeps_calls=facts.keeps_calls)
    refused: errors.UnsupportedError | None = None
    first: errors.UnsupportedError | None = None
    keeps_made = False
    work = Work(source)
    while True:
        spec = Specialiser(source, derivatives, options, facts, work)
        try:
            made = _made(spec, source, kinds, retained)
        except errors.UnsupportedError as error:
            if work.is_spent:
                if first is not None:
                    raise first from None
                if work.is_spent_on_libraries:
                    raise
                if not facts.keeps_calls or facts.keeps_changing_calls:
                    raise
                facts = replace(facts, keeps_changing_calls=True)
                work = Work(source)
                continue
            first = first or error
            if spec.has_keyed_heaps:
                facts = replace(facts, keyed_heaps=False)  # what is written out may do
            elif spec.froze and core.ItemsChange not in facts.changing:
                # more is followed where they are cells, too
                facts = facts.with_changing(core.ItemsChange)
            elif not spec.differ <= facts.changing:
                refused = refused or error  # once more, with these in cells
                facts = replace(facts, changing=facts.changing | spec.differ)
            elif spec.taken_apart and not keeps_made:
                keeps_made = True  # once more, with what it makes among what is given
                facts = replace(
                    nothing_known,
                    made={cls: dict[str, ir.Kind]() for cls in spec.taken_apart},
                    keyed_heaps=facts.keyed_heaps,
                    keeps_calls=facts.keeps_calls,
                    keeps_changing_calls=facts.keeps_changing_calls,
                    called_once=facts.called_once,
                )
                refused = None
            elif spec.is_refused and (new := makers_to_keep(spec)):
                refused = refused or error  # and with more of them kept
                facts = replace(facts, kept={**facts.kept, **new})
            else:
                if not isinstance(error, core.RefusedAsCalls):
                    keep_lists(kinds)
                if function_records.are_among(facts.made):
                    raise  # what is done with them is the reason
                raise refused or error from None
        else:
            if made is None:
                facts = spec.facts
                continue
            if facts != nothing_known:
                core.note_facts(source, key, facts)
            return made


def keep_lists(kinds: Mapping[str, ir.Kind]) -> None:
    """Have lists in lists that are passed in kept as they are, where they aren't."""
    held = [name for name, kind in kinds.items() if holds_changing_lists(kind)]
    if held and all(core.value_passed(name) is not None for name in held):
        raise core.KeepLists(held) from None


def _made(
    spec: Specialiser,
    source: source_function.SourceFunction,
    kinds: Mapping[str, ir.Kind],
    retained: tuple[str, ...],
) -> Specialised | None:
    """What a run makes; None for one that learned facts, whatever became of it."""
    made = None
    try:
        made = _specialised(spec, source, kinds, retained)
    except core.KeepObjects:
        raise
    except Exception:
        if not (spec.has_learned or spec.asked):
            raise
    if spec.asked:
        raise core.SpecialiseOnValue(*spec.asked)
    return None if spec.has_learned else made


def _specialised(
    spec: Specialiser,
    source: source_function.SourceFunction,
    kinds: Mapping[str, ir.Kind],
    retained: tuple[str, ...] = (),
) -> Specialised:
    body = normalised(source)
    if retained:
        check_locals(source, retained)
        body = with_retained(body, retained)
    spec.frame.local_names = frozenset(scopes.assigned_names(body) | set(kinds))
    spec.frame.rebound = scopes.rebound_names(body, kinds)
    spec.frame.global_names = scopes.declared_global(body)
    spec.note_shared(spec.frame, body)
    spec.reserved_names |= spec.frame.local_names
    spec.span = source.span_of(source.node)
    for name, kind in kinds.items():
        spec.bind_argument(name, kind, (name,))
    arguments = spec.given = dict(spec.frame.names)
    first = len(spec.block)
    copied = working_copies.work_on_copies(spec, arguments)
    start = len(spec.block)
    try:
        copied = given_containers.own_containers(spec, copied)
        given = argument_cells(spec, copied)
    except core.Unsupported as problem:
        spec.report(problem, source.node)
        spec.raise_problems()
        raise
    run_whole(spec, source, body)
    check_eager_iteration(spec)
    refuse_held_lists(spec)
    spec.raise_problems()
    result = spec.frame.result or core.constant(0.0 if spec.unreachable else None)
    result = constant_calls.as_number(spec, spec.by_value(result))
    spec.emit(
        ir.Return(spec.block[-1].span if spec.block else None, _operand(spec, result))
    )
    spec.block[start:start] = checks_of_cells(spec, given)
    spec.block[first:first] = [
        *checks_of_kept(spec, given, arguments),
        *checks_of_stored(spec, arguments),
        *working_copies.checks_of_arrays(spec, arguments),
    ]
    function = ir.Function(
        source.name,
        tuple(kinds),
        tuple(spec.block),
        {**spec.kinds_of_inlined, **kinds},
        frozenset(spec.temporaries),
    )
    function = with_phi_copies_placed(function, spec.phi_copies, spec.carried)
    spec.block = []
    spec.work.check_length(spec, function.body)
    refuse_caught(spec, function.body)
    stored_refusals.refuse_unfollowed(spec, function)
    stored_refusals.refuse_written(spec, function)
    reads = tuple(spec.module.reads)
    kind = core.kind_of(result)
    whole = frozenset(n for n, kind in kinds.items() if ir.holds_unlike_numbers(kind))
    known = {WHOLE.name: whole} if whole else {}
    return Specialised(function, result, kind, arguments, reads, spec, known)


def _operand(spec: Specialiser, result: core.Value) -> Any:
    try:
        return core.operand_of(result)
    except TypeError:
        why, advice = "and a function has no derivative", "return what it gives"
        if is_optional(result):
            why = "and a derivative has one structure"
            advice = "return the same structure on all paths"
        spec.report(
            core.Unsupported(f"{core.describe(result)} is returned, {why}", advice),
            spec.frame.source.node,
        )
        spec.raise_problems()
        raise
