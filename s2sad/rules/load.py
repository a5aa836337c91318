"""Fills the table of rules."""

import functools
import importlib
import sys

from s2sad import rules

MODULES = (
    "python.operators",
    "python.builtins",
    "python.math",
    "python.references",
    "numpy.elementwise",
    "numpy.selection",
    "numpy.reductions",
    "numpy.orderings",
    "numpy.statistics",
    "numpy.linalg.products",
    "numpy.linalg.einsum",
    "numpy.linalg.traces",
    "numpy.shapes",
    "numpy.windows",
    "numpy.lines",
    "numpy.joining",
    "numpy.repetitions",
    "numpy.creation",
    "numpy.indexing",
    "numpy.linalg.linalg",
    "numpy.linalg.least_squares",
    "numpy.linalg.eigenvalues",
    "numpy.linalg.decompositions",
    "numpy.linalg.norms",
    "numpy.fft",
    "numpy.batched_transforms",
    "random_draws",
    "steps.helpers_rules",
    "steps.stacked_products",
    "steps.batched_elements",
    "steps.batched_helpers",
    "steps.batched_windows",
    "steps.batched_quotients",
    "steps.shape_queries",
    "steps.buffer_rules",
    "steps.sparse_products",
    "python.sets",
    "python.sequences",
    "tangents_of_lists",
    "python.rows",
    "python.inner_lists",
    "python.selections",
    "python.choice",
    "steps.stopped",
    "fitting",
    "complex_numbers",
)
LATE = {
    "scipy.special": "scipy.special",
    "scipy.stats.log_sums": "scipy.special",
    "scipy.stats.probabilities": "scipy.special",
    "scipy.bessel": "scipy.special",
    "scipy.quadratures": "scipy.special",
    "scipy.integrals": "scipy.special",
    "scipy.stats.distributions": "scipy.stats",
    "scipy.stats.moments": "scipy.stats",
    "scipy.stats.discrete_distributions": "scipy.stats",
    "scipy.stats.multivariate": "scipy.stats",
    "scipy.distances": "scipy.spatial.distance",
    "scipy.integrals_of_samples": "scipy.integrate",
    "scipy.interpolants": "scipy.interpolate",
    "sklearn.validation": "sklearn.utils.validation",
    "scipy.fft": "scipy.fft",
    "scipy.signal": "scipy.signal",
    "scipy.windows": "scipy.signal",
    "scipy.linear_systems": "scipy.linalg",
    "scipy.banded_systems": "scipy.linalg",
    "scipy.matrix_functions": "scipy.linalg",
    "scipy.factorisations": "scipy.linalg",
}
"""Modules of rules for functions of SciPy and scikit-learn, and what must have been
imported for each: who calls none of them needs neither."""
_late = dict(LATE)


def load_late() -> bool:
    """Import the modules of rules whose functions have been imported since; True where
    there were any. What users have registered stays."""
    found = [name for name, module in _late.items() if module in sys.modules]
    for name in found:
        del _late[name]
    for name in found:
        with rules.kept_rules():
            importlib.import_module(f"s2sad.rules.{name}")
    return bool(found)


@functools.cache
def load_all() -> None:
    """Import every module of rules; only the first call does anything.

    The compiler calls it before it first needs a rule: ``import s2sad`` stays fast.
    """
    for name in MODULES:
        importlib.import_module(f"s2sad.rules.{name}")
    rules.look_here_too(load_late)
