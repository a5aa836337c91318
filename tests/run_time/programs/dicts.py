"""Dicts: of numbers, lists, records; their subclasses."""

from __future__ import annotations

import math
from collections import OrderedDict, defaultdict

from tests.run_time.programs.table import (
    names_of,
    number,
    program,
)


@program(lambda n: (names_of(n), 2.0), ("d", "x"))
def d_items(d, x):
    t = 0.0
    for k, v in d.items():
        t += v * v * x
    return t * d["k1"]


@program(lambda n: (names_of(n),))
def d_values(d):
    return sum(v**2 for v in d.values())


@program(lambda n: (names_of(n),))
def d_keys(d):
    t = 1.0
    for k in d:
        t *= math.cos(d[k])
    for k in d.keys():
        t += d[k]
    return t


@program(lambda n: (names_of(n), ["k1", "zz", "k3", "k1"] * n))
def d_get(d, words):
    t = 0.0
    for w in words:
        t += d.get(w, 0.5) ** 2
        if w in d:
            t += d[w]
    return t * len(d)


@program(lambda n: (names_of(n), "k1 k3 k2"))
def d_words(d, text):
    return sum(d[w] ** 2 for w in text.split())


@program(lambda n: ({k: [number() for _ in range(k % 4)] for k in range(n)},))
def d_of_lists(d):
    t = 0.0
    for k, vs in d.items():
        for v in vs:
            t += k * v**2
    return t


@program(lambda n: ([{"name": f"a{k}", "w": number(), "n": k} for k in range(n)],))
def records_as_dicts(rows):
    t = 0.0
    for r in rows:
        if r["name"] != "a2":
            t += r["w"] ** 2 * r["n"]
    return t


@program(lambda n: (defaultdict(float, names_of(n)),))
def default_dict(d):
    return sum(v * v for v in d.values())


@program(
    lambda n: (
        defaultdict(
            list, {k: [(k * 7 + j) % n for j in range(k % 3)] for k in range(n)}
        ),
        defaultdict(float, {k: number() for k in range(n)}),
    ),
    ("w",),
)
def default_graph(g, w):
    t = 0.0
    for k in range(len(w)):
        for j in g[k]:
            t += w[k] * w[j]
    return t


@program(lambda n: (OrderedDict(names_of(n)),))
def ordered_dict(d):
    t = 0.0
    for k, v in d.items():
        t = 0.5 * t + v**2
    return t


def lists_of_three(n):
    return ({k: [number() for _ in range(3)] for k in range(n)},)


@program(lists_of_three)
def d_of_lists_chosen_by_key(d):
    return sum(max(vs, key=lambda v: -v) * min(vs) for vs in d.values())


@program(lists_of_three)
def d_of_lists_turned(d):
    return sum(vs[::-1][0] ** 2 * vs[-1] * sum(vs[1:]) for vs in d.values())


@program(lambda n: ({f"k{k}": number() for k in range(n)}, number()))
def largest_and_smallest_keys(d, x):
    made = {k % 5: x * v for k, v in enumerate(d.values())}
    lowest = min(d, key=lambda name: d[name])
    return d[max(d)] * d[min(d)] + made[max(made)] * made[min(made)] + d[lowest] * x
