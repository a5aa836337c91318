"""Reports: derivatives that were compared with what they should be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Comparison:
    """One derivative that was compared with what it should be."""

    what: str
    """``"w[2, 0]"``, an element; or what a product was taken of."""
    derivative: complex
    expected: complex
    tolerance: float
    """The largest difference that rounding and truncation explain."""

    @property
    def error(self) -> float:
        """The difference; infinite where just one of the two is finite."""
        if np.isfinite(self.derivative) and np.isfinite(self.expected):
            return float(abs(self.derivative - self.expected))
        same = self.derivative == self.expected
        both = np.isnan(self.derivative) and np.isnan(self.expected)
        return 0.0 if same or both else float("inf")

    @property
    def passed(self) -> bool:
        """Whether the two agree."""
        return self.error <= self.tolerance

    def __str__(self) -> str:
        mark = "ok" if self.passed else "WRONG"
        return (
            f"{mark:5} {self.what}: {self.derivative:.10g}, expected "
            f"{self.expected:.10g} (error {self.error:.1e})"
        )


@dataclass(frozen=True)
class Report:
    """What a check found. ``str(report)`` lists the comparisons that failed."""

    name: str
    comparisons: tuple[Comparison, ...]

    @property
    def passed(self) -> bool:
        """Whether all comparisons agree, and there were some."""
        return bool(self.comparisons) and not self.failed

    @property
    def failed(self) -> tuple[Comparison, ...]:
        """The comparisons that don't agree."""
        return tuple(c for c in self.comparisons if not c.passed)

    @property
    def largest_error(self) -> float:
        """The largest difference found."""
        return max((c.error for c in self.comparisons), default=0.0)

    def raise_if_failed(self) -> None:
        """Raise AssertionError with the comparisons that don't agree."""
        if not self.passed:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        count = len(self.comparisons)
        head = (
            f"{self.name}: {count - len(self.failed)} of {count} agree, largest error "
            f"{self.largest_error:.1e}"
        )
        return "\n".join([head, *(f"  {c}" for c in self.failed)])
