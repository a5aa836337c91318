"""The table of programs that read run-time values of their arguments.

Each gives arguments of any size: the text of its gradient is one and the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

RANDOM = np.random.default_rng(0)
START = RANDOM.bit_generator.state


@dataclass
class Program:
    """A function, its arguments at a size, and those that it is differentiated by."""

    function: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]
    wrt: tuple[str, ...] | None = None


PROGRAMS: list[Program] = []


def program(arguments: Callable[[int], tuple[Any, ...]], wrt: Any = None) -> Any:
    """Put a function into the table. Its arguments are the same whichever others were
    made before."""

    def drawn(n: int) -> tuple[Any, ...]:
        RANDOM.bit_generator.state = START
        return arguments(n)

    def add(function: Any) -> Any:
        PROGRAMS.append(Program(function, drawn, wrt))
        return function

    return add


def number() -> float:
    return float(RANDOM.uniform(0.5, 1.5))


def names_of(n):
    return {f"k{i}": number() for i in range(n)}


@dataclass
class Spring:
    k: float
    rest: float


def springs_of(n):
    return [Spring(number(), number()) for _ in range(n)]


@dataclass
class Neuron:
    weights: list
    bias: float


@dataclass(frozen=True)
class Frozen:
    a: float
    tag: str
