"""Norms: those made of singular values, those of complex numbers, other names."""

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.library.texts import stands_for
from s2sad.rules.numpy.linalg.norms import count_of_axes


@rules.static_predicate
def of_singular_values(x: ir.Kind, ord: ir.Kind, axis: ir.Kind) -> bool:
    """The norm is one of matrices that is made of their singular values."""
    return rules.static_value(ord) in (2, -2, "nuc") and count_of_axes(x, axis) == 2


@stands_for(np.linalg.norm, words=("ord",))
def norm(x, ord=None, axis=None, keepdims=False):
    """``np.linalg.norm(x, ord, axis, keepdims)``."""
    x = x if rules.is_array(x) else np.asarray(x)
    if of_singular_values(x, ord, axis):
        matrices = x if axis is None else np.moveaxis(x, axis, (-2, -1))
        values = np.linalg.svd(matrices, compute_uv=False)
        if ord == "nuc":
            found = np.sum(values, axis=-1)
        else:
            found = (
                np.max(values, axis=-1, initial=0.0)
                if ord == 2
                else np.min(values, axis=-1)
            )
        if keepdims:
            found = np.expand_dims(found, (0, 1) if axis is None else axis)
        return found
    if rules.is_complex_number(x) and ord is not None and ord != "fro" and ord != "f":
        x = np.abs(x)
    return np.linalg.norm(x, "fro" if ord == "f" else ord, axis, keepdims)


@stands_for(np.linalg.matrix_norm)
def matrix_norm(x, *, keepdims=False, ord="fro"):
    """``np.linalg.matrix_norm(x)`` of the last two axes."""
    return np.linalg.norm(x, ord, (-2, -1), keepdims)


@stands_for(np.linalg.vector_norm)
def vector_norm(x, *, axis=None, keepdims=False, ord=2):
    """``np.linalg.vector_norm(x)``, over several axes as over one."""
    x = x if rules.is_array(x) else np.asarray(x)
    if axis is None:
        found = np.linalg.norm(np.ravel(x), ord)
        return np.reshape(found, all_ones(x)) if keepdims else found
    if isinstance(axis, tuple):
        rest = others(axis, x)
        lines = x.transpose(axis + rest)
        lines = np.reshape(lines, (-1, *(x.shape[k] for k in rest)))
        found = np.linalg.norm(lines, ord, 0)
        return np.expand_dims(found, rules.settled_axes(axis, x)) if keepdims else found
    return np.linalg.norm(x, ord, axis, keepdims)


@rules.static_predicate
def others(axis: ir.Kind, x: ir.Kind) -> tuple[int, ...]:
    """The other axes, as a tuple."""
    found = rules.axes_except(axis, x)
    return found if isinstance(found, tuple) else (found,)


@rules.static_predicate
def all_ones(x: ir.Kind) -> tuple[int, ...]:
    """The shape of one number with as many axes."""
    return (1,) * (count_of_axes(x, ir.Known(None)) or 0)
