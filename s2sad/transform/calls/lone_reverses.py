"""Reverse programs without a forward sweep: of functions whose reverse lines read
nothing but what the arguments lead to, and what is cheaply computed of that.

::

    def total(node):                  def total_reverse(node, bar, gradient):
        found = node.x * node.x           for kid, kid_bar in zip(node.kids, bar.kids):
        for kid in node.kids:                 total_reverse(kid, kid_bar, gradient)
            found += total(kid)           bar.x += 2.0 * gradient * node.x
        return found

The call itself stays in the forward sweep, and goes where nobody reads its result. The
program is written with both sweeps in one function, in which calls by itself are of
such a program, too; where it still calls for values then, keeps some, or computes what
costs more than keeping it, the function has a pair. Nothing may be stored into what it
reads between the call and the reverse sweep, so only gradients whose sweeps are one
function have such programs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from s2sad import ir
from s2sad.analysis.passes import copies, dead_code, purity
from s2sad.analysis.reverse.costs import Costs
from s2sad.analysis.reverse.independent_turns import with_turns_forwards
from s2sad.analysis.reverse.settled_reads import READS_AGAIN, read_again
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.derivatives.inlined_programs import hands_residuals_on
from s2sad.frontend.specialise.recursion import forms
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.calls import cotangents_of_calls, whole_jacobians
from s2sad.transform.calls.pushed_procedures import name_of, named
from s2sad.transform.forward.tangents import fresh_parameter
from s2sad.transform.programs import primal_programs
from s2sad.transform.reverse import gradient, reverse_references


def lone_reverse_of(
    procedure: ir.Procedure, active: tuple[str, ...], seed: Masked, *, settled: bool
) -> primal_programs.Pair | None:
    """The reverse program for parameters that vary, as a pair of which the forward
    program is the function itself: it takes the arguments, the adjoints of references
    and the cotangent. None where the function needs a forward sweep, and for one that
    reads what isn't ``settled``: the program stores into it behind the call."""
    if purity.is_missed(procedure) or (purity.has_effects(procedure) and not settled):
        return None
    key = "lone", active
    if key not in procedure.derived:
        procedure.derived[key] = _new(procedure, active, seed)
        if procedure.derived[key] is not None:
            _write(procedure, active, procedure.derived[key])
            if not procedure.derived[key].reverse.is_alone:
                procedure.derived[key] = None
    pair: primal_programs.Pair | None = procedure.derived[key]
    if (
        pair is not None
        and cotangents_of_calls.joined(seed, pair.seeds[0]) != pair.seeds[0]
    ):
        pair.seeds = (cotangents_of_calls.joined(seed, pair.seeds[0]),)
        if not pair.in_making:
            _write(procedure, active, pair)
    return pair


def _new(
    procedure: ir.Procedure, active: tuple[str, ...], seed: Masked
) -> primal_programs.Pair | None:
    """One that is to be written; None where the function can't have one."""
    if whole_jacobians.is_whole(procedure) or hands_residuals_on(procedure):
        return None
    kinds = forms.returned_kinds(procedure)
    if len(kinds) != 1 or not isinstance(kinds[0], ir.Scalar | ir.NumPyScalar):
        return None
    name = name_of(procedure, active, "lone")
    reverse = ir.Procedure(
        f"{name}_reverse", f"Pullback of {procedure.short}.", procedure
    )
    reverse.short = f"{procedure.short}_reverse"
    own = {str(p.operand): p.kind for p in procedure.details.parameters}
    references = tuple(n for n in active if ir.is_of_references(own[n]))
    if not references:
        return None
    return primal_programs.Pair(
        procedure,
        reverse,
        active,
        (seed,),
        dict.fromkeys(active, Masked.NO),
        references=references,
    )


def _write(
    procedure: ir.Procedure, active: tuple[str, ...], pair: primal_programs.Pair
) -> None:
    """Write the program, until its marks are those it was made with."""
    made = None
    with primal_programs.in_making(procedure, pair):
        while made != (pair.seeds, pair.adjoints):
            made = pair.seeds, dict(pair.adjoints)
            pair.found(_fill(procedure, active, pair))
    function = pair.reverse.function
    if pair.reverse.is_alone or _is_alone(function, pair.reverse):
        pair.reverse.is_alone = True
        function = _with_branches_joined(function)
        pair.reverse.function = with_turns_forwards(function)


@dataclass(frozen=True)
class SweepsOfPair:
    """Both sweeps of a function for the seeds and marks of a pair."""

    function: ir.Function
    """The function, with the parameter for the cotangents among its kinds."""
    seed: str
    """Its name."""
    sweeps: gradient.Sweeps
    adjoints: dict[str, Masked]
    """How adjoints of parameters are marked."""


def sweeps_of_pair(
    procedure: ir.Procedure,
    active: tuple[str, ...],
    pair: primal_programs.Pair,
    *,
    at_once: bool = False,
) -> SweepsOfPair:
    """The sweeps that the programs of a pair are made of; ``at_once`` where they are
    one program, which returns no result."""
    specialised = primal_programs.specialised_procedure(procedure)
    spec, function = specialised.specialiser, primal_programs.prepared(procedure)
    name = fresh_parameter(gradient.SEED, function)
    spec.span = function.final.span
    seed, kind, lines = cotangents_of_calls.seed_of_pair(name, specialised, pair.seeds)
    function = replace(function, kinds={**function.kinds, name: kind})
    both = gradient.sweeps(
        specialised,
        function,
        active,
        seed,
        lines,
        recompute=spec.options.recompute,
        whole_seeds=True,
        marked=tuple(map(cotangents_of_calls.mark_of_seed, pair.seeds)),
        value=not at_once,
        adjoints_given=True,
        at_once=at_once,
    )
    function, _ = reverse_references.with_adjoints_given(function, pair.references)
    marks = {n: both.marks.get(n, Masked.SELECTED) for n in active}
    return SweepsOfPair(function, name, both, marks)


def tidied(program: ir.Function) -> ir.Function:
    """A program without copies, and lines that nobody reads."""
    return dead_code.remove_dead_code(copies.propagate_copies(program))


def _fill(
    procedure: ir.Procedure, active: tuple[str, ...], pair: primal_programs.Pair
) -> Mapping[str, Masked]:
    """Write the program; returns how adjoints of parameters are marked."""
    found = sweeps_of_pair(procedure, active, pair, at_once=True)
    both = found.sweeps
    parts = tuple(map(core.operand_of, both.gradients))
    final = ir.Return(None, ir.packed(parts) if parts else ir.Const(None))
    body = (*both.function.body, *both.reverse, final)
    program = replace(
        both.function,
        parameters=(*found.function.parameters, found.seed),
        body=ir.with_leaves(body, _with_plain_read),
    )
    pair.reverse.function = named(tidied(program), pair.reverse)
    return found.adjoints


def _is_alone(function: ir.Function, itself: ir.Procedure) -> bool:
    """True for a program that calls nothing but itself and others of its sort, keeps
    nothing, and computes only what costs less than to keep it."""
    costs = Costs(lambda name: function.kinds.get(name, ir.UNKNOWN))
    for s in ir.walk(function.body):
        if isinstance(s, ir.Save | ir.Restore):
            return False
        called = [o.function for o in ir.operations(s)]
        procedures = (f for f in called if isinstance(f, ir.Procedure))
        if any(f is not itself and not f.is_alone for f in procedures):
            return False
        if isinstance(s, ir.Assign) and not s.derived and not _is_cheap(s, costs):
            return False
    return True


def _with_plain_read(s: ir.Statement) -> ir.Block:
    """A read of a slot into which nothing is stored any more."""
    return (read_again(s) if ir.is_line(s, *READS_AGAIN) else s,)


def _with_branches_joined(function: ir.Function) -> ir.Function:
    """The program of which what branches read belongs to the reverse lines that stand
    under the same condition."""

    def derived(s: ir.Statement) -> ir.Block:
        return (replace(s, derived=True) if isinstance(s, ir.Assign) else s,)

    body = (
        ir.with_blocks(s, lambda block: ir.with_leaves(block, derived))
        if isinstance(s, ir.If)
        else s
        for s in function.body
    )
    return replace(function, body=tuple(body))


def _is_cheap(s: ir.Assign, costs: Costs) -> bool:
    if not isinstance(s.value, ir.Apply):
        return True
    again = costs.repeated(s)
    if again is not None and again < costs.prices.kept:
        return True
    whole = isinstance(s.kind, ir.Scalar) and s.kind.type in ("bool", "int")
    return whole and purity.is_pure(s.value.function)  # a test, or a length
