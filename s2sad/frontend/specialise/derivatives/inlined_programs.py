"""A finished program in place of its call: the gradient of a function that is called
inside another is written out there, under names of its own."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.recursion import forms, recursion
from s2sad.frontend.specialise.recursion.captured_variables import Details
from s2sad.frontend.specialise.shaping.stopped_values import as_constant


def call_inlined(
    spec: Specialiser,
    procedure: ir.Procedure,
    given: list[core.Leaf],
    function: ir.Function | None = None,
) -> core.Value:
    """The statements of a program, with values for its parameters; ``function`` is the
    program where that has been prepared."""
    from s2sad import ops

    function = function or procedure.function
    prefix = spec.fresh_prefix(procedure.__name__)

    def renamed(variable: ir.Var) -> ir.Var:
        name = f"{prefix}{variable.name.strip('.')}"
        spec.temporaries.add(name)
        kind = function.kinds.get(variable.name)
        if kind is not None:
            spec.kinds_of_inlined[name] = kind
        return ir.Var(name)

    for parameter, leaf in zip(function.parameters, given, strict=True):
        spec.emit(
            ir.Assign(spec.span, renamed(ir.Var(parameter)), leaf.operand, leaf.kind)
        )
    *body, last = function.body
    assert isinstance(last, ir.Return)
    lines: ir.Block = tuple(body)
    if procedure.details.made:
        # its stores are new values already: no other name sees them
        lines = ops.without_old_parts(lines)
    lines = ir.renamed(lines, renamed, renamed)
    for statement in _with_heads(lines, spec.kinds_of_inlined):
        spec.emit(statement)
    final = ir.map_operand(last.value, renamed)
    operands: list[ir.Operand] = (
        list(final.items) if isinstance(final, ir.Pack) else [final]
    )
    dynamic = forms.dynamic_leaves(procedure.details.result)
    results: Iterator[core.Value] = iter(
        core.Leaf(operand, leaf.kind)
        for operand, leaf in zip(operands, dynamic, strict=True)
    )
    if spec.constants:
        results = (as_constant(spec, leaf) for leaf in list(results))
    places = {id(leaf) for leaf in dynamic}
    return core.map_leaves(
        procedure.details.result,
        lambda leaf: next(results) if id(leaf) in places else leaf,
    )


def _with_heads(block: ir.Block, kinds: Mapping[str, ir.Kind]) -> ir.Block:
    """A block of which each loop knows the kinds, at its head, of what it changes."""

    def changed(s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.Loop):
            return (s,)
        names = ir.names_written_in(*ir.blocks_of(s)).intersection(kinds)
        return (replace(s, head_kinds={name: kinds[name] for name in names}),)

    return ir.rewritten(block, changed)


def hands_residuals_on(procedure: ir.Procedure) -> bool:
    """True for a gradient that can't be differentiated line by line."""
    return procedure.gradient is not None and any(
        called.details is None
        for called in ir.called_procedures(procedure.function.body)
    )


def call_derivative(
    spec: Specialiser, made: ir.Procedure, given: list[core.Leaf]
) -> core.Value:
    """The statements of a derivative; the call of one that can be differentiated only
    as a whole."""
    if hands_residuals_on(made):
        return recursion.call_with(spec, made, given)
    return call_inlined(spec, made, given)


def results_inlined(
    spec: Specialiser,
    procedure: ir.Procedure,
    given: list[core.Leaf],
    function: ir.Function | None = None,
) -> list[core.Leaf]:
    """The results of a program that is written out."""
    found = call_inlined(spec, procedure, given, function)
    return forms.results_of_call(procedure, found)


def results_of_derivative(
    spec: Specialiser, made: ir.Procedure, given: list[core.Leaf]
) -> list[core.Leaf]:
    """The results of a derivative."""
    return forms.results_of_call(made, call_derivative(spec, made, given))


def results_called(
    spec: Specialiser, made: ir.Procedure, given: list[core.Leaf]
) -> list[core.Leaf]:
    """The results of a call of a program."""
    return forms.results_of_call(made, recursion.call_with(spec, made, given))


def details_of_derivative(
    spec: Specialiser, parameters: Iterable[core.Leaf], results: Iterable[ir.Kind]
) -> Details:
    """What is known of a program made by a transform, which has results of these
    kinds."""
    found = tuple(core.Leaf(ir.Var("result"), kind) for kind in results)
    result = found[0] if len(found) == 1 else core.aggregate_of(found)
    return Details(spec, tuple(parameters), {}, 0, result=result, made=True)
