"""Programs that unpack dicts into calls: the keys are those of parameters."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.changed_dicts import folded, springs_by_name
from tests.run_time.programs.table import names_of, number, program


def complete(n):
    return ([{"rest": number(), "k": number()} for _ in range(n)],)


def some_with_more(n):
    """Every second one has an argument that has a default, and another order."""
    return [
        {"k": number(), "rest": number(), "x": number()}
        if k % 2
        else {"rest": number(), "k": number()}
        for k in range(n)
    ], 0.7


def energy(k, rest, x=1.5):
    return k * (x - rest) ** 2


@program(complete)
def by_name(rows):
    return sum(energy(**d) for d in rows)


@program(some_with_more, ("rows", "t"))
def with_defaults(rows, t):
    found = 0.0
    for d in rows:
        found = 0.9 * found + energy(**d) + energy(x=t, **{"k": t, "rest": d["rest"]})
    return found


@program(some_with_more, ("rows", "t"))
def nothing_by_default(rows, t):
    def of(k, rest, x=None):
        return k * rest * t if x is None else k * rest * x * x

    return sum(of(**d) for d in rows)


@program(some_with_more, ("rows", "t"))
def made_here(rows, t):
    doubled = lambda k, rest, x=t: k * rest * x  # noqa: E731
    bent = functools.partial(energy, x=t * t)
    return sum(doubled(**d) * bent(**d) for d in rows)


@dataclass
class Layer:
    w: float
    b: float = 0.1

    def __call__(self, x):
        return math.tanh(self.w * x + self.b)


@program(
    lambda n: (
        [
            {"w": number(), "b": number()} if k % 2 else {"w": number()}
            for k in range(n)
        ],
        0.7,
    ),
    ("rows", "x"),
)
def layers(rows, x):
    for component in rows:
        x = Layer(**component)(x)
    for layer in [Layer(**component) for component in rows]:
        x = layer(x)
    return x


class Model:
    def __init__(self, scale, *, power=2.0):
        self.scale, self.power = scale, power

    def __call__(self, k, rest, x=1.0):
        return self.scale * k * rest * x**self.power

    def energy(self, k, rest, x=1.0):
        return self.scale * energy(k, rest, x)


@program(some_with_more, ("rows", "t"))
def methods(rows, t):
    model = Model(**{"scale": t, "power": 3.0})
    return sum(model(**d) * model.energy(**d) for d in rows)


def folded_sum(scale, **values):
    return folded(values, scale)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def all_by_name(d, t):
    found = folded_sum(t, **d) * folded_sum(**{**d, "scale": t * t})
    return found + folded_sum(scale=2.0, more=t, **d) + folded(dict(**d, z=t), t)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def the_others_by_name(d, t):
    def of(k1, k2, missing=t, **others):
        others["k1"] = k1 * missing
        return k2 * folded(others, t)

    return of(**d) + folded(d, t)


@program(some_with_more, ("rows", "t"))
def handed_on(rows, t):
    def twice(function):
        return lambda *args, **words: 2.0 * function(*args, **words)

    return sum(twice(energy)(**d) for d in rows) * t


@program(some_with_more, ("rows", "t"))
def stored_between(rows, t):
    found = 0.0
    for d in rows:
        found += energy(**d)
        d["k"] = t * d["rest"]
        found += energy(**d)
    return found


def two(k, rest):
    return k * rest


@program(some_with_more, ("rows", "t"))
def tried(rows, t):
    found = 0.0
    for d in rows:
        try:
            found += two(**d)
        except TypeError:
            found += 2.0 * d["k"] * d["x"]
        try:
            found += energy(t, **d)
        except TypeError:
            found *= 0.9
    return found


@program(
    lambda n: (
        [
            {"w": np.array([number(), number()])}
            if k % 2
            else {name: np.array([number(), number()]) for name in "wb"}
            for k in range(n)
        ],
    )
)
def arrays(rows):
    def of(w, b=None):
        return (w * w).sum() if b is None else w @ b

    return sum(of(**d) for d in rows)


def power_of(n, k, rest):
    return k if n == 0 else power_of(n - 1, **{"k": k * rest, "rest": rest})


@program(complete)
def calls_itself(rows):
    return sum(power_of(3, **d) for d in rows)


@program(lambda n: (springs_by_name(n),))
def objects(springs):
    def of(s0, s1, none=None, **others):
        s1.k = 2.0 * s0.k
        return s0.k * s1.rest + sum(s.k**2 for s in others.values())

    return of(**springs) + springs["s1"].k


@program(lambda n: ([{"name": f"s{k}", "k": number(), "n": k} for k in range(n)],))
def records(rows):
    def of(name, k, n, m=2):
        return k * k * n * m if name != "s2" else 0.0

    return sum(of(**r) for r in rows)


def put(d, value):
    d["k"] = value
    return value


@program(complete)
def stored_within(rows):
    found = 0.0
    for d in rows:
        found += energy(**d, x=put(d, 0.7 * d["rest"])) + d["k"]
        found += energy(x=put(d, 2.0 * d["rest"]), **d)
        m = {"k": found, "rest": d["k"]}
        m["k"] = 0.5 * d["rest"]
        found += energy(**m, x=put(m, found * found)) + m["k"]
        found = math.tanh(found)
    return found


@program(lambda n: ([names_of(3 + k % 2) for k in range(n)], 0.7), ("ds", "t"))
def keys_come_and_go(ds, t):
    def of(k0, k2, new=1.0, k3=2.0):
        return k0 * k2 * new * k3

    found = 0.0
    for d in ds:
        d.pop("k1")
        found += of(**d)
        d["new"] = t * t
        found += of(**d)
    return found
