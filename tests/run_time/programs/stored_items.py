"""Programs that store numbers and arrays into the lists and dicts they are given."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.table import number, program


def rows(n):
    return [{"x": number(), "v": number(), "name": f"p{k}"} for k in range(n)]


def weights(n):
    return {f"w{k}": number() for k in range(n)}


@dataclass
class Cell:
    values: list
    gain: float


class Net:
    def __init__(self, n):
        self.w = {f"w{k}": number() for k in range(n)}
        self.next = None

    def __getitem__(self, name):
        return self.w[name]

    def __setitem__(self, name, value):
        self.w[name] = math.tanh(value)


def cells(n):
    return [Cell([number(), number(), number()], number()) for _ in range(n)]


@program(lambda n: (rows(n),))
def records(rows):
    for r in rows:
        r["v"] -= 0.1 * math.sin(r["x"])
        r["x"] = r["x"] + 0.1 * r["v"]
    return sum(r["x"] ** 2 * r["v"] for r in rows)


@program(lambda n: (weights(n), 0.3))
def decayed(w, rate):
    for name in w:
        w[name] *= 1.0 - rate
    return sum(x**3 for x in w.values())


@program(lambda n: (weights(n), 0.3))
def filled(w, x):
    for name in w:
        w[name] = x * x
    return sum(v**2 for v in w.values())


@program(lambda n: (weights(n),))
def one_into_the_next(w):
    before = None
    for name, value in w.items():
        if before is not None:
            w[name] = value * w[before]
        before = name
    return w["w1"] + sum(w.values())


@program(lambda n: (weights(n), [f"w{k % 3}" for k in range(2 * n)]))
def again_and_again(w, names):
    for name in names:
        w[name] = math.sin(w[name]) + 0.1 * w["w0"]
        w["w0"] *= 0.9
    return sum(w.values())


@program(lambda n: (cells(n),))
def lists_in_objects(cells):
    for c in cells:
        for k in range(1, len(c.values)):
            c.values[k] += c.gain * c.values[k - 1]
        c.values[0] = c.values[-1] * c.values[1]
    return sum(c.values[0] * c.values[2] for c in cells)


@program(lambda n: (cells(n),))
def as_they_were(cells):
    total = 0.0
    for c in cells:
        old = list(c.values)
        c.values[0] = c.gain * c.values[1]
        c.values[-1] *= 2.0
        total += sum(a * b for a, b in zip(old, c.values))
    return total


@program(lambda n: (rows(n),))
def swung(rows):
    for a, b in zip(rows, rows[1:]):
        a["x"], b["x"] = b["x"] * a["v"], a["x"]
    return sum(k * r["x"] for k, r in enumerate(rows))


@program(lambda n: (rows(n) * 2,))
def one_row_twice(rows):
    for r in rows:
        r["x"] = r["x"] * r["v"] + 0.5
    return rows[0]["x"] ** 2 + sum(r["x"] for r in rows)


@program(lambda n: (rows(n),))
def copies(rows):
    total = 0.0
    for r in rows:
        own = r.copy()
        own["x"] = own["x"] * 2.0
        r["v"] = own["x"] * r["x"]
        total += own["v"] * own["x"] + r["v"]
    return total


@program(lambda n: (rows(n),))
def dict_of_them(rows):
    total = 0.0
    for r in rows:
        own = dict(r)
        own["x"] = own["x"] * 2.0
        total += own["v"] * own["x"] + r["x"]
        r["x"] = 3.0 * r["x"]
        total += own["x"] * r["x"]
    return total


def with_arrays(n):
    return [{"w": np.array([number(), number()]), "b": number()} for _ in range(n)]


@program(lambda n: (with_arrays(n), np.array([0.3, 0.2])))
def arrays(layers, x):
    for layer in layers:
        layer["w"] = layer["w"] * x
        x = np.tanh(layer["w"] + layer["b"] * x)
        layer["b"] = x[0]
    return np.sum(x) + sum(np.sum(layer["w"] ** 2) for layer in layers)


@program(lambda n: ({f"w{k}": np.array([number(), number()]) for k in range(n)},))
def dict_of_arrays(params):
    for name in params:
        params[name] = params[name] - 0.1 * np.sin(params[name])
    for name in params:
        params[name] = params[name] * params["w0"]
    return sum(np.sum(p**2) for p in params.values())


@program(lambda n: (rows(n),))
def until_some(rows):
    total = 0.0
    for r in rows:
        if r["x"] > 1.2:
            r["x"] = 0.5 * r["x"] * r["v"]
            continue
        if total > 20.0:
            break
        r["v"] = r["x"] * total
        total += r["v"] + r["x"]
    return total + sum(r["v"] * r["x"] for r in rows)


@program(lambda n: (weights(n),))
def read_and_overwritten(w):
    total = 0.0
    for name in w:
        x = w[name]
        w[name] = 0.0
        y = w[name]
        w[name] = x * x
        total += x * w[name] + y
    return total + w.get("w0", 1.0) * w.get("none", 2.0)


@program(lambda n: ([Net(n) for _ in range(6)],))
def by_methods(nets):
    for net in nets:
        for k in range(3):
            net[f"w{k % 2}"] = net[f"w{k % 2}"] * 1.5 + net.w["w0"]
    return sum(net["w0"] * net["w1"] for net in nets)


@program(
    lambda n: ({k: number() for k in range(n)}, [[k, (k * 3) % n] for k in range(n)])
)
def by_numbers(state, edges):
    for a, b in edges:
        state[a] = 0.5 * state[a] + 0.3 * math.sin(state[b])
    return sum(x * x for x in state.values())


@program(lambda n: ({(k, k + 1): number() for k in range(n)},))
def by_pairs(table):
    for i, j in table:
        table[i, j] *= table[0, 1]
    return sum(table.values())


@program(lambda n: (weights(n), rows(n)))
def two_at_once(w, rows):
    for r, name in zip(rows, w):
        w[name] = w[name] * r["x"]
        r["x"] = w[name] + r["v"]
    return sum(w.values()) * sum(r["x"] for r in rows)
