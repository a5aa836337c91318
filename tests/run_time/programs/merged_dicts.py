"""Programs that make dicts of those that they are given: unpacked, united, copied with
more entries."""

from __future__ import annotations

from collections import OrderedDict, defaultdict

import numpy as np

from tests.run_time.programs.changed_dicts import folded, springs_by_name
from tests.run_time.programs.kept_lists import shelves
from tests.run_time.programs.table import names_of, number, program


def two_dicts(n):
    """Some of their keys are the same, in another order."""
    others = {f"k{k}": number() for k in range(2 * n + 2, 1, -2)}
    return names_of(n), others, 0.7


def groups(n):
    return [names_of(k % 3) for k in range(n)], 0.7


@program(two_dicts, ("a", "b", "t"))
def unpacked(a, b, t):
    m = {**a, **b}
    return folded(m, t) * m["k1"] ** 3


@program(two_dicts, ("a", "b", "t"))
def unpacked_twice(a, b, t):
    return folded({**a, **b, **a, **a}, t) + folded(b, t)


@program(two_dicts, ("a", "t"))
def entries_around(a, b, t):
    m = {"k1": t, "y": t * t, **a, "z": 2.0 * t, "k2": t**3}
    return folded(m, t) * m["y"] * m["k1"] * m["z"]


@program(two_dicts, ("a", "b", "t"))
def united(a, b, t):
    m = a | b | {"k1": t}
    n = {"k1": t, "more": t} | a
    m |= b
    m |= {"q": t}
    return folded(m, t) * folded(n, t)


@program(two_dicts, ("a", "t"))
def made_with_more(a, b, t):
    m = dict(a, k1=t, z=2.0 * t)
    return folded(m, t) * m["z"]


@program(two_dicts, ("a", "b", "t"))
def copied_and_updated(a, b, t):
    m = dict(a)
    m.update(b)
    m["k1"] *= t
    m.update(a, k2=t)
    return folded(m, t) * a["k1"]


@program(groups, ("ds", "t"))
def some_empty(ds, t):
    found = 0.0
    for first, second in zip(ds, ds[1:]):
        found += folded(first | second, t)
        found += folded({**second, "k1": t, **first}, t)
    return found


@program(groups, ("ds", "t"))
def one_after_the_other(ds, t):
    m = {}
    for d in ds:
        m = {**m, **d, "q": t}
    n = {"a": t}
    for d in ds:
        n |= d
        n["a"] *= 0.9
    return folded(m, t) + folded(n, t)


@program(lambda n: (*groups(n), [f"k{k % 5}" for k in range(n)]), ("ds", "t"))
def collected(ds, t, names):
    ms = [{**d, name: 2.0 * t, "y": t} for d, name in zip(ds, names)]
    found = 0.0
    for m in ms:
        found = 0.9 * found + folded(m, t)
    return found


@program(two_dicts, ("a", "b", "t"))
def stored_before_and_behind(a, b, t):
    a["k0"] = t * a["k1"]
    m = {**a, **b}
    a["k0"] = 3.0 * a["k2"]
    m["k0"] *= 2.0
    return folded(m, t) + folded(a, t)


def put(d, value):
    d["k1"] = value
    return value


@program(two_dicts, ("a", "t"))
def stored_within(a, b, t):
    m = {**a, "y": put(a, t * t)}
    n = a | {"z": put(a, 2.0 * t)}
    o = dict(a, z=put(a, 3.0 * t))
    return folded(m, t) + folded(a, t) + folded(n, t) * folded(o, t)


@program(two_dicts, ("a", "t"))
def taken_within(a, b, t):
    m = {**a, "y": a.pop("k1") * t}
    return folded(m, t) + folded(a, t) * len(m)


@program(lambda n: (springs_by_name(n), springs_by_name(n + 2)), ("a", "b"))
def objects(a, b):
    m = {**a, **b, "own": a["s0"]}
    m["s1"].k = 2.0 * m["s0"].rest
    found = 0.0
    for s in (*m.values(), *a.values()):
        found = 0.8 * found + s.k**2 * s.rest
    return found


@program(lambda n: ({f"w{k}": np.array([number(), number()]) for k in range(n)}, 0.7))
def arrays(a, t):
    m = {**a, "w1": 2.0 * a["w0"], "v": a["w0"] * t}
    return sum((w**2).sum() for w in m.values()) * (m["w0"] @ m["w1"])


def dicts_by_number(n, step=1):
    return {k: {f"a{j}": number() for j in range(1 + k % 3)} for k in range(0, n, step)}


@program(lambda n: (dicts_by_number(n), dicts_by_number(3 * n, 3)), ("a", "b"))
def dicts_in_dicts(a, b):
    found = 0.0
    for k, d in (a | b).items():
        for v in d.values():
            found = 0.8 * found + k * v * v
        if k in a and k in b:
            both = {**a[k], **b[k]}
            found += sum(v * v for v in both.values())
    return found


@program(lambda n: ({(k, k + 1): number() for k in range(n)}, 0.7), ("a", "t"))
def keys_in_tuples(a, t):
    m = {**a, (1, 2): t, (7, 7): t * t}
    return sum((i + 2 * j) * v * v for (i, j), v in m.items()) * m[7, 7]


@program(lambda n: ({k: number() for k in range(n)}, list(range(-2, 6)), 0.7), ("a",))
def keys_of_the_run(a, ks, t):
    found = 0.0
    for k in ks:
        m = {**a, k: t * t}
        one = {k: t}
        found += sum((k + 3) * v * v for k, v in m.items()) * one[k]
    return found


@program(lambda n: (defaultdict(float, names_of(n)), OrderedDict(names_of(n)), 0.7))
def of_other_classes(a, b, t):
    m = {**a, "k2": t, **b}
    n = dict(a, k1=t * t)
    m["k3"] = 2.0 * t
    return folded(m, t) + folded(n, t) + folded(dict(b), t)


def with_defaults(d, t):
    return {"k1": t, "other": 2.0 * t, **d}


@program(two_dicts, ("a", "b", "t"))
def by_a_function(a, b, t):
    m, n = with_defaults(a, t), with_defaults(b, 2.0 * t)
    return folded(m, t) * folded(n, t) + m["k1"] * n["other"]


@program(two_dicts, ("a", "b", "t"))
def on_one_path(a, b, t):
    if a["k0"] > b["k2"]:
        m = {**a, "x": t}
    else:
        m = a | b
    return folded(m, t)


@program(two_dicts, ("a", "b", "t"))
def given_or_made(a, b, t):
    m = a
    if a["k0"] > -b["k2"]:
        m = {**a, "x": t}
    n = b if t > 0.5 else {**a}
    n["k2"] = 2.0 * a["k0"]
    return folded(m, t) + folded(n, t) * folded(b, t) + sum(len(k) for k in n)


@program(two_dicts, ("a", "b", "t"))
def asked(a, b, t):
    m = {**a, **b, "x": t}
    found = float(len(m))
    for key in ("k1", "zz", "x"):
        if key in m:
            found += m[key]
        found += m.get(key, t)
    del m["k1"]
    found += m.pop("k2") + m.setdefault("kk", t)
    return found * folded(m, t)


@program(lambda n: ([{"name": f"s{k}", "k": number(), "n": k} for k in range(n)],))
def records(rows):
    found = 0.0
    for r in rows:
        m = {**r, "k": 2.0 * r["k"], "own": r["k"] ** 2}
        n = dict(r, k=3.0 * r["k"])
        n["own"] = n["k"] ** 2
        found += m["k"] * m["own"] * m["n"] + len(m["name"])
        found += n["k"] * n["own"] * sum(1 for key in n)
    return found


@program(lambda n: ([names_of(3 + k % 2) for k in range(n)], 0.7), ("ds", "t"))
def keys_come_and_go(ds, t):
    found = 0.0
    for d in ds:
        m = {**d, "y": t}
        d["new"] = t * t
        found += folded(m, t) + folded({**d, "y": t}, t) + folded(d | m, t) * len(d)
        d.pop("k1")
        match d:
            case {"k1": v}:
                found += v
            case {"new": v, **rest}:
                found += v * v + folded(rest, t)
    return found


@program(lambda n: (shelves(n), 0.7), ("ss", "x"))
def new_dict_or_the_old(ss, x):
    total = 0.0
    for s in ss:
        e = {**s.rates, "z": x} if s.gain > 1.0 else s.rates
        e["k0"] = e["k0"] * x
        total += sum(e.values()) * sum(s.rates.values())
    return total


@program(lambda n: (shelves(n), 0.7), ("ss", "x"))
def united_or_the_old(ss, x):
    total = 0.0
    for s in ss:
        if s.gain > 1.0:
            e = s.rates | {"z": x}
        else:
            e = s.rates
        e["w"] = x
        total += sum(e.values()) * sum(s.rates.values())
    return total
