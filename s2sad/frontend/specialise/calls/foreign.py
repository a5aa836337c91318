"""Calls of functions that have neither a rule nor a source to differentiate.

Those that only report (logging, warnings) stay as effects. Others are taken to be
functions of inactive values; one that may write into an array that it is given is
refused, since the derivative would not know.
"""

import builtins
import collections
import inspect
import logging
import sys
import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.analysis.passes.purity import is_pure
from s2sad.frontend.library.texts import misfit_of_call
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.library_calls.constant_calls import (
    is_constant,
    writes_nothing,
)
from s2sad.ops.runtime import jacobians, structures
from s2sad.source.static.values import StaticForeign
from s2sad.source.text.libraries import is_numerical, qualified_name

_READING = frozenset(
    getattr(builtins, name)
    for name in ("ascii", "callable", "format", "id", "issubclass", "type", "vars")
)
"""Builtins that write into nothing."""

_OF_STRUCTURES = (
    *(structures.as_structure, structures.zeros_of_structure),
    *(
        jacobians.jacobian_by_columns,
        jacobians.jacobian_by_rows,
        jacobians.joined_blocks,
    ),
)
"""What makes derivatives with respect to structures."""
_OF_THE_FRAME = (
    *(builtins.exec, builtins.eval, builtins.locals),
    *(inspect.currentframe, inspect.stack, sys._getframe),
)


def is_report(function: Any) -> bool:
    """True for functions that tell the world something, and give nothing back."""
    if isinstance(function, types.MethodType):
        return isinstance(function.__self__, logging.Logger | logging.LoggerAdapter)
    module = getattr(function, "__module__", None)
    if module == "logging":
        return getattr(function, "__name__", "") in _LEVELS
    return function is warnings.warn


_LEVELS = ("debug", "info", "warning", "error", "exception", "critical", "log")


def report(spec: Specialiser, function: Any, args: Args, keywords: Words) -> core.Value:
    """Keep the call as an effect."""
    for value in (*args, *keywords.values()):
        if not isinstance(value, core.Leaf | core.Aggregate):
            raise core.Unsupported(
                f"{core.describe(value)} is reported", "report a value"
            )
    words = tuple((k, core.operand_of(v)) for k, v in keywords.items())
    operation = ir.Apply(function, tuple(map(core.operand_of, args)), words)
    spec.emit(ir.Effect(spec.span, operation))
    return core.constant(None)


def foreign_call(
    spec: Specialiser, function: Any, args: Args, keywords: Words, spelling: str = ""
) -> core.Value:
    """A call that is run as it is; its result has no derivative. ``spelling`` says how
    a method is called. Where that can't be, a function that has a derivative for other
    calls is told from those that have none."""
    try:
        return _run_as_it_is(spec, function, args, keywords, spelling)
    except core.Unsupported:
        other = _other_form(function, len(args), keywords)
        if other is None:
            raise
        raise other from None


def _other_form(
    function: Any, count: int, keywords: Iterable[str]
) -> core.Unsupported | None:
    """The problem of a call with parameters that the derivative doesn't take."""
    found = misfit_of_call(function, count, tuple(keywords))
    if found is None:
        return None
    misfit, form = found
    name = ir.function_name(function)
    return core.Unsupported(
        f"this call of {name} can't be differentiated: {misfit}",
        f"the supported form is {name}{form}",
    )


def _run_as_it_is(
    spec: Specialiser, function: Any, args: Args, keywords: Words, spelling: str
) -> core.Value:
    values = (*args, *keywords.values())
    if isinstance(function, StaticForeign):
        raise core.Unsupported(
            f"what {function.path} does isn't known where only the text is read",
            "call it outside of the differentiated function",
        )
    if _is_of_the_frame(spec, function, bool(values)):
        raise core.Unsupported(
            f"{ir.function_name(function)} works on the names of the function that "
            "runs, and the derivative is another function",
            "write the code itself",
        )
    if function is collections.defaultdict:
        raise core.Unsupported(
            "a defaultdict changes when a key is read that it doesn't have",
            "use a dict, and its get",
        )
    if isinstance(function, type) and issubclass(function, dict | list):
        fixed = bool(values) and all(is_constant(spec, value) for value in values)
        if not fixed and (not values or any(map(_can_change, values)) or keywords):
            base = "dict" if issubclass(function, dict) else "list"
            raise core.Unsupported(
                f"what {function.__name__}, a class derived from {base}, holds isn't "
                "followed",
                f"use a {base}, or a class of your own that holds one",
            )
    writes = _output_is_given(function, args, keywords)
    reads = is_pure(function) or _reads_only(function) or writes_nothing(function)
    if writes or not reads:
        for value in values:
            if _can_change(value) or any(map(_may_be_written, core.leaves(value))):
                name = ir.function_name(function)
                raise core.Unsupported(
                    f"{name} may write into what it is given, and there is no rule "
                    "that says otherwise",
                    "register a rule for it, or call it outside of the differentiated "
                    "function",
                )
    found = spec.apply(function, args, keywords, spelling=spelling)
    if isinstance(found, core.Leaf) and all(
        is_constant(spec, value) for value in values
    ):
        spec.constant.add(found.operand)
        if is_numerical(function):
            spec.holds_arrays.add(found.operand)
    return found


def _is_of_the_frame(spec: Specialiser, function: Any, has_values: bool) -> bool:
    """True for what sees the names of the function that calls it, or of its module,
    where those of the derivative are others."""
    if function is builtins.globals:
        module = spec.frame.source.resolver.module
        return spec.options.static or module != spec.module.name
    without = function in (builtins.vars, builtins.dir) and not has_values
    return without or function in _OF_THE_FRAME


def without_rule(operation: ir.Apply) -> core.Unsupported:
    """The problem of a call that something active is passed to, and that has no
    rule."""
    words = dict(operation.keywords)
    other = _other_form(operation.function, len(operation.args), words)
    if other is not None:
        return other
    name = qualified_name(operation.function)
    if operation.function in (ops.method_of_object, ops.attribute_of_object):
        name = f"the {operation.spelling.replace(':', ' ')}"
    if operation.function in _OF_STRUCTURES:
        return core.Unsupported(
            "derivatives with respect to lists, dicts and objects that are kept as "
            "they are can't be differentiated here",
            "use hvp or jvp, or differentiate with respect to an array",
        )
    return core.Unsupported(
        f"there is no derivative rule for {name}",
        "register one with s2sad.rule, or compute it from functions that have rules",
    )


def unknown_value(
    spec: Specialiser, value: core.Value, problem: core.Unsupported
) -> core.Unsupported:
    """The problem of a value of which nothing is known: that the function it comes from
    has no rule, else ``problem``."""
    if not isinstance(value, core.Leaf) or not isinstance(value.kind, ir.Unknown):
        return problem
    found = call_without_rule(spec.block, value.operand)
    return problem if found is None else without_rule(found)


def call_without_rule(
    block: Iterable[ir.Statement], operand: ir.Operand
) -> ir.Apply | None:
    """The call of a function without a rule that a variable comes from, if any."""
    for s in reversed(tuple(block)):
        if not isinstance(s, ir.Assign) or s.target != operand:
            continue
        if not isinstance(s.value, ir.Apply):
            operand = s.value
            continue
        function = s.value.function
        if rules.rule_for(function) is None and callable(function):
            own = isinstance(function, ir.Procedure) or function in ops.MOVE_REFERENCES
            return None if own else s.value
        if not s.value.args:
            break
        operand = s.value.args[0]
    return None


def unknown_result(
    procedure: ir.Procedure, results: Iterable[core.Leaf], problem: core.Unsupported
) -> core.Unsupported:
    """The problem of what a procedure returns where nothing is known of one of the
    results: that a function it calls has no rule, else ``problem``."""
    if any(isinstance(leaf.kind, ir.Unknown) for leaf in results):
        last = procedure.function.final
        for variable in ir.operand_variables(last.value):
            found = call_without_rule(ir.walk(procedure.function.body), variable)
            if found is not None:
                return without_rule(found)
    return problem


def _reads_only(function: Any) -> bool:
    if isinstance(function, type) and issubclass(function, BaseException):
        return True
    try:
        return function in _READING
    except TypeError:
        return False


def _output_is_given(function: Any, args: Args, keywords: Words) -> bool:
    """Whether an argument is where a function of NumPy puts its result."""
    if isinstance(function, np.ufunc) and len(args) > function.nin:
        return True
    try:
        given = set(inspect.signature(function).bind(*args, **keywords).arguments)
    except (TypeError, ValueError):
        given = set()
    return any({"out", "output", "overwrite"} & set(name.split("_")) for name in given)


def _can_change(value: core.Value) -> bool:
    """True for lists, dicts and the like, and for what holds one."""
    if not isinstance(value, core.Aggregate):
        return False
    fixed = issubclass(value.constructor, tuple | frozenset | range | slice)
    return not fixed or any(map(_can_change, value.items))


def _may_be_written(leaf: core.Leaf) -> bool:
    kind = leaf.kind
    if isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Known):
        return False
    return not (isinstance(kind, ir.Unknown) and kind.inactive)
