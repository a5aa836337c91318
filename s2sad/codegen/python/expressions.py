"""Expressions of the IR to syntax."""

import ast
import copy
import math
import operator
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from s2sad import errors, ir, ops
from s2sad.analysis.memory.view_operations import gives_copy, is_view_operation
from s2sad.codegen.python.short_circuits import and_then, bool_op, or_else
from s2sad.codegen.python.spelling import Spelling
from s2sad.codegen.structures import constructors, records
from s2sad.codegen.structures.calls import StructureCalls
from s2sad.ops.runtime.arguments import gradient_of_items
from s2sad.ops.runtime.indices import last_writes
from s2sad.ops.runtime.results import module_data
from s2sad.ops.runtime.structures import (
    Adjoint,
    as_structure,
    instance_of,
    working_copy,
    zeros_of_structure,
)
from s2sad.rules.python.choice import choose, equals_zero
from s2sad.rules.steps import shape_queries
from s2sad.source.annotations.annotation_nodes import StandIn

BINARY: dict[Any, type[ast.operator]] = {
    operator.add: ast.Add,
    operator.sub: ast.Sub,
    operator.mul: ast.Mult,
    operator.truediv: ast.Div,
    operator.floordiv: ast.FloorDiv,
    operator.mod: ast.Mod,
    operator.pow: ast.Pow,
    operator.matmul: ast.MatMult,
    operator.lshift: ast.LShift,
    operator.rshift: ast.RShift,
    operator.and_: ast.BitAnd,
    operator.or_: ast.BitOr,
    operator.xor: ast.BitXor,
}
IN_PLACE: dict[Any, Any] = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
}
UNARY: dict[Any, type[ast.unaryop]] = {
    operator.neg: ast.USub,
    operator.pos: ast.UAdd,
    operator.not_: ast.Not,
    operator.invert: ast.Invert,
}
COMPARE: dict[Any, type[ast.cmpop]] = {
    operator.lt: ast.Lt,
    operator.le: ast.LtE,
    operator.gt: ast.Gt,
    operator.ge: ast.GtE,
    operator.eq: ast.Eq,
    operator.ne: ast.NotEq,
    equals_zero: ast.Eq,
    operator.is_: ast.Is,
    operator.is_not: ast.IsNot,
    ops.contains: ast.In,
}
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
}
LISTS = (
    ops.new_list,
    ops.list_of,
    ops.tuple_of,
    ops.tuple_with,
    ops.joined_lists,
    ops.joined_tuples,
    ops.repeated,
    ops.gathered,
    ops.as_list,
    ops.as_tuple,
    ops.items_of,
    ops.stored_items,
    ops.zero_items,
    ops.zero_lists,
    ops.in_lists,
    ops.numbers_of,
    gradient_of_items,
)
"""What gives lists and tuples, which have no shape of their own."""


_NEW_LISTS = (ops.zero_items, ops.joined_lists, ops.as_list)
"""Operations whose result is a list that nobody else has."""


_COPIES = (
    *(operator.getitem, np.array, np.sum, sum, max, min, sorted),
    *ops.ADDS_TO_ADJOINTS,
)
"""Operations that hold nothing of a list that they are given."""


def _is_of_list(value: ir.Apply) -> bool:
    """True for the items of a list that is kept, and for slices of them."""
    while value.function is operator.getitem and isinstance(value.args[0], ir.Apply):
        value = value.args[0]
    return value.function in (ops.items_of, ops.stored_items)


class Expressions:
    """Writes the expressions of one function; ``names`` are its variables' final
    names."""

    def __init__(
        self, function: ir.Function, names: Mapping[str, str], spelling: Spelling
    ) -> None:
        self.function, self.names, self.spelling = function, names, spelling
        self._structures = StructureCalls(
            function, names, spelling, self.operand, self._call, self._kind_kept
        )
        self._special: dict[Any, Callable[[ir.Apply], ast.expr]] = {
            operator.getitem: self._getitem,
            ops.read_item: self._getitem,
            ops.read_attribute: self._getattr,
            ops.stored_attribute: self._getattr,
            ops.stored_item: self._getitem,
            ops.take_item: self._taken_item,
            ops.take_key: self._taken_item,
            ops.slot_or_none: self.method_of_first("get"),
            ops.stored_index: self.method_of_first("index"),
            ops.stored_count: self.method_of_first("count"),
            ops.stored_contains: lambda a: ast.Compare(
                self.operand(a.args[1]), [ast.In()], [self.operand(a.args[0])]
            ),
            ops.stored_keys: lambda a: self._call_of_first("list", a),
            ops.stored_length: lambda a: self._call_of_first("len", a),
            ops.stored_items: lambda a: self._call_of_first("list", a),
            ops.items_of: lambda a: self.operand(a.args[0]),
            zeros_of_structure: self._structures.zeros,
            as_structure: self._structures.gradient,
            working_copy: self._structures.working_copy,
            ops.add_structure: self._structures.added,
            ops.kept_list: self._kept_list,
            ops.make_object: self._made_object,
            ops.make_adjoint: self._made_object,
            getattr: self._getattr,
            shape_queries.axis_length: self._axis_length,
            shape_queries.shape_of: self._shape_of,
            shape_queries.dtype_of_array: lambda a: attribute(
                self.operand(a.args[0]), "dtype"
            ),
            shape_queries.rank_of_array: lambda a: self._call(
                numpy_name("ndim", self.spelling), a
            ),
            np.size: self._size,
            ops.sparse_times: lambda a: self._product(*a.args[::-1]),
            ops.times_sparse: lambda a: self._product(*a.args),
            ops.sparse_transposed: lambda a: attribute(self.operand(a.args[0]), "T"),
            ops.broadcast_like: self._broadcast_like,
            ops.full_like_of: self._full_like,
            ops.overwritten_part: self._overwritten_part,
            last_writes: self._last_writes,
            ops.shared_result: lambda a: self.operand(a.args[0]),
            ops.own_copy: lambda a: method_call(self.operand(a.args[0]), "copy"),
            ops.add_to_slice: self._add_to_slice,
            ops.new_stack: lambda a: ast.List([], ast.Load()),
            ops.common_length: lambda a: self._call_of_first("len", a),
            choose: self._choice,
            ops.format_string: self._format_string,
            ops.format_value: self._format_string_of_one,
            and_then: lambda a: bool_op(ast.And(), *map(self.operand, a.args)),
            or_else: lambda a: bool_op(ast.Or(), *map(self.operand, a.args)),
        }

    def method_of_first(self, name: str) -> Callable[[ir.Apply], ast.expr]:
        """Writes operations as calls of a method of their first operand."""

        def call(value: ir.Apply) -> ast.expr:
            owner, *arguments = map(self.operand, value.args)
            return method_call(owner, name, *arguments)

        return call

    def _kept_list(self, value: ir.Apply) -> ast.expr:
        """A new list of the same items; the list itself, if nobody else has it."""
        (items,) = value.args
        written = self.operand(items)
        if isinstance(items, ir.Apply) and items.function in _NEW_LISTS:
            if not isinstance(getattr(written, "left", None), ast.Tuple):
                return written
        return ast.Call(self.spelling.builtin("list"), [written], [])

    def _call_of_first(self, name: str, value: ir.Apply) -> ast.expr:
        return ast.Call(self.spelling.builtin(name), [self.operand(value.args[0])], [])

    def operand(self, operand: Any) -> ast.expr:
        """The expression of an operand."""
        match operand:
            case ir.Var():
                return self._name(operand, ast.Load())
            case ir.Const(value=value):
                return self._constant(value)
            case ir.Global():
                return self.spelling.global_data(operand)
            case ir.Pack():
                return self._pack(operand)
            case ir.Slice():
                return ast.Slice(
                    *(
                        None if p is None else self.operand(p)
                        for p in (operand.lower, operand.upper, operand.step)
                    )
                )
            case ir.Apply():
                return self._apply(operand)
        raise TypeError(f"no expression for {operand!r}")

    def _constant(self, value: Any) -> ast.expr:
        if isinstance(value, float) and not math.isfinite(value):
            if math.isnan(value):
                return numpy_name("nan", self.spelling)
            infinity = numpy_name("inf", self.spelling)
            return infinity if value > 0 else ast.UnaryOp(ast.USub(), infinity)
        if isinstance(value, Enum):
            owner = self.spelling.function(type(value))
            return ast.Attribute(owner, value.name, ast.Load())
        plain = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
        if type(value) in plain or isinstance(value, np.generic):
            return ast.Constant(value)
        if type(value) is tuple:
            return ast.Tuple([self._constant(v) for v in value], ast.Load())
        if type(value) is frozenset:
            return self._frozenset([self._constant(v) for v in sorted(value, key=repr)])
        if value is type(None):  # which has no name
            return ast.Call(self.spelling.function(type), [ast.Constant(None)], [])
        return self.spelling.function(value)

    def _frozenset(self, items: list[ast.expr]) -> ast.expr:
        members: list[ast.expr] = [ast.Tuple(items, ast.Load())] if items else []
        return ast.Call(self.spelling.function(frozenset), members, [])

    def _pack(self, pack: ir.Pack) -> ast.expr:
        items = [self.operand(i) for i in pack.items]
        if pack.constructor is tuple:
            return ast.Tuple(items, ast.Load())
        if pack.constructor is list:
            return ast.List(items, ast.Load())
        if pack.constructor is frozenset:
            return self._frozenset(items)
        if pack.constructor is set:
            return ast.Set(items)
        if pack.constructor is dict:
            keys: list[ast.expr | None] = [self._constant(k) for k in pack.keys]
            return ast.Dict(keys, items)
        constructor = self.spelling.function(pack.constructor)
        given = constructors.words_of_call(pack.constructor, pack.keys, pack.items)
        if given is not None:
            words = [ast.keyword(name, self.operand(held)) for name, held in given]
            return ast.Call(constructor, [], words)
        if not pack.keys:
            return method_call(constructor, "__new__", constructor)
        words = [
            ast.keyword(str(k), item) for k, item in zip(pack.keys, items, strict=True)
        ]
        return ast.Call(self.spelling.function(instance_of), [constructor], words)

    def _with_arrays_in_place(self, value: ir.Apply) -> ir.Apply:
        """An operation whose result is new without copies of the arrays, and parts of
        arrays, that it reads."""
        args: list[Any] = [*value.args]
        for place, operand in enumerate(args):
            if not isinstance(operand, ir.Apply):
                continue
            if operand.function is ops.stored_part:
                if is_view_operation(value, self.function.kinds):
                    return value
                args[place] = replace(operand, function=ops.read_part)
            elif value.function in _COPIES:
                first = operand.args[0] if operand.args else None
                if operand.function is np.array and isinstance(first, ir.Apply):
                    if value.function is not operator.getitem:
                        operand = first
                if operand.function is ops.stored_items:
                    args[place] = replace(operand, function=ops.items_of)
        return replace(value, args=tuple(args)) if args != [*value.args] else value

    def _apply(self, value: ir.Apply) -> ast.expr:
        if value.function is ops.at_its_time:
            value = ops.done_now(value)
        value = self._with_arrays_in_place(value)
        function = IN_PLACE.get(value.function, value.function)
        if value.spelling.startswith("attribute:") and function not in self._special:
            return attribute(self.operand(value.args[0]), value.spelling.split(":")[1])
        if value.spelling.startswith("method:"):
            return self._method(value)
        if function in BINARY:
            left, right = (self.operand(a) for a in value.args)
            sign = BINARY[function]()
            if isinstance(sign, ast.Add | ast.Sub) and isinstance(right, ast.Constant):
                sign, right = _signed(sign, right)
            return ast.BinOp(left, sign, right)
        if function in UNARY:
            inner = self.operand(value.args[0])
            if function is operator.neg and isinstance(value.args[0], ir.Apply):
                positive = _without_sign(inner)
                if isinstance(positive, ast.BinOp):  # a name or item is no copy
                    return positive
            if function is operator.not_:
                return denied(inner)
            return ast.UnaryOp(UNARY[function](), inner)
        if function in COMPARE:
            left, right = (self.operand(a) for a in value.args)
            return ast.Compare(left, [COMPARE[function]()], [right])
        special = self._special.get(function)
        if special is not None:
            return special(value)
        if ops.is_plain_transpose(value):
            kind = self._kind(value.args[0])
            if isinstance(kind, ir.Array):
                return attribute(self.operand(value.args[0]), "T")
        return self._call(self.spelling.function(function), value)

    def _product(self, left: Any, right: Any) -> ast.expr:
        return ast.BinOp(self.operand(left), ast.MatMult(), self.operand(right))

    def _kind(self, operand: Any) -> ir.Kind | None:
        return ir.kind_of(operand, self.function.kinds)

    def _call(self, function: ast.expr, value: ir.Apply) -> ast.expr:
        words = [ast.keyword(k, self.operand(v)) for k, v in value.keywords]
        return ast.Call(function, [self.operand(a) for a in value.args], words)

    def _choice(self, value: ir.Apply) -> ast.expr:
        condition, x, y = (self.operand(a) for a in value.args)
        return ast.IfExp(condition, x, y)

    def _method(self, value: ir.Apply) -> ast.expr:
        owner, *arguments = value.args
        words = [ast.keyword(k, self.operand(v)) for k, v in value.keywords]
        name = value.spelling.split(":")[1]
        spread = (
            name in ("reshape", "transpose", "item")
            and arguments
            and isinstance(arguments[0], ir.Pack)
            and arguments[0].items
        )
        if spread:
            arguments = list(arguments[0].items)  # type: ignore[union-attr]
        function = attribute(self.operand(owner), name)
        return ast.Call(function, [self.operand(a) for a in arguments], words)

    def _getitem(self, value: ir.Apply) -> ast.expr:
        return self.part(*value.args)

    def part(self, owner: Any, index: Any) -> ast.Subscript:
        """``owner[index]``, without an ellipsis that says nothing."""
        rank = ir.rank_of(self._kind(owner) or ir.UNKNOWN)
        if isinstance(index, ir.Pack) and index.constructor is tuple and index.items:
            *items, last = index.items
            if last == ir.Const(Ellipsis) and 0 < len(items) < (rank or 0):
                if not any(i == ir.Const(None) for i in items):
                    index = ir.pack_tuple(*items) if len(items) > 1 else items[0]
        return ast.Subscript(self.operand(owner), self.operand(index), ast.Load())

    def _getattr(self, value: ir.Apply) -> ast.expr:
        if len(value.args) == 3:  # with a default
            return self._call(self.spelling.builtin("getattr"), value)
        owner, name = value.args
        assert isinstance(name, ir.Const)
        return attribute(self.operand(owner), name.value)

    def _taken_item(self, value: ir.Apply) -> ast.expr:
        owner, place = map(self.operand, value.args)
        of_list = value.function is ops.take_item
        if of_list and value.args[1] == ir.Const(-1):
            return method_call(owner, "pop")
        if of_list and self._is_deque(value.args[0]):
            return method_call(owner, "popleft")
        return method_call(owner, "pop", place)

    def _is_deque(self, operand: Any) -> bool:
        kind = self._kind_kept(operand)
        return kind is not None and kind.constructor is deque

    def _made_object(self, value: ir.Apply) -> ast.expr:
        """``P(x=1.0)``, or of a class that does more when it is called the object
        alone; an adjoint is of the class that adjoints have."""
        cls, names, *values = value.args
        assert isinstance(cls, ir.Const) and isinstance(names, ir.Const)
        constructor = cls.value
        if constructor is deque:
            listed = [self._pack(ir.Pack(list, names.value, tuple(values)))]
            limits = [ast.keyword(n, self.operand(v)) for n, v in value.keywords]
            made_by = self.spelling.function(deque)
            return ast.Call(made_by, listed if values else [], limits)
        if value.keywords and value.function is ops.make_object:
            plain = replace(value, keywords=())
            made_by = self.spelling.function(module_data)
            return ast.Call(made_by, [self._made_object(plain)], [])
        if constructor in (list, tuple):
            whole = list if value.function is ops.make_adjoint else constructor
            return self._pack(ir.Pack(whole, names.value, tuple(values)))
        if constructor is dict:
            return self._pack(ir.Pack(dict, names.value, tuple(values)))
        if value.function is ops.make_adjoint:
            for_file = self.spelling.namespace is None
            form = ir.Form(constructor, names.value)
            if hasattr(constructor, "_fields") and not for_file:
                made_by = self.spelling.function(records.class_of_items(form, False))
                items = self._pack(ir.Pack(list, names.value, tuple(values)))
                return ast.Call(made_by, [items], [])
            constructor = records.adjoint_class(form, for_file)
            if for_file and constructor is Adjoint:
                raise errors.S2sadError(
                    f"a {cls.value.__name__} is made among those that are given, which "
                    "the derivatives of a file don't follow of a class that does more "
                    "than hold its attributes"
                )
        is_record = hasattr(constructor, ops.TEXT_OF_CLASS)
        if is_record or isinstance(constructor, StandIn):
            words = zip(names.value, map(self.operand, values), strict=True)
            made_by = self.spelling.function(records.class_in_file(constructor))
            return ast.Call(made_by, [], [ast.keyword(*word) for word in words])
        return self._pack(ir.Pack(constructor, names.value, tuple(values)))

    def _axis_length(self, value: ir.Apply) -> ast.expr:
        owner, axis = value.args
        shape = attribute(self.operand(owner), "shape")
        return ast.Subscript(shape, self.operand(axis), ast.Load())

    def _shape_of(self, value: ir.Apply) -> ast.expr:
        return self._shape(value.args[0])

    def _shape(self, operand: Any) -> ast.expr:
        kind = self._kind_of_item(operand) or self._kind(operand)
        kind = ir.without_none(kind)
        if isinstance(kind, ir.List) and isinstance(
            kind.item, ir.Scalar | ir.NumPyScalar
        ):
            return ast.Call(self.spelling.builtin("len"), [self.operand(operand)], [])
        if isinstance(operand, ir.Apply) and operand.function in (
            ops.list_of,
            ops.tuple_of,
        ):
            (pack,) = operand.args
            assert isinstance(pack, ir.Pack)
            if all(self._is_number(item) for item in pack.items):
                return ast.Constant(len(pack.items))
        made_here = isinstance(operand, ir.Apply) and operand.function not in LISTS
        made_here = made_here and not _is_of_list(operand)
        if (made_here and not isinstance(kind, ir.List)) or (
            isinstance(kind, ir.Array) and not kind.promoted
        ):
            return attribute(self.operand(operand), "shape")
        return ast.Call(numpy_name("shape", self.spelling), [self.operand(operand)], [])

    def _kind_of_item(self, operand: Any) -> ir.Kind | None:
        """The kind of a list that is read from another, an item or a slice of it, or
        from a run-time value."""
        if not isinstance(operand, ir.Apply):
            return None
        if operand.function in (ops.items_of, ops.stored_items):
            held = self._kind_kept(operand.args[0])
            return held and ir.List(ir.kind_of_slot(held, ir.EACH))
        if operand.function is not operator.getitem:
            return None
        items, index = operand.args
        kind = self._kind_of_item(items) or self._kind(items)
        if not isinstance(kind, ir.List):
            return None
        if isinstance(index, ir.Slice):
            return kind
        return kind.item if isinstance(kind.item, ir.List) else None

    def _kind_kept(self, operand: Any) -> ir.Reference | None:
        """The kind of a run-time value that is read from others."""
        kind = self._kind(operand)
        if (
            isinstance(operand, ir.Apply)
            and operand.function in ops.READS_OF_REFERENCES
        ):
            holder, *keys = operand.args
            held = self._kind_kept(holder)
            own = ir.EACH
            if keys and isinstance(keys[0], ir.Const):
                own = keys[0].value
            for place in (own, ir.EACH):
                kind = kind or (held and ir.kind_of_slot(held, place))
        return kind if isinstance(kind, ir.Reference) else None

    def _is_number(self, operand: Any) -> bool:
        if isinstance(operand, ir.Const):
            return True
        return isinstance(self._kind(operand), ir.Scalar | ir.NumPyScalar)

    def _size(self, value: ir.Apply) -> ast.expr:
        kind = self._kind(value.args[0])
        known = (
            isinstance(kind, ir.Array) and not kind.promoted and kind.axes is not None
        )
        if known or value.spelling == "attribute:size":
            return attribute(self.operand(value.args[0]), "size")
        return self._call(numpy_name("size", self.spelling), value)

    def _broadcast_like(self, value: ir.Apply) -> ast.expr:
        amount, like = value.args
        function = numpy_name("broadcast_to", self.spelling)
        return ast.Call(function, [self.operand(amount), self._shape(like)], [])

    def _full_like(self, value: ir.Apply) -> ast.expr:
        amount, like = value.args
        if isinstance(amount, ir.Const):
            full = numpy_name("full", self.spelling)
            return ast.Call(full, [self._shape(like), self.operand(amount)], [])
        return method_call(self._broadcast_like(value), "copy")

    def _format_string(self, value: ir.Apply) -> ast.expr:
        parts: list[ast.expr] = []
        for part in value.args:
            if isinstance(part, ir.Apply) and part.function is ops.format_value:
                parts.append(self._formatted(part))
            elif isinstance(part, ir.Const):
                parts.append(ast.Constant(part.value))
            else:
                parts.append(ast.FormattedValue(self.operand(part), -1, None))
        return ast.JoinedStr(parts)

    def _format_string_of_one(self, value: ir.Apply) -> ast.expr:
        return ast.JoinedStr([self._formatted(value)])

    def _formatted(self, value: ir.Apply) -> ast.expr:
        item, conversion, specification = value.args
        assert isinstance(conversion, ir.Const)
        form: ast.expr | None = None
        if isinstance(specification, ir.Const):
            if specification.value:
                form = ast.JoinedStr([ast.Constant(specification.value)])
        else:
            inner = self.operand(specification)
            form = (
                inner
                if isinstance(inner, ast.JoinedStr)
                else ast.JoinedStr([ast.FormattedValue(inner, -1, None)])
            )
        code = ord(conversion.value) if conversion.value else -1
        return ast.FormattedValue(self.operand(item), code, form)

    def _overwritten_part(self, value: ir.Apply) -> ast.expr:
        """``x[i]``; a copy of it, where it may be a view."""
        array, index = value.args
        part = self.part(array, index)
        kind = self.function.kinds.get(getattr(array, "name", ""))
        items = index.items if isinstance(index, ir.Pack) else (index,)
        rank = len(ir.axes_of(kind) or ()) if kind is not None else -1
        if len(items) == rank and all(map(self._is_whole_number, items)):
            return part
        if gives_copy(index, self.function.kinds):
            return part
        return method_call(part, "copy")

    def _last_writes(self, value: ir.Apply) -> ast.expr:
        array, index = value.args
        function = self.spelling.function(last_writes)
        arguments = [self.operand(array), self._whole_index(index)]
        return ast.Call(function, arguments, [])

    def _is_whole_number(self, index: Any) -> bool:
        if isinstance(index, ir.Const):
            return isinstance(index.value, int)
        kind = self.function.kinds.get(getattr(index, "name", ""))
        return isinstance(kind, ir.Scalar) and kind.type == "int"

    def _whole_index(self, index: Any) -> ast.expr:
        """An index as an argument, where ``:`` isn't syntax."""
        if isinstance(index, ir.Pack) and index.constructor is tuple:
            return ast.Tuple([self._whole_index(i) for i in index.items], ast.Load())
        if isinstance(index, ir.Slice):
            parts = (index.lower, index.upper, index.step)
            words = [
                ast.Constant(None) if p is None else self.operand(p) for p in parts
            ]
            if index.step is None:
                words = words[:2] if index.lower is not None else words[1:2]
            return ast.Call(self.spelling.builtin("slice"), words, [])
        return self.operand(index)

    def _add_to_slice(self, value: ir.Apply) -> ast.expr:
        adjoint, places, amounts = value.args
        call = self._structures.general(
            value.function, replace(value, args=(adjoint, amounts))
        )
        assert isinstance(call, ast.Call)
        call.args.insert(1, self._whole_index(places))
        return call

    def _name(self, variable: ir.Var, context: ast.expr_context) -> ast.Name:
        return ast.Name(self.names.get(variable.name, variable.name), context)


def attribute(owner: ast.expr, name: str) -> ast.expr:
    return ast.Attribute(owner, name, ast.Load())


def method_call(owner: ast.expr, name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(attribute(owner, name), list(arguments), [])


def numpy_name(name: str, spelling: Spelling) -> ast.expr:
    return attribute(ast.Name(spelling.module_name("numpy"), ast.Load()), name)


def accumulation(
    place: ast.Name | ast.Attribute | ast.Subscript, sign: ast.operator, added: ast.expr
) -> ast.AugAssign:
    """``place += b``; for ``-b`` and ``-2.0 * b`` it is ``place -= ...``."""
    return ast.AugAssign(place, *_signed(sign, added))


def stored(place: ast.Subscript | ast.Attribute, value: ast.expr) -> ast.stmt:
    """``place = value`` for a number; ``place += b`` where the value is ``place +
    b``."""
    if isinstance(value, ast.BinOp) and isinstance(value.left, type(place)):
        before = copy.copy(place)
        before.ctx = ast.Load()
        if ast.dump(value.left) == ast.dump(before):
            return ast.AugAssign(place, value.op, value.right)
    return ast.Assign([place], value)


def _signed(sign: ast.operator, term: ast.expr) -> tuple[ast.operator, ast.expr]:
    """The sign in front of a term that begins without a minus; to the last bit that
    gives the same."""
    positive = _without_sign(term)
    if positive is None:
        return sign, term
    return ast.Sub() if isinstance(sign, ast.Add) else ast.Add(), positive


def denied(test: ast.expr) -> ast.expr:
    """``not test``; of some comparisons that is another one (of arrays it isn't)."""
    match test:
        case ast.Compare(left, [ast.In() | ast.Is() as op], right):
            return ast.Compare(left, [_OPPOSITES[type(op)]()], right)
        case ast.Compare(left, [ast.Eq()], [ast.Constant(str())] as right):
            return ast.Compare(left, [ast.NotEq()], right)
    return ast.UnaryOp(ast.Not(), test)


def _without_sign(value: ast.expr) -> ast.expr | None:
    """The value times -1, if it starts with a minus."""
    match value:
        case ast.UnaryOp(op=ast.USub()):
            return value.operand
        case ast.Constant(value=float() as number) if number < 0:
            return ast.Constant(-number)  # an int may not fit into an array's dtype
        case ast.BinOp(op=ast.Mult() | ast.Div(), left=left):
            factor = _without_sign(left)
            return None if factor is None else ast.BinOp(factor, value.op, value.right)
    return None
