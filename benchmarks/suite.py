"""The suite: published problems by s2sad, by hand and by the peers, side by side.

    python -m benchmarks.suite --sizes large --kernels gaussian_mixture lstm

The derivatives of all versions are compared with the one derived by hand before
anything is timed; one that differs is an error for s2sad, and is left out of a peer's
column. All versions of a kernel run in turns on the same arguments (``measure.py``).

- function: the kernel itself
- s2sad: the generated function alone where there is one, else the call
- s2sad numba: likewise with ``backend="numba"``; kernels whose own text the backend
  refuses run in one written for Numba where there is one (``kernels/numba_texts.py``)
- with value: the generated function for value and gradient together
- by hand: the adjoint statement by statement (``kernels/``)
- Numba by hand: the same under ``njit`` as it stands, where it compiles
- Numba loops by hand: in loops over numbers, as fast as a person writes them
  (``kernels/numba_by_hand*.py``)
- peers: ``kernels/peers_*.py``, each optional
- compile: the first call less a later one, behind the import; for peers with it what
  they build or convert beforehand
- growth: the exponent p of seconds ~ n^p, fitted over three sizes
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

# One thread; to be said before NumPy is imported.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from rich.console import Console

from benchmarks.kernels import all_kernels
from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import (
    BACKENDS,
    PEERS,
    WRITTEN_OUT,
    Unserved,
    module_of,
    version,
)
from benchmarks.measure import Call, clock, interleaved
from benchmarks.suite_chart import chart
from benchmarks.suite_results import Measured, Results
from benchmarks.suite_tables import tables
from s2sad.dispatch.cache import MEMORY
from tests.support.finite_differences import assert_trees_close, tree_leaves, tree_map

SIZES = ("small", "large")
GROWTH = ("small", "medium", "large")
SECONDS = 4.0
"""About so long each comparison takes."""
LONGEST = 1.0
"""A peer that would need more seconds a call, by its ratio at the size before, is left
out."""
LONGEST_BUILDING = 10.0
"""So is one that would need more seconds to build what it calls."""
ALL = (*BACKENDS, *PEERS)


def measure(
    say: Callable[[str], None],
    *,
    sizes: Sequence[str] = SIZES,
    chosen: Sequence[str] = (),
    peers: Sequence[str] = ALL,
    seconds: float = SECONDS,
) -> Results:
    """Time the kernels; ``chosen`` picks those whose names begin in one of these ways,
    and ``say`` is told which one is next."""
    warnings.simplefilter("ignore")
    picked = [
        kernel
        for name, kernel in all_kernels().items()
        if not chosen or name.startswith(tuple(chosen))
    ]
    found: dict[str, list[Measured]] = {}
    before: dict[str, Measured] = {}
    for size in sizes:
        found[size] = []
        for kernel in picked:
            say(f"{kernel.name}, {size}")
            one = measure_kernel(kernel, size, peers, seconds, before.get(kernel.name))
            found[size].append(one)
            before[kernel.name] = one
            versions = [v for v in one.times.rounds if v != "by hand"]
            say(" ".join(f"{v} {one.ratio(v):.2f}" for v in versions))
    growth: dict[str, dict[str, float]] = {}
    for kernel in picked:
        say(f"{kernel.name}, growth")
        last = before.get(kernel.name)
        timed = [b for b in BACKENDS if last is not None and b in last.times.rounds]
        growth[kernel.name] = growth_of(kernel, timed)
    return Results(found, growth)


def measure_kernel(
    kernel: Kernel,
    size: str,
    peers: Sequence[str],
    seconds: float,
    smaller: Measured | None = None,
) -> Measured:
    """Compare all versions, then time them. What was measured at a smaller size tells
    which peers take too long."""
    arguments = kernel.arguments(size)
    expected = kernel.by_hand(*arguments)
    compiling: dict[str, float] = {}
    unserved: dict[str, str] = {}
    remarks: dict[str, str] = {}
    if smaller is None:  # its times to compile are those that are told
        MEMORY.clear()
    called = kernel.called()
    compiling["s2sad"], result = _first_call(called, arguments)
    check(result, expected)
    calls: dict[str, Call] = {
        "function": (kernel.function, arguments),
        "s2sad": (kernel.generated(arguments), arguments),
        "by hand": (kernel.by_hand, arguments),
    }
    if kernel.closed_form is not None:
        calls["closed form"] = (kernel.closed_form, arguments)
    with_value = kernel.with_value(arguments)
    if with_value is not None:
        calls["with value"] = (with_value, arguments)
    by_hand = _seconds(calls["by hand"])
    for peer in peers:
        if smaller is not None and (reason := _too_long(peer, smaller, size, by_hand)):
            unserved[peer] = reason
            continue
        try:
            module_of(peer)
            start = clock()
            function, own, remark = version(peer, kernel, arguments)
            building = clock() - start
            calling, result = _first_call(function, own)
            check(tree_map(np.asarray, result), expected)
        except Unserved as error:
            unserved[peer] = str(error)
        except Exception as error:
            if peer in BACKENDS:
                raise
            lines = str(error).strip().splitlines() or [""]
            unserved[peer] = f"{type(error).__name__}: {lines[0][:100]}"
        else:
            calls[peer] = (function, own)
            compiling[peer] = building + calling
            if remark:
                remarks[peer] = remark
    once = sum(_seconds(call) for call in calls.values())
    rounds = int(min(15, max(3, seconds / max(3e-3 * len(calls), once))))
    batches = 3 if 3 * rounds * once < 2 * seconds else 2
    found = interleaved(calls, rounds=rounds, batches=batches)
    return Measured(kernel, found, compiling, unserved, remarks)


def _too_long(peer: str, smaller: Measured, size: str, by_hand: float) -> str:
    """Why a peer isn't tried at a larger size, if so."""
    ratio = smaller.ratio(peer)
    if ratio is not None and ratio * by_hand > LONGEST:
        return f"more than {LONGEST:.0f} s a call, by the small size"
    if peer in WRITTEN_OUT and peer in smaller.compiling:
        sizes = smaller.kernel.sizes
        growth = sizes[size][0] / sizes[SIZES[0]][0]
        if growth * smaller.compiling[peer] > LONGEST_BUILDING:
            return f"more than {LONGEST_BUILDING:.0f} s to build, by the small size"
    return ""


def check(found: Any, expected: Any) -> None:
    """Raise AssertionError where a derivative isn't the one by hand."""
    scale = max(float(np.max(np.abs(leaf))) for leaf in tree_leaves(expected))
    assert_trees_close(found, expected, rtol=1e-6, atol=1e-9 * max(1.0, scale))


def growth_of(kernel: Kernel, backends: Sequence[str]) -> dict[str, float]:
    """The fitted exponents of the function and of s2sad's derivatives."""
    calls: dict[tuple[str, str], Call] = {}
    for size in GROWTH:
        arguments = kernel.arguments(size)
        calls["function", size] = (kernel.function, arguments)
        calls["s2sad", size] = (kernel.generated(arguments), arguments)
        for backend in backends:
            calls[backend, size] = version(backend, kernel, arguments)[:2]
    found = interleaved(calls, rounds=3, batches=1)
    x = np.log([kernel.sizes[size][0] for size in GROWTH])
    growth = {}
    for name in ("function", "s2sad", *backends):
        seconds = [found.seconds((name, size)) for size in GROWTH]
        growth[name] = float(np.polyfit(x, np.log(seconds), 1)[0])
    return growth


def _first_call(function: Any, arguments: tuple[Any, ...]) -> tuple[float, Any]:
    start = clock()
    result = function(*arguments)
    first = clock() - start
    return max(0.0, first - _seconds((function, arguments))), result


def _seconds(call: Call) -> float:
    function, arguments = call
    start = clock()
    function(*arguments)
    return clock() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--kernels", nargs="+", default=())
    parser.add_argument("--peers", nargs="*", default=ALL)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--chart", type=pathlib.Path, help="the SVG file to draw")
    options = parser.parse_args()
    console = Console(width=180, stderr=False)
    found = measure(
        lambda what: print(what, file=sys.stderr, flush=True),
        sizes=options.sizes,
        chosen=options.kernels,
        peers=options.peers,
        seconds=options.seconds,
    )
    for table in tables(found):
        table.show(console)
    if options.chart:
        chart(list(found.sizes.values())[-1], options.chart)


if __name__ == "__main__":
    main()
