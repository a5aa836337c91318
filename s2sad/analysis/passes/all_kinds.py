"""The kinds of all variables of a program that comes from the front end."""

from collections.abc import Mapping
from dataclasses import replace

from s2sad import ir


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


def kinds_where_present(function: ir.Function) -> Mapping[str, ir.Kind]:
    """The kinds of all variables, of an array that may be None as of the array: None
    has no memory, and a write into it raises."""
    kinds = with_all_kinds(function).kinds
    return {name: ir.array_if_present(kind) for name, kind in kinds.items()}
