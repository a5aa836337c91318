"""The generated gradients of some of the programs, read and kept.

``pytest --update-golden`` rewrites the texts in ``generated``.
"""

from __future__ import annotations

import difflib
import pathlib

import pytest

from tests.programs.registry import all_programs
from tests.support.compiled import compiled

GENERATED = pathlib.Path(__file__).parent / "generated"
PROGRAMS = all_programs()
TEXTS = (
    "epidemiology.harvested_map",
    "finance.black_scholes",
    "finance.garch_likelihood",
    "in_place_solvers.american_put",
    "in_place_solvers.cholesky_in_place",
    "in_place_solvers.heat_ping_pong",
    "in_place_solvers.householder_qr",
    "integrators.adaptive_heun",
    "integrators.leapfrog_energy",
    "optimisation.line_search",
    "physics.projectile",
    "quadrature.adaptive_simpson",
    "graphs.page_rank",
    "graphs.smoothness",
    "signals.spectral_centroid",
    "simulations.streaming_statistics",
    "solvers.bisection_then_newton",
    "solvers.newton_root",
    "statistics.gaussian_mixture",
    "tables.forward_algorithm",
    "tables.soft_histogram",
)


@pytest.mark.written_out
@pytest.mark.sampled(6, of_long=1)
@pytest.mark.parametrize("name", TEXTS)
def test_the_text_is_the_one_we_read(name, request):
    program = PROGRAMS[name]
    text = compiled("gradient", program.function, program.arguments, program.wrt).text
    golden = GENERATED / f"{name.replace('.', '_')}_grad.py"
    if request.config.getoption("--update-golden"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    expected = golden.read_text() if golden.exists() else ""
    old, new = expected.splitlines(), text.splitlines()
    difference = difflib.unified_diff(old, new, "golden", "now", lineterm="")
    assert text == expected, "\n".join(difference)


def test_no_text_is_left_over():
    kept = {path.stem for path in GENERATED.glob("*.py")}
    assert kept == {f"{name.replace('.', '_')}_grad" for name in TEXTS}
