"""Joined additions: what is added to one place of a buffer in several lines is added in
the last of them.

::

    b = index_add(a, i, v)
    c = index_add(b, j, u)                 c = index_add(a, j, u)
    d = index_add(c, i, w)         ->      t = add(v, w)
                                           d = index_add(c, i, t)

Only lines that rules wrote are joined, where nobody reads the buffer in between. Sums
are reassociated, which may change the last bits.
"""

import operator
from dataclasses import replace
from typing import TypeGuard

from s2sad import ir, ops, rules

FARTHEST = 60
"""How many lines apart additions may be: what is added waits so long."""


def join_additions(function: ir.Function) -> ir.Function:
    """The function with additions to one place joined.

    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> vector = ir.Array("float64", (ir.Axis("many", "n"),))
    >>> def line(name, buffer, place, amount):
    ...     args = ir.Var(buffer), ir.Const(place), ir.Var(amount), ir.Const(False)
    ...     return ir.Assign(
    ...         None, ir.Var(name), ir.Apply(ops.index_add, args), vector, True
    ...     )
    >>> body = (
    ...     line("b", "a", 0, "v"),
    ...     line("c", "b", 1, "u"),
    ...     line("d", "c", 0, "w"),
    ...     ir.Return(None, ir.Var("d")),
    ... )
    >>> kinds = {**dict.fromkeys("abcd", vector), **dict.fromkeys("uvw", ir.FLOAT)}
    >>> function = ir.Function("f", tuple("auvw"), body, kinds)
    >>> print(ir.function_text(join_additions(function)))
    def f(a: float64[n], u: float, v: float, w: float):
        c = index_add(a, 1, u, False)  # float64[n]
        added.1 = add(v, w)  # float
        d = index_add(c, 0, added.1, False)  # float64[n]
        return d
    """
    if sum(map(_is_addition, ir.walk(function.body))) < 2:
        return function
    joining = _Joining(function)
    return joining.finished(joining.block(function.body))


class _Joining(ir.Rewriting):
    def __init__(self, function: ir.Function) -> None:
        super().__init__(function)
        self.views: set[str] = set()
        """Variables that may share memory with a buffer."""
        for s in ir.walk(function.body):
            if not ir.is_line(s, *_COMPUTING):
                self.views |= ir.names_written(s)

    def block(self, block: ir.Block) -> ir.Block:
        statements = [ir.with_blocks(s, self.block) for s in block]
        place = 0
        while place < len(statements):
            s = statements[place]
            later = (
                self.later_addition(statements, place, s) if _is_addition(s) else None
            )
            if later is None:
                place += 1
            else:
                statements = self.joined(statements, place, later)
        return ir.as_block(statements, block)

    def later_addition(
        self, statements: list[ir.Statement], place: int, first: ir.Line
    ) -> int | None:
        """The place of the next addition that ``first`` can be joined with."""
        _, index, amount, _ = first.value.args
        if not self.may_wait(amount):
            return None
        fixed = {v.name for o in (index, amount) for v in ir.operand_variables(o)}
        buffer = first.target
        for later in range(place + 1, min(place + FARTHEST, len(statements))):
            s = statements[later]
            reads, written = ir.names_read_within(s), ir.names_written_within(s)
            if buffer.name in reads:
                if not _is_addition(s):
                    return None
                _, own_index, own_amount, _ = s.value.args
                alone = self.uses.reads[buffer.name] == 1 or s.target == buffer
                if s.value.args[0] != buffer or not alone:
                    return None
                if own_index == index and self.sum_kind(amount, own_amount) is not None:
                    return later
                buffer = s.target
            elif buffer.name in written:
                return None
            if fixed & written:
                return None
        return None

    def may_wait(self, amount: ir.Operand) -> bool:
        """True for what is the same later, whatever is written into the buffer."""
        kind = ir.kind_of(amount, self.kinds)
        return str(amount) not in self.views or not isinstance(kind, ir.Array)

    def sum_kind(self, first: ir.Operand, second: ir.Operand) -> ir.Kind | None:
        """The kind of the sum of two operands; None where that isn't known."""
        kinds = [ir.kind_of(o, self.kinds) for o in (first, second)]
        for kind in kinds:
            if not isinstance(kind, ir.Array | ir.NumPyScalar | ir.Scalar):
                return None
            if isinstance(kind, ir.Array) and (kind.promoted or kind.axes is None):
                return None
        return rules.elementwise_result(
            operator.add, [k for k in kinds if k is not None]
        )

    def joined(
        self, statements: list[ir.Statement], place: int, later: int
    ) -> list[ir.Statement]:
        """The lines with one addition less."""
        first, last = statements[place], statements[later]
        assert ir.is_line(first) and ir.is_line(last)
        buffer, _, amount, _ = first.value.args
        _, index, own_amount, repeats = last.value.args
        value, added = (
            ir.Apply(operator.add, (amount, own_amount)),
            list[ir.Statement](),
        )
        kind = self.sum_kind(amount, own_amount)
        total = self.line(added, value, kind, last.span, "added")
        result = list(statements[:place])
        waiting = True
        for s in statements[place + 1 : later]:
            if waiting and _is_addition(s) and s.value.args[0] == first.target:
                s = _with_buffer(s, buffer)
                waiting = False
            result.append(s)
        args = (last.value.args[0], index, total, repeats)
        line = replace(last, value=replace(last.value, args=args))
        if waiting:
            line = _with_buffer(line, buffer)
        return [*result, *added, line, *statements[later + 1 :]]


def _with_buffer(s: ir.Line, buffer: ir.Operand) -> ir.Line:
    return replace(s, value=replace(s.value, args=(buffer, *s.value.args[1:])))


def _is_addition(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for ``b = index_add(a, i, v)`` of the adjoint, which names no element
    twice."""
    if not ir.is_line(s, ops.index_add) or not s.derived:
        return False
    buffer, _, _, *repeats = s.value.args
    return isinstance(buffer, ir.Var) and repeats == [ir.Const(False)]


_COMPUTING = (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg)
"""Operations whose results are memory of their own."""
