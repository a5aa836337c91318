"""What ``s2sad rules`` and docs/coverage.md count as covered is covered."""

from __future__ import annotations

import importlib
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest

from s2sad.coverage import NDARRAY, entries, page
from s2sad.frontend.library.texts import text_for
from s2sad.frontend.specialise.objects.methods import function_of_method
from s2sad.rules.names_without_derivative import WITHOUT_DERIVATIVE
from tests.rules.cases import ARRAYS, ELEMENTS, LIBRARY
from tests.rules.test_table import FILES_ELSEWHERE

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"

WRITTEN = "copyto fill_diagonal place put put_along_axis putmask"
ELSEWHERE = {
    *(f"numpy.{name}" for name in WRITTEN.split()),  # changing_data, frontend
    *(f"{NDARRAY}.{name}" for name in ("fill", "partition", "put", "sort")),
    "numpy.angle",  # test_complex_numbers
    *(f"numpy.{name}" for name in "cdouble clongdouble csingle".split()),
    *(f"numpy.complex{bits}" for bits in (64, 128, 256)),
    "numpy.divmod",  # test_spellings
    # frontend/library/test_open_meshes
    *(f"numpy.{name}" for name in ("ix_", "diag_indices", "diag_indices_from")),
    *(f"numpy.{name}" for name in ("fromfunction", "poly1d", "size", "vectorize")),
    "numpy.histogramdd",  # inside of others, as
    "scipy.integrate.quad",
    "scipy.linalg.cho_factor",
    *(f"scipy.stats.ttest_{name}" for name in ("1samp", "ind", "rel")),
    *("scipy.stats.f_oneway", "scipy.stats.linregress"),
    "scipy.stats.pearsonr",  # these in tests/rules/cases, inside of others
}


def test_the_page_is_as_printed(request):
    text = page()
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text)
    kept = PAGE.read_text()
    if [line for line in kept.splitlines() if "SciPy" in line][:2] != [
        line for line in text.splitlines() if "SciPy" in line
    ][:2]:
        pytest.skip("the page was printed with other versions of NumPy and SciPy")
    assert text == kept


def test_500_names_have_derivatives():
    assert sum(e.status == "derivative" for e in entries()) >= 500


def test_every_name_that_has_a_derivative_has_a_call():
    functions = [c.function for c in (*ELEMENTS, *ARRAYS, *LIBRARY)]
    texts = {text_for(function) for function in functions}

    def is_called(entry):
        owner = np.ndarray if entry.module == NDARRAY else None
        owner = owner or importlib.import_module(entry.module)
        value = getattr(owner, entry.name)
        if entry.module == NDARRAY:
            value = function_of_method(entry.name) or value
        if any(value is function for function in functions):
            return True
        text = None if isinstance(value, type) else text_for(value)
        if text is None:
            return False
        return text in texts or text.__module__ in FILES_ELSEWHERE

    found = {
        e.qualified_name
        for e in entries()
        if e.status == "derivative" and not e.methods and not is_called(e)
    }
    assert {name for name in found if "numpy.polynomial." not in name} == ELSEWHERE


def test_names_without_a_derivative_are_names():
    found = [(e.module, e.name, e.reason) for e in entries() if e.status == "none"]
    needless = [
        (module, pattern)
        for module, by_reason in WITHOUT_DERIVATIVE.items()
        for reason, patterns in by_reason.items()
        for pattern in patterns.split()
        if not any(
            (m, r) == (module, reason) and fnmatchcase(name, pattern)
            for m, name, r in found
        )
    ]
    assert needless == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "pattern, names",
    [
        ("numpy.sin", ["numpy.sin"]),  # not numpy.sinc
        ("numpy.linalg.solv", ["numpy.linalg.solve"]),
        ("numpy.si*h", ["numpy.sinh"]),
        ("no such name", []),
    ],
)
def test_patterns(pattern, names):
    assert [e.qualified_name for e in entries(pattern)] == names
