"""Programs that write into arrays which stand in the objects, lists and dicts that they
are given."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.table import RANDOM, number, program


@dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray
    rate: float = 0.1


@dataclass
class Particle:
    x: np.ndarray
    v: np.ndarray
    m: float


@dataclass
class Counter:
    seen: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class Fixed:
    x: np.ndarray
    scale: float


@dataclass
class Pair:
    left: Particle
    right: Particle


@dataclass
class Bank:
    rows: list
    gain: float


class Slotted:
    __slots__ = ("grid", "gain")

    def __init__(self, grid, gain):
        self.grid, self.gain = grid, gain

    def blur(self):
        self.grid[1:-1] = 0.25 * self.grid[:-2] + self.gain * self.grid[1:-1]


def vector(size=3):
    return RANDOM.uniform(0.5, 1.5, size)


def layers(n):
    return [Layer(vector((3, 3)) / 3.0, vector()) for _ in range(n)]


def particles(n):
    return [Particle(vector(), vector(), number()) for _ in range(n)]


def counters(n):
    return [Counter(np.arange(3), vector()) for _ in range(n)]


def rows(n):
    return [vector(4) for _ in range(n)]


def table(n):
    return {f"k{i}": vector() for i in range(n)}


@program(lambda n: (particles(n), 0.3))
def moved_in_place(particles, dt):
    for p in particles:
        p.x += dt * p.v
    return sum(p.x @ p.x for p in particles)


@program(lambda n: (particles(n), 0.3), wrt=("dt",))
def moved_by(particles, dt):
    for p in particles:
        p.x += dt * p.v
        p.v *= 1.0 - dt
        p.v /= p.m
    return sum(p.x @ p.v for p in particles)


@program(lambda n: (particles(n), 0.05))
def oscillating(particles, dt):
    for _ in range(3):
        for p in particles:
            p.v -= dt * np.sin(p.x) / p.m
            p.x += dt * p.v
    return sum(p.x @ p.v for p in particles)


@program(lambda n: (particles(n), 0.3))
def one_element(particles, k):
    for p in particles:
        p.x[0] = p.x[1] * k
        p.x[2] = p.x[0] * p.x[2]
    return sum(p.x @ p.v for p in particles)


@program(lambda n: (layers(n), vector()))
def trained(layers, x):
    for layer in layers:
        layer.w -= layer.rate * np.outer(x, layer.b)
        layer.b[:] = np.tanh(layer.w @ x)
        layer.w[0] = layer.b * x
    for layer in layers:
        x = np.tanh(layer.w @ x + layer.b)
    return x @ x


@program(lambda n: (layers(n), vector()), wrt=("x",))
def trained_on(layers, x):
    for layer in layers:
        layer.w[1, :] += x
        layer.w[:, 2] *= x[0]
        x = np.tanh(layer.w.T @ x)
    return np.sum(x)


@program(lambda n: (rows(n), 0.5))
def rows_of_a_dict_of_lists(rows, k):
    held = {"rows": rows}
    for row in held["rows"]:
        row[1:] = k * row[:-1]
        row[0] *= row[-1]
    return sum(row @ row for row in rows)


@program(lambda n: ({"rows": rows(n), "more": rows(2)}, 0.5))
def tables(held, k):
    for row in held["rows"]:
        row[k > 1.0] = 0.0
        for i in range(1, len(row)):
            row[i] += k * row[i - 1]
    held["rows"][2][:] = held["rows"][0]
    return sum(np.sum(row**2) for row in held["rows"])


@program(lambda n: (table(n), 0.5))
def values_of_a_dict(entries, k):
    for name in entries:
        entries[name][0] *= k
        entries[name] += 0.1
    return sum(v.prod() for v in entries.values())


@program(lambda n: ([deque(rows(3)) for _ in range(n)],))
def in_deques(queues):
    for q in queues:
        q[0][1] = q[-1][0] * q[0][0]
        for row in q:
            row *= 1.1
    return sum(row.sum() for q in queues for row in q)


@program(lambda n: ([(vector(), number()) for _ in range(n)],))
def in_tuples(pairs):
    for x, k in pairs:
        x *= k
        x[0] = math.sin(k)
    return sum(x @ x for x, _ in pairs)


@program(lambda n: ([Fixed(vector(), number()) for _ in range(n)],))
def in_frozen_objects(items):
    for item in items:
        item.x[1:] *= item.scale
    return sum(item.x.prod() for item in items)


@program(lambda n: ([Slotted(vector(5), number()) for _ in range(n)],))
def in_slots(items):
    for item in items:
        item.blur()
        item.blur()
    return sum(item.grid @ item.grid for item in items)


def twice(n):
    made = particles(n)
    made[1].x = made[0].x
    made[2].v = made[2].x
    return [*made, made[0]]


@program(lambda n: (twice(n), 0.4))
def one_array_in_two_places(particles, k):
    for p in particles:
        p.x[0] = p.v[1] * p.x[2]
        p.x += k * p.v
    return sum(p.x @ p.v for p in particles)


def banks(n):
    return [Bank(rows(3), number()) for _ in range(n)]


def shared_rows(n):
    made = banks(n)
    made[1].rows = made[0].rows[::-1]
    made[2].rows = made[1].rows
    return made


@program(lambda n: (banks(n), 0.7))
def in_lists_of_objects(banks, k):
    for bank in banks:
        for i, row in enumerate(bank.rows):
            row[1:] = k * row[:-1]
            row[0] *= row[-1] * bank.gain
            bank.rows[i] += 0.1
        bank.rows[2][:] = bank.rows[0]
        bank.rows[-1][k < 1.0] *= 0.5
    return sum(row @ row for bank in banks for row in bank.rows)


@program(lambda n: (shared_rows(n),))
def lists_in_another_order(banks):
    for one, other in zip(banks, banks[1:]):
        for first, second in zip(one.rows, other.rows):
            first[1] = second[0] * first[1]
            second[2] += 0.1 * first[1] ** 2
    return sum(row @ row for bank in banks for row in bank.rows)


@program(lambda n: (banks(n), vector(4)))
def lists_that_change(banks, start):
    for bank in banks:
        bank.rows.append(bank.gain * start)
        bank.rows[-1][0] = bank.rows[0][1]
        first = bank.rows.pop(0)
        first *= 2.0
        bank.rows.insert(1, first)
        bank.rows[0], bank.rows[2] = bank.rows[2], bank.rows[0]
        bank.rows[0][2] *= first[3]
    return sum((i + 1) * row.sum() for bank in banks for i, row in enumerate(bank.rows))


@program(lambda n: (particles(n), 0.3))
def other_names(particles, k):
    total = 0.0
    for p in particles:
        x = p.x
        y = x[1:]
        before = p.x.copy()
        x[0] = k * p.v[0]
        y[:] = y * before[0]
        p.x[2] *= y[0]
        total += x @ before
    return total + sum(p.x.sum() for p in particles)


@program(lambda n: (particles(n), 0.3))
def exchanged(particles, k):
    for p in particles:
        p.x, p.v = p.v, p.x
        p.x[0] *= k
    first = particles[0].x
    particles[0].x = particles[1].x
    particles[1].x = first
    first[1] = k
    particles[0].x[2] *= particles[1].x[2]
    return sum(p.x @ p.x + p.v[0] for p in particles)


@program(lambda n: (particles(n), 0.3))
def made_and_written(particles, k):
    for p in particles:
        made = k * p.x
        p.x = made
        made[0] = p.v[0] ** 2
        p.x[1] = made[0] * k
        p.v = np.zeros(3)
        p.v[2] = p.m
    return sum(p.x @ p.x + p.v.sum() for p in particles)


@program(lambda n: (particles(n), vector()), wrt=("start",))
def one_array_for_all(particles, start):
    for p in particles:
        p.x = start
    particles[0].x[1] = 2.0 * start[0]
    for p in particles[1:]:
        p.x[0] *= 1.01
    return particles[-1].x @ start + particles[0].x.sum()


@program(lambda n: (counters(n), 0.5))
def counted(counters, k):
    for c in counters:
        c.seen[1] += 1
        c.seen += 2
        c.weight[c.seen > 3] *= k
        c.weight[0] = k * float(c.seen[1])
    return sum(c.weight @ c.weight for c in counters)


@program(lambda n: (rows(n), np.array([0, 2, 0, 3]), vector(4)))
def added_at(rows, places, amounts):
    held = [rows]
    for row in held[0]:
        np.add.at(row, places, amounts * row[1])
        row[places] = row[places] * 1.1
        row[[1, 0]] = row[[0, 2]]
    return sum(row @ row for row in held[0])


@program(lambda n: ([[p, q] for p, q in zip(particles(n), particles(n))], 0.2))
def in_branches(pairs, k):
    for one, other in pairs:
        if one.m > other.m:
            x = one.x
        else:
            x = other.x
        x[0] = k * x[1]
        while x[1] > 0.7:
            x[1] *= 0.8
    return sum(one.x.sum() * other.x[1] for one, other in pairs)


def scaled(x, k):
    x *= k
    x[0] = x[1] ** 2


def scaled_particle(p, k):
    scaled(p.x, k)
    scaled(p.v[1:], k)
    return p.x


@program(lambda n: (particles(n), 0.3))
def in_functions(particles, k):
    total = 0.0
    for p in particles:
        x = scaled_particle(p, k)
        x[2] = math.tanh(total)
        total = total + x @ p.v
    return total


@program(lambda n: (particles(n), 0.3))
def with_pairs(particles, k):
    springs = [Pair(a, b) for a, b in zip(particles, particles[1:])]
    for s in springs:
        force = k * (s.right.x - s.left.x)
        s.left.v += force
        s.right.v -= force
    for p in particles:
        p.x += 0.1 * p.v
    return sum(p.x @ p.x for p in particles)


@program(lambda n: (particles(n), 0.3))
def lists_of_their_arrays(particles, k):
    xs = [p.x for p in particles]
    for x in xs:
        x[0] *= k
    xs[1][1] = xs[0][0]
    return np.sum(np.stack(xs)) + sum(p.x @ p.x for p in particles)


@program(lambda n: (particles(n), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
def sizes_and_shapes(particles, values):
    for p in particles:
        p.x[len(p.x) - 1] = p.x.shape[0] * p.x[0]
        p.x[: p.x.size - 1] += values[0]
        p.v[:] = np.zeros_like(p.v) + p.x.max()
    return sum(p.x @ p.v for p in particles)
