"""Lists and tuples whose length only the run knows, as lists that Numba can type.

Numba's lists hold items of one type, which it infers from what is appended. Appending
to one takes 2 ns, where an array that doubles its length takes 11. So lists stay lists;
this pass writes what Python does without types::

    a = tuple_of((x, 0))                     a = list_of([x, 0.0])
    b = new_list()                   ->      b = empty_list(float)
    s = np.sum(items)                        array = array_of_items(items)
                                             s = np.sum(array)

A tuple of unknown length is a list, too. Functions of arrays are given arrays.
"""

from __future__ import annotations

import builtins
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.codegen.numba import helpers
from s2sad.codegen.numba.functions import ELEMENTWISE
from s2sad.codegen.numba.lists.list_operations import empty_list
from s2sad.codegen.numba.programs import Facts
from s2sad.ir.kinds import (
    INT,
    Array,
    Kind,
    List,
    NumPyScalar,
    Scalar,
    array_of_list,
    dtype_of,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Operand,
    Pack,
    Statement,
    Var,
)
from s2sad.ir.walking import walk, with_leaves
from s2sad.ops.buffers import broadcast_like, full_like_of
from s2sad.ops.lists import (
    LIST_CHANGES,
    as_list,
    as_tuple,
    joined_lists,
    joined_tuples,
    list_of,
    new_list,
    tuple_of,
    tuple_with,
)
from s2sad.ops.runtime.broadcasting import (
    broadcast_to_shape_of,
    sum_to_shape_of,
)


def with_typed_lists(function: Function) -> Function:
    """The program with lists that Numba can type."""
    facts = Facts(function)
    if not any(isinstance(k, List) for k in facts.kinds.values()) and not any(
        isinstance(s, Assign) and _of_display(s.value) for s in walk(function.body)
    ):
        return function
    lists = _Lists(facts)
    body = with_leaves(function.body, lists.statement)
    kinds = {**function.kinds, **facts.added}
    temporaries = function.temporaries | frozenset(facts.added)
    return replace(function, body=body, kinds=kinds, temporaries=temporaries)


def _of_display(value: Any) -> bool:
    """True for a sum, least or greatest of numbers that are written out."""
    return (
        isinstance(value, Apply)
        and value.function in (builtins.sum, builtins.min, builtins.max)
        and len(value.args) > 0
        and isinstance(value.args[0], Pack)
        and not value.keywords
    )


class _Lists:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.appended_to = {
            s.target.name
            for s in walk(facts.function.body)
            if isinstance(s, Assign)
            and isinstance(s.target, Var)
            and isinstance(s.value, Apply)
            and s.value.function in LIST_CHANGES
            and s.value.args[0] == s.target
        }

    def statement(self, s: Statement) -> Block:
        if not isinstance(s, Assign) or not isinstance(s.value, Apply):
            return (s,)
        value = s.value
        lines: list[Statement] = []
        if _of_display(value):
            return self.of_display(s, value)
        kind = self.kind_of(s.target)
        if value.function is new_list and isinstance(kind, List):
            return (replace(s, value=self.empty(s, kind)),)
        if value.function in _AS_LISTS or value.function in (list_of, joined_lists):
            if value.args == (Pack(list, (), ()),) or value.args == (_EMPTY,):
                if isinstance(kind, List):
                    return (replace(s, value=self.empty(s, kind)),)
            parts = tuple(self.display(a, kind, lines, s) for a in value.args)
            function = _AS_LISTS.get(value.function, value.function)
            lines.append(
                replace(s, value=replace(value, function=function, args=parts))
            )
            return tuple(lines)
        if value.function is as_tuple:
            return (replace(s, value=replace(value, function=as_list)),)
        if value.function is tuple_with:
            items, item = value.args
            one = self.display(Pack(list, (0,), (item,)), kind, lines, s)
            joined = Apply(joined_lists, (items, one))
            return (*lines, replace(s, value=joined))
        if value.function is broadcast_like and self.is_list_of_numbers(value.args[1]):
            if self.facts.is_number(value.args[0]):
                count = self.facts.fresh("count", INT)
                length = Apply(len, (value.args[1],))
                lines.append(Assign(None, count, length, INT, derived=s.derived))
                full = Apply(np.full, (count, value.args[0]))
                return (*lines, replace(s, value=full))
        if value.function in _COLLECTED and len(value.args) == 1 and not value.keywords:
            kind_of_items = self.facts.kind(value.args[0])
            if isinstance(kind_of_items, List):
                value = Apply(_helper_for(kind_of_items), value.args)
                return (replace(s, value=value),)
        if self.takes_arrays(value):
            args = tuple(self.array(a, lines, s) for a in value.args)
            words = tuple((k, self.array(v, lines, s)) for k, v in value.keywords)
            lines.append(replace(s, value=replace(value, args=args, keywords=words)))
            return tuple(lines)
        return (s,)

    def kind_of(self, target: Any) -> Kind | None:
        return self.facts.kinds.get(target.name) if isinstance(target, Var) else None

    def empty(self, s: Assign, kind: List) -> Apply:
        """An empty list; Numba infers its type where something is appended to this one
        variable, which nothing else gives a value."""
        assert isinstance(s.target, Var)
        name = s.target.name
        own = [
            line
            for line in walk(self.facts.function.body)
            if isinstance(line, Assign)
            and line.target == s.target
            and not (
                isinstance(line.value, Apply)
                and line.value.function in LIST_CHANGES
                and line.value.args[0] == s.target
            )
        ]
        if name in self.appended_to and len(own) == 1:
            return Apply(new_list, ())
        return Apply(empty_list, (Const(kind.item),))

    def is_list_of_numbers(self, operand: Operand) -> bool:
        kind = self.facts.kind(operand)
        return isinstance(kind, List) and isinstance(kind.item, Scalar | NumPyScalar)

    def display(
        self, operand: Operand, kind: Kind | None, lines: list[Statement], like: Assign
    ) -> Operand:
        """Items that are written out, each of the type of the list's items: an item
        stored later would be cut down to that of the first."""
        if not isinstance(operand, Pack):
            return operand
        item = kind.item if isinstance(kind, List) else None
        found: list[Operand] = []
        for one in operand.items:
            if isinstance(one, Pack):
                found.append(self.display(one, item, lines, like))
            else:
                found.append(self.converted(one, item, lines, like))
        return Pack(list, tuple(range(len(found))), tuple(found))

    def converted(
        self, one: Operand, kind: Kind | None, lines: list[Statement], like: Assign
    ) -> Operand:
        """A number as one of this kind."""
        own = self.facts.kind(one)
        if not isinstance(kind, Scalar | NumPyScalar) or own is None:
            return one
        wanted = dtype_of(kind)
        if dtype_of(own) == wanted or wanted not in _CONVERSIONS:
            return one
        function, result = _CONVERSIONS[wanted]
        if isinstance(one, Const):
            return Const(function(one.value))
        number = self.facts.fresh("item", result)
        value = Apply(function, (one,))
        lines.append(Assign(like.span, number, value, result, derived=like.derived))
        return number

    def takes_arrays(self, value: Apply) -> bool:
        """True for an operation that NumPy makes of lists as it does of arrays."""
        function: Any = value.function
        try:
            known = function in ELEMENTWISE or function in _OF_SHAPES
        except TypeError:
            return False
        module = getattr(function, "__module__", "") or ""
        name = getattr(function, "__name__", "")
        if not known and not isinstance(function, np.ufunc):
            known = module.startswith("numpy") or getattr(np, name, None) is function
        if function in (operator.eq, operator.ne, operator.not_):
            return False
        operands = (*value.args, *(v for _, v in value.keywords))
        return known and any(isinstance(self.facts.kind(a), List) for a in operands)

    def array(self, operand: Operand, lines: list[Statement], like: Assign) -> Operand:
        """An operand as an array, if it is a list."""
        list_kind = self.facts.kind(operand)
        kind = array_of_list(list_kind)
        if kind is None or not isinstance(list_kind, List):
            return operand
        array = self.facts.fresh("items", kind)
        value = Apply(_helper_for(list_kind), (operand,))
        lines.append(Assign(None, array, value, kind, derived=like.derived))
        return array

    def of_display(self, s: Assign, value: Apply) -> Block:
        """``sum((a, b))`` as ``a + b``, ``min((a, b))`` as ``min(a, b)``."""
        items, *more = value.args
        assert isinstance(items, Pack)
        numbers = all(self.facts.is_number(a) for a in (*items.items, *more))
        if value.function is not builtins.sum:
            whole = numbers and len(items.items) > 1 and not more
            return (
                (replace(s, value=replace(value, args=items.items)),) if whole else (s,)
            )
        if not numbers or not items.items or not isinstance(s.target, Var):
            return (s,)
        first, *others = (*more, *items.items)
        if not others:
            return (replace(s, value=first),)
        lines: list[Statement] = []
        for k, other in enumerate(others):
            last = k == len(others) - 1
            kinds = [self.facts.kind(first), self.facts.kind(other)]
            whole = all(isinstance(i, Scalar) and i.type == "int" for i in kinds)
            kind = INT if whole else NumPyScalar("float64")
            target = s.target if last else self.facts.fresh("sum", kind)
            total = Apply(operator.add, (first, other))
            own = s.kind if last else kind
            lines.append(replace(s, target=target, value=total, kind=own))
            first = target
        return tuple(lines)


def _helper_for(kind: List) -> Any:
    """What makes an array of a list of this kind."""
    of_arrays = isinstance(kind.item, Array)
    return helpers.stacked_items if of_arrays else helpers.array_of_items


_OF_SHAPES = (operator.matmul, sum_to_shape_of, broadcast_to_shape_of, full_like_of)
_COLLECTED = (np.array, np.asarray, np.stack)
_EMPTY = Pack(tuple, (), ())
_AS_LISTS: dict[Any, Any] = {tuple_of: list_of, joined_tuples: joined_lists}
_CONVERSIONS: dict[str | None, Any] = {
    "float64": (builtins.float, Scalar("float")),
    "int64": (builtins.int, INT),
}
