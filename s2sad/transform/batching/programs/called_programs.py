"""Calls of programs that many tangents or cotangents are handed to: of their batched
versions, see :mod:`s2sad.transform.batching.programs.versions`."""

from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.transform.batching.lists.references import reads_adjoint
from s2sad.transform.batching.programs.versions import Version, targets_of
from s2sad.transform.programs.primal_programs import is_procedure_call


def is_batched_call(mode: Any, s: ir.Assign | ir.Effect) -> bool:
    """Append the call of a program, if it is one that batched values enter."""
    if not is_procedure_call(s.value):
        return False
    assert isinstance(s.value, ir.Apply)
    version = mode.versions.version_for(s.value, mode.flow)
    if version is None:
        if mode.flow.rows_in_adjoints and _reads_adjoints(s.value.function):
            raise core.NotBatched("an adjoint is read where nothing else is batched")
        return False
    args: list[ir.Operand] = []
    for place, argument in enumerate(s.value.args):
        if isinstance(argument, ir.Pack):
            items = [
                _given(mode, version, (place, k), item)
                for k, item in enumerate(argument.items)
            ]
            args.append(ir.pack_tuple(*items))
        else:
            args.append(_given(mode, version, (place, None), argument))
    if version.shows_size is None:
        args.append(mode.size.operand)
    kinds: list[ir.Kind] = []
    targets: list[ir.Var] = []
    copies: list[tuple[ir.Var, core.Leaf, ir.Kind]] = []
    for place, target in enumerate(targets_of(s)):
        assert isinstance(target, ir.Var)
        item = _item_kind(mode, s, place, target)
        if place in version.results:
            item = mode.with_leading_axis(item)
            mode.function.kinds[target.name] = item
        elif target.name in mode.batched and target.name not in mode.flow.kept:
            own = mode.spec.fresh(target.name)
            copies.append((target, core.Leaf(own, item), item))
            target = own
        kinds.append(item)
        targets.append(target)
    value = replace(s.value, function=version.made, args=tuple(args))
    if isinstance(s, ir.Effect):
        line: ir.Statement = replace(s, value=value)
    elif isinstance(s.target, ir.Pack):
        structure = ir.tuple_of_kinds(kinds)
        line = replace(s, target=ir.pack_tuple(*targets), value=value, kind=structure)
    else:
        line = replace(s, target=targets[0], value=value, kind=kinds[0])
    mode.spec.emit(line)
    for target, leaf, item in copies:
        mode._assign(target, mode.repeated(leaf, item), item)
    return True


def _reads_adjoints(procedure: Any) -> bool:
    """True for a program that reads numbers of adjoints, which may have rows, or calls
    one that does."""
    for called in (procedure, *ir.all_procedures([procedure.function.body])):
        function = called.function
        assigned = (s for s in ir.walk(function.body) if isinstance(s, ir.Assign))
        if any(reads_adjoint(s, function.kinds) for s in assigned):
            return True
    return False


def _given(mode: Any, version: Version, place: Any, operand: ir.Operand) -> ir.Operand:
    """An argument, with a leading axis where the version takes it with one."""
    if place not in version.given:
        return operand
    if isinstance(operand, ir.Var):
        return mode.whole(operand.name).operand
    value = mode.value(operand)
    return mode.repeated(value, value.kind).operand


def _item_kind(
    mode: Any, s: ir.Assign | ir.Effect, place: int, target: ir.Var
) -> ir.Kind:
    """The kind of a result for one tangent."""
    assert isinstance(s, ir.Assign)
    if isinstance(s.target, ir.Pack) and isinstance(s.kind, ir.Structure):
        known: ir.Kind = s.kind.items[place]
        return known
    own = None if isinstance(s.target, ir.Pack) else s.kind
    return own or mode.item_kinds.get(target.name, ir.UNKNOWN)
