"""Arrays of the module that the program puts into lists, dicts and objects which are
kept, where it writes into arrays of such.

The module's array stays as it is, so what is put there is a view that nobody can write
into: a store through it raises when the derivative runs. What else stands there may be
written into as before::

    store_attribute(o, 'w', W)     ->     w = module_array(W)
                                          store_attribute(o, 'w', w)
"""

from collections.abc import Mapping, Set
from dataclasses import replace

from s2sad import ir, ops
from s2sad.frontend.specialise.core.specialiser import Specialiser


def with_module_arrays(
    function: ir.Function, spec: Specialiser, lists: Set[str]
) -> ir.Function:
    """The function with such views. ``lists`` are those by value whose items may stand
    in a slot."""
    kinds = {
        data: ir.reference_to_array(kind)
        for data, kind in spec.module.kinds.items()
        if isinstance(data, ir.Global) and isinstance(kind, ir.Array)
    }
    if not kinds:
        return function

    def line(s: ir.Statement) -> ir.Block:
        if isinstance(s, ir.COMPOUND) or not _keeps(s, lists):
            return (s,)
        return _with_views(s, spec, kinds)

    body = ir.with_leaves(function.body, line)
    if all(new is old for new, old in zip(body, function.body, strict=False)):
        return function
    temporaries = frozenset(function.temporaries | spec.temporaries)
    return replace(function, body=body, temporaries=temporaries)


def _keeps(s: ir.Statement, lists: Set[str]) -> bool:
    """True for a line behind which a slot, or such a list, may hold its operands."""
    if isinstance(s, ir.Assign) and not lists.isdisjoint(ir.names_written(s)):
        return True
    return any(o.function in ops.KEEPS_OPERANDS for o in ir.operations(s))


def _with_views(
    s: ir.Statement, spec: Specialiser, kinds: Mapping[ir.Global, ir.Kind]
) -> ir.Block:
    lines: list[ir.Statement] = []

    def view(data: ir.Global) -> ir.Operand:
        if data not in kinds:
            return data
        name = spec.fresh(data.name.rpartition(".")[2])
        held = ir.Apply(ops.module_array, (data,))
        lines.append(ir.Assign(s.span, name, held, kinds[data]))
        return name

    value = ir.map_value(s.value, view, ir.Global)  # type: ignore[attr-defined, arg-type]
    return *lines, replace(s, value=value)  # type: ignore[call-arg]
