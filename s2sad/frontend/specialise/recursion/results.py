"""The end of a procedure's program: what it returns, in one tuple.

A value of which some parts are there on some paths alone (a structure that may be
None, one of several objects) is returned with all its parts. Those are assigned where
they are bound. Elsewhere they are zeros, which nobody reads: the caller asks which one
it is before it reads them::

    if c:                                 result.2, result.3 = 0.0, 0.0
        found, found_0, found_1 =         if c:
            'tuple', x, y          ->         result.1 = 'tuple'
    else:                                     result.2, result.3 = x, y
        found = None                      else:
    return found                              result.1 = None
                                          return result.1, result.2, result.3
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.phi_copies import with_phi_copies_placed
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.recursion.forms import option_leaves


def with_result(
    spec: Specialiser,
    function: ir.Function,
    result: core.Value,
    returned: Iterable[core.Leaf],
) -> ir.Function:
    """The program of a procedure, with a return at its end of what of the result isn't
    the same in every call."""
    parts = {leaf.operand for leaf in option_leaves(result)}
    span = function.body[-1].span if function.body else None
    copies: list[ir.Statement] = []
    operands: list[ir.Operand] = []
    kinds: dict[str, ir.Kind] = {}
    for leaf in returned:
        target = spec.fresh("result")
        copy = [ir.Assign(span, target, leaf.operand, leaf.kind, spec.derived)]
        if leaf.operand in parts:
            spec.phi_copies += copy
            kinds |= {str(leaf.operand): leaf.kind, target.name: leaf.kind}
        copies += copy
        operands.append(target)
    final = operands[0] if len(operands) == 1 else ir.pack_tuple(*operands)
    last = ir.Return(span, final)
    function = replace(
        function,
        body=(*function.body, *copies, last),
        kinds={**spec.kinds_of_inlined, **function.kinds},
        temporaries=frozenset(spec.temporaries),
    )
    function = with_phi_copies_placed(function, spec.phi_copies, spec.carried)
    return _with_all_bound(function, {*operands}, kinds) if parts else function


def _with_all_bound(
    function: ir.Function, results: set[ir.Operand], kinds: Mapping[str, ir.Kind]
) -> ir.Function:
    """The program with zeros for results, and for what copies to them read, that no
    path before may have bound."""
    before = assigned_variables(function.body, function.parameters).before
    unbound = {
        name
        for s in ir.walk(function.body)
        if isinstance(s, ir.Return) or not results.isdisjoint(ir.direct_writes(s))
        for name in ir.names_read(s)
        if name in kinds and name not in before.get(id(s), (name,))
    }
    zeros = (
        ir.Assign(
            None, ir.Var(name), zero_of(kinds[name]), ir.without_value(kinds[name])
        )
        for name in ir.in_order(unbound)
    )
    return replace(function, body=(*zeros, *function.body))


def zero_of(kind: ir.Kind) -> ir.Apply | ir.Operand:
    """A value of a kind, as short as it may be."""
    match kind:
        case ir.Array():
            shape = [ir.Const(int(a.length == "one")) for a in kind.axes or ()]
            dtype = ir.Const(np.dtype(kind.dtype or "float64"))
            operand = shape[0] if len(shape) == 1 else ir.pack_tuple(*shape)
            return ir.Apply(np.zeros, (operand,), (("dtype", dtype),))
        case ir.List():
            return ir.Apply(ops.new_list, ())
        case ir.Scalar(type=name):
            return ir.Const({"int": 0, "bool": False, "complex": 0j}.get(name, 0.0))
        case ir.NumPyScalar():
            return ir.Const(0.0)
    return ir.Const(None)
