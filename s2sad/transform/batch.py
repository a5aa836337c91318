"""Vector mode: many tangents or cotangents at once, along one leading axis.

Takes lines that carry a tangent or cotangent, and the variables that hold many of them;
gives the lines that carry them all together::

    y.dot = mul(x.dot, w)           y.dot = mul(x.dot, w)           # x.dot: [k, n]
    z.dot = sum(y.dot, axis=0)  ->  z.dot = sum(y.dot, axis=1)

Such a variable is called *batched*; its kind has one more axis, in front. What doesn't
depend on one stays as it is, so the primal values are computed once. How an operation
is batched stands in :mod:`s2sad.transform.batched_operations`; one of which nothing is
known is run once for each tangent, see :mod:`s2sad.transform.batched_loops`. Source:
Griewank and Walther, Evaluating Derivatives (2nd ed.), section 3.4 (vector mode).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.codegen.helper_functions.sequences import zero_tangents
from s2sad.frontend.specialise.values import Aggregate, Leaf, Value, constant
from s2sad.ir.joins import join
from s2sad.ir.kinds import (
    FLOAT,
    UNKNOWN,
    Array,
    Axis,
    Kind,
    Known,
    List,
    NumPyScalar,
    Scalar,
    axes_of,
    dtype_of,
    is_lasting,
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
    walk,
    with_blocks,
)
from s2sad.rules.shape_queries import (
    SHAPE_QUERIES,
    axis_length,
    dtype_of_array,
    shape_of,
)
from s2sad.transform.batched_calls import Batch, NotBatched
from s2sad.transform.batched_lists import is_batched_list, repeated_list
from s2sad.transform.batched_operations import batched_call
from s2sad.transform.buffers import broadcast_like, full_like_of
from s2sad.transform.cotangent_table import CotangentTable
from s2sad.transform.lists import new_list, zero_items, zeros_along
from s2sad.transform.rows import zero_rows
from s2sad.transform.stacks import new_stack, shortened_stack

_MADE_EMPTY = (new_stack, new_list)
_ZEROS = (np.zeros_like, np.zeros, zero_items, zero_rows)


class VectorMode(CotangentTable):
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
        self.item_kinds = _kinds_of_block(function)
        self.batched = batched_variables(function.body, given)
        self.stacks = _stacks(function.body)
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

    def kind(self, name: str) -> Kind:
        """The kind that a variable has in the batched program."""
        kind = self.item_kinds.get(name, UNKNOWN)
        return with_leading_axis(kind, self.axis) if name in self.batched else kind

    def leaf(self, name: str) -> Leaf:
        """The variable in the batched program."""
        return Leaf(Var(name), self.kind(name))

    def with_leading_axis(self, kind: Kind) -> Kind:
        """The kind of many values of a kind, here."""
        return with_leading_axis(kind, self.axis)

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
        self.move(value, target)
        self.function.kinds[target.name] = with_leading_axis(item, self.axis)  # type: ignore[index]

    # ---------------------------------------------------------------- values

    def repeated(self, value: Leaf, item: Kind, *, zeros: bool = False) -> Leaf:
        """A value that all tangents share, once for each; ``zeros`` takes its shape
        alone, for zeros."""
        if isinstance(item, List):
            zeros = zeros or self._is_list_of_zeros(value.operand)
            return repeated_list(self, value, item, zeros)
        if not isinstance(item, Scalar | NumPyScalar | Array) or is_promoted(item):
            raise NotBatched(f"{item} is repeated")
        axes = axes_of(item)
        if axes is None:
            raise NotBatched("the rank of a value isn't known")
        items = self._list_of_its_shape(value.operand)
        if items is not None:
            return self._zeros_along(items, axes[1:])
        zero = value if zeros else self._as_zero(value.operand)
        if zero is not None:
            value = zero
        shape = self.shape_with_size(value, axes)
        if zero is not None:
            dtype = dtype_of(item)
            own = () if dtype in (None, "float64") else (_type_of(dtype),)
            return self._apply(np.zeros, shape, *own)
        wide = self._apply(np.broadcast_to, value, shape)
        return self._apply(np.ndarray.copy, wide, spelling="method:copy")

    def length_of(self, array: Leaf, place: int) -> Leaf:
        """The length of an axis."""
        return self._apply(axis_length, array, constant(place))

    def shape_with_size(self, like: Leaf, axes: tuple[Axis, ...]) -> Value:
        """The shape ``(size, *like.shape)``."""
        lengths = tuple(
            self._apply(axis_length, like, constant(k)) for k in range(len(axes))
        )
        return Aggregate(tuple, tuple(range(len(axes) + 1)), (self.size, *lengths))

    def _as_zero(self, operand: Operand) -> Leaf | None:
        """Something of the shape of an operand that surely is zero; None for others."""
        if isinstance(operand, Const) and operand.value == 0:
            return Leaf(operand, FLOAT)
        if not isinstance(operand, Var):
            return None
        (made, *others) = self.definitions.get(operand.name, [None])
        if made is None or others or not isinstance(made.target, Var):
            return None
        match made.value:
            case Var():
                return self._as_zero(made.value)
            case Apply(function=np.zeros_like, args=(Var() as like, *_)):
                return self._as_zero(like) or self.leaf(like.name)
            case Apply(function=function, args=(Const(value=0), Var() as like)):
                if function in (full_like_of, broadcast_like):
                    return self._as_zero(like) or self.leaf(like.name)
        return None

    def _only_value(self, operand: Operand) -> Any:
        """What a variable that is assigned once is assigned."""
        if not isinstance(operand, Var):
            return None
        (made, *others) = self.definitions.get(operand.name, [None])
        return None if made is None or others else made.value

    def _list_of_its_shape(self, operand: Operand) -> Leaf | None:
        """The list that zeros have the shape of; that of an empty one shows no axes."""
        match self._only_value(operand):
            case Apply(function=function, args=(Var() as items,)):
                return self.leaf(items.name) if function is zeros_along else None
            case Var() as other:
                return self._list_of_its_shape(other)
        return None

    def _zeros_along(self, items: Leaf, axes: tuple[Axis, ...]) -> Leaf:
        """Zeros for each item of a list, for each tangent; ``axes`` are the items'."""
        lengths = [self._length_of_parameter(axis) for axis in axes]
        known = [length for length in lengths if length is not None]
        if len(known) < len(axes):
            return self._apply(zero_tangents, items, self.size)
        shape = (self.size, self._apply(len, items), *known)
        return self._apply(np.zeros, Aggregate(tuple, tuple(range(len(shape))), shape))

    def _length_of_parameter(self, axis: Axis) -> Leaf | None:
        """The length of an axis, as a parameter has it."""
        if axis.length == "one":
            return constant(1)
        for name in self.function.parameters:
            kind = self.item_kinds.get(name, UNKNOWN)
            if name in self.definitions or name in self.batched or is_promoted(kind):
                continue
            for place, other in enumerate(axes_of(kind) or ()):
                if other.symbol == axis.symbol and is_lasting(axis.symbol):
                    parameter = self.leaf(name)
                    return self._apply(axis_length, parameter, constant(place))
        return None

    def _is_list_of_zeros(self, operand: Operand) -> bool:
        value = self._only_value(operand)
        return isinstance(value, Apply) and value.function in (zero_items, zero_rows)

    def _repeated_result(self, s: Assign, item: Kind) -> Leaf:
        """What a line computes that no tangent enters, for each of them."""
        if isinstance(s.value, Const):
            return self.repeated(Leaf(s.value, item), item)
        single = self.spec.fresh("value")
        line = replace(s, target=single)
        self.definitions[single.name] = [line]
        self.spec.emit(line)
        return self.repeated(Leaf(single, item), item)

    def _apply(self, function: Any, *args: Value, spelling: str = "") -> Leaf:
        made = self.spec.apply(function, args, spelling=spelling)
        assert isinstance(made, Leaf)
        return made

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


def _type_of(dtype: str | None) -> Value:
    return constant(np.dtype(dtype).type)


def with_leading_axis(kind: Kind, axis: Axis) -> Kind:
    """The kind of many values of a kind.

    >>> str(with_leading_axis(NumPyScalar("float64"), Axis("any", "k")))
    'float64[?]'
    """
    if isinstance(kind, Scalar | NumPyScalar | Array):
        axes = axes_of(kind)
        return Array(dtype_of(kind), None if axes is None else (axis, *axes))
    if isinstance(kind, List) and kind.item is not None:
        return replace(kind, item=with_leading_axis(kind.item, axis))
    return kind


def batched_variables(block: Block, given: Mapping[str, Kind]) -> set[str]:
    """The variables that depend on those given, by their values and not only by their
    shapes."""
    batched = set(given)
    before = -1
    while len(batched) != before:
        before = len(batched)
        for s in walk(block):
            match s:
                case Assign():
                    if _reads(s.value, batched):
                        batched |= {v.name for v in operand_variables(s.target)}
                case Save():
                    if _reads(s.value, batched):
                        batched.add(s.stack.name)
                case Restore():
                    if s.stack.name in batched:
                        batched.add(s.target.name)
    return batched


def _reads(value: Any, batched: set[str]) -> bool:
    if isinstance(value, Apply):
        if value.function in SHAPE_QUERIES or value.function is shape_of:
            return False
        if value.function in _ZEROS:
            return False
    return any(v.name in batched for v in value_variables(value))


def _stacks(block: Block) -> set[str]:
    lines = list(walk(block))
    return {s.stack.name for s in lines if isinstance(s, Save | Restore)}


def _kinds_of_block(function: Function) -> dict[str, Kind]:
    """The kinds of variables, also of those that have one only where they are
    assigned."""
    found = dict(function.kinds)
    for s in walk(function.body):
        if not isinstance(s, Assign) or s.kind is None:
            continue
        if isinstance(s.target, Pack):
            kinds = getattr(s.kind, "items", ())
            pairs = list(zip(s.target.items, kinds, strict=False))
        else:
            pairs = [(s.target, s.kind)]
        for target, kind in pairs:
            if isinstance(target, Var) and target.name not in function.kinds:
                known = found.get(target.name)
                found[target.name] = kind if known is None else join(known, kind)
    return found


def _deciding(s: Statement) -> list[Operand]:
    """What decides which way control goes."""
    names = ("test", "start", "stop", "step", "until", "value")
    found = [getattr(s, name, None) for name in names]
    return [operand for operand in found if operand is not None]
