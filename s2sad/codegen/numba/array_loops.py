"""Array operations as loops over elements.

::

    s = add(x, b)                            h = empty(shape_of(x))
    h = tanh(s)                      ->      for i in range(axis_length(h, 0)):
    t = sum(h, axis=0)                           for j in range(axis_length(h, 1)):
                                                     h[i, j] = tanh(add(x[i, j], b[j]))
                                             t = zeros(axis_length(h, 1))
                                             for i ...: for j ...: t[j] += h[i, j]

What is computed element by element and read once is computed where it is read, so that
chains of operations, and reductions over them, need no arrays for what is between.
Products of matrices, factorisations, and whatever else isn't elementwise stay calls.

Lengths that NumPy compares when it runs are compared, since loops would read beyond the
end of an array.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.codegen.effects import raise_exception
from s2sad.codegen.helper_functions.broadcasting import sum_to_shape_of
from s2sad.codegen.helper_functions.indices import diagonal_index
from s2sad.codegen.numba.contractions import Labels, contraction
from s2sad.codegen.numba.elements import (
    COPIES,
    ITSELF,
    Elements,
    Index,
    Place,
    stem_of,
)
from s2sad.codegen.numba.loop_fusion import fused
from s2sad.codegen.numba.operations import IN_PLACE
from s2sad.codegen.numba.programs import Facts, is_array
from s2sad.ir.kinds import (
    INT,
    UNKNOWN,
    Array,
    Axis,
    Kind,
    Known,
    Scalar,
    Structure,
    dtype_of,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    For,
    Function,
    If,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.ir.walking import (
    blocks_of,
    direct_reads,
    names_written,
    value_variables,
    walk,
    with_blocks,
)
from s2sad.rules.numpy.indexing import BOUNDS
from s2sad.rules.registry import rule_for
from s2sad.rules.result_kinds import normalised_axes
from s2sad.rules.shape_queries import shape_of
from s2sad.transform.buffers import (
    accumulated,
    added_to,
    index_add,
    index_set,
    stored,
    subtracted_from,
)

SUMS = (np.sum, np.mean, np.prod)
EXTREMA = {
    np.max: np.maximum,
    np.amax: np.maximum,
    np.min: np.minimum,
    np.amin: np.minimum,
}
WRITES = (index_add, index_set, stored, added_to, subtracted_from, accumulated)
_ADDED = (index_add, added_to, accumulated)
PRODUCTS = (operator.matmul, np.matmul)
CHEAP = (operator.add, operator.sub, operator.mul, operator.neg)
"""Computed again rather than kept in an array."""
_LETTERS = "ijklmn"
_DTYPES: dict[str, Any] = {"bool": np.bool_, "int64": np.int64}


def with_array_loops(function: Function) -> Function:
    """The program with what Numba can't do with arrays, or does in several passes over
    memory, as loops."""
    return _Loops(function).rewritten()


class _Loops:
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
        self.kept: list[Statement] = []
        """Those nests, so that no other statement gets the identity of one."""

    def rewritten(self) -> Function:
        self.find_lazy(self.function.body)
        for s in walk(self.function.body):
            for block in blocks_of(s):
                self.find_lazy(block)
        body = self.block(self.function.body)
        if not self.facts.added:
            return self.function
        return replace(
            self.function,
            body=body,
            kinds={**self.function.kinds, **self.facts.added},
            temporaries=self.function.temporaries | frozenset(self.facts.added),
        )

    # -------------------------------------- what is computed where it is read

    def find_lazy(self, block: Block) -> None:
        """Note what is read in loops alone, and needn't be computed before."""
        readers: dict[str, list[int]] = {}
        for k, s in enumerate(block):
            for v in direct_reads(s):
                readers.setdefault(v.name, []).append(k)
        runs_at: dict[int, int] = {}
        changed: dict[int, set[str]] = {}
        for at in reversed(range(len(block))):
            s = block[at]
            runs_at[at] = at
            name = self.candidate(s)
            if name is None:
                continue
            assert isinstance(s, Assign)
            found = readers.get(name, [])
            if len(found) != self.facts.reads[name] or not found:
                continue
            once = len(found) == 1
            if not once and (not self.costs_nothing(s) or len(set(found)) > 6):
                continue
            if not all(self.reads_in_loop(block[k], name) for k in found):
                continue
            if self.repeated & {n for k in found for n in names_written(block[k])}:
                if not self.elements.is_moved(s.value):
                    continue  # would be computed many times
            last = max(runs_at[k] for k in found)
            needed = {v.name for v in value_variables(s.value)}
            for k in range(at + 1, last + 1):
                if k not in changed:
                    changed[k] = self.facts.changed_by(block[k])
            between = set().union(*(changed[k] for k in range(at + 1, last)), set())
            if needed & between or needed & self.written_while_read(block[last]):
                continue
            self.lazy[name] = s
            if not once and not self.elements.is_moved(s.value):
                self.repeated.add(name)
            runs_at[at] = last

    def candidate(self, s: Statement) -> str | None:
        """The variable that a statement computes element by element."""
        if not isinstance(s, Assign) or not isinstance(s.target, Var):
            return None
        name = s.target.name
        if self.facts.writes[name] != 1 or not is_array(self.facts.kinds.get(name)):
            return None
        if self.elements.is_elementwise(s.value) or self.elements.is_moved(s.value):
            return name
        return None

    def costs_nothing(self, s: Assign) -> bool:
        """True for what only moves elements, or takes one sum or product, and may be
        computed several times."""
        if isinstance(s.value, Apply) and s.value.function in CHEAP:
            return True
        if not self.elements.is_moved(s.value):
            return False
        assert isinstance(s.value, Apply)
        return s.value.function is not operator.getitem or not any(
            is_array(self.facts.kind(v)) for v in _index_parts(s.value)
        )

    def written_while_read(self, s: Statement) -> set[str]:
        """The variables that a statement changes as it reads elements of others."""
        if isinstance(s, Assign) and isinstance(s.value, Apply):
            if s.value.function in (*WRITES, *IN_PLACE):
                return self.facts.changed_by(s)
        return set()

    def reads_in_loop(self, s: Statement, name: str) -> bool:
        """True where a statement reads a variable element by element."""
        value = s.value if isinstance(s, Assign) else None
        if not isinstance(s, Assign) or not isinstance(value, Apply):
            return False
        if not isinstance(s.target, Var):
            return False
        variable = Var(name)
        if value.function in WRITES:
            in_value = value.args[2] == variable
            index = value.args[1]
            elsewhere = [*value.args[:1], *value.args[3:]]
            if variable in elsewhere:
                return False
            if self.scatters(value):
                return in_value or variable in _parts(index)
            if not in_value or variable in _parts(index):
                return False
            diagonal = self.is_of_diagonal(value)
            return diagonal or self.axes_of_part(value.args[0], index) is not None
        if value.function in IN_PLACE:
            return value.args[0] != variable and self.is_in_place(value)
        if not is_array(self.facts.kinds.get(s.target.name)) and not self.reduces(
            value
        ):
            return False
        if self.reduces(value) or self.sums_to_shape(value):
            return value.args[0] == variable and variable not in value.args[1:]
        return self.elements.is_elementwise(value) or self.elements.is_moved(value)

    # ------------------------------------------------------------------ statements

    def block(self, block: Block) -> Block:
        compared = set(self.compared)
        result: list[Statement] = []
        for s in block:
            result += self.statement(with_blocks(s, self.block))
        self.compared = compared
        return tuple(fused(result, self.keys, self.facts))

    def statement(self, s: Statement) -> Sequence[Statement]:
        if not isinstance(s, Assign) or not isinstance(s.target, Var):
            return (s,)
        if self.lazy.get(s.target.name) is not None:
            return ()
        value = s.value
        if not isinstance(value, Apply):
            return (s,)
        if value.function is diagonal_index and self.only_places(s.target):
            return ()
        if value.function in WRITES and is_array(self.facts.kind(value.args[0])):
            return self.written(s, value)
        if value.function in IN_PLACE and self.is_in_place(value):
            return self.added_in_place(s, value)
        if self.reduces(value):
            return self.reduced(s, value)
        if self.sums_to_shape(value):
            return self.summed_to_shape(s, value)
        ranks = tuple(len(self.elements.axes(a)) for a in value.args)
        found = contraction(value, ranks)
        if found is not None and any(map(is_array, map(self.facts.kind, found[1]))):
            return self.contracted(s, *found)
        kind = self.facts.kinds.get(s.target.name)
        if not is_array(kind):
            return (s,)
        if self.is_batched(value):
            return self.batched(s, value)
        if self.is_left_call(value):
            return (s,)
        if self.elements.is_elementwise(value) or self.elements.is_moved(value):
            return self.filled(s, value)
        return (s,)

    def is_left_call(self, value: Apply) -> bool:
        """True for copies, and views that Numba makes too."""
        first = value.args[0]
        whole = not (isinstance(first, Var) and first.name in self.lazy)
        if value.function in COPIES:
            return whole
        if value.function is np.arange:
            return True
        plain = value.function in (np.expand_dims, np.transpose) and (
            value.function is np.expand_dims or len(value.args) == 1
        )
        if value.function is operator.getitem:
            index = Index(value.args[1], len(self.elements.axes(first)), self.facts)
            plain = not index.arrays
        return whole and plain

    def filled(self, s: Assign, value: Apply) -> list[Statement]:
        """A new array, element by element."""
        assert isinstance(s.target, Var)
        kind = self.facts.kinds[s.target.name]
        assert isinstance(kind, Array) and kind.axes is not None
        own = s.target
        read = {v.name for a in value.args for v in _all_leaves(self.elements, a)}
        target = (
            own if own.name not in read else self.facts.fresh(stem_of(own.name), kind)
        )
        lines = self.comparisons(s, value, kind.axes)
        rank = len(kind.axes)
        lengths = [self.elements.length_of_value(value, k, rank) for k in range(rank)]
        made = self.allocated(np.empty, lengths, kind.dtype, lines, s)
        lines.append(Assign(None, target, made, kind, derived=s.derived))
        if s.derived:
            lines[-1] = replace(lines[-1], span=s.span)

        def body(index: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            found = self.elements.computed(
                value, index, kind.axes or (), inner, s, stem_of(own.name)
            )
            if inner and isinstance(inner[-1], Assign) and inner[-1].target == found:
                inner[-1] = replace(inner[-1], derived=False)  # needs no name
            inner.append(
                self.line(s, target, Apply(index_set, (target, _at(index), found)))
            )
            return inner

        along: list[Place] = [(target, k) for k in range(rank)]
        lines += self.nest(along, body, s, kind.axes)
        if target is not own:
            lines.append(self.line(s, own, target))
        return lines

    def added_in_place(self, s: Assign, value: Apply) -> list[Statement]:
        """``x += y`` of arrays, where y is computed as it is added."""
        assert isinstance(s.target, Var)
        buffer, amount = value.args
        if not (isinstance(amount, Var) and amount.name in self.lazy):
            return [s]
        axes = self.elements.axes(buffer)
        lines: list[Statement] = []
        if s.target != buffer:
            lines.append(self.line(s, s.target, buffer))
        target = s.target

        def body(index: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            found = self.elements.element(amount, index, axes, inner, s)
            inner.append(
                self.line(
                    s,
                    target,
                    self.change(value.function, target, index, found, inner, s),
                )
            )
            return inner

        lines = [*self._comparisons_of(s, amount), *lines]
        along: list[Place] = [(target, k) for k in range(len(axes))]
        return lines + self.nest(along, body, s, axes)

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
        place = _at(index)
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

    # ------------------------------------------------------------------ reductions

    def reduces(self, value: Apply) -> bool:
        """True for a reduction that is written as a loop."""
        if value.function not in SUMS and value.function not in EXTREMA:
            return False
        words = dict(value.keywords)
        if not is_array(self.facts.kind(value.args[0])) or len(value.args) > 2:
            return False
        if not set(words) <= {"axis", "keepdims"}:
            return False
        known = all(isinstance(v, Const | Pack) for v in words.values())
        if value.function in EXTREMA:
            floats = dtype_of(self.facts.kind(value.args[0])) == "float64"  # type: ignore[arg-type]
            return known and self._axis(value) is not None and floats
        return known

    def _axis(self, value: Apply) -> Any:
        words = dict(value.keywords)
        axis: Any = value.args[1] if len(value.args) > 1 else words.get("axis")
        if axis is None or axis == Const(None):
            return None
        if isinstance(axis, Pack):
            return tuple(getattr(i, "value", None) for i in axis.items)
        return getattr(axis, "value", None)

    def sums_to_shape(self, value: Apply) -> bool:
        """True for ``sum_to_shape_of`` an array."""
        if value.function is not sum_to_shape_of:
            return False
        kinds = list(map(self.facts.kind, value.args))
        ranks = [len(k.axes or ()) if isinstance(k, Array) else -1 for k in kinds]
        return all(map(is_array, kinds)) and ranks[0] >= ranks[1]

    def reduced(self, s: Assign, value: Apply) -> Sequence[Statement]:
        """A reduction, element by element."""
        assert isinstance(s.target, Var)
        array = value.args[0]
        axes = self.elements.axes(array)
        axis = self._axis(value)
        keep = dict(value.keywords).get("keepdims") == Const(True)
        is_lazy = isinstance(array, Var) and array.name in self.lazy
        if axis is None and not keep and not is_lazy:
            return (s,)
        gone = normalised_axes(axis, len(axes))
        lengths = [self.elements.length(array, k) for k in range(len(axes))]
        lines = self._comparisons_of(s, array)
        kept: list[Place] = [
            Const(1) if k in gone else lengths[k]
            for k in range(len(axes))
            if keep or k not in gone
        ]
        target, function = s.target, value.function
        kind = self.facts.kinds.get(target.name) or s.kind
        dtype = (dtype_of(kind) if kind is not None else None) or "float64"
        count = self.count(lengths, gone, lines, s) if function is np.mean else None
        first: Any = {np.prod: 1.0}.get(function, 0.0)
        if dtype == "int64":
            first = int(first)
        if function in EXTREMA:
            first = -np.inf if EXTREMA[function] is np.maximum else np.inf
            if not s.derived:
                lines += self.not_empty(lengths, gone, s)
        if not kept:
            lines.append(self.line(s, target, Const(first)))
        elif first == 0 and function not in EXTREMA:
            made = self.allocated(np.zeros, kept, dtype, lines, s)
            lines.append(self.line(s, target, made))
        else:
            made = self.allocated(np.empty, kept, dtype, lines, s)
            shape = made.args[0]
            lines.append(self.line(s, target, Apply(np.full, (shape, Const(first)))))

        def body(index: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            found = self.elements.element(array, index, axes, inner, s)
            place = [
                Const(0) if k in gone else i
                for k, i in enumerate(index)
                if keep or k not in gone
            ]
            if not kept:
                step = operator.mul if function is np.prod else operator.add
                total = Apply(step, (target, found), (), "augmented")
                inner.append(self.line(s, target, total))
            elif function in SUMS and function is not np.prod:
                added = Apply(index_add, (target, _at(place), found, Const(False)))
                inner.append(self.line(s, target, added))
            else:
                step = operator.mul if function is np.prod else EXTREMA[function]
                old = self.elements.read(target, place, inner, s)
                new = self.elements.named(Apply(step, (old, found)), inner, s, "item")
                changed = Apply(index_set, (target, _at(place), new))
                inner.append(self.line(s, target, changed))
            return inner

        lines += self.nest(lengths, body, s, axes)
        if count is not None:
            over = operator.itruediv if kept else operator.truediv
            lines.append(self.line(s, target, Apply(over, (target, count))))
        return lines

    def count(
        self,
        lengths: Sequence[Place],
        gone: Sequence[int],
        lines: list[Statement],
        s: Assign,
    ) -> Operand:
        """How many elements a reduction makes one of."""
        total: Operand | None = None
        for k in gone:
            length = self.elements.named_length(lengths[k], lines, s)
            if total is None:
                total = length
            else:
                product = Apply(operator.mul, (total, length))
                total = self.elements.named(product, lines, s, "count", INT)
        return total or Const(1)

    def not_empty(
        self, lengths: Sequence[Place], gone: Sequence[int], s: Assign
    ) -> list[Statement]:
        """Raise where there is nothing to find an extremum of, as NumPy does."""
        lines: list[Statement] = []
        for k in gone:
            length = self.elements.named_length(lengths[k], lines, s)
            test = Apply(operator.eq, (length, Const(0)))
            message = "zero-size array to reduction operation which has no identity"
            lines += self.raised(test, message, s)
        return lines

    # -------------------------------------------------------------- parts of arrays

    def is_in_place(self, value: Apply) -> bool:
        return all(is_array(self.facts.kind(a)) for a in value.args)

    def scatters(self, value: Apply) -> bool:
        """True for a write at arrays of places, or through a mask."""
        array, index = value.args[:2]
        known = Index(index, len(self.elements.axes(array)), self.facts)
        return bool(known.arrays) and (known.mask is not None or known.is_simple())

    def written(self, s: Assign, value: Apply) -> Sequence[Statement]:
        """A write into a part of an array."""
        assert isinstance(s.target, Var)
        buffer, index, amount = value.args[:3]
        target = s.target
        lines: list[Statement] = []
        if self.scatters(value):
            if target != buffer:
                lines.append(self.line(s, target, buffer))
            known = Index(index, len(self.elements.axes(buffer)), self.facts)
            if known.mask is not None:
                return [*lines, *self.written_through(s, value, known.mask)]
            return lines + self.scattered(s, value, known)
        if self.is_of_diagonal(value):
            if target != buffer:
                lines.append(self.line(s, target, buffer))
            return lines + self.written_along_diagonal(s, value)
        if not (isinstance(amount, Var) and amount.name in self.lazy):
            return (s,)
        if target != buffer:
            lines.append(self.line(s, target, buffer))
        axes = self.axes_of_part(buffer, index)
        if axes is None:  # one element, of which there is no lazy value
            return (s,)
        kind = Array(dtype_of(self.facts.kind(buffer)), axes)  # type: ignore[arg-type]
        part = self.facts.fresh("part", kind)
        lines.append(self.line(s, part, Apply(operator.getitem, (target, index))))

        def body(places: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            found = self.elements.element(amount, places, axes, inner, s)
            changed = self.change(value.function, part, places, found, inner, s)
            inner.append(self.line(s, part, changed))
            return inner

        lines += self._comparisons_of(s, amount)
        return lines + self.nest([(part, k) for k in range(len(axes))], body, s)

    def axes_of_part(self, buffer: Operand, index: Operand) -> tuple[Axis, ...] | None:
        """The axes of a part at numbers and slices; None where it is one element."""
        rule = rule_for(operator.getitem)
        assert rule is not None and rule.kind is not None
        kind = rule.kind(a=self.facts.kind(buffer), b=self._kind_of_index(index))
        return kind.axes or None if isinstance(kind, Array) else None

    def _kind_of_index(self, index: Operand | None) -> Kind:
        """The kind of an index, as rules see it."""
        if isinstance(index, Slice):
            bounds = (index.lower, index.upper, index.step)
            return Structure(slice, BOUNDS, tuple(map(self._kind_of_index, bounds)))
        if isinstance(index, Pack):
            return Structure(
                tuple, index.keys, tuple(map(self._kind_of_index, index.items))
            )
        if index is None:
            return Known(None)
        kind = self.facts.kind(index)
        if kind is None and isinstance(index, Const):
            return Known(index.value)
        return kind or UNKNOWN

    def summed_to_shape(self, s: Assign, value: Apply) -> list[Statement]:
        """A cotangent summed over axes in which what it belongs to was broadcast, which
        only the run knows."""
        assert isinstance(s.target, Var)
        cotangent, like = value.args
        axes, own = self.elements.axes(cotangent), self.elements.axes(like)
        lines = self._comparisons_of(s, cotangent)
        lengths: list[Place] = [(like, k) for k in range(len(own))]
        made = self.allocated(np.zeros, lengths, "float64", lines, s)
        target = s.target
        lines.append(self.line(s, target, made))

        def body(index: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            found = self.elements.element(cotangent, index, axes, inner, s)
            places = self.elements.places_in(like, index, axes, inner, s)
            changed = self.change(index_add, target, places, found, inner, s)
            inner.append(self.line(s, target, changed))
            return inner

        along = [self.elements.length(cotangent, k) for k in range(len(axes))]
        return lines + self.nest(along, body, s)

    def scattered(self, s: Assign, value: Apply, index: Index) -> list[Statement]:
        """A write at arrays of places."""
        assert isinstance(s.target, Var)
        buffer, places, amount = value.args[:3]
        target = s.target
        whole = self.elements.axes_of_places(index)
        own = self.elements.axes(buffer)
        picked = Apply(operator.getitem, (target, places))
        axes: list[Axis] = []
        lengths: list[Place] = []
        result = index.axes_of_result()
        for k, (form, axis) in enumerate(result):
            axes.append(own[axis] if form == "axis" else whole[len(whole) - axis])
            lengths.append(self.elements.length_of_value(picked, k, len(result)))

        def body(at: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            found = self.elements.element(amount, at, axes, inner, s)
            where = self.elements.places(buffer, places, at, inner, s)
            changed = self.change(value.function, target, where, found, inner, s)
            inner.append(self.line(s, target, changed))
            return inner

        return self.nest(lengths, body, s)

    def only_places(self, index: Var) -> bool:
        """True where an index is of the main diagonal wherever it is read."""
        readers = [s for s in walk(self.function.body) if index in direct_reads(s)]
        return all(
            isinstance(s, Assign)
            and isinstance(s.value, Apply)
            and s.value.function in WRITES
            and self.is_of_diagonal(s.value)
            for s in readers
        )

    def is_of_diagonal(self, value: Apply) -> bool:
        """True for a write along the main diagonal of a matrix."""
        array, index = value.args[:2]
        made = self.facts.made_by.get(index.name) if isinstance(index, Var) else None
        return (
            made is not None
            and made.function is diagonal_index
            and made.args[1] == Const(0)
            and len(self.elements.axes(array)) == 2
        )

    def written_along_diagonal(self, s: Assign, value: Apply) -> list[Statement]:
        """A write along the main diagonal of a matrix."""
        assert isinstance(s.target, Var)
        target, amount = s.target, value.args[2]
        lines: list[Statement] = []
        ends = [self.elements.named_length((target, k), lines, s) for k in (0, 1)]
        shorter = Apply(min, tuple(ends))
        count = self.elements.named(shorter, lines, s, "count", INT)

        def body(index: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            axes = self.elements.axes(amount)
            found = self.elements.element(amount, index, axes, inner, s)
            changed = self.change(
                value.function, target, [*index, *index], found, inner, s
            )
            inner.append(self.line(s, target, changed))
            return inner

        return lines + self.nest([(count, ITSELF)], body, s)

    def written_through(self, s: Assign, value: Apply, mask: Var) -> list[Statement]:
        """A write at the elements that a mask names."""
        assert isinstance(s.target, Var)
        target, amount = s.target, value.args[2]
        rank = len(self.elements.axes(mask))
        if rank != len(self.elements.axes(value.args[0])):
            return [s]
        several = is_array(self.facts.kind(amount))
        count = self.facts.fresh("count", INT)
        lines: list[Statement] = []
        if several:
            lines.append(self.line(s, count, Const(0)))

        def body(index: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            test = self.elements.element(
                mask, index, self.elements.axes(mask), inner, s
            )
            chosen: list[Statement] = []
            found = amount
            if several:
                axes = self.elements.axes(amount)
                found = self.elements.element(amount, [count], axes, chosen, s)
            changed = self.change(value.function, target, index, found, chosen, s)
            chosen.append(self.line(s, target, changed))
            if several:
                more = Apply(operator.add, (count, Const(1)), (), "augmented")
                chosen.append(self.line(s, count, more))
            return [*inner, If(s.span, test, tuple(chosen), ())]

        return lines + self.nest([(target, k) for k in range(rank)], body, s)

    # ------------------------------------------------------------- batched products

    def contracted(
        self, s: Assign, labels: Labels, operands: tuple[Operand, ...]
    ) -> list[Statement]:
        """A sum of products over axes that have names."""
        assert isinstance(s.target, Var)
        inputs, result = labels
        order = [
            *result,
            *dict.fromkeys(c for t in inputs for c in t if c not in result),
        ]
        places: dict[str, list[tuple[Axis, Place]]] = {}
        lines: list[Statement] = []
        for term, operand in zip(inputs, operands):
            for k, label in enumerate(term):
                axis = self.elements.axes(operand)[k]
                place = self.elements.length(operand, k)
                for other, second in places.setdefault(label, []):
                    same = axis.symbol is not None and axis.symbol == other.symbol
                    ones = "one" in (axis.length, other.length)
                    if not (same or ones or s.derived):
                        self._require_equal(other, second, axis, place, s, lines)
                if axis.length == "one":
                    places[label].append((axis, Const(1)))
                else:
                    places[label].insert(0, (axis, place))
        lengths: list[Place] = [places[label][0][1] for label in order]
        target = s.target
        if result:
            made = self.allocated(np.zeros, lengths[: len(result)], "float64", lines, s)
            lines.append(self.line(s, target, made))
        else:
            lines.append(self.line(s, target, Const(0.0)))

        def body(index: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            at = dict(zip(order, index))
            product: Operand | None = None
            for term, operand in zip(inputs, operands):
                own = [at[label] for label in term]
                axes = [places[label][0][0] for label in term]
                found = self.elements.element(operand, own, axes, inner, s)
                if product is not None:
                    times = Apply(operator.mul, (product, found))
                    found = self.elements.named(times, inner, s, "product")
                product = found
            assert product is not None
            if result:
                where = index[: len(result)]
                changed = self.change(index_add, target, where, product, inner, s)
            else:
                changed = Apply(operator.add, (target, product), (), "augmented")
            inner.append(self.line(s, target, changed))
            return inner

        return lines + self.nest(lengths, body, s)

    def is_batched(self, value: Apply) -> bool:
        """A product of matrices of which there are many."""
        if value.function not in PRODUCTS or len(value.args) != 2:
            return False
        ranks = [len(self.elements.axes(a)) for a in value.args]
        return max(ranks) > 2 and min(ranks) >= 2 and not value.keywords

    def batched(self, s: Assign, value: Apply) -> list[Statement]:
        """One product after the other."""
        assert isinstance(s.target, Var)
        kind = self.facts.kinds[s.target.name]
        assert isinstance(kind, Array) and kind.axes is not None
        left, right = value.args
        rank = len(kind.axes)
        lengths: list[Place] = [
            self.elements._length_of_operands(value.args, k, rank)
            for k in range(rank - 2)
        ]
        lengths += [
            (left, len(self.elements.axes(left)) - 2),
            (right, len(self.elements.axes(right)) - 1),
        ]
        lines: list[Statement] = []
        made = self.allocated(np.empty, lengths, kind.dtype, lines, s)
        target = s.target
        lines.append(self.line(s, target, made))

        def body(index: list[Operand]) -> list[Statement]:
            inner: list[Statement] = []
            parts = []
            for operand in (left, right):
                axes = self.elements.axes(operand)
                own = index[len(index) - (len(axes) - 2) :] if len(axes) > 2 else []
                places = [
                    Const(0) if a.length == "one" else i for a, i in zip(axes, own)
                ]
                part: Any = operand
                if places:
                    matrix = Array(kind.dtype, axes[-2:])
                    picked = Apply(operator.getitem, (operand, _at(places)))
                    part = self.elements.named(picked, inner, s, "matrix", matrix)
                parts.append(part)
            matrix = Array(kind.dtype, (kind.axes or ())[-2:])
            product = Apply(value.function, tuple(parts))
            found = self.elements.named(product, inner, s, "product", matrix)
            changed = Apply(index_set, (target, _at(index), found))
            inner.append(self.line(s, target, changed))
            return inner

        return lines + self.nest([(target, k) for k in range(rank - 2)], body, s)

    # ------------------------------------------------------------------------ lines

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
                index.append(self.facts.fresh(_LETTERS[min(k, 5)], INT))
        inner = body(index)
        for place, length in reversed(list(zip(index, lengths))):
            if not isinstance(place, Var):
                continue
            lines: list[Statement] = []
            stop = self.elements.named_length(length, lines, like)
            loop = For(like.span, place, Const(0), stop, Const(1), tuple(inner))
            inner = [*lines, loop]
        if axes and all(a.symbol is not None and a.length != "one" for a in axes):
            self.keys[id(inner[-1])] = tuple(a.symbol for a in axes)
            self.kept.append(inner[-1])
        return inner

    def allocated(
        self,
        function: Any,
        lengths: Sequence[Place],
        dtype: str | None,
        lines: list[Statement],
        like: Assign,
    ) -> Apply:
        """The operation that makes an array."""
        own = _DTYPES.get(dtype or "")
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

    # ------------------------------------------------------------------ comparisons

    def comparisons(
        self, s: Assign, value: Apply, axes: Sequence[Axis]
    ) -> list[Statement]:
        """Raise where lengths differ that must be equal. Reverse lines follow lines
        that have been run."""
        lines: list[Statement] = []
        self._compare(value, s, lines, set(), s.derived)
        return lines

    def _comparisons_of(self, s: Assign, operand: Operand) -> list[Statement]:
        lines: list[Statement] = []
        if isinstance(operand, Var) and operand.name in self.lazy:
            inner = self.lazy[operand.name]
            assert isinstance(inner.value, Apply)
            self._compare(inner.value, s, lines, set(), inner.derived)
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
                    self._require_equal(one, place, other, second, s, lines)

    def _require_equal(
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


def _at(index: Sequence[Operand]) -> Operand:
    return index[0] if len(index) == 1 else pack_tuple(*index)


def _parts(index: Operand) -> tuple[Operand, ...]:
    return index.items if isinstance(index, Pack) else (index,)


def _index_parts(value: Apply) -> tuple[Operand, ...]:
    return _parts(value.args[1])


def _all_leaves(elements: Elements, operand: Operand) -> list[Var]:
    found: list[Var] = []
    for part in _parts(operand):
        found += elements.leaves(part)
    return found
