"""Branches over kinds: run both and join what they bind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable

from s2sad.frontend.specialise.context import SpecialiseOnValue, Unsupported
from s2sad.frontend.specialise.specialiser import (
    Specialiser,
    statement,
)
from s2sad.frontend.specialise.values import (
    Leaf,
    Value,
    describe,
    join_values,
    static_truth,
)
from s2sad.ir.kinds import BOOL, Known
from s2sad.ir.nodes import (
    If,
    Var,
    direct_writes,
    walk,
)


def choose(
    spec: Specialiser,
    test: Value,
    body: Callable[[], None],
    orelse: Callable[[], None],
    node: ast.AST,
) -> None:
    """Run ``body`` or ``orelse``: the one that is known to be taken, or both under an
    If."""
    truth = static_truth(test)
    if truth is not None:
        (body if truth else orelse)()
        return
    if not isinstance(test, Leaf):
        raise Unsupported(
            node, f"a test on {describe(test)}", "compare it with a value"
        )
    if test.kind == BOOL and test.path is not None and not spec.static:
        raise SpecialiseOnValue(test.path)
    if isinstance(test.kind, Known):
        raise Unsupported(
            node, f"a test on {describe(test)}", "compare it with a value"
        )
    before = dict(spec.frame.names)
    unbound = set(spec.frame.maybe_unbound)
    outcomes = []
    for branch in (body, orelse):
        spec.frame.names = dict(before)
        spec.frame.maybe_unbound = set(unbound)
        with spec.new_block() as block:
            branch()
        outcomes.append((tuple(block), spec.frame.names, spec.frame.maybe_unbound))
    (block_a, names_a, lost_a), (block_b, names_b, lost_b) = outcomes
    operand = test.operand
    written = {v.name for s in walk(block_a + block_b) for v in direct_writes(s)}
    if isinstance(operand, Var) and operand.name in written:
        operand = spec.assign(spec.fresh("condition"), operand, test.kind).operand
    if block_a or block_b:
        spec.emit(If(spec.span, operand, block_a, block_b))
    names, lost = _join_names(spec, names_a, names_b, spec.fresh_owner("if"))
    spec.frame.names = names
    spec.frame.maybe_unbound = lost_a | lost_b | lost


def _join_names(
    spec: Specialiser, a: dict[str, Value], b: dict[str, Value], owner: Hashable
) -> tuple[dict[str, Value], set[str]]:
    """Names after two paths meet, and those bound on one of them only."""
    names = {}
    for name in {**a, **b}:
        if name in a and name in b:
            names[name] = join_values(name, a[name], b[name], (owner, name))
        else:
            names[name] = a.get(name) or b[name]
    return names, set(a) ^ set(b)


@statement(ast.If)
def if_statement(spec: Specialiser, node: ast.If) -> None:
    test = spec.evaluate(node.test)
    choose(spec, test, lambda: spec.run(node.body), lambda: spec.run(node.orelse), node)
