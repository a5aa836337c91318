"""``scipy.signal``: convolutions, filters and trends.

The adjoint of a convolution is a correlation, that of a filter runs from the end to the
start: A. Oppenheim and R. Schafer, Discrete-Time Signal Processing, 2010, sections 2.9
and 8. The adjoint of a filter that feeds back solves the same recurrence, driven by the
cotangent; products of what it gives with signals and results are the cotangents of
its coefficients.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import signal

from s2sad import ir, rules
from s2sad.ops.numerics.filters import (
    in_middle,
    in_middle_of_whole,
    lagged_products,
    middle_of_whole,
    one_sided,
    savgol_edge_weights,
)
from s2sad.rules.numpy.kinds_of_arrays import (
    LAST,
    NOT_GIVEN,
    UNIT,
    ZERO,
    as_array,
    result_dtype,
    settled_array_axes,
)
from s2sad.rules.steps.shape_steps import conjugate, reduced_to

Function = Callable[..., Any]
COMPLEX_DTYPES = ("complex64", "complex128")
FULL, AUTO, LINEAR = ir.Known("full"), ir.Known("auto"), ir.Known("linear")

# ------------------------------------------------------------------ convolutions


def _convolution_kind(function: Function) -> Callable[..., ir.Kind]:
    name = function.__name__

    def kind(
        in1: ir.Kind,
        in2: ir.Kind,
        mode: ir.Kind = FULL,
        method: ir.Kind = AUTO,
        axes: ir.Kind = NOT_GIVEN,
    ) -> ir.Kind:
        own, other = as_array(in1), as_array(in2)
        shape, beside = settled_array_axes(own), settled_array_axes(other)
        if not shape or beside is None or len(shape) != len(beside):
            raise rules.CallRefused(
                f"{name} has a rule for arrays of the same known rank", "reshape them"
            )
        if rules.static_value(mode) not in ("full", "same", "valid"):
            raise rules.CallRefused(
                f"{name} has a rule for the modes full, same and valid", "name one"
            )
        dtype = result_dtype(function, [own, other], len(shape))
        complex_valid = rules.static_value(mode) == "valid" and dtype in COMPLEX_DTYPES
        if complex_valid and function is signal.correlate2d:
            raise rules.CallRefused(
                "correlate2d of complex numbers in the mode valid has no rule, since "
                "SciPy gives the conjugate where the first array is smaller",
                "use signal.correlate",
            )
        if rules.is_empty(own) or rules.is_empty(other):  # SciPy gives no axis more
            return ir.Array(dtype, (ir.Axis("any"),))
        same = rules.static_value(mode) == "same"
        return ir.Array(dtype, shape if same else (ir.Axis("any"),) * len(shape))

    return kind


def of_nothing(in1, in2):
    """The cotangents where an array has no elements, and so the result has none."""
    return np.zeros_like(in1), np.zeros_like(in2)


def whole_cotangent(out_bar, in1, in2, mode, axes=None, late=False):
    """The cotangent of the whole convolution, of which the result is the middle."""
    if mode == "full":
        return out_bar
    return in_middle_of_whole(out_bar, in1, in2, axes, late)


@rules.reverse_of(
    signal.convolve,
    kind=_convolution_kind(signal.convolve),
    differentiable=("in1", "in2"),
    complex=True,
    bilinear=True,
)
def _convolve(in1, in2, mode="full", method="auto", *, out, out_bar):
    if rules.is_empty(in1) or rules.is_empty(in2):
        return of_nothing(in1, in2)
    whole = whole_cotangent(out_bar, in1, in2, mode)
    return (
        signal.correlate(whole, in2, "valid", method),
        signal.correlate(whole, in1, "valid", method),
    )


@rules.reverse_of(
    signal.correlate,
    kind=_convolution_kind(signal.correlate),
    differentiable=("in1", "in2"),
    complex=True,
    bilinear=True,
)
def _correlate(in1, in2, mode="full", method="auto", *, out, out_bar):
    if rules.is_empty(in1) or rules.is_empty(in2):
        return of_nothing(in1, in2)
    whole = whole_cotangent(out_bar, in1, in2, mode)
    return (
        signal.convolve(whole, in2, "valid", method),
        signal.correlate(in1, whole, "valid", method),
    )


def correlated(x, y):
    """``signal.correlate2d(x, y, "valid")``; of complex numbers where ``x`` is smaller,
    SciPy gives the conjugate."""
    if rules.is_complex_number(x) or rules.is_complex_number(y):
        return signal.convolve2d(x, np.conj(np.flip(y)), "valid")
    return signal.correlate2d(x, y, "valid")


@rules.reverse_of(
    signal.convolve2d,
    kind=_convolution_kind(signal.convolve2d),
    differentiable=("in1", "in2"),
    complex=True,
    bilinear=True,
)
def _convolve2d(in1, in2, mode="full", *, out, out_bar):
    whole = whole_cotangent(out_bar, in1, in2, mode)
    return correlated(whole, in2), correlated(whole, in1)


@rules.reverse_of(
    signal.correlate2d,
    kind=_convolution_kind(signal.correlate2d),
    differentiable=("in1", "in2"),
    complex=True,
    bilinear=True,
)
def _correlate2d(in1, in2, mode="full", *, out, out_bar):
    """With a second array of even length SciPy takes the later of the two middles."""
    whole = whole_cotangent(out_bar, in1, in2, mode, None, True)
    return (
        signal.convolve2d(whole, in2, "valid"),
        correlated(in1, whole),
    )


def of_factor(convolve, whole, other, factor, axes):
    """The cotangent of one factor of a convolution over some axes; along the others it
    may have been broadcast."""
    turned = np.flip(conjugate(other), axes)
    if axes is None:
        return convolve(whole, turned, "valid")
    return reduced_to(convolve(whole, turned, "valid", axes), factor)


def _register_over_axes(convolve: Function) -> None:
    @rules.reverse_of(
        convolve,
        kind=_convolution_kind(convolve),
        differentiable=("in1", "in2"),
        complex=True,
    )
    def _(in1, in2, mode="full", axes=None, *, out, out_bar):
        if rules.is_empty(in1) or rules.is_empty(in2):
            return of_nothing(in1, in2)
        whole = whole_cotangent(out_bar, in1, in2, mode, axes)
        return (
            of_factor(convolve, whole, in2, in1, axes),
            of_factor(convolve, whole, in1, in2, axes),
        )

    @rules.forward_of(convolve)
    def _(in1, in2, mode="full", axes=None, *, out, in1_dot, in2_dot):
        if rules.is_literal_zero(in2_dot):
            return convolve(in1_dot, in2, mode, axes)
        if rules.is_literal_zero(in1_dot):
            return convolve(in1, in2_dot, mode, axes)
        by_first = convolve(in1_dot, in2, mode, axes)
        return by_first + convolve(in1, in2_dot, mode, axes)


_register_over_axes(signal.fftconvolve)
_register_over_axes(signal.oaconvolve)


def _placed_kind(
    part: ir.Kind, x: ir.Kind, y: ir.Kind, axes: ir.Kind, late: ir.Kind
) -> ir.Kind:
    rank = ir.rank_of(part)
    return (
        ir.UNKNOWN
        if rank is None
        else ir.Array(ir.dtype_of(part), (ir.Axis("any"),) * rank)
    )


@rules.reverse_of(in_middle_of_whole, kind=_placed_kind, linear=True, complex=True)
def _in_middle_of_whole(part, x, y, axes, late, *, out, out_bar):
    return middle_of_whole(out_bar, part, late)


def _middle_kind(whole: ir.Kind, part: ir.Kind, late: ir.Kind) -> ir.Kind:
    return ir.Array(ir.dtype_of(whole), ir.axes_of(part))


@rules.reverse_of(
    middle_of_whole, kind=_middle_kind, linear=True, view=True, complex=True
)
def _middle_of_whole(whole, part, late, *, out, out_bar):
    return in_middle(out_bar, whole, late)


def _in_middle_kind(part: ir.Kind, like: ir.Kind, late: ir.Kind) -> ir.Kind:
    return ir.Array(ir.dtype_of(part), ir.axes_of(like))


@rules.reverse_of(in_middle, kind=_in_middle_kind, linear=True, complex=True)
def _in_middle(part, like, late, *, out, out_bar):
    return middle_of_whole(out_bar, part, late)


# ------------------------------------------------------------------ filters


def filter_kind(b: ir.Kind, a: ir.Kind, x: ir.Kind, axis: ir.Kind = LAST) -> ir.Kind:
    b, a, x = as_array(b), as_array(a), as_array(x)
    axes = settled_array_axes(x)
    if ir.rank_of(b) != 1 or ir.rank_of(a) != 1 or not axes:
        raise rules.CallRefused(
            "lfilter has a rule for coefficients that are vectors and signals of known "
            "rank",
            "use np.atleast_1d, and annotate the signal",
        )
    return ir.Array(result_dtype(signal.lfilter, [b, a, x]), axes)


def from_the_end(b, a, x, axis):
    """The adjoint of a filter, which runs from the end to the start."""
    reverse = np.flip(x, axis)
    return np.flip(signal.lfilter(conjugate(b), conjugate(a), reverse, axis), axis)


@rules.reverse_of(
    signal.lfilter, kind=filter_kind, differentiable=("b", "a", "x"), complex=True
)
def _lfilter(b, a, x, axis=-1, *, out, out_bar):
    unit = np.ones_like(a[:1])
    fed_back = from_the_end(unit, a, out_bar, axis)
    b_bar = lagged_products(fed_back, x, b, axis)
    a_bar = -lagged_products(fed_back, out, a, axis)
    return b_bar, a_bar, from_the_end(b, a, out_bar, axis)


@rules.forward_of(signal.lfilter)
def _lfilter_forward(b, a, x, axis=-1, *, out, b_dot, a_dot, x_dot):
    unit = np.ones_like(a[:1])
    change = 0.0
    if not rules.is_literal_zero(b_dot):
        change = signal.lfilter(b_dot, unit, x, axis)
    if not rules.is_literal_zero(a_dot):
        change = change - signal.lfilter(a_dot, unit, out, axis)
    if rules.is_literal_zero(x_dot):
        return signal.lfilter(unit, a, change, axis)
    through = signal.lfilter(b, a, x_dot, axis)
    if rules.is_literal_zero(change):
        return through
    return through + signal.lfilter(unit, a, change, axis)


def _products_kind(x: ir.Kind, y: ir.Kind, like: ir.Kind, axis: ir.Kind) -> ir.Kind:
    return ir.Array(result_dtype(np.multiply, [x, y]), ir.axes_of(as_array(like)))


@rules.reverse_of(
    lagged_products,
    kind=_products_kind,
    differentiable=("x", "y"),
    complex=True,
    bilinear=True,
)
def _lagged_products(x, y, like, axis, *, out, out_bar):
    unit = np.ones_like(out_bar[:1])
    x_bar = signal.lfilter(out_bar, unit, y, axis)
    return x_bar, from_the_end(out_bar, unit, x, axis)


# ------------------------------------------------------------------ trends, spectra


def _trend_kind(
    data: ir.Kind, axis: ir.Kind = LAST, type: ir.Kind = LINEAR, bp: ir.Kind = ZERO
) -> ir.Kind:
    whole = as_array(data)
    return ir.Array(result_dtype(np.divide, [whole, whole]), settled_array_axes(whole))


@rules.reverse_of(signal.detrend, kind=_trend_kind, linear=True, complex=True)
def _detrend(data, axis=-1, type="linear", bp=0, *, out, out_bar):
    """What is left of a least squares fit is an orthogonal projection."""
    return signal.detrend(out_bar, axis, type, bp)


def _sided_kind(spectrum: ir.Kind, axis: ir.Kind) -> ir.Kind:
    return spectrum


@rules.reverse_of(one_sided, kind=_sided_kind, linear=True, complex=True)
def _one_sided(spectrum, axis, *, out, out_bar):
    return one_sided(out_bar, axis)


def _edge_kind(
    window: ir.Kind, order: ir.Kind, deriv: ir.Kind, delta: ir.Kind, start: ir.Kind
):
    return ir.Array("float64", (ir.Axis("any"), ir.Axis("any")))


@rules.reverse_of(savgol_edge_weights, kind=_edge_kind, differentiable=("delta",))
def _edge_weights(window, order, deriv, delta, start, *, out, out_bar):
    return -deriv / delta * np.sum(out_bar * out)


@rules.forward_of(savgol_edge_weights)
def _edge_weights_forward(window, order, deriv, delta, start, *, out, delta_dot):
    return -deriv / delta * delta_dot * out


def _taps_kind(
    window_length: ir.Kind,
    polyorder: ir.Kind,
    deriv: ir.Kind = ZERO,
    delta: ir.Kind = UNIT,
    pos: ir.Kind = NOT_GIVEN,
    use: ir.Kind = NOT_GIVEN,
) -> ir.Kind:
    return ir.Array("float64", (ir.Axis("any"),))


@rules.reverse_of(
    signal.savgol_coeffs,
    kind=_taps_kind,
    differentiable=("delta",),
    refused=("pos",),
)
def _savgol_coeffs(
    window_length,
    polyorder,
    deriv=0,
    delta=1.0,
    pos=None,
    use="conv",
    *,
    out,
    out_bar,
):
    return -deriv / delta * np.sum(out_bar * out)


@rules.forward_of(signal.savgol_coeffs)
def _savgol_coeffs_forward(
    window_length,
    polyorder,
    deriv=0,
    delta=1.0,
    pos=None,
    use="conv",
    *,
    out,
    delta_dot,
):
    return -deriv / delta * delta_dot * out
