"""The kernels' derivatives with every optimisation off in turn, by both backends."""

import numpy as np
import pytest

import s2sad
from benchmarks.kernels import all_kernels
from s2sad.errors import UnsupportedError
from s2sad.optimise.pipeline import SWITCHES
from tests.support.finite_differences import assert_trees_close, tree_leaves
from tests.support.numba_text import run_as_python

ALL = "all"
"""Every optimisation off."""
KERNELS = list(
    {
        kernel.function: kernel
        for kernel in reversed(all_kernels().values())
        if kernel.derivative is None
    }.values()
)
"""One kernel a function."""
CLOSED = {name: {name: False} for name in SWITCHES} | {ALL: False}
REFUSED = {"gaussian_mixture"}
"""Kernels whose own text Numba's backend refuses."""
switches = pytest.mark.parametrize("off", CLOSED)


def chosen(off, step):
    """All kernels where every optimisation is off; else one in so many, others for
    each."""
    return KERNELS if off == ALL else KERNELS[SWITCHES.index(off) % step :: step]


def compare(kernels, off, backend):
    """The kernels that are refused; the others have the derivative by hand."""
    refused = set()
    for kernel in kernels:
        arguments = kernel.arguments("tiny", seed=1)
        options = {"optimise": CLOSED[off], "backend": backend}
        try:
            found = s2sad.grad(kernel.function, kernel.wrt, **options)(*arguments)
        except UnsupportedError:
            refused.add(kernel.name)
            continue
        expected = kernel.by_hand(*arguments)
        scale = max(np.max(np.abs(leaf)) for leaf in tree_leaves(expected))
        atol = 1e-11 * max(1.0, scale)
        assert_trees_close(found, expected, rtol=1e-8, atol=atol)
    return refused


@pytest.mark.sampled(64, of_long=3)
@switches
def test_gradients_by_numpy(off):
    assert compare(chosen(off, 4), off, "numpy") == set()


@pytest.mark.sampled(64, of_long=3)
@switches
def test_gradients_by_numba(off):
    pytest.importorskip("numba")
    with run_as_python():
        assert compare(chosen(off, 6), off, "numba") <= REFUSED
