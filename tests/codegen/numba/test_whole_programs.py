"""Whole programs under Numba agree with the NumPy backend, or are refused as listed."""

from __future__ import annotations

import os

import pytest

from tests.codegen.numba import whole_programs
from tests.programs.registry import all_programs

pytest.importorskip("numba")

PROGRAMS = all_programs()
REFUSED = whole_programs.listed()
COMPILED = [name for name in PROGRAMS if name not in REFUSED]
STEP = 1 if os.environ.get("S2SAD_WHOLE_NUMBA") == "1" else 5
"""Of those that are compiled, one in so many is run: Numba takes its time."""


@pytest.mark.long
def test_what_is_refused_is_what_is_listed(request):
    """``pytest --update-golden`` rewrites the list."""
    reasons = {}
    for name, program in PROGRAMS.items():
        reason = whole_programs.refusal(program)
        if reason:
            reasons[name] = reason
    text = whole_programs.listing(reasons, len(PROGRAMS))
    if request.config.getoption("--update-golden"):
        whole_programs.LISTED.write_text(text)
    assert text == whole_programs.LISTED.read_text()


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", COMPILED[::STEP])
def test_programs_agree_with_the_numpy_backend(name):
    assert whole_programs.difference(PROGRAMS[name]) == ""
