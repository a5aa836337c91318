"""The names of HIPS autograd, over s2sad's public API.

What is differentiated is read, not traced: the functions here are ordinary Python that
s2sad reads along with the user's own, so derivatives may be taken of derivatives.
autograd's convention for complex numbers is the conjugate of s2sad's.
"""

import sys

import numpy as _numpy

from . import numpy, scipy

for _name in ("random", "linalg", "fft"):
    sys.modules[f"{__name__}.numpy.{_name}"] = getattr(_numpy, _name)
for _name, _module in scipy.MODULES.items():
    sys.modules[f"{__name__}.scipy.{_name}"] = _module

from .builtins import dict, isinstance, list, tuple, type
from .differential_operators import (
    checkpoint,
    deriv,
    elementwise_grad,
    grad,
    grad_and_aux,
    grad_named,
    hessian,
    hessian_tensor_product,
    hessian_vector_product,
    holomorphic_grad,
    jacobian,
    make_ggnvp,
    make_hvp,
    make_jvp,
    make_vjp,
    multigrad_dict,
    tensor_jacobian_product,
    value_and_grad,
    vector_jacobian_product,
)
from .extend import primitive
