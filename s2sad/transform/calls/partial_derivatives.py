"""Calls of functions of numbers that return one number: the partial derivatives are all
that the reverse sweep needs, and they are computed with the value.

::

    y, residuals = f_forward(x, c)              y, partials = f_value_and_grad(x, c)
    ...                                         ...
    x_bar, c_bar = f_reverse(residuals, y_bar)  by_x, by_c = partials
                                                x_bar = y_bar * by_x
                                                c_bar = y_bar * by_c

The forward program of such a pair is the gradient, behind the value, and its reverse
program is a product for each parameter, which stands where it is called. Source:
Griewank and Walther, Evaluating Derivatives (2nd ed.), chapter 10 (preaccumulation of
local Jacobians).
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from s2sad import ir
from s2sad.analysis.passes import purity
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.recursion import forms
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.calls import cotangents_of_calls
from s2sad.transform.calls.pushed_procedures import named
from s2sad.transform.programs import primal_programs
from s2sad.transform.reverse import gradient


def are_enough(procedure: ir.Procedure, pair: primal_programs.Pair) -> bool:
    """True where the reverse program of a pair is linear in a number, and gives one for
    each parameter: nobody looks at adjoints on the way, or changes them, no zero is one
    by structure, and nothing else is changed. A handler around a call would see what
    the reverse lines raise. An infinite cotangent times a partial derivative that is
    zero by structure would be nan."""
    spec = procedure.details.spec
    if not spec.options.preaccumulated_calls or spec.procedures.handlers_met:
        return False
    if not pair.active:
        return False
    if any(pair.adjoints.values()):
        if procedure.details.infinite_cotangent is not False:
            return False
    own = {str(p.operand): p.kind for p in procedure.details.parameters}
    kinds = [*forms.returned_kinds(procedure), *(own[name] for name in pair.active)]
    if pair.seeds != (Masked.NO,) or not all(map(forms.is_double, kinds)):
        return False
    called = (procedure, *ir.all_procedures([procedure.function.body]))
    if any(one.given is not None or not ir.is_complete(one) for one in called):
        return False
    return not purity.has_effects(procedure) or all(map(_is_by_itself, called))


def _is_by_itself(procedure: ir.Procedure) -> bool:
    """True where it deals with numbers and arrays alone: what it changes is its own, or
    a result. A reverse sweep that comes at once would take other changes back."""
    if procedure.details is None:
        return False  # a forward or reverse program, whose residuals are anything
    given = (parameter.kind for parameter in procedure.details.parameters)
    return all(
        isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Array) for kind in given
    ) and not any(map(ir.is_of_references, procedure.function.kinds.values()))


def fill_pair(
    procedure: ir.Procedure, pair: primal_programs.Pair
) -> Mapping[str, Masked]:
    """Write both programs; returns how adjoints of parameters are marked."""
    both, forward = _gradient(procedure, pair, value=True)
    pair.forward.function = named(forward, pair.forward)
    pair.reverse.function = named(_products(pair.active), pair.reverse)
    return {name: both.marks.get(name, Masked.SELECTED) for name in pair.active}


def _gradient(
    procedure: ir.Procedure, pair: primal_programs.Pair, *, value: bool
) -> tuple[gradient.Sweeps, ir.Function]:
    """The sweeps, and the program that runs both, with the ``value`` or without."""
    specialised = primal_programs.specialised_procedure(procedure)
    spec, function = specialised.specialiser, primal_programs.prepared(procedure)
    spec.span = function.final.span
    both = gradient.sweeps(
        specialised,
        function,
        pair.active,
        core.constant(1.0),
        recompute=spec.options.recompute,
        whole_seeds=True,
        value=value,
    )
    return both, gradient.gradient_function(
        both,
        single=len(pair.active) == 1,
        value=value,
        parameters=function.parameters,
    )


def _products(active: tuple[str, ...]) -> ir.Function:
    """The reverse program: the cotangent times each partial derivative."""
    given, seed = ir.Var("partials"), ir.Var(gradient.SEED)
    bars = tuple(ir.Var(f"{name}.bar") for name in active)
    kinds = {v.name: ir.FLOAT for v in (seed, *bars)}
    program = ir.Rewriting(ir.Function("", (given.name, seed.name), (), kinds))
    target = bars[0] if len(bars) == 1 else ir.pack_tuple(*bars)
    call = ir.Assign(None, target, ir.Apply(operator.mul, (given, seed)), None, True)
    lines = cotangents_of_calls.multiplied(call, active, program)
    body = (*lines, ir.Return(None, target))
    return replace(program.function, body=body, kinds=program.kinds)


Programs = dict[ir.Procedure, ir.Function]


def without_unread_values(
    functions: Sequence[ir.Function],
    programs: Programs,
    optimised: Callable[[ir.Function, ir.Procedure], ir.Function],
) -> tuple[list[ir.Function], Programs]:
    """The functions and the programs that they call, where a program whose value nobody
    reads gives partial derivatives alone::

        _, partial = f_value_and_grad(x)    ->    partial = f_grad(x)

    It is written again without its value, and ``optimised``, so that others may give
    none, too.
    """
    given = list(functions)
    made: dict[ir.Procedure, ir.Procedure] = {}

    def written(function: ir.Function, procedure: ir.Procedure) -> ir.Function:
        return _calling(optimised(function, procedure), made)

    def known(function: ir.Function, procedure: ir.Procedure) -> ir.Function:
        return programs.get(procedure) or written(function, procedure)

    while True:
        read = {p for f in (*given, *programs.values()) for p in _with_value_read(f)}
        new = {p for p in programs if p.partials and p not in read}
        if not new:
            return given, called_in(given, known)
        made |= {p: _named_without_value(p) for p in new}
        given = [_calling(f, made) for f in given]
        for p in new:
            made[p].function = named(written(_without_value(p), p), made[p])
            programs = {**programs, p: made[p].function}
        programs = {made.get(p, p): _calling(f, made) for p, f in programs.items()}


def _with_value_read(function: ir.Function) -> set[ir.Procedure]:
    """The procedures of whose calls a program reads the value."""
    reads = ir.uses_in(function.body).reads
    found: set[ir.Procedure] = set()
    for s in ir.walk(function.body):
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply):
            called, value = s.value.function, ir.tuple_items(s.target)[0]
            if isinstance(called, ir.Procedure) and called.partials:
                if not isinstance(s.target, ir.Pack) or reads[str(value)]:
                    found.add(called)
    return found


def _without_value(forward: ir.Procedure) -> ir.Function:
    """The program of a pair that gives partial derivatives alone."""
    procedure = forward.of
    assert procedure is not None
    pair = next(
        known
        for key, known in procedure.derived.items()
        if isinstance(key, tuple) and key[0] == "pair" and known.forward is forward
    )
    with primal_programs.in_making(procedure, pair):
        _, function = _gradient(procedure, pair, value=False)
    return function


def _named_without_value(procedure: ir.Procedure) -> ir.Procedure:
    made = ir.Procedure(
        procedure.__name__.replace("_value_and_grad", "_grad"),
        procedure.docstring.replace("Value and gradient", "Gradient"),
        procedure.of,
    )
    made.short = procedure.short.replace("_value_and_grad", "_grad")
    return made


def _calling(
    function: ir.Function, made: Mapping[ir.Procedure, ir.Procedure]
) -> ir.Function:
    """The program with calls that give no value."""

    def change(s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.Assign) or not isinstance(s.value, ir.Apply):
            return (s,)
        called = s.value.function
        if not isinstance(called, ir.Procedure) or called not in made:
            return (s,)
        assert isinstance(s.target, ir.Pack) and isinstance(s.kind, ir.Structure)
        partials, kind = s.target.items[1], s.kind.items[1]
        assert isinstance(partials, ir.Var)
        call = replace(s.value, function=made[called])
        return (replace(s, target=partials, value=call, kind=kind),)

    return replace(function, body=ir.with_leaves(function.body, change))


def called_in(
    functions: Sequence[ir.Function],
    optimised: Callable[[ir.Function, ir.Procedure], ir.Function],
) -> Programs:
    """The programs that some functions call, and those that these do, ``optimised``."""
    called: Programs = {}
    waiting = [p for f in functions for p in ir.called_procedures(f.body)]
    while waiting:
        procedure = waiting.pop(0)
        if procedure not in called:
            program = primal_programs.runnable(procedure)
            called[procedure] = optimised(program, procedure)
            waiting += ir.called_procedures(called[procedure].body)
    return called
