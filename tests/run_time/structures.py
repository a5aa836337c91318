"""Structures for tests, and the comparison of their gradients with differences.

Numbers that can be changed stand in lists, dicts, objects and arrays; those in tuples
are left out.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Spring:
    k: float
    rest: float
    name: str = ""


@dataclass
class Node:
    sort: str
    value: float = 0.0
    kids: list[Node] = field(default_factory=list)


class Link:
    """A link of a chain."""

    def __init__(self, weight: float, behind: Link | None) -> None:
        self.weight = weight
        self.behind = behind


class Slotted:
    __slots__ = ("first", "second")

    def __init__(self, first: float, second: float) -> None:
        self.first, self.second = first, second


def springs(count: int, seed: int = 0) -> list[Spring]:
    draw = random.Random(seed)
    return [
        Spring(draw.uniform(0.5, 2.0), draw.uniform(0.1, 1.0), f"s{k}")
        for k in range(count)
    ]


def tree(depth: int, width: int = 3, seed: int = 0) -> Node:
    draw = random.Random(seed)

    def grown(depth: int) -> Node:
        if depth == 0:
            return Node("leaf", draw.uniform(0.5, 1.0))
        kids = [grown(depth - 1) for _ in range(width)]
        return Node(draw.choice(("sum", "product")), 0.0, kids)

    return grown(depth)


def chain(count: int, seed: int = 0) -> Link | None:
    draw = random.Random(seed)
    found: Link | None = None
    for _ in range(count):
        found = Link(draw.uniform(0.5, 1.5), found)
    return found


def _parts(value: Any) -> Any:
    """What a structure holds by key; None for what isn't one."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if isinstance(value, Slotted):
        return {name: getattr(value, name) for name in value.__slots__}
    return getattr(value, "__dict__", None)


def _read(holder: Any, key: Any) -> Any:
    if isinstance(holder, list | dict | tuple | np.ndarray):
        return holder[key]
    return getattr(holder, key)


def _write(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, list | dict | np.ndarray):
        holder[key] = value
    else:
        setattr(holder, key, value)


def numbers_beside(value: Any, gradient: Any) -> list[tuple[Any, Any, Any]]:
    """The places of all floats in a structure that can be changed: what holds them,
    under which key, and what holds their gradient. Without recursion."""
    found: list[tuple[Any, Any, Any]] = []
    seen: set[int] = set()
    waiting = [(value, gradient)]
    while waiting:
        holder, beside = waiting.pop()
        if id(holder) in seen:
            continue
        seen.add(id(holder))
        if isinstance(holder, np.ndarray):
            if holder.dtype.kind == "f":
                found += [(holder, place, beside) for place in np.ndindex(holder.shape)]
            continue
        for key, part in (_parts(holder) or {}).items():
            if type(part) is float and not isinstance(holder, tuple):
                found.append((holder, key, beside))
            elif part is not None and beside is not None:
                waiting.append((part, _read(beside, key)))
    return found


def assert_gradient(function: Any, arguments: Any, gradients: Any, most: int = 12):
    """Compare gradients, one for each argument, with central differences, for at most
    so many numbers of a structure."""
    step = 1e-6
    for position, (argument, gradient) in enumerate(
        zip(arguments, gradients, strict=True)
    ):
        if type(argument) is float:
            up, down = list(arguments), list(arguments)
            up[position], down[position] = argument + step, argument - step
            slope = (function(*up) - function(*down)) / (2 * step)
            np.testing.assert_allclose(gradient, slope, rtol=2e-5, atol=2e-6)
            continue
        places = numbers_beside(argument, gradient)
        random.Random(1).shuffle(places)
        for holder, key, beside in places[:most]:
            old = _read(holder, key)
            _write(holder, key, old + step)
            above = function(*arguments)
            _write(holder, key, old - step)
            below = function(*arguments)
            _write(holder, key, old)
            slope = (above - below) / (2 * step)
            np.testing.assert_allclose(_read(beside, key), slope, rtol=2e-5, atol=2e-6)
