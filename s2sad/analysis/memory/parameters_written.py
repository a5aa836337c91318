"""Which parameters a program writes into."""

from __future__ import annotations

from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.memory.memory import OUTSIDE
from s2sad.analysis.memory.points_to import is_number, points_to


def parameters_written(function: ir.Function) -> set[str]:
    """The parameters that a function writes into, also under other names."""
    function = with_all_kinds(function)
    memory = points_to(function, apart=True, as_written=True)
    found: set[str] = set()
    for s in ir.walk(function.body):
        if ops.is_write(s):
            if not is_number(function.kinds.get(s.target.name)):
                held = memory.before(s).of(s.target.name)
                found |= {p for p in function.parameters if (*OUTSIDE, p) in held}
    return found


def with_all_kinds(function: ir.Function) -> ir.Function:
    """The function with the kinds of all its variables, where a name that is bound
    several times has one for all."""
    kinds = dict(function.kinds)
    for s in ir.walk(function.body):
        if isinstance(s, ir.For):
            kinds[s.target.name] = ir.INT
        elif isinstance(s, ir.Assign) and isinstance(s.target, ir.Var) and s.kind:
            name = s.target.name
            known = kinds.get(name)
            kinds[name] = s.kind if known is None else ir.join(known, s.kind, name)
        elif isinstance(s, ir.Assign) and isinstance(s.kind, ir.Structure):
            assert isinstance(s.target, ir.Pack)
            for item, kind in zip(s.target.items, s.kind.items):
                kinds.setdefault(str(item), kind)
    return replace(function, kinds=kinds)
