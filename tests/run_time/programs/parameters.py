"""Dicts of parameters, groups and texts that name their keys."""

from __future__ import annotations

import json

import numpy as np

from tests.run_time.programs.table import (
    RANDOM,
    Frozen,
    names_of,
    number,
    program,
    springs_of,
)


@program(lambda n: ({f"w{i}": number() for i in range(n)}, "w1->w2\nw2->w3\nw0->w1"))
def parsed(d, text):
    t = 0.0
    for line in text.splitlines():
        a, b = line.split("->")
        t += d[a] * d[b]
    return t


@program(
    lambda n: (
        {f"w{i}": number() for i in range(n)},
        json.dumps([["w1", 2.0], ["w2", 3.0]]),
    )
)
def jsons(d, text):
    t = 0.0
    for name, f in json.loads(text):
        t += d[name] * float(f)
    return t


@program(
    lambda n: (
        [
            {"w": RANDOM.uniform(size=(3, 3)), "b": RANDOM.uniform(size=3)}
            for _ in range(n)
        ],
        RANDOM.uniform(size=3),
    )
)
def blocks(layers, x):
    for l in layers:
        x = np.tanh(l["w"] @ x + l["b"])
    return x.sum()


@program(
    lambda n: (
        [(RANDOM.uniform(size=(3, 3)), RANDOM.uniform(size=3)) for _ in range(n)],
        RANDOM.uniform(size=3),
    )
)
def pairs_wb(layers, x):
    for w, b in layers:
        x = np.tanh(w @ x + b)
    return x.sum()


@program(
    lambda n: (
        {
            f"l{i}": {"w": RANDOM.uniform(size=(3, 3)), "b": RANDOM.uniform(size=3)}
            for i in range(n)
        },
        RANDOM.uniform(size=3),
    )
)
def dict_of_blocks(params, x):
    for name in params:
        p = params[name]
        x = np.tanh(p["w"] @ x + p["b"])
    return x.sum()


@program(lambda n: (springs_of(n),))
def dict_of_refs(s):
    by = {}
    for i, x in enumerate(s):
        by[i] = x
    t = 0.0
    for i in range(len(s)):
        t += by[i].k ** 2
    return t


@program(lambda n: ([Frozen(number(), "abc"[k % 3]) for k in range(n)],))
def grouped(s):
    groups = {}
    for x in s:
        groups.setdefault(x.tag, []).append(x)
    t = 0.0
    for tag, xs in groups.items():
        t += sum(x.a for x in xs) ** 2
    return t


@program(lambda n: ([Frozen(number(), "abc"[k % 3]) for k in range(n)],))
def totals_by_text(s):
    totals = {}
    for x in s:
        totals[x.tag] = totals.get(x.tag, 0.0) + x.a
    t = 0.0
    for tag in totals:
        t += totals[tag] ** 2
    return t


@program(lambda n: ({f"k{i}": springs_of(2)[0] for i in range(n)},))
def dict_of_objects(d):
    t = 0.0
    for name, s in sorted(d.items()):
        t = 0.9 * t + s.k * s.rest
    return t


@program(lambda n: (names_of(n),))
def dict_len_max(d):
    return max(d.values()) * min(d.values()) + len(d)


@program(lambda n: (names_of(n),))
def dict_best_key(d):
    k = max(d, key=d.get)
    return d[k] ** 2


@program(lambda n: (names_of(n),))
def dict_sorted_keys(d):
    t = 0.0
    for k in sorted(d):
        t = 0.5 * t + d[k]
    return t


@program(lambda n: (names_of(n),))
def dict_comp(d):
    e = {k: v**2 for k, v in d.items()}
    return sum(e.values())


@program(lambda n: (names_of(n),))
def dict_list_values(d):
    vs = list(d.values())
    return vs[0] * vs[-1] + np.array(vs).sum()
