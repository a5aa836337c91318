"""A function that draws random numbers as two programs: one that draws, and one that is
given what was drawn.

::

    def f(x, rng):               def f(x, rng):            def f(x, rng, drawn_1):
        d = normal(rng, x)           d = normal(rng, x)        d = given(drawn_1, x)
        return mul(d, d)     ->      drawn_1 = d               return mul(d, d)
                                     return mul(d, d), drawn_1

The pullback of a ``vjp`` inside of a differentiated function is a gradient of the
second. ``given`` is the drawn number with the derivative of the draw in its parameters;
like that of a solution (``implicit.py``) its lines are right when they are
differentiated again, and ``d = drawn_1`` is left at the end.
"""

import inspect
from dataclasses import replace

import numpy as np

from s2sad import ir, rules
from s2sad.analysis.passes.purity import draws
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.inlined_programs import call_inlined
from s2sad.frontend.specialise.recursion.forms import dynamic_leaves


class GivenDraw(rules.OwnRule):
    """The operation that gives a number that was drawn the derivative of the draw. Its
    first argument is the number, in place of the generator; the others are those of the
    draw."""

    count = 1

    def __init__(self, name: str, draw: rules.Rule, kind: ir.Kind) -> None:
        self.__name__ = f"given_{name}"
        self.drawn_by = name
        parameters = [p for n, p in draw.signature.parameters.items() if n != "self"]
        number = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        self.rule = replace(
            draw,
            function=self,
            signature=inspect.Signature([number, *parameters]),
            kind=lambda **kinds: kind,
            draws=False,
        )


def with_draws_given(procedure: ir.Procedure) -> tuple[ir.Procedure, ir.Procedure]:
    """The program that returns what it draws, behind its results, and the one that
    takes that, behind its arguments. Draws in loops, branches and procedures that it
    calls stay as they are in both."""
    known = procedure.derived.get("draws given")
    if known is not None:
        return known
    *body, last = procedure.function.body
    assert isinstance(last, ir.Return)
    drawing: list[ir.Statement] = []
    given: list[ir.Statement] = []
    drawn: list[core.Leaf] = []
    for s in body:
        drawing.append(s)
        call = s.value if isinstance(s, ir.Assign) else None
        rule = rules.rule_for(call.function) if isinstance(call, ir.Apply) else None
        if rule is None or not rule.draws:
            given.append(s)
            continue
        assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
        if s.kind is None or not isinstance(s.target, ir.Var):
            given.append(s)
            continue
        own = core.Leaf(ir.Var(f"drawn.{len(drawn) + 1}"), s.kind)
        drawn.append(own)
        copied = isinstance(s.kind, ir.Array)  # the function may write into its array
        kept = ir.Apply(np.copy, (s.target,)) if copied else s.target
        drawing.append(ir.Assign(s.span, own.operand, kept, s.kind))  # type: ignore[arg-type]
        of_source = "self" in rule.signature.parameters
        others = s.value.args[1:] if of_source else s.value.args
        operation = GivenDraw(getattr(s.value.function, "__name__", ""), rule, s.kind)
        value = ir.Apply(operation, (own.operand, *others), s.value.keywords)
        given.append(replace(s, value=value))
    details = procedure.details
    results = last.value.items if isinstance(last.value, ir.Pack) else (last.value,)
    if not dynamic_leaves(details.result):
        results = ()
    values = (*results, *(leaf.operand for leaf in drawn))
    whole = ir.packed(values)
    own_details = (
        replace(details, result=core.aggregate_of((details.result, *drawn))),
        replace(details, parameters=(*details.parameters, *drawn)),
    )
    bodies = ((*drawing, replace(last, value=whole)), (*given, last))
    names = tuple(str(leaf.operand) for leaf in drawn)
    found = []
    for block, own_detail, more in zip(bodies, own_details, ((), names), strict=True):
        made = ir.Procedure(procedure.__name__, procedure.docstring, procedure)
        made.short = procedure.short
        function: ir.Function = procedure.function
        kinds = {**function.kinds, **{str(d.operand): d.kind for d in drawn}}
        made.function = replace(
            function,
            body=tuple(block),
            parameters=(*function.parameters, *more),
            kinds=kinds,
        )
        made.details = own_detail
        found.append(made)
    procedure.derived["draws given"] = tuple(found)
    return procedure.derived["draws given"]


def drawing(
    spec: Specialiser, procedure: ir.Procedure, given: list[core.Leaf]
) -> tuple[core.Value, ir.Procedure, list[core.Leaf]]:
    """The result of a function that draws random numbers, the function of what was
    drawn, and that: its pullback draws no others."""
    drawing, of_drawn = with_draws_given(procedure)
    if draws(of_drawn):
        raise core.Unsupported(
            f"{procedure.__name__} draws random numbers in a loop, in a branch or in a "
            "function that calls itself, and its pullback would draw others",
            "draw an array of them before, and index it",
        )
    found = call_inlined(spec, drawing, given)
    value, *drawn = found.items  # type: ignore[union-attr]
    return value, of_drawn, [leaf for d in drawn for leaf in core.leaves(d)]
