"""Trees, graphs, tables and texts."""

from __future__ import annotations

from dataclasses import dataclass

from tests.run_time.programs.table import (
    number,
    program,
)


@dataclass
class Num:
    v: float


@dataclass
class Add:
    a: object
    b: object


@dataclass
class Mul:
    a: object
    b: object


def expr(n):
    if n <= 1:
        return Num(number())
    return (Add if n % 2 else Mul)(expr(n // 2), expr(n - n // 2))


@program(lambda n: (expr(n),))
def expr_dataclasses(e):
    def ev(e):
        if isinstance(e, Num):
            return e.v
        a, b = ev(e.a), ev(e.b)
        if isinstance(e, Add):
            return a + b
        return a * b

    return ev(e)


def texpr(n):
    if n <= 1:
        return ("num", number())
    if n % 5 == 0:
        return ("neg", texpr(n - 1))
    return ("add" if n % 2 else "mul", texpr(n // 2), texpr(n - n // 2))


@program(lambda n: (texpr(n),))
def expr_tuples(e):
    def ev(e):
        if e[0] == "num":
            return e[1]
        if e[0] == "neg":
            return -ev(e[1])
        a, b = ev(e[1]), ev(e[2])
        if e[0] == "add":
            return a + b
        return a * b

    return ev(e)


class Person:
    def __init__(self, w):
        self.w = w
        self.parent = None
        self.children = []


def family(n):
    people = [Person(number()) for _ in range(n)]
    for k in range(1, n):
        people[k].parent = people[(k - 1) // 2]
        people[(k - 1) // 2].children.append(people[k])
    return people[0]


@program(lambda n: (family(n),))
def parents(root):
    stack = [root]
    t = 0.0
    while stack:
        p = stack.pop()
        t += p.w**2
        if p.parent is not None:
            t += p.w * p.parent.w
        for c in p.children:
            stack.append(c)
    return t


@program(
    lambda n: (
        {k: [(k * 7 + j) % n for j in range(k % 3)] for k in range(n)},
        {k: number() for k in range(n)},
    ),
    ("w",),
)
def graph(g, w):
    t = 0.0
    for k, vs in g.items():
        for v in vs:
            t += w[k] * w[v]
    return t


@program(lambda n: ([[number(), number(), number()] for _ in range(n)],))
def table(rows):
    t = 0.0
    for row in rows:
        t += row[0] * row[1]
        for v in row:
            t += v**2
    return t


@program(lambda n: ([[number() for _ in range(k % 4)] for k in range(n)],))
def ragged(rows):
    return sum(v * v for row in rows for v in row)


@program(lambda n: ([(f"n{k}", number()) for k in range(n)],))
def text_in_slots(rows):
    t = 0.0
    for name, v in rows:
        if name.startswith("n1") or name.upper() == "N2":
            t += v**2
        label = f"{name}-x"
        if label.split("-")[0] == "n3":
            t += 3 * v
    return t


@program(
    lambda n: (
        [(["x", "y"][k % 2], number()) for k in range(n)],
        {"x": 2.0, "y": 3.0, "z": 0.0, "q": 1.0, "r": 1.0},
    ),
    ("rows", "table"),
)
def keys_in_slots(rows, table):
    t = 0.0
    for name, v in rows:
        t += table[name] * v**2
    return t
