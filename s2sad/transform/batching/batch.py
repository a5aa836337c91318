"""Vector mode: many tangents or cotangents at once, along one leading axis.

Takes lines that carry a tangent or cotangent, and the variables that hold many of them;
gives the lines that carry them all together::

    y.dot = mul(x.dot, w)           y.dot = mul(x.dot, w)           # x.dot: [k, n]
    z.dot = sum(y.dot, axis=0)  ->  z.dot = sum(y.dot, axis=1)

Such a variable is called *batched*; its kind has one more axis, in front. What doesn't
depend on one stays as it is, so the primal values are computed once. How an operation
is batched stands in :mod:`s2sad.transform.batching.operations`; one of which nothing is
known is run once for each tangent, see :mod:`s2sad.transform.batching.loops`. Source:
Griewank and Walther, Evaluating Derivatives (2nd ed.), section 3.4 (vector mode).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.rules.steps.shape_queries import axis_length, dtype_of_array
from s2sad.transform.batching import calls, kinds, operations, values
from s2sad.transform.batching.lists import lists, references
from s2sad.transform.batching.programs import called_programs
from s2sad.transform.batching.programs.versions import (
    OF_SHAPE_OF_SECOND,
    Flow,
    Versions,
    parts_taken,
)

_MADE_EMPTY = (ops.new_stack, ops.new_list)


class VectorMode(values.RepeatedValues):
    """Makes the lines that carry many tangents or cotangents."""

    def __init__(
        self,
        function: ir.Function,
        spec: Specialiser,
        flow: Flow,
        versions: Versions,
        size: core.Leaf,
        axis: ir.Axis,
    ) -> None:
        """``flow`` says what is batched; ``size`` is how many there are, ``axis`` the
        leading axis."""
        super().__init__(function, spec, set())
        self.size, self.axis = size, axis
        self.item_kinds = kinds.kinds_of_block(function)
        self.flow, self.versions, self.batched = flow, versions, flow.batched
        self.stacks = kinds.stacks_of(function.body)
        for name in self.batched:
            self._check(name)

    def _check(self, name: str) -> None:
        kind = self.item_kinds.get(name)
        if kind is None or name in self.stacks or name in self.flow.kept:
            return
        if isinstance(kind, ir.Known):
            raise core.NotBatched(f"{name} is {kind}")
        while isinstance(kind, ir.List):
            if kind.item is None:  # it holds nothing
                return
            kind = kind.item
        if isinstance(kind, ir.Reference):
            return
        if not isinstance(
            kind, ir.Scalar | ir.NumPyScalar | ir.Array
        ) or ir.is_promoted(kind):
            raise core.NotBatched(f"{name} is of kind {kind}")
        if ir.axes_of(kind) is None:
            raise core.NotBatched(f"the rank of {name} isn't known")

    def whole(self, name: str) -> core.Leaf:
        """The variable with a leading axis, whether its value has one or not."""
        if name in self.batched:
            return self.leaf(name)
        return self.repeated(self.leaf(name), self.item_kinds.get(name, ir.UNKNOWN))

    # ---------------------------------------------------------------- statements

    def block(self, block: ir.Block) -> ir.Block:
        """The lines of a block."""
        with self.spec.new_block() as lines:
            for statement in block:
                outer, self.spec.span = self.spec.span, statement.span
                derived, self.spec.derived = self.spec.derived, True
                try:
                    self._statement(statement)
                finally:
                    self.spec.span, self.spec.derived = outer, derived
        return tuple(lines)

    def _statement(self, s: ir.Statement) -> None:
        match s:
            case ir.Assign():
                self._assignment(s)
            case ir.Save():
                if s.stack.name in self.batched and isinstance(s.value, ir.Var):
                    s = replace(s, value=self.whole(s.value.name).operand)
                self.spec.emit(s)
            case _ if isinstance(s, ir.COMPOUND):
                if ir.names_read(s) & self.batched:
                    raise core.NotBatched("the way of control depends on a tangent")
                self.spec.emit(ir.with_blocks(s, self.block))
            case ir.Effect():
                if called_programs.is_batched_call(self, s):
                    return
                if references.adds_to_adjoint(self, s):
                    return
                references.check_store(self, s)
                if self._is_batched(s.value):
                    raise core.NotBatched("an effect reads a tangent")
                self.spec.emit(s)
            case ir.Restore():
                if s.target.name in self.batched:
                    kind = self.kind(s.target.name)
                    self.function.kinds[s.target.name] = kind  # type: ignore[index]
                self.spec.emit(s)
            case ir.Return():
                self.spec.emit(s)

    def _is_batched(self, value: Any) -> bool:
        return any(v.name in self.batched for v in ir.value_variables(value))

    def _assignment(self, s: ir.Assign) -> None:
        if called_programs.is_batched_call(self, s) or self._takes_parts(s):
            return
        if references.assigns_references(self, s):
            return
        targets = [v.name for v in ir.operand_variables(s.target)]
        if not any(name in self.batched for name in targets):
            if self._is_batched(s.value):
                s = replace(s, value=self._shape_query(s.value))
            self.spec.emit(s)
            return
        if isinstance(s.value, ir.Apply) and s.value.function in (
            *_MADE_EMPTY,
            ops.shortened_stack,
        ):
            self.spec.emit(s)
            return
        if isinstance(s.target, ir.Pack):
            self._unpacking(s)
            return
        if s.value == ir.Const(None):  # no value yet
            self.spec.emit(s)
            return
        item = s.kind or self.item_kinds.get(s.target.name, ir.UNKNOWN)
        if not self._is_batched(s.value):
            self._assign(s.target, self._repeated_result(s, item), item)
            return
        if isinstance(s.value, ir.Var):
            self._assign(s.target, self.leaf(s.value.name), item)
            return
        if not isinstance(s.value, ir.Apply):
            raise core.NotBatched(f"{s.value} holds a tangent")
        result = self._called(s.value, item)
        if not isinstance(result, core.Leaf):
            raise core.NotBatched("a structure holds a tangent")
        self._assign(s.target, result, item)

    def _takes_parts(self, s: ir.Assign) -> bool:
        """True for a line that takes batched values from where they are kept."""
        parts = parts_taken(s, self.flow)
        read_back = ir.is_line(s, reversed, list) and str(s.target) in self.stacks
        if parts is None and not read_back:
            return False
        if parts is not None and ir.names_written(s) & self.batched != parts.keys():
            if isinstance(s.target, ir.Var):
                return False
            raise core.NotBatched("what isn't batched here is elsewhere")
        for name in parts or ():
            self.function.kinds[name] = self.kind(name)  # type: ignore[index]
        if isinstance(s.target, ir.Var) and parts:
            s = replace(s, kind=self.kind(s.target.name))
        self.spec.emit(s)
        return True

    def _unpacking(self, s: ir.Assign) -> None:
        assert isinstance(s.target, ir.Pack)
        if not isinstance(s.value, ir.Apply) or not self._is_batched(s.value):
            raise core.NotBatched("several values are assigned at once")
        result = self._called(s.value, s.kind or ir.UNKNOWN)
        if not isinstance(result, core.Aggregate):
            raise core.NotBatched("several values are assigned at once")
        for target, part in zip(s.target.items, result.items, strict=True):
            if not isinstance(target, ir.Var) or not isinstance(part, core.Leaf):
                raise core.NotBatched("structures are assigned at once")
            item = self.item_kinds.get(target.name, ir.UNKNOWN)
            self._assign(target, part, item)

    def _called(self, value: ir.Apply, item: ir.Kind) -> core.Value:
        args = tuple(map(self._argument, value.args))
        keywords = {name: self._argument(v) for name, v in value.keywords}
        return operations.batched_call(self, value, args, keywords, item)

    def _argument(self, operand: ir.Operand) -> core.Value | calls.Batch:
        if isinstance(operand, ir.Var) and operand.name in self.batched:
            item = self.item_kinds.get(operand.name)
            if item is None:
                raise core.NotBatched(f"the kind of {operand.name} isn't known")
            return calls.Batch(self.leaf(operand.name), item)
        if isinstance(operand, ir.Pack) and self._is_batched(operand):
            items = tuple(map(self._argument, operand.items))
            return core.Aggregate(operand.constructor, operand.keys, items)  # type: ignore[arg-type]
        if isinstance(operand, ir.Slice) and self._is_batched(operand):
            raise core.NotBatched("an index depends on a tangent")
        return self.value(operand)

    def _where_made(self, operand: ir.Operand, target: ir.Var) -> int | None:
        """Other lines may read a variable of the program, too."""
        if isinstance(operand, ir.Var) and operand.name in self.item_kinds:
            return None
        return super()._where_made(operand, target)

    def _assign(self, target: ir.Var, value: core.Leaf, item: ir.Kind) -> None:
        kind = kinds.with_leading_axis(item, self.axis)
        self.move(value, target)
        self.function.kinds[target.name] = kind  # type: ignore[index]
        for place in range(len(self.spec.block) - 1, -1, -1):
            line = self.spec.block[place]
            if isinstance(line, ir.Assign) and line.target == target:
                known = kinds.sharper(line.kind, kind)
                self.spec.block[place] = replace(line, kind=known)
                break

    def _repeated_result(self, s: ir.Assign, item: ir.Kind) -> core.Leaf:
        """What a line computes that no tangent enters, for each of them."""
        if isinstance(s.value, ir.Const):
            return self.repeated(core.Leaf(s.value, item), item)
        single = self.spec.fresh("value")
        line = replace(s, target=single)
        self.definitions[single.name] = [line]
        self.spec.emit(line)
        return self.repeated(core.Leaf(single, item), item)

    def _shape_query(self, value: Any) -> Any:
        """What is asked of the shape of one tangent, asked of all together."""
        assert isinstance(value, ir.Apply)
        first, *rest = value.args
        if value.function is dtype_of_array:
            return value
        if value.function is len and lists.is_batched_list(self._argument(first)):
            return value
        if value.function is len:
            return ir.Apply(axis_length, (first, ir.Const(1)))
        if value.function is axis_length and isinstance(rest[0], ir.Const):
            place = rest[0].value
            return ir.Apply(axis_length, (first, ir.Const(place + (place >= 0))))
        if value.function is np.zeros_like and not rest and isinstance(first, ir.Var):
            return self.zeros_of_one(first.name).operand
        if value.function in OF_SHAPE_OF_SECOND and isinstance(rest[0], ir.Var):
            alike = self.zeros_of_one(rest[0].name)
            return replace(value, args=(first, alike.operand, *rest[1:]))
        raise core.NotBatched("a shape is read as a whole")
