"""Nests of loops over the places of arrays, and what they are put together from.

Comparisons of lengths raise where NumPy would: loops would read beyond the end of an
array.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.codegen.numba.arrays.elements import (
    Elements,
    Place,
    stem_of,
)
from s2sad.codegen.numba.programs import WRITTEN_DTYPES, Facts, is_array
from s2sad.ir.kinds import (
    INT,
    Axis,
    Scalar,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Effect,
    For,
    Function,
    If,
    Operand,
    Pack,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.ops.buffers import (
    accumulated,
    added_to,
    index_add,
    index_set,
    own_copy,
    stored,
    subtracted_from,
)
from s2sad.ops.effects import raise_exception
from s2sad.rules.steps.shape_queries import shape_of

WRITES = (index_add, index_set, stored, added_to, subtracted_from, accumulated)
_ADDED = (index_add, added_to, accumulated)
_LETTERS = "ijklmn"


class Nests:
    """Writes nests of loops."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.facts = Facts(function)
        self.lazy: dict[str, Assign] = {}
        self.elements = Elements(self.facts, self.lazy)
        self.compared: set[Any] = set()
        self.repeated: set[str] = set()
        """What is computed wherever it is read, several times."""
        self.keys: dict[int, Hashable] = {}
        """What tells which nests of loops have equal lengths, by identity."""
        self.places: set[str] = set()
        """The variables of loops over elements."""
        self.kept: list[Statement] = []
        """Those nests, so that no other statement gets the identity of one."""

    def line(self, like: Assign, target: Var, value: Any) -> Assign:
        """An assignment in the place of another."""
        kind = self.facts.kinds.get(target.name)
        return Assign(like.span, target, value, kind, derived=like.derived)

    def nest(
        self,
        lengths: Sequence[Place],
        body: Callable[[list[Operand]], list[Statement]],
        like: Assign,
        axes: Sequence[Axis] = (),
    ) -> list[Statement]:
        """Loops around a body, which is told the index; over axes that are known, they
        may be joined with others."""
        index: list[Operand] = []
        for k, length in enumerate(lengths):
            if length == Const(1):
                index.append(Const(0))
            else:
                place = self.facts.fresh(_LETTERS[min(k, 5)], INT)
                self.places.add(place.name)
                index.append(place)
        inner = body(index)
        for turn, length in reversed(list(zip(index, lengths))):
            if not isinstance(turn, Var):
                continue
            lines: list[Statement] = []
            stop = self.elements.named_length(length, lines, like)
            loop = For(like.span, turn, Const(0), stop, Const(1), tuple(inner))
            inner = [*lines, loop]
        if axes and all(a.symbol is not None and a.length != "one" for a in axes):
            self.keys[id(inner[-1])] = tuple(a.symbol for a in axes)
            self.kept.append(inner[-1])
        return inner

    def with_own_operands(self, s: Assign) -> list[Assign]:
        """A write, behind copies of what it adds or stores, and of its places, where
        they may be in the same memory: NumPy reads all of them before it writes."""
        value = s.value
        assert isinstance(value, Apply)
        buffer, *others = value.args
        parts = [o for other in others for o in index_parts(other)]
        inside = [o for o in parts if isinstance(o, Var) and self.is_other(o, s)]
        copies = {o: self.own_copy_of(o, s) for o in inside}
        if not copies:
            return [s]

        def renamed(operand: Operand) -> Operand:
            if isinstance(operand, Pack):
                return replace(operand, items=tuple(map(renamed, operand.items)))
            if isinstance(operand, Var) and operand in copies:
                return copies[operand].target
            return operand

        args = (buffer, *map(renamed, others))
        return [*copies.values(), replace(s, value=replace(value, args=args))]

    def is_other(self, operand: Var, s: Assign) -> bool:
        """True for an array that a write reads at other places than it writes, in what
        may be the same memory."""
        assert isinstance(s.value, Apply)
        buffer = s.value.args[0]
        if not isinstance(buffer, Var) or operand.name in self.lazy:
            return False
        if not is_array(self.facts.kinds.get(operand.name)):
            return False
        if operand == buffer:  # x += x reads each element where it is written
            return s.value.function in WRITES
        return operand.name in self.facts.sharing(buffer.name)

    def own_copy_of(self, operand: Var, s: Assign) -> Assign:
        copy = self.facts.fresh(stem_of(operand.name), self.facts.kinds[operand.name])
        return self.line(s, copy, Apply(own_copy, (operand,)))

    def allocated(
        self,
        function: Any,
        lengths: Sequence[Place],
        dtype: str | None,
        lines: list[Statement],
        like: Assign,
    ) -> Apply:
        """The operation that makes an array."""
        own = WRITTEN_DTYPES.get(dtype or "")
        more = () if own is None else (Const(own),)
        owners = {p[0] for p in lengths if isinstance(p, tuple)}
        whole = [p[1] for p in lengths if isinstance(p, tuple)]
        if len(owners) == 1 and whole == list(range(len(lengths))):
            (owner,) = owners
            if len(self.elements.axes(owner)) == len(lengths):
                shape = self.facts.fresh("shape", INT)
                lines.append(Assign(None, shape, Apply(shape_of, (owner,)), None))
                return Apply(function, (shape, *more))
        named = [self.elements.named_length(p, lines, like) for p in lengths]
        size = named[0] if len(named) == 1 else pack_tuple(*named)
        return Apply(function, (size, *more))

    def change(
        self,
        function: Any,
        target: Var,
        index: list[Operand],
        amount: Operand,
        lines: list[Statement],
        like: Assign,
    ) -> Apply:
        """An operation that changes one element."""
        place = at_place(index)
        if function in (operator.iadd, *_ADDED):
            return Apply(index_add, (target, place, amount, Const(False)))
        if function in (operator.isub, subtracted_from):
            return Apply(subtracted_from, (target, place, amount))
        if function in (index_set, stored):
            return Apply(index_set, (target, place, amount))
        plain = operator.mul if function is operator.imul else operator.truediv
        old = self.elements.read(target, index, lines, like)
        new = self.elements.named(Apply(plain, (old, amount)), lines, like, "item")
        return Apply(index_set, (target, place, new))

    def comparisons(
        self, s: Assign, value: Apply, axes: Sequence[Axis]
    ) -> list[Statement]:
        """Raise where lengths differ that must be equal. Reverse lines follow lines
        that have been run."""
        lines: list[Statement] = []
        self._compare(value, s, lines, set(), s.derived)
        return lines

    def comparisons_of(self, s: Assign, operand: Operand) -> list[Statement]:
        lines: list[Statement] = []
        if isinstance(operand, Var) and operand.name in self.lazy:
            inner = self.lazy[operand.name]
            assert isinstance(inner.value, Apply)
            self._compare(inner.value, s, lines, set(), inner.derived)
        return lines

    def fitting(
        self, s: Assign, target: Var, axes: Sequence[Axis], amount: Operand
    ) -> list[Statement]:
        """Raise where what is written into an array doesn't broadcast to it."""
        lines: list[Statement] = []
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
                self.require_equal(whole, first, other, second, s, lines)
        return lines

    def _compare(
        self,
        value: Apply,
        s: Assign,
        lines: list[Statement],
        seen: set[int],
        derived: bool,
    ) -> None:
        operands = [a for a in value.args if is_array(self.facts.kind(a))]
        for operand in operands:
            if isinstance(operand, Var) and operand.name in self.lazy:
                inner = self.lazy[operand.name]
                if id(inner) not in seen:
                    seen.add(id(inner))
                    assert isinstance(inner.value, Apply)
                    self._compare(inner.value, s, lines, seen, inner.derived)
        if derived:
            return
        if not self.elements.is_elementwise(value) or value.function is np.outer:
            return
        rank = max((len(self.elements.axes(o)) for o in operands), default=0)
        for axis in range(rank):
            known: list[tuple[Axis, Place]] = []
            for operand in operands:
                axes = self.elements.axes(operand)
                k = axis - (rank - len(axes))
                if k >= 0 and axes[k].length != "one":
                    known.append((axes[k], self.elements.length(operand, k)))
            for (one, place), (other, second) in itertools.pairwise(known):
                same = one.symbol is not None and one.symbol == other.symbol
                if not same and place != second:
                    self.require_equal(one, place, other, second, s, lines)

    def require_equal(
        self,
        one: Axis,
        place: Place,
        other: Axis,
        second: Place,
        s: Assign,
        lines: list[Statement],
    ) -> None:
        pair = (place, second)
        fixed = all(
            isinstance(p, tuple)
            and isinstance(p[0], Var)
            and self.facts.writes[p[0].name] == 1
            for p in pair
        )
        if pair in self.compared:
            return
        if fixed:
            self.compared.add(pair)
        first = self.elements.named_length(place, lines, s)
        last = self.elements.named_length(second, lines, s)
        test: Apply = Apply(operator.ne, (first, last))
        if "any" in (one.length, other.length):
            differ = self.elements.named(test, lines, s, "differ", Scalar("bool"))
            for length, axis in ((first, one), (last, other)):
                if axis.length == "any":
                    wide = self.elements.named(
                        Apply(operator.ne, (length, Const(1))),
                        lines,
                        s,
                        "wide",
                        Scalar("bool"),
                    )
                    both = Apply(operator.and_, (differ, wide))
                    differ = self.elements.named(
                        both, lines, s, "differ", Scalar("bool")
                    )
            message = "operands could not be broadcast together"
            lines += self.raised(differ, message, s)
            return
        lines += self.raised(test, "operands could not be broadcast together", s)

    def raised(self, test: Any, message: str, s: Assign) -> list[Statement]:
        """Raise ValueError where a test is true."""
        lines: list[Statement] = []
        if isinstance(test, Apply):
            test = self.elements.named(test, lines, s, "differ", Scalar("bool"))
        error = Apply(raise_exception, (Const(ValueError), Const(message)))
        return [*lines, If(s.span, test, (Effect(s.span, error),), ())]


def at_place(index: Sequence[Operand]) -> Operand:
    return index[0] if len(index) == 1 else pack_tuple(*index)


def index_parts(index: Operand) -> tuple[Operand, ...]:
    return index.items if isinstance(index, Pack) else (index,)
