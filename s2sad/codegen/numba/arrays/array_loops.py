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

import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.arrays import contractions, products
from s2sad.codegen.numba.arrays.elements import COPIES, Index, Place, stem_of
from s2sad.codegen.numba.arrays.nests import WRITES, at_place, index_parts
from s2sad.codegen.numba.functions import IN_PLACE
from s2sad.codegen.numba.loops import element_loops, loop_fusion, loop_invariants
from s2sad.codegen.numba.programs import Lines, is_array
from s2sad.ops.runtime.indices import diagonal_index

CHEAP = (operator.add, operator.sub, operator.mul, operator.neg)
"""Computed again rather than kept in an array."""


def with_array_loops(function: ir.Function) -> ir.Function:
    """The program with what Numba can't do with arrays, or does in several passes over
    memory, as loops."""
    return _Loops(function).rewritten()


class _Loops(products.Products):
    def rewritten(self) -> ir.Function:
        for block in ir.all_blocks(self.function.body):
            self.find_lazy(block)
        body = self.block(self.function.body)
        if not self.facts.added:
            return self.function
        body = loop_invariants.with_invariants_in_front(body, self.places, self.facts)
        written = self.facts.program(body)
        element_loops.verify_element_loops(written, self.places)
        return written

    def find_lazy(self, block: ir.Block) -> None:
        """Note what is read in loops alone, and needn't be computed before.

        Where a chain of operations reads what its end is written into, one array is
        needed. It holds the end rather than what is read."""
        barred: set[str] = set()
        before = set(self.lazy), set(self.repeated)
        while (end := self.note_lazy(block, barred)) is not None:
            barred.add(end)
            for name in set(self.lazy) - before[0]:
                del self.lazy[name]
            self.repeated = set(before[1])

    def note_lazy(self, block: ir.Block, barred: set[str]) -> str | None:
        """Note what is lazy; the name of what must not be, where that is found out too
        late."""
        readers: dict[str, list[int]] = {}
        for k, s in enumerate(block):
            for v in ir.direct_reads(s):
                readers.setdefault(v.name, []).append(k)
        runs_at: dict[int, int] = {}
        changed: dict[int, set[str]] = {}
        for at in reversed(range(len(block))):
            s = block[at]
            runs_at[at] = at
            name = self.candidate(s)
            if name is None or name in barred:
                continue
            assert isinstance(s, ir.Assign)
            found = readers.get(name, [])
            if len(found) != self.facts.reads[name] or not found:
                continue
            once = len(found) == 1
            if not once and (not self.costs_nothing(s) or len(set(found)) > 6):
                continue
            if not all(self.reads_in_loop(block[k], name) for k in found):
                continue
            if self.repeated & {n for k in found for n in ir.names_written(block[k])}:
                if not self.elements.is_moved(s.value):
                    continue  # would be computed many times
            last = max(runs_at[k] for k in found)
            needed = {v.name for v in ir.value_variables(s.value)}
            for k in range(at + 1, last + 1):
                if k not in changed:
                    changed[k] = self.facts.changed_by(block[k])
            between = set().union(*(changed[k] for k in range(at + 1, last)), set())
            if needed & self.written_while_read(block[last]):
                end = self.written_end(block[last])
                if end is not None and end in self.lazy and end != name:
                    return end
                continue
            if needed & between:
                continue
            self.lazy[name] = s
            if not once and not self.elements.is_moved(s.value):
                self.repeated.add(name)
            runs_at[at] = last
        return None

    def written_end(self, s: ir.Statement) -> str | None:
        """The variable that a statement writes into a part of an array."""
        assert ir.applies(s)
        at = 2 if s.value.function in WRITES else 1
        amount = s.value.args[at]
        return amount.name if isinstance(amount, ir.Var) else None

    def candidate(self, s: ir.Statement) -> str | None:
        """The variable that a statement computes element by element."""
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return None
        name = s.target.name
        if self.facts.writes[name] != 1 or not is_array(self.facts.kinds.get(name)):
            return None
        if self.elements.is_elementwise(s.value) or self.elements.is_moved(s.value):
            return name
        return None

    def costs_nothing(self, s: ir.Assign) -> bool:
        """True for what only moves elements, or takes one sum or product, and may be
        computed several times."""
        if isinstance(s.value, ir.Apply) and s.value.function in CHEAP:
            return True
        if not self.elements.is_moved(s.value):
            return False
        assert isinstance(s.value, ir.Apply)
        return s.value.function is not operator.getitem or not any(
            is_array(self.facts.kind(v)) for v in index_parts(s.value.args[1])
        )

    def written_while_read(self, s: ir.Statement) -> set[str]:
        """The variables that a statement changes as it reads elements of others."""
        changes = ir.applies(s, *WRITES, *IN_PLACE)
        return self.facts.changed_by(s) if changes else set()

    def reads_in_loop(self, s: ir.Statement, name: str) -> bool:
        """True where a statement reads a variable element by element."""
        if not ir.is_line(s):
            return False
        variable, value = ir.Var(name), s.value
        if value.function in WRITES:
            if not is_array(self.facts.kind(value.args[0])):
                return False
            in_value = value.args[2] == variable
            index = value.args[1]
            elsewhere = [*value.args[:1], *value.args[3:]]
            if variable in elsewhere:
                return False
            if self.scatters(value):
                return in_value or variable in index_parts(index)
            if not in_value or variable in index_parts(index):
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

    def block(self, block: ir.Block) -> ir.Block:
        compared = set(self.compared)
        result: list[ir.Statement] = []
        for s in block:
            result += self.statement(ir.with_blocks(s, self.block))
        self.compared = compared
        return tuple(loop_fusion.fused(result, self.keys, self.facts))

    def statement(self, s: ir.Statement) -> Sequence[ir.Statement]:
        """What a statement is written as. Loops read the elements of what it reads, so
        the variable that it gives another value keeps its own until they have run."""
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return (s,)
        own = s.target
        if self.lazy.get(own.name) is not None:
            return ()
        if not ir.is_line(s):
            return (s,)
        if own.name not in self.elements.read_for(s.value) or self.changes_own(s):
            return self.loops_of(s, s.value)
        kind = self.facts.kinds.get(own.name) or s.kind or ir.NumPyScalar("float64")
        apart = replace(s, target=self.facts.fresh(stem_of(own.name), kind))
        lines = self.loops_of(apart, s.value)
        if len(lines) == 1 and lines[0] is apart:
            return (s,)
        return [*lines, self.line(s, own, apart.target)]

    def changes_own(self, s: ir.Line) -> bool:
        """True for a change in place of the variable that is assigned."""
        changes = s.value.function in (*WRITES, *IN_PLACE)
        return changes and s.value.args[0] == s.target

    def loops_of(self, s: ir.Line, value: ir.Apply) -> Sequence[ir.Statement]:
        """The statement as loops; itself where it isn't written so."""
        if isinstance(value.function, ir.Procedure):
            return (s,)
        if value.function is diagonal_index and self.only_places(s.target):
            return ()
        into = value.function in WRITES and is_array(self.facts.kind(value.args[0]))
        if into or (value.function in IN_PLACE and self.is_in_place(value)):
            *copies, last = self.with_own_operands(s)
            assert ir.is_line(last)
            assert isinstance(last.value, ir.Apply)
            change = self.written if into else self.added_in_place
            return [*copies, *change(last, last.value)]
        if self.reduces(value):
            return self.reduced(s, value)
        if self.sums_to_shape(value):
            return self.summed_to_shape(s, value)
        ranks = tuple(len(self.elements.axes(a)) for a in value.args)
        found = contractions.contraction(value, ranks)
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

    def is_left_call(self, value: ir.Apply) -> bool:
        """True for copies, and views that Numba makes too."""
        first = value.args[0]
        whole = not (isinstance(first, ir.Var) and first.name in self.lazy)
        if value.function in COPIES:
            return whole
        if value.function is np.arange:
            return True
        plain = value.function is np.expand_dims or ops.is_plain_transpose(value)
        if value.function is operator.getitem:
            index = Index(value.args[1], len(self.elements.axes(first)), self.facts)
            plain = not index.arrays
        return whole and plain

    def filled(self, s: ir.Line, value: ir.Apply) -> list[ir.Statement]:
        """A new array, element by element."""
        kind = self.facts.kinds[s.target.name]
        assert isinstance(kind, ir.Array) and kind.axes is not None
        target = s.target
        lines = self.comparisons(s, value, kind.axes)
        rank = len(kind.axes)
        lengths = [self.elements.length_of_value(value, k, rank) for k in range(rank)]
        made = self.allocated(np.empty, lengths, kind.dtype, lines)
        lines.append(ir.Assign(None, target, made, kind, derived=s.derived))
        if s.derived:
            lines[-1] = replace(lines[-1], span=s.span)

        def body(index: list[ir.Operand], inner: Lines) -> None:
            found = self.elements.computed(
                value, index, kind.axes or (), inner, stem_of(target.name)
            )
            if inner and isinstance(inner[-1], ir.Assign) and inner[-1].target == found:
                inner[-1] = replace(inner[-1], derived=False)  # needs no name
            inner.append(
                self.line(
                    s, target, ir.Apply(ops.index_set, (target, at_place(index), found))
                )
            )

        along: list[Place] = [(target, k) for k in range(rank)]
        return lines + self.nest(along, body, s, kind.axes)

    def added_in_place(self, s: ir.Line, value: ir.Apply) -> list[ir.Statement]:
        """``x += y`` of arrays, where y is computed as it is added."""
        buffer, amount = value.args
        if not (isinstance(amount, ir.Var) and amount.name in self.lazy):
            return [s]
        axes = self.elements.axes(buffer)
        lines: list[ir.Statement] = []
        if s.target != buffer:
            lines.append(self.line(s, s.target, buffer))
        target = s.target

        def body(index: list[ir.Operand], inner: Lines) -> None:
            found = self.elements.element(amount, index, axes, inner)
            inner.append(
                self.line(
                    s, target, self.change(value.function, target, index, found, inner)
                )
            )

        lines = [*self.comparisons_of(s, amount), *lines]
        lines += self.fitting(s, target, axes, amount)
        along: list[Place] = [(target, k) for k in range(len(axes))]
        return lines + self.nest(along, body, s, axes)
