"""Adjoints of structures that nobody reads: in a second derivative the tangents of the
adjoints are wanted, not what the adjoints sum up to.

::

    s.bar = read_item(springs.bar, k)          s.bar.dot = ...
    add_to_attribute(s.bar, 'k', v)       ->   add_to_attribute(s.bar.dot, 'k', v.dot)
    s.bar.dot = ...
    add_to_attribute(s.bar.dot, 'k', v.dot)
"""

from s2sad import ir, ops
from s2sad.analysis.passes.dead_code import remove_dead_code
from s2sad.transform.run_time.groups import Groups

_CHANGES = (*ops.ADDS_TO_ADJOINTS, *ops.STORES_INTO_SLOTS)


def without_unread_adjoints(function: ir.Function) -> ir.Function:
    """The function without what is added to structures that are only added to. What
    leads to one of them stands and falls with it."""
    if not any(map(ir.is_adjoint, function.kinds.values())):
        return function
    function = remove_dead_code(function)
    groups = Groups()
    read: set[str] = set(function.parameters)
    for s in ir.walk(function.body):
        own = {n for n in ir.names_read(s) | ir.names_written(s) if n in groups}
        own |= {
            name
            for name in ir.names_read(s) | ir.names_written(s)
            if ir.is_adjoint(function.kinds.get(name))
        }
        if not own:
            continue
        match s:
            case ir.Save() | ir.Restore():
                groups.join([*own, s.stack.name])
            case ir.Assign() if ir.names_written(s) <= own and _moves(s.value):
                groups.join(list(own))
            case ir.Effect() if s.value.function in _CHANGES:
                groups.join(list(own))
            case _:
                read |= own
    needed = {groups.root(name) for name in read}

    def line(s: ir.Statement) -> ir.Block:
        match s:
            case ir.Effect():
                names = {str(s.value.args[0])} if s.value.function in _CHANGES else {}
            case ir.Save():
                names = {s.stack.name}
            case _:  # a slot may never have been filled
                names = ir.names_written(s)
        unread = (n in groups and groups.root(n) not in needed for n in names)
        return () if names and all(unread) else (s,)

    body = ir.with_leaves(function.body, line)
    return remove_dead_code(ir.altered(function, body=body))


def _moves(value: ir.Apply | ir.Operand) -> bool:
    """True where a value is a part of a structure, or holds it, and says nothing of
    its numbers."""
    return not (
        isinstance(value, ir.Apply) and isinstance(value.function, ir.Procedure)
    )
