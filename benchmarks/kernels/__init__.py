"""The kernels of the suite, one family a file."""

from __future__ import annotations

import importlib

from benchmarks.kernels.kernel import Kernel

FAMILIES = (
    "gaussian_mixture",
    "bundle_adjustment",
    "hand_tracking",
    "lstm",
    "k_means",
    "least_squares",
    "log_sum_exp",
    "runge_kutta",
    "determinant",
    "particle",
    "saddle_point",
    "networks",
    "flows",
    "finance",
    "filters",
    "scalar_loops",
)


def all_kernels() -> dict[str, Kernel]:
    """Every kernel, by its name."""
    found: dict[str, Kernel] = {}
    for family in FAMILIES:
        module = importlib.import_module(f"{__name__}.{family}")
        for kernel in module.KERNELS:
            assert kernel.name not in found
            found[kernel.name] = kernel
    return found
