"""What a value is: questions that its form answers."""

import operator
from collections import deque
from collections.abc import Callable
from enum import EnumMeta
from typing import Any, TypeGuard

from s2sad import ir, rules
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.values import (
    CONTAINERS,
    Aggregate,
    Cell,
    Leaf,
    Method,
    Value,
    constant,
    is_cell_of_object,
    is_object,
    kind_of,
    leaves,
)
from s2sad.source.kinds.attributes import is_users_class
from s2sad.source.kinds.external_data import is_live_object
from s2sad.source.kinds.foreign_classes import is_foreign

DICT = "__dict__"


def is_known(value: Value) -> bool:
    """True for a value that is known when the program is compiled."""
    return rules.is_static(kind_of(value))


def known_value(value: Value) -> Any:
    """What such a value is."""
    return rules.static_value(kind_of(value))


def known_exactly(value: Value) -> Any:
    """The same, a list as a list."""
    return rules.exact_value(kind_of(value))


def is_attributes(value: Value) -> TypeGuard[Method]:
    """True for the dict of an object's attributes."""
    if not isinstance(value, Method) or value.name != DICT:
        return False
    owner = value.receiver
    kept = isinstance(owner, Leaf) and isinstance(owner.kind, ir.Reference)
    return kept or isinstance(owner, Cell | Aggregate)


def is_plain_class(cls: Any) -> bool:
    """True for a class whose instances are made by ``__init__`` alone."""
    return (
        isinstance(cls, type)
        and is_users_class(cls)
        and cls.__new__ is object.__new__
        and type(cls).__call__ is type.__call__
    )


def has_methods(value: Value) -> bool:
    """True for what has operators of its own: objects, and tuples of a class that
    defines methods."""
    if isinstance(value, Leaf) and isinstance(value.kind, ir.Reference):
        return all(
            not issubclass(form.constructor, list | dict)
            and form.constructor not in (tuple, deque)
            and not form.is_value
            for form in value.kind.forms
        )
    if isinstance(value, Leaf):
        return isinstance(value.kind, ir.Known) and is_live_object(value.kind.value)
    if is_cell_of_object(value) or is_object(value):
        return True
    return is_named_tuple(value)


def is_named_tuple(value: Value) -> TypeGuard[Aggregate]:
    """True for a NamedTuple that is taken apart."""
    cls = value.constructor if isinstance(value, Aggregate) else None
    return isinstance(cls, type) and hasattr(cls, "_fields")


def items_of(value: Value) -> tuple[Value, ...] | None:
    """The items of what is iterated over, where their number is known; else None."""
    if isinstance(value, Aggregate):
        if value.constructor is dict:
            return tuple(constant(k) for k in value.keys)
        cls = value.constructor
        if isinstance(cls, type) and issubclass(cls, tuple | list):
            return value.items if _is_run_over_as_builtin(cls) else None
    elif isinstance(value, Leaf) and isinstance(value.kind, ir.Known):
        known = value.kind.value
        if type(known) in (str, bytes, range, tuple) or isinstance(known, EnumMeta):
            return tuple(map(constant, known))
    return None


def inherits_iteration(value: Leaf) -> bool:
    """True for a reference to a tuple or list that is run over as those of Python."""
    assert isinstance(value.kind, ir.Reference)
    return all(_is_run_over_as_builtin(form.constructor) for form in value.kind.forms)


def _is_run_over_as_builtin(cls: Any) -> bool:
    return getattr(cls, "__iter__", None) in (tuple.__iter__, list.__iter__)


NOT_TOLD_COMPLEX = (
    "it isn't known whether a value beside complex numbers is one of them",
    "let it be a number or array on all paths, or annotate its dtype",
)
"""The problem of a kind that doesn't tell, and what to do."""
MAKE_TEXTS = (operator.add, operator.mul, operator.mod)
"""Operators that make a text of a text."""


def lawful_kind(
    kind: ir.Unknown,
    function: Callable[..., Any],
    rule: rules.Rule | None,
    values: tuple[Value, ...],
) -> ir.Kind:
    """The kind of a result of which nothing is known: it may vary where an operand may,
    unless the operation has no derivative or makes a text."""
    if kind.present is not None or isinstance(
        kind, ir.RandomSource | ir.Sparse | ir.Members
    ):
        return kind
    operands = [leaf for value in values for leaf in leaves(value)]
    varies = any(map(may_vary, operands))
    if rule is not None and not rule.differentiates:
        return ir.OPAQUE if isinstance(kind, ir.Foreign) else kind
    text = function in MAKE_TEXTS and any(map(is_text, operands))
    if not varies or text or function in (str, repr, ascii, format):
        return ir.OPAQUE
    return ir.UNREAD if rule is None else ir.UNKNOWN


def check_dtype(
    kind: ir.Kind,
    function: Callable[..., Any],
    rule: rules.Rule | None,
    values: tuple[Value, ...],
) -> None:
    """Refuse to put numbers that may vary into arrays of what has no derivative."""
    if not isinstance(kind, ir.Array | ir.NumPyScalar) or kind.dtype is None:
        return
    if kind.dtype.startswith(_NUMBERS) or rule is None or not rule.differentiates:
        return
    if any(may_vary(leaf) for value in values for leaf in leaves(value)):
        raise Unsupported(
            f"{ir.function_name(function)} makes an array of dtype {kind.dtype} of "
            "numbers that may vary: it carries no derivative",
            "keep the numbers in an array of floats or a list",
        )


_NUMBERS = ("float", "complex", "longdouble", "clongdouble", "int", "uint", "bool")
"""What the names of the dtypes of numbers begin with."""


def may_vary(leaf: Leaf) -> bool:
    """True for numbers and arrays that are neither literals nor data."""
    data = isinstance(leaf.operand, ir.Const | ir.Global) and leaf.kind != ir.UNKNOWN
    return ir.is_real_number_kind(leaf.kind) and not data


def is_text(leaf: Leaf) -> bool:
    """True for a known text."""
    kind = leaf.kind
    return isinstance(kind, ir.Known) and isinstance(kind.value, str | bytes)


def foreign_class(kind: ir.Kind) -> type | None:
    """The class of a value of this kind, if it is foreign."""
    if isinstance(kind, ir.Foreign):
        return kind.cls
    if isinstance(kind, ir.Known) and is_foreign(type(kind.value)):
        return type(kind.value)
    return None


def is_container(value: Value) -> TypeGuard[Cell]:
    """True for a list, dict, set or deque that may change."""
    return isinstance(value, Cell) and issubclass(value.constructor, CONTAINERS)
