"""``fixed_point`` and ``root`` inside a function that is differentiated.

The iterations are written out; one operation behind them says what they have found::

    z = fixed_point(step, z0, a)    ->    z.1 = ... (a loop with step written out)
                                          z = solution(z.1, a)

``step`` is a procedure besides, which the derivatives of the operation differentiate.
What it reads of the functions around it are parameters of the procedure, and get their
derivatives like any other.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from s2sad import ir, rules
from s2sad.analysis.passes.purity import draws
from s2sad.equations import SOLVERS, iterations
from s2sad.equations.found import found_by, integral_by, trajectory_by
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.derivatives.nested_functions import procedure_for_call
from s2sad.frontend.specialise.equations import implicit_programs, solutions
from s2sad.frontend.specialise.equations.matrix_free import krylov_solution
from s2sad.frontend.specialise.recursion import procedure_programs, recursion
from s2sad.source.normalise import normalised
from s2sad.source.text.resolve import StaticFunction, StaticS2sad
from s2sad.source.text.source import source_of_own


def implicit_call(
    spec: Specialiser, function: Any, args: Args, words: Words
) -> core.Value | None:
    """A call of ``fixed_point`` or ``root``, or of what stands for their arguments
    while they are written out; None for anything else."""
    if isinstance(function, StaticS2sad):
        name = function.path.removeprefix("s2sad.").removeprefix("implicit.")
        handler = _FACES.get(name)
    elif getattr(function, "__module__", "") == "s2sad.implicit":
        handler = _FACES.get(function.__name__)
    else:
        handler = _HANDLERS.get(function)
    return None if handler is None else handler(spec, args, words)


def _fixed_point(spec: Specialiser, args: Args, words: Words) -> core.Value:
    call = _arguments("fixed_point", spec, args, words, 1000)
    equation, given = equation_of(spec, call.function, call.guess, call.others)
    given_to = (_written(call), _flat(call.guess), call.tol, call.maxiter)
    found = spec.inline(source_of_own(iterations.iterated), given_to, {})
    return solution_of(spec, call, equation, given, found, is_root=False)


def _root(spec: Specialiser, args: Args, words: Words) -> core.Value:
    call = _arguments("root", spec, args, words, 100)
    equation, given = equation_of(spec, call.function, call.guess, call.others)
    count = len(list(core.leaves(call.guess)))
    system = implicit_programs.System(equation, count, True, call.solver)
    matrix = _matrix(spec, system, given)
    others = core.aggregate_of(tuple(given[count:]))
    known = (core.constant(system), core.constant(matrix), others, call.tol)
    step = core.Partial(core.constant(newton_call), known)
    given_to = (_written(call), step, _flat(call.guess), call.tol, call.maxiter)
    found = spec.inline(source_of_own(iterations.newton), given_to, {})
    return solution_of(spec, call, equation, given, found, is_root=True)


def _written(call: Call) -> core.Value:
    """The equation as the iterations take it."""
    known = (call.function, _form(call.guess), core.aggregate_of(call.others))
    return core.Partial(core.constant(flat_call), known)


# ------------------------------------------------------------------ the iterations


def flat_call(*args: Any) -> Any:
    """Stands for ``step`` as a function of a number, an array or a tuple of these."""
    raise NotImplementedError


def _flat_call(spec: Specialiser, args: Args, words: Words) -> core.Value:

    step, form, others, z = args
    assert isinstance(others, core.Aggregate)
    given = (_like(form, z), *others.items)
    return _flat(spec.by_value(spec.call_value(step, given, {})))


def newton_call(*args: Any) -> Any:
    """Stands for the Newton step of a root's function."""
    raise NotImplementedError


def _newton_call(spec: Specialiser, args: Args, words: Words) -> core.Value:
    mark, program, others, tol, z, rest = args
    system: implicit_programs.System = core.known_value(mark)
    assert isinstance(tol, core.Leaf)
    given = [*core.leaves(z), *core.leaves(others)]
    if system.matrix_free:
        return krylov_solution(spec, system, given, rest, tol, False)
    matrix: ir.Procedure | None = core.known_value(program)
    if matrix is not None:
        jacobian = recursion.call_with(spec, matrix, given)
    else:
        jacobian = implicit_programs.slope(spec, system.equation, given, True)
    return spec.inline(source_of_own(iterations.newton_change), (jacobian, rest), {})


_FACES: dict[str, Callable[..., core.Value]] = {
    "fixed_point": _fixed_point,
    "root": _root,
}
_HANDLERS: dict[Any, Callable[..., core.Value]] = {
    found_by: lambda spec, args, words: spec.found_call(args, words),
    integral_by: lambda spec, args, words: spec.integral_call(args, words),
    trajectory_by: lambda spec, args, words: spec.trajectory_call(args, words),
    flat_call: _flat_call,
    newton_call: _newton_call,
    **implicit_programs.OF_PROGRAMS,
}


# ------------------------------------------------------------------ the solution


def solution_of(
    spec: Specialiser,
    call: Call,
    equation: ir.Procedure,
    given: list[core.Leaf],
    iterated_to: core.Value,
    is_root: bool,
) -> core.Value:
    """What the iterations found, with the derivative of the solution. ``given`` are the
    arguments of the equation, at the first guess."""
    found = _own(spec, _like(call.guess, iterated_to))
    if not _same_kinds(found, call.guess):
        equation, given = equation_of(spec, call.function, found, call.others)
    parts = list(core.leaves(found))
    count = len(parts)
    given = [*parts, *given[count:]]
    system = implicit_programs.System(equation, count, is_root, call.solver)
    operation = solutions.Solution(system, _matrix(spec, system, given))
    if not operation.rule.differentiates:
        return found
    limits = [*core.leaves(call.tol), *core.leaves(call.maxiter)]
    handed = (*given, *limits) if system.matrix_free else tuple(given)
    result = spec.apply(operation, handed, hint="solution")
    return _like(found, result)


def _own(spec: Specialiser, found: core.Value) -> core.Value:
    return core.map_leaves(found, lambda leaf: _copied(spec, leaf))


def _same_kinds(value: core.Value, other: core.Value) -> bool:
    """True where a procedure for one fits the other: only the lengths may differ."""
    pairs = zip(core.leaves(value), core.leaves(other), strict=True)
    return all(_without_lengths(a.kind) == _without_lengths(b.kind) for a, b in pairs)


def _without_lengths(kind: ir.Kind) -> ir.Kind:
    kind = ir.without_value(kind)
    if isinstance(kind, ir.Array) and kind.axes is not None:
        ones = (ir.Axis("one" if a.length == "one" else "any") for a in kind.axes)
        return replace(kind, axes=tuple(ones))
    return kind


def _copied(spec: Specialiser, leaf: core.Leaf) -> core.Leaf:
    """Nobody else holds an array that is a solution."""
    if not isinstance(leaf.kind, ir.Array):
        return leaf
    return core.single(spec.apply(np.copy, (leaf,), hint="solution"))


def equation_of(
    spec: Specialiser, f: core.Value, unknown: core.Value, others: Args
) -> tuple[ir.Procedure, list[core.Leaf]]:
    """The equation as a procedure, and what its parameters get here."""
    procedure, given = program_of(spec, f, unknown, others)
    details = procedure.details
    _check_form(unknown, details.result, f)
    return procedure, given


def program_of(
    spec: Specialiser, f: core.Value, unknown: core.Value, others: Args
) -> tuple[ir.Procedure, list[core.Leaf]]:
    """A function of the unknown as a procedure that changes nothing else, and what its
    parameters get here."""
    try:
        if _is_plain(f):
            args = (unknown, *others)
            procedure, bound, _ = procedure_for_call(
                spec, f, args, {}, own_arguments=False
            )
        else:
            given = core.aggregate_of(others)
            bound = {"unknown": unknown, "equation": f, "others": given}
            procedure = _procedure_of_applied(spec, f, bound)
    except core.BindsOutside as found:
        raise _changes_others(f) from found
    details = procedure.details
    if details.problems:
        spec.raise_problems()
    assert details.result is not None
    first, *_ = details.arguments.values()
    count = len(list(core.leaves(unknown)))
    own = [leaf.operand for leaf in core.leaves(first)]
    if own != [p.operand for p in details.parameters[:count]]:
        raise core.Unsupported(
            f"the first parameter of {core.describe(f)} isn't the unknown of the "
            "equation",
            "let it take the unknown first, as a parameter of its own",
        )
    if details.changed or details.written:
        raise _changes_others(f)
    if draws(procedure):
        raise core.Unsupported(
            f"{core.describe(f)} draws random numbers, and is another function each "
            "time",
            "draw them before, and pass them in",
        )
    return procedure, recursion.arguments_of(spec, procedure, bound)


def _changes_others(f: core.Value) -> core.Unsupported:
    return core.Unsupported(
        f"{core.describe(f)} changes what isn't its own, and the derivative of a "
        "solution doesn't depend on the iterations",
        "let it only compute its result",
    )


def _is_plain(f: core.Value) -> bool:
    """True for a function written with def or lambda."""
    if isinstance(f, core.Leaf):
        known = getattr(f.kind, "value", None)
        return isinstance(known, types.FunctionType | StaticFunction)
    return isinstance(f, core.Closure)


def applied(unknown: Any, equation: Callable[..., Any], others: Any) -> Any:
    """A method, a partial function or an object that can be called, as an equation."""
    return equation(unknown, *others)


def _procedure_of_applied(
    spec: Specialiser, f: core.Value, bound: dict[str, core.Value]
) -> ir.Procedure:
    source = source_of_own(applied)

    def activation() -> core.Frame:
        return spec.activation_of(source, None, bound)

    made = procedure_programs.procedure_of(
        spec, source, bound, activation, normalised(source)
    )
    name = str(core.describe(f)).split()[-1].strip("'")
    made.__name__ = name if name.isidentifier() else "equation"
    return made


def _matrix(
    spec: Specialiser, system: implicit_programs.System, given: list[core.Leaf]
) -> ir.Procedure | None:
    """The program of the Jacobian; None where products with it are enough, and for an
    equation of numbers, whose derivative is one."""
    if system.matrix_free or system.is_of_number:
        return None
    return implicit_programs.matrix_of(spec, system, given)


# ------------------------------------------------------------------ arguments


class Call(NamedTuple):
    """The arguments of ``fixed_point`` or ``root``."""

    function: core.Value
    guess: core.Value
    others: Args
    tol: core.Value
    maxiter: core.Value
    solver: str


def _arguments(
    name: str, spec: Specialiser, args: Args, words: Words, most: int
) -> Call:
    words = dict(words)
    tol = words.pop("tol", core.constant(1e-10))
    maxiter = words.pop("maxiter", core.constant(most))
    solver = words.pop("solver", core.constant("direct"))
    if words or len(args) < 2:
        raise core.Unsupported(
            "a function and a first guess are expected here, and tol, maxiter and "
            "solver as keywords",
            "pass other arguments of the function by position",
        )
    for word, value in (("tol", tol), ("maxiter", maxiter)):
        kind = core.kind_of(value)
        known = rules.is_static(kind) and rules.static_value(kind)
        whole = word == "tol" or (isinstance(kind, ir.Scalar) and kind.type == "int")
        if not whole or (rules.is_static(kind) and not known > 0):
            raise core.Unsupported(
                f"{word} is {core.describe(value)} here",
                "pass a positive number" if word == "tol" else "pass a positive int",
            )
    kind = core.kind_of(solver)
    if not rules.is_static(kind) or rules.static_value(kind) not in SOLVERS[name]:
        raise core.Unsupported(
            f"solver is {core.describe(solver)} here",
            f"pass one of {', '.join(map(repr, SOLVERS[name]))}",
        )
    f, z0, *others = args
    guess = as_unknown_of_floats(spec, z0)
    return Call(f, guess, tuple(others), tol, maxiter, rules.static_value(kind))


def as_unknown_of_floats(spec: Specialiser, z0: core.Value) -> core.Value:
    """A first guess by value, with floats in place of ints."""
    z0 = spec.by_value(spec.contents(z0) if isinstance(z0, core.Cell) else z0)
    z0 = core.map_leaves(z0, lambda leaf: _as_float(spec, leaf))
    return _as_unknown(z0)


def _as_float(spec: Specialiser, leaf: core.Leaf) -> core.Leaf:
    """A first guess that is an int stands for a float."""
    if not isinstance(leaf.kind, ir.Scalar) or leaf.kind.type != "int":
        return leaf
    if isinstance(leaf.operand, ir.Const):
        return core.constant(float(leaf.operand.value))
    return core.single(spec.apply(float, (leaf,), hint="guess"))


def _as_unknown(value: core.Value) -> core.Value:
    """The value, if it is made of real numbers and arrays."""
    held = isinstance(value, core.Leaf | core.Aggregate)
    parts = list(core.leaves(value)) if held else []
    if not parts or not all(
        ir.is_real_number_kind(part.kind)
        and not ir.is_promoted(part.kind)
        and ir.rank_of(part.kind) is not None
        for part in parts
    ):
        raise core.Unsupported(
            f"the unknown of an equation is {core.describe(value)} here",
            "use a real number, an array of known rank, or a structure of these",
        )
    return value


def _check_form(unknown: core.Value, new: core.Value, f: core.Value) -> None:
    """Refuse an equation whose result isn't like its unknown."""
    pairs = zip(core.leaves(unknown), core.leaves(new), strict=False)
    if _form(unknown) != _form(new) or any(
        ir.rank_of(a.kind) != ir.rank_of(b.kind) or ir.is_promoted(b.kind)
        for a, b in pairs
    ):
        raise core.Unsupported(
            f"{core.describe(f)} returns something of another form than the first "
            f"guess: {core.kind_of(new)}, and {core.kind_of(unknown)}",
            "let both have the same structure and the same shapes",
        )


def _form(value: core.Value) -> core.Value:
    """The structure of a value, without what it holds."""
    return core.map_leaves(value, lambda leaf: core.constant(None))


def _flat(value: core.Value) -> core.Value:
    """The numbers and arrays of a structure as a tuple; a single one as it is."""
    if isinstance(value, core.Leaf):
        return value
    return core.aggregate_of(tuple(core.leaves(value)))


def _like(form: core.Value, flat: core.Value) -> core.Value:
    remaining = iter(list(core.leaves(flat)))
    return core.map_leaves(form, lambda leaf: next(remaining))
