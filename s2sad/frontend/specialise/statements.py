"""Statements without blocks of their own: assignments, effects, return."""

from __future__ import annotations

import ast
import operator

from s2sad.codegen.effects import raise_assertion_error
from s2sad.frontend.scopes import assigned_names
from s2sad.frontend.specialise.context import Unsupported
from s2sad.frontend.specialise.control_flow import choose
from s2sad.frontend.specialise.expressions import OPERATORS
from s2sad.frontend.specialise.specialiser import Specialiser, statement
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Value,
    constant,
    describe,
    kind_of,
    operand_of,
    static_truth,
)
from s2sad.ir.kinds import Array, Unknown
from s2sad.ir.nodes import Apply, Effect

INPLACE = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
}


@statement(ast.Assign)
def assign(spec: Specialiser, node: ast.Assign) -> None:
    value = spec.evaluate(node.value)
    spec.shared([value], times=len(node.targets))
    for target in node.targets:
        bind_target(spec, target, value)


@statement(ast.AnnAssign)
def annotated_assign(spec: Specialiser, node: ast.AnnAssign) -> None:
    if node.value is not None:
        bind_target(spec, node.target, spec.evaluate(node.value))


@statement(ast.AugAssign)
def augmented_assign(spec: Specialiser, node: ast.AugAssign) -> None:
    if not isinstance(node.target, ast.Name):
        raise _store_refused(node.target)
    name = node.target.id
    read = ast.copy_location(ast.Name(name, ast.Load()), node.target)
    old = spec.evaluate(read)
    value = spec.evaluate(node.value)
    function = OPERATORS[type(node.op)]
    if isinstance(kind_of(old), Array | Unknown) and not spec.derived:
        function = INPLACE.get(type(node.op), function)
        if function is OPERATORS[type(node.op)]:
            raise Unsupported(
                node,
                f"{name!r} may be an array, and this writes into it",
                f"write {name} = {name} <operator> ... to make a new array",
            )
    result = spec.apply(function, (old, value), node=node, spelling="augmented")
    spec.bind(name, result)


def bind_target(spec: Specialiser, target: ast.expr, value: Value) -> None:
    """Assign a value to a name or to a nested tuple of names."""
    if isinstance(target, ast.Name):
        spec.bind(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        items = unpack(spec, value, len(target.elts), target)
        for inner in target.elts:
            if isinstance(inner, ast.Starred):
                raise Unsupported(
                    inner,
                    "a starred target can't be differentiated",
                    "name each item, or slice the sequence",
                )
        _bind_in_parallel(spec, target.elts, items)
    else:
        raise _store_refused(target)


def _bind_in_parallel(
    spec: Specialiser, targets: list[ast.expr], items: tuple[Value, ...]
) -> None:
    """``a, b = b, a``: all right-hand sides are read before any name is assigned."""
    spec.shared(items)
    safe = []
    for target, item in zip(targets, items, strict=True):
        others = assigned_names([t for t in targets if t is not target])
        safe.append(spec.held(item, others))
    for target, item in zip(targets, safe, strict=True):
        bind_target(spec, target, item)


def unpack(
    spec: Specialiser, value: Value, count: int, node: ast.AST
) -> tuple[Value, ...]:
    """The items of a value that is unpacked into ``count`` targets."""
    if isinstance(value, Aggregate):
        items = value.items
        if value.constructor is dict:
            items = tuple(constant(k) for k in value.keys)
        if len(items) != count:
            raise Unsupported(
                node,
                f"{len(items)} values are unpacked into {count} names",
                "use as many names as there are values",
            )
        return items
    if isinstance(value, Leaf) and isinstance(value.kind, Array):
        return tuple(
            spec.apply(operator.getitem, (value, constant(k)), node=node, hint="item")
            for k in range(count)
        )
    raise Unsupported(
        node,
        f"a value {describe(value)} can't be unpacked",
        "unpack a tuple, list or array",
    )


def _store_refused(target: ast.expr) -> Unsupported:
    if isinstance(target, ast.Attribute):
        return Unsupported(
            target,
            "writing to an attribute can't be differentiated",
            "keep the value in a local variable and return it",
        )
    return Unsupported(
        target,
        "writing into an array or container can't be differentiated",
        "build the result from expressions, for example with np.where or "
        "np.concatenate",
    )


@statement(ast.Pass)
def do_nothing(spec: Specialiser, node: ast.Pass) -> None:
    pass


@statement(ast.Expr)
def expression_statement(spec: Specialiser, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        spec.evaluate(node.value)


@statement(ast.Return)
def return_statement(spec: Specialiser, node: ast.Return) -> None:
    value = constant(None) if node.value is None else spec.evaluate(node.value)
    spec.frame.result = value


@statement(ast.Assert)
def assertion(spec: Specialiser, node: ast.Assert) -> None:
    test = spec.evaluate(node.test)
    if static_truth(test) is True:
        return

    def fail() -> None:
        message = () if node.msg is None else (operand_of(spec.evaluate(node.msg)),)
        spec.emit(Effect(spec.span, Apply(raise_assertion_error, message)))

    choose(spec, test, lambda: None, fail, node)
