"""Programs that change the structure of the dicts they are given: keys come and go."""

from __future__ import annotations

import math

import numpy as np

from tests.run_time.programs.changed_lists import total
from tests.run_time.programs.table import names_of, number, program, springs_of


def folded(d, t):
    found = 0.0
    for key, value in d.items():
        found = 0.5 * found + len(key) * value**2 * t
    return found


def springs_by_name(n):
    return {f"s{k}": spring for k, spring in enumerate(springs_of(n))}


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def new_key(d, t):
    d["new"] = t * t + d["k1"]
    return folded(d, t)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def key_that_was_there(d, t):
    d["k1"] = t * d["k2"]
    d["k2"] *= d["k1"]
    return folded(d, t)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def without_one(d, t):
    old = d["k0"]
    del d["k0"]
    d["k1"] += old
    return folded(d, t)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def without_some(d, t):
    for key in list(d):
        if d[key] < 1.0:
            d.pop(key)
        else:
            d[key] = math.sin(d[key]) * t
    return folded(d, t) * len(d)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def many_ways(d, t):
    d.setdefault("k9999", t)
    d.setdefault("k1", 5.0 * t)
    d.update({"k2": t, "other": 2.0 * t})
    key, value = d.popitem()
    found = value + d.pop("none", t) + d.pop("k3", 0.0)
    d |= {"k4": t}
    return (found + folded(d, t)) * len(d)


@program(lambda n: (names_of(n), [f"k{k % 4}x" for k in range(n)], 0.7), ("d", "t"))
def counted(d, words, t):
    for word in words:
        d[word] = d.get(word, 0.0) + t
    for word in words:
        if word in d:
            d[word] *= 0.9
    return folded(d, t)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def emptied(d, t):
    found = 0.0
    while d:
        key, value = d.popitem()
        found = 0.9 * found + value * t * len(key)
    d["again"] = found
    return found + folded(d, t)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def cleared(d, t):
    first = d["k1"]
    d.clear()
    d["a"] = first * t
    return folded(d, t) + len(d)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def names_of_one(d, t):
    e = d
    e["new"] = t
    del d["k1"]
    return folded(d, t) + folded(e, t) * len(e)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def own_copy(d, t):
    e = dict(d)
    e["new"] = t * e["k1"]
    f = d.copy()
    f.pop("k2")
    return folded(d, t) + 2.0 * folded(e, t) + 3.0 * folded(f, t)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def renamed(d, t):
    for key in list(d):
        d[f"{key}_new"] = d.pop(key) * t
    return folded(d, t)


@program(lambda n: ({(k, k + 1): number() for k in range(n)}, 0.7), ("table", "t"))
def by_pairs_of_numbers(table, t):
    table[(0, 0)] = t
    del table[0, 1]
    found = 0.0
    for (i, j), value in table.items():
        found = 0.5 * found + (i + 2 * j) * value * t
    return found


@program(lambda n: ({k: number() for k in range(n)}, 0.7), ("table", "t"))
def by_whole_numbers(table, t):
    table[-1] = t
    table.pop(2)
    return sum((key + 2) * value for key, value in table.items()) * t


@program(lambda n: (springs_by_name(n), 0.7), ("d", "t"))
def objects(d, t):
    d["again"] = d["s0"]
    gone = d.pop("s1")
    d["s2"].k = t * gone.rest
    d["s3"], d["s4"] = d["s4"], d["s3"]
    return gone.k + total(d.values(), t) * len(d)


@program(lambda n: (springs_by_name(n), 0.7), ("d", "t"))
def objects_taken(d, t):
    found = 0.0
    while len(d) > 2:
        _, spring = d.popitem()
        found = 0.5 * found + spring.k * spring.rest * t
    return found + total(d.values(), t)


@program(lambda n: ({f"w{k}": np.array([number(), number()]) for k in range(n)}, 0.7))
def arrays(d, t):
    d["new"] = d["w0"] * t
    old = d.pop("w1")
    return sum((w**2).sum() for w in d.values()) + old.sum()


@program(lambda n: ({f"w{k}": [number(), number()] for k in range(n)}, 0.7))
def lists(d, t):
    del d["w0"]
    found = 0.0
    for a, b in d.values():
        found = 0.5 * found + a * b * t
    return found


@program(lambda n: (names_of(n), springs_of(n), 0.7), ("d", "s", "t"))
def with_a_list(d, s, t):
    while s:
        spring = s.pop()
        d[f"k{len(s)}"] = spring.k * t
    return folded(d, t)


def moved_over(d, e):
    for key in list(d):
        e[key] = d.pop(key)


@program(lambda n: (names_of(n), {"a": 1.0, **names_of(n // 2 + 3)}, 0.7), ("d", "e"))
def by_a_function(d, e, t):
    moved_over(d, e)
    return folded(e, t) + len(d)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def tried(d, t):
    try:
        d["k0"] = d["k0"] / t
        d["new"] = 1.0 / d["k1"]
        del d["none"]
        d["k2"] = 0.0
    except KeyError:
        d["k3"] = d["k3"] * t
    return folded(d, t)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def with_more(d, t):
    e = {**d, "k1": t * d["k1"], "new": t}
    return folded(e, t) + folded(dict(e, k2=t * t), t) * len(d)


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def before_others(d, t):
    e = {"first": t, **d}
    e.update(d)
    return folded(e | {"last": e["k1"] * t}, t) + folded({"k1": t} | d, t)


@program(lambda n: ({f"k{k}": np.array([0.1 * k, number()]) for k in range(n)}, 0.7))
def arrays_with_more(d, t):
    e = {**d, "new": t * d["k1"] * d["k2"]}
    return float(sum(np.sum(value**2) for value in e.values()))


@program(lambda n: (names_of(n), 0.7), ("d", "t"))
def unpacked_several_times(d, t):
    e = {**d, "k1": t * d["k1"]}
    f = {**e, "more": t}
    g = dict(e, others=2.0 * t)
    e["late"] = t * t
    total = folded(f, t) + 3.0 * folded(e, t) + 5.0 * folded(g, t)
    return total + folded(d, t) * len(e) + len(f) * t + ("others" in e) * t
