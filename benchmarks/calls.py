"""What calls cost that stay calls, against the same program with its calls written out:
``python -m benchmarks.calls``.

The programs are of helpers, as people write them. Each gradient is compiled with calls
written out; as if the program were too long for that and called each function at
several places, so that all but the shortest functions are called; and with every call
kept. All take turns, and are compared before.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.measure import interleaved
from s2sad import grad
from s2sad.frontend.specialise.recursion import kept_calls

AIM = 1.25
"""How much longer a gradient may take whose calls stay calls."""


def slope(x: float, v: float, k: float) -> tuple[float, float]:
    return v, -k * math.sin(x) - 0.1 * v * abs(v)


def runge_kutta_step(x: float, v: float, k: float, h: float) -> tuple[float, float]:
    a1, b1 = slope(x, v, k)
    a2, b2 = slope(x + 0.5 * h * a1, v + 0.5 * h * b1, k)
    a3, b3 = slope(x + 0.5 * h * a2, v + 0.5 * h * b2, k)
    a4, b4 = slope(x + h * a3, v + h * b3, k)
    x += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    v += h / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
    return x, v


def pendulum(x: float, v: float, k: float, n: int) -> float:
    for _ in range(n):
        x, v = runge_kutta_step(x, v, k, 0.05)
    return x * x + v * v


def layer(w: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    h = x @ w + b
    return np.where(h > 0.0, h, 0.1 * h)


def network(w: np.ndarray, b: np.ndarray, x: np.ndarray) -> float:
    for k in range(len(w)):
        x = layer(w[k], b[k], x)
    return np.sum(x * x)


def normal_cdf(x: float) -> float:
    t = 1.0 / (1.0 + 0.2316419 * abs(x))
    tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * -1.821255978)))
    tail *= 0.3989422804 * math.exp(-0.5 * x * x)
    if x < 0.0:
        return tail
    return 1.0 - tail


def option(spot: float, strike: float, sigma: float, time: float) -> float:
    width = sigma * math.sqrt(time)
    d = math.log(spot / strike) / width + 0.5 * width
    return spot * normal_cdf(d) - strike * normal_cdf(d - width)


def portfolio(spot: float, sigma: float, strikes: np.ndarray) -> float:
    total = 0.0
    for strike in strikes:
        total += option(spot, strike, sigma, 0.7) ** 2
    return total


def distance(p: np.ndarray, q: np.ndarray, scale: float) -> float:
    difference = p - q
    length = math.sqrt(np.dot(difference, difference) + scale * scale)
    if length > 2.0:
        return 4.0 * length - 4.0
    return length * length


def spread(points: np.ndarray, scale: float) -> float:
    total = 0.0
    for i in range(len(points)):
        for j in range(i):
            total += distance(points[i], points[j], scale)
    return total


Program = tuple[Callable[..., Any], tuple[str, ...], tuple[Any, ...]]


def programs() -> dict[str, Program]:
    """Function, arguments that vary, and arguments."""
    random = np.random.default_rng(0)
    small = random.normal(size=(4, 8, 8)), random.normal(size=(4, 8))
    large = random.normal(size=(4, 200, 200)), random.normal(size=(4, 200))
    points = random.normal(size=(15, 3))
    strikes = np.linspace(80.0, 120.0, 50)
    return {
        "Runge-Kutta step": (pendulum, ("x", "v", "k"), (0.5, 0.1, 2.0, 100)),
        "layer of 8": (network, ("w", "b"), (*small, random.normal(size=(5, 8)))),
        "layer of 200": (network, ("w", "b"), (*large, random.normal(size=(50, 200)))),
        "option formula": (portfolio, ("spot", "sigma"), (100.0, 0.2, strikes)),
        "distance": (spread, ("points",), (points, 0.1)),
    }


@contextmanager
def no_budget() -> Iterator[None]:
    """Compile as if every program were too long for its calls to be written out."""
    changed = {
        "LEAST_TEXT": 0,
        "MOST_COPIES": 0,
        "DOUBTS": math.inf,
        "note_end": lambda spec: None,
    }
    before = {name: getattr(kept_calls, name) for name in changed}
    vars(kept_calls).update(changed)
    try:
        yield
    finally:
        vars(kept_calls).update(before)


def measure(say: Callable[[str], None]) -> dict[str, list[tuple[float, int]]]:
    """Of each form of a program the seconds, over those of the first form but for that
    itself, and the lines of the text."""
    found = {}
    for name, (function, wrt, arguments) in programs().items():
        say(f"timing {name}")
        written = grad(function, wrt=wrt)
        written(*arguments)
        # without what none of them needs: else both would be the same derivative
        kept = grad(function, wrt=wrt, optimise={"keyed_heaps": False})
        with no_budget():
            kept(*arguments)
        all_kept = grad(function, wrt=wrt, optimise={"inlining": False})
        forms = {"written": written, "kept": kept, "all kept": all_kept}
        expected = written(*arguments)
        for form in forms.values():
            for a, b in zip(expected, form(*arguments), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-9)
        times = interleaved({n: (form, arguments) for n, form in forms.items()})
        seconds = [times.seconds("written")]
        seconds += (times.ratio(n, "written") for n in ("kept", "all kept"))
        texts = (form.source_for(*arguments) for form in forms.values())
        lines = (len(text.splitlines()) for text in texts)
        found[name] = list(zip(seconds, lines, strict=True))
    return found


def tables(found: dict[str, list[tuple[float, int]]]) -> list[Any]:
    """Times, ratios and lines."""
    from benchmarks.report import Table, duration, times

    rows = [
        [name, duration(seconds), times(kept), times(all_kept), *map(str, lines)]
        for name, forms in found.items()
        for (seconds, kept, all_kept), lines in [zip(*forms, strict=True)]
    ]
    return [
        Table(
            "Calls that stay calls",
            (
                *("program", "written out", "kept", "all kept"),
                *("lines written out", "lines kept", "lines all kept"),
            ),
            rows,
            notes=[
                f"Aim: at most {AIM} times as long kept. All kept: those too that "
                "are written out in any program, being as short as their calls."
            ],
        )
    ]


def main() -> None:
    """Measure and show."""
    from rich.console import Console

    for table in tables(measure(lambda what: print(what, file=sys.stderr))):
        table.show(Console(width=120))


if __name__ == "__main__":
    main()
