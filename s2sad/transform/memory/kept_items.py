"""Items of arrays that an iterator keeps, while the program may write into the array.

``combinations(v, 2)`` reads all of ``v`` before it gives anything, and ``pairwise(v)``
reads each item once, one step ahead. The loops that stand for them read ``v`` when they
come to an item; so they are given a copy, which is dropped where nothing is written in
the meantime::

    kept = copy(v)                         for i in range(0, n, 1):
    for i in range(0, n, 1):       ->          a = getitem(v, i)
        a = getitem(kept, i)                   ...
        ...
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.memory.memory import Memory
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.passes.all_kinds import with_all_kinds
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iterators.kept_sources import ALL_AT_ONCE, ONE_AHEAD
from s2sad.transform.memory.array_writes import may_share


def is_kept_copy(s: ir.Statement) -> TypeGuard[ir.Result]:
    """True for the copy of an array of which an iterator keeps items."""
    return ir.applies(s, np.copy) and s.value.spelling.startswith(ALL_AT_ONCE)


def with_kept_items(function: ir.Function, spec: Specialiser) -> ir.Function:
    """The function with those copies that are needed. Where what is written in the
    meantime can't be told from what an iterator has kept, that becomes a problem."""
    if not any(map(is_kept_copy, ir.walk(function.body))):
        return function
    memory = None
    if any(map(ops.is_write, ir.walk(function.body))):
        known = with_all_kinds(function)
        memory = points_to(known, apart=True, as_written=True).anywhere

    def block(statements: ir.Block) -> ir.Block:
        done: list[ir.Statement] = []
        for position, s in enumerate(statements):
            if not is_kept_copy(s):
                done.append(ir.with_blocks(s, block))
                continue
            (array,) = s.value.args
            behind = statements[position + 1 :]
            meantime = _until_last_read(s, behind, function)
            if memory is None or not _writes(array, meantime, memory):
                done.append(replace(s, value=array))
                continue
            if s.value.spelling != ALL_AT_ONCE:
                what = s.value.spelling.removeprefix(ONE_AHEAD)
                problem = core.Unsupported(
                    f"{what} keeps items of an array that is written into while it "
                    "runs: when each was read isn't followed",
                    "run over a list of the items: list(...)",
                )
                spec.report_at(problem, s.span)
            done.append(replace(s, value=replace(s.value, spelling="")))
        return tuple(done)

    return replace(function, body=block(function.body))


def _until_last_read(
    s: ir.Assign, behind: ir.Block, function: ir.Function
) -> Iterator[ir.Statement]:
    """The statements from a copy to the last that reads it."""
    reading = [k for k, inner in enumerate(behind) if _reads(inner, s.target)]
    here = sum(_count(inner, s.target) for inner in behind)
    if here < sum(_count(inner, s.target) for inner in function.body):
        return ir.walk(function.body)  # it is read elsewhere too
    return ir.walk(behind[: reading[-1] + 1]) if reading else iter(())


def _reads(s: ir.Statement, variable: Any) -> bool:
    return _count(s, variable) > 0


def _count(s: ir.Statement, variable: Any) -> int:
    return sum(ir.direct_reads(inner).count(variable) for inner in ir.walk((s,)))


def _writes(array: Any, statements: Iterator[ir.Statement], memory: Memory) -> bool:
    """True where one of the statements may write into an array."""
    targets = (s.target for s in statements if ops.is_write(s))
    return any(
        isinstance(target, ir.Var) and may_share(memory, target.name, array.name)
        for target in targets
    )
