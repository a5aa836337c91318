"""Lists, dicts and objects that a pullback keeps: copies, for the user may change what
the function was given, and each run of the pullback adds to the adjoints.

::

    def f_forward(springs):                     def f_reverse(residuals, gradient):
        ...                                         springs, springs_bar = residuals
        return value, (own_structure(springs),      springs_bar = own_structure(
                       springs_bar)                     springs_bar)
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from s2sad import ir
from s2sad.ops.runtime.structures import own_structure, own_structures


def copied_where_kept(
    forward: ir.Function,
    residuals: Sequence[str],
    kinds: dict[str, ir.Kind],
    lists: Collection[str],
) -> tuple[list[ir.Statement], dict[str, ir.Var]]:
    """The line at the end of a forward sweep that copies the residuals that lead to the
    user's objects, or are his ``lists``, and the variables with the copies. Adjoints
    are the program's own; where residuals of calls hold them, too, or objects are keys
    of theirs, all are copied together."""
    nested = [n for n in residuals if _is_of_call(forward, n, lists)]
    held = [
        n
        for n in residuals
        if n in nested or n in lists or _holds(forward, n, adjoints=False)
    ]
    if nested or _has_objects_as_keys(forward, residuals):
        held += [n for n in residuals if _holds(forward, n, adjoints=True)]
    copies = {name: ir.Var(f"{name}.kept") for name in held}
    for name, copy in copies.items():
        if name in kinds:
            kinds[copy.name] = kinds[name]
    views = _refers_to_arrays(forward)
    return copies_of(held, list(copies.values()), kinds, views), copies


def own_adjoints(forward: ir.Function, residuals: Iterable[str]) -> list[ir.Statement]:
    """The line in front of a reverse sweep that copies the adjoints among residuals,
    and with them the objects that are keys of theirs."""
    names = list(residuals)
    keyed = _has_objects_as_keys(forward, names)
    held = [
        name
        for name in names
        if _is_of_call(forward, name)
        or _holds(forward, name, adjoints=True)
        or (keyed and _holds(forward, name, adjoints=False))
    ]
    variables, views = list(map(ir.Var, held)), _refers_to_arrays(forward)
    return copies_of(held, variables, forward.kinds, views)


def _refers_to_arrays(forward: ir.Function) -> bool:
    """True where variables refer to arrays, or parts of them, that are written into."""
    called = (
        p.function for p in ir.all_procedures([forward.body]) if ir.is_complete(p)
    )
    return any(
        ir.is_array_reference(kind)
        for function in (forward, *called)
        for kind in function.kinds.values()
    )


def copies_of(
    names: Sequence[str],
    targets: Sequence[ir.Var],
    kinds: Mapping[str, ir.Kind],
    views: bool,
) -> list[ir.Statement]:
    """The line that copies some variables; what they share, the copies share."""
    if not names:
        return []
    words = (("views", ir.Const(True)),) if views else ()
    if len(names) == 1:
        value = ir.Apply(own_structure, (ir.Var(names[0]),), words)
        return [ir.Assign(None, targets[0], value, kinds.get(names[0], ir.OPAQUE))]
    value = ir.Apply(own_structures, tuple(map(ir.Var, names)), words)
    return [ir.Assign(None, ir.pack_tuple(*targets), value)]


def _holds(function: ir.Function, name: str, *, adjoints: bool) -> bool:
    """True for a variable that is a reference, or a list or stack of them: one to what
    the user made, or one of the ``adjoints``."""
    kinds = map(function.kinds.get, (name, *_saved_on(function, name)))
    return any(ir.is_of_references(k) and ir.is_adjoint(k) == adjoints for k in kinds)


def _has_objects_as_keys(forward: ir.Function, residuals: Collection[str]) -> bool:
    """True where an adjoint that is kept leads to a dict of which keys are objects, or
    hold some."""
    kinds = (
        forward.kinds.get(saved)
        for name in residuals
        if _holds(forward, name, adjoints=True)
        for saved in (name, *_saved_on(forward, name))
    )
    return any(
        form.key is not None and any(ir.forms_in(form.key))
        for kind in kinds
        if kind is not None
        for form in ir.forms_in(kind)
    )


def _is_of_call(function: ir.Function, name: str, lists: Collection[str] = ()) -> bool:
    """True for the residuals of a call, or a stack of them, that may hold references,
    or one of these ``lists`` that the call is given."""
    own: set[ir.Operand] = {ir.Var(n) for n in (name, *_saved_on(function, name))}
    return any(
        isinstance(s.target, ir.Pack)
        and s.target.items[-1] in own
        and (_hands_references_on(s.value) or _is_given(s.value, lists))
        for s in ir.walk(function.body)
        if isinstance(s, ir.Assign)
    )


def _saved_on(function: ir.Function, stack: str) -> list[str]:
    return [
        s.value.name
        for s in ir.walk(function.body)
        if isinstance(s, ir.Save) and s.stack.name == stack
        if isinstance(s.value, ir.Var)
    ]


def _is_given(call: ir.Apply | ir.Operand, names: Collection[str]) -> bool:
    return any(v.name in names for v in ir.value_variables(call))


def _hands_references_on(value: ir.Apply | ir.Operand) -> bool:
    """True for the call of a forward program that deals with references, or calls one
    that does."""
    procedure = value.function if isinstance(value, ir.Apply) else None
    if not isinstance(procedure, ir.Procedure) or not procedure.returns_residuals:
        return False
    called = (procedure, *ir.all_procedures([procedure.function.body]))
    return any(
        ir.is_of_references(kind)
        for one in called
        if ir.is_complete(one)
        for kind in one.function.kinds.values()
    )
