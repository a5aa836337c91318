"""``hook(value, change)``: a value whose adjoint is shown to a function, or changed.

It becomes a procedure that hands the value on. Its derivative calls ``change``: as a
program, if the function can be compiled, else by its name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise.calls.captured_variables import Details
from s2sad.frontend.specialise.core.activations import Frame
from s2sad.frontend.specialise.core.exceptions import NothingFollows, Unsupported
from s2sad.frontend.specialise.core.values import (
    Leaf,
    Value,
    describe,
    is_function,
)
from s2sad.frontend.specialise.derivatives.fitting import Place, fitted
from s2sad.frontend.specialise.derivatives.stopped_values import constants
from s2sad.ir.given_derivatives import Call, GivenDerivative
from s2sad.ir.kinds import Known, List, NumPyScalar, Scalar, is_real_number_kind
from s2sad.ir.nodes import Apply, Assign, Const, Function, Return, Var
from s2sad.ir.procedures import Procedure
from s2sad.ops.buffers import own_copy
from s2sad.ops.runtime.fitting import hooked_adjoint
from s2sad.rules.steps.stopped import stopped
from s2sad.shaping import hook
from s2sad.source.normalise import normalised
from s2sad.source.static.values import StaticS2sad
from s2sad.source.text.source import source_of_own

_WHAT = "what a hook makes of an adjoint"
_VALUE, _ADJOINT = Var("value"), Var("adjoint.1")


def call_change(change: Callable[[Any], Any], adjoint: Any) -> Any:
    """What is compiled: the function of a hook may be anything that is called."""
    return change(adjoint)


def hook_call(
    spec: Any, args: tuple[Value, ...], words: dict[str, Value], node: ast.AST
) -> Value:
    """``hook(value, change)``."""
    bound = {**dict(zip(("value", "change"), args, strict=False)), **words}
    if len(args) > 2 or set(bound) != {"value", "change"}:
        raise Unsupported(node, "hook takes a value and a function of its adjoint", "")
    value, change = bound["value"], bound["change"]
    if not isinstance(value, Leaf) or isinstance(value.kind, List):
        raise Unsupported(
            node,
            f"hook is given {describe(value)}",
            "hook the numbers and arrays in there, one by one",
        )
    if not is_function(change):
        raise Unsupported(
            node, f"{describe(change)} can't be called with an adjoint", ""
        )
    varies = isinstance(value.operand, Var) and is_real_number_kind(value.kind)
    if spec.constants or spec.derived or not varies:
        return value
    return _hooked(spec, value, change, node)


def _hooked(spec: Any, value: Leaf, change: Value, node: ast.AST) -> Value:
    from s2sad.frontend.specialise.calls.recursion import call_with
    from s2sad.ir.kinds import tangent_kind

    adjoint = Leaf(_ADJOINT, tangent_kind(value.kind))
    program, given = _program(spec, change, adjoint, node)
    own = Leaf(_VALUE, value.kind)
    parameters, operands, inside = [own], [value], []
    for leaf in given:
        if isinstance(leaf.operand, Const) or leaf.operand == _ADJOINT:
            inside.append(leaf)
            continue
        held = Leaf(Var(f"held_{len(parameters)}"), leaf.kind)
        parameters.append(held)
        operands.append(leaf)
        inside.append(held)
    returned = program.details.result
    places = () if returned is None else fitted(adjoint, returned, _WHAT, node)
    derivative = GivenDerivative(
        "hook",
        reverse=Call(program, tuple(inside)),
        seeds=(adjoint,),
        cotangents=tuple(Place(own, place.check) for place in places),
        hook=True,
        changes=bool(places),
    )
    procedure = _handing_on(spec, parameters)
    procedure.given = derivative
    return call_with(spec, procedure, operands)


def _handing_on(spec: Any, parameters: list[Leaf]) -> Procedure:
    """The program that returns its first parameter."""
    procedure = Procedure("hook")
    result, value = Var("result"), parameters[0]
    kinds = {str(p.operand): p.kind for p in parameters}
    procedure.function = Function(
        "hook",
        tuple(kinds),
        (
            Assign(spec.span, result, value.operand, value.kind),
            Return(spec.span, result),
        ),
        {**kinds, "result": value.kind},
        frozenset({"result"}),
    )
    procedure.details = Details(
        spec,
        tuple(parameters),
        {},
        next(spec.serials),
        result=replace(value, operand=result),
        exact=True,
    )
    return procedure


def _program(
    spec: Any, change: Value, adjoint: Leaf, node: ast.AST
) -> tuple[Procedure, list[Leaf]]:
    """The function of a hook as a program, and what it is called with."""
    from s2sad.frontend.specialise.calls.recursion import arguments_of
    from s2sad.frontend.specialise.control.trials import attempt

    values: dict[str, Value] = {"change": change, "adjoint": adjoint}
    known = len(spec.problems)
    callable_by_name = isinstance(change, Leaf) and isinstance(change.kind, Known)

    def compiled() -> Procedure:
        made = _compiled(spec, values, node)
        for problem in spec.problems[known:]:
            raise Unsupported(node, problem.reason, "")
        return made

    try:
        made = attempt(spec, compiled)
        return made, arguments_of(spec, made, values)
    except (Unsupported, NothingFollows) as problem:
        if not callable_by_name:
            why = f": {problem.reason}" if isinstance(problem, Unsupported) else ""
            raise Unsupported(
                node,
                f"what this hook calls can't be compiled{why}",
                "write a def at module level that does it, and give hook its name: it "
                "is called as it is",
            ) from None
    spec.unreachable = False
    return _called_by_name(spec, change, adjoint), [adjoint]


def _compiled(spec: Any, values: dict[str, Value], node: ast.AST) -> Procedure:
    from s2sad.frontend.specialise.calls.inlining import activation_of
    from s2sad.frontend.specialise.calls.recursion import procedure_of

    source = source_of_own(call_change)

    def activation() -> Frame:
        return activation_of(spec, source, None, values)

    with constants(spec, False):
        return procedure_of(spec, source, values, activation, normalised(source), node)


def _called_by_name(spec: Any, change: Value, adjoint: Leaf) -> Procedure:
    """The program that calls a function which can't be compiled. What it makes of the
    adjoint has no derivative; where it only looks, the adjoint has its own."""
    assert isinstance(change, Leaf) and isinstance(change.kind, Known)
    spelled, module = spec.places.get(id(change.kind.value), ("", ""))
    if module == spec.main_module and "[" not in spelled:  # an object with a __call__
        spec.spellings.setdefault(change.kind.value, spelled)
    procedure = Procedure("hook")
    given, shown = Leaf(Var("adjoint"), adjoint.kind), Var("shown")
    alone = Var("alone")
    changed, result = Var("changed"), Var("result")
    span = spec.span
    is_number = isinstance(adjoint.kind, Scalar | NumPyScalar)
    copy = given.operand if is_number else Apply(own_copy, (given.operand,))
    body = (
        Assign(span, shown, copy, adjoint.kind),
        Assign(span, alone, Apply(stopped, (shown,)), adjoint.kind),
        Assign(span, changed, Apply(change.kind.value, (alone,)), None),
        Assign(
            span,
            result,
            Apply(hooked_adjoint, (changed, given.operand, Const(_WHAT))),
            adjoint.kind,
        ),
        Return(span, result),
    )
    names = ("adjoint", "shown", "alone", "result")
    kinds = dict.fromkeys(names, adjoint.kind)
    temporaries = frozenset({"shown", "alone", "changed", "result"})
    procedure.function = Function("hook", ("adjoint",), body, kinds, temporaries)
    procedure.details = Details(
        spec,
        (given,),
        {},
        next(spec.serials),
        result=replace(adjoint, operand=result),
        exact=True,
    )
    return procedure


HOOK_CALLS: dict[Any, Any] = {hook: hook_call, StaticS2sad("s2sad.hook"): hook_call}
