"""Loops over kinds: a body is run until the kinds at its head no longer change.

Loops over few items that are known one by one are written out
(``iteration/unrolling.py``); others become ``For`` over numbers, or ``While``.
"""

import ast
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control import conditions
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import (
    eager_iteration,
    iteration,
    running_over,
    unrolling,
)
from s2sad.frontend.specialise.language.names import calls, named
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.run_time import queries
from s2sad.frontend.specialise.shaping import checkpoints
from s2sad.source.normalise.jumps import until_of
from s2sad.source.static.values import StaticForeign
from s2sad.source.text.scopes import assigned_names


@core.statement(ast.For)
def for_statement(spec: Specialiser, node: ast.For) -> None:
    if checkpoints.is_checkpointed_loop(spec, node):
        return checkpoints.checkpointed_loop(
            spec, node, lambda plain: for_statement(spec, plain)
        )
    if isinstance(node.iter, ast.Call):
        parallel = is_prange(spec, node.iter)
        if parallel or calls(spec, node.iter, range):
            return _range_loop(spec, node, parallel)
    watches = spec.facts.changes_containers
    mark = len(spec.watched)
    with spec.at(node.iter):
        _loop_over_items(spec, node)
        if watches:
            spec.check_unchanged(mark)


def _loop_over_items(spec: Specialiser, node: ast.For) -> None:
    assigned = assigned_names([node])
    items = iteration.iteration_of(spec, node.iter, assigned)
    if isinstance(items, core.Stream | core.Endless):
        return _streamed(spec, node, items, assigned)
    if isinstance(items, core.Elements):
        return _over_elements(spec, node, items)
    loop = partial(_over_elements, spec, node)
    written_out = partial(_unrolled, spec, node, items)
    unrolling.run_over(spec, items, loop, written_out)


def _over_elements(spec: Specialiser, node: ast.For, items: core.Elements) -> None:
    _counted(spec, node, items.counted, items.of_number)


def _streamed(
    spec: Specialiser,
    node: ast.For,
    items: core.Stream | core.Endless,
    assigned: set[str],
) -> None:
    """The body runs where the stream gives its values."""
    until = until_of(node)
    leave = None
    if until:
        leave = core.Exit(spec.frame.owner(until) or spec.frame, until)
    iteration.drive(
        spec,
        items,
        lambda item: _iteration(spec, node, item),
        assigned,
        hint=getattr(node.target, "id", "item"),
        leave=leave,
    )


def is_prange(spec: Specialiser, node: ast.Call) -> bool:
    """True for a call of ``numba.prange``; Numba isn't imported for it."""
    called = named(spec, node.func)
    function: Any = getattr(getattr(called, "operand", None), "value", None)
    if isinstance(function, StaticForeign):
        return function.name == "numba.prange"
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", None)
    return name == "prange" and str(module).startswith("numba.")


def _range_loop(spec: Specialiser, node: ast.For, parallel: bool) -> None:
    assert isinstance(node.iter, ast.Call)
    if node.iter.keywords or not 1 <= len(node.iter.args) <= 3:
        raise core.Unsupported("range takes one to three numbers", "", node.iter)
    args = [spec.evaluate(a) for a in node.iter.args]
    for value in args:
        if not isinstance(value, core.Leaf):
            raise core.Unsupported("range takes whole numbers", "", node.iter)
    start = args[0] if len(args) > 1 else core.constant(0)
    stop = args[1] if len(args) > 1 else args[0]
    step = args[2] if len(args) > 2 else core.constant(1)
    numbers = _rising(spec, core.Numbers(start, stop, step))
    _counted(spec, node, numbers, None, parallel)


def _rising(spec: Specialiser, numbers: core.Numbers) -> core.Numbers:
    """``reversed(range(k + 1, n))`` for ``range(n - 1, k, -1)``, whose reverse then
    runs over ``range(k + 1, n)``."""
    start, stop, step = numbers.bounds
    if step != core.constant(-1) or not core.is_known(stop):
        return numbers
    behind = _one_more(spec, start)
    if behind is None:
        return numbers
    first = core.constant(core.known_value(stop) + 1)
    return core.Numbers(first, behind, core.constant(1), backwards=True)


def _is_int(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Scalar) and kind.type == "int"


def _one_more(spec: Specialiser, number: core.Value) -> core.Value | None:
    """``n`` for ``n - 1``, if it is known as that."""
    assert isinstance(number, core.Leaf)
    written: set[ir.Var] = set()
    for s in reversed(spec.block):
        if number.operand in ir.direct_writes(s):
            if not ir.is_line(s, operator.sub) or not _is_int(s.kind):
                return None
            whole, less = s.value.args
            known = isinstance(whole, ir.Var) and whole not in written
            return core.Leaf(whole, ir.INT) if known and less == ir.Const(1) else None
        written.update(v for inner in ir.walk((s,)) for v in ir.direct_writes(inner))
    return None


def _counted(
    spec: Specialiser,
    node: ast.For,
    numbers: core.Numbers,
    element: Callable[[core.Leaf], core.Value] | None,
    parallel: bool = False,
) -> None:
    """A loop over numbers; ``element`` makes the value of the target from the
    number. ``parallel`` is kept for Numba."""
    kinds_of_bounds = list(map(core.kind_of, numbers.bounds))
    if all(map(rules.is_static, kinds_of_bounds)):
        known = [rules.static_value(kind) for kind in kinds_of_bounds]
        if not spec.outcome(lambda: range(*known)):
            return  # its body may not make sense: it reads items of an empty list
    in_body = assigned_names(node.body)
    assigned = in_body | assigned_names([node.target])
    own_name = ""
    """The name of the target, if the loop alone assigns it."""
    if element is None and isinstance(node.target, ast.Name):
        if node.target.id not in in_body and node.target.id not in spec.frame.names:
            own_name = node.target.id
    if own_name:
        index = spec.variable(own_name)
    else:
        base = getattr(node.target, "id", "item")
        index = spec.fresh(f"{base}_index" if element else base)

    def run_once(finish: Callable[[], None]) -> Any:
        _not_left(spec, node)
        with spec.new_block() as block:
            number = core.Leaf(index, ir.INT)
            if own_name:
                spec.frame.names[own_name] = number
            else:
                spec.bind_target(node.target, element(number) if element else number)
            spec.run(node.body)
            finish()
        return tuple(block)

    body, kinds = spec.to_fixed_point(assigned, run_once)
    start, stop, step = spec.unchanged_bounds(numbers.bounds, body)
    flag = _flag(spec, node, body)
    spec.emit(
        ir.For(
            spec.span,
            index,
            start,
            stop,
            step,
            body,
            until=flag,
            head_kinds=kinds,
            backwards=numbers.backwards,
            parallel=parallel,
        )
    )


def _unrolled(spec: Specialiser, node: ast.For, items: core.Aggregate) -> None:
    spec.shared(items.items)
    for item in items.items:
        unless_left(spec, node, partial(_iteration, spec, node, item))


def _iteration(spec: Specialiser, node: ast.For, item: core.Value) -> None:
    spec.bind_target(node.target, running_over.as_it_is_now(spec, item))
    spec.run(node.body)


# ------------------------------------------------------------------ leaving early


def unless_left(spec: Specialiser, node: ast.AST, run: Callable[[], None]) -> None:
    """Run an iteration that is written out, unless the loop has been left before."""
    if spec.unreachable:
        return
    until = until_of(node)
    if not until:
        return run()
    left = spec.evaluate(ast.copy_location(ast.Name(until, ast.Load()), node))
    spec.choose(left, lambda: None, run)


def _not_left(spec: Specialiser, node: ast.AST) -> None:
    """At the head of an iteration the flag is known to be false."""
    until = until_of(node)
    owner = spec.frame.owner(until) if until else None
    if owner is not None:
        owner.names[until] = core.Leaf(spec.variable(until), ir.Scalar("bool", False))


def _flag(spec: Specialiser, node: ast.AST, blocks: Any) -> ir.Var | None:
    """The flag that ends the loop, if its body sets it at all."""
    until = until_of(node)
    if not until:
        return None
    flag = spec.variable(until)
    written = {v for s in ir.walk(blocks) for v in ir.direct_writes(s)}
    return flag if flag in written else None


@core.statement(ast.While)
def while_statement(spec: Specialiser, node: ast.While) -> None:
    eager_iteration.note_while(spec)
    assigned = assigned_names(node.body) | assigned_names([node.test])
    test: list[core.Value] = []
    said = list(narrowing.NOTHING)
    problems = len(spec.problems)

    def run_once(finish: Callable[[], None]) -> Any:
        _not_left(spec, node)
        with spec.new_block() as condition:
            test[:] = []
            value = conditions.evaluate_test(spec, node.test)
            if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Array):
                value = spec.apply(bool, (value,), hint="condition")
            if not isinstance(value, core.Leaf) or queries.is_reference(value):
                value = spec.truth_of(value) or value
            test.append(value)
        if not test or static_truth(test[0]) is False:
            return (), ()
        said[:] = narrowing.presence_of(spec, test[0])
        narrowing.narrow(spec.frames_at_stake(), said[0])
        with spec.new_block() as body:
            spec.run(node.body)
            finish()
        return tuple(condition), tuple(body)

    (condition, body), kinds = spec.to_fixed_point(assigned, run_once)
    truth = static_truth(test[0]) if test else False
    if truth is False:
        return
    flag = _flag(spec, node, body)
    endless = truth is True and flag is None and not spec.unreachable
    refused = len(spec.problems) > problems  # perhaps what would leave it
    if endless and not (refused or spec.raise_points):  # nothing waits for its raise
        raise core.Unsupported(
            "this loop never ends", "leave it with break or return", node.test
        )
    operand = ir.Const(True) if truth else core.operand_of(test[0])
    spec.emit(
        ir.While(spec.span, condition, operand, body, until=flag, head_kinds=kinds)
    )
    if flag is None and not truth:  # else it may end where the test is true
        narrowing.narrow(spec.frames_at_stake(), said[1])
    spec.unreachable |= endless
