"""Lists and tuples whose length only the run knows, as lists that Numba can type.

Numba's lists hold items of one type, which it infers from what is appended. Appending
to one takes 2 ns, where an array that doubles its length takes 11. So lists stay lists;
this pass writes what Python does without types::

    a = tuple_of((x, 0))                     a = list_of([x, 0.0])
    b = new_list()                   ->      b = empty_list(float)
    s = np.sum(items)                        array = array_of_items(items)
                                             s = np.sum(array)
    c = not_(items)                          count = len(items)
                                             c = eq(count, 0)

A tuple of unknown length is a list, too. Functions of arrays are given arrays.
"""

import builtins
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba import functions, helpers, programs
from s2sad.codegen.numba.lists.list_operations import empty_list
from s2sad.ops.runtime.broadcasting import broadcast_to_shape_of, sum_to_shape_of


def with_typed_lists(function: ir.Function) -> ir.Function:
    """The program with lists that Numba can type."""
    facts = programs.Facts(function)
    if not any(isinstance(k, ir.List) for k in facts.kinds.values()) and not any(
        isinstance(s, ir.Assign) and _of_display(s.value)
        for s in ir.walk(function.body)
    ):
        return function
    return facts.program(ir.with_leaves(function.body, _Lists(facts).statement))


def _of_display(value: Any) -> bool:
    """True for a sum, least or greatest of numbers that are written out."""
    return (
        isinstance(value, ir.Apply)
        and value.function in (builtins.sum, builtins.min, builtins.max)
        and len(value.args) > 0
        and isinstance(value.args[0], ir.Pack)
        and not value.keywords
    )


class _Lists:
    def __init__(self, facts: programs.Facts) -> None:
        self.facts = facts
        self.appended_to = {
            s.target.name
            for s in ir.walk(facts.function.body)
            if ir.is_line(s, *ops.LIST_CHANGES) and s.value.args[0] == s.target
        }

    def statement(self, s: ir.Statement) -> ir.Block:
        if not ir.applies(s):
            return (s,)
        value = s.value
        lines = programs.Lines(s)
        if _of_display(value):
            return self.of_display(s, value)
        kind = self.kind_of(s.target)
        if value.function is ops.new_list and isinstance(kind, ir.List):
            return (replace(s, value=self.empty(s, kind)),)
        if value.function in _AS_LISTS or value.function in (
            ops.list_of,
            ops.joined_lists,
        ):
            if value.args == (ir.Pack(list, (), ()),) or value.args == (_EMPTY,):
                if isinstance(kind, ir.List):
                    return (replace(s, value=self.empty(s, kind)),)
            parts = tuple(self.display(a, kind, lines) for a in value.args)
            function = _AS_LISTS.get(value.function, value.function)
            lines.append(
                replace(s, value=replace(value, function=function, args=parts))
            )
            return tuple(lines)
        if value.function is operator.not_ and isinstance(
            self.facts.kind(value.args[0]), ir.List
        ):
            count = self.facts.fresh("count", ir.INT)
            length = ir.Apply(len, value.args)
            empty = ir.Apply(operator.eq, (count, ir.Const(0)))
            return (ir.Assign(s.span, count, length, ir.INT), replace(s, value=empty))
        if value.function is ops.as_tuple:
            return (replace(s, value=replace(value, function=ops.as_list)),)
        if value.function is ops.tuple_with:
            items, item = value.args
            one = self.display(ir.Pack(list, (0,), (item,)), kind, lines)
            joined = ir.Apply(ops.joined_lists, (items, one))
            return (*lines, replace(s, value=joined))
        spreads = value.function in (ops.broadcast_like, ops.full_like_of)
        if spreads and self.is_list_of_numbers(value.args[1]):
            if self.facts.is_number(value.args[0]):
                count = self.facts.fresh("count", ir.INT)
                length = ir.Apply(len, (value.args[1],))
                lines.append(ir.Assign(None, count, length, ir.INT, derived=s.derived))
                full = ir.Apply(np.full, (count, value.args[0]))
                return (*lines, replace(s, value=full))
        if value.function in _COLLECTED and len(value.args) == 1 and not value.keywords:
            kind_of_items = self.facts.kind(value.args[0])
            if isinstance(kind_of_items, ir.List):
                value = ir.Apply(_helper_for(kind_of_items), value.args)
                return (replace(s, value=value),)
        if self.takes_arrays(value):
            args = tuple(self.array(a, lines) for a in value.args)
            words = tuple((k, self.array(v, lines)) for k, v in value.keywords)
            lines.append(replace(s, value=replace(value, args=args, keywords=words)))
            return tuple(lines)
        return (s,)

    def kind_of(self, target: Any) -> ir.Kind | None:
        return ir.kind_of(target, self.facts.kinds)

    def empty(self, s: ir.Assign, kind: ir.List) -> ir.Apply:
        """An empty list; Numba infers its type where something is appended to this one
        variable, which nothing else gives a value."""
        assert isinstance(s.target, ir.Var)
        name = s.target.name
        own = [
            line
            for line in ir.walk(self.facts.function.body)
            if isinstance(line, ir.Assign)
            and line.target == s.target
            and not (
                isinstance(line.value, ir.Apply)
                and line.value.function in ops.LIST_CHANGES
                and line.value.args[0] == s.target
            )
        ]
        if name in self.appended_to and len(own) == 1:
            return ir.Apply(ops.new_list, ())
        return ir.Apply(empty_list, (ir.Const(kind.item),))

    def is_list_of_numbers(self, operand: ir.Operand) -> bool:
        return ir.is_list_of_numbers(self.facts.kind(operand))

    def display(
        self, operand: ir.Operand, kind: ir.Kind | None, lines: programs.Lines
    ) -> ir.Operand:
        """Items that are written out, each of the type of the list's items: an item
        stored later would be cut down to that of the first."""
        if not isinstance(operand, ir.Pack):
            return operand
        item = kind.item if isinstance(kind, ir.List) else None
        found: list[ir.Operand] = []
        for one in operand.items:
            if isinstance(one, ir.Pack):
                found.append(self.display(one, item, lines))
            else:
                found.append(self.converted(one, item, lines))
        return ir.Pack(list, tuple(range(len(found))), tuple(found))

    def converted(
        self, one: ir.Operand, kind: ir.Kind | None, lines: programs.Lines
    ) -> ir.Operand:
        """A number as one of this kind."""
        own = self.facts.kind(one)
        if not isinstance(kind, ir.Scalar | ir.NumPyScalar) or own is None:
            return one
        wanted = ir.dtype_of(kind)
        if ir.dtype_of(own) == wanted or wanted not in _CONVERSIONS:
            return one
        function, result = _CONVERSIONS[wanted]
        if isinstance(one, ir.Const):
            return ir.Const(function(one.value))
        number, like = self.facts.fresh("item", result), lines.like
        value = ir.Apply(function, (one,))
        lines.append(ir.Assign(like.span, number, value, result, derived=like.derived))
        return number

    def takes_arrays(self, value: ir.Apply) -> bool:
        """True for an operation that NumPy makes of lists as it does of arrays."""
        function: Any = value.function
        try:
            known = function in functions.ELEMENTWISE or function in _OF_SHAPES
        except TypeError:
            return False
        module = getattr(function, "__module__", "") or ""
        name = getattr(function, "__name__", "")
        if not known and not isinstance(function, np.ufunc):
            known = module.startswith("numpy") or getattr(np, name, None) is function
        if function in (operator.eq, operator.ne, operator.not_):
            return False
        operands = (*value.args, *(v for _, v in value.keywords))
        return known and any(isinstance(self.facts.kind(a), ir.List) for a in operands)

    def array(self, operand: ir.Operand, lines: programs.Lines) -> ir.Operand:
        """An operand as an array, if it is a list."""
        list_kind = self.facts.kind(operand)
        kind = ir.array_of_list(list_kind)
        if kind is None or not isinstance(list_kind, ir.List):
            return operand
        array = self.facts.fresh("items", kind)
        value = ir.Apply(_helper_for(list_kind), (operand,))
        lines.append(ir.Assign(None, array, value, kind, derived=lines.like.derived))
        return array

    def of_display(self, s: ir.Assign, value: ir.Apply) -> ir.Block:
        """``sum((a, b))`` as ``a + b``, ``min((a, b))`` as ``min(a, b)``."""
        items, *more = value.args
        assert isinstance(items, ir.Pack)
        numbers = all(self.facts.is_number(a) for a in (*items.items, *more))
        if value.function is not builtins.sum:
            whole = numbers and len(items.items) > 1 and not more
            return (
                (replace(s, value=replace(value, args=items.items)),) if whole else (s,)
            )
        if not numbers or not items.items or not isinstance(s.target, ir.Var):
            return (s,)
        first, *others = (*more, *items.items)
        if not others:
            return (replace(s, value=first),)
        lines: list[ir.Statement] = []
        for k, other in enumerate(others):
            last = k == len(others) - 1
            kinds = [self.facts.kind(first), self.facts.kind(other)]
            whole = all(isinstance(i, ir.Scalar) and i.type == "int" for i in kinds)
            kind = ir.INT if whole else ir.NumPyScalar("float64")
            target = s.target if last else self.facts.fresh("sum", kind)
            total = ir.Apply(operator.add, (first, other))
            own = s.kind if last else kind
            lines.append(replace(s, target=target, value=total, kind=own))
            first = target
        return tuple(lines)


def _helper_for(kind: ir.List) -> Any:
    """What makes an array of a list of this kind."""
    of_arrays = isinstance(kind.item, ir.Array)
    return helpers.stacked_items if of_arrays else helpers.array_of_items


_OF_SHAPES = (operator.matmul, sum_to_shape_of, broadcast_to_shape_of, ops.full_like_of)
_COLLECTED = (np.array, np.asarray, np.stack)
_EMPTY = ir.Pack(tuple, (), ())
_AS_LISTS: dict[Any, Any] = {
    ops.tuple_of: ops.list_of,
    ops.joined_tuples: ops.joined_lists,
    ops.extended: ops.joined_lists,
}
_CONVERSIONS: dict[str | None, Any] = {
    "float64": (builtins.float, ir.Scalar("float")),
    "int64": (builtins.int, ir.INT),
}
