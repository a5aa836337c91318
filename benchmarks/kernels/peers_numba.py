"""Numba by hand: the derivative by hand under ``njit`` as it stands, statement by
statement; where it doesn't compile, that of the same kernel in loops."""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from benchmarks.kernels import numba_by_hand, numba_by_hand_blocks
from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.numba_by_hand import IN_LOOPS, backwards, njit
from benchmarks.kernels.peers import Unserved, Version

WRITTEN = {**numba_by_hand.WRITTEN, **numba_by_hand_blocks.WRITTEN}


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """The derivative by hand, compiled."""
    function = as_it_stands(kernel.by_hand)
    try:
        function(*arguments)
    except (NumbaError, AssertionError) as error:
        if kernel.name in IN_LOOPS:
            return Version(as_it_stands(IN_LOOPS[kernel.name]), arguments)
        if kernel.name in WRITTEN:
            return Version(WRITTEN[kernel.name], plain(arguments))
        raise Unserved(
            "the derivative by hand doesn't compile as it stands, and isn't written "
            "in loops"
        ) from error
    return Version(function, arguments)


def plain(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays in the place of lists, which Numba copies at each call."""
    return tuple(np.array(a) if isinstance(a, list) else a for a in arguments)


@functools.cache
def as_it_stands(function: Any) -> Any:
    """A function of the kernels under ``njit``, with what it calls."""
    return _compiled(function, {})


def _compiled(function: Any, done: dict[int, dict[str, Any]]) -> Any:
    own = function.__globals__
    names = done.get(id(own))
    if names is None:
        names = done[id(own)] = {**own, "reversed": backwards}
        for name, value in own.items():
            if isinstance(value, types.FunctionType):
                if value.__module__.startswith("benchmarks.kernels."):
                    names[name] = _compiled(value, done)
    return njit(types.FunctionType(function.__code__, names, function.__name__))
