"""Sacado: operator overloading in C++ (``benchmarks/cplusplus/sacado.cpp``), reverse
mode for the gradient of a mixture, forward mode for the blocks of bundle adjustment."""

from __future__ import annotations

from ctypes import c_double, c_long
from typing import Any

import numpy as np

from benchmarks.cplusplus import make
from benchmarks.kernels.cplusplus import blocks_of, joined, load, parted, pointer
from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import Unserved, Version

REMARK = make.flags("sacado")


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """Sacado's derivative of a kernel."""
    if kernel.name.startswith("bundle_adjustment"):
        blocks = blocks_of(load("sacado").bundle_jacobian)
        return Version(blocks, arguments, REMARK)
    if kernel.name.startswith("gaussian_mixture"):
        return Version(_gradient_of_mixture(), arguments, REMARK)
    raise Unserved("not written")


def _gradient_of_mixture() -> Any:
    run = load("sacado").mixture_gradient

    def gradient(
        alphas: Any, means: Any, icf: Any, x: Any, gamma: Any, m: Any
    ) -> tuple[Any, ...]:
        variables = joined(alphas, means, icf)
        result = np.empty_like(variables)
        sizes = (c_long(len(x)), c_long(x.shape[1]), c_long(len(alphas)))
        prior = (c_double(gamma), c_double(m))
        run(*sizes, pointer(variables), pointer(x), *prior, pointer(result))
        return parted(result, alphas, means, icf)

    return gradient
