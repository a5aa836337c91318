"""Added parts: what is zero but for a part isn't made where it is only added.

::

    z = zeros_like(x)
    t = index_set(z, :-1, v)
    y.bar = add(y.bar, t)          ->     y.bar = index_add(y.bar, :-1, v)
    s = mul(2.0, t)                       s = mul(2.0, v)
    k.bar = add(k.bar, s)                 k.bar = index_add(k.bar, :-1, s)

Only lines that rules wrote are changed, where all readers stand in the same block.
"""

import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.passes.shapes import same_shape

_FARTHEST = 40
"""How many lines apart a part and its readers may be."""


def add_parts(function: ir.Function) -> ir.Function:
    """The function with parts added where they belong.

    >>> vector, number = (
    ...     ir.Array("float64", (ir.Axis("many", "n"),)),
    ...     ir.NumPyScalar("float64"),
    ... )
    >>> def line(name, function, *args):
    ...     return ir.Assign(None, ir.Var(name), ir.Apply(function, args), vector, True)
    >>> body = (
    ...     line("z", np.zeros_like, ir.Var("x")),
    ...     line("t", ops.index_set, ir.Var("z"), ir.Const(0), ir.Var("v")),
    ...     line("c", operator.add, ir.Var("b"), ir.Var("t")),
    ...     ir.Return(None, ir.Var("c")),
    ... )
    >>> kinds = {**dict.fromkeys("xbztc", vector), "v": number}
    >>> print(ir.function_text(add_parts(ir.Function("f", tuple("xbv"), body, kinds))))
    def f(x: float64[n], b: float64[n], v: np.float64):
        c = index_add(b, 0, v, False)  # float64[n]
        return c
    """
    if not any(_is_part(s) for s in ir.walk(function.body)):
        return function
    adding = _Adding(function)
    return adding.finished(adding.block(function.body))


class _Adding(ir.Rewriting):
    def block(self, block: ir.Block) -> ir.Block:
        lines: list[ir.Statement] = [ir.with_blocks(s, self.block) for s in block]
        place = 0
        while place < len(lines):
            s = lines[place]
            if _is_part(s) and self.is_put_in(lines, place, s):
                place = max(place - 2, 0)
            else:
                place += 1
        return ir.as_block(lines, block)

    def is_put_in(self, lines: list[ir.Statement], place: int, part: ir.Line) -> bool:
        """Make the lines do without the array that a part was put into, if they
        can."""
        zeros, index, amount = part.value.args[:3]
        start = self.place_of_zeros(lines, place, zeros)
        kind = self.kind_of(part)
        if start is None or kind is None or not self.fits(index, amount, kind):
            return False
        name = part.target.name
        fixed = {v.name for o in (index, amount) for v in ir.operand_variables(o)}
        changed: dict[int, ir.Line] = {}
        scaled: dict[str, ir.Operand] = {}
        """Multiples of the array, and of the part."""
        left = self.uses.reads[name]
        for k in range(place + 1, min(place + 1 + _FARTHEST, len(lines))):
            if not left and not scaled:
                break
            s = lines[k]
            read = ir.names_read_within(s)
            own = [n for n in (name, *scaled) if n in read]
            if own:
                found = self.reader(s, own[0], amount, scaled, kind, index)
                if found is None or len(own) > 1:
                    return False
                changed[k], multiple = found
                if own[0] == name:
                    left -= 1
                else:
                    del scaled[own[0]]
                if multiple is not None:
                    scaled[multiple] = ir.Var(multiple)
            if ir.names_written_within(s) & (fixed | {name}):
                return False
        if left or scaled or not changed:
            return False
        for s in changed.values():
            if s.kind is not None:
                self.kinds[s.target.name] = s.kind
        for k, changed_line in changed.items():
            lines[k] = changed_line
        del lines[place], lines[start]
        return True

    def place_of_zeros(
        self, lines: list[ir.Statement], place: int, zeros: ir.Operand
    ) -> int | None:
        """Where the zeros are made that nothing else reads."""
        if not isinstance(zeros, ir.Var) or self.uses.reads[zeros.name] != 1:
            return None
        for k in range(place - 1, max(place - 4, -1), -1):
            s = lines[k]
            if zeros.name in ir.names_written_within(s):
                made = ir.is_line(s, np.zeros_like) and s.derived
                return k if made else None
        return None

    def fits(self, index: ir.Operand, amount: ir.Operand, kind: ir.Array) -> bool:
        """True for a number or array of the same precision, put where an index of
        slices and whole numbers says."""
        own = ir.kind_of(amount, self.kinds)
        if not isinstance(own, ir.NumPyScalar):
            own = ir.array_kind(amount, self.kinds)
        if own is None or not all(map(self.is_plain, _entries(index))):
            return False
        return ir.dtype_of(own) == kind.dtype

    def is_plain(self, entry: ir.Operand) -> bool:
        if isinstance(entry, ir.Slice):
            parts = (entry.lower, entry.upper, entry.step)
            return all(p is None or self.is_plain(p) for p in parts)
        return entry == ir.Const(None) or ir.is_whole_number(entry, self.kinds)

    def reader(
        self,
        s: ir.Statement,
        name: str,
        amount: ir.Operand,
        scaled: dict[str, ir.Operand],
        kind: ir.Array,
        index: ir.Operand,
    ) -> tuple[ir.Line, str | None] | None:
        """The line that reads the part instead of the array, and the name of the
        multiple that it makes."""
        if not ir.is_line(s) or not s.derived or s.value.keywords or s.value.spelling:
            return None
        value, target = s.value, s.target
        if value.args.count(ir.Var(name)) != 1 or len(value.args) != 2:
            return None
        (other,) = (a for a in value.args if a != ir.Var(name))
        own = scaled.get(name, amount)
        if value.function is operator.add:
            known = ir.kind_of(other, self.kinds), self.kind_of(s)
            if not all(same_shape(own_kind, kind, True) for own_kind in known):
                return None
            added = ir.Apply(ops.index_add, (other, index, own, ir.Const(False)))
            return replace(s, value=added), None
        number = isinstance(ir.kind_of(other, self.kinds), ir.Scalar)
        if isinstance(other, ir.Const):
            number = isinstance(other.value, float | int)
        if value.function is not operator.mul or not number or name in scaled:
            return None
        if self.uses.reads[target.name] != 1:
            return None
        assert isinstance(amount, ir.Var)
        args = tuple(amount if a == ir.Var(name) else a for a in value.args)
        multiple = replace(
            s, value=replace(value, args=args), kind=self.kinds[amount.name]
        )
        return multiple, target.name

    def kind_of(self, s: ir.Line) -> ir.Array | None:
        """The kind of what a line makes, if that is surely an array."""
        kind = s.kind or self.kinds.get(s.target.name)
        return kind if isinstance(kind, ir.Array) and not kind.promoted else None


def _is_part(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for an array of zeros with a part that isn't zero."""
    if not ir.is_line(s, ops.index_set, ops.index_add) or not s.derived:
        return False
    repeats = [] if s.value.function is ops.index_set else [ir.Const(False)]
    return not s.value.keywords and [*s.value.args[3:]] == repeats


def _entries(index: ir.Operand) -> Iterator[ir.Operand]:
    if isinstance(index, ir.Pack) and index.constructor is tuple:
        yield from index.items
    else:
        yield index
