"""What users give as the derivative of a function, compiled for one call.

Takes the procedure of the function; compiles its rules for the same kinds, checks what
they return against it, and notes them as its ``GivenDerivative``.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.custom import CustomFunction
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.parameters import bind_parameters
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.recursion import forms, procedure_programs, recursion
from s2sad.frontend.specialise.shaping import fitting, stopped_values
from s2sad.frontend.specialise.shaping.nested_customs import (
    NestedCustom,
    Text,
    name_of,
    text_of,
)
from s2sad.source.normalise import normalised
from s2sad.source.static.values import StaticFunction, signature_of
from s2sad.source.text.source import source_of_own


def compiled(
    spec: Specialiser, text: Text, bound: dict[str, core.Value]
) -> ir.Procedure:
    """A function of the user's as a program."""
    source, parent, _ = text

    def activation() -> core.Frame:
        return spec.activation_of(source, parent, bound)

    body = normalised(source)
    return procedure_programs.procedure_of(spec, source, bound, activation, body)


def complete(
    spec: Specialiser, function: CustomFunction, procedure: ir.Procedure
) -> list[tuple[core.Frame, str]]:
    """Compile what the user gave as the derivative of a function; the variables around
    it that its rules read."""
    given: ir.GivenDerivative = procedure.given
    arguments = procedure.details.arguments
    active = {n: v for n, v in arguments.items() if n not in function.nondiff}
    given.nondiff = _names_in(arguments[n] for n in arguments if n not in active)
    given.captured = _names_in(held for *_, held in procedure.details.captured)
    if function.forward is not None and function.reverse is not None:
        _complete_vjp(spec, function, procedure, active)
    if function.pushforward is not None:
        _complete_jvp(spec, function, procedure, active)
    rules = (given.forward, given.reverse, given.pushforward)
    return [
        (owner, name)
        for rule in rules
        if rule is not None
        for owner, name, _ in rule.procedure.details.captured
    ]


def _names_in(values: Iterable[core.Value]) -> frozenset[str]:
    return frozenset(str(leaf.operand) for v in values for leaf in core.leaves(v))


def _complete_vjp(
    spec: Specialiser,
    function: CustomFunction,
    procedure: ir.Procedure,
    active: dict[str, core.Value],
) -> None:
    given: ir.GivenDerivative = procedure.given
    values, words = as_called(function, procedure.details.arguments)
    forward, ahead = _rule(spec, procedure, function.forward, values, words)
    returned = forward.details.result
    what = f"{name_of(function.forward)} (forward function of {given.name})"
    _, residuals = _pair(procedure, returned, what, "return out, residuals")
    given.forward = ir.Call(forward, tuple(ahead))
    standing = stand_ins(residuals, "residual")
    seed = cotangent_like(procedure.details.result)
    reverse, back = _rule(spec, procedure, function.reverse, (standing, seed), {})
    given.residuals = tuple(forms.dynamic_leaves(standing))
    results = core.leaves(procedure.details.result)
    given.seeds = tuple(
        own
        for own, result in zip(core.leaves(seed), results, strict=True)
        if not forms.is_static(result)
    )
    title = f"{name_of(function.reverse)} (reverse function of {given.name})"
    found = reverse.details.result
    given.cotangents = fitting.cotangents_of(found, active, title)
    given.reverse = ir.Call(reverse, tuple(back))


def _complete_jvp(
    spec: Specialiser,
    function: CustomFunction,
    procedure: ir.Procedure,
    active: dict[str, core.Value],
) -> None:
    given: ir.GivenDerivative = procedure.given
    arguments = procedure.details.arguments
    primals = core.aggregate_of(tuple(arguments.values()))
    by_parameter: dict[str, core.Leaf] = {}

    def tangent(leaf: core.Leaf) -> core.Leaf:
        if forms.is_static(leaf) or not ir.is_real_number_kind(leaf.kind):
            return core.constant(None)
        name = str(leaf.operand)
        kind = ir.tangent_kind(leaf.kind)
        by_parameter[name] = core.Leaf(ir.Var(f"{name}_dot"), kind)
        return by_parameter[name]

    dots = core.aggregate_of(
        tuple(
            core.map_leaves(value, tangent) if name in active else core.constant(None)
            for name, value in arguments.items()
        )
    )
    rule, args = function.pushforward, (primals, dots)
    pushed, ahead = _rule(spec, procedure, rule, args, {})
    returned = pushed.details.result
    what = f"{name_of(function.pushforward)} (pushforward of {given.name})"
    _, out_dot = _pair(procedure, returned, what, "return out, out_dot")
    given.pushed = fitting.fitted(
        procedure.details.result, out_dot, f"the tangent that {what} gives"
    )
    given.tangents = by_parameter
    given.pushforward = ir.Call(pushed, tuple(ahead))


def _pair(
    procedure: ir.Procedure, returned: core.Value | None, what: str, advice: str
) -> tuple[core.Value, ...]:
    """What a rule returns: the result of the function, and something beside it."""
    if not isinstance(returned, core.Aggregate) or len(returned.items) != 2:
        shown = "nothing" if returned is None else core.describe(returned)
        problem = f"{what} returns {shown}, and must return a pair"
        raise core.Unsupported(problem, advice)
    out = returned.items[0]
    fitting.same_form(procedure.details.result, out, f"the result of {what}")
    return returned.items


def _rule(
    spec: Specialiser, procedure: ir.Procedure, rule: Any, args: Args, words: Words
) -> tuple[ir.Procedure, list[core.Leaf]]:
    """A function that the user gave, as a program, and what it is called with."""
    text = text_of(rule)
    values: dict[str, core.Value]
    if text is None:
        text = source_of_own(call_rule), None, None
        values = {"rule": core.constant(rule), "arguments": core.aggregate_of(args)}
    else:
        values = bind_parameters(spec, text[0], args, words, text[2])
    with stopped_values.constants(spec, False):
        made = compiled(spec, text, values)
    given = recursion.arguments_of(spec, made, values)
    captured = [variable[:2] for variable in made.details.captured]
    if not captured:
        return made, given
    own = dict(zip(procedure.given.held, procedure.given.held_as, strict=True))
    count = sum(len(forms.dynamic_leaves(v)) for _, _, v in made.details.captured)
    del given[len(given) - count :]
    for variable, (_, _, value) in zip(captured, made.details.captured, strict=True):
        # what isn't held yet will be, and all of this is done again
        given += forms.dynamic_leaves(own.get(variable, value))
    return made, given


def hold(
    spec: Specialiser, procedure: ir.Procedure, variables: list[tuple[core.Frame, str]]
) -> None:
    """Let a procedure have parameters for variables around it that its rules read."""
    details, function = procedure.details, procedure.function
    given: ir.GivenDerivative = procedure.given
    kinds = dict(function.kinds)
    made: list[core.Leaf] = []

    def own(leaf: core.Leaf) -> core.Leaf:
        if forms.is_static(leaf):
            return leaf
        name, count = "held", 1
        while name in kinds:
            count += 1
            name = f"held_{count}"
        kinds[name] = leaf.kind
        made.append(core.Leaf(ir.Var(name), leaf.kind))
        return made[-1]

    held_as = [
        core.map_leaves(spec.read_variable(owner, name), own)
        for owner, name in variables
    ]
    given.held, given.held_as = tuple(variables), tuple(held_as)
    details.parameters = (*details.parameters, *made)
    names = tuple(str(leaf.operand) for leaf in made)
    procedure.function = replace(
        function, parameters=(*function.parameters, *names), kinds=kinds
    )


def call_rule(rule: Callable[..., Any], arguments: Any) -> Any:
    """What is compiled where the rule isn't a function written with ``def``."""
    return rule(*arguments)


def as_called(
    function: CustomFunction, arguments: dict[str, core.Value]
) -> tuple[tuple[core.Value, ...], Words]:
    """Arguments by parameter as a call of the function has them."""
    if isinstance(function, NestedCustom) and isinstance(
        function.wrapped, core.Closure
    ):
        signature = signature_of(function.wrapped.source)
    elif isinstance(function, NestedCustom):
        signature = inspect.signature(function.wrapped.kind.value)  # type: ignore[union-attr]
    elif is_written_in_python(function.__wrapped__):
        signature = inspect.signature(function.__wrapped__)
    else:
        return tuple(arguments.values()), {}
    values: list[core.Value] = []
    words: Words = {}
    for parameter in signature.parameters.values():
        value = arguments[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            assert isinstance(value, core.Aggregate)
            values += value.items
        elif parameter.kind is parameter.KEYWORD_ONLY:
            words[parameter.name] = value
        elif parameter.kind is parameter.VAR_KEYWORD:
            assert isinstance(value, core.Aggregate)
            words |= {str(k): v for k, v in zip(value.keys, value.items, strict=True)}
        else:
            values.append(value)
    return tuple(values), words


def stand_ins(value: core.Value, name: str) -> core.Value:
    """The value with a variable of its own for each number and array in it."""
    count = 0

    def stand_in(leaf: core.Leaf) -> core.Leaf:
        nonlocal count
        if forms.is_static(leaf):
            return leaf
        count += 1
        return replace(leaf, operand=ir.Var(f"{name}.{count}"))

    return core.map_leaves(value, stand_in)


def cotangent_like(result: core.Value) -> core.Value:
    """Cotangents of a result: of its structure, None for what has none."""

    def cotangent(leaf: core.Leaf) -> core.Leaf:
        if forms.is_static(leaf) or not ir.is_real_number_kind(leaf.kind):
            return core.constant(None)
        return core.Leaf(leaf.operand, ir.tangent_kind(leaf.kind))

    return stand_ins(core.map_leaves(result, cotangent), "out_bar")


def is_written_in_python(function: Any) -> bool:
    """True for what has text: a live function, or one that is only read."""
    return isinstance(function, StaticFunction) or hasattr(function, "__code__")
