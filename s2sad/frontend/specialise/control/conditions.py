"""Tests: ``if``, conditional expressions, ``and``, ``or`` and ``not``.

Where the truth of an expression alone counts, ``items and total < 10.0`` joins two
truths, not a list and a bool.
"""

import ast
import operator
from collections.abc import Callable
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import run_time_sets
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import narrowing, optional_keys
from s2sad.frontend.specialise.run_time import queries


@core.expression(ast.BoolOp)
def boolean_operation(spec: Specialiser, node: ast.BoolOp) -> core.Value:
    return _chain(spec, node, spec.evaluate)


def _chain(
    spec: Specialiser,
    node: ast.BoolOp,
    evaluate: Callable[[ast.expr], core.Value],
    place: int = 0,
) -> core.Value:
    """The value of the parts from a place on."""
    left = evaluate(node.values[place])
    if place == len(node.values) - 1:
        return left
    combine = both if isinstance(node.op, ast.And) else either
    return combine(spec, left, lambda: _chain(spec, node, evaluate, place + 1))


def evaluate_test(spec: Specialiser, node: ast.expr) -> core.Value:
    """The value of an expression of which the truth alone counts."""
    if isinstance(node, ast.BoolOp):
        return _chain(spec, node, lambda part: truth_among_others(spec, part))
    value = spec.evaluate(node)
    with spec.at(node):
        return _as_test(spec, value)


def _as_test(spec: Specialiser, value: core.Value) -> core.Value:
    """What is tested of a value: of lists and dicts that change, what they hold now."""
    if isinstance(value, core.Cell) and core.is_container(value):
        value = spec.content_of(value)
        if optional_keys.is_partly(value):
            value = optional_keys.number_of_keys(spec, value)
    if cells.is_choice_of_containers(value):
        value = spec.contents(value)
    if run_time_sets.is_of_the_run(value):
        return run_time_sets.number_of(spec, value)
    return core.list_in(value) or value


def truth_among_others(spec: Specialiser, node: ast.expr) -> core.Value:
    """An operand of ``and`` or ``or`` in a test: what is not a number or an array by
    its truth, so that the operands have one kind."""
    value = evaluate_test(spec, node)
    if static_truth(value) is not None:
        return value
    if isinstance(value, core.Choice):
        return spec.truth_of_choice(value)
    if isinstance(value, core.Aggregate | core.Cell) or queries.is_reference(value):
        with spec.at(node):
            value = spec.truth_of(value) or value
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.List):
        length = spec.apply(len, (value,), hint="count")
        return spec.operate(operator.gt, (length, core.constant(0)))
    return value


def both(spec: Specialiser, left: core.Value, right: Any) -> core.Value:
    """``left and right()``."""
    truth = static_truth(left)
    if truth is not None:
        return right() if truth else left
    here, absent = narrowing.presence_of(spec, left)
    there: list[frozenset[narrowing.Fact]] = [frozenset()]
    decides: list[bool] = []

    def other() -> core.Value:
        value = right()
        there[0] = narrowing.presence_of(spec, value)[0]
        decides.append(static_truth(value) is not True)
        return value

    tested = _as_test(spec, left)
    test = select(spec, tested, other, lambda: _falsy(left), "condition")
    if_false: frozenset[narrowing.Fact] = frozenset() if any(decides) else absent
    return narrowing.note(spec, test, (here | there[0], if_false))


def _falsy(value: core.Value) -> core.Value:
    """The value where it is false: of several functions or None, None is."""
    return core.constant(None) if isinstance(value, core.Choice) else value


def either(spec: Specialiser, left: core.Value, right: Any) -> core.Value:
    """``left or right()``."""
    truth = static_truth(left)
    if truth is not None:
        return left if truth else right()
    present, here = narrowing.presence_of(spec, left)
    there: list[frozenset[narrowing.Fact]] = [frozenset()]

    def other() -> core.Value:
        value = right()
        there[0] = narrowing.presence_of(spec, value)[1]
        return value

    first = narrowing.narrowed(left, present)
    tested = _as_test(spec, left)
    test = select(spec, tested, lambda: first, other, "condition")
    return narrowing.note(spec, test, (frozenset(), here | there[0]))


@core.expression(ast.IfExp)
def conditional_expression(spec: Specialiser, node: ast.IfExp) -> core.Value:
    test = evaluate_test(spec, node.test)
    truth = static_truth(test)
    if truth is not None:
        return spec.evaluate(node.body if truth else node.orelse)
    return select(
        spec,
        test,
        lambda: spec.evaluate(node.body),
        lambda: spec.evaluate(node.orelse),
        "choice",
    )


@core.verb
def select(
    spec: Specialiser, test: core.Value, body: Any, orelse: Any, hint: str
) -> core.Value:
    """The value of ``body()`` or ``orelse()``, by a test made when the program runs."""
    hidden = spec.fresh(hint).name.replace(".", "_")
    hidden = f".{hidden}"
    spec.choose(
        test, lambda: spec.bind(hidden, body()), lambda: spec.bind(hidden, orelse())
    )
    if spec.unreachable:
        raise core.NothingFollows
    value = spec.frame.names.pop(hidden)
    if isinstance(value, core.Missing):
        spec.keep_objects(value)
        reason = value.reason.replace(repr(hidden), "the expression")
        raise core.Unsupported(reason, value.advice)
    return value


@core.statement(ast.If)
def if_statement(spec: Specialiser, node: ast.If) -> None:
    test = evaluate_test(spec, node.test)
    spec.choose(test, lambda: spec.run(node.body), lambda: spec.run(node.orelse))
