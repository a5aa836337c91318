"""A finished program in place of its call: the gradient of a function that is called
inside another is written out there, under names of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.recursion.forms import dynamic_leaves
from s2sad.frontend.specialise.recursion.recursion import call_with
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
    _, number = spec.fresh_owner(procedure.__name__)
    prefix = f".{procedure.__name__}.{number}:"

    def renamed(variable: ir.Var) -> ir.Var:
        name = f"{prefix}{variable.name.strip('.')}"
        spec.temporaries.add(name)
        kind = function.kinds.get(variable.name)
        if kind is not None:
            spec.kinds_of_inlined[name] = kind
        return ir.Var(name)

    writer = _Writer(spec, renamed, function.kinds)
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
    for statement in writer.block(lines):
        spec.emit(statement)
    final = ir.map_operand(last.value, renamed)
    operands: list[ir.Operand] = (
        list(final.items) if isinstance(final, ir.Pack) else [final]
    )
    dynamic = dynamic_leaves(procedure.details.result)
    results: Iterator[core.Value] = iter(
        core.Leaf(operand, leaf.kind)
        for operand, leaf in zip(operands, dynamic, strict=True)
    )
    if spec.constants:
        results = (as_constant(spec, leaf) for leaf in list(results))
    places = {id(leaf) for leaf in dynamic}
    return core.map_leaves(
        procedure.details.result,
        lambda leaf, _: next(results) if id(leaf) in places else leaf,
    )


class _Writer:
    def __init__(self, spec: Specialiser, renamed: Any, kinds: Any) -> None:
        self.spec, self.renamed, self.kinds = spec, renamed, kinds

    def block(self, block: ir.Block) -> ir.Block:
        return tuple(map(self.statement, block))

    def statement(self, s: ir.Statement) -> ir.Statement:
        name = self.renamed
        inner = [self.block(block) for block in ir.blocks_of(s)]
        if inner:
            s = ir.rebuilt(s, inner)
        match s:
            case ir.Assign():
                target = ir.map_operand(s.target, name)
                return replace(s, target=target, value=ir.map_value(s.value, name))
            case ir.Save():
                value = ir.map_operand(s.value, name)
                return replace(s, stack=name(s.stack), value=value)
            case ir.Restore():
                return replace(s, stack=name(s.stack), target=name(s.target))
            case ir.For() | ir.While():
                changed = {
                    field: ir.map_operand(getattr(s, field), name)
                    for field in ("target", "start", "stop", "step", "test", "until")
                    if hasattr(s, field)
                }
                return replace(s, **changed, head_kinds=self._carried(s))
            case ir.Try():
                handlers = tuple(
                    replace(
                        h,
                        types=ir.map_operand(h.types, name),
                        flag=ir.map_operand(h.flag, name),
                    )
                    for h in s.handlers
                )
                return replace(s, handlers=handlers)
        for field in ("value", "test"):
            if hasattr(s, field):
                s = replace(s, **{field: ir.map_value(getattr(s, field), name)})
        return s

    def _carried(self, loop: ir.For | ir.While) -> dict[str, ir.Kind]:
        """The kinds at the head of a loop, of the variables that it changes. (Its own
        blocks are renamed already.)"""
        known = self.spec.kinds_of_inlined
        written = {v.name for s in ir.walk((loop,)) for v in ir.direct_writes(s)}
        return {name: known[name] for name in written if name in known}


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
        return call_with(spec, made, given)
    return call_inlined(spec, made, given)
