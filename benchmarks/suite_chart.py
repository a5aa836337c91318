"""The chart of the suite."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

from benchmarks.kernels.peers import NAMES
from benchmarks.suite_results import OWN, Measured

MARKS = {
    "s2sad": "o",
    "s2sad_numba": "*",
    "numba": "v",
    "numba_loops": "<",
    "autograd": "s",
    "advect": "h",
    "torch": "^",
    "jax": "D",
    "casadi": "P",
    "adolc": "X",
    "sacado": "p",
}


def chart(measured: Sequence[Measured], path: pathlib.Path) -> None:
    """Draw ratios to the derivative by hand: a line a kernel, a mark a version."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "s2sad"
    lines = [m for m in measured if m.ratio("s2sad") is not None][::-1]
    figure, axes = pyplot.subplots(figsize=(8.0, 0.24 * len(lines) + 1.4))
    for name, mark in MARKS.items():
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
                markersize=7 if name in OWN else 4.5,
                alpha=0.8,
                zorder=3 if name in OWN else 2,
            )
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(lines)), [m.kernel.name for m in lines], fontsize=8)
    axes.set_ylim(-0.7, len(lines) - 0.3)
    axes.set_xlabel("time of the derivative / time of the one by hand (less is better)")
    axes.grid(axis="both", linewidth=0.3)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=4, frameon=False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
