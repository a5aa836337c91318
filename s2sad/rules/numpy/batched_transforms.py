"""Fourier transforms of many signals at once, along one more axis in front: of many
tangents or cotangents, as Jacobians take them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics import spectra
from s2sad.rules.numpy.fft import lengths_of_transform

Transform = Callable[..., Any]


@rules.static_predicate
def axis_of_each(axis: ir.Kind) -> int:
    """An axis of one signal as that of many."""
    k: int = rules.static_value(axis)
    return k if k < 0 else k + 1


@rules.static_predicate
def axes_of_each(signals: ir.Kind, s: ir.Kind, axes: ir.Kind) -> tuple[int, ...]:
    """Axes of one signal as those of many; all, or the last ones, where none are
    named."""
    named = rules.static_value(axes)
    if named is None:
        count = len(lengths_of_transform(s) or range((ir.rank_of(signals) or 1) - 1))
        return tuple(range(-count, 0))
    several = named if isinstance(named, tuple) else (named,)
    return tuple(k if k < 0 else k + 1 for k in several)


@rules.static_predicate
def axes_from_the_end(signals: ir.Kind, axes: ir.Kind) -> tuple[int, ...]:
    """Axes of one signal, which are those of many if they are counted from the end."""
    rank = (ir.rank_of(signals) or 1) - 1
    return tuple(k if k < 0 else k - rank for k in rules.static_value(axes))


def _along_axis(transform: Transform) -> None:
    @rules.batched_as(transform)
    def _(a, n=None, axis=-1, norm=None, *, batched):
        return transform(a, n, axis=axis_of_each(axis), norm=norm)


def _along_axes(transform: Transform, default: Any = None) -> None:
    @rules.batched_as(transform)
    def _(a, s=None, axes=default, norm=None, *, batched):
        return transform(a, s, axes=axes_of_each(a, s, axes), norm=norm)


for _transform in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft):
    _along_axis(_transform)
for _transform in (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn):
    _along_axes(_transform)
for _transform in (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2):
    _along_axes(_transform, (-2, -1))


@rules.batched_as(spectra.doubled_inside)
def _doubled(half, count, axis, *, batched):
    return spectra.doubled_inside(half, count, axis_of_each(axis))


@rules.batched_as(spectra.halved_inside)
def _halved(half, count, axis, *, batched):
    return spectra.halved_inside(half, count, axis_of_each(axis))


@rules.batched_as(spectra.cropped_or_padded)
def _fitted(x, like, axes, *, batched):
    if batched != ("x",):
        return None
    return spectra.cropped_or_padded(x, like, axes_from_the_end(x, axes))


@rules.batched_as(spectra.scaled_at_ends)
def _scaled(x, axes, ends, factor, *, batched):
    if batched != ("x",):
        return None
    return spectra.scaled_at_ends(x, axes_from_the_end(x, axes), ends, factor)
