"""Array writes: every name of an array that was written into gets its new value.

Takes a function in which a store gives its target alone a new value; gives one in which
all names that share the memory have theirs, so that what follows needs no notion of
memory::

    y = x                          y = x
    r = x[0]                       r = x[0]
    x = stored(x, k, v)     ->     x = stored(x, k, v)
    use(x, y, r)                   y = x
                                   r = x[0]
                                   use(x, y, r)

What shares memory in ways that aren't followed is refused. Two arguments may share
memory, too: that is checked when the program runs.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.dataflow import liveness, name_sets
from s2sad.analysis.dataflow.dataflow import Facts, solve_forward
from s2sad.analysis.memory import distinct_items
from s2sad.analysis.memory.memory import OUTSIDE, SLOTS, Memory
from s2sad.analysis.memory.points_to import PointsTo, points_to
from s2sad.analysis.memory.view_operations import is_number
from s2sad.analysis.passes import all_kinds, dead_code
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.argument_checks import (
    behind_parts,
    checks_of_arguments,
)
from s2sad.transform.memory import array_heaps, copied_rows, plain_views
from s2sad.transform.memory.array_elements import with_heap_of_elements
from s2sad.transform.memory.array_names import Place, Views, ViewsOfArrays
from s2sad.transform.memory.handed_back_arrays import (
    results_beside,
    results_read,
    with_handed_back_arrays,
)
from s2sad.transform.memory.references.array_references import with_references
from s2sad.transform.memory.references.told_presence import with_presence_told


def with_writes_seen(
    function: ir.Function, spec: Specialiser, handed_back: frozenset[str] | None = None
) -> ir.Function:
    """The function with new values for all names of what a store changes. Of a
    procedure, ``handed_back`` are the parameters that it may write into."""
    if not any(map(ops.is_write, ir.walk(function.body))):
        return function
    given, problems = function, len(spec.problems)
    checks: ir.Block = ()
    seen: _Seen | None = _seen(function, spec)
    while seen is not None:
        last = seen
        if handed_back is None:  # calls of procedures are looked at
            known = checks_of_arguments(last.function, last.memory, spec)
            checks = _with_more(checks, known)
        seen = _with_more_decided(last, spec, handed_back is not None)
        checks = _with_more(
            checks, plain_views.checks_of_layouts(last.plain, last.memory)
        )
    function, memory = last.function, last.memory
    facts, views = last.facts, last.views

    hidden = set(function.parameters) - handed_back if handed_back is not None else ()
    beside = results_beside(function)
    for call, first, second in _shared_arguments(function, memory):
        spec.report_at(_refusal_of_call(first, second), call.span)

    def change(s: ir.Statement) -> ir.Block:
        if ops.is_demand(s):
            assert isinstance(s, ir.Effect)
            array, value = (v.name for v in ir.direct_reads(s))
            if memory.before(s).shared_with(array, (value,)):
                spec.report_at(_refusal(array, value), s.span)
            return ()
        if not ops.is_write(s):
            known = views.before.get(id(s), {})
            if distinct_items.puts_back(s, known):
                return ()
            if not isinstance(s, ir.Assign):
                return (s,)
            return (Place(known, frozenset(), function.kinds).read(s),)
        if is_number(function.kinds.get(s.target.name)):
            return (s,)
        place = Place(
            views.before.get(id(s), {}),
            _seen_behind(s, facts, beside),
            function.kinds,
        )
        here, own = memory.before(s), s.target.name
        for run in spec.eager_iteration:
            if any(may_share(memory.anywhere, own, read) for read in run.arrays):
                spec.report_at(run.problem(), run.span)
                return (s,)
        if not here.of(own).isdisjoint((OUTSIDE, SLOTS)):
            spec.report_at(_refusal(own, ""), s.span)
            return (s,)
        if any((*OUTSIDE, p) in here.of(own) for p in hidden):
            spec.report_at(_refusal(own, ""), s.span)
            return (s,)
        if unknown := place.unclear(own, here):
            spec.report_at(_refusal(own, unknown[0]), s.span)
            return (s,)
        # a name that isn't read again may still be the way to one that is
        if len(place.members(own)) == 1:
            return (s,)
        try:
            return place.written(s)
        except core.Unsupported as problem:
            spec.report_at(problem, s.span)
            return (s,)

    body = ir.with_leaves(function.body, change)
    if handed_back is None and len(spec.problems) > problems:
        array_heaps.keep_instead(given, spec)
    body = with_handed_back_arrays(replace(function, body=body)).body
    checked = behind_parts(replace(function, body=body), checks)
    return replace(last.original, body=checked)


@dataclass(frozen=True)
class _Seen:
    """A function, and what is known of the arrays that its stores write into."""

    original: ir.Function
    plain: plain_views.PlainViews
    facts: Facts[name_sets.NameSet]
    memory: PointsTo
    views: Facts[Views]
    undecided: list[tuple[set[str], bool]]
    optional: list[str]
    """The names of arrays that may be None."""

    @property
    def left(self) -> tuple[int, int]:
        """How much is to be told: each attempt that is taken leaves less."""
        return len(self.optional), len(self.undecided)

    @property
    def function(self) -> ir.Function:
        """The function with what surely is a view or a copy written as one."""
        return self.plain.function


def _seen(original: ir.Function, spec: Specialiser) -> _Seen:
    kinds = all_kinds.with_all_kinds(original).kinds
    optional = [name for name, kind in kinds.items() if ir.is_optional_array(kind)]
    known = replace(original, kinds=all_kinds.kinds_where_present(original))
    plain = plain_views.with_plain_views(known, spec)
    function = plain.function
    # a store counts also where its own name isn't read again: others see it
    facts, _ = liveness.live_variables(
        function.body, lambda s: dead_code.must_run(s) or ops.is_write(s)
    )
    memory = points_to(function, apart=True, as_written=True)
    views = _views(function, plain.unsure, memory, facts.after)
    undecided = list(_undecided(function, facts, memory, views))
    return _Seen(original, plain, facts, memory, views, undecided, optional)


def _with_more_decided(
    seen: _Seen, spec: Specialiser, is_procedure: bool
) -> _Seen | None:
    """The function with some names told apart, by which fewer of its stores are
    undecided, or fewer arrays may be None; None where no attempt gives one."""
    relied_on = list(seen.plain.reliances)
    for attempt in _attempts(seen, spec, is_procedure):
        if attempt is not None:
            kinds = seen.original.kinds
            told = {name: k for name, k in kinds.items() if name in attempt.kinds}
            found = _seen(replace(attempt, kinds=told), spec)
            if found.left < seen.left:
                return found
        seen.plain.reliances[:] = relied_on
    return None


def _with_more(checks: ir.Block, more: ir.Block) -> ir.Block:
    """The checks, and those of some more that aren't among them."""
    known = [c.value for c in checks]  # type: ignore[attr-defined]
    return checks + tuple(c for c in more if c.value not in known)  # type: ignore[attr-defined]


def _attempts(
    seen: _Seen, spec: Specialiser, is_procedure: bool
) -> Iterator[ir.Function | None]:
    """The function with some names told apart by numbers."""
    plain, memory = seen.plain, seen.memory
    for names, unclear in seen.undecided:
        yield with_references(plain, names, memory)
        if unclear:
            yield with_presence_told(plain.function, seen.optional, names, memory)
            yield array_heaps.with_heap(plain, names, memory, spec, is_procedure)
            yield copied_rows.with_copied_rows(plain.function, names, memory, spec)
            yield with_heap_of_elements(plain, names, memory, spec, is_procedure)


def _views(
    function: ir.Function,
    unsure: set[int],
    memory: PointsTo,
    live: Mapping[int, Set[str]],
) -> Facts[Views]:
    """Which names surely are views of arrays, or items of lists that hold different
    arrays."""
    found: frozenset[str] | None = None
    while True:
        distinct = distinct_items.lists_of_arrays(function) if found is None else found
        views = solve_forward(
            function.body, {}, ViewsOfArrays(function.kinds, unsure, distinct)
        )
        found = distinct_items.lists_of_distinct_arrays(
            function, memory, live, views, distinct
        )
        if found == distinct:
            return views


def _undecided(
    function: ir.Function, facts: Facts[name_sets.NameSet], memory: PointsTo, views: Any
) -> Iterator[tuple[set[str], bool]]:
    """The names of what is written into that may or may not share memory, together for
    each store, and True. So are those that share it all the way through a loop: one
    variable for them needs no copies."""
    loops: dict[int, ir.Statement] = {}
    beside = results_beside(function)
    for s in ir.walk(function.body):
        if isinstance(s, ir.Loop):
            for inner in ir.walk(s.body):
                loops[id(inner)] = s
    for s in ir.walk(function.body):
        if not ops.is_write(s) or id(s) not in facts.after:
            continue
        own = s.target.name
        if is_number(function.kinds.get(own)):
            continue
        live = _seen_behind(s, facts, beside)
        place = Place(views.before.get(id(s), {}), live, function.kinds)
        if unclear := place.unclear(own, memory.before(s)):
            yield {own, *unclear}, True
        elif id(s) in loops:
            inside = {id(inner) for inner in ir.walk((loops[id(s)],))}
            base = place.base(own, inside)
            same = {n for n in place.members(own) if place.base(n, inside) == base}
            if len(same) > 1:
                yield same, False


def _seen_behind(
    s: ir.Line, facts: Facts[name_sets.NameSet], beside: Mapping[str, frozenset[str]]
) -> Set[str]:
    """The names that may show what a store has written."""
    live: Set[str] = facts.after.get(id(s), frozenset())
    return live - {str(s.target)} - results_read(s, beside)


def may_share(memory: Memory, first: str, second: str) -> bool:
    """True where two variables may hold the same buffer, each at its own time."""
    known = {first, second} <= set(memory.buffers)
    return not known or bool(memory.of(first) & memory.of(second))


def _shared_arguments(
    function: ir.Function, memory: PointsTo
) -> Iterator[tuple[ir.Statement, str, str]]:
    """The calls of procedures that write into an array which another argument may
    share: a procedure takes its parameters to be apart."""
    for s in ir.walk(function.body):
        for call in ir.operations(s):
            if not isinstance(call.function, ir.Procedure):
                continue
            details = call.function.details
            names = [str(p.operand) for p in details.parameters]
            given = dict(zip(names, call.args, strict=True))
            here = memory.before(s)
            for written in details.written:
                own = given.pop(written)
                assert isinstance(own, ir.Var)
                for other in given.values():
                    for v in ir.operand_variables(other):
                        if is_number(function.kinds.get(v.name)):
                            continue
                        if v == own or here.shared_with(own.name, (v.name,)):
                            yield s, own.name, v.name


def _refusal_of_call(name: str, other: str) -> core.Unsupported:
    return core.Unsupported(
        f"a function that calls itself writes into {_shown(name)}, and may share it "
        f"with another argument of the call, {_shown(other)}",
        "pass a copy of the other one",
    )


def _refusal(name: str, other: str) -> core.Unsupported:
    own = _shown(name)
    theirs = _shown(other) if other else "the caller or its module"
    return core.Unsupported(
        f"this writes into the array {own}, which {theirs} may share",
        "write into a copy, or copy the other one first",
    )


def _shown(name: str) -> str:
    plain = name.split("~")[0]
    return "an item or intermediate value" if "." in plain else repr(plain)
