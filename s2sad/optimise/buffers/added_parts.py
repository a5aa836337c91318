"""Added parts: what is zero but for a part isn't made where it is only added.

::

    z = zeros_like(x)
    t = index_set(z, :-1, v)
    y.bar = add(y.bar, t)          ->     y.bar = index_add(y.bar, :-1, v)
    s = mul(2.0, t)                       s = mul(2.0, v)
    k.bar = add(k.bar, s)                 k.bar = index_add(k.bar, :-1, s)

Only lines that rules wrote are changed, where all readers stand in the same block.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace

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
    return _Adding(function).run()


class _Adding:
    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.kinds: dict[str, ir.Kind] = dict(function.kinds)
        self.reads: dict[str, int] = {}
        for s in ir.walk(function.body):
            for v in ir.direct_reads(s):
                self.reads[v.name] = self.reads.get(v.name, 0) + 1

    def run(self) -> ir.Function:
        body = self.block(self.function.body)
        if body is self.function.body:
            return self.function
        return replace(self.function, body=body, kinds=self.kinds)

    def block(self, block: ir.Block) -> ir.Block:
        lines: list[ir.Statement] = [ir.with_blocks(s, self.block) for s in block]
        place = 0
        while place < len(lines):
            changed = (
                self.without_part(lines, place) if _is_part(lines[place]) else None
            )
            if changed is not None:
                lines, place = changed, max(place - 2, 0)
            else:
                place += 1
        return ir.as_block(lines, block)

    def without_part(
        self, lines: list[ir.Statement], place: int
    ) -> list[ir.Statement] | None:
        """The lines without the array that a part was put into."""
        part = lines[place]
        assert isinstance(part, ir.Assign) and isinstance(part.value, ir.Apply)
        assert isinstance(part.target, ir.Var)
        zeros, index, amount = part.value.args[:3]
        start = self.place_of_zeros(lines, place, zeros)
        kind = self.kind_of(part)
        if start is None or kind is None or not self.fits(index, amount, kind):
            return None
        name = part.target.name
        fixed = {v.name for o in (index, amount) for v in ir.operand_variables(o)}
        changed: dict[int, ir.Statement] = {}
        scaled: dict[str, ir.Operand] = {}
        """Multiples of the array, and of the part."""
        left = self.reads.get(name, 0)
        for k in range(place + 1, min(place + 1 + _FARTHEST, len(lines))):
            if not left and not scaled:
                break
            s = lines[k]
            read = ir.names_read_within(s)
            own = [n for n in (name, *scaled) if n in read]
            if own:
                found = self.reader(s, own[0], amount, scaled, kind, index)
                if found is None or len(own) > 1:
                    return None
                changed[k], multiple = found
                if own[0] == name:
                    left -= 1
                else:
                    del scaled[own[0]]
                if multiple is not None:
                    scaled[multiple] = ir.Var(multiple)
            if ir.names_written_within(s) & (fixed | {name}):
                return None
        if left or scaled or not changed:
            return None
        for s in changed.values():
            assert isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)
            if s.kind is not None:
                self.kinds[s.target.name] = s.kind
        return [
            changed.get(k, s) for k, s in enumerate(lines) if k not in (start, place)
        ]

    def place_of_zeros(
        self, lines: list[ir.Statement], place: int, zeros: ir.Operand
    ) -> int | None:
        """Where the zeros are made that nothing else reads."""
        if not isinstance(zeros, ir.Var) or self.reads.get(zeros.name, 0) != 1:
            return None
        for k in range(place - 1, max(place - 4, -1), -1):
            s = lines[k]
            if zeros.name in ir.names_written_within(s):
                value = s.value if isinstance(s, ir.Assign) and s.derived else None
                made = isinstance(value, ir.Apply) and value.function is np.zeros_like
                return k if made and s.target == zeros else None  # type: ignore[attr-defined]
        return None

    def fits(self, index: ir.Operand, amount: ir.Operand, kind: ir.Array) -> bool:
        """True for a number or array of the same precision, put where an index of
        slices and whole numbers says."""
        if not isinstance(amount, ir.Var) or not all(
            map(self.is_plain, _entries(index))
        ):
            return False
        own = self.kinds.get(amount.name)
        plain = isinstance(own, ir.NumPyScalar) or (
            isinstance(own, ir.Array) and not own.promoted
        )
        return plain and own is not None and ir.dtype_of(own) == kind.dtype

    def is_plain(self, entry: ir.Operand) -> bool:
        if isinstance(entry, ir.Slice):
            parts = (entry.lower, entry.upper, entry.step)
            return all(p is None or self.is_plain(p) for p in parts)
        if isinstance(entry, ir.Const):
            return entry.value is None or type(entry.value) is int
        kind = self.kinds.get(entry.name) if isinstance(entry, ir.Var) else None
        return isinstance(kind, ir.Scalar) and kind.type == "int"

    def reader(
        self,
        s: ir.Statement,
        name: str,
        amount: ir.Operand,
        scaled: dict[str, ir.Operand],
        kind: ir.Array,
        index: ir.Operand,
    ) -> tuple[ir.Statement, str | None] | None:
        """The line that reads the part instead of the array, and the name of the
        multiple that it makes."""
        if (
            not isinstance(s, ir.Assign)
            or not s.derived
            or not isinstance(s.value, ir.Apply)
        ):
            return None
        value, target = s.value, s.target
        if not isinstance(target, ir.Var) or value.keywords or value.spelling:
            return None
        if value.args.count(ir.Var(name)) != 1 or len(value.args) != 2:
            return None
        (other,) = (a for a in value.args if a != ir.Var(name))
        own = scaled.get(name, amount)
        if value.function is operator.add:
            known = self.kinds.get(other.name) if isinstance(other, ir.Var) else None
            if not same_shape(known, kind, True):
                return None
            if not same_shape(self.kind_of(s), kind, True):
                return None
            added = ir.Apply(ops.index_add, (other, index, own, ir.Const(False)))
            return replace(s, value=added), None
        number = isinstance(other, ir.Const) and isinstance(other.value, float | int)
        if isinstance(other, ir.Var):
            number = isinstance(self.kinds.get(other.name), ir.Scalar)
        if value.function is not operator.mul or not number or name in scaled:
            return None
        if self.reads.get(target.name, 0) != 1:
            return None
        assert isinstance(amount, ir.Var)
        args = tuple(amount if a == ir.Var(name) else a for a in value.args)
        multiple = replace(
            s, value=replace(value, args=args), kind=self.kinds[amount.name]
        )
        return multiple, target.name

    def kind_of(self, s: ir.Assign) -> ir.Array | None:
        kind = s.kind or self.kinds.get(str(s.target))
        return kind if isinstance(kind, ir.Array) and not kind.promoted else None


def _is_part(s: ir.Statement) -> bool:
    """True for an array of zeros with a part that isn't zero."""
    if (
        not isinstance(s, ir.Assign)
        or not s.derived
        or not isinstance(s.target, ir.Var)
    ):
        return False
    value = s.value
    if not isinstance(value, ir.Apply) or value.keywords:
        return False
    if value.function is ops.index_set:
        return len(value.args) == 3
    return value.function is ops.index_add and value.args[3:] == (ir.Const(False),)


def _entries(index: ir.Operand) -> Iterator[ir.Operand]:
    if isinstance(index, ir.Pack) and index.constructor is tuple:
        yield from index.items
    else:
        yield index
