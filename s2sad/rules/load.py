"""Fills the table of rules."""

from __future__ import annotations

import functools
import importlib

MODULES = (
    "operators",
    "builtins",
    "math",
    "numpy.elementwise",
    "numpy.selection",
    "numpy.reductions",
    "numpy.orderings",
    "numpy.products",
    "numpy.einsum",
    "numpy.traces",
    "numpy.shapes",
    "numpy.windows",
    "numpy.lines",
    "numpy.joining",
    "numpy.repetitions",
    "numpy.creation",
    "numpy.indexing",
    "numpy.linalg",
    "numpy.norms",
    "random_draws",
    "helpers_rules",
    "stacked_products",
    "shape_queries",
    "buffer_rules",
    "sparse_products",
    "dicts",
    "keyed_heaps",
    "sequences",
    "tangents_of_lists",
    "rows",
    "inner_lists",
    "selections",
    "choice",
    "stopped",
    "fitting",
)


@functools.cache
def load_all() -> None:
    """Import every module of rules; only the first call does anything.

    The compiler calls it before it first needs a rule: ``import s2sad`` stays fast.
    """
    for name in MODULES:
        importlib.import_module(f"s2sad.rules.{name}")
