"""Statements without blocks of their own: assignments, effects, raise, return."""

import ast
import operator
from collections import deque
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.memory.layouts import is_surely_an_array
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.conditions import evaluate_test
from s2sad.frontend.specialise.core.specialiser import Specialiser, Words
from s2sad.frontend.specialise.heap import places, stores
from s2sad.frontend.specialise.language import expressions, targets
from s2sad.frontend.specialise.library_calls import (
    array_arguments,
    constant_calls,
    in_place_operators,
    plain_tuples,
    truth,
)
from s2sad.frontend.specialise.objects.construction import store_attribute
from s2sad.frontend.specialise.optionals import optionals, values_as_references
from s2sad.frontend.specialise.run_time import queries, storing
from s2sad.frontend.specialise.shaping.stopped_values import store_as_constant
from s2sad.source.static.values import StaticClass
from s2sad.source.text.scopes import assigned_names

INPLACE = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
    ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod,
    ast.Pow: operator.ipow,
    ast.MatMult: operator.imatmul,
    ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior,
    ast.BitXor: operator.ixor,
    ast.LShift: operator.ilshift,
    ast.RShift: operator.irshift,
}
_OF_SETS = (operator.iand, operator.ior, operator.ixor)


@core.statement(ast.Assign)
def assign(spec: Specialiser, node: ast.Assign) -> None:
    only = node.targets[0] if len(node.targets) == 1 else None
    if isinstance(only, ast.Name) and isinstance(
        node.value, ast.ListComp | ast.SetComp | ast.DictComp
    ):
        spec.wish = only.id
    spec.title = getattr(only, "id", "") or getattr(only, "attr", "")
    value = spec.evaluate(node.value)
    if only is not None and _is_given_itself(spec, only, node.value, value):
        return
    spec.shared([value], times=len(node.targets))
    if len(node.targets) > 1:
        value = spec.held(value, assigned_names(node.targets))
    for target in node.targets:
        spec.bind_target(target, value)


_PLAIN = (
    *(ast.Attribute, ast.Subscript, ast.Name, ast.Constant),
    *(ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator, ast.expr_context),
)
"""What reads without binding or calling anything."""


def _is_given_itself(
    spec: Specialiser, target: ast.expr, source: ast.expr, value: core.Value
) -> bool:
    """``rows[k] = rows[k]``: a list that still stands where it was read from."""
    if not isinstance(target, ast.Subscript):
        return False
    if not places.stands_there(value) or ast.unparse(target) != ast.unparse(source):
        return False
    if not all(isinstance(node, _PLAIN) for node in ast.walk(target)):
        return False
    owner = spec.evaluate(target.value)
    return core.is_container(owner)


@core.statement(ast.AnnAssign)
def annotated_assign(spec: Specialiser, node: ast.AnnAssign) -> None:
    if node.value is not None:
        spec.title = getattr(node.target, "id", "") or getattr(node.target, "attr", "")
        spec.bind_target(node.target, spec.evaluate(node.value))


@core.statement(ast.AugAssign)
def augmented_assign(spec: Specialiser, node: ast.AugAssign) -> None:
    with spec.at(node.target):
        if isinstance(node.target, ast.Attribute):
            return _augmented_attribute(spec, node, node.target)
        if isinstance(node.target, ast.Subscript):
            return stores.augmented_item(spec, node)
    name = node.target.id
    read = ast.copy_location(ast.Name(name, ast.Load()), node.target)
    old = spec.evaluate(read)
    value = expressions.plain_number(spec.evaluate(node.value))
    spec.bind(name, augmented(spec, node, old, value, name))


def augmented(
    spec: Specialiser,
    node: ast.AugAssign,
    old: core.Value,
    value: core.Value,
    name: str,
) -> core.Value:
    """The value of ``old += value``, which may change a list, dict, object or array in
    place; ``name`` is what holds it."""
    function = expressions.OPERATORS[type(node.op)]
    if not spec.derived:
        if ir.is_optional_array(core.kind_of(old)):
            old = optionals.present_under_its_name(spec, old)
        old, value = (expressions.present_operand(spec, v) for v in (old, value))
        operands = values_as_references.as_numbers(spec, function, (old, value))
        old, value = constant_calls.as_numbers(spec, operands)
    changed = in_place_operators.changed_in_place(spec, type(node.op), old, value)
    if changed is not None:
        return changed
    if queries.is_reference(old) and not core.has_methods(old):
        if any(
            issubclass(f.constructor, list | dict | deque)
            for f in queries.kind_of(old).forms
        ):
            raise core.Unsupported(
                f"{name!r} is a {old.kind} that the program is given, and this changes "
                "it",
                f"write {name} = {name} <operator> ... to make a new one",
            )
    if isinstance(old, core.Aggregate) or isinstance(
        core.kind_of(old), ir.Known | ir.List
    ):
        return spec.operate(function, (old, value))
    if isinstance(core.kind_of(old), ir.Scalar) and not isinstance(value, core.Leaf):
        return spec.operate(function, (old, value))
    if isinstance(core.kind_of(old), ir.Array | ir.Unknown) and spec.constants:
        new = spec.operate(function, (old, value))
        stored = store_as_constant(spec, old, new)
        if stored is not None:
            return stored
    if array_arguments.is_array(old) and not spec.derived:
        value = plain_tuples.as_tuples(spec, value)
        value = array_arguments.as_array_argument(spec, value)
    if isinstance(core.kind_of(old), ir.Array | ir.Unknown) and not spec.derived:
        function = INPLACE[type(node.op)]
        if isinstance(core.kind_of(old), ir.Unknown) and function in _OF_SETS:
            raise core.Unsupported(
                f"{name!r} may be an array or a set, and this changes it",
                f"write {name} = {name} <operator> ... to make a new one",
            )
    return spec.apply(function, (old, value), spelling="augmented")


@core.verb
def augmented_part(
    spec: Specialiser,
    node: ast.AugAssign,
    old: core.Value,
    value: core.Value,
    name: str,
) -> core.Value:
    """The same of an item or attribute: an array that is written into keeps the
    variable that it was read into."""
    with spec.at(node):
        result = augmented(spec, node, old, value, name)
    last = spec.block[-1] if spec.block else None
    if not isinstance(last, ir.Assign) or not isinstance(result, core.Leaf):
        return result
    written = isinstance(last.value, ir.Apply) and last.value.spelling == "augmented"
    if not written or last.target != result.operand or not isinstance(old, core.Leaf):
        return result
    if not isinstance(result.kind, ir.Array) or not isinstance(old.operand, ir.Var):
        return result
    if not is_surely_an_array(ir.array_if_present(old.kind)):
        return result  # what was a number is bound anew
    spec.block.pop()
    spec.read_again.add(old.operand)
    return spec.assign(old.operand, last.value, result.kind)


def _augmented_attribute(
    spec: Specialiser, node: ast.AugAssign, target: ast.Attribute
) -> None:
    owner = spec.evaluate(target.value)
    old = spec.attribute_of(owner, target.attr)
    value = expressions.plain_number(spec.evaluate(node.value))
    result = augmented_part(spec, node, old, value, target.attr)
    if storing.keeps_array(owner, target.attr, old, result):
        return
    store_attribute(spec, target, result, owner)


@core.statement(ast.Delete)
def delete(spec: Specialiser, node: ast.Delete) -> None:
    for target in node.targets:
        targets.delete_target(spec, target)


@core.statement(ast.Global)
@core.statement(ast.Pass)
def do_nothing(spec: Specialiser, node: ast.Pass | ast.Global) -> None:
    pass


@core.statement(ast.Expr)
def expression_statement(spec: Specialiser, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        spec.evaluate(node.value)


@core.statement(ast.Return)
def return_statement(spec: Specialiser, node: ast.Return) -> None:
    value = core.constant(None) if node.value is None else spec.evaluate(node.value)
    spec.frame.result = value


@core.statement(ast.Assert)
def assertion(spec: Specialiser, node: ast.Assert) -> None:
    test = evaluate_test(spec, node.test)
    if truth.static_truth(test) is True:
        return

    def fail() -> None:
        message = [] if node.msg is None else [spec.evaluate(node.msg)]
        _raise(spec, ops.raise_assertion_error, message, {})

    spec.choose(test, lambda: None, fail)


@core.statement(ast.Raise)
def raise_statement(spec: Specialiser, node: ast.Raise) -> None:
    if node.exc is None:
        return _raise(spec, ops.raise_again, [], {})
    words: Words = {}
    if isinstance(node.exc, ast.Call) and _is_exception_class(
        function := spec.evaluate(node.exc.func)
    ):
        arguments = [function]
        for argument in node.exc.args:
            if isinstance(argument, ast.Starred):
                raise core.Unsupported(
                    "the arguments of an exception can't be unpacked here",
                    "name them one by one",
                    argument,
                )
            arguments.append(spec.evaluate(argument))
        for keyword in node.exc.keywords:
            if keyword.arg is None:
                raise core.Unsupported(
                    "the arguments of an exception can't be unpacked here",
                    "name them one by one",
                    keyword.value,
                )
            words[keyword.arg] = spec.evaluate(keyword.value)
    else:
        arguments = [spec.evaluate(node.exc)]
    if node.cause is None:
        _raise(spec, ops.raise_exception, arguments, words)
    else:
        arguments.insert(0, spec.evaluate(node.cause))
        _raise(spec, ops.raise_from, arguments, words)


def _is_exception_class(value: core.Value) -> bool:
    if not isinstance(value, core.Leaf) or not isinstance(value.kind, ir.Known):
        return False
    known = value.kind.value
    if isinstance(known, StaticClass):
        return True
    return isinstance(known, type) and issubclass(known, BaseException)


def _raise(
    spec: Specialiser, function: Any, arguments: list[core.Value], words: Words
) -> None:
    """Emit a raise statement; what follows on this path is never run."""
    operands = tuple(_operand(value) for value in arguments)
    keywords = tuple((k, _operand(v)) for k, v in words.items())
    spec.emit(ir.Effect(spec.span, ir.Apply(function, operands, keywords)))
    spec.unreachable = True


def _operand(value: core.Value) -> ir.Operand:
    try:
        return core.operand_of(value)
    except TypeError:
        raise core.Unsupported(
            f"{core.describe(value)} can't be part of an exception",
            "raise an exception with a message",
        ) from None
