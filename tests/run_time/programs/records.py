"""Objects and tuples of which the program reads all fields at once, orders them, adds
them up, or matches them."""

from __future__ import annotations

import math
from dataclasses import asdict, astuple, dataclass, field
from typing import NamedTuple

import numpy as np

from tests.run_time.programs.table import names_of, number, program, springs_of


class Pair(NamedTuple):
    a: float
    b: float


@dataclass(frozen=True)
class Amount:
    size: float
    rate: float

    def __add__(self, other):
        return Amount(self.size + other.size, self.rate * other.rate)

    def __lt__(self, other):
        return self.size * self.rate < other.size * other.rate

    def __gt__(self, other):
        return self.size > other.size


@dataclass
class Team:
    lead: Amount
    sizes: list[float] = field(default_factory=list)


def pairs_of(n):
    return [Pair(number(), number()) for _ in range(n)]


def amounts_of(n):
    return [Amount(number(), 1.0 + 0.01 * number()) for _ in range(n)]


@program(lambda n: (springs_of(n),))
def taken_as_dicts_and_tuples(springs):
    total = 0.0
    for spring in springs:
        made = asdict(spring)
        total = 0.9 * total + made["k"] * astuple(spring)[1] ** 2
        total += vars(spring)["k"] * sum(vars(spring)[name] for name in vars(spring))
    return total


@program(lambda n: ([Team(a, [number()]) for a in amounts_of(n)],))
def dataclasses_in_dataclasses(teams):
    total = 0.0
    for team in teams:
        made = asdict(team.lead)
        total += made["size"] ** 2 * made["rate"] * team.sizes[0]
    return total


@program(lambda n: (pairs_of(n),))
def replaced(pairs):
    total = 0.0
    for k, pair in enumerate(pairs):
        other = pair._replace(a=pair.b * k)
        total = 0.9 * total + other.a * other._asdict()["b"] * pair.a
    return total


@program(lambda n: (pairs_of(n),))
def columns(pairs):
    first, second = zip(*pairs)
    return sum(first) * second[-1] + sum(x * y for x, y in zip(first, second))


@program(lambda n: (pairs_of(n),))
def ordered_as_tuples(pairs):
    total = max(pairs)[1] * min(pairs).b
    for k, pair in enumerate(sorted(pairs)):
        total = 0.9 * total + k * pair.a * pair.b
    return total


@program(lambda n: (amounts_of(n),))
def added_and_compared(amounts):
    whole = sum(amounts[1:], amounts[0])
    return whole.size * whole.rate + max(amounts).rate * min(amounts).size


def repeated(a, b=1.0, c=2.0, d=3.0):
    return a * b + c * d


@program(lambda n: (pairs_of(n),))
def joined_and_compared(pairs):
    total = 0.0
    for pair, other in zip(pairs, pairs[1:]):
        both = pair + other
        if pair < other or pair == other:
            total += both[0] * both[3] + max(pair, other).a
        total = 0.9 * total + sum(2 * pair) * (pair[1:] + (total,))[0]
        total += repeated(*pair) * repeated(*other, *pair) * pair.index(pair.b)
    return total


@program(lambda n: (pairs_of(n),))
def arrays_of_one(pairs):
    total = 0.0
    for pair in pairs:
        total = 0.9 * total + np.linalg.norm(pair) + np.dot(pair, np.array(pair))
        total += np.sum(np.array([1.0, 2.0]) * pair) * math.dist(pair, (9.0, 1.0))
    return total


@program(lambda n: (pairs_of(n),))
def arrays_of_all(pairs):
    total = np.sum(np.array(pairs) ** 2) * np.mean(pairs)
    total += np.sum(np.array(pairs[:2]) @ np.array([1.0, 2.0]))
    total += np.sum(np.stack([pair for pair in pairs if pair.a < pair.b + 9.0]) ** 2)
    return total + np.sum(np.array([tuple(pair) for pair in sorted(pairs)])[-1])


@program(lambda n: ([(number(), number()) for _ in range(n)],))
def arrays_of_tuples(pairs):
    total = np.sum(np.array([pair for pair in pairs[:2]]) ** 2)
    total += np.sum(np.mean([pair for pair in pairs], axis=0) ** 2)
    for pair in pairs:
        total = 0.9 * total + sum(pair + pair) * np.linalg.norm(pair)
    return total


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def matched_by_keys(d, t):
    total = t
    match d:
        case {"absent": x}:
            total += x
        case {"k1": x, "k2": y}:
            total += x * y * t
    match d:
        case {"k0": x, "gone": y}:
            total += x * y
        case {"k0": float() as x}:
            total *= x
    return total
