"""Numba by hand at its best: loops over numbers that keep what they need in arrays, and
no small arrays in between (``numba_by_hand*.py``)."""

from __future__ import annotations

from typing import Any

from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.numba_by_hand import IN_LOOPS
from benchmarks.kernels.peers import Unserved, Version
from benchmarks.kernels.peers_numba import WRITTEN, as_it_stands, plain


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """The derivative by hand in loops."""
    if kernel.name in WRITTEN:
        return Version(WRITTEN[kernel.name], plain(arguments))
    if kernel.name in IN_LOOPS:
        return Version(as_it_stands(IN_LOOPS[kernel.name]), arguments)
    if kernel.name.endswith(("_in_loops", "_in_a_loop")):
        raise Unserved("as Numba by hand")
    raise Unserved("not written")
