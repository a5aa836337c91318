"""``checkpoint``: loops, calls and blocks that the reverse sweep computes again become
regions of the program (:mod:`s2sad.ir.checkpoints`)."""

import ast
import copy
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.checkpoints import checkpoint, recomputed
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.special_calls import SPECIAL_CALLS
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.iteration import iteration
from s2sad.frontend.specialise.language.names import calls


def is_checkpointed_loop(spec: Specialiser, node: ast.For) -> bool:
    """True for ``for t in checkpoint(...)``."""
    return isinstance(node.iter, ast.Call) and calls(spec, node.iter, checkpoint)


def checkpointed_loop(
    spec: Specialiser, node: ast.For, run: Callable[[ast.For], None]
) -> None:
    """``for t in checkpoint(iterable, snapshots=s)``; ``run`` runs a plain loop."""
    call = node.iter
    assert isinstance(call, ast.Call)
    if len(call.args) != 1 or [k.arg for k in call.keywords] != ["snapshots"]:
        raise core.Unsupported(
            "a checkpointed loop needs what it runs over, and its number of snapshots",
            "write checkpoint(range(n), snapshots=10)",
            call,
        )
    plain = copy.copy(node)
    plain.iter = call.args[0]
    snapshots = _number_of_snapshots(spec, call.keywords[0].value)
    with spec.new_block() as block:
        run(plain)
    loops = [s for s in block if isinstance(s, ir.Loop)]
    if block and len(loops) != 1:
        raise core.Unsupported(
            "a checkpointed loop that is written out, or is more than one loop",
            "loop over range(...) or an array, or leave the checkpoint out: what is "
            "written out keeps little",
            call.args[0],
        )
    statement: ir.Statement
    for statement in block:
        if isinstance(statement, ir.Loop):
            statement = _counting_down(spec, statement)
            statement = ir.region(spec.span, (statement,), snapshots)
        spec.emit(statement)


def _counting_down(spec: Specialiser, loop: ir.Loop) -> ir.Loop:
    """A loop whose numbers fall, for one that runs through its numbers backwards."""
    if not isinstance(loop, ir.For) or not loop.backwards:
        return loop
    start, stop, step = map(_number, (loop.start, loop.stop, loop.step))
    one = core.constant(1)
    count = iteration.range_of(spec, (start, stop, step)).length
    place = spec.operate(operator.sub, (count, one))
    last = core.Numbers(start, stop, step).element(spec, place)  # type: ignore[arg-type]
    before = spec.operate(operator.sub, (start, step))
    falling = spec.operate(operator.neg, (step,))
    first, end, by = map(core.operand_of, (last, before, falling))
    return replace(loop, start=first, stop=end, step=by, backwards=False)


def _number(operand: ir.Operand) -> core.Leaf:
    if isinstance(operand, ir.Const):
        return core.constant(operand.value)
    return core.Leaf(operand, ir.INT)


def _number_of_snapshots(spec: Specialiser, node: ast.expr) -> ir.Operand:
    value = spec.evaluate(node)
    if core.is_known(value):
        number = core.known_value(value)
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise core.Unsupported(
                f"{number!r} snapshots", "keep a whole number of at least 1"
            )
        return ir.Const(number)
    kind = core.kind_of(value)
    whole = isinstance(kind, ir.Scalar) and kind.type == "int"
    whole = whole or (isinstance(kind, ir.NumPyScalar) and "int" in (kind.dtype or ""))
    if not isinstance(value, core.Leaf) or not whole:
        raise core.Unsupported(
            "the number of snapshots is no whole number", "make it an int"
        )
    return core.operand_of(value)


def checkpointed_block(spec: Specialiser, run: Callable[[], Any]) -> None:
    """``with checkpoint(): ...``; ``run`` runs the block."""
    with spec.new_block() as block:
        run()
    if block:
        spec.emit(ir.region(spec.span, tuple(block)))


def _checkpoint(spec: Specialiser, args: Args, words: Words) -> core.Value:
    if words or len(args) != 1:
        raise core.Unsupported(
            "a checkpointed loop is made here, but not run",
            "write checkpoint(..., snapshots=...) in the head of a for statement",
        )
    (function,) = args
    if not (core.is_function(function) or isinstance(function, core.Choice)):
        raise core.Unsupported(
            "checkpoint takes a function here",
            "for a loop, write for t in checkpoint(range(n), snapshots=10)",
        )
    return core.Partial(core.constant(recomputed), (function,))


def _recomputed(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """The call of a function under ``checkpoint``."""

    function, *given = args
    found: list[core.Value] = []
    with spec.new_block() as block:
        found.append(spec.call_value(function, tuple(given), words))
    if block:
        spec.emit(ir.region(spec.span, tuple(block)))
    if not found:
        raise core.NothingFollows
    return found[0]


SPECIAL_CALLS.update({checkpoint: _checkpoint, recomputed: _recomputed})
