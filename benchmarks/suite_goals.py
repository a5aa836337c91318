"""What the suite's ratios should be, and where they aren't. ``GOALS.md`` says why, for
each kernel that is named, and what was tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.measure import geometric_mean
from benchmarks.report import Table, times
from benchmarks.suite_results import Measured, Results

Ratio = Callable[[Measured], float | None]


@dataclass(frozen=True)
class Goal:
    """A bound on a ratio of each kernel, or on the geometric mean of all."""

    what: str
    most: float
    ratio: Ratio
    """None for a kernel that the goal doesn't speak of, or where a time lacks."""
    of_mean: bool = False

    def stand(self, measured: list[Measured]) -> str:
        """How the goal stands at one size."""
        ratios = [(m, r) for m in measured if (r := self.ratio(m)) is not None]
        if not ratios:
            return "n/a"
        mean = times(geometric_mean(r for _, r in ratios))
        if self.of_mean:
            met = geometric_mean(r for _, r in ratios) <= self.most
            return f"{'met' if met else 'missed'}: {mean} ({len(ratios)})"
        missed = [f"{m.kernel.name} {times(r)}" for m, r in ratios if r > self.most]
        where = ": " + ", ".join(missed) if missed else ""
        return f"{len(ratios) - len(missed)} of {len(ratios)}{where}"


def _of(name: str, base: str) -> Ratio:
    return lambda m: m.ratio(name, base)


def _better(base: str) -> Ratio:
    return lambda m: m.better(base)


def _where(condition: Callable[[Measured], bool], ratio: Ratio) -> Ratio:
    return lambda m: ratio(m) if condition(m) else None


def _in_loops(m: Measured) -> bool:
    return m.kernel.over_numbers


def _vectorised(m: Measured) -> bool:
    return not m.kernel.over_numbers


def _products(m: Measured) -> bool:
    return m.kernel.products_dominate


def _no_products(m: Measured) -> bool:
    return not m.kernel.products_dominate


def _bundle(m: Measured) -> bool:
    return m.kernel.name == "bundle_adjustment"


GOALS = (
    Goal("s2sad / by hand, mean", 1.10, _of("s2sad", "by hand"), of_mean=True),
    Goal("s2sad / by hand, each", 1.25, _of("s2sad", "by hand")),
    Goal(
        "value and gradient / function, vectorised",
        3.0,
        _where(_vectorised, _of("with value", "function")),
    ),
    Goal(
        "value and gradient / function, loops over numbers",
        5.0,
        _where(_in_loops, _of("with value", "function")),
    ),
    Goal("s2sad numba / Numba by hand", 1.2, _of("s2sad_numba", "numba")),
    Goal("better backend / JAX jit", 1.0, _better("jax")),
    Goal(
        "better backend / JAX jit, loops over numbers",
        1 / 3,
        _where(_in_loops, _better("jax")),
    ),
    Goal("better backend / JAX jit, bundle", 1 / 8, _where(_bundle, _better("jax"))),
    Goal(
        "better backend / HIPS autograd, loops over numbers",
        1 / 50,
        _where(_in_loops, _better("autograd")),
    ),
    Goal("better backend / PyTorch", 1.0, _where(_no_products, _better("torch"))),
    Goal(
        "better backend / PyTorch, matrix products",
        1.1,
        _where(_products, _better("torch")),
    ),
)


def goals(found: Results) -> Table:
    """Each goal, and how it stands at each size."""
    rows = [
        [
            goal.what,
            times(goal.most),
            *(goal.stand(measured) for measured in found.sizes.values()),
        ]
        for goal in GOALS
    ]
    return Table(
        "The suite: goals",
        ("ratio", "at most", *found.sizes),
        rows,
        notes=["[GOALS.md](GOALS.md) has the cause of each miss, and what was tried."],
    )
