"""Structures that may be None: ``best = None`` before a loop, a tuple behind it.

Such a value is a choice between None and the structure. The variable of the name says
which it is; the items have variables of their own, which are read where it isn't None::

    best = None                            best = None
    for k in range(n):                     for k in range(n):
        if c[k] > limit:                       if c[k] > limit:
            best = (k, c[k])        ->             best = 'tuple'
                                                   best_0, best_1 = k, c[k]
    if best is not None:                   if best is not None:
        total = best[1]                        total = best_1
"""

import ast
import operator
from types import NoneType
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser
from s2sad.frontend.specialise.optionals.narrowing import (
    choice_is_none,
    narrowed,
    note_comparison,
)


def is_optional(value: core.Value) -> bool:
    """True for a choice between None and structures."""
    return isinstance(value, core.Choice) and all(
        tag is None or isinstance(option, core.Aggregate)
        for tag, option in value.options
    )


def meets_none(a: core.Value, b: core.Value) -> bool:
    """True for a structure on one path, and None, or a structure that may be None, on
    the other."""
    for value, other in ((a, b), (b, a)):
        if _may_be_chosen(value) and (_is_none(other) or is_optional(other)):
            return True
    return False


def as_optional(value: core.Value) -> core.Value:
    """A structure as a choice of one."""
    if not _may_be_chosen(value):
        return value
    assert isinstance(value, core.Aggregate)
    tag = value.constructor.__name__
    return core.Choice(core.Leaf(ir.Const(tag), ir.OPAQUE), ((tag, value),))


def unwrapped(value: core.Value) -> core.Value:
    """The structure, where it is known not to be None."""
    if (
        isinstance(value, core.Choice)
        and is_optional(value)
        and len(value.options) == 1
    ):
        ((tag, option),) = value.options
        return option if tag is not None else core.constant(None)
    return value


def present(spec: Specialiser, value: core.Value) -> core.Value:
    """What a structure that may be None is where it is used: it isn't None. The program
    tests that, and raises what Python does."""
    value = unwrapped(value)
    if not isinstance(value, core.Choice) or not is_optional(value):
        return value

    others = [option for tag, option in value.options if tag is not None]
    if len(others) != 1:
        raise core.Unsupported(
            "this is one of several structures, or None",
            "test which one it is, or give it one structure on all paths",
        )
    test = choice_is_none(spec, value, ast.Is())
    spec.raise_if(test, TypeError, "None is used where a value is needed")
    return unwrapped(narrowed(value, frozenset({value.which.operand})))


def present_under_its_name(
    spec: Specialiser,
    value: core.Value,
    error: type[Exception] = TypeError,
    why: str = "unsupported operand type: 'NoneType'",
) -> core.Value:
    """The same of a number or array that may be None: an array that is written into
    keeps its name."""
    if not isinstance(value, core.Leaf) or not isinstance(value.kind, ir.Unknown):
        return value
    if value.kind.present is None:
        return value
    spec.raise_if(_leaf_is_none(spec, value, ast.Is()), error, why)
    return core.Leaf(value.operand, value.kind.present, value.path)


def is_array_or_none(value: core.Value) -> bool:
    """True for what may be None, and surely is an array where it isn't."""
    kind = core.kind_of(value)
    if not isinstance(kind, ir.Unknown) or not isinstance(kind.present, ir.Array):
        return False
    return bool(kind.present.axes) and not kind.present.promoted


def array_or_none_is(spec: Specialiser, value: core.Leaf, classes: Any) -> core.Value:
    """``isinstance(value, classes)`` of an array that may be None."""
    if issubclass(np.ndarray, classes) is issubclass(NoneType, classes):
        return core.constant(issubclass(NoneType, classes))
    op = ast.Is() if issubclass(NoneType, classes) else ast.IsNot()
    return _leaf_is_none(spec, value, op)


def _leaf_is_none(spec: Specialiser, value: core.Leaf, op: ast.cmpop) -> core.Value:
    function = operator.is_ if isinstance(op, ast.Is) else operator.is_not
    operation = ir.Apply(function, (value.operand, ir.Const(None)))
    test = spec.define(operation, ir.BOOL, "condition")
    return note_comparison(spec, op, value, core.constant(None), test)


def class_test(spec: Specialiser, function: Any, args: Args) -> core.Value | None:
    """``isinstance(value, cls)``, or ``bool(value)``, of a structure that may be
    None."""

    value, *others = args
    if not isinstance(value, core.Choice) or not is_optional(value):
        return None
    if function is bool and not others:
        return spec.truth_of_choice(value)
    if function is not isinstance:
        return None
    answers = {
        tag: spec.call_function(isinstance, (option, *others), {})
        for tag, option in value.options
    }
    of_none = answers.pop(None, core.constant(False))
    if of_none == core.constant(False) and set(answers.values()) == {
        core.constant(True)
    }:
        return choice_is_none(spec, value, ast.IsNot())
    same = {of_none, *answers.values()}
    return same.pop() if len(same) == 1 else None


def _may_be_chosen(value: core.Value) -> bool:
    return (
        isinstance(value, core.Aggregate)
        and isinstance(value.constructor, type)
        and value.constructor is not slice
        and not core.is_rows(value)
    )


def _is_none(value: core.Value) -> bool:
    return isinstance(value, core.Leaf) and value.kind == ir.NONE
