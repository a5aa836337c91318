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

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise.core.exceptions import NotBatched
from s2sad.frontend.specialise.core.values import Aggregate, Leaf, Value
from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    Axis,
    Kind,
    Known,
    List,
    NumPyScalar,
    Scalar,
    axes_of,
    is_promoted,
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
    Restore,
    Return,
    Save,
    Slice,
    Statement,
    Try,
    Var,
    While,
    With,
)
from s2sad.ir.walking import (
    operand_variables,
    value_variables,
    with_blocks,
)
from s2sad.ops.lists import new_list
from s2sad.ops.stacks import new_stack, shortened_stack
from s2sad.rules.steps.shape_queries import (
    axis_length,
    dtype_of_array,
)
from s2sad.transform.batching.calls import Batch
from s2sad.transform.batching.kinds import (
    batched_variables,
    kinds_of_block,
    sharper,
    stacks_of,
    with_leading_axis,
)
from s2sad.transform.batching.lists import is_batched_list
from s2sad.transform.batching.operations import batched_call
from s2sad.transform.batching.values import RepeatedValues

_MADE_EMPTY = (new_stack, new_list)


class VectorMode(RepeatedValues):
    """Makes the lines that carry many tangents or cotangents."""

    def __init__(
        self,
        function: Function,
        spec: Any,
        given: Mapping[str, Kind],
        size: Leaf,
        axis: Axis,
    ) -> None:
        """``given`` are the batched variables with the kinds that they have now;
        ``size`` is how many there are, ``axis`` the leading axis."""
        super().__init__(function, spec, set())
        self.size, self.axis = size, axis
        self.item_kinds = kinds_of_block(function)
        self.batched = batched_variables(function.body, given)
        self.stacks = stacks_of(function.body)
        for name in self.batched:
            self._check(name)

    def _check(self, name: str) -> None:
        kind = self.item_kinds.get(name)
        if kind is None or name in self.stacks:
            return
        if isinstance(kind, Known):
            raise NotBatched(f"{name} is {kind}")
        while isinstance(kind, List):
            if kind.item is None:  # it holds nothing
                return
            kind = kind.item
        if not isinstance(kind, Scalar | NumPyScalar | Array) or is_promoted(kind):
            raise NotBatched(f"{name} is of kind {kind}")
        if axes_of(kind) is None:
            raise NotBatched(f"the rank of {name} isn't known")

    def whole(self, name: str) -> Leaf:
        """The variable with a leading axis, whether its value has one or not."""
        if name in self.batched:
            return self.leaf(name)
        return self.repeated(self.leaf(name), self.item_kinds.get(name, UNKNOWN))

    # ---------------------------------------------------------------- statements

    def block(self, block: Block) -> Block:
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

    def _statement(self, s: Statement) -> None:
        match s:
            case Assign():
                self._assignment(s)
            case Save():
                if s.stack.name in self.batched and isinstance(s.value, Var):
                    s = replace(s, value=self.whole(s.value.name).operand)
                self.spec.emit(s)
            case If() | For() | While() | With() | Try():
                if any(self._is_batched(o) for o in _deciding(s)):
                    raise NotBatched("the way of control depends on a tangent")
                self.spec.emit(with_blocks(s, self.block))
            case Effect():
                if self._is_batched(s.value):
                    raise NotBatched("an effect reads a tangent")
                self.spec.emit(s)
            case Restore():
                if s.target.name in self.batched:
                    kind = self.kind(s.target.name)
                    self.function.kinds[s.target.name] = kind  # type: ignore[index]
                self.spec.emit(s)
            case Return():
                self.spec.emit(s)

    def _is_batched(self, value: Any) -> bool:
        return any(v.name in self.batched for v in value_variables(value))

    def _assignment(self, s: Assign) -> None:
        targets = [v.name for v in operand_variables(s.target)]
        if not any(name in self.batched for name in targets):
            if self._is_batched(s.value):
                s = replace(s, value=self._shape_query(s.value))
            self.spec.emit(s)
            return
        if isinstance(s.value, Apply) and s.value.function in (
            *_MADE_EMPTY,
            shortened_stack,
        ):
            self.spec.emit(s)
            return
        if isinstance(s.target, Pack):
            self._unpacking(s)
            return
        if s.value == Const(None):  # no value yet
            self.spec.emit(s)
            return
        item = s.kind or self.item_kinds.get(s.target.name, UNKNOWN)
        if not self._is_batched(s.value):
            self._assign(s.target, self._repeated_result(s, item), item)
            return
        if isinstance(s.value, Var):
            self._assign(s.target, self.leaf(s.value.name), item)
            return
        if not isinstance(s.value, Apply):
            raise NotBatched(f"{s.value} holds a tangent")
        result = self._called(s.value, item)
        if not isinstance(result, Leaf):
            raise NotBatched("a structure holds a tangent")
        self._assign(s.target, result, item)

    def _unpacking(self, s: Assign) -> None:
        assert isinstance(s.target, Pack)
        if not isinstance(s.value, Apply) or not self._is_batched(s.value):
            raise NotBatched("several values are assigned at once")
        result = self._called(s.value, s.kind or UNKNOWN)
        if not isinstance(result, Aggregate):
            raise NotBatched("several values are assigned at once")
        for target, part in zip(s.target.items, result.items, strict=True):
            if not isinstance(target, Var) or not isinstance(part, Leaf):
                raise NotBatched("structures are assigned at once")
            item = self.item_kinds.get(target.name, UNKNOWN)
            self._assign(target, part, item)

    def _called(self, value: Apply, item: Kind) -> Value:
        args = tuple(map(self._argument, value.args))
        keywords = {name: self._argument(v) for name, v in value.keywords}
        return batched_call(self, value, args, keywords, item)

    def _argument(self, operand: Operand) -> Value | Batch:
        if isinstance(operand, Var) and operand.name in self.batched:
            leaf = self.leaf(operand.name)
            return Batch(leaf, self.item_kinds[operand.name])
        if isinstance(operand, Pack) and self._is_batched(operand):
            items = tuple(map(self._argument, operand.items))
            return Aggregate(operand.constructor, operand.keys, items)  # type: ignore[arg-type]
        if isinstance(operand, Slice) and self._is_batched(operand):
            raise NotBatched("an index depends on a tangent")
        return self.value(operand)

    def _where_made(self, operand: Operand, target: Var) -> int | None:
        """Other lines may read a variable of the program, too."""
        if isinstance(operand, Var) and operand.name in self.item_kinds:
            return None
        return super()._where_made(operand, target)

    def _assign(self, target: Var, value: Leaf, item: Kind) -> None:
        kind = with_leading_axis(item, self.axis)
        self.move(value, target)
        self.function.kinds[target.name] = kind  # type: ignore[index]
        for place in range(len(self.spec.block) - 1, -1, -1):
            line = self.spec.block[place]
            if isinstance(line, Assign) and line.target == target:
                known = sharper(line.kind, kind)
                self.spec.block[place] = replace(line, kind=known)
                break

    def _repeated_result(self, s: Assign, item: Kind) -> Leaf:
        """What a line computes that no tangent enters, for each of them."""
        if isinstance(s.value, Const):
            return self.repeated(Leaf(s.value, item), item)
        single = self.spec.fresh("value")
        line = replace(s, target=single)
        self.definitions[single.name] = [line]
        self.spec.emit(line)
        return self.repeated(Leaf(single, item), item)

    def _shape_query(self, value: Any) -> Any:
        """What is asked of the shape of one tangent, asked of all together."""
        assert isinstance(value, Apply)
        first, *rest = value.args
        if value.function is dtype_of_array:
            return value
        if value.function is len and is_batched_list(self._argument(first)):
            return value
        if value.function is len:
            return Apply(axis_length, (first, Const(1)))
        if value.function is axis_length and isinstance(rest[0], Const):
            place = rest[0].value
            return Apply(axis_length, (first, Const(place + (place >= 0))))
        raise NotBatched("a shape is read as a whole")


def _deciding(s: Statement) -> list[Operand]:
    """What decides which way control goes."""
    names = ("test", "start", "stop", "step", "until", "value")
    found = [getattr(s, name, None) for name in names]
    return [operand for operand in found if operand is not None]
