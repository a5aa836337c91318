"""Checks, made when the program runs, that what is written into shares no memory with
anything else that the program is given."""

from __future__ import annotations

from s2sad.analysis.points_to import OUTSIDE, PointsTo, is_number
from s2sad.codegen.helper_functions.results import require_apart
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    Function,
    Global,
    Operand,
    Var,
)
from s2sad.ir.walking import direct_reads, operations, walk
from s2sad.transform.stores import is_write


def checks_of_arguments(
    function: Function, memory: PointsTo, spec: Specialiser
) -> Block:
    """Checks that what is written into shares no memory with other arguments, or with
    data of the module."""
    written: set[str] = set()
    for s in walk(function.body):
        if is_write(s):
            assert isinstance(s, Assign) and isinstance(s.target, Var)
            own = memory.before(s).of(s.target.name)
            written |= {p for p in function.parameters if (*OUTSIDE, p) in own}
    if not written:
        return ()
    read = {v.name for s in walk(function.body) for v in direct_reads(s)}
    others: dict[str, Operand] = {
        p: Var(p)
        for p in function.parameters
        if p in read and not is_number(function.kinds.get(p))
    }
    for data in _data_read(function.body):
        if not is_number(spec.global_kinds.get(data)):
            others[data.name] = data
    checks = []
    for name in sorted(written):
        for other, operand in others.items():
            if other != name and not (other in written and other < name):
                operands = (Var(name), operand, Const(name), Const(other))
                checks.append(Effect(None, Apply(require_apart, operands)))
    return tuple(checks)


def _data_read(body: Block) -> list[Global]:
    """The data of the module that a program reads."""
    found: dict[Global, None] = {}
    for s in walk(body):
        for operation in operations(s):
            for argument in (*operation.args, *(v for _, v in operation.keywords)):
                if isinstance(argument, Global):
                    found[argument] = None
        value = getattr(s, "value", None)
        if isinstance(value, Global):
            found[value] = None
    return list(found)
