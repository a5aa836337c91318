"""Lists and tuples of numbers where a function of NumPy or SciPy takes an array.

::

    np.outer([0.0, 0.0, 1.0], v)     ->     np.outer(np.array([0.0, 0.0, 1.0]), v)
    np.array([(x, x * x) for x in xs])
        ->     np.stack((np.array(xs), np.array(squares)), axis=1)

Rules are written for arrays, and so are their cotangents.
"""

import inspect
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.library import lists
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.run_time import queries


def with_arrays(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> tuple[Args, Words]:
    """The arguments of a call, lists as arrays where the rule differentiates by what
    stands there."""
    rule = rules.rule_for(function)
    lists = any(map(_is_list_of_numbers, (*args, *keywords.values())))
    if rule is None or rule.takes_sequence or not lists or not takes_arrays(function):
        return args, keywords
    names = _names_of_positions(rule.signature, len(args))
    taken = {*rule.differentiable, *rule.refused}
    return tuple(
        as_array_argument(spec, value) if name in taken else value
        for name, value in zip(names, args, strict=True)
    ), {
        name: as_array_argument(spec, value) if name in taken else value
        for name, value in keywords.items()
    }


def as_array_argument(spec: Specialiser, value: core.Value) -> core.Value:
    """A list or tuple of numbers or arrays as an array; others as they are."""

    if not _is_list_of_numbers(value):
        return value
    return spec.call_function(np.array, (value,), {})


def of_rows(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value | None:
    """A function of NumPy or SciPy of lists of lists or tuples, as many as only the run
    knows: they are made an array first. None for other calls."""
    if spec.derived or not takes_arrays(function):
        return None
    made = tuple(_array_of_rows(spec, value) for value in args)
    if all(array is None for array in made):
        return None
    arrays = tuple(
        value if array is None else array
        for value, array in zip(args, made, strict=True)
    )
    if function in (np.array, np.asarray) and len(args) == 1 and not keywords:
        return arrays[0]
    return spec.call_function(function, arrays, keywords)


def _array_of_rows(spec: Specialiser, value: core.Value) -> core.Value | None:
    """Rows as an array, column by column; None for what isn't rows of numbers."""
    value = spec.by_value(value)
    if _is_of_kept_rows(value):
        value = spec.call_function(lists.rows_of, (value,), {})
        if not core.is_rows(value):
            return spec.call_function(np.array, (value,), {})
    if not isinstance(value, core.Aggregate) or not core.is_rows(value):
        return None
    (row,) = value.items
    return _of_columns(spec, row) if _holds_numbers(row) else None


def _is_of_kept_rows(value: core.Value) -> bool:
    """True for a list of tuples or lists of numbers that are kept as they are."""
    kind = core.kind_of(value)
    if isinstance(kind, ir.Reference):
        row = ir.kind_of_slot(kind, ir.EACH) if queries.are_sequences(kind) else None
    else:
        row = kind.item if isinstance(kind, ir.List) else None
    if not isinstance(row, ir.Reference) or row.may_be_none or len(row.forms) > 1:
        return False
    (form,) = row.forms
    return issubclass(form.constructor, (list, tuple)) and all(
        isinstance(slot, _NUMBERS) for slot in form.slots.values()
    )


def _holds_numbers(row: core.Value) -> bool:
    """True for a list or tuple of numbers and arrays, and of such lists and tuples."""
    if isinstance(row, core.Aggregate) and (
        row.constructor in (list, tuple) or core.is_named_tuple(row)
    ):
        return bool(row.items) and all(map(_holds_numbers, row.items))
    kind = core.kind_of(row)
    return isinstance(kind, ir.List) and isinstance(kind.item, _NUMBERS)


def _of_columns(spec: Specialiser, row: core.Value) -> core.Value:
    if not isinstance(row, core.Aggregate):
        return spec.call_function(np.array, (row,), {})
    columns = tuple(_of_columns(spec, column) for column in row.items)
    axis: Words = {"axis": core.constant(1)}
    return spec.call_function(np.stack, (core.aggregate_of(columns),), axis)


def is_array(value: core.Value) -> bool:
    """What makes an operator one of arrays."""
    return isinstance(value, core.Leaf) and isinstance(value.kind, ir.Array)


def _is_list_of_numbers(value: core.Value) -> bool:
    if isinstance(value, core.Leaf):
        return isinstance(value.kind, ir.List)
    if not isinstance(value, core.Aggregate) or value.constructor not in (list, tuple):
        return False
    return bool(value.items) and all(
        _is_list_of_numbers(item)
        or (isinstance(item, core.Leaf) and isinstance(item.kind, _NUMBERS))
        for item in value.items
    )


_NUMBERS = (ir.Scalar, ir.NumPyScalar, ir.Array)


def reads_arrays(function: Any, text: Any) -> bool:
    """True for a function of NumPy, SciPy or ``math`` that computes with what its
    arguments hold, by a rule or text; others may ask what an argument is."""
    rule = rules.rule_for(function)
    computes = text is not None or (rule is not None and rule.differentiates)
    return computes and (takes_arrays(function) or _is_of_math(function))


def takes_arrays(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    root = module.partition(".")[0]
    return isinstance(function, np.ufunc) or root in ("numpy", "scipy")


def _names_of_positions(signature: inspect.Signature, count: int) -> list[str]:
    """The parameters that so many positional arguments fill."""
    names: list[str] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [name] * (count - len(names))
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(name)
    return (names + [""] * count)[:count]


def _is_of_math(function: Any) -> bool:
    return getattr(function, "__module__", None) == "math"
