"""Reports: derivatives that were compared with what they should be."""

from dataclasses import dataclass

import numpy as np

_LISTED = 20
"""How many comparisons a report lists."""


@dataclass(frozen=True)
class Comparison:
    """One derivative that was compared with what it should be."""

    what: str
    """``"w[2, 0]"``, an element; or what a product was taken of."""
    derivative: complex
    expected: complex
    tolerance: float
    """The largest difference that rounding and truncation explain."""
    undecided: str = ""
    """Why the comparison decides nothing, if so."""
    mutual: bool = False
    """True for two derivatives of s2sad: they agree with each other, right or not."""

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
        return not self.undecided and self.error <= self.tolerance

    @property
    def verdict(self) -> str:
        """``"agrees"``, ``"wrong"`` or ``"undecided"``."""
        if self.undecided:
            return "undecided"
        return "agrees" if self.passed else "wrong"

    def __str__(self) -> str:
        mark = {"agrees": "ok", "wrong": "WRONG"}.get(self.verdict, "undecided")
        told = (
            f"{mark:5} {self.what}: {self.derivative:.10g}, expected "
            f"{self.expected:.10g} (error {self.error:.1e}, tolerance "
            f"{self.tolerance:.1e})"
        )
        return f"{told}: {self.undecided}" if self.undecided else told


@dataclass(frozen=True)
class Report:
    """What a check found. ``str(report)`` lists the comparisons that failed, and those
    that decided nothing."""

    name: str
    comparisons: tuple[Comparison, ...]

    @property
    def passed(self) -> bool:
        """Whether all comparisons agree, and there were some."""
        return bool(self.comparisons) and all(c.passed for c in self.comparisons)

    @property
    def failed(self) -> tuple[Comparison, ...]:
        """The comparisons that don't agree."""
        return tuple(c for c in self.comparisons if c.verdict == "wrong")

    @property
    def undecided(self) -> tuple[Comparison, ...]:
        """The comparisons that decided nothing."""
        return tuple(c for c in self.comparisons if c.undecided)

    @property
    def decides(self) -> bool:
        """Whether some derivative agrees with what it should be, or the arguments are
        empty: then there is none."""
        own = [c for c in self.comparisons if not c.mutual]
        return not own or any(c.passed for c in own)

    @property
    def largest_error(self) -> float:
        """The largest difference found where there was a decision."""
        decided = (c.error for c in self.comparisons if not c.undecided)
        return max(decided, default=0.0)

    def raise_if_failed(self) -> None:
        """Raise AssertionError if some derivative is wrong, or nothing was decided."""
        if self.failed or not self.decides:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        count = len(self.comparisons)
        agree = count - len(self.failed) - len(self.undecided)
        head = (
            f"{self.name}: {agree} of {count} agree, largest error "
            f"{self.largest_error:.1e}"
        )
        told = [*self.failed, *self.undecided]
        lines = [head, *(f"  {c}" for c in told[:_LISTED])]
        if len(told) > _LISTED:
            lines.append(f"  and {len(told) - _LISTED} more")
        return "\n".join(lines)
