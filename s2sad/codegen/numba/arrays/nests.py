"""Nests of loops over the places of arrays, and what they are put together from.

Comparisons of lengths raise where NumPy would: loops would read beyond the end of an
array.
"""

import itertools
import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.arrays.elements import Elements, Place, stem_of
from s2sad.codegen.numba.programs import WRITTEN_DTYPES, Facts, Lines, is_array
from s2sad.rules.steps.shape_queries import shape_of

WRITES = (
    ops.index_add,
    ops.index_set,
    ops.stored,
    ops.added_to,
    ops.subtracted_from,
    ops.accumulated,
)
_ADDED = (ops.index_add, ops.added_to, ops.accumulated)
_LETTERS = "ijklmn"


class Nests:
    """Writes nests of loops."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.facts = Facts(function)
        self.lazy: dict[str, ir.Assign] = {}
        self.elements = Elements(self.facts, self.lazy)
        self.compared: set[Any] = set()
        self.repeated: set[str] = set()
        """What is computed wherever it is read, several times."""
        self.keys: dict[int, Hashable] = {}
        """What tells which nests of loops have equal lengths, by identity."""
        self.places: set[str] = set()
        """The variables of loops over elements."""
        self.kept: list[ir.Statement] = []
        """Those nests, so that no other statement gets the identity of one."""

    def line(self, like: ir.Assign, target: ir.Var, value: Any) -> ir.Assign:
        """An assignment in the place of another."""
        kind = self.facts.kinds.get(target.name)
        return ir.Assign(like.span, target, value, kind, derived=like.derived)

    def nest(
        self,
        lengths: Sequence[Place],
        body: Callable[[list[ir.Operand], Lines], None],
        like: ir.Assign,
        axes: Sequence[ir.Axis] = (),
    ) -> list[ir.Statement]:
        """Loops around a body, which is told the index and where its lines go; over
        axes that are known, they may be joined with others."""
        index: list[ir.Operand] = []
        for k, length in enumerate(lengths):
            if length == ir.Const(1):
                index.append(ir.Const(0))
            else:
                place = self.facts.fresh(_LETTERS[min(k, 5)], ir.INT)
                self.places.add(place.name)
                index.append(place)
        within = Lines(like)
        body(index, within)
        inner: list[ir.Statement] = within
        for turn, length in reversed(list(zip(index, lengths))):
            if not isinstance(turn, ir.Var):
                continue
            lines = Lines(like)
            stop = self.elements.named_length(length, lines)
            loop = ir.For(like.span, turn, ir.Const(0), stop, ir.Const(1), tuple(inner))
            inner = [*lines, loop]
        if axes and all(a.symbol is not None and a.length != "one" for a in axes):
            self.keys[id(inner[-1])] = tuple(a.symbol for a in axes)
            self.kept.append(inner[-1])
        return inner

    def with_own_operands(self, s: ir.Line) -> list[ir.Assign]:
        """A write, behind copies of what it adds or stores, and of its places, where
        they may be in the same memory: NumPy reads all of them before it writes."""
        buffer, *others = s.value.args
        parts = [o for other in others for o in index_parts(other)]
        inside = [o for o in parts if isinstance(o, ir.Var) and self.is_other(o, s)]
        copies = {o: self.own_copy_of(o, s) for o in inside}
        if not copies:
            return [s]

        def renamed(operand: ir.Operand) -> ir.Operand:
            if isinstance(operand, ir.Pack):
                return replace(operand, items=tuple(map(renamed, operand.items)))
            if isinstance(operand, ir.Var) and operand in copies:
                return copies[operand].target
            return operand

        args = (buffer, *map(renamed, others))
        return [*copies.values(), replace(s, value=replace(s.value, args=args))]

    def is_other(self, operand: ir.Var, s: ir.Line) -> bool:
        """True for an array that a write reads at other places than it writes, in what
        may be the same memory."""
        buffer = s.value.args[0]
        if not isinstance(buffer, ir.Var) or operand.name in self.lazy:
            return False
        if not is_array(self.facts.kinds.get(operand.name)):
            return False
        if operand == buffer:  # x += x reads each element where it is written
            return s.value.function in WRITES
        return operand.name in self.facts.sharing(buffer.name)

    def own_copy_of(self, operand: ir.Var, s: ir.Assign) -> ir.Assign:
        copy = self.facts.fresh(stem_of(operand.name), self.facts.kinds[operand.name])
        return self.line(s, copy, ir.Apply(ops.own_copy, (operand,)))

    def allocated(
        self, function: Any, lengths: Sequence[Place], dtype: str | None, lines: Lines
    ) -> ir.Apply:
        """The operation that makes an array."""
        own = WRITTEN_DTYPES.get(dtype or "")
        more = () if own is None else (ir.Const(own),)
        owners = {p[0] for p in lengths if isinstance(p, tuple)}
        whole = [p[1] for p in lengths if isinstance(p, tuple)]
        if len(owners) == 1 and whole == list(range(len(lengths))):
            (owner,) = owners
            if len(self.elements.axes(owner)) == len(lengths):
                shape = self.facts.fresh("shape", ir.INT)
                lines.append(ir.Assign(None, shape, ir.Apply(shape_of, (owner,)), None))
                return ir.Apply(function, (shape, *more))
        named = [self.elements.named_length(p, lines) for p in lengths]
        size = named[0] if len(named) == 1 else ir.pack_tuple(*named)
        return ir.Apply(function, (size, *more))

    def change(
        self,
        function: Any,
        target: ir.Var,
        index: list[ir.Operand],
        amount: ir.Operand,
        lines: Lines,
    ) -> ir.Apply:
        """An operation that changes one element."""
        place = at_place(index)
        if function in (operator.iadd, *_ADDED):
            return ir.Apply(ops.index_add, (target, place, amount, ir.Const(False)))
        if function in (operator.isub, ops.subtracted_from):
            return ir.Apply(ops.subtracted_from, (target, place, amount))
        if function in (ops.index_set, ops.stored):
            return ir.Apply(ops.index_set, (target, place, amount))
        plain = operator.mul if function is operator.imul else operator.truediv
        old = self.elements.read(target, index, lines)
        new = self.elements.named(ir.Apply(plain, (old, amount)), lines, "item")
        return ir.Apply(ops.index_set, (target, place, new))

    def comparisons(
        self, s: ir.Assign, value: ir.Apply, axes: Sequence[ir.Axis]
    ) -> Lines:
        """Raise where lengths differ that must be equal. Reverse lines follow lines
        that have been run."""
        lines = Lines(s)
        self._compare(value, lines, set(), s.derived)
        return lines

    def comparisons_of(self, s: ir.Assign, operand: ir.Operand) -> Lines:
        lines = Lines(s)
        if isinstance(operand, ir.Var) and operand.name in self.lazy:
            inner = self.lazy[operand.name]
            assert isinstance(inner.value, ir.Apply)
            self._compare(inner.value, lines, set(), inner.derived)
        return lines

    def fitting(
        self, s: ir.Assign, target: ir.Var, axes: Sequence[ir.Axis], amount: ir.Operand
    ) -> list[ir.Statement]:
        """Raise where what is written into an array doesn't broadcast to it."""
        lines = Lines(s)
        own = self.elements.axes(amount)
        if s.derived:
            return lines
        for k in range(min(len(own), len(axes))):
            one, other = axes[len(axes) - 1 - k], own[len(own) - 1 - k]
            same = one.symbol is not None and one.symbol == other.symbol
            if same or other.length == "one":
                continue
            first: Place = (target, len(axes) - 1 - k)
            second = self.elements.length(amount, len(own) - 1 - k)
            if first != second:
                whole = replace(one, length="many")  # it is never spread out itself
                self.require_equal(whole, first, other, second, lines)
        return lines

    def _compare(
        self, value: ir.Apply, lines: Lines, seen: set[int], derived: bool
    ) -> None:
        operands = [a for a in value.args if is_array(self.facts.kind(a))]
        for operand in operands:
            if isinstance(operand, ir.Var) and operand.name in self.lazy:
                inner = self.lazy[operand.name]
                if id(inner) not in seen:
                    seen.add(id(inner))
                    assert isinstance(inner.value, ir.Apply)
                    self._compare(inner.value, lines, seen, inner.derived)
        if derived:
            return
        if not self.elements.is_elementwise(value) or value.function is np.outer:
            return
        rank = max((len(self.elements.axes(o)) for o in operands), default=0)
        for axis in range(rank):
            known: list[tuple[ir.Axis, Place]] = []
            for operand in operands:
                axes = self.elements.axes(operand)
                k = axis - (rank - len(axes))
                if k >= 0 and axes[k].length != "one":
                    known.append((axes[k], self.elements.length(operand, k)))
            for (one, place), (other, second) in itertools.pairwise(known):
                same = one.symbol is not None and one.symbol == other.symbol
                if not same and place != second:
                    self.require_equal(one, place, other, second, lines)

    def require_equal(
        self, one: ir.Axis, place: Place, other: ir.Axis, second: Place, lines: Lines
    ) -> None:
        pair = (place, second)
        fixed = all(
            isinstance(p, tuple)
            and isinstance(p[0], ir.Var)
            and self.facts.writes[p[0].name] == 1
            for p in pair
        )
        if pair in self.compared:
            return
        if fixed:
            self.compared.add(pair)
        first = self.elements.named_length(place, lines)
        last = self.elements.named_length(second, lines)
        test: Any = ir.Apply(operator.ne, (first, last))
        if "any" in (one.length, other.length):
            differ = self.elements.named(test, lines, "differ", ir.Scalar("bool"))
            for length, axis in ((first, one), (last, other)):
                if axis.length == "any":
                    wide = self.elements.named(
                        ir.Apply(operator.ne, (length, ir.Const(1))),
                        lines,
                        "wide",
                        ir.Scalar("bool"),
                    )
                    both = ir.Apply(operator.and_, (differ, wide))
                    differ = self.elements.named(
                        both, lines, "differ", ir.Scalar("bool")
                    )
            test = differ
        message = "operands could not be broadcast together"
        lines += self.raised(test, message, lines.like)

    def raised(self, test: Any, message: str, s: ir.Assign) -> list[ir.Statement]:
        """Raise ValueError where a test is true."""
        lines = Lines(s)
        if isinstance(test, ir.Apply):
            test = self.elements.named(test, lines, "differ", ir.Scalar("bool"))
        error = ir.Apply(ops.raise_exception, (ir.Const(ValueError), ir.Const(message)))
        return [*lines, ir.If(s.span, test, (ir.Effect(s.span, error),), ())]


def at_place(index: Sequence[ir.Operand]) -> ir.Operand:
    return index[0] if len(index) == 1 else ir.pack_tuple(*index)


def index_parts(index: ir.Operand) -> tuple[ir.Operand, ...]:
    return index.items if isinstance(index, ir.Pack) else (index,)
