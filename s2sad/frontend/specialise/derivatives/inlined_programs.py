"""A finished program in place of its call: the gradient of a function that is called
inside another is written out there, under names of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise.calls.forms import dynamic_leaves
from s2sad.frontend.specialise.core.values import Leaf, Value, map_leaves
from s2sad.frontend.specialise.derivatives.stopped_values import as_constant
from s2sad.ir.kinds import Kind
from s2sad.ir.nodes import (
    Assign,
    Block,
    For,
    Function,
    Operand,
    Pack,
    Restore,
    Return,
    Save,
    Statement,
    Try,
    Var,
    While,
)
from s2sad.ir.procedures import Procedure, called_procedures
from s2sad.ir.walking import (
    blocks_of,
    direct_writes,
    map_operand,
    map_value,
    rebuilt,
    walk,
)


def call_inlined(
    spec: Any,
    procedure: Procedure,
    given: list[Leaf],
    function: Function | None = None,
) -> Value:
    """The statements of a program, with values for its parameters; ``function`` is the
    program where that has been prepared."""
    from s2sad.ops.stores import without_old_parts

    function = function or procedure.function
    _, number = spec.fresh_owner(procedure.__name__)
    prefix = f".{procedure.__name__}.{number}:"

    def renamed(variable: Var) -> Var:
        name = f"{prefix}{variable.name.strip('.')}"
        spec.temporaries.add(name)
        kind = function.kinds.get(variable.name)
        if kind is not None:
            spec.kinds_of_inlined[name] = kind
        return Var(name)

    writer = _Writer(spec, renamed, function.kinds)
    for parameter, leaf in zip(function.parameters, given, strict=True):
        spec.emit(Assign(spec.span, renamed(Var(parameter)), leaf.operand, leaf.kind))
    *body, last = function.body
    assert isinstance(last, Return)
    lines: Block = tuple(body)
    if procedure.details.made:
        # its stores are new values already: no other name sees them
        lines = without_old_parts(lines)
    for statement in writer.block(lines):
        spec.emit(statement)
    final = map_operand(last.value, renamed)
    operands: list[Operand] = list(final.items) if isinstance(final, Pack) else [final]
    dynamic = dynamic_leaves(procedure.details.result)
    results: Iterator[Value] = iter(
        Leaf(operand, leaf.kind)
        for operand, leaf in zip(operands, dynamic, strict=True)
    )
    if spec.constants:
        results = (as_constant(spec, leaf) for leaf in list(results))
    places = {id(leaf) for leaf in dynamic}
    return map_leaves(
        procedure.details.result,
        lambda leaf, _: next(results) if id(leaf) in places else leaf,
    )


class _Writer:
    def __init__(self, spec: Any, renamed: Any, kinds: Any) -> None:
        self.spec, self.renamed, self.kinds = spec, renamed, kinds

    def block(self, block: Block) -> Block:
        return tuple(map(self.statement, block))

    def statement(self, s: Statement) -> Statement:
        name = self.renamed
        inner = [self.block(block) for block in blocks_of(s)]
        if inner:
            s = rebuilt(s, inner)
        match s:
            case Assign():
                target = map_operand(s.target, name)
                return replace(s, target=target, value=map_value(s.value, name))
            case Save():
                value = map_operand(s.value, name)
                return replace(s, stack=name(s.stack), value=value)
            case Restore():
                return replace(s, stack=name(s.stack), target=name(s.target))
            case For() | While():
                changed = {
                    field: map_operand(getattr(s, field), name)
                    for field in ("target", "start", "stop", "step", "test", "until")
                    if hasattr(s, field)
                }
                return replace(s, **changed, head_kinds=self._carried(s))
            case Try():
                handlers = tuple(
                    replace(
                        h,
                        types=map_operand(h.types, name),
                        flag=map_operand(h.flag, name),
                    )
                    for h in s.handlers
                )
                return replace(s, handlers=handlers)
        for field in ("value", "test"):
            if hasattr(s, field):
                s = replace(s, **{field: map_value(getattr(s, field), name)})
        return s

    def _carried(self, loop: For | While) -> dict[str, Kind]:
        """The kinds at the head of a loop, of the variables that it changes. (Its own
        blocks are renamed already.)"""
        known = self.spec.kinds_of_inlined
        written = {v.name for s in walk((loop,)) for v in direct_writes(s)}
        return {name: known[name] for name in written if name in known}


def hands_residuals_on(procedure: Procedure) -> bool:
    """True for a gradient that can't be differentiated line by line."""
    return procedure.gradient is not None and any(
        called.details is None for called in called_procedures(procedure.function.body)
    )


def call_derivative(spec: Any, made: Procedure, given: list[Leaf]) -> Value:
    """The statements of a derivative; the call of one that can be differentiated only
    as a whole."""
    from s2sad.frontend.specialise.calls.recursion import call_with

    if hands_residuals_on(made):
        return call_with(spec, made, given)
    return call_inlined(spec, made, given)
