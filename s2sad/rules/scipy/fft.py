"""``scipy.fft``: Fourier transforms as those of NumPy, sine and cosine transforms.

The adjoint of a sine or cosine transform is one of the same scale, of type 3 in place
of 2 and the other way round; but where ``orthogonalize`` leaves it as it is defined,
the elements at an end count twice on one side. Source: G. Strang, The discrete cosine
transform, SIAM Review 41 (1999); the definitions are those in SciPy's reference.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import fft

from s2sad import ir, rules
from s2sad.ops.numerics.spectra import cropped_or_padded, scaled_at_ends
from s2sad.rules.numpy.batched_transforms import axes_of_each, axis_of_each
from s2sad.rules.numpy.fft import (
    axes_of_signal,
    frequencies_kind,
    lengths_of_transform,
    of_half_spectra,
    of_half_spectrum,
    of_signal,
    of_signals,
    of_whole_spectra,
    of_whole_spectrum,
    one_axis_kind,
    several_axes_kind,
    transformed_axes,
)
from s2sad.rules.numpy.kinds_of_arrays import (
    LAST,
    NOT_GIVEN,
    TWO,
    as_array,
    axis_of_length,
)

Transform = Callable[..., Any]
PLANE = (-2, -1)
"""Where no axes are named in two dimensions."""

# ------------------------------------------------------------------ Fourier transforms


def _along_axis(transform: Transform, adjoint: Transform) -> None:
    @rules.reverse_of(
        transform, kind=one_axis_kind(transform), linear=True, complex=True
    )
    def _(x, n=None, axis=-1, norm=None, *, workers=None, out, out_bar):
        return of_whole_spectrum(adjoint, x, n, axis, norm, out_bar)

    _of_many_along_axis(transform)


def _of_many_along_axis(transform: Transform) -> None:
    @rules.batched_as(transform)
    def _(x, n=None, axis=-1, norm=None, *, workers=None, batched):
        return transform(x, n, axis=axis_of_each(axis), norm=norm)


def _of_many_along_axes(transform: Transform, default: Any) -> None:
    @rules.batched_as(transform)
    def _(x, s=None, axes=default, norm=None, *, workers=None, batched):
        return transform(x, s, axes=axes_of_each(x, s, axes), norm=norm)


def _along_axes(transform: Transform, adjoint: Transform, default: Any = None) -> None:
    kind = several_axes_kind(transform, ir.Known(default))

    @rules.reverse_of(transform, kind=kind, linear=True, complex=True)
    def _(x, s=None, axes=default, norm=None, *, workers=None, out, out_bar):
        return of_whole_spectra(adjoint, x, s, axes, norm, out_bar)

    _of_many_along_axes(transform, default)


def _halves_along_axes(
    to_half: Transform, to_signal: Transform, default: Any = None
) -> None:
    kind = several_axes_kind(to_half, ir.Known(default))

    @rules.reverse_of(to_half, kind=kind, linear=True, complex=True)
    def _(x, s=None, axes=default, norm=None, *, workers=None, out, out_bar):
        return of_half_spectra(to_signal, x, s, axes, norm, out_bar)

    kind = several_axes_kind(to_signal, ir.Known(default))

    @rules.reverse_of(to_signal, kind=kind, linear=True, complex=True)
    def _(x, s=None, axes=default, norm=None, *, workers=None, out, out_bar):
        return of_signals(to_half, x, s, axes, norm, out_bar)

    _of_many_along_axes(to_half, default)
    _of_many_along_axes(to_signal, default)


_along_axis(fft.fft, fft.ifft)
_along_axis(fft.ifft, fft.fft)
_along_axes(fft.fft2, fft.ifft2, PLANE)
_along_axes(fft.ifft2, fft.fft2, PLANE)
_along_axes(fft.fftn, fft.ifftn)
_along_axes(fft.ifftn, fft.fftn)
_halves_along_axes(fft.rfft2, fft.irfft2, PLANE)
_halves_along_axes(fft.rfftn, fft.irfftn)


@rules.reverse_of(fft.rfft, kind=one_axis_kind(fft.rfft), linear=True, complex=True)
def _rfft(x, n=None, axis=-1, norm=None, *, workers=None, out, out_bar):
    return of_half_spectrum(fft.irfft, x, n, axis, norm, out_bar)


@rules.reverse_of(fft.irfft, kind=one_axis_kind(fft.irfft), linear=True, complex=True)
def _irfft(x, n=None, axis=-1, norm=None, *, workers=None, out, out_bar):
    return of_signal(fft.rfft, x, axis, norm, out_bar)


_of_many_along_axis(fft.rfft)
_of_many_along_axis(fft.irfft)

# ------------------------------------------------------------------ orders, places


@rules.reverse_of(fft.fftshift, kind=rules.same_kind, linear=True, complex=True)
def _fftshift(x, axes=None, *, out, out_bar):
    return fft.ifftshift(out_bar, axes)


@rules.reverse_of(fft.ifftshift, kind=rules.same_kind, linear=True, complex=True)
def _ifftshift(x, axes=None, *, out, out_bar):
    return fft.fftshift(out_bar, axes)


@rules.reverse_of(
    (fft.fftfreq, fft.rfftfreq), kind=frequencies_kind, differentiable=("d",)
)
def _frequencies(n, d=1.0, *, out, out_bar):
    return -np.sum(out_bar * out) / d


@rules.forward_of((fft.fftfreq, fft.rfftfreq))
def _frequencies_forward(n, d=1.0, *, out, d_dot):
    return -out / d * d_dot


rules.without_derivative(
    (fft.next_fast_len, fft.prev_fast_len),
    lambda target, real=False: ...,
    kind=rules.python_int,
)

# ------------------------------------------------------------------ sines and cosines

OTHER_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}


@rules.static_predicate
def type_of_adjoint(type: ir.Kind) -> int:
    """The type of the adjoint, but for the ends."""
    number = rules.static_value(type)
    if number not in OTHER_TYPE:
        raise rules.CallRefused(
            "a sine or cosine transform has the type 1 to 4", "name one"
        )
    return OTHER_TYPE[number]


@rules.static_predicate
def ends_of_adjoint(
    name: ir.Kind, type: ir.Kind, norm: ir.Kind, orthogonalize: ir.Kind, before: ir.Kind
) -> tuple[int, ...]:
    """The elements that count twice before the adjoint of a transform is made, or half
    behind it: the first or last ones (0, -1)."""
    called, number = rules.static_value(name), rules.static_value(type)
    own = rules.static_value(orthogonalize)
    if rules.static_value(norm) == "ortho" if own is None else own:
        return ()
    of_cosines = "c" in called
    if called.startswith("i"):
        number = OTHER_TYPE[number]
    if number == 1:
        return (0, -1) if of_cosines else ()
    if number == (2 if rules.static_value(before) else 3):
        return (0,) if of_cosines else (-1,)
    return ()


def counted_twice(x, axes, ends):
    """Ends counted twice, if there are any."""
    return x if ends == () else scaled_at_ends(x, axes, ends, 2.0)


def counted_half(x, axes, ends):
    """Ends counted half, if there are any."""
    return x if ends == () else scaled_at_ends(x, axes, ends, 0.5)


def _axes_kind(
    name: str,
    x: ir.Kind,
    lengths: dict[int, ir.Kind],
    type: ir.Kind,
    orthogonalize: ir.Kind = NOT_GIVEN,
    **rest: ir.Kind,
) -> ir.Kind:
    axes = list(axes_of_signal(name, x))
    type_of_adjoint(type)
    if ir.is_complex(as_array(x)) and rules.static_value(orthogonalize) is not None:
        raise rules.CallRefused(
            f"{name} with orthogonalize= of complex numbers has no rule, since SciPy "
            "leaves the keyword unread",
            "transform the real and the imaginary part, or leave the keyword out",
        )
    for k, n in lengths.items():
        axes[k] = axis_of_length(n)
    dtype = ir.dtype_of(as_array(x))
    if dtype is not None:
        dtype = fft.dct(np.ones(2, dtype)).dtype.name
    return ir.Array(dtype, tuple(axes))


def _one_kind(name: str) -> Callable[..., ir.Kind]:
    def kind(
        x: ir.Kind,
        type: ir.Kind = TWO,
        n: ir.Kind = NOT_GIVEN,
        axis: ir.Kind = LAST,
        **rest: ir.Kind,
    ) -> ir.Kind:
        k = operator.index(rules.static_value(axis)) % (ir.rank_of(as_array(x)) or 1)
        return _axes_kind(name, x, {} if n == NOT_GIVEN else {k: n}, type, **rest)

    return kind


def _several_kind(name: str) -> Callable[..., ir.Kind]:
    def kind(
        x: ir.Kind,
        type: ir.Kind = TWO,
        s: ir.Kind = NOT_GIVEN,
        axes: ir.Kind = NOT_GIVEN,
        **rest: ir.Kind,
    ) -> ir.Kind:
        along, lengths = transformed_axes(x, s, axes), lengths_of_transform(s)
        return _axes_kind(name, x, dict(zip(along, lengths or ())), type, **rest)

    return kind


def _register_along_axis(transform: Transform) -> None:
    name = transform.__name__

    @rules.reverse_of(transform, kind=_one_kind(name), linear=True, complex=True)
    def _(
        x,
        type=2,
        n=None,
        axis=-1,
        norm=None,
        *,
        workers=None,
        orthogonalize=None,
        out,
        out_bar,
    ):
        before = ends_of_adjoint(name, type, norm, orthogonalize, True)
        behind = ends_of_adjoint(name, type, norm, orthogonalize, False)
        x_bar = transform(
            counted_twice(out_bar, (axis,), before),
            type=type_of_adjoint(type),
            axis=axis,
            norm=norm,
            orthogonalize=orthogonalize,
        )
        x_bar = counted_half(x_bar, (axis,), behind)
        return x_bar if rules.is_none(n) else cropped_or_padded(x_bar, x, (axis,))

    @rules.batched_as(transform)
    def _(
        x,
        type=2,
        n=None,
        axis=-1,
        norm=None,
        *,
        workers=None,
        orthogonalize=None,
        batched,
    ):
        k = axis_of_each(axis)
        return transform(x, type, n, k, norm, orthogonalize=orthogonalize)


def _register_along_axes(transform: Transform) -> None:
    name = transform.__name__

    @rules.reverse_of(transform, kind=_several_kind(name), linear=True, complex=True)
    def _(
        x,
        type=2,
        s=None,
        axes=None,
        norm=None,
        *,
        workers=None,
        orthogonalize=None,
        out,
        out_bar,
    ):
        along = transformed_axes(x, s, axes)
        before = ends_of_adjoint(name, type, norm, orthogonalize, True)
        behind = ends_of_adjoint(name, type, norm, orthogonalize, False)
        x_bar = transform(
            counted_twice(out_bar, along, before),
            type=type_of_adjoint(type),
            axes=along,
            norm=norm,
            orthogonalize=orthogonalize,
        )
        x_bar = counted_half(x_bar, along, behind)
        return x_bar if rules.is_none(s) else cropped_or_padded(x_bar, x, along)

    @rules.batched_as(transform)
    def _(
        x,
        type=2,
        s=None,
        axes=None,
        norm=None,
        *,
        workers=None,
        orthogonalize=None,
        batched,
    ):
        along = axes_of_each(x, s, axes)
        return transform(x, type, s, along, norm, orthogonalize=orthogonalize)


for _transform in (fft.dct, fft.idct, fft.dst, fft.idst):
    _register_along_axis(_transform)
for _transform in (fft.dctn, fft.idctn, fft.dstn, fft.idstn):
    _register_along_axes(_transform)
