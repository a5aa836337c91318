"""IR to syntax: statements and expressions of the output, with comments."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from s2sad.codegen.effects import format_string, format_value, raise_assertion_error
from s2sad.codegen.layout import Comment
from s2sad.codegen.spelling import Spelling
from s2sad.frontend.specialise.expressions import contains
from s2sad.ir.kinds import Array, Kind, NumPyScalar, Scalar
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    For,
    Function,
    Global,
    If,
    Pack,
    Restore,
    Return,
    Save,
    Slice,
    Statement,
    Var,
    While,
    direct_reads,
    walk,
)
from s2sad.rules.shape_queries import (
    axis_length,
    dtype_of_array,
    rank_of_array,
    shape_of,
)
from s2sad.transform.assemble import new_stack
from s2sad.transform.buffers import broadcast_like, full_like_of, index_add, index_set, own_copy

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
    operator.is_: ast.Is,
    operator.is_not: ast.IsNot,
    contains: ast.In,
}


class Emitter:
    """Writes one function; ``names`` are the final names of its variables."""

    def __init__(
        self, function: Function, names: Mapping[str, str], spelling: Spelling
    ) -> None:
        self.function, self.names, self.spelling = function, names, spelling
        self.iterators = {
            s.target.name
            for s in walk(function.body)
            if isinstance(s, Assign)
            and isinstance(s.target, Var)
            and isinstance(s.value, Apply)
            and s.value.function is reversed
        }
        self._special: dict[Any, Callable[[Apply], ast.expr]] = {
            operator.getitem: self._getitem,
            getattr: self._getattr,
            axis_length: self._axis_length,
            shape_of: self._shape_of,
            dtype_of_array: lambda a: _attribute(self.operand(a.args[0]), "dtype"),
            rank_of_array: lambda a: self._call(_np("ndim", self.spelling), a),
            np.size: self._size,
            broadcast_like: self._broadcast_like,
            full_like_of: self._full_like,
            own_copy: lambda a: _method_call(self.operand(a.args[0]), "copy"),
            new_stack: lambda a: ast.List([], ast.Load()),
            format_string: self._format_string,
            format_value: self._format_string_of_one,
        }

    # ---------------------------------------------------------------- statements

    def definition(self, name: str, arguments: ast.arguments) -> ast.FunctionDef:
        """The whole function."""
        body: list[ast.stmt] = []
        if self.function.docstring:
            body.append(ast.Expr(ast.Constant(self.function.docstring)))
        body += self.block(self.function.body)
        return ast.FunctionDef(name, arguments, body, [], None, type_params=[])  # type: ignore[call-arg]

    def block(self, block: Block) -> list[ast.stmt]:
        """The statements of a block; reverse lines under the statement they reverse."""
        result: list[ast.stmt] = []
        heading: tuple[Any, ...] | None = None
        for position, statement in enumerate(block):
            if _is_reverse_line(statement):
                span = statement.span or _next_span(block, position)
                place = None if span is None else (span.filename, span.line, span.statement)
                if place is not None and place != heading and span is not None:
                    result.append(Comment(span.statement))
                heading = place if place is not None else heading
            elif not _is_reverse(statement):
                heading = None
            result += self.statement(statement)
        return result

    def statement(self, s: Statement) -> list[ast.stmt]:
        """The lines of one statement."""
        match s:
            case Assign():
                return self._assign(s)
            case If():
                return self._if(s)
            case For():
                body = self.block(s.body) or [ast.Pass()]
                target = self._name(s.target, ast.Store())
                reads = {v.name for inner in walk(s.body) for v in direct_reads(inner)}
                own = "." not in s.target.name and s.target.name not in self.function.temporaries
                if s.target.name not in reads and not own:
                    target = ast.Name("_", ast.Store())
                return [ast.For(target, self._range(s), body, [], None)]
            case While():
                return [self._while(s)]
            case Return():
                return [ast.Return(self.operand(s.value))]
            case Effect():
                return [self._effect(s.value)]
            case Save():
                call = _method_call(self.operand(s.stack), "append", self.operand(s.value))
                return [ast.Expr(call)]
            case Restore():
                value = _method_call(self.operand(s.stack), "pop")
                if s.stack.name in self.iterators:
                    value = ast.Call(ast.Name("next", ast.Load()), [self.operand(s.stack)], [])
                return [ast.Assign([self._name(s.target, ast.Store())], value)]
        raise TypeError(f"unknown statement {s!r}")

    def _name(self, variable: Var, context: ast.expr_context) -> ast.Name:
        return ast.Name(self.names.get(variable.name, variable.name), context)

    def _assign(self, s: Assign) -> list[ast.stmt]:
        if isinstance(s.target, Pack):
            items = [self._name(v, ast.Store()) for v in s.target.items]  # type: ignore[arg-type]
            target: ast.expr = ast.Tuple(items, ast.Store())
            return [ast.Assign([target], self.operand(s.value))]
        own = self.names.get(s.target.name)
        value = s.value
        if isinstance(value, Apply):
            if value.function in (index_add, index_set):
                return self._index_add(s, value)
            first = value.args[0] if value.args else None
            same = isinstance(first, Var) and self.names.get(first.name) == own
            function = IN_PLACE.get(value.function, value.function)
            if same and function in BINARY and len(value.args) == 2:
                in_place = value.function in IN_PLACE
                kind = self.function.kinds.get(s.target.name)
                number = isinstance(kind, Scalar | NumPyScalar)
                wanted = s.derived and function in (operator.add, operator.sub)
                if in_place or (number and (wanted or value.spelling == "augmented")):
                    operand = self.operand(value.args[1])
                    name = self._name(s.target, ast.Store())
                    return [ast.AugAssign(name, BINARY[function](), operand)]
        target = self._name(s.target, ast.Store())
        emitted = self.operand(value)
        if isinstance(emitted, ast.Name) and emitted.id == target.id:
            return []
        return [ast.Assign([target], emitted)]

    def _index_add(self, s: Assign, value: Apply) -> list[ast.stmt]:
        buffer, index, amount, *rest = value.args
        assert isinstance(s.target, Var)
        lines: list[ast.stmt] = []
        target = self._name(s.target, ast.Store())
        source = self.operand(buffer)
        if not (isinstance(source, ast.Name) and source.id == target.id):
            lines.append(ast.Assign([target], source))
        load = ast.Name(target.id, ast.Load())
        if rest and rest[0] == Const(True):
            function = _attribute(_np("add", self.spelling), "at")
            arguments = [load, self._whole_index(index), self.operand(amount)]
            lines.append(ast.Expr(ast.Call(function, arguments, [])))
        else:
            place = ast.Subscript(load, self.operand(index), ast.Store())
            if value.function is index_set:
                lines.append(ast.Assign([place], self.operand(amount)))
            else:
                lines.append(ast.AugAssign(place, ast.Add(), self.operand(amount)))
        return lines

    def _whole_index(self, index: Any) -> ast.expr:
        """An index as an argument, where ``:`` isn't syntax."""
        if isinstance(index, Pack) and index.constructor is tuple:
            return ast.Tuple([self._whole_index(i) for i in index.items], ast.Load())
        if isinstance(index, Slice):
            parts = (index.lower, index.upper, index.step)
            words = [ast.Constant(None) if p is None else self.operand(p) for p in parts]
            if index.step is None:
                words = words[:2] if index.lower is not None else words[1:2]
            return ast.Call(ast.Name("slice", ast.Load()), words, [])
        return self.operand(index)

    def _if(self, s: If) -> list[ast.stmt]:
        if not s.body and len(s.orelse) == 1 and isinstance(s.orelse[0], Effect):
            effect = s.orelse[0].value
            if effect.function is raise_assertion_error:
                message = self.operand(effect.args[0]) if effect.args else None
                return [ast.Assert(self.operand(s.test), message)]
        choice = self._as_expression(s)
        if choice is not None:
            return [choice]
        body, orelse = self.block(s.body), self.block(s.orelse)
        test = self.operand(s.test)
        if not body:
            return [ast.If(_negated(test), orelse or [ast.Pass()], [])]
        return [ast.If(test, body, orelse)]

    def _as_expression(self, s: If) -> ast.stmt | None:
        """``t = a if test else b`` for a temporary of the user's own expression."""
        if len(s.body) > 1 or len(s.orelse) > 1 or not (s.body or s.orelse):
            return None
        parts = [*s.body, *s.orelse]
        if not all(isinstance(p, Assign) and isinstance(p.target, Var) for p in parts):
            return None
        name = parts[0].target.name  # type: ignore[attr-defined]
        if name not in self.function.temporaries or not name.startswith("."):
            return None
        if any(p.target.name != name for p in parts):  # type: ignore[attr-defined]
            return None
        test = self.operand(s.test)
        target = self._name(Var(name), ast.Store())
        values = [self.operand(p.value) for p in parts]  # type: ignore[attr-defined]
        if len(parts) == 2:
            if ast.dump(values[0]) == ast.dump(test):
                return ast.Assign([target], _bool_op(ast.Or(), test, values[1]))
            if ast.dump(values[1]) == ast.dump(test):
                return ast.Assign([target], _bool_op(ast.And(), test, values[0]))
            return ast.Assign([target], ast.IfExp(test, values[0], values[1]))
        own = isinstance(test, ast.Name) and test.id == target.id
        if own:  # ``t = a`` stands before; ``if t: t = b`` is ``t = a and b``
            combine = ast.And() if s.body else ast.Or()
            return ast.Assign([target], _bool_op(combine, test, values[0]))
        return None

    def _while(self, s: While) -> ast.stmt:
        condition = self.block(s.condition)
        body = self.block(s.body) or [ast.Pass()]
        test = self.operand(s.test)
        if not condition:
            return ast.While(test, body, [])
        leave = ast.If(_negated(test), [ast.Break()], [])
        return ast.While(ast.Constant(True), [*condition, leave, *body], [])

    def _range(self, s: For) -> ast.expr:
        bounds = [self.operand(s.start), self.operand(s.stop), self.operand(s.step)]
        if s.step == Const(1):
            bounds = bounds[:2]
            if s.start == Const(0):
                bounds = bounds[1:]
        numbers = ast.Call(ast.Name("range", ast.Load()), bounds, [])
        if s.backwards:
            return ast.Call(ast.Name("reversed", ast.Load()), [numbers], [])
        return numbers

    def _effect(self, value: Apply) -> ast.stmt:
        if value.function is raise_assertion_error:
            arguments = [self.operand(a) for a in value.args]
            error = ast.Call(ast.Name("AssertionError", ast.Load()), arguments, [])
            return ast.Raise(error, None)
        return ast.Expr(self.operand(value))

    # ---------------------------------------------------------------- expressions

    def operand(self, operand: Any) -> ast.expr:
        """The expression of an operand."""
        match operand:
            case Var():
                return self._name(operand, ast.Load())
            case Const(value=value):
                return self._constant(value)
            case Global():
                return self.spelling.global_data(operand)
            case Pack():
                return self._pack(operand)
            case Slice():
                return ast.Slice(
                    *(
                        None if p is None else self.operand(p)
                        for p in (operand.lower, operand.upper, operand.step)
                    )
                )
            case Apply():
                return self._apply(operand)
        raise TypeError(f"no expression for {operand!r}")

    def _constant(self, value: Any) -> ast.expr:
        if isinstance(value, float) and not math.isfinite(value):
            if math.isnan(value):
                return _np("nan", self.spelling)
            infinity = _np("inf", self.spelling)
            return infinity if value > 0 else ast.UnaryOp(ast.USub(), infinity)
        plain = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
        if isinstance(value, plain):
            return ast.Constant(value)
        return self.spelling.function(value)

    def _pack(self, pack: Pack) -> ast.expr:
        items = [self.operand(i) for i in pack.items]
        if pack.constructor is tuple:
            return ast.Tuple(items, ast.Load())
        if pack.constructor is list:
            return ast.List(items, ast.Load())
        if pack.constructor is dict:
            keys: list[ast.expr | None] = [self._constant(k) for k in pack.keys]
            return ast.Dict(keys, items)
        constructor = self.spelling.function(pack.constructor)
        words = [
            ast.keyword(str(k), item) for k, item in zip(pack.keys, items, strict=True)
        ]
        return ast.Call(constructor, [], words)

    def _apply(self, value: Apply) -> ast.expr:
        function = IN_PLACE.get(value.function, value.function)
        if value.spelling.startswith("attribute:") and function not in self._special:
            return _attribute(self.operand(value.args[0]), value.spelling.split(":")[1])
        if value.spelling.startswith("method:"):
            return self._method(value)
        if function in BINARY:
            left, right = (self.operand(a) for a in value.args)
            return ast.BinOp(left, BINARY[function](), right)
        if function in UNARY:
            return ast.UnaryOp(UNARY[function](), self.operand(value.args[0]))
        if function in COMPARE:
            left, right = (self.operand(a) for a in value.args)
            return ast.Compare(left, [COMPARE[function]()], [right])
        special = self._special.get(function)
        if special is not None:
            return special(value)
        if function is np.transpose and len(value.args) == 1 and not value.keywords:
            kind = self._kind(value.args[0])
            if isinstance(kind, Array):
                return _attribute(self.operand(value.args[0]), "T")
        return self._call(self.spelling.function(function), value)

    def _kind(self, operand: Any) -> Kind | None:
        return self.function.kinds.get(operand.name) if isinstance(operand, Var) else None

    def _call(self, function: ast.expr, value: Apply) -> ast.expr:
        words = [ast.keyword(k, self.operand(v)) for k, v in value.keywords]
        return ast.Call(function, [self.operand(a) for a in value.args], words)

    def _method(self, value: Apply) -> ast.expr:
        owner, *arguments = value.args
        words = [ast.keyword(k, self.operand(v)) for k, v in value.keywords]
        name = value.spelling.split(":")[1]
        spread = (
            name in ("reshape", "transpose") and arguments and isinstance(arguments[0], Pack)
        )
        if spread:
            arguments = list(arguments[0].items)  # type: ignore[union-attr]
        function = _attribute(self.operand(owner), name)
        return ast.Call(function, [self.operand(a) for a in arguments], words)

    def _getitem(self, value: Apply) -> ast.expr:
        owner, index = value.args
        return ast.Subscript(self.operand(owner), self.operand(index), ast.Load())

    def _getattr(self, value: Apply) -> ast.expr:
        owner, name = value.args
        assert isinstance(name, Const)
        return _attribute(self.operand(owner), name.value)

    def _axis_length(self, value: Apply) -> ast.expr:
        owner, axis = value.args
        shape = _attribute(self.operand(owner), "shape")
        return ast.Subscript(shape, self.operand(axis), ast.Load())

    def _shape_of(self, value: Apply) -> ast.expr:
        return self._shape(value.args[0])

    def _shape(self, operand: Any) -> ast.expr:
        kind = self._kind(operand)
        if isinstance(kind, Array) and not kind.promoted or isinstance(operand, Apply):
            return _attribute(self.operand(operand), "shape")
        return ast.Call(_np("shape", self.spelling), [self.operand(operand)], [])

    def _size(self, value: Apply) -> ast.expr:
        kind = self._kind(value.args[0])
        known = isinstance(kind, Array) and not kind.promoted
        if known or value.spelling == "attribute:size":
            return _attribute(self.operand(value.args[0]), "size")
        return self._call(_np("size", self.spelling), value)

    def _broadcast_like(self, value: Apply) -> ast.expr:
        amount, like = value.args
        function = _np("broadcast_to", self.spelling)
        return ast.Call(function, [self.operand(amount), self._shape(like)], [])

    def _full_like(self, value: Apply) -> ast.expr:
        amount, like = value.args
        return _method_call(self._broadcast_like(Apply(np.broadcast_to, (amount, like))), "copy")

    def _format_string(self, value: Apply) -> ast.expr:
        parts: list[ast.expr] = []
        for part in value.args:
            if isinstance(part, Apply) and part.function is format_value:
                parts.append(self._formatted(part))
            elif isinstance(part, Const):
                parts.append(ast.Constant(part.value))
            else:
                parts.append(ast.FormattedValue(self.operand(part), -1, None))
        return ast.JoinedStr(parts)

    def _format_string_of_one(self, value: Apply) -> ast.expr:
        return ast.JoinedStr([self._formatted(value)])

    def _formatted(self, value: Apply) -> ast.expr:
        item, conversion, specification = value.args
        assert isinstance(conversion, Const)
        form: ast.expr | None = None
        if isinstance(specification, Const):
            if specification.value:
                form = ast.JoinedStr([ast.Constant(specification.value)])
        else:
            inner = self.operand(specification)
            form = inner if isinstance(inner, ast.JoinedStr) else ast.JoinedStr(
                [ast.FormattedValue(inner, -1, None)]
            )
        code = ord(conversion.value) if conversion.value else -1
        return ast.FormattedValue(self.operand(item), code, form)


def _attribute(owner: ast.expr, name: str) -> ast.expr:
    return ast.Attribute(owner, name, ast.Load())


def _method_call(owner: ast.expr, name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(_attribute(owner, name), list(arguments), [])


def _np(name: str, spelling: Spelling) -> ast.expr:
    return _attribute(ast.Name(spelling.module_name("numpy"), ast.Load()), name)


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)


def _bool_op(op: ast.boolop, left: ast.expr, right: ast.expr) -> ast.expr:
    values = [left, right]
    if isinstance(left, ast.BoolOp) and type(left.op) is type(op):
        values = [*left.values, right]
    return ast.BoolOp(op, values)


def _is_reverse_line(statement: Statement) -> bool:
    """True for a line of the reverse sweep that stands under a comment."""
    if isinstance(statement, Restore):
        return True
    if isinstance(statement, Assign):
        return statement.derived and statement.span is not None
    return False


def _is_reverse(statement: Statement) -> bool:
    return any(_is_reverse_line(s) for s in walk((statement,)))


def _next_span(block: Block, position: int) -> Any:
    for statement in block[position + 1 :]:
        if isinstance(statement, Assign | Restore) and statement.span is not None:
            return statement.span
    return None
