"""``numpy.fft``: discrete Fourier transforms.

They are linear, and the adjoint of one is the transform in the other direction with
the other scale: that of ``fft(x)`` is ``ifft(y_bar, norm="forward")``, which divides by
nothing. Half spectra count each frequency inside once, whole spectra twice.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics.spectra import (
    cropped_or_padded,
    doubled_inside,
    halved_inside,
    scaled_at_ends,
)
from s2sad.rules.numpy import kinds_of_arrays

Transform = Callable[..., Any]
OTHER_SCALE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


@rules.static_predicate
def norm_of_adjoint(norm: ir.Kind) -> str | None:
    """The scale of the adjoint; None is the default."""
    name = rules.static_value(norm) or "backward"
    if name not in OTHER_SCALE:
        raise rules.CallRefused(
            "a transform has the norm backward, ortho or forward", "name one"
        )
    return None if name == "forward" else OTHER_SCALE[name]


@rules.static_predicate
def transformed_axes(a: ir.Kind, s: ir.Kind, axes: ir.Kind) -> tuple[int, ...]:
    """The axes of a transform over several, in its order, counted from 0."""
    return axes_of_transform(a, s, axes)


def axes_of_transform(a: ir.Kind, s: ir.Kind, axes: ir.Kind) -> tuple[int, ...]:
    rank, named = ir.rank_of(kinds_of_arrays.as_array(a)) or 0, rules.static_value(axes)
    if named is None:
        count = len(lengths_of_transform(s) or range(rank))
        return tuple(range(rank - count, rank))
    several = named if isinstance(named, tuple) else (named,)
    found = tuple(operator.index(axis) % max(rank, 1) for axis in several)
    if len(set(found)) < len(found):
        raise rules.CallRefused(
            "a transform names an axis twice", "transform it once more"
        )
    return found


def lengths_of_transform(s: ir.Kind) -> list[ir.Kind] | None:
    """The kinds of the lengths; None where they are those of the array."""
    if s == ir.Known(None):
        return None
    if not isinstance(s, ir.Structure) or s.constructor not in (tuple, list):
        raise rules.CallRefused(
            "the lengths of a transform aren't listed", "write a tuple"
        )
    return list(s.items)


def axes_of_signal(name: str, a: ir.Kind) -> tuple[ir.Axis, ...]:
    whole = kinds_of_arrays.as_array(a)
    axes = kinds_of_arrays.settled_array_axes(whole)
    if axes is None or axes == () or not isinstance(whole, kinds_of_arrays.NUMERIC):
        raise rules.CallRefused(
            f"{name} has a rule for arrays of known rank", "annotate the array"
        )
    return axes


def dtype_of_transform(function: Transform, a: ir.Kind) -> str | None:
    """The dtype, by asking the function (for two places along each axis)."""
    name = ir.dtype_of(kinds_of_arrays.as_array(a))
    if name is None:
        return None
    return str(function(np.ones((2, 2), name)).dtype.name)


def axis_behind(function: Transform, n: ir.Kind, known: ir.Axis) -> ir.Axis:
    """The axis of a spectrum, or of the signal of one."""
    name = function.__name__
    if name.startswith(("rfft", "ihfft", "irfft", "hfft")):
        whole = (
            kinds_of_arrays.axis_of_length(n) if n != ir.Known(None) else ir.Axis("any")
        )
        signal = name.startswith(("irfft", "hfft"))
        return whole if signal else ir.Axis("any")
    return known if n == ir.Known(None) else kinds_of_arrays.axis_of_length(n)


def one_axis_kind(function: Transform) -> Callable[..., ir.Kind]:
    """The kind of a transform along one axis."""

    def kind(
        n: ir.Kind = kinds_of_arrays.NOT_GIVEN,
        axis: ir.Kind = kinds_of_arrays.LAST,
        norm: ir.Kind = kinds_of_arrays.NOT_GIVEN,
        workers: ir.Kind = kinds_of_arrays.NOT_GIVEN,
        **signal: ir.Kind,
    ) -> ir.Kind:
        (a,) = signal.values()  # called a in NumPy, x in SciPy
        axes = axes_of_signal(function.__name__, a)
        norm_of_adjoint(norm)
        k = operator.index(rules.static_value(axis)) % len(axes)
        behind = axis_behind(function, n, axes[k])
        dtype = dtype_of_transform(function, a)
        return ir.Array(dtype, (*axes[:k], behind, *axes[k + 1 :]))

    return kind


def several_axes_kind(function: Transform, default: ir.Kind) -> Callable[..., ir.Kind]:
    """The kind of a transform along several axes."""

    def kind(
        s: ir.Kind = kinds_of_arrays.NOT_GIVEN,
        axes: ir.Kind = default,
        norm: ir.Kind = kinds_of_arrays.NOT_GIVEN,
        workers: ir.Kind = kinds_of_arrays.NOT_GIVEN,
        **signal: ir.Kind,
    ) -> ir.Kind:
        (a,) = signal.values()
        behind = list(axes_of_signal(function.__name__, a))
        norm_of_adjoint(norm)
        named, lengths = axes_of_transform(a, s, axes), lengths_of_transform(s)
        for position, k in enumerate(named):
            n = kinds_of_arrays.NOT_GIVEN if lengths is None else lengths[position]
            half = "r" in function.__name__ and position == len(named) - 1
            whole = (
                behind[k]
                if n == kinds_of_arrays.NOT_GIVEN
                else kinds_of_arrays.axis_of_length(n)
            )
            behind[k] = axis_behind(function, n, behind[k]) if half else whole
        return ir.Array(dtype_of_transform(function, a), tuple(behind))

    return kind


def fitted(x_bar, a, lengths, axes):
    """The cotangent of what was cut or continued to other lengths."""
    return x_bar if rules.is_none(lengths) else cropped_or_padded(x_bar, a, axes)


def lengths_of(x, axes):
    """The lengths of an array along some axes."""
    lengths: tuple[int, ...] = ()
    for axis in axes:
        lengths = (*lengths, x.shape[axis])
    return lengths


def lengths_of_signal(a, s, axes):
    """How many places a signal has that is transformed to half a spectrum."""
    if rules.is_none(s):
        return lengths_of(a, axes)
    lengths: tuple[int, ...] = ()
    for k, axis in enumerate(axes):
        lengths = (*lengths, a.shape[axis] if s[k] == -1 else s[k])
    return lengths


# ------------------------------------------------------------------ pullbacks


def of_whole_spectrum(adjoint, x, n, axis, norm, out_bar):
    """The pullback of ``fft`` or ``ifft``; ``adjoint`` is the other one."""
    x_bar = adjoint(out_bar, axis=axis, norm=norm_of_adjoint(norm))
    return fitted(x_bar, x, n, (axis,))


def of_half_spectrum(to_signal, x, n, axis, norm, out_bar):
    """The pullback of ``rfft``; ``to_signal`` is ``irfft``."""
    count = x.shape[axis] if rules.is_none(n) else n
    half = halved_inside(out_bar, count, axis)
    x_bar = to_signal(half, count, axis=axis, norm=norm_of_adjoint(norm))
    return fitted(x_bar, x, n, (axis,))


def of_signal(to_half, x, axis, norm, out_bar):
    """The pullback of ``irfft``; ``to_half`` is ``rfft``."""
    half = to_half(out_bar, axis=axis, norm=norm_of_adjoint(norm))
    x_bar = doubled_inside(half, out_bar.shape[axis], axis)
    return cropped_or_padded(x_bar, x, (axis,))


def of_whole_spectra(adjoint, x, s, axes, norm, out_bar):
    """The pullback of ``fftn`` or ``ifftn``; ``adjoint`` is the other one."""
    along = transformed_axes(x, s, axes)
    x_bar = adjoint(out_bar, axes=along, norm=norm_of_adjoint(norm))
    return fitted(x_bar, x, s, along)


def of_half_spectra(to_signal, x, s, axes, norm, out_bar):
    """The pullback of ``rfftn``; ``to_signal`` is ``irfftn``."""
    along = transformed_axes(x, s, axes)
    counts = lengths_of_signal(x, s, along)
    half = halved_inside(out_bar, counts[-1], along[-1])
    x_bar = to_signal(half, counts, axes=along, norm=norm_of_adjoint(norm))
    return fitted(x_bar, x, s, along)


def of_signals(to_half, x, s, axes, norm, out_bar):
    """The pullback of ``irfftn``; ``to_half`` is ``rfftn``."""
    along = transformed_axes(x, s, axes)
    half = to_half(out_bar, axes=along, norm=norm_of_adjoint(norm))
    x_bar = doubled_inside(half, out_bar.shape[along[-1]], along[-1])
    return cropped_or_padded(x_bar, x, along if not rules.is_none(s) else along[-1:])


# ------------------------------------------------------------------ rules


def _along_axis(transform: Transform, adjoint: Transform) -> None:
    @rules.reverse_of(
        transform, kind=one_axis_kind(transform), linear=True, complex=True
    )
    def _(a, n=None, axis=-1, norm=None, *, out, out_bar):
        return of_whole_spectrum(adjoint, a, n, axis, norm, out_bar)


def _along_axes(transform: Transform, adjoint: Transform, default: Any = None) -> None:
    kind = several_axes_kind(transform, ir.Known(default))

    @rules.reverse_of(transform, kind=kind, linear=True, complex=True)
    def _(a, s=None, axes=default, norm=None, *, out, out_bar):
        return of_whole_spectra(adjoint, a, s, axes, norm, out_bar)


def _halves_along_axes(
    to_half: Transform, to_signal: Transform, default: Any = None
) -> None:
    kind = several_axes_kind(to_half, ir.Known(default))

    @rules.reverse_of(to_half, kind=kind, linear=True, complex=True)
    def _(a, s=None, axes=default, norm=None, *, out, out_bar):
        return of_half_spectra(to_signal, a, s, axes, norm, out_bar)

    kind = several_axes_kind(to_signal, ir.Known(default))

    @rules.reverse_of(to_signal, kind=kind, linear=True, complex=True)
    def _(a, s=None, axes=default, norm=None, *, out, out_bar):
        return of_signals(to_half, a, s, axes, norm, out_bar)


_along_axis(np.fft.fft, np.fft.ifft)
_along_axis(np.fft.ifft, np.fft.fft)
_along_axes(np.fft.fft2, np.fft.ifft2, (-2, -1))
_along_axes(np.fft.ifft2, np.fft.fft2, (-2, -1))
_along_axes(np.fft.fftn, np.fft.ifftn)
_along_axes(np.fft.ifftn, np.fft.fftn)
_halves_along_axes(np.fft.rfft2, np.fft.irfft2, (-2, -1))
_halves_along_axes(np.fft.rfftn, np.fft.irfftn)


@rules.reverse_of(
    np.fft.rfft, kind=one_axis_kind(np.fft.rfft), linear=True, complex=True
)
def _rfft(a, n=None, axis=-1, norm=None, *, out, out_bar):
    return of_half_spectrum(np.fft.irfft, a, n, axis, norm, out_bar)


@rules.reverse_of(
    np.fft.irfft, kind=one_axis_kind(np.fft.irfft), linear=True, complex=True
)
def _irfft(a, n=None, axis=-1, norm=None, *, out, out_bar):
    return of_signal(np.fft.rfft, a, axis, norm, out_bar)


# ------------------------------------------------------------------ orders, places


@rules.reverse_of(np.fft.fftshift, kind=rules.same_kind, linear=True, complex=True)
def _fftshift(x, axes=None, *, out, out_bar):
    return np.fft.ifftshift(out_bar, axes)


@rules.reverse_of(np.fft.ifftshift, kind=rules.same_kind, linear=True, complex=True)
def _ifftshift(x, axes=None, *, out, out_bar):
    return np.fft.fftshift(out_bar, axes)


def frequencies_kind(n: ir.Kind, d: ir.Kind = kinds_of_arrays.UNIT) -> ir.Kind:
    return ir.Array("float64", (ir.Axis("any"),))


@rules.reverse_of(
    (np.fft.fftfreq, np.fft.rfftfreq), kind=frequencies_kind, differentiable=("d",)
)
def _frequencies(n, d=1.0, *, out, out_bar):
    return -np.sum(out_bar * out) / d


@rules.forward_of((np.fft.fftfreq, np.fft.rfftfreq))
def _frequencies_forward(n, d=1.0, *, out, d_dot):
    return -out / d * d_dot


# ------------------------------------------------------------------ helpers


def _half_kind(half: ir.Kind, count: ir.Kind, axis: ir.Kind) -> ir.Kind:
    return half


@rules.reverse_of(doubled_inside, kind=_half_kind, linear=True, complex=True)
def _doubled_inside(half, count, axis, *, out, out_bar):
    return doubled_inside(out_bar, count, axis)


@rules.reverse_of(halved_inside, kind=_half_kind, linear=True, complex=True)
def _halved_inside(half, count, axis, *, out, out_bar):
    return halved_inside(out_bar, count, axis)


def _fitted_kind(x: ir.Kind, like: ir.Kind, axes: ir.Kind) -> ir.Kind:
    own, others, along = ir.axes_of(x), ir.axes_of(like), rules.static_value(axes)
    if own is None or others is None:
        return ir.UNKNOWN
    found = list(own)
    for axis in along:
        found[axis] = others[axis]
    return ir.Array(ir.dtype_of(x), tuple(found))


@rules.reverse_of(cropped_or_padded, kind=_fitted_kind, linear=True, complex=True)
def _cropped_or_padded(x, like, axes, *, out, out_bar):
    return cropped_or_padded(out_bar, x, axes)


def _ends_kind(x: ir.Kind, axes: ir.Kind, ends: ir.Kind, factor: ir.Kind) -> ir.Kind:
    return x


@rules.reverse_of(scaled_at_ends, kind=_ends_kind, linear=True, complex=True)
def _scaled_at_ends(x, axes, ends, factor, *, out, out_bar):
    return scaled_at_ends(out_bar, axes, ends, factor)
