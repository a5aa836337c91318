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
from collections.abc import Mapping
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
    the reverse lines raise."""
    spec = procedure.details.spec
    if not spec.options.preaccumulated_calls or spec.procedures.handlers_met:
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
    given = (parameter.kind for parameter in procedure.details.parameters)
    return all(
        isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Array) for kind in given
    ) and not any(map(ir.is_of_references, procedure.function.kinds.values()))


def fill_pair(
    procedure: ir.Procedure, pair: primal_programs.Pair
) -> Mapping[str, Masked]:
    """Write both programs; returns how adjoints of parameters are marked."""
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
    )
    forward = gradient.gradient_function(
        both,
        single=len(pair.active) == 1,
        value=True,
        parameters=function.parameters,
    )
    pair.forward.function = named(forward, pair.forward)
    pair.reverse.function = named(_products(pair.active), pair.reverse)
    return {name: both.marks.get(name, Masked.SELECTED) for name in pair.active}


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
