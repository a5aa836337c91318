"""NumPy's elementwise choices: the larger of two, values within bounds or by condition.

What is not chosen gets 0 by selection (``np.where``), not by multiplication with 0,
which makes an infinite cotangent nan. Values that tie share evenly, except against a
literal 0 in maximum and minimum and a literal bound in clip: there the value gets 0.
Against a literal 0 the result tells who won, so that a network keeps one array a layer.
"""

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime.broadcasting import broadcast_to_shape_of
from s2sad.rules.numpy.kinds_of_arrays import IS_TRUE
from s2sad.rules.steps.shape_steps import reduced_to

_BOTH = ("x", "y")


def _winner_takes(wins, ties, out_bar):
    return np.where(wins, out_bar, np.where(ties, 0.5 * out_bar, 0.0))


def _winner_tangent(x_wins, y_wins, x_dot, y_dot):
    return np.where(x_wins, x_dot, np.where(y_wins, y_dot, 0.5 * (x_dot + y_dot)))


def _register(function, beyond, wins) -> None:
    """A function that is one of two values: the one that ``wins``, which is ``beyond``
    the other."""

    @rules.reverse_of(
        function,
        kind=rules.elementwise_kind(function),
        differentiable=_BOTH,
        masking=True,
        lazy=True,
    )
    def _(x, y, *, out, out_bar):
        if rules.is_literal_zero(y):
            return np.where(beyond(out, 0), out_bar, 0.0), 0.0
        if rules.is_literal_zero(x):
            return 0.0, np.where(beyond(out, 0), out_bar, 0.0)
        return (
            reduced_to(_winner_takes(wins(x, y), x == y, out_bar), x),
            reduced_to(_winner_takes(wins(y, x), x == y, out_bar), y),
        )

    @rules.forward_of(function)
    def _(x, y, *, out, x_dot, y_dot):
        if rules.is_literal_zero(y):
            return np.where(beyond(out, 0), x_dot, 0.0)
        if rules.is_literal_zero(x):
            return np.where(beyond(out, 0), y_dot, 0.0)
        return _winner_tangent(wins(x, y), wins(y, x), x_dot, y_dot)


def _above(x, y):
    return x > y


def _below(x, y):
    return x < y


_register(np.maximum, _above, _above)
_register(np.minimum, _below, _below)
# fmax and fmin choose the other value where one is nan.
_register(np.fmax, _above, lambda x, y: (x > y) | np.isnan(y))
_register(np.fmin, _below, lambda x, y: (x < y) | np.isnan(y))


def _where_kind(condition: ir.Kind, x: ir.Kind, y: ir.Kind) -> ir.Kind:
    result = rules.elementwise_result(np.where, (condition, x, y))
    # np.where gives an array of rank 0 where other functions give a NumPy scalar.
    return ir.Array(result.dtype, ()) if isinstance(result, ir.NumPyScalar) else result


@rules.reverse_of(
    np.where, kind=_where_kind, differentiable=_BOTH, masking=True, lazy=True
)
def _where(condition, x, y, *, out, out_bar):
    if not rules.surely_has_shape_of(condition, out):
        out_bar = broadcast_to_shape_of(out_bar, out)
    return (
        reduced_to(np.where(condition, out_bar, 0.0), x),
        reduced_to(np.where(condition, 0.0, out_bar), y),
    )


@rules.forward_of(np.where)
def _where_forward(condition, x, y, *, out, x_dot, y_dot):
    return np.where(condition, x_dot, y_dot)


def _clip_kind(
    a: ir.Kind,
    a_min: ir.Kind = ir.NONE,
    a_max: ir.Kind = ir.NONE,
    *,
    min: ir.Kind = ir.NONE,
    max: ir.Kind = ir.NONE,
) -> ir.Kind:
    bounds = [k for k in (a_min, a_max, min, max) if k != ir.NONE]
    if not bounds:
        return rules.elementwise_result(np.positive, (a,))
    return rules.elementwise_result(np.clip, (a, bounds[0], bounds[-1]))


@rules.reverse_of(
    np.clip,
    kind=_clip_kind,
    differentiable=("a", "a_min", "a_max", "min", "max"),
    masking=True,
    lazy=True,
)
def _clip(a, a_min=None, a_max=None, *, min=None, max=None, out, out_bar):
    lower = a_min if rules.is_none(min) else min
    upper = a_max if rules.is_none(max) else max
    a_bar, lower_bar, upper_bar = _clipped(a, lower, upper, out_bar)
    return a_bar, lower_bar, upper_bar, lower_bar, upper_bar


def _clipped(a, lower, upper, out_bar):
    """As minimum(maximum(a, lower), upper): where the bounds cross, upper holds."""
    if rules.is_literal(lower) and rules.is_literal(upper):
        return np.where((a > lower) & (a < upper), out_bar, 0.0), 0.0, 0.0
    raised, raised_bar = a, out_bar
    lower_bar, upper_bar = 0.0, 0.0
    if not rules.is_none(upper):
        raised = a if rules.is_none(lower) else np.maximum(a, lower)
        if rules.is_literal(upper):
            raised_bar = np.where(raised < upper, out_bar, 0.0)
        else:
            ties = raised == upper
            raised_bar = _winner_takes(raised < upper, ties, out_bar)
            upper_bar = reduced_to(_winner_takes(raised > upper, ties, out_bar), upper)
    if rules.is_none(lower):
        return reduced_to(raised_bar, a), lower_bar, upper_bar
    if rules.is_literal(lower):
        a_bar = np.where(a > lower, raised_bar, 0.0)
        return reduced_to(a_bar, a), lower_bar, upper_bar
    a_bar = _winner_takes(a > lower, a == lower, raised_bar)
    lower_bar = reduced_to(_winner_takes(a < lower, a == lower, raised_bar), lower)
    return reduced_to(a_bar, a), lower_bar, upper_bar


@rules.forward_of(np.clip)
def _clip_forward(
    a,
    a_min=None,
    a_max=None,
    *,
    min=None,
    max=None,
    out,
    a_dot,
    a_min_dot=0.0,
    a_max_dot=0.0,
    min_dot=0.0,
    max_dot=0.0,
):
    lower = a_min if rules.is_none(min) else min
    upper = a_max if rules.is_none(max) else max
    raised, out_dot = a, a_dot
    if not rules.is_none(lower):
        lower_dot = a_min_dot if rules.is_none(min) else min_dot
        raised = np.maximum(a, lower)
        if rules.is_literal(lower):
            out_dot = np.where(a > lower, a_dot, 0.0)
        else:
            out_dot = _winner_tangent(a > lower, a < lower, a_dot, lower_dot)
    if not rules.is_none(upper):
        upper_dot = a_max_dot if rules.is_none(max) else max_dot
        if rules.is_literal(upper):
            return np.where(raised < upper, out_dot, 0.0)
        return _winner_tangent(raised < upper, raised > upper, out_dot, upper_dot)
    return out_dot


@rules.reverse_of(
    np.heaviside,
    kind=rules.elementwise_kind(np.heaviside),
    differentiable=("y",),
    masking=True,
)
def _heaviside(x, y, *, out, out_bar):
    return reduced_to(np.where(x == 0, out_bar, 0.0), y)


@rules.forward_of(np.heaviside)
def _heaviside_forward(x, y, *, out, y_dot):
    return np.where(x == 0, y_dot, 0.0)


def _nan_to_num_kind(
    x: ir.Kind, copy: ir.Kind = IS_TRUE, **replacements: ir.Kind
) -> ir.Kind:
    if not rules.static_value(copy):
        raise rules.CallRefused(
            "np.nan_to_num(copy=False) writes into its argument", "store the result"
        )
    return rules.elementwise_result(np.nan_to_num, (x,))


@rules.reverse_of(
    np.nan_to_num,
    kind=_nan_to_num_kind,
    differentiable=("x", "nan", "posinf", "neginf"),
    masking=True,
    lazy=True,
)
def _nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None, *, out, out_bar):
    posinf_bar, neginf_bar = 0.0, 0.0
    if not rules.is_none(posinf):
        posinf_bar = reduced_to(np.where(x == np.inf, out_bar, 0.0), posinf)
    if not rules.is_none(neginf):
        neginf_bar = reduced_to(np.where(x == -np.inf, out_bar, 0.0), neginf)
    return (
        np.where(np.isfinite(x), out_bar, 0.0),
        reduced_to(np.where(np.isnan(x), out_bar, 0.0), nan),
        posinf_bar,
        neginf_bar,
    )


@rules.forward_of(np.nan_to_num)
def _nan_to_num_forward(
    x,
    copy=True,
    nan=0.0,
    posinf=None,
    neginf=None,
    *,
    out,
    x_dot,
    nan_dot=0.0,
    posinf_dot=0.0,
    neginf_dot=0.0,
):
    out_dot = np.where(np.isfinite(x), x_dot, 0.0)
    if not rules.is_literal_zero(nan_dot):
        out_dot = np.where(np.isnan(x), nan_dot, out_dot)
    if not rules.is_literal_zero(posinf_dot):
        out_dot = np.where(x == np.inf, posinf_dot, out_dot)
    if not rules.is_literal_zero(neginf_dot):
        out_dot = np.where(x == -np.inf, neginf_dot, out_dot)
    return out_dot
