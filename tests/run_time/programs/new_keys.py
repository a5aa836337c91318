"""Programs that change which keys the dicts have that stand in what they are given."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tests.run_time.programs.table import number, program


@dataclass
class Shop:
    stock: dict
    price: float


@dataclass
class Person:
    wealth: float
    friends: dict = field(default_factory=dict)


def shops(n):
    return [
        Shop({f"k{j}": number() for j in range(2 + k % 3)}, number()) for k in range(n)
    ]


def people(n):
    made = [Person(number()) for _ in range(n)]
    for k, p in enumerate(made):
        p.friends["next"] = made[(k + 1) % n]
    return made


@program(lambda n: (shops(n), 0.8))
def stock_added(shops, x):
    for s in shops:
        s.stock["new"] = x * s.price
        s.stock["k0"] = s.stock["k1"] * s.stock["new"]
    return sum(v * v * s.price for s in shops for v in s.stock.values())


@program(lambda n: (shops(n), 0.8))
def stock_sold(shops, x):
    total = 0.0
    for s in shops:
        sold = s.stock.pop("k1")
        total += sold * s.price
        s.price = math.sin(sold * x)
        if "k2" in s.stock:
            del s.stock["k2"]
        total += s.stock.pop("k3", x) * len(s.stock)
    return total + sum(v * s.price for s in shops for v in s.stock.values())


@program(lambda n: (shops(n), [f"k{k % 7}" for k in range(2 * n)], 0.8))
def orders_counted(shops, names, x):
    for k, name in enumerate(names):
        s = shops[k % len(shops)]
        s.stock[name] = s.stock.get(name, 0.0) + x * s.price
    total = 0.0
    for s in shops:
        for name, v in s.stock.items():
            total += v * v * len(name)
    return total


@program(lambda n: (people(n), 0.7))
def friends_made(ps, x):
    for k, p in enumerate(ps):
        p.friends["first"] = ps[0]
        p.friends.setdefault("next", ps[0])
        p.friends.setdefault("last", ps[-1])
        if k % 3 == 0:
            p.friends.pop("next")
    total = 0.0
    for p in ps:
        for name, q in p.friends.items():
            total += x * p.wealth * q.wealth**2 * len(name)
    return total


@program(lambda n: (people(n), 0.7))
def friends_who_are_made(ps, x):
    for p in ps:
        p.friends["child"] = Person(x * p.wealth, {})
        p.friends["child"].friends["parent"] = p
    return sum(
        p.friends["child"].friends["parent"].wealth * p.friends["child"].wealth
        for p in ps
    )


@program(lambda n: ({f"n{k}": {f"n{k + 1}": number()} for k in range(n)}, 0.7))
def edges_turned_round(graph, x):
    last = graph["n0"]
    for name, edges in graph.items():
        last[name] = x * sum(edges.values())
        edges.update({"end": x})
        last = edges
    return sum(w * w * len(e) for e in graph.values() for w in e.values())


@program(lambda n: ([{} for _ in range(n)], [number() for _ in range(n)]), ("xs",))
def tables_filled(tables, xs):
    for k, table in enumerate(tables):
        for j in range(3):
            table[f"t{j}"] = xs[k] * xs[j]
    return sum(v * v for t in tables for v in t.values())


@program(lambda n: ([number() for _ in range(n + 4)], 0.8))
def keys_in_both(xs, rate):
    some, others = {}, {}
    for k, x in enumerate(xs):
        some[f"k{k}"] = x * rate
        others[f"k{2 * k}"] = x
    common = sum(some[key] * others[key] for key in sorted(some.keys() & others.keys()))
    some["k0"] = rate
    del others["k2"]
    alone = sum(some[key] for key in sorted(set(some) - others.keys()))
    return common + math.sin(alone)
