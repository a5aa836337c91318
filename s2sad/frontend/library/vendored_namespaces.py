"""The questions of ``array_api_compat``, of which SciPy and scikit-learn each carry a
copy, about arrays and their library: NumPy."""

import importlib
from typing import Any

import numpy as np

from s2sad.frontend.library.texts import stands_for


def array_namespace(*arrays, **words):
    """The functions for these arrays."""
    return np


def yes(x):
    """Of NumPy, or of an array of NumPy."""
    return True


def no(x):
    """Of another library."""
    return False


def size(x):
    """The number of elements."""
    return x.size


def device(x, /):
    """Where an array is."""
    return "cpu"


_OTHERS = "cupy torch ndonnx dask jax pydata_sparse"
_TEXTS = {
    "array_namespace": array_namespace,
    "size": size,
    "device": device,
    "is_array_api_obj": yes,
    "is_numpy_array": yes,
    "is_numpy_namespace": yes,
    "is_array_api_strict_namespace": no,
    "is_lazy_array": no,
    **{f"is_{name}_array": no for name in _OTHERS.split()},
    **{f"is_{name}_namespace": no for name in _OTHERS.split()},
}


def stand_for_those_of(package: str) -> None:
    """Let the texts stand for the functions of a package's copy; it may lack some."""
    try:
        helpers: Any = importlib.import_module(
            f"{package}.array_api_compat.common._helpers"
        )
    except ImportError:
        return
    for name, text in _TEXTS.items():
        function = getattr(helpers, name, None)
        if function is not None:
            stands_for(function, always=True)(text)
