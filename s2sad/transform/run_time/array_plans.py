"""Arrays that stand in run-time values, in reverse mode, where the program writes into
some: the adjoint of each is one array, and parts of it are added to in place.

::

    y = stored_part(w, i)          add_to_part(w.bar, i, y.bar)
    store_part(w, i, v)            v.bar = stored_part(w.bar, i)
                                   put_adjoint_part(w.bar, i, 0.0)
    increase_part(w, i, v)         v.bar = stored_part(w.bar, i)
"""

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.broadcasting import sum_to_shape_of
from s2sad.ops.runtime.indices import last_writes
from s2sad.rules.numpy.indexing import getitem_kind, may_repeat
from s2sad.transform.adjoints import contributions, cotangents

WHOLE = ir.Const(Ellipsis)


class ArrayPlans(contributions.Contributions):
    """Plans of what writes into such arrays, and of lines that make them."""

    def _kept_array(self, statement: ir.Assign, made: ir.Apply) -> list[ir.Plan]:
        """An array that may get a place in an object: its adjoint gets zeros, and hands
        on what stands there at the end."""
        assert isinstance(statement.target, ir.Var)
        name, (array,) = statement.target.name, made.args
        with self.spec.new_block() as before:
            zeros = ir.Apply(np.zeros_like, (array,))
            kind = core.kind_of(self.value(array))
            own = self.spec.assign(self.spec.fresh("zeros"), zeros, kind)
        operation = ir.Apply(ops.kept_array, (core.operand_of(own),))
        beside = self._assigned(statement.span, name, operation)
        lines: ir.Block = ()
        if isinstance(array, ir.Var) and array.name in self.active:
            with self.spec.new_block() as adding:
                self._hand_on(array, self._part_of(name, WHOLE), same=True)
            lines = tuple(adding)
        forward = [ir.Plan(line) for line in (*before, statement)]
        return [*forward, ir.Plan(beside, lines)]

    def _written_part(self, statement: ir.Effect) -> list[ir.Plan]:
        """What is stored into a part of an array, or added to it."""
        store = statement.value
        holder, index, value = store.args
        if not isinstance(holder, ir.Var) or holder.name not in self.active:
            return [ir.Plan(statement)]
        adjoint = self.bar(holder.name)
        varies = isinstance(value, ir.Var) and value.name in self.active
        with self.spec.new_block() as lines:
            part = self._part_of(holder.name, index) if varies else None
            if store.function is not ops.increase_part:
                if part is not None and may_repeat(self._kind_of_index(index)):
                    part = self._of_last_writes(part, holder.name, index)
                zero = ir.Apply(ops.put_adjoint_part, (adjoint, index, ir.Const(0.0)))
                self.spec.emit(ir.Effect(self.spec.span, zero))
            if part is not None:
                assert isinstance(value, ir.Var)
                self._hand_on(value, part)
        return [ir.Plan(statement, tuple(lines))]

    def _kind_of_index(self, index: ir.Operand) -> ir.Kind:
        return core.kind_of(self.value(index))

    def _part_of(self, name: str, index: ir.Operand) -> core.Leaf:
        """A part of the adjoint of an array as it is now."""
        array = ir.tangent_kind(ir.array_referred_to(self.kind(name)))
        kind = getitem_kind(array, self._kind_of_index(index))
        read = ir.Apply(ops.stored_part, (self.bar(name), index))
        return core.single(self.spec.assign(self.spec.fresh("part"), read, kind))

    def _of_last_writes(
        self, part: core.Leaf, name: str, index: ir.Operand
    ) -> core.Leaf:
        """The part without what other stores of the same line wrote over."""
        array = ir.array_referred_to(self.kind(name))
        read = ir.Apply(ops.items_of, (self.bar(name),))
        whole = self.spec.assign(self.spec.fresh("array"), read, array)
        last = self.spec.apply(last_writes, (whole, self.value(index)), hint="last")
        return core.single(
            self.spec.apply(np.where, (last, part, core.constant(0.0)), hint="part")
        )

    def _hand_on(self, value: ir.Var, part: core.Leaf, same: bool = False) -> None:
        """Let what was written have the adjoint of where it stands, which has the
        ``same`` shape or one into which it was spread out."""
        kind = self.full_kind(value.name)
        axes = None if ir.is_promoted(kind) else ir.axes_of(kind)
        made: core.Value = part
        if same or (axes and ir.rank_of(part.kind) == len(axes)):
            if same or all(axis.length == "many" for axis in axes or ()):
                part = core.Leaf(part.operand, kind)
                return self.contribute(value, part, cotangents.Masked.NO)
        if ir.rank_of(part.kind) != 0:
            if ir.rank_of(kind) == 0 and not ir.is_promoted(kind):
                made = self.spec.apply(np.sum, (part,), hint="part")
            else:
                like = core.Leaf(value, self.kind(value.name))
                made = self.spec.apply(sum_to_shape_of, (part, like), hint="part")
        assert isinstance(made, core.Leaf)
        self.contribute(value, made, cotangents.Masked.NO)

    def _assigned(
        self, span: ir.Span | None, name: str, value: ir.Apply | ir.Operand
    ) -> ir.Assign:
        kind = ir.adjoint_kind(self.kind(name))
        target = self.bar(name)
        self.function.kinds[target.name] = kind  # type: ignore[index]
        return ir.Assign(span, target, value, kind, True)
