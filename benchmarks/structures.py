"""What gradients of programs over Python's own containers cost, against the function:
``python -m benchmarks.structures [SIZE]``.

Each program runs over a list of 5,000 items. Beside s2sad stands an adjoint by hand and
HIPS autograd, where that is installed and takes the program. A time is that of the
gradient, check of the arguments included, over that of the function.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.measure import interleaved
from s2sad import grad

SIZE = 5000
AIM = 4.0
"""How many times the function a gradient over lists may take."""


@dataclass(frozen=True)
class Case:
    """A program, its adjoint by hand, and arguments of a size."""

    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: Callable[[int, np.random.Generator], tuple[Any, ...]]

    @property
    def name(self) -> str:
        return self.function.__name__


def numbers(size: int, rng: np.random.Generator) -> tuple[list[float]]:
    return (rng.uniform(0.5, 1.5, size).tolist(),)


def sum_of_squares(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total


def sum_of_squares_grad(xs):
    return [2.0 * x for x in xs]


def recurrence(xs):
    state = 0.0
    for x in xs:
        state = math.tanh(0.7 * state + x)
    return state


def recurrence_grad(xs):
    states = []
    state = 0.0
    for x in xs:
        state = math.tanh(0.7 * state + x)
        states.append(state)
    xs_bar = [0.0] * len(xs)
    state_bar = 1.0
    for k in reversed(range(len(xs))):
        xs_bar[k] = x_bar = state_bar * (1.0 - states[k] ** 2)
        state_bar = 0.7 * x_bar
    return xs_bar


def roughness(xs):
    return sum((b - a) ** 2 for a, b in pairwise(xs))


def roughness_grad(xs):
    xs_bar = [0.0] * len(xs)
    for k in range(len(xs) - 1):
        step_bar = 2.0 * (xs[k + 1] - xs[k])
        xs_bar[k + 1] += step_bar
        xs_bar[k] -= step_bar
    return xs_bar


def polygon(points):
    area = 0.0
    x, y = points[-1]
    for u, v in points:
        area += x * v - u * y
        x, y = u, v
    return 0.5 * area


def polygon_grad(points):
    bars = []
    for k in range(len(points)):
        (x, y), (u, v) = points[k - 1], points[(k + 1) % len(points)]
        bars.append((0.5 * (v - y), 0.5 * (x - u)))
    return bars


def layers(ws):
    x = np.ones(8)
    for w in ws:
        x = np.tanh(w @ x)
    return np.sum(x * x)


def layers_grad(ws):
    xs = [np.ones(8)]
    for w in ws:
        xs.append(np.tanh(w @ xs[-1]))
    x_bar = 2.0 * xs[-1]
    bars = []
    for w in reversed(ws):
        sum_bar = x_bar * (1.0 - xs.pop() ** 2)
        bars.append(np.outer(sum_bar, xs[-1]))
        x_bar = w.T @ sum_bar
    return bars[::-1]


def points(size: int, rng: np.random.Generator) -> tuple[list[tuple[float, ...]]]:
    return ([tuple(row) for row in rng.normal(size=(size, 2)).tolist()],)


def matrices(size: int, rng: np.random.Generator) -> tuple[list[np.ndarray]]:
    return ([rng.normal(size=(8, 8)) / 4.0 for _ in range(size)],)


CASES = (
    Case(sum_of_squares, sum_of_squares_grad, numbers),
    Case(recurrence, recurrence_grad, numbers),
    Case(roughness, roughness_grad, numbers),
    Case(polygon, polygon_grad, points),
    Case(layers, layers_grad, matrices),
)


def by_autograd(case: Case) -> Callable[..., Any] | None:
    """The gradient by HIPS autograd; None where that isn't installed."""
    try:
        autograd = importlib.import_module("autograd")
        own = importlib.import_module("autograd.numpy")
    except ImportError:
        return None
    names = case.function.__globals__ | {"np": own, "math": own}
    kind = type(case.function)
    return autograd.grad(kind(case.function.__code__, names))


def check(name: str, found: Any, wanted: Any) -> None:
    """Raise AssertionError for a gradient that isn't that by hand."""
    np.testing.assert_allclose(
        np.asarray(found), np.asarray(wanted), 1e-9, 1e-12, err_msg=name
    )


def measured(case: Case, size: int) -> dict[str, float]:
    """Times over that of the function."""
    arguments = case.arguments(size, np.random.default_rng(0))
    runs: dict[str, Any] = {"function": (case.function, arguments)}
    derivative = grad(case.function)
    wanted = case.by_hand(*arguments)
    check(case.name, derivative(*arguments), wanted)
    runs["s2sad"] = derivative, arguments
    runs["by hand"] = case.by_hand, arguments
    other = by_autograd(case)
    if other is not None:
        check(f"{case.name}, autograd", other(*arguments), wanted)
        runs["autograd"] = other, arguments
    times = interleaved(runs)
    return {name: times.ratio(name, "function") for name in runs}


def main() -> int:
    """Print a table; gives whether some gradient takes longer than the aim."""
    size = int(sys.argv[1]) if sys.argv[1:] else SIZE
    slow = 0
    for case in CASES:
        found = measured(case, size)
        slow += found["s2sad"] > AIM
        columns = (f"{n} {x:8.2f}" for n, x in found.items() if n != "function")
        print(f"{case.name:16} " + "   ".join(columns), flush=True)
    return min(slow, 1)


if __name__ == "__main__":
    sys.exit(main())
