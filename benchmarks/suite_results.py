"""What the suite measures."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.kernels.kernel import Kernel
from benchmarks.measure import Times

OWN = ("s2sad", "s2sad_numba")
"""s2sad's backends."""


@dataclass(frozen=True)
class Measured:
    """What was measured of one kernel at one size."""

    kernel: Kernel
    times: Times
    compiling: dict[str, float] = field(default_factory=dict)
    unserved: dict[str, str] = field(default_factory=dict)
    """Why there is no time, by version."""
    remarks: dict[str, str] = field(default_factory=dict)
    """In what a version differs from the kernel."""

    def ratio(self, name: str, base: str = "by hand") -> float | None:
        """The ratio of two versions, if both were timed."""
        if name in self.times.rounds and base in self.times.rounds:
            return self.times.ratio(name, base)
        return None

    def better(self, base: str) -> float | None:
        """The ratio of the better of s2sad's backends to another version."""
        ratios = [r for own in OWN if (r := self.ratio(own, base)) is not None]
        return min(ratios, default=None)


@dataclass(frozen=True)
class Results:
    """All that was measured."""

    sizes: dict[str, list[Measured]]
    growth: dict[str, dict[str, float]]
    """Exponents by kernel, of the function and of s2sad's derivatives."""
