"""Programs of the IR from a few lines of Python, for tests of analyses and passes.

::

    program('''
    def f(x, n):
        y = x * x
        for i in range(n):
            save(y, "s")
            y = np.tanh(y)
        return y
    ''')

Each line is one statement of the IR: nested expressions are refused. ``save(value,
"stack")`` and ``x = restore("stack")`` store; ``while True:`` with ``if not test:
break`` ends the condition's block; ``x = derived(...)`` marks a line that a rule wrote.
Names with one leading underscore are temporaries.
"""

from __future__ import annotations

import ast
import operator
import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sad.ir.kinds import FLOAT, Array, Axis, Kind
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
    Restore,
    Return,
    Save,
    Statement,
    Var,
    While,
    pack_tuple,
)
from s2sad.ops.buffers import index_add, index_set, own_copy, stored
from s2sad.ops.runtime.indices import last_writes
from s2sad.ops.runtime.scalars import quotient
from s2sad.ops.stacks import new_stack
from s2sad.rules.load import load_all
from s2sad.rules.steps.shape_queries import axis_length

load_all()
BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.Gt: operator.gt,
    ast.Lt: operator.lt,
}
FUNCTIONS = {
    f.__name__: f
    for f in (
        *(axis_length, index_add, index_set, stored, own_copy, new_stack, quotient),
        *(last_writes, operator.iadd, print, len),
    )
}


def vector(symbol: str) -> Array:
    """The kind of a vector whose length has a symbol."""
    return Array("float64", (Axis("many", symbol),))


def matrix(rows: str, columns: str) -> Array:
    return Array("float64", (Axis("many", rows), Axis("many", columns)))


def program(text: str, kinds: Mapping[str, Kind] | None = None) -> Function:
    """The program that a text describes; variables are floats unless ``kinds`` says
    otherwise."""
    node = ast.parse(textwrap.dedent(text)).body[0]
    assert isinstance(node, ast.FunctionDef)
    known = dict(kinds or {})
    reader = _Reader(known)
    body = reader.block(node.body)
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    parameters = tuple(a.arg for a in node.args.args)
    table = {
        n: known.get(n, FLOAT) for n in (*parameters, *sorted(names - set(FUNCTIONS)))
    }
    temporaries = frozenset(n for n in table if n.startswith("_"))
    return Function(node.name, parameters, body, table, temporaries)


class _Reader:
    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self.kinds = kinds

    def block(self, nodes: list[ast.stmt]) -> Block:
        return tuple(self.statement(n) for n in nodes)

    def statement(self, node: ast.stmt) -> Statement:
        match node:
            case ast.Return(value=value):
                return Return(None, self.operand(value))
            case ast.Expr(
                value=ast.Call(func=ast.Name(id="save"), args=[value, stack])
            ):
                return Save(None, Var(stack.value), self.operand(value))
            case ast.Expr(value=ast.Call() as call):
                return Effect(None, self.value(call))
            case ast.If(test=test, body=body, orelse=orelse):
                return If(
                    None, self.operand(test), self.block(body), self.block(orelse)
                )
            case ast.For(target=target, iter=ast.Call() as call, body=body):
                backwards = call.func.id == "reversed"
                words = [
                    self.operand(a) for a in (call.args[0] if backwards else call).args
                ]
                start, stop, step = {
                    1: lambda a: (Const(0), a[0], Const(1)),
                    2: lambda a: (a[0], a[1], Const(1)),
                    3: lambda a: a,
                }[len(words)](words)
                inner = self.block(body)
                return For(None, Var(target.id), start, stop, step, inner, backwards)
            case ast.While(body=body):
                place = next(k for k, s in enumerate(body) if isinstance(s, ast.If))
                test = self.operand(body[place].test.operand)
                condition, rest = body[:place], body[place + 1 :]
                return While(None, self.block(condition), test, self.block(rest))
            case ast.Assign(targets=[target], value=value):
                return self.assignment(self.operand(target), value)
        raise ValueError(ast.unparse(node))

    def assignment(self, target: Any, value: ast.expr) -> Statement:
        derived = False
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            if value.func.id == "restore":
                return Restore(None, target, Var(value.args[0].value))
            if value.func.id == "derived":
                derived, value = True, value.args[0]
        kind = self.kinds.get(target.name, FLOAT) if isinstance(target, Var) else None
        return Assign(None, target, self.value(value), kind, derived)

    def value(self, node: ast.expr) -> Apply | Operand:
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                return Apply(
                    BINARY[type(op)], (self.operand(left), self.operand(right))
                )
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return Apply(
                    BINARY[type(op)], (self.operand(left), self.operand(right))
                )
            case ast.UnaryOp(operand=operand) if not isinstance(operand, ast.Constant):
                return Apply(operator.neg, (self.operand(operand),))
            case ast.Subscript(value=value, slice=index):
                return Apply(
                    operator.getitem, (self.operand(value), self.operand(index))
                )
            case ast.Call(func=ast.Attribute(attr=name), args=args, keywords=words):
                keywords = tuple((k.arg, self.operand(k.value)) for k in words)
                return Apply(
                    getattr(np, name), tuple(map(self.operand, args)), keywords
                )
            case ast.Call(func=ast.Name(id=name), args=args):
                return Apply(FUNCTIONS[name], tuple(map(self.operand, args)))
        return self.operand(node)

    def operand(self, node: ast.expr) -> Operand:
        match node:
            case ast.Name(id=name):
                return Var(name)
            case ast.Constant(value=value):
                return Const(value)
            case ast.UnaryOp(operand=ast.Constant(value=value)):
                return Const(-value)
            case ast.Tuple(elts=items):
                return pack_tuple(*map(self.operand, items))
        raise ValueError(f"no operand: {ast.unparse(node)}")
