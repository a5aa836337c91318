"""Rules of the checks of what users' rules and hooks give, and of what augmented
assignment leaves: they hand it on."""

from dataclasses import replace

from s2sad import ir, rules
from s2sad.ops.runtime import fitting


def _fitting_kind(cotangent: ir.Kind, argument: ir.Kind, what: ir.Kind) -> ir.Kind:
    """The check settles the shape."""
    if isinstance(argument, ir.Scalar | ir.NumPyScalar):
        return (
            cotangent if isinstance(cotangent, ir.Scalar | ir.NumPyScalar) else ir.FLOAT
        )
    known = isinstance(argument, ir.Array) and ir.axes_of(argument) is not None
    return argument if known else cotangent


@rules.reverse_of(fitting.fitting_cotangent, kind=_fitting_kind, linear=True, view=True)
def _fitting_cotangent(cotangent, argument, what, *, out, out_bar):
    return out_bar


def _kind_of_hooked(changed: ir.Kind, adjoint: ir.Kind, what: ir.Kind) -> ir.Kind:
    return adjoint


@rules.reverse_of(
    fitting.hooked_adjoint, kind=_kind_of_hooked, differentiable=("adjoint",), view=True
)
def _hooked_adjoint(changed, adjoint, what, *, out, out_bar):
    return fitting.only_looked_at(out_bar, changed, what)


@rules.forward_of(fitting.hooked_adjoint)
def _hooked_adjoint_forward(changed, adjoint, what, *, out, adjoint_dot):
    return fitting.only_looked_at(adjoint_dot, changed, what)


def _kind_of_looked_at(derivative: ir.Kind, changed: ir.Kind, what: ir.Kind) -> ir.Kind:
    return derivative


@rules.reverse_of(
    fitting.only_looked_at, kind=_kind_of_looked_at, linear=True, view=True
)
def _only_looked_at(derivative, changed, what, *, out, out_bar):
    return fitting.only_looked_at(out_bar, changed, what)


def _kind_of_augmented(old: ir.Kind, new: ir.Kind) -> ir.Kind:
    return old


@rules.reverse_of(
    fitting.augmented_value,
    kind=_kind_of_augmented,
    differentiable=("new",),
    linear=True,
)
def _augmented_value(old, new, *, out, out_bar):
    return out_bar


@rules.forward_of(fitting.augmented_value)
def _augmented_value_forward(old, new, *, out, new_dot):
    return fitting.augmented_value(old, new_dot)


def _kind_of_required(value: ir.Kind, rank: ir.Kind) -> ir.Kind:
    return replace(value, promoted=False) if isinstance(value, ir.Array) else value


@rules.reverse_of(fitting.require_rank, kind=_kind_of_required, linear=True, view=True)
def _require_rank(value, rank, *, out, out_bar):
    return out_bar
