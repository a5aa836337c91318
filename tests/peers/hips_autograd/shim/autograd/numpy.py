"""NumPy, with the two names that autograd's has beside it."""

import numpy as _numpy
from numpy import *  # noqa: F403

__version__ = _numpy.__version__
row_stack = _numpy.vstack


def make_diagonal(D, offset=0, axis1=0, axis2=1):
    """An array whose diagonal, over the last two axes, is D."""
    if (offset, axis1, axis2) != (0, -1, -2):
        raise NotImplementedError("make_diagonal takes offset=0, axis1=-1, axis2=-2")
    return _numpy.expand_dims(D, -1) * _numpy.eye(D.shape[-1])


def __getattr__(name):
    return getattr(_numpy, name)
