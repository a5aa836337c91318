"""The suite: published problems by s2sad, by hand and by the peers, side by side.

    python -m benchmarks.suite --sizes large --kernels gaussian_mixture lstm

The derivatives of all versions are compared with the one derived by hand before
anything is timed; one that differs is an error for s2sad, and is left out of a peer's
column. All versions of a kernel run in turns on the same arguments (``measure.py``).

- function: the kernel itself
- s2sad: the generated function alone where there is one, else the call
- by hand: the adjoint statement by statement (``kernels/``)
- peers: ``kernels/peers_*.py``
- compile: s2sad's first call less a later one; JAX's likewise
- growth: the exponent p of seconds ~ n^p, fitted over three sizes, for the function and
  for s2sad's gradient
"""

from __future__ import annotations

import argparse
import math
import os
import pathlib
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
from benchmarks.kernels.peers import NAMES, PEERS, Unserved, version
from benchmarks.measure import Call, Times, clock, geometric_mean, interleaved
from benchmarks.report import Table, duration, times
from s2sad.codegen.cache import MEMORY
from tests.support.finite_differences import assert_trees_close, tree_leaves, tree_map

SIZES = ("small", "large")
GROWTH = ("small", "medium", "large")
SECONDS = 4.0
"""About so long each comparison takes."""
LONGEST = 1.0
"""A peer that would need more seconds a call, by its ratio at the size before, is left
out."""
SLOW = 1.25
"""Ratios to the derivative by hand above this one are listed."""


@dataclass(frozen=True)
class Measured:
    """What was measured of one kernel at one size."""

    kernel: Kernel
    times: Times
    compiling: dict[str, float] = field(default_factory=dict)
    unserved: dict[str, str] = field(default_factory=dict)

    def ratio(self, name: str, base: str = "by hand") -> float | None:
        """The ratio of two versions, if both were timed."""
        if name in self.times.rounds and base in self.times.rounds:
            return self.times.ratio(name, base)
        return None


@dataclass(frozen=True)
class Results:
    """All that was measured."""

    sizes: dict[str, list[Measured]]
    growth: dict[str, tuple[float, float]]
    """Exponents of the function and of s2sad's gradient."""


def measure(
    say: Callable[[str], None],
    *,
    sizes: Sequence[str] = SIZES,
    chosen: Sequence[str] = (),
    peers: Sequence[str] = PEERS,
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
    growth = {}
    for kernel in picked:
        say(f"{kernel.name}, growth")
        growth[kernel.name] = growth_of(kernel)
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
    compiling, unserved = {}, {}
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
    by_hand = _seconds(calls["by hand"])
    for peer in peers:
        if smaller is not None and (r := smaller.ratio(peer)) is not None:
            if r * by_hand > LONGEST:
                unserved[peer] = f"more than {LONGEST:.0f} s a call, by the small size"
                continue
        try:
            function, own = version(peer, kernel, arguments)
            compiling[peer], result = _first_call(function, own)
            check(tree_map(np.asarray, result), expected)
        except Unserved as error:
            unserved[peer] = str(error)
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            unserved[peer] = f"{type(error).__name__}: {lines[0][:100]}"
        else:
            calls[peer] = (function, own)
    once = sum(_seconds(call) for call in calls.values())
    rounds = int(min(15, max(3, seconds / max(3e-3 * len(calls), once))))
    batches = 3 if 3 * rounds * once < 2 * seconds else 2
    found = interleaved(calls, rounds=rounds, batches=batches)
    return Measured(kernel, found, compiling, unserved)


def check(found: Any, expected: Any) -> None:
    """Raise AssertionError where a derivative isn't the one by hand."""
    scale = max(float(np.max(np.abs(leaf))) for leaf in tree_leaves(expected))
    assert_trees_close(found, expected, rtol=1e-6, atol=1e-9 * max(1.0, scale))


def growth_of(kernel: Kernel) -> tuple[float, float]:
    """The fitted exponents of the function and of the gradient."""
    numbers = [kernel.sizes[size][0] for size in GROWTH]
    seconds: dict[str, list[float]] = {"function": [], "s2sad": []}
    for size in GROWTH:
        arguments = kernel.arguments(size)
        calls: dict[str, Call] = {
            "function": (kernel.function, arguments),
            "s2sad": (kernel.generated(arguments), arguments),
        }
        found = interleaved(calls, rounds=3, batches=1)
        for name in calls:
            seconds[name].append(found.seconds(name))
    x = np.log(numbers)
    one, other = (float(np.polyfit(x, np.log(s), 1)[0]) for s in seconds.values())
    return one, other


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


def tables(found: Results) -> list[Table]:
    """Ratios for each size; then compile times and growth."""
    made = [_ratios(size, measured) for size, measured in found.sizes.items()]
    return [*made, _compile_times(found)]


def _ratios(size: str, measured: Sequence[Measured]) -> Table:
    served = [p for p in PEERS if any(p in m.times.rounds for m in measured)]
    pairs = [("s2sad", "function"), ("s2sad", "by hand")]
    pairs += [(peer, "by hand") for peer in served]
    rows = []
    for m in measured:
        row = [m.kernel.name, ", ".join(map(str, m.kernel.sizes[size]))]
        row += [duration(m.times.seconds(v)) for v in ("function", "s2sad", "by hand")]
        row += [_times(m.ratio(*pair)) for pair in pairs]
        rows.append(row)
    means = ["geometric mean", "", "", "", ""]
    for pair in pairs:
        ratios = [r for m in measured if (r := m.ratio(*pair)) is not None]
        means.append(f"{times(geometric_mean(ratios))} ({len(ratios)})")
    return Table(
        f"The suite, {size}",
        (
            "kernel",
            "size",
            "function",
            "s2sad",
            "by hand",
            *(f"{NAMES.get(a, a)} / {b}" for a, b in pairs),
        ),
        rows,
        [means],
        _notes(measured),
    )


def _times(ratio: float | None) -> str:
    return "n/a" if ratio is None or math.isnan(ratio) else times(ratio)


def _notes(measured: Sequence[Measured]) -> list[str]:
    slow, lost = [], []
    for m in measured:
        ratio = m.ratio("s2sad")
        if ratio is not None and ratio > SLOW:
            slow.append(f"{m.kernel.name} ({times(ratio)})")
        faster = [
            f"{NAMES[peer]} ({times(r)})"
            for peer in PEERS
            if (r := m.ratio("s2sad", peer)) is not None and r > 1.0
        ]
        if faster:
            lost.append(f"{m.kernel.name}: {', '.join(faster)}")
    notes = [
        f"Derivatives that take more than {SLOW} times the one by hand: "
        + (", ".join(slow) or "none")
        + ".",
        "Where a peer is faster, with the time of s2sad in that of the peer: "
        + ("; ".join(lost) or "nowhere")
        + ".",
    ]
    forms = [
        f"{m.kernel.name} ({times(r)})"
        for m in measured
        if (r := m.ratio("s2sad", "closed form")) is not None
    ]
    if forms:
        notes.append(
            "Where algebra over several statements gives a shorter one, s2sad to "
            f"it: {', '.join(forms)}."
        )
    reasons: dict[str, list[str]] = {}
    for m in measured:
        for peer, reason in m.unserved.items():
            reasons.setdefault(f"{NAMES[peer]}: {reason}", []).append(m.kernel.name)
    for reason, names in reasons.items():
        notes.append(f"n/a: {reason}. {', '.join(names)}")
    return notes


def _compile_times(found: Results) -> Table:
    rows = []
    first = next(iter(found.sizes))  # later ones find some derivatives compiled
    for m in found.sizes[first]:
        jax = m.compiling["jax"] if "jax" in m.times.rounds else None
        own = found.growth[m.kernel.name]
        rows.append(
            [
                m.kernel.name,
                m.kernel.wanted,
                duration(m.compiling["s2sad"]),
                "n/a" if jax is None else duration(jax),
                *(f"{p:.2f}" for p in own),
            ]
        )
    return Table(
        "The suite: time to compile, growth with size",
        (
            "kernel",
            "derivative",
            "compile, s2sad",
            "compile, JAX",
            "growth of the function",
            "growth of s2sad's derivative",
        ),
        rows,
        notes=[
            "Growth is the exponent p of seconds ~ n^p fitted to the small, the medium "
            "and the large size, where n is the first number of the size.",
            "Compile times are those of the small size; the first of them has the "
            "loading of the compiler in it.",
        ],
    )


def chart(measured: Sequence[Measured], path: pathlib.Path) -> None:
    """Draw ratios to the derivative by hand: a line a kernel, a mark a version."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "s2sad"
    marks = {"s2sad": "o", "autograd": "s", "torch": "^", "jax": "D"}
    lines = [m for m in measured if m.ratio("s2sad") is not None][::-1]
    figure, axes = pyplot.subplots(figsize=(8.0, 0.24 * len(lines) + 1.4))
    for name, mark in marks.items():
        points = [
            (r, k) for k, m in enumerate(lines) if (r := m.ratio(name)) is not None
        ]
        if points:
            x, y = zip(*points)
            axes.plot(
                x,
                y,
                mark,
                label=NAMES.get(name, name),
                markersize=6 if name == "s2sad" else 5,
                alpha=0.85,
                zorder=3 if name == "s2sad" else 2,
            )
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(lines)), [m.kernel.name for m in lines], fontsize=8)
    axes.set_ylim(-0.7, len(lines) - 0.3)
    axes.set_xlabel("time of the derivative / time of the one by hand (less is better)")
    axes.grid(axis="both", linewidth=0.3)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, 1.06), ncols=4, frameon=False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--kernels", nargs="+", default=())
    parser.add_argument("--peers", nargs="*", default=PEERS)
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
