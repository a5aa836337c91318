"""Arithmetic on the leaves of parameters, gradients and states."""

from typing import Any

import numpy as np

from .structure import map_structure_with_path


def is_parameter(leaf: Any) -> bool:
    """Whether leaf is something to optimise: a float or complex number or array."""
    if isinstance(leaf, np.ndarray | np.generic):
        return bool(np.issubdtype(leaf.dtype, np.inexact))
    return isinstance(leaf, float | complex)


def like(leaf: Any, value: Any) -> Any:
    """value with the type and dtype of leaf: array, NumPy scalar or Python number."""
    if isinstance(leaf, np.ndarray):
        return np.asarray(value, dtype=leaf.dtype)
    if isinstance(leaf, np.generic):
        return leaf.dtype.type(value)
    return type(leaf)(value)


def prepared(params: Any, gradient: Any) -> Any:
    """gradient, each leaf with the dtype of its parameter, checked against params.

    A leaf of params that is not a float or complex number or array (an int, a string,
    None) must have None in gradient. Raises StructureError where layouts differ,
    ValueError where shapes differ, TypeError where a leaf can't be optimised; each
    names the path of the leaf.
    """
    return map_structure_with_path(
        _prepared_leaf, params, gradient, names=("params", "gradient")
    )


def _prepared_leaf(path: str, param: Any, gradient: Any) -> Any:
    if not is_parameter(param):
        if gradient is None:
            return None
        raise TypeError(
            f"params{path} is {_article(param)}, which has no gradient: "
            "use a float or a float array, or give None as its gradient"
        )
    if gradient is None:
        raise TypeError(f"gradient{path} is None, but params{path} is a parameter")
    if np.shape(gradient) != np.shape(param):
        raise ValueError(
            f"gradient{path} has shape {np.shape(gradient)}, "
            f"but params{path} has shape {np.shape(param)}"
        )
    if np.iscomplexobj(gradient) and not np.iscomplexobj(param):
        raise TypeError(f"gradient{path} is complex, but params{path} is real")
    return like(param, gradient)


def _article(leaf: Any) -> str:
    if isinstance(leaf, np.ndarray):
        return f"an array of dtype {leaf.dtype}"
    return f"of type {type(leaf).__name__}"


def zeros(param: Any) -> Any:
    """Zero with the type, shape and dtype of param; None if it is no parameter."""
    if not is_parameter(param):
        return None
    return np.zeros_like(param) if isinstance(param, np.ndarray) else like(param, 0)


def real_zeros(param: Any) -> Any:
    """Like zeros, but of the real dtype that belongs to a complex one."""
    if not is_parameter(param):
        return None
    zero = zeros(param)
    return like_real(zero, np.real(zero))


def like_real(leaf: Any, value: Any) -> Any:
    """value as a real leaf of the kind of leaf, of the same precision."""
    if isinstance(leaf, np.ndarray):
        return np.array(value, dtype=leaf.real.dtype)
    if isinstance(leaf, np.generic):
        return leaf.real.dtype.type(value)
    return float(value)


def squared_modulus(gradient: Any) -> Any:
    """gradient ** 2, or |gradient| ** 2 of a complex one; elementwise, real."""
    if np.iscomplexobj(gradient):
        return gradient.real * gradient.real + gradient.imag * gradient.imag
    return gradient * gradient
