"""Programs that read Python's own containers and objects, or store numbers into them,
each with its adjoint by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

AIM = 4.0
"""How many times the function a gradient over lists and dicts may take."""
AIM_OF_OBJECTS, AIM_OF_TREES = 8.0, 10.0


@dataclass(frozen=True)
class Case:
    """A program, its adjoint by hand, and arguments of a size."""

    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: Callable[[int, np.random.Generator], tuple[Any, ...]]
    aim: float = AIM
    numbers: Callable[[Any], Any] = np.asarray
    """The numbers of a gradient, in one order."""
    own: Callable[..., tuple[Any, ...]] | None = None
    """What the function is given in place of arguments that it changes for good."""

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


class Spring:
    def __init__(self, stiffness: float, rest: float) -> None:
        self.stiffness, self.rest = stiffness, rest


def springs(size: int, rng: np.random.Generator) -> tuple[list[Spring], float]:
    rows = rng.uniform(0.5, 1.5, (size, 2)).tolist()
    return [Spring(stiffness, rest) for stiffness, rest in rows], 0.8


def energy(items, length):
    total = 0.0
    for s in items:
        stretch = math.exp(-s.rest * length) - s.rest
        total += 0.5 * s.stiffness * stretch**2
    return total


def energy_grad(items, length):
    bars = []
    for s in items:
        decay = math.exp(-s.rest * length)
        stretch = decay - s.rest
        rest_bar = -s.stiffness * stretch * (1.0 + length * decay)
        bars.append(Spring(0.5 * stretch**2, rest_bar))
    return bars


def of_springs(items: list[Spring]) -> np.ndarray:
    return np.array([(s.stiffness, s.rest) for s in items])


def words(size: int, rng: np.random.Generator) -> tuple[dict[str, float], list[str]]:
    weights = {f"word {k}": float(k % 7) / 7.0 for k in range(size)}
    return weights, [f"word {k}" for k in rng.integers(0, size, size)]


def score(weights, text):
    state = 0.0
    for word in text:
        state = math.tanh(0.9 * state + weights[word])
    return state


def score_grad(weights, text):
    states = []
    state = 0.0
    for word in text:
        state = math.tanh(0.9 * state + weights[word])
        states.append(state)
    bars = dict.fromkeys(weights, 0.0)
    state_bar = 1.0
    for word in reversed(text):
        sum_bar = state_bar * (1.0 - states.pop() ** 2)
        bars[word] += sum_bar
        state_bar = 0.9 * sum_bar
    return bars


class Node:
    def __init__(self, sort: str, value: float, kids: list[Node]) -> None:
        self.sort, self.value, self.kids = sort, value, kids


def trees(size: int, rng: np.random.Generator) -> tuple[Node]:
    def grown(count: int) -> Node:
        if count < 3:
            return Node("leaf", rng.uniform(0.5, 1.5), [])
        half = (count - 1) // 2
        kids = [grown(half), grown(count - 1 - half)]
        return Node("sum" if rng.random() < 0.5 else "product", 0.0, kids)

    return (grown(size),)


def evaluated(node):
    if node.sort == "leaf":
        return math.sin(node.value)
    left, right = evaluated(node.kids[0]), evaluated(node.kids[1])
    return math.tanh(left + right) if node.sort == "sum" else left * right


def evaluated_grad(node):
    def forward(node):
        if node.sort == "leaf":
            return math.sin(node.value), ()
        left, of_left = forward(node.kids[0])
        right, of_right = forward(node.kids[1])
        both = left + right if node.sort == "sum" else left * right
        value = math.tanh(both) if node.sort == "sum" else both
        return value, (left, right, value, of_left, of_right)

    def reverse(node, kept, bar):
        if node.sort == "leaf":
            return Node("", bar * math.cos(node.value), [])
        left, right, value, of_left, of_right = kept
        if node.sort == "sum":
            left_bar = right_bar = bar * (1.0 - value * value)
        else:
            left_bar, right_bar = bar * right, bar * left
        first = reverse(node.kids[0], of_left, left_bar)
        return Node("", 0.0, [first, reverse(node.kids[1], of_right, right_bar)])

    return reverse(node, forward(node)[1], 1.0)


def of_tree(node: Node) -> list[float]:
    found, waiting = [], [node]
    while waiting:
        node = waiting.pop()
        found.append(node.value)
        waiting += node.kids
    return found


@dataclass
class Body:
    x: float
    v: float


def bodies(size: int, rng: np.random.Generator) -> tuple[list[Body], float]:
    numbers = rng.uniform(0.5, 1.5, (size, 2)).tolist()
    return [Body(x, v) for x, v in numbers], 0.1


def swung(items, dt):
    for _ in range(5):
        for b in items:
            b.v -= dt * math.sin(b.x)
            b.x += dt * b.v
    return sum(b.x * b.v for b in items)


def swung_grad(items, dt):
    bodies = [Body(b.x, b.v) for b in items]
    kept = []
    for _ in range(5):
        for b in bodies:
            kept.append(b.x)
            b.v -= dt * math.sin(b.x)
            b.x += dt * b.v
    bars = [Body(b.v, b.x) for b in bodies]
    for _ in range(5):
        for bar in reversed(bars):
            bar.v += dt * bar.x
            bar.x -= dt * bar.v * math.cos(kept.pop())
    return bars


def of_bodies(found: list[Body]) -> list[float]:
    return [number for b in found for number in (b.x, b.v)]


CASES = (
    Case(sum_of_squares, sum_of_squares_grad, numbers),
    Case(recurrence, recurrence_grad, numbers),
    Case(roughness, roughness_grad, numbers),
    Case(polygon, polygon_grad, points),
    Case(layers, layers_grad, matrices),
    Case(score, score_grad, words, numbers=lambda bars: list(bars.values())),
    Case(energy, energy_grad, springs, AIM_OF_OBJECTS, of_springs),
    Case(swung, swung_grad, bodies, AIM_OF_OBJECTS, of_bodies),
    Case(evaluated, evaluated_grad, trees, AIM_OF_TREES, of_tree),
)
