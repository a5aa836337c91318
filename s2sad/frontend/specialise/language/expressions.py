"""Expressions: constants, operators, and the choices between values."""

import ast
import operator
from collections import deque
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import derived_dicts
from s2sad.frontend.specialise.containers.list_operators import list_operator
from s2sad.frontend.specialise.control.conditions import evaluate_test
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.algebra import simplified
from s2sad.frontend.specialise.heap import kept_objects
from s2sad.frontend.specialise.library_calls import (
    array_arguments,
    constant_calls,
    plain_tuples,
)
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.objects import operator_methods, structure_comparisons
from s2sad.frontend.specialise.optionals import (
    narrowing,
    optionals,
    values_as_references,
)
from s2sad.frontend.specialise.run_time import (
    by_value,
    merged_dicts,
    queries,
    records,
)
from s2sad.ops.runtime.results import require_array
from s2sad.rules.python.folding import known_result

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


@core.expression(ast.Constant)
def literal(spec: Specialiser, node: ast.Constant) -> core.Value:
    return core.constant(node.value)


@core.expression(ast.BinOp)
def binary_operation(spec: Specialiser, node: ast.BinOp) -> core.Value:
    left, right = spec.evaluate_operand(node.left), spec.evaluate_operand(node.right)
    return operate(spec, OPERATORS[type(node.op)], (left, right))


@core.expression(ast.UnaryOp)
def unary_operation(spec: Specialiser, node: ast.UnaryOp) -> core.Value:
    if isinstance(node.op, ast.Not):
        operand = evaluate_test(spec, node.operand)
        truth = static_truth(operand)
        if truth is not None:
            return core.constant(not truth)
        if isinstance(operand, core.Choice):
            return spec.truth_of_choice(operand, ast.Is())
        if_true, if_false = narrowing.presence_of(spec, operand)
        test = operate(spec, operator.not_, (operand,))
        return narrowing.note(spec, test, (if_false, if_true))
    operand = spec.evaluate(node.operand)
    return operate(spec, OPERATORS[type(node.op)], (operand,))


def plain_number(value: core.Value) -> core.Value:
    """A member of an IntEnum as the number that it is."""
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Known):
        known = value.kind.value
        if isinstance(known, int) and type(known) not in (bool, int):
            return core.constant(int(known))
    return value


def _check_no_deque(function: Any, operands: tuple[core.Value, ...]) -> None:
    """A deque isn't a list where it meets an operator: it equals no list, and keeps its
    greatest length."""
    deques = [isinstance(o, core.Cell) and o.constructor is deque for o in operands]
    if any(deques) and function is not operator.not_ and not all(deques):
        raise core.Unsupported(
            "an operator on a deque and another value", "use list(d)"
        )
    if any(deques) and function in (operator.add, operator.mul):
        raise core.Unsupported("a sum of deques", "use extend on a copy")


_OF_COUNTERS = (
    *(operator.add, operator.sub, operator.and_, operator.or_),
    *(operator.pos, operator.neg),
)


@core.verb
def operate(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value:
    """An operator on values: on structures and known numbers at once, else as a
    statement. Objects say themselves what it is."""
    _check_no_deque(function, operands)
    if function is operator.not_ and isinstance(operands[0], core.Part | core.Leaf):
        operands = (spec.truth_of(operands[0]) or operands[0],)
    if function not in (operator.is_, operator.is_not):
        operands = tuple(map(plain_number, operands))
    if function in _OF_COUNTERS:
        derived_dicts.check_operator(*operands)
    if function is operator.or_ and any(map(merged_dicts.may_be_united, operands)):
        return merged_dicts.union(spec, operands)
    if function is operator.add and any(isinstance(o, core.Part) for o in operands):
        classes = {kept_objects.class_in(operand) for operand in operands}
        pairs = [(True, operand) for operand in operands]
        if len(classes) == 1 and (both := records.joined(spec, pairs, classes.pop())):
            return both
    operands = tuple(spec.contents(o) for o in operands)
    if function is operator.not_:
        operands = tuple(core.list_in(o) or o for o in operands)
    if function in _FAIL_FOR_NONE and spec.opaque_items and not spec.derived:
        found = constant_calls.of_data(spec, function, operands)
        if found is not None:
            return found
        operands = constant_calls.as_numbers(spec, operands)
    if function in _FAIL_FOR_NONE and not spec.derived:
        operands = tuple(present_operand(spec, operand) for operand in operands)
        operands = values_as_references.as_numbers(spec, function, operands)
    if not spec.derived:
        found = (
            operator_methods.operator_method(spec, function, operands)
            or spec.set_operation(function, operands)
            or structure_comparisons.compare_structures(spec, function, operands)
        )
        if found is not None:
            return found
        if function not in (operator.is_, operator.is_not):
            if function in operator_methods.BINARY:
                operands = tuple(plain_tuples.as_tuple(spec, o) for o in operands)
            operands = tuple(_by_value(spec, operand) for operand in operands)
        longer = list_operator(spec, function, operands)
        if longer is not None:
            return longer
        if function in _FAIL_FOR_NONE and any(map(array_arguments.is_array, operands)):
            operands = tuple(
                array_arguments.as_array_argument(spec, o) for o in operands
            )
    if any(isinstance(o, core.Aggregate) for o in operands):
        combined = _operate_on_structures(function, operands)
        if combined is not None:
            return combined
        if function in operator_methods.BINARY and not spec.derived:
            _check_told(operands)
    texts = any(isinstance(o, core.Leaf) and is_text(o.kind) for o in operands)
    if texts or all(isinstance(o, core.Leaf) and _is_known(o) for o in operands):
        folded = _fold(function, operands)
        if folded is not None:
            return folded
    if spec.derived:
        simpler = simplified(spec, function, operands)
        if simpler is not None:
            return simpler
    return spec.apply(function, operands, hint=HINTS.get(function, ""))


def _check_told(operands: tuple[core.Value, ...]) -> None:
    """Refuse an operator on a tuple or list and a value that may be one, too, or a
    number, or an array."""
    told = [o for o in operands if not isinstance(core.kind_of(o), ir.Unknown)]
    varies = any(
        ir.is_real_number_kind(leaf.kind) for o in told for leaf in core.leaves(o)
    )
    if len(told) < len(operands) and varies:
        raise core.Unsupported(
            f"an operator on {' and '.join(map(core.describe, told))} and a value that "
            "may be of several sorts",
            "give that one the same structure on all paths: lists for lists, tuples of "
            "one length for tuples",
        )


def _by_value(spec: Specialiser, operand: core.Value) -> core.Value:
    """A list that is kept as it is, as a list of its items."""
    if queries.is_sequence(operand) and not queries.kind_of(operand).may_be_none:
        if queries.may_be_deque(operand):
            raise core.Unsupported(
                "an operator on a deque that the program is given", "use list(...)"
            )
        return by_value.items_of(spec, operand)
    return operand


_FAIL_FOR_NONE = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
    *(operator.mod, operator.pow, operator.matmul, operator.neg, operator.pos),
    *(operator.lt, operator.le, operator.gt, operator.ge),
)
"""Operators that raise where an operand is None."""


def present_operand(spec: Specialiser, value: core.Value) -> core.Value:
    """A value that may be None, where it must be a number or array: else it raises."""
    value = optionals.present(spec, value)
    if not isinstance(value, core.Leaf) or not isinstance(value.kind, ir.Unknown):
        return value
    if value.kind.present is None:
        return value
    present = value.kind.present
    if isinstance(present, ir.Array) and present.axes and not present.promoted:
        checked = ir.Apply(require_array, (value.operand,))
        return spec.assign(spec.fresh("array"), checked, value.kind.present)
    return optionals.present_under_its_name(spec, value)


def _is_known(value: core.Leaf) -> bool:
    """True for literals, and for strings in variables."""
    return is_text(value.kind) or isinstance(value.operand, ir.Const)


def is_text(kind: ir.Kind) -> bool:
    """True for strings and bytes that are known."""
    return isinstance(kind, ir.Known) and isinstance(kind.value, str | bytes)


LONGEST_REPEATED = 1024
"""Structures are followed item by item up to this length."""
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
    operator.is_: "condition",
    operator.is_not: "condition",
    operator.not_: "condition",
}


def _operate_on_structures(
    function: Any, operands: tuple[core.Value, ...]
) -> core.Value | None:
    kinds = [getattr(o, "constructor", None) for o in operands]
    if function is operator.add and len(operands) == 2 and kinds[0] is kinds[1]:
        if kinds[0] in (tuple, list):
            a, b = operands
            if isinstance(a, core.Aggregate) and isinstance(b, core.Aggregate):
                return core.aggregate_of(a.items + b.items, kinds[0])
            return None
    if function is operator.or_ and kinds == [dict, dict]:
        items: dict[Any, core.Value] = {}
        for operand in operands:
            assert isinstance(operand, core.Aggregate)
            items.update(zip(operand.keys, operand.items, strict=True))
        return core.Aggregate(dict, tuple(items), tuple(items.values()))
    if function is operator.mul and len(operands) == 2:
        a, b = operands if isinstance(operands[0], core.Aggregate) else operands[::-1]
        count = core.kind_of(b)
        if isinstance(count, ir.Scalar) and isinstance(count.value, int):
            if isinstance(a, core.Aggregate) and a.constructor in (tuple, list):
                if len(a.items) * count.value > LONGEST_REPEATED:
                    raise core.Unsupported(
                        f"{core.describe(a)} is repeated {count.value} times",
                        "use np.full or np.tile to make an array",
                    )
                return core.aggregate_of(a.items * count.value, a.constructor)
    if all(core.is_known(o) for o in operands):
        return _fold(function, operands)
    return None


def _fold(function: Any, operands: tuple[core.Value, ...]) -> core.Value | None:
    """Known whole numbers, strings and None at once; floats are left as written."""
    if not all(core.is_known(o) for o in operands):
        return None
    values = [core.known_exactly(o) for o in operands]
    floats = any(isinstance(v, float | complex) for v in values)
    if floats and function is not operator.neg:
        return None
    result = known_result(function, tuple(values))
    if isinstance(result, int | str | bytes | bool | float) or result is None:
        return core.constant(result)
    return None


@core.expression(ast.NamedExpr)
def assignment_expression(spec: Specialiser, node: ast.NamedExpr) -> core.Value:
    value = spec.evaluate(node.value)
    spec.shared([value], times=2)
    spec.bind(node.target.id, value)
    return spec.evaluate(ast.copy_location(ast.Name(node.target.id), node.target))
