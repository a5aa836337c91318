"""Shared objects, functions and methods over them, dicts with keys of any sort."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.objects import Base, Derived
from tests.run_time.programs.table import (
    Spring,
    number,
    program,
    springs_of,
)


def shared(n):
    s = springs_of(3)
    return [s[k % 3] for k in range(n)]


@program(lambda n: ({k: 0 for k in range(6)}, shared(n)), ("s",))
def shared_objs(d, s):
    t = 1.0
    for x in s:
        t = t * x.k + x.rest
    return t


@program(lambda n: (springs_of(n),))
def loop_else(s):
    for x in s:
        if x.k > 100:
            break
    else:
        return s[0].k ** 2
    return 0.0


@program(lambda n: (springs_of(n),))
def while_index(s):
    i = 0
    t = 0.0
    while i < len(s) and t < 3.0:
        t += s[i].k * s[-1 - i].rest
        i += 1
    return t


@program(lambda n: (springs_of(n),))
def nested_fn(s):
    def en(x):
        return 0.5 * x.k * x.rest**2

    return sum(map(en, s))


@program(lambda n: (springs_of(n),))
def lambda_key(s):
    top = sorted(s, key=lambda x: -x.k)[:3]
    return sum(x.rest * x.k for x in top)


@program(lambda n: (springs_of(n),))
def by_index_sorted(s):
    order = sorted(range(len(s)), key=lambda i: s[i].k)
    t = 0.0
    for i in order:
        t = 0.5 * t + s[i].k * s[i].rest
    return t


@program(lambda n: (springs_of(n),))
def to_arrays(s):
    k = np.array([x.k for x in s])
    r = np.array([x.rest for x in s])
    return (k * r).sum() + k @ r


@program(
    lambda n: (
        [Derived(number(), number()) if k % 2 else Base(number()) for k in range(n)],
    )
)
def union_getattr(xs):
    t = 0.0
    for x in xs:
        t += getattr(x, "b", 1.0) * x.w
    return t


@program(
    lambda n: (
        [Derived(number(), number()) if k % 2 else Base(number()) for k in range(n)],
    )
)
def union_hasattr(xs):
    t = 0.0
    for x in xs:
        if hasattr(x, "b"):
            t += x.b
        t += x.twice
    return t


class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, c):
        return Vec(self.x * c, self.y * c)

    def dot(self, o):
        return self.x * o.x + self.y * o.y


@program(lambda n: ([Vec(number(), number()) for _ in range(n)],))
def vecs(vs):
    total = vs[0] * 0.5
    t = 0.0
    for v in vs:
        w = v + vs[0] * 2.0
        t += w.dot(v)
    return t + total.dot(vs[1])


@program(lambda n: ([Vec(number(), number()) for _ in range(n)],))
def vec_acc(vs):
    acc = Vec(0.0, 0.0)
    for v in vs:
        acc = acc + v
    return acc.dot(acc)


@program(lambda n: ([Vec(number(), number()) for _ in range(n)],))
def vec_sum(vs):
    return sum(vs, Vec(0.0, 0.0)).dot(vs[0])


@program(lambda n: ([{"a": number(), "b": number()} for _ in range(n)],))
def dict_get_rows(rows):
    t = 0.0
    for r in rows:
        t += r.get("a", 0.0) * r["b"] + r.get("zz", 1.0)
    return t


@program(
    lambda n: (
        [{"a": number(), **({"b": number()} if k % 2 else {})} for k in range(n)],
    )
)
def dict_missing(rows):
    t = 0.0
    for r in rows:
        if "b" in r:
            t += r["a"] * r["b"]
        else:
            t += r["a"] ** 2
    return t


@program(
    lambda n: ({f"a{k}": {f"b{j}": number() for j in range(k % 3)} for k in range(n)},)
)
def dict_of_dicts(g):
    t = 0.0
    for u, vs in g.items():
        for v, w in vs.items():
            if u != v:
                t += w**2
    return t


@program(lambda n: ({(k, k + 1): number() for k in range(n)},))
def tuple_keys(g):
    t = 0.0
    for (i, j), w in g.items():
        t += w * i * j
    return t + g[(1, 2)]


@program(
    lambda n: ({k: number() for k in range(n)}, [(k, (k * 3) % n) for k in range(n)]),
    ("w",),
)
def edges(w, es):
    return sum(w[a] * w[b] for a, b in es)


@program(lambda n: (springs_of(n), "sum"))
def mode(s, how):
    if how == "sum":
        return sum(x.k for x in s)
    return 0.0


@program(lambda n: (springs_of(n), {"lr": 0.1, "n": 3, "name": "q"}))
def config(s, cfg):
    return sum(x.k for x in s) * cfg["lr"] * cfg["n"]


@program(lambda n: (springs_of(n),))
def asserts(s):
    assert len(s) > 0, "empty"
    if not s:
        raise ValueError("none")
    if not all(isinstance(x, Spring) for x in s):
        raise TypeError
    print(len(s)) if False else None
    return s[0].k
