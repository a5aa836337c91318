"""How scikit-learn asks which library an array is of: of those that are differentiated,
NumPy. Private functions, which may be missing in other versions."""

from typing import Any

import numpy as np
from sklearn.utils import _array_api

from s2sad import ir, rules
from s2sad.frontend.library import texts, vendored_namespaces


def get_namespace(*arrays, **words):
    """The functions for these arrays, and whether they follow the array API."""
    return np, False


def get_namespace_and_device(*arrays, **words):
    """As above, and the device of the arrays."""
    return np, False, None


def device(*arrays, **words):
    """The device where arrays are, which none of NumPy's has a name for."""
    return None


def move_to(*arrays, xp=None, device=None):
    """The arrays on the device where others are."""
    return arrays[0] if len(arrays) == 1 else arrays


def _max_precision_float_dtype(xp, device=None):
    """The widest float."""
    return np.float64


def supported_float_dtypes(xp, device=None):
    """Floats, the widest first."""
    return np.float64, np.float32, np.float16


def _find_matching_floating_dtype(*arrays, xp=None):
    """The widest float among the arrays; float64 where there is none."""
    return widest_float(arrays)


@rules.static_predicate
def widest_float(arrays: ir.Kind) -> Any:
    """The dtype of the widest float in a tuple."""
    dtypes = [ir.dtype_of(kind) for kind in getattr(arrays, "items", ())]
    floats = [np.dtype(t) for t in dtypes if t is not None and t.startswith("float")]
    return np.result_type(*floats) if floats else np.dtype(np.float64)


def _is_numpy_namespace(xp):
    """True for NumPy, which stands for what wraps it."""
    return xp is np


vendored_namespaces.stand_for_those_of("sklearn.externals")
for _text in (
    get_namespace,
    get_namespace_and_device,
    device,
    move_to,
    _max_precision_float_dtype,
    supported_float_dtypes,
    _find_matching_floating_dtype,
    _is_numpy_namespace,
):
    _function = getattr(_array_api, _text.__name__, None)
    if _function is not None:
        texts.stands_for(_function, always=True)(_text)
