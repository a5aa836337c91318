"""advect (Python 3.12 or newer): the kernels' own text, staged where that works, so
that calls trace nothing; else traced at each call."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import Unserved, Version, places, with_numpy_replaced
from benchmarks.kernels.without_stores import WITHOUT_STORES

if sys.version_info < (3, 12):
    raise Unserved("advect needs Python 3.12 or newer")

import advect
import advect.scipy.special

TRACED = "traced at each call"


class _Math:
    """``math`` for numbers that advect follows."""

    sin, exp, log, sqrt = (
        staticmethod(getattr(np, name)) for name in ("sin", "exp", "log", "sqrt")
    )
    erf = staticmethod(advect.scipy.special.erf)
    pi = np.pi


def _len(x: Any) -> int:
    return int(x.shape[0]) if hasattr(x, "shape") else len(x)


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """advect's derivative of a kernel."""
    if kernel.name == "bundle_adjustment":
        return Version(_jacobian_blocks(*arguments), arguments)
    if kernel.name == "k_means_hessian_diagonal":
        return Version(_gradient_and_diagonal(kernel), arguments, TRACED)
    if kernel.wanted != "gradient" or kernel.name == "particle_in_a_field":
        raise Unserved("not written")
    names: dict[str, Any] = {"ndtr": advect.scipy.special.ndtr, "len": _len}
    if not kernel.name.startswith("gaussian_mixture"):
        names["math"] = _Math
    if kernel.name == "saddle_point":
        names["s2sad"] = advect
    own = places(kernel)
    chosen = own if isinstance(kernel.wrt, tuple) else own[0]
    text = WITHOUT_STORES.get(kernel.name, kernel.function)
    function = with_numpy_replaced(text, names)
    constant: Any = int | list
    if kernel.name.startswith("gaussian_mixture"):
        constant |= float  # the prior's, whose logarithm is math.log's
    examples = (
        advect.StaticSpec(a) if isinstance(a, constant) else a for a in arguments
    )
    try:
        staged = advect.grad(advect.stage(function, *examples), chosen)
        staged(*arguments)
    except Exception:  # anything that a text does which staging doesn't follow
        return Version(advect.grad(function, chosen), arguments, TRACED)
    return Version(staged, arguments)


def _jacobian_blocks(
    cameras: Any, points: Any, weights: Any, observations: Any, features: Any
) -> Any:
    from benchmarks.kernels.bundle_adjustment import projection_errors

    own = (cameras[observations[:, 0]], points[observations[:, 1]], weights)
    pullback = advect.vjp_program(
        advect.stage(projection_errors, *own, features), (0, 1, 2)
    )

    def blocks(cameras, points, weights, observations, features):  # type: ignore
        own = (cameras[observations[:, 0]], points[observations[:, 1]], weights)
        found = np.empty((len(weights), 2, 15))
        for row in range(2):
            seed = np.zeros((len(weights), 2))
            seed[:, row] = 1.0
            parts = pullback(*own, features, cotangent=seed)
            found[:, row, :11], found[:, row, 11:14], found[:, row, 14] = parts
        return found

    return blocks


def _gradient_and_diagonal(kernel: Kernel) -> Any:
    gradient = advect.grad(kernel.function)

    def derivatives(centres: Any, points: Any) -> Any:
        along = advect.jvp(lambda c: gradient(c, points))
        return along(centres, tangents=np.ones_like(centres))

    return derivatives
