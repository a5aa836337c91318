"""The tables of the suite: s2sad beside what is written by hand, all versions side by
side, times to compile and growth with size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from benchmarks.kernels.peers import NAMES, PEERS
from benchmarks.measure import geometric_mean
from benchmarks.report import Table, duration, times
from benchmarks.suite_goals import goals
from benchmarks.suite_results import OWN, Measured, Results

SLOW = 1.25
"""Ratios to the derivative by hand above this one are listed."""
COMPILING = ("s2sad", "s2sad_numba", "jax", "casadi", "adolc")
"""Versions whose time to compile is a column."""

Ratio = tuple[str, Callable[[Measured], float | None]]
"""A column: its heading, and the ratio in it."""


def tables(found: Results) -> list[Table]:
    """The goals; two tables for each size; then compile times and growth."""
    made = [goals(found)]
    for size, measured in found.sizes.items():
        made += [_by_hand(size, measured), _side_by_side(size, measured)]
    return [*made, _compile_times(found), _growth(found)]


def _name(version: str) -> str:
    return NAMES.get(version, version)


def _of(name: str, base: str) -> Ratio:
    return f"{_name(name)} / {_name(base)}", lambda m: m.ratio(name, base)


def _timed(measured: Sequence[Measured], versions: Sequence[str]) -> list[str]:
    """Those that were timed in any of the kernels."""
    return [v for v in versions if any(v in m.times.rounds for m in measured)]


def _with_means(
    measured: Sequence[Measured], ratios: Sequence[Ratio], before: int
) -> tuple[list[list[str]], list[str]]:
    """The cells of ratios, and the row of geometric means behind ``before`` columns."""
    cells = [[_times(of(m)) for _, of in ratios] for m in measured]
    means = ["geometric mean", *[""] * (before - 1)]
    for _, of in ratios:
        known = [r for m in measured if (r := of(m)) is not None]
        means.append(f"{_times(geometric_mean(known))} ({len(known)})")
    return cells, means


def _times(ratio: float | None) -> str:
    return "n/a" if ratio is None or math.isnan(ratio) else times(ratio)


def _seconds(m: Measured, version: str) -> str:
    return duration(m.times.seconds(version)) if version in m.times.rounds else "n/a"


def _by_hand(size: str, measured: Sequence[Measured]) -> Table:
    numba = _timed(measured, ("s2sad_numba", "numba", "numba_loops"))
    clocked = ["function", "s2sad", "by hand", *numba]
    ratios = [_of("s2sad", "function"), _of("with value", "function")]
    ratios.append(_of("s2sad", "by hand"))
    if numba:
        ratios.append(_of("s2sad_numba", "numba"))
        ratios.append(_of("s2sad_numba", "numba_loops"))
    cells, means = _with_means(measured, ratios, 2 + len(clocked))
    rows = [
        [
            m.kernel.name,
            ", ".join(map(str, m.kernel.sizes[size])),
            *(_seconds(m, version) for version in clocked),
            *own,
        ]
        for m, own in zip(measured, cells)
    ]
    headings = ("kernel", "size", *map(_name, clocked), *(name for name, _ in ratios))
    return Table(
        f"The suite, {size}: s2sad and by hand",
        headings,
        rows,
        [means],
        _notes_by_hand(measured),
    )


def _notes_by_hand(measured: Sequence[Measured]) -> list[str]:
    slow, slow_numba, forms, rewritten = [], [], [], []
    for m in measured:
        if (r := m.ratio("s2sad")) is not None and r > SLOW:
            slow.append(f"{m.kernel.name} ({times(r)})")
        if (r := m.ratio("s2sad_numba", "numba")) is not None and r > SLOW:
            slow_numba.append(f"{m.kernel.name} ({times(r)})")
        if (r := m.ratio("s2sad", "closed form")) is not None:
            forms.append(f"{m.kernel.name} ({times(r)})")
        if "s2sad_numba" in m.remarks:
            rewritten.append(m.kernel.name)
    notes = [
        f"Derivatives that take more than {SLOW} times the one by hand: "
        + (", ".join(slow) or "none")
        + "."
    ]
    if _timed(measured, ("s2sad_numba",)):
        notes.append(
            f"Under Numba, those that take more than {SLOW} times Numba by hand: "
            + (", ".join(slow_numba) or "none")
            + "."
        )
    if rewritten:
        notes.append(
            "Kernels in a text written for Numba, whose own one the backend refuses: "
            + ", ".join(rewritten)
            + "."
        )
    if forms:
        notes.append(
            "Where algebra over several statements gives a shorter one, s2sad to "
            f"it: {', '.join(forms)}."
        )
    return notes


def _side_by_side(size: str, measured: Sequence[Measured]) -> Table:
    versions = _timed(measured, (*OWN, *PEERS))
    cells, means = _with_means(measured, [_of(v, "by hand") for v in versions], 1)
    rows = [[m.kernel.name, *own] for m, own in zip(measured, cells)]
    return Table(
        f"The suite, {size}: all versions, each over the NumPy derivative by hand",
        ("kernel", *map(_name, versions)),
        rows,
        [means],
        _notes_side_by_side(measured, versions),
    )


def _notes_side_by_side(
    measured: Sequence[Measured], versions: Sequence[str]
) -> list[str]:
    notes = []
    for peer in (v for v in versions if v in PEERS):
        ratios = [(m, r) for m in measured if (r := m.better(peer)) is not None]
        if not ratios:
            continue
        slower = [f"{m.kernel.name} ({times(r)})" for m, r in ratios if r > 1.0]
        mean = times(geometric_mean(r for _, r in ratios))
        notes.append(
            f"The better of s2sad's backends takes {mean} times as long as "
            f"{_name(peer)} (geometric mean of {len(ratios)}); longer than it in: "
            + (", ".join(slower) or "none")
            + "."
        )
    reasons: dict[str, list[str]] = {}
    remarks: dict[str, list[str]] = {}
    for m in measured:
        for version, reason in m.unserved.items():
            reasons.setdefault(f"{_name(version)}: {reason}", []).append(m.kernel.name)
        for version, remark in m.remarks.items():
            if version not in OWN:
                what = f"{_name(version)}: {remark}"
                remarks.setdefault(what, []).append(m.kernel.name)
    for what, names in remarks.items():
        notes.append(f"{what}. {', '.join(names)}")
    for what, names in reasons.items():
        listed = "all" if len(names) == len(measured) else ", ".join(names)
        notes.append(f"n/a: {what}. {listed}")
    return notes


def _compile_times(found: Results) -> Table:
    first = next(iter(found.sizes))  # later ones find some derivatives compiled
    measured = found.sizes[first]
    versions = [v for v in COMPILING if any(v in m.compiling for m in measured)]
    rows = []
    for m in measured:
        own = (m.compiling.get(version) for version in versions)
        cells = ("n/a" if c is None else duration(c) for c in own)
        rows.append([m.kernel.name, m.kernel.wanted, *cells])
    return Table(
        "The suite: time to compile",
        ("kernel", "derivative", *map(_name, versions)),
        rows,
        notes=[
            "The first call less a later one, at the small size, with what is built "
            "before it: CasADi's graph, ADOL-C's tape. The first of a column has the "
            "loading of the compiler in it."
        ],
    )


def _growth(found: Results) -> Table:
    timed = {name for own in found.growth.values() for name in own}
    versions = [v for v in ("function", *OWN) if v in timed]
    rows = []
    for name, own in found.growth.items():
        cells = (f"{own[v]:.2f}" if v in own else "n/a" for v in versions)
        rows.append([name, *cells])
    return Table(
        "The suite: growth with size",
        ("kernel", *map(_name, versions)),
        rows,
        notes=[
            "The exponent p of seconds ~ n^p fitted to the small, the medium and the "
            "large size, where n is the first number of the size."
        ],
    )
