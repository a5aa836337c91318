"""``scipy.special.logsumexp``, ``softmax`` and ``log_softmax``."""

import numpy as np
from scipy import special

from s2sad import ir, rules
from s2sad.ops.runtime.broadcasting import broadcast_to_shape_of
from s2sad.rules.numpy import kinds_of_arrays
from s2sad.rules.steps.shape_steps import reduced_to, restored


def _logsumexp_kind(
    a: ir.Kind,
    axis: ir.Kind = kinds_of_arrays.NOT_GIVEN,
    b: ir.Kind = kinds_of_arrays.NOT_GIVEN,
    keepdims: ir.Kind = kinds_of_arrays.IS_FALSE,
    return_sign: ir.Kind = kinds_of_arrays.IS_FALSE,
) -> ir.Kind:
    if b != kinds_of_arrays.NOT_GIVEN:
        a = rules.elementwise_result(
            np.add, (kinds_of_arrays.as_array(a), kinds_of_arrays.as_array(b))
        )
    part = kinds_of_arrays.result_of_reduction(special.logsumexp, a, axis, keepdims)
    if rules.static_value(return_sign):
        return ir.Structure(tuple, (0, 1), (part, part))
    return part


def shares(a, whole, axis, keepdims, out, return_sign):
    """exp(a) as a share of the sum of b exp(a); 0 where all of them are 0."""
    log = out[0] if return_sign else out
    shift = np.where(log == -np.inf, 0.0, log)
    share = np.exp(a - restored(shift, whole, axis, keepdims))
    if return_sign:
        share = share * restored(out[1], whole, axis, keepdims)
    return share


@rules.reverse_of(
    special.logsumexp,
    kind=_logsumexp_kind,
    differentiable=("a", "b"),
    singular=True,
    lazy=True,
)
def _logsumexp(
    a, axis=None, b=None, keepdims=False, return_sign=False, *, out, out_bar
):
    log_bar = out_bar[0] if return_sign else out_bar
    whole = a if b is None else a + b  # for its shape
    share = shares(a, whole, axis, keepdims, out, return_sign)
    share_bar = restored(log_bar, whole, axis, keepdims) * share
    if b is None:
        return share_bar, 0.0
    return (
        reduced_to(broadcast_to_shape_of(b * share_bar, whole), a),
        reduced_to(broadcast_to_shape_of(share_bar, whole), b),
    )


@rules.forward_of(special.logsumexp)
def _logsumexp_forward(
    a, axis=None, b=None, keepdims=False, return_sign=False, *, out, a_dot, b_dot
):
    whole = a if b is None else a + b  # for its shape
    share = shares(a, whole, axis, keepdims, out, return_sign)
    if b is None:
        log_dot = np.sum(share * a_dot, axis=axis, keepdims=keepdims)
    elif rules.is_literal_zero(b_dot):
        log_dot = np.sum(share * (b * a_dot), axis=axis, keepdims=keepdims)
    elif rules.is_literal_zero(a_dot):
        log_dot = np.sum(share * b_dot, axis=axis, keepdims=keepdims)
    else:
        log_dot = np.sum(share * (b * a_dot + b_dot), axis=axis, keepdims=keepdims)
    if return_sign:
        return log_dot, np.zeros_like(out[1])
    return log_dot


def _softmax_kind(x: ir.Kind, axis: ir.Kind = kinds_of_arrays.NOT_GIVEN) -> ir.Kind:
    return rules.elementwise_result(special.softmax, (kinds_of_arrays.as_array(x),))


@rules.reverse_of(special.softmax, kind=_softmax_kind, lazy=True)
def _softmax(x, axis=None, *, out, out_bar):
    return out * (out_bar - np.sum(out * out_bar, axis=axis, keepdims=True))


@rules.forward_of(special.softmax)
def _softmax_forward(x, axis=None, *, out, x_dot):
    return out * (x_dot - np.sum(out * x_dot, axis=axis, keepdims=True))


@rules.reverse_of(special.log_softmax, kind=_softmax_kind)
def _log_softmax(x, axis=None, *, out, out_bar):
    return out_bar - np.exp(out) * np.sum(out_bar, axis=axis, keepdims=True)


@rules.forward_of(special.log_softmax)
def _log_softmax_forward(x, axis=None, *, out, x_dot):
    return x_dot - np.sum(np.exp(out) * x_dot, axis=axis, keepdims=True)
