"""Which operations may be dropped, moved or repeated."""

import builtins
import operator
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from s2sad import custom, ir, ops
from s2sad.ops.runtime.structures import tangent_copy, working_copy
from s2sad.rules.registry import rule_for

_PURE_MODULES = ("numpy", "math", "_operator", "operator", "cmath", "scipy.special")
_PURE_BUILTINS = {
    getattr(builtins, name)
    for name in (
        *("abs", "all", "any", "bool", "complex", "divmod", "float", "getattr"),
        *("hasattr", "hash", "int", "isinstance", "len", "max", "min", "pow"),
        *("range", "repr", "round", "sorted", "str", "sum", "tuple"),
    )
}
_WRITERS = (
    *(ops.method_of_object, ops.attribute_of_object),
    *(ops.change_members, ops.member_taken),
    *ops.CHANGES_ADJOINTS,
    *ops.STORES_INTO_SLOTS,
    *(working_copy, tangent_copy),
    *(np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask),
    *(operator.setitem, operator.delitem, operator.iconcat, operator.imatmul),
    *(operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift),
    *(operator.ifloordiv, operator.imod, operator.ipow),
)
_WRITES = (*ops.PLAIN, *ops.STORES)
_METHODS_OF_VALUES = (
    *(str, bytes, int, float, complex, bool, tuple, frozenset, range, slice),
    np.generic,
)
"""Classes of what can't change: their methods are pure."""


def is_pure(function: Callable[..., Any]) -> bool:
    """True for functions without effects that give the same result when called again.

    Functions with a rule are taken to be pure, and NumPy's other than random ones; an
    unknown function may do anything.
    """
    if isinstance(function, ir.Procedure):
        return not has_effects(function)
    if function in ops.TAKES_ITS_TIME:
        return False
    rule = rule_for(function)
    if rule is not None:
        return not rule.draws
    if isinstance(function, custom.CustomFunction):
        return True
    module = getattr(function, "__module__", None) or ""
    if any(function is writer for writer in _WRITERS):
        return False
    if module.startswith("s2sad."):
        return True
    if "random" in module:
        return False
    try:
        if function in _PURE_BUILTINS:
            return True
    except TypeError:
        return False
    return (
        module.split(".")[0] in _PURE_MODULES
        or module in _PURE_MODULES
        or _is_method_of_values(function)
    )


def _is_method_of_values(function: Callable[..., Any]) -> bool:
    owner = getattr(function, "__objclass__", None)
    return (
        isinstance(function, type(str.upper))
        and isinstance(owner, type)
        and issubclass(owner, _METHODS_OF_VALUES)
    )


def has_effects(procedure: ir.Procedure) -> bool:
    """True where it, or what it calls, prints, raises or the like, may write into an
    array, makes objects, reads what the program stores, or where that isn't known
    yet."""
    return _does_more(procedure, ops.TAKES_ITS_TIME) or reads_written(procedure)


def is_missed(procedure: ir.Procedure) -> bool:
    """The same but for reads of what the program stores: nobody misses a call of one
    that does nothing else where its result isn't read."""
    others = [f for f in ops.TAKES_ITS_TIME if f not in ops.READS_OF_STORED]
    return _does_more(procedure, others)


def _does_more(procedure: ir.Procedure, counted: Collection[Any]) -> bool:
    """True for effects, the operations that are ``counted`` among them."""
    if not ir.is_complete(procedure) or procedure.handed:
        return True
    called = ir.all_procedures([procedure.function.body])
    if not all(map(ir.is_complete, called)):
        return True
    blocks = [p.function.body for p in (procedure, *called)]
    return any(
        isinstance(s, ir.Effect)
        or may_write(s)
        or may_draw(s)
        or (ir.applies(s) and _does(s.value.function, counted))
        for block in blocks
        for s in ir.walk(block)
    )


def _does(function: Callable[..., Any], counted: Collection[Any]) -> bool:
    if isinstance(function, ir.Procedure):  # its own lines are looked at
        return False
    if function in ops.TAKES_ITS_TIME:
        return function in counted
    return not is_pure(function)


def does(procedure: ir.Procedure, functions: Collection[Any]) -> bool:
    """True where it, or what it calls, does one of these operations."""
    called = (procedure, *ir.all_procedures([procedure.function.body]))
    return any(
        operation.function in functions
        for one in called
        if ir.is_complete(one)
        for s in ir.walk(one.function.body)
        for operation in ir.operations(s)
    )


def makes_references(procedure: ir.Procedure) -> bool:
    """True where it, or what it calls, gets lists, dicts or objects otherwise than by
    reading them from others: a gradient, say, a copy, or an object that it makes."""
    called = (procedure, *ir.all_procedures([procedure.function.body]))
    return any(
        isinstance(s, ir.Assign)
        and isinstance(s.kind, ir.Reference)
        and isinstance(s.value, ir.Apply)
        and not isinstance(s.value.function, ir.Procedure)
        and s.value.function not in ops.GIVES_WHAT_STANDS
        for one in called
        if ir.is_complete(one)
        for s in ir.walk(one.function.body)
    )


def writes_arrays(procedure: ir.Procedure) -> bool:
    """True where it, or what it calls, writes into an array, or where that isn't known
    yet."""
    called = (procedure, *ir.all_procedures([procedure.function.body]))
    changes = (*ops.STORES_INTO_ARRAYS, ops.add_to_part)
    return does(procedure, changes) or any(
        not ir.is_complete(one) or any(map(ops.is_write, ir.walk(one.function.body)))
        for one in called
    )


def writes_kept(procedure: ir.Procedure) -> bool:
    """True where a program as the user wrote it may write into arrays that stand in
    run-time values."""
    return _in_program_that_writes(procedure) and writes_arrays(procedure)


def reads_written(procedure: ir.Procedure) -> bool:
    """True where such a program may read arrays that others write into."""
    reads = ops.READS_OF_REFERENCES
    return _in_program_that_writes(procedure) and does(procedure, reads)


def _in_program_that_writes(procedure: ir.Procedure) -> bool:
    details = procedure.details
    return details is not None and ops.WRITTEN_ARRAYS in details.spec.facts.stored


def draws(procedure: ir.Procedure) -> bool:
    """True where it, or what it calls, draws random numbers."""
    called = [
        p for p in ir.all_procedures([procedure.function.body]) if ir.is_complete(p)
    ]
    return any(
        may_draw(s) for p in (procedure, *called) for s in ir.walk(p.function.body)
    )


def may_draw(statement: ir.Statement) -> bool:
    """True for a draw of random numbers."""
    rules = (rule_for(operation.function) for operation in ir.operations(statement))
    return any(rule is not None and rule.draws for rule in rules)


def takes_its_time(statement: ir.Statement) -> bool:
    """True for what reads a slot into which the program stores, or makes an object:
    nobody misses it where its result isn't read, but it can't be moved or repeated."""
    return ir.applies(statement) and statement.value.function in ops.TAKES_ITS_TIME


def may_write(statement: ir.Statement) -> bool:
    """True for ``x[i] = v``, and for ``x += v`` where ``x`` may be an array: whether
    another name sees that is decided later."""
    return ir.applies(statement) and statement.value.function in _WRITES
