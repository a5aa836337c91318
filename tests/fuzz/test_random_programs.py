"""Random programs are differentiated correctly, and few are refused."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.aliases import alias_program
from tests.fuzz.attempts import attempts_program
from tests.fuzz.checking import ONE, Outcome, check, check_one, draw_arguments, load
from tests.fuzz.constructs import FORMS, constructs
from tests.fuzz.generator import Generator, random_program
from tests.fuzz.list_arguments import lists_program
from tests.fuzz.renaming import CALLED
from tests.fuzz.shrinking import smaller, way_of
from tests.fuzz.slices import slices_program
from tests.support.compiled import PYTHON


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_random_programs_are_differentiated(seed):
    text = random_program(seed, corners=True)
    outcome = check(text, seed)
    assert outcome.verdict != "wrong", f"{outcome.detail}\n{text}\n{outcome.text}"


@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_random_programs_over_lists(seed):
    text = lists_program(seed)
    outcome = check(text, seed)
    assert outcome.verdict in ("differentiated", "left out"), (
        f"{outcome.detail}\n{text}\n{outcome.text}"
    )


@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_random_programs_that_write_into_arrays(seed):
    text = random_program(seed, stores=True, corners=True)
    outcome = check(text, seed)
    assert outcome.verdict != "wrong", f"{outcome.detail}\n{text}\n{outcome.text}"


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_random_programs_that_choose_what_they_write_into(seed):
    text = alias_program(seed)
    outcome = check(text, seed)
    assert outcome.verdict != "wrong", f"{outcome.detail}\n{text}\n{outcome.text}"


@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_random_programs_that_change_containers(seed):
    text = random_program(seed, containers=True, corners=True)
    outcome = check(text, seed)
    assert outcome.verdict != "wrong", f"{outcome.detail}\n{text}\n{outcome.text}"


@pytest.mark.long
@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_random_programs_of_try_statements(seed):
    text = attempts_program(seed)
    outcome = check_one(text, seed, "vjp")
    assert outcome.verdict != "wrong", f"{outcome.detail}\n{text}\n{outcome.text}"


def test_random_programs_change_every_container():
    text = "".join(random_program(seed, containers=True) for seed in range(300))
    changes = (
        *(".append(", ".insert(", ".extend(", ".pop(", ".sort(", ".reverse()", "del "),
        *(".update(", ".setdefault(", '["a"] +=', "self.h *=", ".w[1:] "),
        *("def __iadd__", "while len(", "[:] = [", "class Object1", ".path = "),
    )
    assert not [change for change in changes if change not in text]


def test_random_programs_are_the_same_for_a_seed():
    assert random_program(7) == random_program(7)


@pytest.mark.long
def test_derivatives_do_not_depend_on_the_hashes_of_names():
    """The same text in another process."""
    printed = []
    for hashes in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hashes}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.fuzz.texts", "--seed", "5"],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()) == 16


def test_random_programs_have_every_statement():
    found = set()
    for seed in range(500):
        found |= {type(node) for node in ast.walk(ast.parse(random_program(seed)))}
    expected = {
        *(ast.For, ast.While, ast.If, ast.Try, ast.With, ast.Match, ast.MatchOr),
        *(ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Yield, ast.Nonlocal),
        *(ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.NamedExpr, ast.IfExp),
        *(ast.Starred, ast.AugAssign, ast.AnnAssign, ast.FunctionDef, ast.MatchClass),
    }
    assert expected <= found, expected - found


def test_a_program_is_cut_to_smaller_ones():
    text = "def program(x):\n    for i in range(3):\n        x = x * x\n    return x\n"
    cut = list(smaller(text))
    assert all(len(candidate) < len(text) for candidate in cut)
    assert "def program(x):\n    x = x * x\n    return x" in cut


def test_the_way_of_failing_has_no_numbers():
    first = Outcome("wrong", "vjp: 1.5 where 2.5 was expected")
    second = Outcome("wrong", "vjp: 3.5 where 4.5 was expected")
    assert way_of(first) == way_of(second) == "vjp"


@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_random_programs_of_slices(seed):
    text = slices_program(seed)
    outcome = check(text, seed, only=ONE)
    assert outcome.verdict != "wrong", f"{outcome.detail}\n{text}\n{outcome.text}"


@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 2**32))
def test_random_programs_by_numba(seed):
    """Its text as Python."""
    pytest.importorskip("numba")
    text = slices_program(seed)
    outcome = check(text, seed, 60, only=ONE, backend=PYTHON)
    assert outcome.verdict != "wrong", f"{outcome.detail}\n{text}\n{outcome.text}"


def test_each_construct_is_drawn():
    """The list may only grow."""
    found = set()
    for seed in range(200):
        found |= constructs(random_program(seed, corners=True))
        found |= constructs(slices_program(seed))
    expected = {
        f"{kind}: {form}"
        for forms in FORMS.values()
        for kind, texts in forms.items()
        for form in texts
    }
    assert not expected - found
    kinds = Counter(name.split(":")[0] for name in found)
    for kind in ("variable", "parameter", "definition"):
        assert kinds[f"builtin as {kind}"] >= 5
        assert kinds[f"odd name as {kind}"] >= 5
        assert kinds[f"name of generated code as {kind}"] >= 5
        assert kinds[f"module's name as {kind}"] == 2
    for word in CALLED:
        assert any(name.endswith(f": {word}") for name in found), word


def test_programs_with_corners_run():
    """With other names they compute what they did before."""
    for seed in range(0, 20, 2):
        plain, other = Generator(seed), random_program(seed, corners=True)
        plain.corners = True
        results = []
        for text in (plain.program(), other):
            _, arguments = draw_arguments(text, seed)
            try:
                with np.errstate(all="ignore"):
                    results.append(load(text)["program"](*arguments))
            except (ArithmeticError, ValueError) as error:
                results.append(repr(error))
        np.testing.assert_equal(*results)
