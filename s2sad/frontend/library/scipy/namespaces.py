"""How SciPy asks which library an array is of: of those that are differentiated, NumPy.

Functions of SciPy and of users begin so (``xp = array_namespace(x)``), and call ``xp``
from there on. Private functions, which may be missing in other versions.
"""

import numpy as np
from scipy._lib import _array_api

from s2sad.frontend.library import texts, vendored_namespaces


def array_namespace(*arrays):
    """The functions for these arrays."""
    return np


def xp_size(x):
    """The number of elements."""
    return x.size


def xp_copy(x, *, xp=None):
    """The array in memory of its own."""
    return np.copy(x)


def xp_ravel(x, /, *, xp=None):
    """The elements in one axis."""
    return np.reshape(x, (-1,))


def xp_vector_norm(x, /, *, axis=None, keepdims=False, ord=2, xp=None):
    """The norm of vectors along axes."""
    return np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


def np_vecdot(x1, x2, /, *, axis=-1):
    """Products of vectors along an axis."""
    return np.sum(x1 * x2, axis=axis)


vendored_namespaces.stand_for_those_of("scipy._lib")
for _text in (array_namespace, xp_size, xp_copy, xp_ravel, xp_vector_norm, np_vecdot):
    _function = getattr(_array_api, _text.__name__, None)
    if _function is not None:
        texts.stands_for(_function, always=True)(_text)
