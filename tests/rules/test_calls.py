"""Calls of library functions (``tests/rules/calls``): values as the library gives them,
both modes beside differences and each other, and second order."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import MethodType

import numpy as np
import pytest
from scipy import integrate, linalg, stats
from scipy.signal import windows

from s2sad.frontend.library.texts import all_texts, text_for
from s2sad.rules.registry import all_rules
from s2sad.testing import check_rule
from tests.rules import calls
from tests.rules.calls.numpy_polynomials import CLASSES

FILES = [
    importlib.import_module(f"{calls.__name__}.{info.name}")
    for info in pkgutil.iter_modules(calls.__path__)
]
CALLS = [call for file in FILES for call in getattr(file, "CALLS", ())]
FIRST = {call.function: call for call in reversed(CALLS)}


def marked(call):
    first = FIRST[call.function] is call and not call.seldom
    marks = () if first else (pytest.mark.long,)
    return pytest.param(call, id=call.name, marks=marks)


@pytest.mark.parametrize("call", [*map(marked, CALLS)])
def test_a_call_is_differentiated(call):
    report = check_rule(
        call.function, *call.arguments, second_order=call.second_order, **call.keywords
    )
    assert report.passed, report


ELSEWHERE = (
    "s2sad.frontend.library.lists",
    "s2sad.frontend.library.scipy.distributions",
    "s2sad.frontend.library.scipy.interpolate",
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


def test_every_text_has_a_call():
    tested = {text_for(call.function) for call in CALLS}
    # numpy_joining.py, numpy_keywords.py, numpy_polynomials.py
    tested |= {text_for(f) for f in (np.vectorize, np.fromfunction, np.size, *CLASSES)}
    others = (np.poly1d, np.mgrid.__getitem__, np.ogrid.__getitem__)
    tested |= {text_for(f) for f in others}  # numpy_products.py
    texts = {
        text.function
        for text in all_texts().values()
        if text.function.__module__ not in ELSEWHERE
    }
    # what a factor of linalg.cho_factor has in its other triangle doesn't count
    inside_of_others = {text_for(stats.pearsonr), text_for(linalg.cho_factor)}
    inside_of_others |= {text_for(integrate.quad)}  # tests/implicit
    of_tests = (stats.ttest_1samp, stats.ttest_rel, stats.ttest_ind, stats.f_oneway)
    inside_of_others |= {text_for(f) for f in (stats.linregress, *of_tests)}
    inside_of_others |= {text_for(np.histogramdd)}  # numpy_statistics.py
    assert {text.__qualname__ for text in texts - tested - inside_of_others} == set()


def text_of(rule):
    return getattr(rule.partials or rule.reverse or rule.kind, "__module__", "")


def test_every_rule_of_scipy_has_a_call():
    tested = {call.function for call in CALLS}
    tested |= {
        (type(f.__self__), f.__name__) for f in tested if isinstance(f, MethodType)
    }
    rules = {
        rule.function
        for rule in all_rules()
        if ".rules.scipy." in text_of(rule)
        and not getattr(rule.function, "__module__", "").startswith("s2sad.")
    }
    inside_of_others = {
        *((type(stats.dirichlet), name) for name in ("pdf", "logpdf")),
        *((type(stats.multinomial), name) for name in ("pmf", "logpmf")),
        *(getattr(windows, name) for name in windows.__all__),  # scipy_signal.py
    }
    found = rules - tested - inside_of_others
    assert {getattr(rule, "__name__", rule) for rule in found} == set()


def positional(function):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind in kinds]


def test_positions_mean_the_same_in_texts():
    """Parameters that a text lacks can be given by position: those behind them are
    taken by name alone."""
    different = {}
    for function, text in all_texts().items():
        if isinstance(function, tuple) or text.function.__module__ in ELSEWHERE:
            continue
        try:
            own = positional(function)
        except (TypeError, ValueError):  # functions in C have no signature
            continue
        taken = positional(text.function)
        if own and taken[1:] != own[1 : len(taken)]:  # the first may be called self
            different[text.function.__qualname__] = taken, own
    assert different == {}
