"""Calls of procedures whose derivative the user gives, differentiated.

In reverse mode the forward function stands in place of the call, and the reverse
function behind it; in forward mode the pushforward stands there::

    y = f(x)     ->     forward lines:   y, residual = forward(x)
                        reverse lines:   x.bar = reverse(residual, y.bar)

Both are written out, so that what comes out is a program like any other and can be
differentiated again. Where only a pushforward is given, reverse mode transposes it: it
is linear in the tangents, so its derivative with respect to them is its transpose
wherever it is taken. Source: Radul et al., You only linearize once (POPL 2023).
"""

from collections.abc import Iterable, Set
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.passes import copies, dead_code
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.inlined_programs import results_inlined
from s2sad.ops.runtime.broadcasting import (
    broadcast_to_shape_of,
    reshape_as,
    sum_to_shape_of,
)
from s2sad.ops.runtime.fitting import fitting_cotangent
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES
from s2sad.transform.programs.primal_programs import prepared, undisturbed

Given = dict[str, core.Leaf]
VALUE = "value"
"""The parameter of a hook that holds the value itself."""


def is_given(value: Any) -> bool:
    """True for a call of a procedure whose derivative the user gives."""
    return (
        isinstance(value, ir.Apply)
        and isinstance(value.function, ir.Procedure)
        and value.function.given is not None
    )


def arguments_by_name(statement: ir.Assign, values: Iterable[core.Value]) -> Given:
    """What a call gives for the parameters of its procedure."""
    call = statement.value
    assert isinstance(call, ir.Apply) and isinstance(call.function, ir.Procedure)
    names = [str(p.operand) for p in call.function.details.parameters]
    return dict(zip(names, values, strict=True))  # type: ignore[arg-type]


def check_differentiable(given: ir.GivenDerivative, active: Iterable[str]) -> None:
    """Refuse arguments that vary for parameters that aren't differentiable."""
    for name in active:
        if name in given.captured:
            raise core.Unsupported(
                f"{given.name} reads {name} from the function around it, which depends "
                "on what is differentiated, and its rules give no derivative by that",
                "make it a parameter, or read s2sad.stop_gradient(...) of it",
            )
        if name in given.nondiff:
            raise core.Unsupported(
                f"{given.name} isn't differentiable by {name}, and this depends on "
                "what is differentiated",
                "pass s2sad.stop_gradient(...) of it",
            )


def written_out(
    spec: Specialiser,
    call: ir.Call,
    known: dict[Any, core.Leaf],
    program: ir.Function | None = None,
) -> list[core.Leaf]:
    """The statements of a program that the user gave, in the current block; ``known``
    are values for the leaves that it is called with. Returns its results."""
    given = [known.get(leaf.operand, leaf) for leaf in call.given]
    if program is None:
        with undisturbed(spec):
            program = prepared(call.procedure)
    return results_inlined(spec, call.procedure, given, program)


def checked(
    spec: Specialiser, found: core.Leaf, like: core.Leaf, what: str
) -> core.Leaf:
    """A cotangent that must fit what it belongs to, which is tested when the program
    runs."""
    if not what:
        return found
    return core.single(
        spec.apply(fitting_cotangent, (found, like, core.constant(what)), hint="part")
    )


# ------------------------------------------------------------------ transposition


def transposed(
    spec: Specialiser, call: ir.Call, tangents: dict[str, core.Leaf], what: str
) -> tuple[ir.Procedure, ir.Call]:
    """The transpose of a program that is linear in some of its parameters: it takes
    the arguments of the program and cotangents of its results, and gives those of the
    parameters in ``tangents``, in order."""
    procedure = call.procedure
    key = ("transpose", tuple(tangents))
    if key not in procedure.derived:
        by_operand = {
            leaf.operand: str(parameter.operand)
            for parameter, leaf in zip(
                procedure.details.parameters, call.given, strict=True
            )
        }
        names = tuple(by_operand[leaf.operand] for leaf in tangents.values())
        made = spec.derivatives.gradient_of(procedure, names, value=False, seeded=True)
        lean = dead_code.remove_dead_code(copies.propagate_copies(made.function))
        made.function = lean
        _require_linear(lean, set(names), what)
        procedure.derived[key] = made
    made = procedure.derived[key]
    return made, call


_LIKE = (
    *(ops.broadcast_like, broadcast_to_shape_of, sum_to_shape_of, ops.full_like_of),
    *(reshape_as, fitting_cotangent),
)
"""What asks its second operand for its shape, or dtype, alone."""
_ZEROS = (np.zeros_like, np.ones_like, np.empty_like, np.shape, np.size, np.ndim)


def _require_linear(program: ir.Function, tangents: set[str], what: str) -> None:
    """Refuse a transpose whose results depend on the values of tangents: what it was
    made of isn't linear. Their shapes may matter."""
    depends = set(tangents)
    steered = False
    while True:
        before = len(depends)
        for s in ir.walk(program.body):
            if _values_read(s) & depends:
                depends |= ir.names_written(s)
                steered |= isinstance(s, ir.If | ir.Loop | ir.Return)
        if len(depends) == before:
            break
    if steered:
        raise core.Unsupported(
            f"{what} isn't linear, or isn't seen to be: its transpose would depend on "
            "what it is applied to",
            "write it as sums of products with it, and without branches on it",
        )


def _values_read(s: ir.Statement) -> Set[str]:
    """The variables of which a statement reads more than the shape and the dtype."""
    value = s.value if isinstance(s, ir.Assign) else None
    if isinstance(value, ir.Apply):
        if value.function in (*SHAPE_QUERIES, *_ZEROS):
            return set()
        if value.function in _LIKE and value.args:
            return {v.name for v in ir.operand_variables(value.args[0])}
    return ir.names_read(s)


# ------------------------------------------------------------------ what is left


def without_given_calls(function: ir.Function, spec: Specialiser) -> ir.Function:
    """The program with the calls that weren't differentiated written out."""
    kinds = dict(function.kinds)

    def change(s: ir.Statement) -> ir.Block:
        value = getattr(s, "value", None)
        if not is_given(value):
            return (s,)
        assert isinstance(value, ir.Apply) and isinstance(value.function, ir.Procedure)
        lines = _lines_of_call(spec, s, value)
        return tuple(without_given_calls(replace(function, body=lines), spec).body)

    while any(is_given(getattr(s, "value", None)) for s in ir.walk(function.body)):
        function = replace(function, body=ir.with_leaves(function.body, change))
        kinds = {**kinds, **spec.kinds_of_inlined, **function.kinds}
        function = replace(
            function,
            kinds=kinds,
            temporaries=frozenset(function.temporaries | spec.temporaries),
        )
    return function


def _lines_of_call(spec: Specialiser, s: ir.Statement, value: ir.Apply) -> ir.Block:
    procedure: ir.Procedure = value.function  # type: ignore[assignment]
    with undisturbed(spec):
        spec.span = s.span
        program = prepared(procedure)
        with spec.new_block() as lines:
            parameters = procedure.details.parameters
            given = [
                core.Leaf(operand, parameter.kind)
                for operand, parameter in zip(value.args, parameters, strict=True)
            ]
            found = results_inlined(spec, procedure, given, program)
            if isinstance(s, ir.Assign):
                targets = list(ir.operand_variables(s.target))
                results = [spec.fresh(v.name.strip(".")) for v in targets]
                for result, leaf in zip(results, found, strict=True):
                    spec.assign(result, leaf.operand, leaf.kind)
                for target, result, leaf in zip(targets, results, found, strict=True):
                    spec.assign(target, result, leaf.kind)
    return tuple(lines)
