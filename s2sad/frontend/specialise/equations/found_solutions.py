"""What solvers of a library find, inside a function that is differentiated.

``found_by(solver, f, guess, args)`` becomes a call of the solver, to which programs
made of ``f`` and other functions are handed, and the operation that gives its result
the derivative of the solution of ``f(z, *args) = 0``::

    z.1 = solver(f, guess, (a, b))      z = solution(z.1, a, b)

What the functions read of those around them is among the arguments that the solver
hands on. It is checked that the equation holds.
"""

from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.equations import implicit_calls, integrals, trajectories
from s2sad.frontend.specialise.recursion.forms import returned_kinds
from s2sad.ops.numerics.quadrature import quadrature
from s2sad.ops.numerics.solvers import require_solved
from s2sad.ops.numerics.trajectories import trajectory


@core.verb
def found_call(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """What a call of ``found_by`` becomes."""
    solver, f, first, others, functions, *options = args
    assert isinstance(others, core.Aggregate) and isinstance(functions, core.Aggregate)
    guess = implicit_calls.as_unknown_of_floats(spec, first)
    equation, given = implicit_calls.equation_of(spec, f, guess, others.items)
    count = len(list(core.leaves(guess)))
    handed: list[core.Value] = [core.constant(equation), guess, behind(given, count)]
    for function in functions.items:
        program, own = implicit_calls.program_of(spec, function, guess, others.items)
        handed += [core.constant(program), behind(own, count)]
    by_values = [spec.by_value(option) for option in options]
    called: Any = core.known_value(solver)
    found = spec.apply(called, (*handed, *by_values), hint="found")
    checked = (core.constant(equation), found, behind(given, count), guess)
    operands = tuple(map(core.operand_of, checked))
    spec.emit(ir.Effect(spec.span, ir.Apply(require_solved, operands)))
    call = implicit_calls.Call(
        f, guess, others.items, core.constant(1e-10), core.constant(100), "direct"
    )
    return implicit_calls.solution_of(spec, call, equation, given, found, is_root=True)


@core.verb
def integral_call(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """What a call of ``integral_by`` becomes."""
    f, low, high, others, epsabs, epsrel, limit = args
    assert isinstance(others, core.Aggregate)
    low = implicit_calls.as_unknown_of_floats(spec, low)
    high = implicit_calls.as_unknown_of_floats(spec, high)
    integrand, given = implicit_calls.equation_of(spec, f, low, others.items)
    if not returned_kinds(integrand):
        raise core.Unsupported(
            f"{core.describe(f)} returns a constant here",
            "multiply it by the length of the interval",
        )
    handed = (
        core.constant(integrand),
        low,
        high,
        behind(given, 1),
        epsabs,
        epsrel,
        limit,
    )
    found = spec.apply(quadrature, handed, hint="found")
    assert isinstance(found, core.Aggregate)
    operation = integrals.Integral(integrand)
    arguments = (found.items[0], low, high, *given[1:], epsabs, epsrel)
    value = spec.apply(operation, arguments, hint="integral")
    return core.aggregate_of((value, found.items[1]))


@core.verb
def trajectory_call(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """What a call of ``trajectory_by`` becomes: times that the solver chooses between
    the ends of the span don't vary."""
    f, first, others, span, times, *settings = args
    assert isinstance(others, core.Aggregate) and isinstance(span, core.Aggregate)
    y0 = implicit_calls.as_unknown_of_floats(spec, first)
    start, stop = (implicit_calls.as_unknown_of_floats(spec, end) for end in span.items)
    right_side, given = implicit_calls.equation_of(spec, f, y0, (start, *others.items))
    ends = core.aggregate_of((start, stop))
    handed = (core.constant(right_side), y0, behind(given, 2), ends, times, *settings)
    found = spec.apply(trajectory, handed, hint="found")
    assert isinstance(found, core.Aggregate)
    chosen, states = found.items
    if core.kind_of(times) == ir.NONE:
        times = spec.expand(between_ends, {"times": chosen, "span": ends})
    arguments = (states, y0, start, times, *given[2:], *settings)
    operation = trajectories.Trajectory(right_side)
    states = spec.apply(operation, arguments, hint="states")
    return core.aggregate_of((times, states))


def between_ends(times: Any, span: Any) -> Any:
    """The times with the ends of the span in place of the first and last one."""
    return np.concatenate((np.array([span[0]]), times[1:-1], np.array([span[1]])))


def behind(given: list[core.Leaf], count: int) -> core.Value:
    """The arguments behind the unknown."""
    return core.aggregate_of(tuple(given[count:]))
