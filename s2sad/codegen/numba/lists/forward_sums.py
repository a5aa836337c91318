"""Reverse loops whose turns only add to arrays, run forwards.

::

    for i in reversed range(0, n, 1):        for i in range(0, n, 1):
        d = ...                                  d = ...
        y = index_add(y, i, a)       ->          y = index_add(y, i + 1, d)
        y = index_add(y, i + 1, d)               y = index_add(y, i, a)

The turns may have any order where none reads what another one writes. Forwards, and
the places ahead first, each element is complete when the counter has passed it, and the
compiler keeps it in a register; it then computes several turns at once.
"""

from dataclasses import replace

from s2sad import ir, ops
from s2sad.codegen.numba.lists.counters import Counters
from s2sad.codegen.numba.programs import Facts, is_array

_SUMS = (ops.index_add, ops.subtracted_from)


def with_forward_sums(function: ir.Function) -> ir.Function:
    """The program with such loops turned around."""
    if not any(isinstance(s, ir.For) and s.backwards for s in ir.walk(function.body)):
        return function
    turned = _Turned(Counters(Facts(function)))
    if not turned.loops:
        return function

    def block(statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        found = (turned.loops.get(id(s), s) for s in statements)
        return tuple(ir.with_blocks(s, block) for s in found)

    return replace(function, body=block(function.body))


class _Turned:
    def __init__(self, counters: Counters) -> None:
        self.counters, self.facts = counters, counters.facts
        self.loops: dict[int, ir.For] = {}
        """The loops that take the place of others, by identity."""
        for s in ir.walk(self.facts.function.body):
            if isinstance(s, ir.For) and s.backwards and s.step == ir.Const(1):
                body = self.turned(s)
                if body is not None:
                    self.loops[id(s)] = replace(s, body=body, backwards=False)

    def turned(self, loop: ir.For) -> tuple[ir.Statement, ...] | None:
        """The body of such a loop in the order that it needs forwards."""
        if loop.until is not None or loop.parallel:
            return None
        sums: list[tuple[int, ir.Assign]] = []
        plain: list[ir.Statement] = []
        arrays: set[str] = set()
        roots: dict[str, str] = {}
        """Other names of the arrays that are added to."""
        for s in loop.body:
            if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
                return None
            if not s.derived:
                return None  # the function's own, whose sums have an order
            value, name = s.value, s.target.name
            if isinstance(value, ir.Var) and is_array(self.facts.kind(value)):
                root = roots.get(value.name, value.name)
                if name == root:
                    continue
                if len(self.counters.bindings[name]) != 1:
                    return None
                roots[name] = root
            elif isinstance(value, ir.Apply) and value.function in _SUMS:
                offset = self.offset(value, loop)
                if value.args[0] != s.target or offset is None:
                    return None
                root = roots.get(name, name)
                into = replace(value, args=(ir.Var(root), *value.args[1:]))
                sums.append((offset, replace(s, target=ir.Var(root), value=into)))
                arrays.add(root)
            else:
                if not isinstance(value, ir.Apply) or not self.facts.is_number(
                    s.target
                ):
                    return None
                if self.facts.writes[name] != 1:
                    return None
                plain.append(s)
        inside = {id(s) for s in loop.body}
        own = {name for s in plain for name in ir.names_written(s)}
        own |= {loop.target.name, *roots}
        for s in ir.walk(self.facts.function.body):
            if id(s) not in inside and ir.names_read(s) & own:
                return None  # of the last turn
        changed = {n for name in arrays for n in self.facts.sharing(name) | {name}}
        if any(ir.names_read(s) & (changed | set(roots)) for s in plain):
            return None
        if any(ir.names_read(s) & (changed - {s.target.name}) for _, s in sums):  # type: ignore[union-attr]
            return None
        if len({offset for offset, _ in sums}) < 2:
            return None  # nothing to gain
        ahead = sorted(sums, key=lambda pair: -pair[0])
        return (*plain, *(s for _, s in ahead))

    def offset(self, value: ir.Apply, loop: ir.For) -> int | None:
        """How far from the counter a number is added to a vector."""
        array, place, amount = value.args[:3]
        kind = self.facts.kind(array)
        if not is_array(kind) or not self.facts.is_number(amount):
            return None
        if value.function is ops.index_add and value.args[3:4] != (ir.Const(False),):
            return None
        turn = ir.Var("turn")
        found = self.counters.sum_of(place, {loop.target.name: turn}, loop, ())
        if found is None or dict(found.factors) != {turn: 1}:
            return None
        return found.constant
