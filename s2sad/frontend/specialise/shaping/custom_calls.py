"""Calls of functions whose derivative the user gives: ``custom_vjp``, ``custom_jvp``,
``primitive``.

The function becomes a procedure for the call at hand. What the user gave as its
derivative becomes procedures too, for the same kinds, which are checked against it here
and written out where the call is differentiated
(:mod:`s2sad.transform.calls.given_derivatives`).
"""

from typing import Any

from s2sad import ir, rules
from s2sad.custom import CustomFunction
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.parameters import bind_parameters
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.language import user_sources
from s2sad.frontend.specialise.recursion import captured_variables, recursion
from s2sad.frontend.specialise.recursion.forms import (
    dynamic_leaves,
    form_of,
    lengths_in,
)
from s2sad.frontend.specialise.shaping import custom_rules, nested_customs
from s2sad.source.static.customs import StaticCustom

MOST_NESTED = 12
"""A rule that calls its own function with ever other kinds is refused."""


def custom_call(
    spec: Specialiser, function: Any, args: Args, words: Words
) -> core.Value | None:
    """The call of a function with a derivative of the user's; None for others."""
    if not isinstance(function, CustomFunction):
        # one that is differentiated by a decorator, too
        inner = getattr(function, "__s2sad_primal__", function)
        function = getattr(inner, "__s2sad_custom__", None)
    if not isinstance(function, CustomFunction):
        return None
    if function.unclear is not None:
        raise core.Unsupported(*function.unclear)
    if isinstance(function, StaticCustom) and function.whole is not None:
        user_sources.check_decorators(function.whole)
    if rules.rule_for(function) is not None:
        return None
    with _ordinary(spec):
        procedure, given = _procedure(spec, function, args, words)
    return recursion.call_with(spec, procedure, given)


def call_of_whole(spec: Specialiser, function: Any) -> core.Value:
    """The call with the parameters of the activation under way."""
    names = dict(spec.frame.names)
    values, words = custom_rules.as_called(function, names)
    found = custom_call(spec, function, values, words)
    assert found is not None
    return found


class _ordinary:
    """In the text of rules too, the function is compiled as any other."""

    def __init__(self, spec: Specialiser) -> None:
        self.spec = spec

    def __enter__(self) -> None:
        self.derived, self.spec.derived = self.spec.derived, False

    def __exit__(self, *failure: Any) -> None:
        self.spec.derived = self.derived


def _procedure(
    spec: Specialiser, function: CustomFunction, args: Args, words: Words
) -> tuple[ir.Procedure, list[core.Leaf]]:
    """The procedure for a call, with its derivative, and what it is called with."""
    if function.reverse is None and function.pushforward is None:
        name = function.__name__
        advice = f"give it one: {name}.defvjp(forward, reverse)"
        if isinstance(function, StaticCustom):
            advice += ", at the level of a module that the file imports"
        raise core.Unsupported(f"{name} has no derivative", advice)
    text: nested_customs.Text | None = None
    if function.opaque:
        bound = _bound_by_position(spec, function, args, words)
    else:
        text = nested_customs.text_of(_wrapped(function))
        if text is None:
            raise core.Unsupported(
                f"{function.__name__} isn't written in Python",
                "make it an s2sad.primitive",
            )
        bound = bind_parameters(spec, text[0], args, words, text[2])
    kinds = str([core.kind_of(v) for v in bound.values()])
    key = (function, form_of(bound), kinds, tuple(lengths_in(bound).items()))
    under_way = [p for k, p in spec.procedures.customs if k == key]
    if under_way:
        (procedure,) = under_way
        if procedure.details.result is None:
            raise core.Unsupported(
                f"{function.__name__}, which has a derivative of its own, calls itself",
                "call a plain function that does the same",
            )
        return procedure, _arguments(spec, procedure, bound)
    if len(spec.procedures.customs) > MOST_NESTED:
        raise core.Unsupported(f"the rules of {function.__name__} call it without end")
    held: list[tuple[core.Frame, str]] = []
    while True:
        if text is None:
            procedure = _opaque_procedure(spec, function, bound)
        else:
            procedure = custom_rules.compiled(spec, text, bound)
        procedure.given = ir.GivenDerivative(function.__name__)
        custom_rules.hold(spec, procedure, held)
        spec.procedures.customs.append((key, procedure))
        try:
            read = custom_rules.complete(spec, function, procedure)
        finally:
            spec.procedures.customs.pop()
        more = [variable for variable in read if variable not in held]
        if not more:
            return procedure, _arguments(spec, procedure, bound)
        held += dict.fromkeys(more)


def _wrapped(function: CustomFunction) -> Any:
    return (
        function.wrapped
        if isinstance(function, nested_customs.NestedCustom)
        else function.__wrapped__
    )


def _arguments(
    spec: Specialiser, procedure: ir.Procedure, bound: dict[str, core.Value]
) -> list[core.Leaf]:
    """What is given for the parameters of a procedure, what its rules read last."""
    given = recursion.arguments_of(spec, procedure, bound)
    for owner, name in procedure.given.held:
        given += dynamic_leaves(spec.read_variable(owner, name))
    return given


def _bound_by_position(
    spec: Specialiser, function: CustomFunction, args: Args, words: Words
) -> dict[str, core.Value]:
    """The arguments of an opaque function under names: its own, where it tells."""
    source = None
    if custom_rules.is_written_in_python(function.__wrapped__):
        source = user_sources.user_source(function.__wrapped__)
    if source is not None:
        return bind_parameters(spec, source, args, words)
    if words:
        raise core.Unsupported(
            f"{function.__name__} is called with keywords, and its parameters aren't "
            "known",
            "wrap it in a function of yours that is a primitive",
        )
    return {f"argument_{k}": value for k, value in enumerate(args)}


def _opaque_procedure(
    spec: Specialiser, function: CustomFunction, bound: dict[str, core.Value]
) -> ir.Procedure:
    """The program that calls a function by its name."""
    name = function.__name__
    procedure = ir.Procedure(name if name.isidentifier() else "function", "")
    details = captured_variables.Details(spec, (), {}, next(spec.serials), exact=True)
    for name, value in bound.items():
        details.arguments[name] = captured_variables.as_parameters(
            spec, details, name, value
        )
    procedure.details = details
    kind: ir.Kind = ir.UNKNOWN
    if function.kind is not None:
        kinds_of_arguments = {n: core.kind_of(v) for n, v in bound.items()}
        try:
            if custom_rules.is_written_in_python(function.__wrapped__):
                kind = function.kind(**kinds_of_arguments)
            else:  # the names of its parameters aren't known
                kind = function.kind(*kinds_of_arguments.values())
        except rules.CallRefused as refused:
            raise core.Unsupported(refused.reason, refused.advice) from None
    result = ir.Var("result")
    call = ir.Apply(
        function, tuple(core.operand_of(v) for v in details.arguments.values())
    )
    kinds = {str(p.operand): p.kind for p in details.parameters}
    procedure.function = ir.Function(
        function.__name__,
        tuple(kinds),
        (ir.Assign(spec.span, result, call, kind), ir.Return(spec.span, result)),
        {**kinds, "result": kind},
        frozenset({"result"}),
    )
    details.result = core.Leaf(result, kind)
    return procedure
