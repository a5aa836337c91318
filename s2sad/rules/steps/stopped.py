"""The operation behind ``stop_gradient`` and ``no_grad``: the value, as a constant; and
that behind ``grad(f, wrt="h")`` of a local variable, where an adjoint is asked for.

A third gives one variable the derivative of another that has the same value.

They are there while derivatives are taken. Afterwards
``s2sad.transform.programs.stopped`` puts the value itself in their place."""

import inspect
from typing import Any

from s2sad import ir, rules


def stopped(value):
    """The value itself; its derivative is zero."""
    return value


def retained(value: Any, name: str, place: int) -> Any:
    """The value itself, whose adjoint is asked for by the name of its variable."""
    return value


def with_derivative_of(value, source):
    """The value itself; its derivative is that of ``source``, which is the same
    number or array, computed in another way."""
    return value


def _own_kind(value: ir.Kind) -> ir.Kind:
    return value


rules.register(
    rules.Rule(
        stopped,
        inspect.signature(lambda value: None),
        kind=_own_kind,
        view=True,
        cheap=True,
        lazy=True,
        takes_sequence=True,
    )
)


def _kind_of_retained(value: ir.Kind, name: ir.Kind, place: ir.Kind) -> ir.Kind:
    return value


@rules.reverse_of(retained, kind=_kind_of_retained, linear=True, lazy=True, view=True)
def _retained(value, name, place, *, out, out_bar):
    return out_bar


def _kind_of_first(value: ir.Kind, source: ir.Kind) -> ir.Kind:
    return value


@rules.reverse_of(
    with_derivative_of,
    kind=_kind_of_first,
    differentiable=("source",),
    lazy=True,
    view=True,
    cheap=True,
)
def _with_derivative_of(value, source, *, out, out_bar):
    return out_bar


@rules.forward_of(with_derivative_of)
def _tangent_with_derivative_of(value, source, *, out, source_dot):
    return source_dot
