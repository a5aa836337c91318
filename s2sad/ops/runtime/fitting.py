"""What fits what, where kinds don't tell: cotangents that rules of the user's give, and
the results of augmented assignment."""

from typing import Any

import numpy as np


def fitting_cotangent(cotangent: Any, argument: Any, what: str) -> Any:
    """The cotangent; ValueError where it hasn't the shape of what it belongs to,
    TypeError where it isn't of floats. ``what`` names it.

    >>> fitting_cotangent(np.ones(2), np.zeros(3), "the cotangent that r gives for x")
    Traceback (most recent call last):
    ...
    ValueError: the cotangent that r gives for x has shape (2,), not (3,)
    """
    shape, wanted = np.shape(cotangent), np.shape(argument)
    if shape != wanted:
        raise ValueError(f"{what} has shape {shape}, not {wanted}")
    dtype = np.asarray(cotangent).dtype
    kinds = "fc" if np.iscomplexobj(argument) else "f"
    if dtype.kind not in kinds and not isinstance(cotangent, int):
        raise TypeError(f"{what} has dtype {dtype}, and must be of floats")
    return cotangent


def hooked_adjoint(changed: Any, adjoint: Any, what: str) -> Any:
    """What a hook gave, or the adjoint itself where that is None; ValueError and
    TypeError where it doesn't fit.

    >>> hooked_adjoint(None, 2.0, "what the hook gives")
    2.0
    """
    return adjoint if changed is None else fitting_cotangent(changed, adjoint, what)


def only_looked_at(derivative: Any, changed: Any, what: str) -> Any:
    """The tangent or cotangent of an adjoint that a hook hands on; ValueError where the
    hook ``changed`` it, for the hook is called, not compiled.

    >>> only_looked_at(2.0, None, "what the hook gives")
    2.0
    """
    if changed is not None:
        reason = "can't be differentiated: its function isn't compiled"
        raise ValueError(f"{what} {reason}; let it return None")
    return derivative


def augmented_value(old: Any, new: Any) -> Any:
    """What ``old *= ...`` leaves, where ``new`` is the product: an array keeps its
    dtype and shape, as NumPy sees to or raises; a number is bound anew.

    >>> augmented_value(2.0, 6.0), augmented_value(np.ones(2, "f4"), np.zeros(2)).dtype
    (6.0, dtype('float32'))
    """
    if not isinstance(old, np.ndarray):
        return new
    kept = np.empty_like(old)
    np.copyto(kept, new)
    return kept


def require_rank(value: Any, rank: int) -> Any:
    """What a Jacobian is taken of, where kinds leave open whether it is an array or a
    number; ValueError where it isn't an array of this rank.

    >>> require_rank(0.0, 1)
    Traceback (most recent call last):
    ...
    ValueError: the Jacobian is that of an array of rank 1, and this gives rank 0
    """
    if np.ndim(value) != rank:
        reason = f"and this gives rank {np.ndim(value)}"
        raise ValueError(f"the Jacobian is that of an array of rank {rank}, {reason}")
    return value
