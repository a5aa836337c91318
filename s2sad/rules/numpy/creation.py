"""Functions that make arrays: of one value, of a range, of numbers and nested lists."""

import numpy as np
from numpy import polynomial

from s2sad import ir, rules
from s2sad.ops.runtime.sequences import nested_like
from s2sad.rules.numpy.kinds_of_arrays import (
    FIFTY,
    IS_TRUE,
    NOT_GIVEN,
    as_array,
    axes_of_shape,
    axis_of_length,
    dtype_named,
    known_length,
    result_dtype,
    settled_array_axes,
)
from s2sad.rules.steps.shape_steps import reduced_to, shaped_like


def filled_kind(shape: ir.Kind, dtype: ir.Kind = NOT_GIVEN) -> ir.Kind:
    return ir.Array(dtype_named(dtype, "float64"), axes_of_shape(shape))


def filled_like_kind(a: ir.Kind, dtype: ir.Kind = NOT_GIVEN) -> ir.Kind:
    a = as_array(a)
    return ir.Array(dtype_named(dtype, ir.dtype_of(a)), settled_array_axes(a))


rules.without_derivative(
    (np.zeros, np.ones, np.empty), lambda shape, dtype=None: None, kind=filled_kind
)
rules.without_derivative(
    (np.zeros_like, np.ones_like, np.empty_like),
    lambda a, dtype=None: None,
    kind=filled_like_kind,
)


def full_kind(
    shape: ir.Kind, fill_value: ir.Kind, dtype: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    name = dtype_named(dtype, ir.dtype_of(as_array(fill_value)))
    return ir.Array(name, axes_of_shape(shape))


@rules.reverse_of(np.full, kind=full_kind, differentiable=("fill_value",))
def _full(shape, fill_value, dtype=None, *, out, out_bar):
    return reduced_to(out_bar, fill_value)


@rules.forward_of(np.full)
def _full_forward(shape, fill_value, dtype=None, *, out, fill_value_dot):
    return np.full(shape, fill_value_dot, dtype)


def full_like_kind(
    a: ir.Kind, fill_value: ir.Kind, dtype: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    return filled_like_kind(a, dtype)


@rules.reverse_of(np.full_like, kind=full_like_kind, differentiable=("fill_value",))
def _full_like(a, fill_value, dtype=None, *, out, out_bar):
    return reduced_to(out_bar, fill_value)


@rules.forward_of(np.full_like)
def _full_like_forward(a, fill_value, dtype=None, *, out, fill_value_dot):
    return np.full_like(a, fill_value_dot, dtype)


def arange_kind(
    start: ir.Kind,
    stop: ir.Kind = NOT_GIVEN,
    step: ir.Kind = NOT_GIVEN,
    dtype: ir.Kind = NOT_GIVEN,
) -> ir.Kind:
    given = [kind for kind in (start, stop, step) if kind != NOT_GIVEN]
    name = dtype_named(dtype, result_dtype(_total, given))
    whole = stop == NOT_GIVEN and isinstance(start, ir.Scalar) and start.type == "int"
    return ir.Array(name, (axis_of_length(start) if whole else ir.Axis("any"),))


def _total(*numbers):
    return sum(numbers)


@rules.reverse_of(np.arange, kind=arange_kind, differentiable=("start", "step"))
def _arange(start, stop=None, step=1, dtype=None, *, out, out_bar):
    if stop is None:
        return 0.0, 0.0
    return np.sum(out_bar), np.sum(out_bar * np.arange(out.size))


@rules.forward_of(np.arange)
def _arange_forward(start, stop=None, step=1, dtype=None, *, out, start_dot, step_dot):
    if stop is None:
        return np.zeros_like(out)
    return start_dot + step_dot * np.arange(out.size)


def linspace_kind(
    start: ir.Kind,
    stop: ir.Kind,
    num: ir.Kind = FIFTY,
    endpoint: ir.Kind = IS_TRUE,
) -> ir.Kind:
    axes = rules.broadcast_axes([start, stop])
    if axes is None:
        raise rules.CallRefused(
            "np.linspace has a rule for ends of known rank", "annotate the arrays"
        )
    name = result_dtype(np.linspace, [start, stop])
    return ir.Array(name, (axis_of_length(num), *axes))


@rules.reverse_of(np.linspace, kind=linspace_kind, differentiable=("start", "stop"))
def _linspace(start, stop, num=50, endpoint=True, *, out, out_bar):
    weights = np.linspace(0.0, 1.0, num, endpoint)  # of ``stop`` in each entry
    if rules.known_rank(out) == 1:
        return (1 - weights) @ out_bar, weights @ out_bar
    start_bar = reduced_to(np.tensordot(1 - weights, out_bar, 1), start)
    return start_bar, reduced_to(np.tensordot(weights, out_bar, 1), stop)


@rules.forward_of(np.linspace)
def _linspace_forward(start, stop, num=50, endpoint=True, *, out, start_dot, stop_dot):
    if rules.known_rank(out) == 1:
        return np.linspace(start_dot, stop_dot, num, endpoint)
    if rules.is_literal_zero(start_dot):
        return np.linspace(np.zeros_like(start), stop_dot, num, endpoint)
    if rules.is_literal_zero(stop_dot):
        return np.linspace(start_dot, np.zeros_like(stop), num, endpoint)
    return np.linspace(start_dot, stop_dot, num, endpoint)


def eye_kind(
    N: ir.Kind,
    M: ir.Kind = NOT_GIVEN,
    k: ir.Kind = NOT_GIVEN,
    dtype: ir.Kind = NOT_GIVEN,
) -> ir.Kind:
    columns = N if M == NOT_GIVEN else M
    axes = (axis_of_length(N), axis_of_length(columns))
    return ir.Array(dtype_named(dtype, "float64"), axes)


def square_kind(n: ir.Kind, dtype: ir.Kind = NOT_GIVEN) -> ir.Kind:
    return eye_kind(n, dtype=dtype)


rules.without_derivative(
    (np.eye, np.tri), lambda N, M=None, k=0, dtype=float: None, kind=eye_kind
)
rules.without_derivative(np.identity, lambda n, dtype=None: None, kind=square_kind)


def indices_kind(dimensions: ir.Kind, dtype: ir.Kind = NOT_GIVEN) -> ir.Kind:
    axes = axes_of_shape(dimensions)
    if axes is None:
        return ir.Array(dtype_named(dtype, "int64"), None)
    return ir.Array(dtype_named(dtype, "int64"), (known_length(len(axes)), *axes))


rules.without_derivative(
    np.indices, lambda dimensions, dtype=int: None, kind=indices_kind
)


def array_kind(
    object: ir.Kind, dtype: ir.Kind = NOT_GIVEN, order: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    if isinstance(object, ir.Unknown):
        return ir.UNKNOWN if not object.inactive else object
    made = as_array(object)
    if made == ir.UNKNOWN:
        return ir.UNKNOWN
    if depth(object) > 3:
        raise rules.CallRefused(
            "an array made from lists nested more than three levels deep has no rule",
            "use np.stack",
        )
    return ir.Array(dtype_named(dtype, ir.dtype_of(made)), settled_array_axes(made))


def depth(kind: ir.Kind) -> int:
    """How deep lists are nested."""
    if not isinstance(kind, ir.Structure):
        return 0
    return 1 + max(map(depth, kind.items), default=0)


def as_array_kind(
    a: ir.Kind, dtype: ir.Kind = NOT_GIVEN, order: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    return array_kind(a, dtype)


def unpacked(x, out_bar):
    """The cotangents of the numbers and arrays nested in ``x``."""
    parts = ()
    for k, item in enumerate(x):
        inner = (
            unpacked_rows(item, out_bar, k) if rules.is_sequence(item) else out_bar[k]
        )
        parts = parts + (inner,)
    return parts


def unpacked_rows(x, out_bar, i):
    """The same one level down; a level each, for rules can't call themselves."""
    parts = ()
    for k, item in enumerate(x):
        if rules.is_sequence(item):
            inner = unpacked_layers(item, out_bar, i, k)
        else:
            inner = out_bar[i, k]
        parts = parts + (inner,)
    return parts


def unpacked_layers(x, out_bar, i, j):
    """The same two levels down, where nesting ends."""
    parts = ()
    for k, _ in enumerate(x):
        parts = parts + (out_bar[i, j, k],)
    return parts


def cotangent_of_content(x, out_bar):
    """The cotangent of what an array was made of."""
    if rules.is_sequence(x):
        return unpacked(x, out_bar)
    if rules.is_list(x):
        return out_bar
    if rules.known_rank(x) == 0:
        return shaped_like(out_bar, x)
    return out_bar if rules.is_array(x) else nested_like(out_bar, x)


@rules.reverse_of(np.array, kind=array_kind, linear=True, takes_sequence=True)
def _array(object, dtype=None, order=None, *, out, out_bar):
    return cotangent_of_content(object, out_bar)


@rules.reverse_of(
    (np.asarray, np.asanyarray),
    kind=as_array_kind,
    linear=True,
    view=True,
    takes_sequence=True,
)
def _asarray(a, dtype=None, order=None, *, out, out_bar):
    return cotangent_of_content(a, out_bar)


@rules.reverse_of(
    np.ascontiguousarray,
    kind=as_array_kind,
    linear=True,
    view=True,
    takes_sequence=True,
)
def _ascontiguousarray(a, dtype=None, *, out, out_bar):
    return cotangent_of_content(a, out_bar)


# Tapers: vectors that are made from their length, which need not be whole. By beta
# np.kaiser has the derivative of a text (frontend/library/numpy/arrays.py).
def _taper_kind(M: ir.Kind) -> ir.Kind:
    return ir.Array("float64", (ir.Axis("any"),))


def _kaiser_kind(M: ir.Kind, beta: ir.Kind) -> ir.Kind:
    return _taper_kind(M)


rules.without_derivative(
    (np.hanning, np.hamming, np.bartlett, np.blackman),
    lambda M: ...,
    kind=_taper_kind,
    refused=("M",),
)
rules.without_derivative(np.kaiser, lambda M, beta: ..., kind=_kaiser_kind)


def nodes_kind(deg: ir.Kind) -> ir.Structure:
    """The nodes and weights of a quadrature."""
    vector = ir.Array("float64", (ir.Axis("any"),))
    return ir.tuple_of_kinds((vector, vector))


rules.without_derivative(
    (
        *(polynomial.legendre.leggauss, polynomial.chebyshev.chebgauss),
        *(polynomial.hermite.hermgauss, polynomial.hermite_e.hermegauss),
        polynomial.laguerre.laggauss,
    ),
    lambda deg: ...,
    kind=nodes_kind,
)
