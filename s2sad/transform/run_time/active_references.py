"""Which variables of a function have adjoints, where some lead to structures."""

from collections.abc import Callable, Iterable

from s2sad import ir, ops
from s2sad.analysis.reverse.activity import SLOTS, active_variables
from s2sad.ops.runtime.structures import as_structure, zeros_of_structure


def active_in(
    function: ir.Function,
    independents: Iterable[str],
    matters: Callable[[str], bool],
    *,
    called: bool = False,
) -> set[str]:
    """The variables of a function that are varied and useful. What is added to an
    adjoint that is a structure flows to all that leads to it. One that is ``called``
    may store what others read."""
    last = function.final
    results = [v.name for v in ir.operand_variables(last.value)]
    leads = any(ir.is_of_references(function.kinds.get(name)) for name in results)
    results += [SLOTS] if called or leads else []  # they lead to what is stored

    def adjoint(name: str) -> bool:
        return ir.is_adjoint(function.kinds.get(name))

    independents = set(independents)
    found = active_variables(function.body, independents, results, matters, adjoint)
    found = _with_all_met(function, found)
    others = set(function.parameters) - independents
    for name in results if called else ():
        kind = function.kinds.get(name, ir.UNKNOWN)
        if ir.is_of_references(kind) and ir.is_real_number_kind(kind):
            made = _with_all_met(function, found | {name})  # its caller may fill it
            found = found if made & others else made
    return found


def _with_all_met(function: ir.Function, active: set[str]) -> set[str]:
    """The active variables with the references that meet active ones, which have
    adjoints, too."""
    found = set(active)
    moved = [
        (v.name, [r.name for r in moved_variables(s.value) if _is_one(function, r)])
        for s in ir.walk(function.body)
        if isinstance(s, ir.Assign)
        for v in ir.operand_variables(s.target)
        if _is_one(function, v)
    ]
    moved += [
        (holder.name, [content.name])
        for s in ir.walk(function.body)
        if isinstance(s, ir.Effect) and s.value.function in ops.STORES_INTO_SLOTS
        for holder, content in [(s.value.args[0], s.value.args[-1])]
        if isinstance(holder, ir.Var) and isinstance(content, ir.Var)
        if _is_one(function, content)
    ]
    kept: dict[str, list[str]] = {}
    for s in ir.walk(function.body):
        if isinstance(s, ir.Save | ir.Restore):
            value = s.value if isinstance(s, ir.Save) else s.target
            if isinstance(value, ir.Var) and _is_one(function, value):
                kept.setdefault(s.stack.name, []).append(value.name)
    moved += [(name, names) for names in kept.values() for name in names]
    grown = True
    while grown:
        before = len(found)
        for target, sources in moved:
            if target in found or not found.isdisjoint(sources):
                kind = function.kinds[target]
                if ir.is_real_number_kind(kind):
                    found |= {target, *sources}
        grown = len(found) > before
    return found


def moved_variables(value: ir.Apply | ir.Operand) -> Iterable[ir.Var]:
    """The variables in a value that it leads to: not those of which it takes the form
    alone."""
    function = value.function if isinstance(value, ir.Apply) else None
    if function in (zeros_of_structure, as_structure):
        assert isinstance(value, ir.Apply)
        return (v for operand in value.args[1:] for v in ir.operand_variables(operand))
    if function in ops.READS_OF_REFERENCES:  # its key leads to nothing
        assert isinstance(value, ir.Apply)
        return ir.operand_variables(value.args[0])
    return ir.value_variables(value)


def _is_one(function: ir.Function, variable: ir.Var) -> bool:
    return ir.is_of_references(function.kinds.get(variable.name))
