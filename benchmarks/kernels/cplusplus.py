"""What the peers in C++ have in common: how their libraries are called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cplusplus import make
from benchmarks.kernels.peers import NAMES, Unserved


def load(peer: str) -> ctypes.CDLL:
    """The library of a peer. Raises Unserved where it isn't compiled."""
    if not make.is_current(peer):
        raise Unserved(
            f"{NAMES[peer]} is not compiled (python -m benchmarks.cplusplus.make)"
        )
    return ctypes.CDLL(str(make.library(peer)))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    """The address of an array's data, which must be contiguous."""
    return ctypes.c_void_p(array.ctypes.data)


def joined(alphas: Any, means: Any, icf: Any) -> np.ndarray:
    """The variables of a Gaussian mixture in one array."""
    return np.concatenate((alphas, means.ravel(), icf.ravel()))


def parted(result: np.ndarray, alphas: Any, means: Any, icf: Any) -> tuple[Any, ...]:
    """The parts of what was joined."""
    k, more = alphas.size, alphas.size + means.size
    return (
        result[:k],
        result[k:more].reshape(means.shape),
        result[more:].reshape(icf.shape),
    )


def blocks_of(jacobian: Callable[..., int]) -> Callable[..., np.ndarray]:
    """The function of a library that fills the blocks of bundle adjustment, as one of
    arrays."""

    def blocks(
        cameras: Any, points: Any, weights: Any, observations: Any, features: Any
    ) -> np.ndarray:
        found = np.empty((len(weights), 2, 15))
        arrays = (cameras, points, weights, observations, features, found)
        if jacobian(ctypes.c_long(len(weights)), *map(pointer, arrays)) < 0:
            raise ValueError("the tape doesn't fit these arguments")
        return found

    return blocks
