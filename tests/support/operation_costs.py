"""The operations that NumPy's functions take, by their qualified names.

COSTS maps a name to a function of the result and the arguments that gives the number
of operations. MOVES has the names of functions that compute nothing in floating point:
they allocate, move, compare or index. Universal functions are not here: one rule does
for all of them.
"""

import math

import numpy as np


def _size_of_input(result, a, *args, **kwargs):
    return np.size(a)


def _size_of_result(result, *args, **kwargs):
    return np.size(result)


def _mean(result, a, *args, **kwargs):
    return np.size(a) + np.size(result)


def _variance(result, a, *args, **kwargs):
    return 4 * np.size(a) + 2 * np.size(result)


def _standard_deviation(result, a, *args, **kwargs):
    return 4 * np.size(a) + 3 * np.size(result)


def _where(result, *args):
    return np.size(result) if len(args) == 3 else 0


def _dot(result, a, b, *args, **kwargs):
    if not np.ndim(a) or not np.ndim(b):
        return np.size(result)
    return 2 * np.size(result) * np.shape(a)[-1]


def _vdot(result, a, b):
    return 2 * np.size(a)


def _tensordot(result, a, b, axes=2):
    if isinstance(axes, int):
        contracted = np.shape(a)[np.ndim(a) - axes :]
    else:
        contracted = [np.shape(a)[axis] for axis in np.atleast_1d(axes[0])]
    return (2 if len(contracted) else 1) * np.size(result) * math.prod(contracted)


def _einsum(result, subscripts, *operands, **kwargs):
    inputs = subscripts.replace(" ", "").split("->")[0].split(",")
    if "." in subscripts:
        raise NotImplementedError("the cost of einsum with an ellipsis is not known")
    lengths = {}
    for letters, operand in zip(inputs, operands, strict=True):
        lengths.update(zip(letters, np.shape(operand), strict=True))
    work = math.prod(lengths.values())
    return work * (len(operands) - 1 + (work > np.size(result)))


def _convolve(result, a, v, mode="full"):
    return 2 * np.size(a) * np.size(v)


def _diff(result, a, n=1, *args, **kwargs):
    return n * np.size(result)


def _trace(result, a, *args, **kwargs):
    return min(np.shape(a)[:2]) * np.size(result)


def _norm(result, x, *args, **kwargs):
    return 2 * np.size(x) + np.size(result)


def _factorisation(share):
    def cost(result, a, *args, **kwargs):
        return share * np.size(a) * np.shape(a)[-1]

    return cost


def _solve(result, a, b):
    return 2 / 3 * np.size(a) * np.shape(a)[-1] + 2 * np.size(result) * np.shape(a)[-1]


_REDUCTIONS = (
    "sum prod max min amax amin nansum nanmax nanmin cumsum cumprod nan_to_num"
)
_ELEMENTWISE = "clip round around outer kron sinc"

COSTS = {
    **{f"numpy.{name}": _size_of_input for name in _REDUCTIONS.split()},
    **{f"numpy.{name}": _size_of_result for name in _ELEMENTWISE.split()},
    "numpy.mean": _mean,
    "numpy.var": _variance,
    "numpy.std": _standard_deviation,
    "numpy.where": _where,
    "numpy.dot": _dot,
    "numpy.inner": _dot,
    "numpy.vdot": _vdot,
    "numpy.tensordot": _tensordot,
    "numpy.einsum": _einsum,
    "numpy.convolve": _convolve,
    "numpy.diff": _diff,
    "numpy.trace": _trace,
    "numpy.linalg.norm": _norm,
    "numpy.linalg.cholesky": _factorisation(1 / 3),
    "numpy.linalg.det": _factorisation(2 / 3),
    "numpy.linalg.slogdet": _factorisation(2 / 3),
    "numpy.linalg.inv": _factorisation(2),
    "numpy.linalg.solve": _solve,
}

_MOVING = (
    "zeros_like ones_like empty_like full_like shape ndim size reshape ravel "
    "transpose matrix_transpose permute_dims swapaxes moveaxis rollaxis squeeze "
    "expand_dims broadcast_to broadcast_arrays concatenate stack vstack hstack "
    "dstack column_stack block atleast_1d atleast_2d atleast_3d split array_split "
    "hsplit vsplit flip fliplr flipud roll rot90 repeat tile take take_along_axis "
    "put_along_axis put putmask place copyto copy diag diagonal diagflat "
    "fill_diagonal tril triu pad append delete insert resize meshgrid ix_ real "
    "imag iscomplexobj isrealobj result_type can_cast min_scalar_type common_type "
    "may_share_memory shares_memory array_equal array_equiv allclose isclose any "
    "all nonzero flatnonzero argwhere count_nonzero argmax argmin nanargmax "
    "nanargmin argsort lexsort argpartition sort partition searchsorted digitize "
    "unique isin compress extract choose select ascontiguousarray asfortranarray "
    "array_str array_repr array2string unravel_index ravel_multi_index "
    "tril_indices_from triu_indices_from astype require linspace "
)

MOVES = {f"numpy.{name}" for name in _MOVING.split()}
