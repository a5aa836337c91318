"""HIPS autograd: the kernels' own text on ``autograd.numpy``."""

from __future__ import annotations

from typing import Any

import autograd
import autograd.numpy
import autograd.scipy.special
import numpy as np

from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import Unserved, Version, places, with_numpy_replaced
from benchmarks.kernels.without_stores import WITHOUT_STORES

NAMES = {"np": autograd.numpy}


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """autograd's derivative of a kernel."""
    if kernel.name == "bundle_adjustment":
        return Version(_jacobian_blocks(kernel), arguments)
    if kernel.name == "k_means_hessian_diagonal":
        return Version(_gradient_and_diagonal(kernel), arguments)
    if kernel.name.startswith("hand_tracking"):
        raise Unserved("it has no forward mode for a Jacobian of few columns")
    if kernel.wanted != "gradient" or kernel.name in ("particle_in_a_field",):
        raise Unserved("not written")
    names = dict(NAMES)
    if kernel.name == "black_scholes":
        names["ndtr"] = _ndtr
    if kernel.name in (
        "scalar_loop",
        "log_sum_exp_in_loops",
        "black_scholes_in_a_loop",
    ):
        names["math"] = _Math()
    function = WITHOUT_STORES.get(kernel.name, kernel.function)
    own = places(kernel)
    chosen: Any = own if isinstance(kernel.wrt, tuple) else own[0]
    if kernel.name == "saddle_point":
        names["s2sad"] = autograd
    found = autograd.grad(with_numpy_replaced(function, names), chosen)
    return Version(found, arguments)


class _Math:
    """``math`` for numbers that autograd follows."""

    sin, exp, log, sqrt = (
        staticmethod(getattr(autograd.numpy, name))
        for name in ("sin", "exp", "log", "sqrt")
    )
    erf = staticmethod(autograd.scipy.special.erf)
    pi = np.pi


def _ndtr(x: Any) -> Any:
    return 0.5 * (1.0 + autograd.scipy.special.erf(x / np.sqrt(2.0)))


def _jacobian_blocks(kernel: Kernel) -> Any:
    from benchmarks.kernels.bundle_adjustment import projection_errors

    errors = with_numpy_replaced(projection_errors, {"np": autograd.numpy})
    make = autograd.make_vjp(lambda own: errors(*own[:3], own[3]))

    def blocks(cameras, points, weights, observations, features):  # type: ignore
        own = (cameras[observations[:, 0]], points[observations[:, 1]], weights)
        pullback, _ = make((*own, features))
        found = np.empty((len(weights), 2, 15))
        for row in range(2):
            seed = np.zeros((len(weights), 2))
            seed[:, row] = 1.0
            found[:, row, :11], found[:, row, 11:14], found[:, row, 14], _ = pullback(
                seed
            )
        return found

    return blocks


def _gradient_and_diagonal(kernel: Kernel) -> Any:
    gradient = autograd.grad(with_numpy_replaced(kernel.function, NAMES))

    def derivatives(centres: Any, points: Any) -> Any:
        make = autograd.make_vjp(lambda c: gradient(c, points))
        pullback, value = make(centres)
        return value, pullback(np.ones_like(centres))

    return derivatives
