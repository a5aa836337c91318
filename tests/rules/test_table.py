"""Every rule and every text has a case in the table, or a test elsewhere that is named
here."""

from __future__ import annotations

import cmath
import inspect
from types import MethodType

import numpy as np
from scipy import fft, integrate, linalg, stats
from scipy import special as special_functions
from scipy.signal import windows
from sklearn.utils import validation

from s2sad import ops
from s2sad.frontend.library.texts import all_texts, text_for
from s2sad.ops import augmented_operators, buffers, inner_lists, lists, rows, selections
from s2sad.ops.numerics import (
    complex_numbers,
    decompositions,
    linear_systems,
    solvers,
    special,
    spectra,
    statistics,
    trajectories,
)
from s2sad.ops.numerics.quadrature import quadrature
from s2sad.ops.runtime import fitting
from s2sad.ops.runtime import rows as row_helpers
from s2sad.ops.runtime.arguments import gradient_of_items, require_plain
from s2sad.ops.runtime.broadcasting import broadcast_along_items
from s2sad.ops.runtime.indices import (
    inserted_places,
    kept_places,
    last_writes,
    padded_places,
    place_of_item,
    reshape_gives_view,
    stands_by_rows,
)
from s2sad.ops.runtime.results import require_array
from s2sad.ops.runtime.sequences import (
    stacked_tangents,
    unless_empty,
    without_row_in_each,
    zero_row_in_each,
    zero_row_inserted,
    zeros_if_empty,
)
from s2sad.ops.runtime.ties import running_places
from s2sad.ops.sparse_products import sparse_times, times_sparse
from s2sad.rules.load import load_late
from s2sad.rules.python.choice import choose
from s2sad.rules.registry import all_rules
from s2sad.rules.steps.stopped import retained, with_derivative_of
from tests.rules.cases import CASES
from tests.rules.cases.library.numpy_polynomials import CLASSES


def functions_of(*modules):
    return {f for module in modules for f in vars(module).values() if callable(f)}


def key_of(function):
    """The function, or the class of an object and the name of its method."""
    if isinstance(function, MethodType):
        return type(function.__self__), function.__name__
    return function


def text_of(rule):
    text = rule.partials or rule.reverse or rule.kind
    return getattr(text, "__module__", "")


load_late()
all_texts()
FILES_ELSEWHERE = (
    "s2sad.frontend.library.lists",
    "s2sad.frontend.library.sorted_lists",
    "s2sad.frontend.library.scipy.stats.distributions",
    "s2sad.frontend.library.scipy.interpolate",
    "s2sad.frontend.library.dicts",  # tests/run_time
    "s2sad.frontend.library.averages",  # tests/frontend/library
    "s2sad.frontend.library.scipy.grids",
    "s2sad.frontend.library.scipy.sparse",  # tests/frontend/library/test_sklearn.py
    "s2sad.frontend.library.scipy.namespaces",
    "s2sad.frontend.library.sklearn.namespaces",
    "s2sad.frontend.library.sklearn.validation",
    "s2sad.frontend.library.vendored_namespaces",
    "s2sad.frontend.library.scipy.equations",
    "s2sad.frontend.library.scipy.optimize",
)
"""Files of texts that have tests of their own."""


RULES_ELSEWHERE = {
    "second derivatives, in which buffers and choices are": {
        *functions_of(buffers, selections),
        *(choose, last_writes, place_of_item),
    },
    "tests/rules/test_sequences.py, tests/changing_data": {
        *functions_of(lists, rows, row_helpers, inner_lists),
        *(broadcast_along_items, unless_empty, zeros_if_empty, zero_row_inserted),
        *(require_array, require_plain),
    },
    "tests/run_time": {
        *(ops.items_of, ops.read_attribute, ops.read_item, ops.read_part),
        ops.read_itself,
        *ops.READS_OF_STORED,
    },
    "tests/transform/test_gradients_of_lists.py": {gradient_of_items},
    "tests/transform/test_jacobians_of_lists.py": {
        *(stacked_tangents, without_row_in_each, zero_row_in_each),
    },
    "replaced before any derivative is taken": set(augmented_operators.PLAIN),
    "tests/rules/test_user_rules.py": functions_of(fitting),
    "tests/transform/test_local_variables.py": {retained, with_derivative_of},
    "tests/frontend/library/test_sklearn.py": {validation.assert_all_finite},
    "tests/frontend/test_expressions.py": {hash, ord},
    "tests/rules/test_sparse_products.py": {sparse_times, times_sparse},
    "tests/implicit": {
        *functions_of(solvers, trajectories, linear_systems),
        quadrature,
    },
    "tests/changing_data/test_reshapes_that_may_copy.py": {
        *(reshape_gives_view, stands_by_rows),
    },
    "tests/rules/test_complex_numbers.py": {
        *functions_of(cmath, complex_numbers),
        *(complex, np.angle, np.complex64, np.complex128, np.clongdouble),
    },
    "called in texts that have cases": {
        *functions_of(statistics, spectra, decompositions, special),
        *(running_places, padded_places, inserted_places, kept_places),
    },
    "cases of calls that call them": {
        *((type(stats.dirichlet), name) for name in ("pdf", "logpdf")),
        *((type(stats.multinomial), name) for name in ("pmf", "logpmf")),
        *functions_of(windows),  # cases/library
        *(fft.next_fast_len, fft.prev_fast_len, special_functions.gammasgn),
    },
}
"""Functions whose rules are tested elsewhere, and where."""


OF_NUMPY = ("s2sad.rules.numpy.", "s2sad.rules.steps.helpers_rules")


def is_of_derivatives_alone(rule):
    """A function of s2sad that texts of SciPy call, or without a derivative."""
    own = (getattr(rule.function, "__module__", "") or "").startswith("s2sad.")
    needs_case = rule.differentiates or text_of(rule).startswith(OF_NUMPY)
    return own and (".rules.scipy." in text_of(rule) or not needs_case)


def test_every_rule_has_a_case():
    """One by which is differentiated, if the rule differentiates; where the derivative
    is zero, each function that is not s2sad's own has one."""
    called = {key_of(c.function) for c in CASES}
    walked = {key_of(c.function) for c in CASES if c.wrt}
    elsewhere = set().union(*RULES_ELSEWHERE.values())
    missing = set()
    for rule in all_rules():
        if rule.draws or is_of_derivatives_alone(rule):
            continue  # tests/rules/test_random_draws.py
        known = walked if rule.differentiates else called
        if rule.function not in known | elsewhere:
            missing.add(getattr(rule.function, "__name__", rule.function))
    assert missing == set()


def test_nothing_that_is_tested_elsewhere_has_a_case():
    """So that the list above stays short."""
    walked = {key_of(c.function) for c in CASES if c.wrt}
    named = {
        f
        for f in set().union(*RULES_ELSEWHERE.values()) & walked
        if not getattr(f, "__module__", "").startswith("s2sad.")
    }
    assert named == set()


def test_every_text_has_a_case():
    tested = {text_for(c.function) for c in CASES}
    # numpy_joining.py, numpy_keywords.py, numpy_polynomials.py
    tested |= {text_for(f) for f in (np.vectorize, np.fromfunction, np.size, *CLASSES)}
    others = (np.poly1d, np.mgrid.__getitem__, np.ogrid.__getitem__)
    tested |= {text_for(f) for f in others}  # numpy_products.py
    others = (np.ix_, np.diag_indices, np.diag_indices_from)
    tested |= {text_for(f) for f in others}  # frontend/library/test_open_meshes.py
    texts = {
        text.function
        for text in all_texts().values()
        if text.function.__module__ not in FILES_ELSEWHERE
    }
    # what a factor of linalg.cho_factor has in its other triangle doesn't count
    inside_of_others = {text_for(stats.pearsonr), text_for(linalg.cho_factor)}
    inside_of_others |= {text_for(integrate.quad)}  # tests/implicit
    of_tests = (stats.ttest_1samp, stats.ttest_rel, stats.ttest_ind, stats.f_oneway)
    inside_of_others |= {text_for(f) for f in (stats.linregress, *of_tests)}
    inside_of_others |= {text_for(np.histogramdd)}  # numpy_statistics.py
    assert {text.__qualname__ for text in texts - tested - inside_of_others} == set()


def positional(function):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind in kinds]


def test_positions_mean_the_same_in_texts():
    """Parameters that a text lacks can be given by position: those behind them are
    taken by name alone."""
    different = {}
    for function, text in all_texts().items():
        if isinstance(function, tuple) or text.function.__module__ in FILES_ELSEWHERE:
            continue
        try:
            own = positional(function)
        except (TypeError, ValueError):  # functions in C have no signature
            continue
        taken = positional(text.function)
        if own and taken[1:] != own[1 : len(taken)]:  # the first may be called self
            different[text.function.__qualname__] = taken, own
    assert different == {}
