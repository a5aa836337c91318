"""Run all benchmarks: ``make bench``, or ``python benchmarks/run.py --help``.

Prints the tables and writes them to ``benchmarks/RESULTS.md``, with the machine, the
versions and the date, and draws ``benchmarks/suite.svg``.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import pathlib
import platform
import subprocess
import sys
import tomllib
import warnings

# One thread; to be said before NumPy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"
os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from rich.console import Console

from benchmarks import compile, compile_growth, dispatch, golden, imports, suite
from benchmarks.cplusplus import make
from benchmarks.report import Table

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
CHART = "suite.svg"
PACKAGES = ("numba", "autograd", "advect", "torch", "jax", "casadi")
METHOD = """\
Written by `make bench`. The versions of a program run in turns in one process, with one
thread and without garbage collector; processor time is counted. A time is the median
over rounds, a ratio the median of the ratios within a round; each round takes the least
of a few batches of calls. The modules in `benchmarks/` say at their top what the
columns are. On a machine that others use too, ratios are what can be compared; the load
before the run is given below.

![Ratios of the suite](suite.svg)

Of the golden programs, small ones have arrays of about 10 elements, or loops of about
10 turns; large ones about 100,000 elements, or 1,000 turns. The suite's kernels stand
in `benchmarks/kernels/`, with their sources, the derivatives by hand and the versions
of the peers, in double precision. Every derivative was compared with the one by hand
before it was timed.
"""


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rounds", type=int, default=21, help="rounds of each comparison"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=suite.SECONDS,
        help="about so long each comparison of the suite takes",
    )
    parser.add_argument(
        "--output", type=pathlib.Path, default=RESULTS, help="the file to write"
    )
    options = parser.parse_args()
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    warnings.simplefilter("ignore")  # autograd's, about NumPy
    facts = machine()
    with console.status("") as status:

        def say(what: str) -> None:
            if console.is_terminal:
                status.update(what)
            else:
                print(what, file=sys.stderr, flush=True)

        rounds = options.rounds
        measured = suite.measure(say, seconds=options.seconds)
        tables = [
            *suite.tables(measured),
            *golden.tables(golden.measure(rounds, say)),
            *compile.tables(compile.measure(max(3, rounds // 3), say)),
            *compile_growth.tables(compile_growth.measure(say)),
            *imports.tables(imports.measure(rounds, say)),
            *dispatch.tables(dispatch.measure(3 * rounds)),
        ]
    suite.chart(measured.sizes[suite.SIZES[-1]], options.output.with_name(CHART))
    for table in (facts, *tables):
        table.show(console)
    blocks = ["# Benchmarks\n", METHOD, *(t.markdown() for t in (facts, *tables))]
    options.output.write_text("\n".join(blocks), encoding="utf-8")
    console.print(f"written to {options.output}", highlight=False)


def machine() -> Table:
    """The machine, the versions and the date."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = [
        ["date", datetime.date.today().isoformat()],
        ["processor", _processor()],
        ["cores", str(os.cpu_count())],
        ["system", f"{platform.system()} {platform.machine()}"],
        ["Python", f"{platform.python_version()} ({platform.python_implementation()})"],
        ["NumPy", importlib.metadata.version("numpy")],
        *([name, _version(name)] for name in PACKAGES),
        *([make.PACKAGES[peer], _debian(peer)] for peer in make.PACKAGES),
        ["g++", _output(make.COMPILER, "-dumpfullversion") or "not installed"],
        ["s2sad", project["project"]["version"]],
    ]
    if hasattr(os, "getloadavg"):
        rows.insert(3, ["load before the run", f"{os.getloadavg()[0]:.2f}"])
    return Table("Machine and versions", ("", ""), rows)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _debian(peer: str) -> str:
    """The version of a peer's Debian package, with the flags it is compiled with."""
    found = _output("dpkg-query", "--show", "-f", "${Version}", make.PACKAGES[peer])
    if not found or not make.is_current(peer):
        return "not installed"
    return f"{found}; {make.flags(peer)}"


def _output(*command: str) -> str:
    try:
        found = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return found.stdout.strip()


def _processor() -> str:
    """The name of the processor, as well as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    if sys.platform == "darwin":
        return _output("sysctl", "-n", "machdep.cpu.brand_string")
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
