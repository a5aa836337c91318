"""Lists, dicts and objects that a pullback keeps: copies, for the user may change what
the function was given, and since each run of the pullback adds to the adjoints.

::

    def f_forward(springs):                     def f_reverse(residuals, gradient):
        ...                                         springs, springs_bar = residuals
        return value, (own_structure(springs),      springs_bar = own_structure(
                       springs_bar)                     springs_bar)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from s2sad import ir
from s2sad.ops.runtime.structures import own_structure, own_structures
from s2sad.transform.reverse.reverse_references import is_adjoint, is_of_references


def holds_references(function: ir.Function, name: str, *, adjoints: bool) -> bool:
    """True for a variable that is a reference, or a list or stack of them: one to what
    the user made, or one of the ``adjoints``."""
    kinds = [function.kinds.get(name)]
    kinds += [
        function.kinds.get(s.value.name)
        for s in ir.walk(function.body)
        if isinstance(s, ir.Save) and s.stack.name == name
        if isinstance(s.value, ir.Var)
    ]
    return any(is_of_references(k) and is_adjoint(k) == adjoints for k in kinds)


def copies_of(
    names: Sequence[str], targets: Sequence[str], kinds: dict[str, ir.Kind]
) -> list[ir.Statement]:
    """The line that copies some variables; what they share, the copies share."""
    for name, target in zip(names, targets, strict=True):
        if name in kinds:
            kinds[target] = kinds[name]
    if not names:
        return []
    target: ir.Var | ir.Pack = ir.pack_tuple(*map(ir.Var, targets))
    value = ir.Apply(own_structures, tuple(map(ir.Var, names)))
    kind = None
    if len(names) == 1:
        target = ir.Var(targets[0])
        value = ir.Apply(own_structure, (ir.Var(names[0]),))
        kind = kinds.get(targets[0])
    return [ir.Assign(None, target, value, kind)]


def own_adjoints(forward: ir.Function, residuals: Iterable[str]) -> list[ir.Statement]:
    """The line in front of a reverse sweep that copies the adjoints among residuals."""
    held = [n for n in residuals if holds_references(forward, n, adjoints=True)]
    return copies_of(held, held, dict(forward.kinds))
