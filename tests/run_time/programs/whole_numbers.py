"""Whole numbers that stand beside floats in records and objects, where only the run
knows which is read: they have no adjoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tests.run_time.programs.table import number, program


@dataclass
class Stock:
    count: int
    weight: float


@dataclass
class Weighed:
    count: float
    weight: float


class Measured(NamedTuple):
    year: int
    level: float
    valid: bool


def stocks_of(n):
    return [Stock(k % 3, number()) for k in range(n)]


def weighed_or_counted(n):
    return [(Stock if k % 2 else Weighed)(k, number()) for k in range(n)]


def measured_of(n):
    return [Measured(k, number(), k % 2 == 0) for k in range(n)]


def rows_of(n):
    return [(k, number(), k % 4, number()) for k in range(n)]


def places_of(n):
    return [k % 8 - 4 for k in range(n)]


@program(lambda n: (stocks_of(n), number()))
def one_of_two_attributes(stocks, c):
    total = 0.0
    for s in stocks:
        amount = s.weight if s.count == 1 else s.count
        total += c * amount * amount
    return total


@program(lambda n: (stocks_of(n), number()))
def bound_on_two_paths(stocks, c):
    total = c
    for s in stocks:
        if s.weight > 1.0:
            amount = s.count
        else:
            amount = s.weight
        total = 0.5 * total * amount + c
    return total


@program(lambda n: (weighed_or_counted(n), number()))
def whole_in_one_class(things, c):
    return sum(c * (t.count + 0.5) * t.weight for t in things if t.count > 0.5)


@program(lambda n: (measured_of(n), number()))
def fields_by_position(levels, c):
    total = 0.0
    for m in levels:
        total += c * (m.level if m.valid else m.year) ** 2
    return total


@program(lambda n: (rows_of(n), places_of(n)), ("rows",))
def at_a_position_of_the_run(rows, places):
    total = 0.0
    for row, place in zip(rows, places):
        total += row[place] ** 2 * (1.0 + 0.1 * row[-1])
    return total


@program(lambda n: (rows_of(n), number()))
def at_all_positions(rows, c):
    total = 0.0
    for row in rows:
        for j in range(len(row)):
            total = c * total + (j + 1.0) * row[j]
    return total


@program(lambda n: ([(k, number(), np.full(3, number())) for k in range(n)],))
def arrays_among_them(rows):
    total = 0.0
    for k, row in enumerate(rows):
        part = row[k % 3]
        total += np.sum(part * part)
    return total


@program(lambda n: ({f"k{k}": number() if k % 2 else k for k in range(6)}, n))
def under_a_made_name(table: dict[str, Any], n: int):
    total = 0.0
    for k in range(n):
        total += (k + 1.0) * table[f"k{k % 6}"] ** 2
    return total


@program(lambda n: (stocks_of(n), number()))
def stored_after_it(stocks, c):
    total = 0.0
    for s in stocks:
        amount = s.weight if s.count == 1 else s.count
        s.weight = c * amount
        total += s.weight * s.weight
    return total
