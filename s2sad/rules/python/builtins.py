"""Python's built-in functions of numbers."""

import operator

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime.rows import rows_of_terms
from s2sad.rules.numpy.elementwise import _absolute, _absolute_forward
from s2sad.rules.python.operator_kinds import (
    bool_kind,
    float_kind,
    folded,
    int_kind,
    len_kind,
    round_kind,
    selected_kind,
    sum_kind,
)
from s2sad.rules.python.operators import _power
from s2sad.rules.steps.shape_steps import in_dtype_of, reduced_to


def _abs_kind(x: ir.Kind) -> ir.Kind:
    return folded(abs, (x,)) or rules.elementwise_result(abs, (x,))


def _pow_kind(x: ir.Kind, y: ir.Kind) -> ir.Kind:
    return folded(operator.pow, (x, y)) or rules.elementwise_result(pow, (x, y))


rules.reverse_of(abs, kind=_abs_kind, cheap=True, lazy=True, pointwise=True)(_absolute)
rules.forward_of(abs)(_absolute_forward)
rules.elementwise(pow, _power, kind=_pow_kind, singular=True)
rules.elementwise(float, lambda x=0.0, out=None: 1.0, kind=float_kind, cheap=True)
rules.without_derivative(int, lambda x=0: ..., kind=int_kind, cheap=True)
rules.without_derivative(bool, lambda x=False: ..., kind=bool_kind, cheap=True)
rules.without_derivative(len, lambda x: ..., kind=len_kind, cheap=True)
rules.without_derivative((hash, ord), lambda x: ..., kind=lambda x: ir.INT)
rules.without_derivative(round, lambda x, digits=None: ..., kind=round_kind)


def _shares(values, out, out_bar):
    """The cotangents of numbers of which ``out`` is the largest or the smallest.

    Values that tie share evenly; a literal 0 leaves nothing to the others (relu).
    """
    if len(values) == 2:
        if rules.has_literal_zero(values):
            share = out_bar if out != 0 else 0.0
            return share, share
        x, y = values
        share = 0.5 * out_bar if x == y else out_bar
        return share if x == out else 0.0, share if y == out else 0.0
    ties = 1 if values[0] == out else 0
    for value in values[1:]:
        ties = ties + (1 if value == out else 0)
    share = out_bar / max(ties, 1)
    if rules.has_literal_zero(values):
        share = share if out != 0 else 0.0
    parts = ()
    for value in values:
        parts = parts + (share if value == out else 0.0,)
    return parts


def _shared_tangent(values, tangents, out):
    """The tangent of the largest or smallest of numbers."""
    if len(values) == 2:
        x, y = values
        x_dot, y_dot = tangents
        if rules.has_literal_zero(values):
            return x_dot + y_dot if out != 0 else 0.0
        return 0.5 * (x_dot + y_dot) if x == y else x_dot if x == out else y_dot
    ties = 1 if values[0] == out else 0
    total = tangents[0] if values[0] == out else 0.0
    for value, tangent in zip(values[1:], tangents[1:]):
        ties = ties + (1 if value == out else 0)
        total = total + (tangent if value == out else 0.0)
    total = total / max(ties, 1)
    if rules.has_literal_zero(values):
        total = total if out != 0 else 0.0
    return total


@rules.reverse_of((max, min), kind=selected_kind, masking=True, takes_sequence=True)
def _select(*values, out, out_bar):
    if len(values) == 1:
        if rules.is_list(values[0]):
            ties = np.array(values[0]) == out
            return (np.where(ties, out_bar / in_dtype_of(np.sum(ties), out), 0.0),)
        if rules.is_array(values[0]):
            ties = values[0] == out
            return (
                np.where(ties, out_bar / in_dtype_of(np.sum(ties), values[0]), 0.0),
            )
        return (_shares(values[0], out, out_bar),)
    return _shares(values, out, out_bar)


@rules.forward_of((max, min))
def _select_forward(*values, out, values_dot):
    if len(values) == 1:
        if rules.is_list(values[0]):
            ties = np.array(values[0]) == out
            chosen = np.where(ties, np.array(values_dot[0]), 0.0)
            return np.sum(chosen) / in_dtype_of(np.sum(ties), out)
        if rules.is_array(values[0]):
            ties = values[0] == out
            return np.sum(np.where(ties, values_dot[0], 0.0)) / in_dtype_of(
                np.sum(ties), values[0]
            )
        return _shared_tangent(values[0], values_dot[0], out)
    return _shared_tangent(values, values_dot, out)


@rules.reverse_of(
    sum, kind=sum_kind, differentiable=("iterable", "start"), takes_sequence=True
)
def _sum(iterable, start=0, *, out, out_bar):
    if rules.is_sequence(iterable):
        parts = ()
        for item in iterable:
            parts = parts + (reduced_to(out_bar, item),)
        return parts, reduced_to(out_bar, start)
    if rules.has_rows(iterable):
        return rows_of_terms(out_bar, iterable), reduced_to(out_bar, start)
    if rules.is_number(start):
        return out_bar, reduced_to(out_bar, start)
    return reduced_to(out_bar, iterable[0]), reduced_to(out_bar, start)


@rules.forward_of(sum)
def _sum_forward(iterable, start=0, *, out, iterable_dot, start_dot):
    if rules.is_literal_zero(iterable_dot):
        return start_dot
    return sum(iterable_dot, start_dot)
