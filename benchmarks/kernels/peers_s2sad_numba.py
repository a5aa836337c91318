"""s2sad with ``backend="numba"``: the kernels' own text, and where the backend refuses
that, one written for Numba (``numba_texts``)."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import s2sad
from benchmarks.kernels import k_means, numba_texts
from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import Unserved, Version
from s2sad.errors import UnsupportedError

TEXTS = {
    "lstm": numba_texts.lstm,
    "lstm_wide": numba_texts.lstm,
    "gaussian_mixture": numba_texts.log_likelihood_by_products,
    "gaussian_mixture_low_dimension": numba_texts.log_likelihood,
    "gaussian_mixture_in_loops": numba_texts.log_likelihood,
    "black_scholes": numba_texts.worth,
}
REWRITTEN = "written for Numba"


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """s2sad's derivative of a kernel, compiled by Numba."""
    if kernel.name.startswith("bundle_adjustment"):
        return Version(_jacobian_blocks(*arguments), arguments, REWRITTEN)
    if kernel.name == "k_means_hessian_diagonal":
        joint = s2sad.grad(_summed_gradient, backend="numba", has_aux=True)
        compiled = joint.compiled(*arguments)
        return Version(lambda *given: compiled(*given)[::-1], arguments)
    if kernel.wanted != "gradient":
        raise Unserved("Jacobians are those of the NumPy backend")
    try:
        return Version(_gradient(kernel.function, kernel.wrt, arguments), arguments)
    except UnsupportedError as error:
        text = TEXTS.get(kernel.name)
        if text is None:
            raise Unserved(_reason(error)) from error
    return Version(_gradient(text, kernel.wrt, arguments), arguments, REWRITTEN)


def _summed_gradient(centres: Any, points: Any) -> Any:
    """The gradient of k-means, behind the sum whose own is the Hessian's diagonal."""
    found = s2sad.grad(k_means.cost)(centres, points)
    return np.sum(found), found


def _gradient(function: Any, wrt: Any, arguments: tuple[Any, ...]) -> Any:
    return s2sad.grad(function, wrt, backend="numba").compiled(*arguments)


def _reason(error: UnsupportedError) -> str:
    """What is refused, without the place."""
    first = str(error).splitlines()[0]
    return first.partition(": ")[2] or first


def _jacobian_blocks(
    cameras: Any, points: Any, weights: Any, observations: Any, features: Any
) -> Any:
    """The gradient of one observation's error along both axes, called by a loop under
    ``njit``."""
    first = (cameras[0], points[0], float(weights[0]), features[0], 1.0, 0.0)
    gradient = _gradient(numba_texts.error_along, (0, 1, 2), first)

    @numba.njit(error_model="numpy")
    def blocks(cameras, points, weights, observations, features):  # type: ignore
        found = np.empty((len(weights), 2, 15))
        for k in range(len(weights)):
            camera, point = cameras[observations[k, 0]], points[observations[k, 1]]
            for row in range(2):
                along_x, along_y = (1.0, 0.0) if row == 0 else (0.0, 1.0)
                by_camera, by_point, by_weight = gradient(
                    camera, point, weights[k], features[k], along_x, along_y
                )
                block = found[k, row]
                block[:11], block[11:14], block[14] = by_camera, by_point, by_weight
        return found

    return blocks
