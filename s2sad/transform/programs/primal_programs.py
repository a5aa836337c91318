"""Programs as the transforms take them: renamed, with what they write under names of
its own, and the procedures that they call prepared alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.numbers.whole_numbers import WHOLE, stores_of_fractions
from s2sad.analysis.passes.common_subexpressions import share_common_subexpressions
from s2sad.analysis.passes.copies import propagate_copies
from s2sad.analysis.passes.dead_code import remove_dead_code
from s2sad.analysis.passes.known_tests import with_known_tests
from s2sad.analysis.passes.stored_slots import with_slots_read_once
from s2sad.frontend.specialise import Specialised, core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.inlined_programs import hands_residuals_on
from s2sad.frontend.specialise.derivatives.own_arguments import (
    with_own_arrays,
    with_values_now,
)
from s2sad.frontend.specialise.recursion import captured_variables, forms
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.calls import names_from_the_start, properties, shared_calls
from s2sad.transform.calls.refused_calls import check_layouts, laid_to_calls
from s2sad.transform.calls.whole_jacobians import with_jacobians_written_out
from s2sad.transform.exceptions import (
    half_written,
    numbers_in_exceptions,
    parted_attempts,
)
from s2sad.transform.exceptions.needless_raises import (
    with_names_checked,
    with_raises_kept,
)
from s2sad.transform.memory import (
    array_writes,
    augmented_arrays,
    inner_lists,
    kept_arrays,
    plain_views,
)
from s2sad.transform.memory.kept_items import with_kept_items
from s2sad.transform.memory.references.shared_copies import with_shared_copies
from s2sad.transform.programs import loop_variables, webs


def _refuse_lost_fractions(
    function: ir.Function, spec: Specialiser, given: Mapping[str, frozenset[str]]
) -> None:
    """Report stores whose fractions are lost where an array turns out to be of ints, in
    a program and in the procedures that it calls; of parameters is ``given`` what
    holds."""
    calls = properties.note_calls(function, given)[WHOLE.name]
    of_parameters = given.get(WHOLE.name, frozenset())
    stores = [*stores_of_fractions(function, of_parameters, calls)]
    for procedure, whole in calls.items():
        if ir.is_complete(procedure):
            own = procedure.function
            stores += stores_of_fractions(own, whole.given, calls)
    for s in stores:
        problem = core.Unsupported(
            "this array is one of ints where no float was added to what it is made of, "
            "and would lose the fractions of what is stored into it",
            "make it with a dtype, such as np.array(..., dtype=float), or start sums "
            "with 0.0",
        )
        spec.report_at(problem, s.span)


def primal_function(
    specialised: Specialised,
    *,
    handed_back: frozenset[str] | None = None,
    made: bool = False,
    final: bool = False,
    owns: bool = False,
) -> ir.Function:
    """The specialised function after renaming, copies propagated. ``handed_back`` are
    the arrays that a procedure writes into and returns; nothing in what was ``made`` by
    a transform writes into arrays. One that is ``final`` isn't differentiated, and one
    that ``owns`` what it is given works on copies."""

    spec = specialised.specialiser
    function = specialised.function
    is_procedure = handed_back is not None and not owns
    function = with_values_now(function, spec, is_procedure)
    if final:
        function = with_jacobians_written_out(function, spec)
    if spec.options.known_tests:
        function = with_known_tests(function)
    if not made:
        keeps = spec.options.keeps_raises
        function = with_raises_kept(function) if keeps else with_names_checked(function)
    function = half_written.with_half_written_noticed(function, spec)
    if not made:
        numbers_in_exceptions.refuse_numbers_in_exceptions(function, spec)
    if handed_back is None and not made:
        _refuse_lost_fractions(function, spec, specialised.given)
    if not made and any(map(ops.is_write, ir.walk(function.body))):
        if handed_back is None:
            function = with_own_arrays(function, spec, in_lists_alone=True)
        function = augmented_arrays.with_writes_under_own_names(function)
        function = webs.split_webs(function, in_place=True)
        function = with_shared_copies(function, spec, is_procedure)
        function = with_kept_items(function, spec)
        function = kept_arrays.with_kept_arrays(function, spec, is_procedure)
        function = array_writes.with_writes_seen(function, spec, handed_back)
    else:
        function = with_shared_copies(function, spec, is_procedure)
        function = with_kept_items(function, spec)
        if not made:
            function = kept_arrays.with_kept_arrays(function, spec, is_procedure)
    function = plain_views.without_orders(function, spec)
    function = loop_variables.with_own_loop_variables(webs.split_webs(function))
    function = _with_numbers_unnamed(function, spec.parts)
    function = remove_dead_code(propagate_copies(function, keep_bounds=True))
    if spec.options.stored_slots:
        once = with_slots_read_once(function)
        if once is not function:
            function = remove_dead_code(propagate_copies(once, keep_bounds=True))
    function = parted_attempts.with_attempts_apart(function, spec.fresh)
    function = augmented_arrays.without_array_writes(function, spec)
    if spec.options.shared_calls and not made:
        function = shared_calls.with_calls_shared(function)
        shared = share_common_subexpressions(function)
        if shared is not function:
            function = remove_dead_code(propagate_copies(shared, keep_bounds=True))
    if not made:
        function = names_from_the_start.with_names_from_the_start(function)
    if spec.options.change_within:
        changed = inner_lists.change_inner_lists(function)
        function = changed if changed is function else remove_dead_code(changed)
    spec.raise_problems()
    _check_procedures(function, spec, final)
    return function


LONGEST_NUMBER = 5
"""Characters of a number that is written where it is read, however often."""


def _with_numbers_unnamed(function: ir.Function, parts: Set[str]) -> ir.Function:
    """The program in which no name is given to numbers that stand in structures, as
    ``(0.0, 0.5, -1.0)``, if they are read once or twice or are short: they stand where
    they are read."""
    uses = ir.uses_in(function.body)
    numbers = {
        s.target.name
        for s in ir.walk(function.body)
        if isinstance(s, ir.Assign)
        and isinstance(s.target, ir.Var)
        and s.target.name in parts
        and uses.writes[s.target.name] == 1
        and (number := _number_of(s)) is not None
        and (uses.reads[s.target.name] <= 2 or len(repr(number)) <= LONGEST_NUMBER)
    }
    if not numbers:
        return function
    return ir.altered(function, temporaries=function.temporaries | numbers)


def _number_of(s: ir.Assign) -> float | None:
    """The number that a line copies, if it is known."""
    if isinstance(s.value, ir.Apply) or not isinstance(s.kind, ir.Scalar):
        return None
    return s.kind.value if type(s.kind.value) in (int, float) else None


def _check_procedures(function: ir.Function, spec: Specialiser, final: bool) -> None:
    """Refuse writes into arrays in procedures too, whether they are differentiated or
    only called."""
    for procedure in ir.all_procedures([function.body], hands_residuals_on):
        if procedure.details is None:
            if not final:
                _refuse_sweep(spec, procedure)
            continue
        if hands_residuals_on(procedure):
            continue
        if ir.is_complete(procedure) and "checked" not in procedure.derived:
            procedure.derived["checked"] = True  # before it meets itself
            prepared(procedure)


def _refuse_sweep(spec: Specialiser, procedure: ir.Procedure) -> None:
    """Residuals are followed in no derivative of a sweep."""
    try:
        refuse_without_details(procedure)
    except core.Unsupported as problem:
        spec.report_at(problem, spec.main_span)
    spec.raise_problems()


@dataclass(eq=False)
class Pair:
    """The two sweeps of a procedure."""

    forward: ir.Procedure
    """Returns the results and the residuals in one tuple."""
    reverse: ir.Procedure
    """Takes residuals and the cotangent; returns one adjoint, or a tuple."""
    active: tuple[str, ...]
    """The parameters that vary."""
    seeds: tuple[Masked | None, ...] = ()
    """How the cotangents of the results are marked that calls give to the reverse
    program; None for one that no call has."""
    adjoints: dict[str, Masked] = field(default_factory=dict)
    """How those are marked that it returns, by parameter."""
    in_making: bool = False
    wider: Pair | None = None
    """The pair for more parameters that serves in its place."""
    given: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What holds of parameters, by the name of the property."""
    references: tuple[str, ...] = ()
    """Those of ``active`` whose adjoints are references, or lists of them: the forward
    program takes them behind its other arguments, and the reverse program adds to what
    they lead to."""

    @property
    def returned(self) -> tuple[str, ...]:
        """The parameters whose adjoints the reverse program returns."""
        return tuple(name for name in self.active if name not in self.references)

    @property
    def is_batched(self) -> bool:
        """True where batched versions know its residuals."""
        return bool(self.forward.derived or self.reverse.derived)

    @property
    def residuals(self) -> str:
        """What a variable is called that keeps them."""
        count = self.reverse.partials
        return "residuals" if not count else "partial" if count == 1 else "partials"

    def found(self, adjoints: Mapping[str, Masked]) -> None:
        """Note how adjoints are marked; a mark isn't taken back."""
        for name, mark in adjoints.items():
            self.adjoints[name] = max(mark, self.adjoints.get(name, Masked.NO))


def new_pair(procedure: ir.Procedure, name: str, active: tuple[str, ...]) -> Pair:
    """A pair that is to be made."""
    pair = Pair(
        ir.Procedure(f"{name}_forward", of=procedure),
        ir.Procedure(f"{name}_reverse", f"Pullback of {procedure.short}.", procedure),
        active,
    )
    name_pair(pair)
    names = [str(parameter.operand) for parameter in procedure.details.parameters]
    kinds = {str(p.operand): p.kind for p in procedure.details.parameters}
    pair.references = tuple(n for n in active if ir.is_of_references(kinds[n]))
    numbers = (name for name in active if name not in pair.references)
    pair.reverse.reverses = pair.forward, tuple(map(names.index, numbers))
    return pair


def name_pair(pair: Pair, *, multiplies: bool = False) -> None:
    """Give the programs of a pair their names. If its reverse program ``multiplies`` by
    partial derivatives, the forward program is a gradient behind the value."""
    assert pair.reverse.of is not None
    short, name = pair.reverse.of.short, pair.reverse.__name__.removesuffix("_reverse")
    pair.forward.__name__ = f"{name}_forward"
    pair.forward.short, pair.reverse.short = f"{short}_forward", f"{short}_reverse"
    pair.forward.docstring = f"Value and residuals of {short}."
    pair.forward.returns_residuals = not multiplies
    pair.forward.partials = len(pair.active) if multiplies else 0
    pair.reverse.partials = pair.forward.partials
    if multiplies:
        pair.forward.__name__ = f"{name}_value_and_grad"
        pair.forward.short = f"{short}_value_and_grad"
        pair.forward.docstring = f"Value and gradient of {short}."


def is_procedure_call(value: Any) -> bool:
    """True for a call of a procedure."""
    return isinstance(value, ir.Apply) and isinstance(value.function, ir.Procedure)


def specialised_procedure(procedure: ir.Procedure) -> Specialised:
    """The procedure as if it were a whole function."""
    details: captured_variables.Details = procedure.details
    returned = procedure.function.final
    kinds = forms.returned_kinds(procedure)
    result: core.Value
    if isinstance(returned.value, ir.Pack):
        items = zip(returned.value.items, kinds, strict=True)
        result = core.aggregate_of(tuple(core.Leaf(item, kind) for item, kind in items))
    else:
        result = core.Leaf(returned.value, kinds[0])
    arguments: dict[str, core.Value] = {str(p.operand): p for p in details.parameters}
    return Specialised(
        procedure.function,
        result,
        core.kind_of(result),
        arguments,
        (),
        details.spec,
        properties.given_to(procedure),
    )


def prepared(procedure: ir.Procedure) -> ir.Function:
    """The program after renaming, as the transforms take it."""
    if "prepared" not in procedure.derived:
        details: captured_variables.Details = procedure.details
        with laid_to_calls(details.spec, procedure.function, procedure):
            function = primal_function(
                specialised_procedure(procedure),
                handed_back=None if details.made else frozenset(details.written),
                made=details.made,
                owns=details.own_arguments,
            )
        check_layouts(procedure, function)
        procedure.derived["prepared"] = function
    return procedure.derived["prepared"]


def runnable(procedure: ir.Procedure) -> ir.Function:
    """The program to be emitted: of one that isn't a derivative, that in which all
    names of what it writes into have its new value."""
    if procedure.details is None or procedure.details.made:
        return procedure.function
    return prepared(procedure)


class undisturbed:
    """What the specialiser is about stays as it is."""

    def __init__(self, spec: Specialiser) -> None:
        self.spec = spec

    def __enter__(self) -> None:
        spec = self.spec
        self.kept = spec.span, spec.derived, spec.block
        spec.block = []

    def __exit__(self, *failure: Any) -> None:
        self.spec.span, self.spec.derived, self.spec.block = self.kept


@contextmanager
def in_making(procedure: ir.Procedure, program: Any) -> Iterator[Specialiser]:
    """Write a program that belongs to a procedure, the state of whose specialiser stays
    as it is: calls of it that are met are told that it is ``in_making``."""
    spec: Specialiser = procedure.details.spec
    program.in_making = True
    with undisturbed(spec), laid_to_calls(spec, procedure.function, procedure):
        yield spec
    program.in_making = False


def refuse_without_details(procedure: ir.Procedure) -> None:
    """The sweeps of a function that calls itself hand residuals on, which aren't
    followed."""
    if procedure.details is None:
        raise core.Unsupported(
            "the gradient of a function that calls itself can't be differentiated "
            "again here",
            "use grad, jacfwd or jacrev, or write the recursion as a loop",
        )


def active_parameters(
    procedure: ir.Procedure,
    arguments: tuple[ir.Operand, ...],
    is_active: Callable[[Any], bool],
) -> tuple[str, ...]:
    """The names of the parameters that get a varying argument."""
    refuse_without_details(procedure)
    return tuple(
        str(parameter.operand)
        for parameter, argument in zip(
            procedure.details.parameters, arguments, strict=True
        )
        if is_active(argument) and ir.is_real_number_kind(parameter.kind)
    )


def with_residuals(
    statement: ir.Assign,
    pair: Pair,
    residuals: ir.Var,
    kinds: tuple[Any, ...],
    adjoints: tuple[ir.Operand, ...] = (),
    adjoints_of_results: tuple[ir.Var, ...] = (),
) -> ir.Assign:
    """The call of the forward program in place of that of the function. ``adjoints``
    are those of arguments that are references."""
    assert isinstance(statement.value, ir.Apply)
    targets = (
        statement.target.items
        if isinstance(statement.target, ir.Pack)
        else (statement.target,)
    )
    items = (*targets, *adjoints_of_results, residuals)
    structure = ir.tuple_of_kinds((*kinds, ir.OPAQUE))
    args = (*statement.value.args, *adjoints)
    return replace(
        statement,
        target=ir.pack_tuple(*items),
        value=replace(statement.value, function=pair.forward, args=args),
        kind=structure,
    )
