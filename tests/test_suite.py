"""The two steps of the suite: together they compare everything."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import pytest

from tests.fuzz import checking
from tests.support.reach import reaches
from tests.touched import ROOT

PROGRAM = """
def program(x, v):
    return np.sum(np.sin(v) * x)
"""
FORMS = {
    name + suffix
    for name, suffix in product(
        ("gradient", "value_and_grad", "vjp", "jvp", "hvp"), ("", checking.UNOPTIMISED)
    )
}


def compared(monkeypatch, step, text):
    """The forms that ``check`` compares in a step of the suite."""
    found = set()
    for name in ("gradient", "vjp", "jvp", "hvp"):
        monkeypatch.setattr(
            checking._Case, name, lambda self, off, form, *_: found.add(form)
        )
    monkeypatch.setattr(checking, "step_of_the_suite", step)
    assert checking.check(text, 0).verdict == "differentiated"
    return found


def test_each_form_is_compared_in_one_step(monkeypatch):
    in_first, in_second = set(), set()
    for k in range(100):
        text = f"import numpy as np\n{PROGRAM}# {k}\n"
        monkeypatch.setenv("S2SAD_ALL_RULES", "1")
        first, others = (compared(monkeypatch, step, text) for step in (1, 2))
        assert len(first) in (1, 2) and first | others == FORMS and not first & others
        monkeypatch.delenv("S2SAD_ALL_RULES")
        second = compared(monkeypatch, 2, text)
        assert second < others
        in_first |= first
        in_second |= second
    assert in_first == in_second == FORMS
    assert compared(monkeypatch, 0, text) == FORMS


SUITE = """
import pytest
from tests.frontend.whole_programs import assert_differentiated

def test_plain():
    assert True

def test_program():
    assert_differentiated("def program(x): return x * x")

@pytest.mark.long
def test_walk():
    assert True

@pytest.mark.sampled(4, of_long=1)
@pytest.mark.parametrize("k", range(40))
def test_sampled(k):
    assert k != 7, "seven"
"""


@pytest.fixture
def suite(tmp_path):
    """A test file that is run as those here are."""
    path = tmp_path / "test_made.py"
    path.write_text(SUITE)
    return path


def run(path, *words):
    settings = ["-c", ROOT / "pyproject.toml", "--rootdir", ROOT]
    plugins = ["-p", "tests.conftest", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *settings, *plugins, *words, path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout


def names(printed):
    return [
        line.partition("::")[2] for line in printed.splitlines() if "::test_" in line
    ]


@pytest.mark.long
def test_every_test_is_in_a_step(suite):
    every = names(run(suite, "--collect-only", "-q"))
    first = names(run(suite, "--collect-only", "-q", "-m", "not long"))
    second = names(run(suite, "--collect-only", "-q", "--second-step"))
    assert set(every) == {*first, *second}
    assert set(first) & set(second) == {"test_program"}
    assert "test_plain" in first and "test_walk" in second
    assert sum(name.startswith("test_sampled") for name in first) == 10


@pytest.mark.long
def test_failures_are_printed_before_others_are_run(suite):
    printed = run(suite, "-k", "sampled", "-n", "1")
    at_once, _, rest = printed.partition("== FAILURES ==")
    assert "test_sampled[7] (call)" in at_once and "seven" in at_once
    assert rest.count("seven")
    assert "1 failed, 39 passed" in printed.splitlines()[-1]


def test_what_a_test_reaches_is_seen_through_helpers():
    from tests.frontend import test_comprehensions, test_iteration
    from tests.fuzz import test_random_programs

    assert reaches(test_comprehensions.test_comprehensions, checking.check)
    assert reaches(test_iteration.test_loops_over, checking.check)
    random = test_random_programs.test_random_programs_are_differentiated
    assert reaches(random, checking.check)
    assert not reaches(test_every_test_is_in_a_step, checking.check)
