"""The peers of the suite: what is missing is said, what is there gives the derivative
by hand."""

import importlib

import numpy as np
import pytest

from benchmarks import suite, suite_tables
from benchmarks.cplusplus import make
from benchmarks.kernels import all_kernels, numba_by_hand, numba_by_hand_blocks
from benchmarks.kernels.peers import NAMES, Unserved, version
from benchmarks.report import times

KERNELS = all_kernels()


def checked(peer, name):
    """The remark of a peer's version; its derivative is compared with that by hand."""
    kernel = KERNELS[name]
    arguments = kernel.arguments("tiny", seed=3)
    found = version(peer, kernel, arguments)
    for _ in range(2):  # what is kept from one call to the next does no harm
        suite.check(found.function(*found.arguments), kernel.by_hand(*arguments))
    return found.remark


WRITTEN = {**numba_by_hand.WRITTEN, **numba_by_hand_blocks.WRITTEN}


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", WRITTEN)
def test_loops_for_numba_are_the_derivative_by_hand(name):
    checked("numba_loops", name)


def test_numba_by_hand_compiles_what_stands():
    """As it stands, in loops of the kernel's own module, and in loops of its own."""
    for name in ("rosenbrock_in_a_loop", "black_scholes", "least_squares_in_loops"):
        checked("numba", name)
    with pytest.raises(Unserved, match="doesn't compile as it stands"):
        checked("numba", "hand_tracking_simple")


@pytest.mark.long
def test_s2sad_under_numba():
    assert checked("s2sad_numba", "scalar_loop") == ""
    assert checked("s2sad_numba", "bundle_adjustment") == "written for Numba"
    with pytest.raises(Unserved, match="Jacobians are those of the NumPy backend"):
        checked("s2sad_numba", "hand_tracking_simple")


def test_peers_in_cplusplus():
    compiled = [peer for peer in make.PACKAGES if make.is_current(peer)]
    if not compiled:
        pytest.skip("no peer in C++ is compiled")
    for peer in compiled:
        for name in ("gaussian_mixture", "bundle_adjustment"):
            assert "-O3" in checked(peer, name)


def test_casadi():
    casadi = pytest.importorskip("benchmarks.kernels.peers_casadi")
    for name in (*casadi.WRITTEN, *casadi.AS_THEY_STAND, "bundle_adjustment"):
        checked("casadi", name)


@pytest.mark.long
def test_missing_packages_are_said(monkeypatch, tmp_path):
    """The suite runs without any peer."""
    loaded = importlib.import_module

    def import_module(name, *more):
        if ".peers_" in name:
            raise ImportError(name)
        return loaded(name, *more)

    monkeypatch.setattr(importlib, "import_module", import_module)
    monkeypatch.setattr(suite, "GROWTH", ("tiny", "small"))
    found = suite.measure(
        lambda what: None, sizes=["tiny"], chosen=["rosenbrock_in"], seconds=0.01
    )
    (measured,) = found.sizes["tiny"]
    assert measured.unserved == {p: f"{NAMES[p]} is not installed" for p in suite.ALL}
    made = suite_tables.tables(found)
    titles = ["goals", "s2sad and by hand", "all versions", "time to compile", "growth"]
    assert all(want in table.title for want, table in zip(titles, made))
    assert "n/a: CasADi: CasADi is not installed. all" in made[2].markdown()
    suite.chart(list(found.sizes["tiny"]), tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text().count("rosenbrock_in_a_loop") == 1


def test_missing_compiler_and_package_are_said(monkeypatch, tmp_path):
    monkeypatch.setattr(make, "FOLDER", tmp_path)
    (tmp_path / "adolc.cpp").write_text("#include <no_such_header.hpp>\n")
    with pytest.raises(make.Missing, match=r"apt-get install (libadolc-dev|g\+\+)"):
        make.compile_peer("adolc")
    monkeypatch.setattr(make, "COMPILER", "no-such-compiler")
    with pytest.raises(make.Missing, match="there is no no-such-compiler"):
        make.compile_peer("adolc")
    assert not make.is_current("adolc")


def test_a_wrong_derivative_is_an_error_for_s2sad_alone(monkeypatch):
    def wrong(peer, kernel, arguments):
        return lambda *_: np.zeros_like(arguments[0]), arguments, ""

    kernel = KERNELS["rosenbrock"]
    monkeypatch.setattr(suite, "version", wrong)
    monkeypatch.setattr(suite, "module_of", lambda peer: None)
    measured = suite.measure_kernel(kernel, "tiny", ["jax"], 0.01)
    assert "AssertionError" in measured.unserved["jax"]
    with pytest.raises(AssertionError):
        suite.measure_kernel(kernel, "tiny", ["s2sad_numba"], 0.01)


def test_small_ratios_keep_two_digits():
    assert [times(r) for r in (12.345, 0.1, 0.0996, 0.00042)] == [
        "12.35",
        "0.10",
        "0.100",
        "0.00042",
    ]
