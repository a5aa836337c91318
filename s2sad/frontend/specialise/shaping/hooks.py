"""``hook(value, change)``: a value whose adjoint is shown to a function, or changed.

It becomes a procedure that hands the value on. Its derivative calls ``change``: as a
program, if the function can be compiled, else by its name.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.recursion import (
    captured_variables,
    procedure_programs,
    recursion,
)
from s2sad.frontend.specialise.shaping import fitting, stopped_values
from s2sad.ops.runtime.fitting import hooked_adjoint
from s2sad.rules.steps.stopped import stopped
from s2sad.shaping import hook
from s2sad.source.normalise import normalised
from s2sad.source.static.values import StaticS2sad
from s2sad.source.text.source import source_of_own

_WHAT = "what a hook makes of an adjoint"
_VALUE, _ADJOINT = ir.Var("value"), ir.Var("adjoint.1")


def call_change(change: Callable[[Any], Any], adjoint: Any) -> Any:
    """What is compiled: the function of a hook may be anything that is called."""
    return change(adjoint)


def hook_call(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """``hook(value, change)``."""
    bound = {**dict(zip(("value", "change"), args, strict=False)), **words}
    if len(args) > 2 or set(bound) != {"value", "change"}:
        raise core.Unsupported("hook takes a value and a function of its adjoint")
    value, change = bound["value"], bound["change"]
    if not isinstance(value, core.Leaf) or isinstance(value.kind, ir.List):
        raise core.Unsupported(
            f"hook is given {core.describe(value)}",
            "hook the numbers and arrays in there, one by one",
        )
    if not core.is_function(change):
        raise core.Unsupported(
            f"{core.describe(change)} can't be called with an adjoint"
        )
    varies = isinstance(value.operand, ir.Var) and ir.is_real_number_kind(value.kind)
    if spec.constants or spec.derived or not varies:
        return value
    return _hooked(spec, value, change)


def _hooked(spec: Specialiser, value: core.Leaf, change: core.Value) -> core.Value:
    adjoint = core.Leaf(_ADJOINT, ir.tangent_kind(value.kind))
    program, given = _program(spec, change, adjoint)
    own = core.Leaf(_VALUE, value.kind)
    parameters, operands, inside = [own], [value], []
    for leaf in given:
        if isinstance(leaf.operand, ir.Const) or leaf.operand == _ADJOINT:
            inside.append(leaf)
            continue
        held = core.Leaf(ir.Var(f"held_{len(parameters)}"), leaf.kind)
        parameters.append(held)
        operands.append(leaf)
        inside.append(held)
    returned = program.details.result
    places = () if returned is None else fitting.fitted(adjoint, returned, _WHAT)
    derivative = ir.GivenDerivative(
        "hook",
        reverse=ir.Call(program, tuple(inside)),
        seeds=(adjoint,),
        cotangents=tuple(fitting.Place(own, place.check) for place in places),
        hook=True,
        changes=bool(places),
    )
    procedure = _handing_on(spec, parameters)
    procedure.given = derivative
    return recursion.call_with(spec, procedure, operands)


def _handing_on(spec: Specialiser, parameters: list[core.Leaf]) -> ir.Procedure:
    """The program that returns its first parameter."""
    procedure = ir.Procedure("hook")
    result, value = ir.Var("result"), parameters[0]
    kinds = {str(p.operand): p.kind for p in parameters}
    procedure.function = ir.Function(
        "hook",
        tuple(kinds),
        (
            ir.Assign(spec.span, result, value.operand, value.kind),
            ir.Return(spec.span, result),
        ),
        {**kinds, "result": value.kind},
        frozenset({"result"}),
    )
    procedure.details = captured_variables.Details(
        spec,
        tuple(parameters),
        {},
        next(spec.serials),
        result=replace(value, operand=result),
        exact=True,
    )
    return procedure


def _program(
    spec: Specialiser, change: core.Value, adjoint: core.Leaf
) -> tuple[ir.Procedure, list[core.Leaf]]:
    """The function of a hook as a program, and what it is called with."""
    values: dict[str, core.Value] = {"change": change, "adjoint": adjoint}
    known = len(spec.problems)
    callable_by_name = isinstance(change, core.Leaf) and isinstance(
        change.kind, ir.Known
    )

    def compiled() -> ir.Procedure:
        made = _compiled(spec, values)
        for problem in spec.problems[known:]:
            raise core.Unsupported(problem.reason)
        return made

    try:
        made = attempt(spec, compiled)
        return made, recursion.arguments_of(spec, made, values)
    except (core.Unsupported, core.NothingFollows) as problem:
        if not callable_by_name:
            why = f": {problem.reason}" if isinstance(problem, core.Unsupported) else ""
            raise core.Unsupported(
                f"what this hook calls can't be compiled{why}",
                "write a def at module level that does it, and give hook its name: it "
                "is called as it is",
            ) from None
    spec.unreachable = False
    return _called_by_name(spec, change, adjoint), [adjoint]


def _compiled(spec: Specialiser, values: dict[str, core.Value]) -> ir.Procedure:

    source = source_of_own(call_change)

    def activation() -> core.Frame:
        return spec.activation_of(source, None, values)

    with stopped_values.constants(spec, False):
        return procedure_programs.procedure_of(
            spec, source, values, activation, normalised(source)
        )


def _called_by_name(
    spec: Specialiser, change: core.Value, adjoint: core.Leaf
) -> ir.Procedure:
    """The program that calls a function which can't be compiled. What it makes of the
    adjoint has no derivative; where it only looks, the adjoint has its own."""
    assert isinstance(change, core.Leaf) and isinstance(change.kind, ir.Known)
    spelled, module = spec.module.places.get(id(change.kind.value), ("", ""))
    if module == spec.module.name and "[" not in spelled:  # an object with a __call__
        spec.module.spellings.setdefault(change.kind.value, spelled)
    procedure = ir.Procedure("hook")
    given, shown = core.Leaf(ir.Var("adjoint"), adjoint.kind), ir.Var("shown")
    alone = ir.Var("alone")
    changed, result = ir.Var("changed"), ir.Var("result")
    span = spec.span
    is_number = isinstance(adjoint.kind, ir.Scalar | ir.NumPyScalar)
    copy = given.operand if is_number else ir.Apply(ops.own_copy, (given.operand,))
    body = (
        ir.Assign(span, shown, copy, adjoint.kind),
        ir.Assign(span, alone, ir.Apply(stopped, (shown,)), adjoint.kind),
        ir.Assign(span, changed, ir.Apply(change.kind.value, (alone,)), None),
        ir.Assign(
            span,
            result,
            ir.Apply(hooked_adjoint, (changed, given.operand, ir.Const(_WHAT))),
            adjoint.kind,
        ),
        ir.Return(span, result),
    )
    names = ("adjoint", "shown", "alone", "result")
    kinds = dict.fromkeys(names, adjoint.kind)
    temporaries = frozenset({"shown", "alone", "changed", "result"})
    procedure.function = ir.Function("hook", ("adjoint",), body, kinds, temporaries)
    procedure.details = captured_variables.Details(
        spec,
        (given,),
        {},
        next(spec.serials),
        result=replace(adjoint, operand=result),
        exact=True,
    )
    return procedure


HOOK_CALLS: dict[Any, Any] = {hook: hook_call, StaticS2sad("s2sad.hook"): hook_call}
