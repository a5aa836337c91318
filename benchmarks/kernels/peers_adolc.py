"""ADOL-C: operator overloading in C++ (``benchmarks/cplusplus/adolc.cpp``). Its tapes
are recorded once, for the data at hand, and evaluated at each call."""

from __future__ import annotations

from ctypes import c_double, c_int, c_long
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cplusplus import make
from benchmarks.kernels.cplusplus import blocks_of, joined, load, parted, pointer
from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import Unserved, Version

REMARK = f"tapes are recorded beforehand; {make.flags('adolc')}"
MIXTURE, BUNDLE = c_int(1), c_int(2)


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """ADOL-C's derivative of a kernel."""
    if kernel.name.startswith("bundle_adjustment"):
        return Version(_blocks(*arguments), arguments, REMARK)
    if kernel.name.startswith("gaussian_mixture"):
        return Version(_gradient_of_mixture(*arguments), arguments, REMARK)
    raise Unserved("not written")


def _blocks(*arguments: Any) -> Any:
    library = load("adolc")
    p = c_long(len(arguments[2]))
    library.bundle_record(BUNDLE, p, *map(pointer, arguments))
    return blocks_of(partial(library.bundle_jacobian, BUNDLE))


def _gradient_of_mixture(
    alphas: Any, means: Any, icf: Any, x: Any, gamma: Any, m: Any
) -> Any:
    library = load("adolc")
    first = joined(alphas, means, icf)
    sizes = (c_long(len(x)), c_long(x.shape[1]), c_long(len(alphas)))
    prior = (c_double(gamma), c_double(m))
    library.mixture_record(MIXTURE, *sizes, pointer(first), pointer(x), *prior)
    run = library.mixture_gradient

    def gradient(alphas: Any, means: Any, icf: Any, *_: Any) -> tuple[Any, ...]:
        variables = joined(alphas, means, icf)
        result = np.empty_like(variables)
        size = c_long(variables.size)
        if run(MIXTURE, size, pointer(variables), pointer(result)) < 0:
            raise ValueError("the tape doesn't fit these arguments")
        return parted(result, alphas, means, icf)

    return gradient
