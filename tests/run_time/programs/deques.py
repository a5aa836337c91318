"""Deques that are read, and sets of texts."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.table import (
    names_of,
    number,
    program,
)


@dataclass
class Sensor:
    gain: float
    past: deque[float]


def numbers(n):
    return deque((number() for _ in range(n)), 2 * n)


def sensors(n):
    made = [Sensor(number(), deque([number()] * (k % 3), 3)) for k in range(n)]
    return deque([*made, made[0]])


@program(lambda n: (numbers(n), 2.0), ("d", "x"))
def q_recurrence(d, x):
    t = 0.0
    for v in d:
        t = math.sin(0.9 * t) + v * v * x
    return t * d[0] * d[-1] + len(d) * (d.maxlen > 0)


@program(lambda n: (sensors(n),))
def q_objects(d):
    t = d[2].gain
    for s in d:
        if s.past:
            t += s.gain**2 * s.past[0] * len(s.past)
    return t


@program(lambda n: (numbers(n), [number() for _ in range(2 * n)]), ("d", "ys"))
def q_zip(d, ys):
    t = 0.0
    for k, (a, b) in enumerate(zip(d, reversed(ys))):
        if k == 5:
            break
        t += a * b * b
    return t


@program(lambda n: (deque((number(), 2.0, f"w{k}") for k in range(n)),))
def q_tuples(d):
    return sum(a**2 * b for a, b, _ in d)


@program(lambda n: (numbers(n),))
def q_library(d):
    first, *rest = d
    found = np.sum(np.array(d) ** 2) + max(d) + 2.0 * sum(sorted(d)[:2])
    return found + first * sum(rest) + sum(v**3 for v in [*d, first] if v in d)


@program(lambda n: ({f"k{k}": numbers(3) for k in range(n)},))
def q_in_dicts(d):
    return sum(row[1] ** 2 * row[-1] for row in d.values())


@program(lambda n: (deque(np.full(2, number()) for _ in range(n)),))
def q_arrays(d):
    return sum(np.sum(w * d[0]) for w in d)


@program(lambda n: (names_of(n), {"k1", "k3", "zz"}))
def s_members(d, chosen):
    return sum(v**2 for k, v in d.items() if k in chosen) * len(chosen)


@program(lambda n: (names_of(n), frozenset(("k1", "k3"))))
def s_run_over(d, chosen):
    t = 0.0
    for k in chosen:
        t += d[k] ** 2
    for place, k in enumerate(sorted(chosen, reverse=True)):
        t += place * d[k]
    return t


@program(lambda n: (names_of(n), ["k1", "k3", "k1"] * n))
def s_made(d, words):
    t = 0.0
    for k in set(words) | {"k2"}:
        t += d[k] ** 2
    for k in set(d) & {"k1", "k2"}:
        t *= d[k]
    return t + len({w for w in words if w != "k1"}) * d["k1"]


@program(lambda n: (names_of(n), {"k1", "k3"}))
def s_compared(d, chosen):
    if set(d) == chosen or not chosen:
        return d["k1"]
    return sum(d[k] ** 2 for k in chosen - {"k1"} if {"k1"} != chosen)
