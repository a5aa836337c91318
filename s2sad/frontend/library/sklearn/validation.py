"""How scikit-learn checks what it is given: the checks are made when the derivative
runs, on the arguments as they are."""

from collections.abc import Callable
from types import MethodType
from typing import Any

import numpy as np
from sklearn.utils import validation

from s2sad import ir, rules
from s2sad.frontend.library.scipy.sparse import is_sparse
from s2sad.frontend.library.texts import stands_for, stands_for_decorated
from s2sad.ops.numerics.sklearn_parameters import check_accepted, check_parameters


@stands_for(validation.check_array, always=True)
def check_array(array, accept_sparse=False, *, dtype="numeric", copy=False, **words):
    """The array, maybe in another dtype or in memory of its own."""
    check_accepted(array, accept_sparse, dtype=dtype, **words)
    if is_sparse(array):
        return array
    wanted = checked_dtype(array, dtype)
    if wanted is not None:
        return np.asarray(array, dtype=wanted)
    return np.array(array) if copy else np.asarray(array)


@rules.static_predicate
def checked_dtype(array: ir.Kind, dtype: ir.Kind) -> Any:
    """The dtype of the result: None for the array's own, else the first of those
    wanted."""
    wanted, own = rules.static_value(dtype), ir.dtype_of(array)
    if wanted is None or (isinstance(wanted, str) and wanted == "numeric"):
        return None
    dtypes = [
        np.dtype(w) for w in (wanted if isinstance(wanted, list | tuple) else [wanted])
    ]
    if own is None and len(dtypes) > 1:
        raise rules.CallRefused(
            "check_array has one of several dtypes of an array whose own isn't known",
            "annotate the array, or use astype",
        )
    return None if own in [t.name for t in dtypes] else dtypes[0]


@stands_for(validation.check_consistent_length, always=True)
def check_consistent_length(*arrays: Any) -> None:
    """Refuses arrays whose first axes are of unlike lengths."""
    lengths = [len(x) for x in arrays if x is not None]
    for length in lengths:
        if length != lengths[0]:
            raise ValueError("Found input variables with unlike numbers of samples")


@stands_for(validation._num_samples, always=True)
def _num_samples(x):
    """The length of the first axis."""
    return len(x)


@stands_for_decorated
def validated(function: Any) -> Callable[..., Any] | None:
    """What stands for a function under ``validate_params``."""
    constraints = getattr(function, "_skl_parameter_constraints", None)
    if constraints is None or getattr(function, "__wrapped__", None) is None:
        return None
    return MethodType(_with_parameters_checked, function)


def _with_parameters_checked(function, *args, **words):
    check_parameters(function, *args, **words)
    return function.__wrapped__(*args, **words)
