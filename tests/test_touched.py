"""``make test-quick`` runs the tests of what changed, the nearest first, and says what
it leaves out."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from tests.touched import ROOT, Budget, chosen, files_of_tests, imports_of

NEAREST = {
    "s2sad/optimise/products/products.py": "tests/optimise/test_products.py",
    "s2sad/analysis/dataflow/liveness.py": "tests/analysis/test_liveness.py",
    "tests/transform/test_webs.py": "tests/transform/test_webs.py",
    "docs/design.md": "tests/docs/test_docs.py",
    "examples/digits.py": "tests/examples/test_examples.py",
    "s2sad/api.py": "tests/test_api.py",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", NEAREST)
def test_the_nearest_comes_first(path):
    assert (ROOT / path).exists()
    assert chosen([path])[0] == NEAREST[path]


def test_a_change_of_the_compiler_reaches_importers_its_folder_and_the_whole():
    order = chosen(["s2sad/optimise/pipeline.py"])
    places = [
        order.index(name)
        for name in (
            "s2sad/optimise/pipeline.py",  # its doctests
            "tests/benchmarks/test_switches.py",  # imports it
            "tests/optimise/test_products.py",  # lies in the mirror of its folder
            "tests/golden/test_golden.py",
        )
    ]
    assert places == sorted(places)
    assert len(order) == len(set(order))


def test_helpers_reach_the_tests_that_import_them():
    found = chosen(["tests/support/dual_arrays.py"])
    assert "tests/frontend/test_comprehensions.py" in found  # by way of two others
    assert "tests/ir/test_text.py" not in found
    assert "tests.support.dual_arrays" in imports_of("tests/fuzz/test_checking.py")


def test_every_folder_of_the_package_is_mirrored_or_imported():
    for path in (ROOT / "s2sad").rglob("*.py"):
        name = path.relative_to(ROOT).as_posix()
        assert any(test in files_of_tests() for test in chosen([name])), name


def test_what_has_no_tests_gives_none():
    assert chosen(["LICENSE", "tests/golden/generated/mlp_grad.py"]) == []


def test_tests_are_left_out_when_the_time_is_over():
    budget = Budget(1.5, itertools.count(7).__next__)
    items = [SimpleNamespace(nodeid=f"tests/{f}.py::test") for f in "aabbc"]
    assert [budget.pytest_runtest_protocol(i) for i in items] == [
        *(None, None),
        *(True, True, True),
    ]
    assert budget.told().splitlines() == [
        "2 of 5 tests that the change touches were run",
        "left out, since the time was over:",
        "  tests/b.py: 2",
        "  tests/c.py: 1",
    ]
