"""What a loop runs over: a structure to unroll, or elements read by index."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from s2sad.frontend.specialise.context import Unsupported
from s2sad.frontend.specialise.specialiser import (
    Specialiser,
)
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Value,
    aggregate_of,
    constant,
    describe,
    kind_of,
)
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import (
    Const,
)
from s2sad.rules.result_kinds import static_value


class Elements:
    """What a loop runs over when its length is known only when the program runs."""

    def __init__(self, length: Value, element: Callable[[Leaf], Value]) -> None:
        self.length, self.element = length, element


def iteration_of(
    spec: Specialiser, node: ast.expr, assigned: set[str]
) -> Aggregate | Elements:
    """The items of an iterable: a structure to unroll, or indexed elements.

    The loop runs over the values that they have now, also where its body assigns the
    names in ``assigned`` anew.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        called = spec.evaluate(node.func)
        function = called.operand.value if _is_const(called) else None  # type: ignore[union-attr]
        if function is enumerate and len(node.args) == 1 and len(node.keywords) <= 1:
            return _enumerated(spec, node, assigned)
        if function is zip and not node.keywords:
            return _zipped(spec, node, assigned)
        if function is reversed and len(node.args) == 1:
            inner = iteration_of(spec, node.args[0], assigned)
            if isinstance(inner, Aggregate):
                return aggregate_of(inner.items[::-1])
            return _backwards(spec, inner)
    value = spec.held(spec.evaluate(node), assigned)
    if isinstance(value, Aggregate):
        if value.constructor is dict:
            return aggregate_of(tuple(constant(k) for k in value.keys))
        return value
    if isinstance(value, Leaf) and isinstance(value.kind, Array):
        return Elements(
            length_of(spec, value),
            lambda index: spec.apply(
                operator.getitem, (value, index), node=node, hint="item"
            ),
        )
    raise Unsupported(
        node,
        f"a loop over a value {describe(value)}",
        "loop over range(...), an array, or a tuple or list of known length",
    )


def _is_const(value: Value) -> bool:
    return isinstance(value, Leaf) and isinstance(value.operand, Const)


def length_of(spec: Specialiser, value: Leaf) -> Value:
    """``len(value)`` of an array."""
    return spec.apply(len, (value,), hint="count")


def _backwards(spec: Specialiser, inner: Elements) -> Elements:
    last = spec.apply(operator.sub, (inner.length, constant(1)), hint="last")

    def element(index: Leaf) -> Value:
        mirrored = spec.apply(operator.sub, (last, index), hint="index")
        assert isinstance(mirrored, Leaf)
        return inner.element(mirrored)

    return Elements(inner.length, element)


def _enumerated(
    spec: Specialiser, node: ast.Call, assigned: set[str]
) -> Aggregate | Elements:
    start: Value = constant(0)
    if node.keywords:
        start = spec.held(spec.evaluate(node.keywords[0].value), assigned)
    inner = iteration_of(spec, node.args[0], assigned)
    if isinstance(inner, Aggregate):
        first = static_value(kind_of(start))
        return aggregate_of(
            tuple(
                aggregate_of((constant(first + k), item))
                for k, item in enumerate(inner.items)
            )
        )

    def element(index: Leaf) -> Value:
        number: Value = index
        if start != constant(0):
            number = spec.apply(operator.add, (start, index), hint="number")
        return aggregate_of((number, inner.element(index)))

    return Elements(inner.length, element)


def _zipped(
    spec: Specialiser, node: ast.Call, assigned: set[str]
) -> Aggregate | Elements:
    parts = [iteration_of(spec, argument, assigned) for argument in node.args]
    if all(isinstance(p, Aggregate) for p in parts):
        return aggregate_of(
            tuple(
                aggregate_of(items)
                for items in zip(*(p.items for p in parts), strict=False)  # type: ignore[union-attr]
            )
        )
    if any(isinstance(p, Aggregate) for p in parts):
        raise Unsupported(
            node, "zip over an array and a tuple or list", "loop over range and index"
        )
    lengths = tuple(p.length for p in parts)  # type: ignore[union-attr]
    length = lengths[0] if len(set(lengths)) == 1 else spec.apply(min, lengths)

    def element(index: Leaf) -> Value:
        return aggregate_of(tuple(p.element(index) for p in parts))  # type: ignore[union-attr]

    return Elements(length, element)
