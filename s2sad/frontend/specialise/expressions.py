"""Expressions: constants, names, operators, displays, f-strings."""

from __future__ import annotations

import ast
import operator
from contextlib import suppress
from typing import Any

from s2sad.codegen.effects import format_string, format_value
from s2sad.frontend.resolve import NameNotFound, StaticData
from s2sad.frontend.specialise.context import Read, Unsupported
from s2sad.frontend.specialise.control_flow import choose
from s2sad.frontend.specialise.specialiser import Specialiser, expression
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Missing,
    Value,
    aggregate_of,
    constant,
    kind_of,
    static_truth,
)
from s2sad.ir.kinds import (
    OPAQUE,
    UNKNOWN,
    Array,
    Kind,
    Known,
    Scalar,
    Unknown,
)
from s2sad.ir.nodes import Const, Global
from s2sad.rules.result_kinds import is_static, static_value

OPERATORS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def contains(item: Any, container: Any) -> bool:
    """``item in container``, in the order of the text."""
    return item in container


@expression(ast.Constant)
def literal(spec: Specialiser, node: ast.Constant) -> Value:
    return constant(node.value)


@expression(ast.Name)
def name(spec: Specialiser, node: ast.Name) -> Value:
    value = spec.frame.names.get(node.id)
    if value is None and node.id not in spec.frame.local_names:
        return global_name(spec, node)
    if value is None:
        value = Missing(
            f"{node.id!r} is read before it is assigned", "give it a value first"
        )
    if isinstance(value, Missing):
        raise Unsupported(node, value.reason, value.advice)
    if node.id in spec.frame.maybe_unbound and isinstance(
        kind_of(value), Array | Unknown
    ):
        raise Unsupported(
            node,
            f"{node.id!r} is assigned on one path only",
            "give it a value before the branch",
        )
    return value


def global_name(spec: Specialiser, node: ast.Name) -> Value:
    """A name of the module, the closure or builtins."""
    resolver = spec.frame.source.resolver
    try:
        binding = resolver.resolve(node.id)
    except NameNotFound:
        raise Unsupported(
            node, f"the name {node.id!r} isn't defined", "define or import it first"
        ) from None
    if not spec.derived:
        spec.reads.append(Read(resolver, node.id, (), binding.value))
    if binding.origin != "closure":
        return external_value(spec, binding.value, node.id, binding.module, node)
    return external_value(
        spec, binding.value, _captured_name(spec, node.id), "<closure>", node
    )


def _captured_name(spec: Specialiser, name: str) -> str:
    """How the output names a captured variable; those of an inlined function get its
    name too."""
    function = spec.frame.source.function
    if spec.frame.source.node is spec.main_node or function is None:
        return name
    closure = dict(
        zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    spelled = f"{spec.frame.source.name}_{name}"
    while spec.cells.get(spelled, closure[name]) is not closure[name]:
        spelled += "_"
    spec.cells[spelled] = closure[name]
    return spelled


def external_value(
    spec: Specialiser, value: Any, spelled: str, module: str, node: ast.AST
) -> Value:
    """The value of data or a function that the program takes from outside."""
    from s2sad.frontend.external_data import data_kind

    if isinstance(value, StaticData):
        return _global(spec, spelled, module, UNKNOWN)
    kind = data_kind(value, spelled)
    if isinstance(kind, Known):
        if not spec.derived and spec.frame.source.module == spec.main_module:
            with suppress(TypeError):  # values that can't be hashed
                spec.spellings.setdefault(value, spelled)
        return Leaf(Const(value), kind)
    if isinstance(value, bool):
        return constant(value)
    if (
        isinstance(value, tuple | list | dict)
        and getattr(kind, "items", None) is not None
    ):
        return _external_structure(spec, value, kind, spelled, module, node)
    if spec.derived and isinstance(value, int | float):
        return constant(value)
    spec.note_symbols(kind)
    return _global(spec, spelled, module, kind)


def _global(spec: Specialiser, spelled: str, module: str, kind: Kind) -> Leaf:
    operand = Global(spelled, module)
    spec.global_kinds[operand] = kind
    return Leaf(operand, kind)


def _external_structure(
    spec: Specialiser, value: Any, kind: Any, spelled: str, module: str, node: ast.AST
) -> Value:
    keys = list(value) if isinstance(value, dict) else range(len(value))
    items = tuple(
        external_value(spec, value[key], f"{spelled}[{key!r}]", module, node)
        for key in keys
    )
    return Aggregate(kind.constructor, kind.keys, items)


@expression(ast.BinOp)
def binary_operation(spec: Specialiser, node: ast.BinOp) -> Value:
    left, right = spec.evaluate(node.left), spec.evaluate(node.right)
    return operate(spec, OPERATORS[type(node.op)], (left, right), node)


@expression(ast.UnaryOp)
def unary_operation(spec: Specialiser, node: ast.UnaryOp) -> Value:
    operand = spec.evaluate(node.operand)
    if isinstance(node.op, ast.Not):
        truth = static_truth(operand)
        if truth is not None:
            return constant(not truth)
    return operate(spec, OPERATORS[type(node.op)], (operand,), node)


def operate(
    spec: Specialiser, function: Any, operands: tuple[Value, ...], node: ast.AST
) -> Value:
    """An operator on values: on structures and known numbers at once, else as a
    statement."""
    if any(isinstance(o, Aggregate) for o in operands):
        combined = _operate_on_structures(function, operands)
        if combined is not None:
            return combined
    if all(isinstance(o, Leaf) and isinstance(o.operand, Const) for o in operands):
        folded = _fold(function, operands)
        if folded is not None:
            return folded
    if spec.derived:
        from s2sad.frontend.specialise.algebra import simplified

        simpler = simplified(spec, function, operands)
        if simpler is not None:
            return simpler
    return spec.apply(function, operands, node=node, hint=HINTS.get(function, ""))


HINTS = {
    operator.add: "total",
    operator.sub: "difference",
    operator.mul: "product",
    operator.truediv: "quotient",
    operator.pow: "power",
    operator.matmul: "product",
    operator.neg: "negated",
    operator.getitem: "item",
    operator.lt: "condition",
    operator.le: "condition",
    operator.gt: "condition",
    operator.ge: "condition",
    operator.eq: "condition",
    operator.ne: "condition",
}


def _operate_on_structures(function: Any, operands: tuple[Value, ...]) -> Value | None:
    kinds = [getattr(o, "constructor", None) for o in operands]
    if function is operator.add and len(operands) == 2 and kinds[0] is kinds[1]:
        if kinds[0] in (tuple, list):
            a, b = operands
            return aggregate_of(a.items + b.items, kinds[0])  # type: ignore[union-attr]
    if function is operator.mul and len(operands) == 2:
        a, b = operands if isinstance(operands[0], Aggregate) else operands[::-1]
        count = kind_of(b)
        if isinstance(count, Scalar) and isinstance(count.value, int):
            if isinstance(a, Aggregate) and a.constructor in (tuple, list):
                return aggregate_of(a.items * count.value, a.constructor)
    if all(is_static(kind_of(o)) for o in operands):
        return _fold(function, operands)
    return None


def _fold(function: Any, operands: tuple[Value, ...]) -> Value | None:
    """Known whole numbers, strings and None at once; floats are left as written."""
    values = [static_value(kind_of(o)) for o in operands]
    floats = any(isinstance(v, float | complex) for v in values)
    if floats and function is not operator.neg:
        return None
    try:
        result = function(*values)
    except Exception:
        return None  # raised again when the program runs
    if isinstance(result, int | str | bool | float) or result is None:
        return constant(result)
    return None


@expression(ast.Compare)
def comparison(spec: Specialiser, node: ast.Compare) -> Value:
    left = spec.evaluate(node.left)
    pairs = list(zip(node.ops, node.comparators, strict=True))
    return _compare_chain(spec, left, pairs, node)


def _compare_chain(
    spec: Specialiser, left: Value, pairs: list[Any], node: ast.Compare
) -> Value:
    (op, right_node), rest = pairs[0], pairs[1:]
    right = spec.evaluate(right_node)
    test = compare(spec, op, left, right, node)
    if not rest:
        return test
    return both(spec, test, lambda: _compare_chain(spec, right, rest, node), node)


def compare(
    spec: Specialiser, op: ast.cmpop, left: Value, right: Value, node: ast.AST
) -> Value:
    """One comparison; identity with None and equality of known values fold."""
    if isinstance(op, ast.Is | ast.IsNot):
        known = _same_object(left, right)
        if known is not None:
            return constant(known == isinstance(op, ast.Is))
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(spec, op, left, right, node)
    kinds = kind_of(left), kind_of(right)
    if all(map(is_static, kinds)):
        try:
            values = [static_value(kind) for kind in kinds]
            return constant(bool(OPERATORS[type(op)](*values)))
        except Exception:
            pass
    return operate(spec, OPERATORS[type(op)], (left, right), node)


def _same_object(left: Value, right: Value) -> bool | None:
    a, b = kind_of(left), kind_of(right)
    if isinstance(a, Known) and isinstance(b, Known):
        return a.value is b.value or a == b
    if isinstance(a, Known) != isinstance(b, Known):
        other = b if isinstance(a, Known) else a
        return None if isinstance(other, Unknown) else False
    return None


def _membership(
    spec: Specialiser, op: ast.cmpop, item: Value, container: Value, node: ast.AST
) -> Value:
    negate = isinstance(op, ast.NotIn)
    if isinstance(container, Aggregate) and is_static(kind_of(item)):
        keys = container.keys
        if container.constructor is not dict and is_static(kind_of(container)):
            keys = static_value(kind_of(container))
        if container.constructor is dict or is_static(kind_of(container)):
            return constant((static_value(kind_of(item)) in keys) != negate)
    found = spec.apply(contains, (item, container), node=node)
    return operate(spec, operator.not_, (found,), node) if negate else found


@expression(ast.BoolOp)
def boolean_operation(spec: Specialiser, node: ast.BoolOp) -> Value:
    return _boolean_chain(spec, node, 0)


def _boolean_chain(spec: Specialiser, node: ast.BoolOp, position: int) -> Value:
    left = spec.evaluate(node.values[position])
    if position == len(node.values) - 1:
        return left
    combine = both if isinstance(node.op, ast.And) else either
    return combine(spec, left, lambda: _boolean_chain(spec, node, position + 1), node)


def both(spec: Specialiser, left: Value, right: Any, node: ast.AST) -> Value:
    """``left and right()``."""
    truth = static_truth(left)
    if truth is not None:
        return right() if truth else left
    return select(spec, left, right, lambda: left, node, "condition")


def either(spec: Specialiser, left: Value, right: Any, node: ast.AST) -> Value:
    """``left or right()``."""
    truth = static_truth(left)
    if truth is not None:
        return left if truth else right()
    return select(spec, left, lambda: left, right, node, "condition")


@expression(ast.IfExp)
def conditional_expression(spec: Specialiser, node: ast.IfExp) -> Value:
    test = spec.evaluate(node.test)
    truth = static_truth(test)
    if truth is not None:
        return spec.evaluate(node.body if truth else node.orelse)
    return select(
        spec,
        test,
        lambda: spec.evaluate(node.body),
        lambda: spec.evaluate(node.orelse),
        node,
        "choice",
    )


def select(
    spec: Specialiser, test: Value, body: Any, orelse: Any, node: ast.AST, hint: str
) -> Value:
    """The value of ``body()`` or ``orelse()``, by a test made when the program runs."""
    hidden = spec.fresh(hint).name.replace(".", "_")
    hidden = f".{hidden}"
    choose(
        spec,
        test,
        lambda: spec.bind(hidden, body()),
        lambda: spec.bind(hidden, orelse()),
        node,
    )
    value = spec.frame.names.pop(hidden)
    if isinstance(value, Missing):
        reason = value.reason.replace(repr(hidden), "the expression")
        raise Unsupported(node, reason, value.advice)
    return value


@expression(ast.Tuple)
def tuple_display(spec: Specialiser, node: ast.Tuple) -> Value:
    return aggregate_of(_items(spec, node.elts), tuple)


@expression(ast.List)
def list_display(spec: Specialiser, node: ast.List) -> Value:
    return aggregate_of(_items(spec, node.elts), list)


def _items(spec: Specialiser, nodes: list[ast.expr]) -> tuple[Value, ...]:
    items: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = spec.evaluate(node.value)
            if not isinstance(value, Aggregate) or value.constructor is dict:
                raise Unsupported(
                    node, "only a tuple or list can be unpacked here", "name the items"
                )
            items.extend(value.items)
        else:
            items.append(spec.evaluate(node))
    return tuple(items)


@expression(ast.Dict)
def dict_display(spec: Specialiser, node: ast.Dict) -> Value:
    entries: dict[Any, Value] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = spec.evaluate(value_node)
        if key_node is None:
            if not isinstance(value, Aggregate) or value.constructor is not dict:
                raise Unsupported(value_node, "only a dict can be unpacked here", "")
            entries.update(zip(value.keys, value.items, strict=True))
            continue
        key = kind_of(spec.evaluate(key_node))
        if not is_static(key):
            raise Unsupported(
                key_node,
                "a dict's key must be known before the program runs",
                "use a literal as the key",
            )
        entries[static_value(key)] = value
    return Aggregate(dict, tuple(entries), tuple(entries.values()))


@expression(ast.JoinedStr)
def formatted_string(spec: Specialiser, node: ast.JoinedStr) -> Value:
    parts = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            conversion = "" if part.conversion < 0 else chr(part.conversion)
            form: Value = constant("")
            if part.format_spec is not None:
                form = spec.evaluate(part.format_spec)
            arguments = (spec.evaluate(part.value), constant(conversion), form)
            parts.append(_opaque(spec, format_value, arguments))
        else:
            parts.append(spec.evaluate(part))
    if all(isinstance(p, Leaf) and isinstance(p.operand, Const) for p in parts):
        return constant("".join(p.operand.value for p in parts))  # type: ignore[union-attr]
    return _opaque(spec, format_string, tuple(parts))


def _opaque(spec: Specialiser, function: Any, args: tuple[Value, ...]) -> Value:
    from s2sad.frontend.specialise.values import operand_of
    from s2sad.ir.nodes import Apply

    operation = Apply(function, tuple(operand_of(a) for a in args))
    return spec.define(operation, OPAQUE, "text")
