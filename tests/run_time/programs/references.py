"""Data of the module, models, references that are kept in lists and names."""

from __future__ import annotations

import enum
import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.table import (
    RANDOM,
    Spring,
    number,
    program,
    springs_of,
)

SPRINGS = springs_of(9)


@program(lambda n: (1.5,))
def g_global(x):
    t = 0.0
    for s in SPRINGS:
        t += s.k * x**2 + s.rest * x
    return t


TABLE = {f"w{i}": number() for i in range(9)}


@program(lambda n: (1.5,))
def g_dict(x):
    t = 0.0
    for k, v in TABLE.items():
        t += v * x**2
    return t * TABLE["w3"]


@program(lambda n: (1.5, ["w1", "w2"] * n))
def g_lookup(x, words):
    t = 0.0
    for w in words:
        t += TABLE[w] * x
    return t


BIG = [number() for _ in range(200)]


@program(lambda n: (1.5,))
def g_floats(x):
    t = 0.0
    for v in BIG:
        t += v * x**2
    return t


class Dense:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return self.w @ x + self.b


class Act:
    def __call__(self, x):
        return np.tanh(x)


class Scale:
    def __init__(self, s):
        self.s = s

    def __call__(self, x):
        return x * self.s


class Model:
    def __init__(self, layers):
        self.layers = layers
        self.gain = 1.3

    def __call__(self, x):
        for l in self.layers:
            x = l(x)
        return x * self.gain


def model_of(n):
    ls = []
    for k in range(n):
        ls += [
            Dense(RANDOM.uniform(size=(3, 3)), RANDOM.uniform(size=3)),
            Act(),
            Scale(number()),
        ]
    return Model(ls)


@program(lambda n: (model_of(n), RANDOM.uniform(size=3)))
def model(m, x):
    return m(x).sum()


@program(lambda n: (model_of(n).layers, RANDOM.uniform(size=3)))
def layers_called(ls, x):
    for l in ls:
        x = l(x)
    return x.sum()


@dataclass
class TNode:
    v: float
    children: list


def tnode(n):
    if n <= 1:
        return TNode(number(), [])
    return TNode(number(), [tnode(n // 3), tnode(n // 2)])


@program(lambda n: (tnode(n),))
def bfs(root):
    q = [root]
    t = 0.0
    depth = 0
    while q:
        nxt = []
        for x in q:
            t += x.v**2
            for c in x.children:
                nxt.append(c)
        q = nxt
    return t


@program(lambda n: (tnode(n),))
def extend_stack(root):
    q = [root]
    t = 0.0
    while q:
        x = q.pop()
        t = 0.9 * t + x.v**2
        q.extend(x.children)
    return t


@program(lambda n: (tnode(n),))
def deque_bfs(root):
    q = deque([root])
    t = 0.0
    while q:
        x = q.popleft()
        t = 0.9 * t + x.v**2
        q.extend(x.children)
    return t


@program(lambda n: (springs_of(n),))
def best(s):
    b = None
    for x in s:
        if b is None or x.k > b.k:
            b = x
    return b.k * b.rest


@program(lambda n: (springs_of(n),))
def best2(s):
    b = s[0]
    for x in s[1:]:
        if x.k > b.k:
            b = x
    return b.k * b.rest


@program(lambda n: (springs_of(n),))
def cond_ref(s):
    a = s[0] if s[0].k > s[1].k else s[1]
    return a.k**2


@program(lambda n: (springs_of(n),))
def helper_returns(s):
    def find(xs, lim):
        for x in xs:
            if x.k > lim:
                return x
        return xs[0]

    return find(s, 0.9).k ** 2


@program(lambda n: (springs_of(n),))
def starred(s):
    def f(*xs):
        return sum(x.k for x in xs)

    return f(*s)


@program(lambda n: ([[number(), number()] for _ in range(n)],))
def table_array(rows):
    return (np.array(rows) ** 2).sum()


@program(lambda n: ([[number(), number()] for _ in range(n)],))
def zip_star(rows):
    a, b = zip(*rows)
    return sum(a) * sum(b)


@program(lambda n: ([(number(), number()) for _ in range(n)],))
def comp_pairs(rows):
    return sum(x * y for x, y in rows) + sum([x for x, _ in rows])


@program(lambda n: ([(k % 3, number()) for k in range(n)],))
def int_slots(rows):
    t = [0.0, 0.0, 0.0]
    for k, v in rows:
        t[k] += v**2
    return t[0] * t[1] + t[2]


@program(
    lambda n: (
        [
            {"id": f"a{k}", "pos": (number(), number()), "tags": ["x", "y"][: k % 2]}
            for k in range(n)
        ],
    )
)
def nested_records(rows):
    t = 0.0
    for r in rows:
        x, y = r["pos"]
        if "x" in r["tags"]:
            t += x * y
        else:
            t += x
    return t


@program(lambda n: ([Spring(number(), number()) if k % 3 else None for k in range(n)],))
def none_among(xs):
    t = 0.0
    for x in xs:
        if x is None:
            continue
        t += x.k * x.rest
    return t


@program(lambda n: ([number() if k % 3 else None for k in range(n)],))
def none_numbers(xs):
    return sum(x**2 for x in xs if x is not None)


class WithMeta:
    kind = "m"

    def __init__(self, w):
        self.w = w
        self.log = []
        self.cfg = {"a": 1, "b": "x"}
        self.name = "n"

    @classmethod
    def unit(cls):
        return 2.0

    @staticmethod
    def sq(x):
        return x * x

    def f(self):
        if self.kind == "m" and self.cfg["b"] == "x":
            return self.sq(self.w) * self.unit()
        return 0.0


@program(lambda n: ([WithMeta(number()) for _ in range(n)],))
def metas(xs):
    return sum(x.f() for x in xs)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclass
class Ball:
    color: Color
    r: float
    on: bool
    n: int


@program(
    lambda n: (
        [
            Ball(Color.RED if k % 2 else Color.BLUE, number(), k % 3 == 0, k)
            for k in range(n)
        ],
    )
)
def enums(xs):
    t = 0.0
    for x in xs:
        if x.color is Color.RED:
            t += x.r**2
        elif x.color == Color.BLUE and x.on:
            t += x.r * x.n
    return t


@program(lambda n: (springs_of(n),))
def identity(xs):
    t = 0.0
    first = xs[0]
    for x in xs:
        if x is first:
            t += x.k
        if x == xs[2]:
            t += x.rest
        if x in xs[:2]:
            t += 2 * x.rest
    return t


@program(lambda n: ([[springs_of(2)[0] for _ in range(1 + k % 3)] for k in range(n)],))
def lol_objects(rows):
    return sum(s.k for row in rows for s in row)


@program(lambda n: (springs_of(n), {k: number() for k in range(n)}), ("s", "w"))
def two_args(s, w):
    t = 0.0
    for k, x in enumerate(s):
        t += w[k] * x.k
    return t


@program(lambda n: (springs_of(n),))
def index_loop(s):
    t = 0.0
    for i in range(len(s) - 1):
        for j in range(i + 1, min(i + 3, len(s))):
            t += s[i].k * s[j].rest
    return t


@program(lambda n: (springs_of(n),))
def trys(s):
    t = 0.0
    for x in s:
        try:
            if x.k > 1.0:
                raise ValueError
            t += x.k**2
        except ValueError:
            t += x.rest
    return t


GS = springs_of(80)


@program(lambda n: (springs_of(n),))
def g_mixed(s):
    t = 0.0
    for k in range(len(s)):
        x = s[k] if k % 2 else GS[k]
        t += x.k**2 + x.rest * GS[0].k
    return t


BIGD = {f"w{i}": number() for i in range(100)}


@program(lambda n: (1.5, ["w1", "w2"] * n))
def g_bigd(x, words):
    t = 0.0
    for w in words:
        t += BIGD[w] * x
    for k, v in BIGD.items():
        t += v * x**2
    return t


def mkc(data):
    def f(x):
        t = 0.0
        for s in data:
            t += s.k * x**2
        return t

    return f


CLOSURE = mkc(springs_of(70))


@program(lambda n: (1.5,))
def g_closure(x):
    return CLOSURE(x)


class Holder:
    def __init__(self):
        self.items = springs_of(90)

    def f(self, x):
        return sum(s.k * x * x for s in self.items)


HOLD = Holder()


@program(lambda n: (1.5,))
def g_object(x):
    return HOLD.f(x)


class Site:
    def __init__(self, value):
        self.value = value
        self.near = []


@program(lambda n: ([number() for _ in range(n + 2)], 0.8))
def two_that_hold_each_other(xs, rate):
    some, other = Site(rate), Site(xs[0])
    some.near.append(other)
    other.near.append(some)
    for x in xs:
        some.near[0].value *= x
        other.value += some.near[0].near[0].value
    return math.sin(some.value * other.near[0].near[0].value)


@program(lambda n: ([number() for _ in range(n + 9)], 0.8))
def grid_of_neighbours(xs, rate):
    sites = {(i, j): Site(xs[i + 2 * j] * rate) for i in range(3) for j in range(3)}
    for (i, j), site in sites.items():
        for place in ((i + 1, j), (i, j + 1)):
            other = sites.get(place)
            if other is not None:
                site.near.append(other)
                other.near.append(site)
    for _ in range(2):
        means = [sum(s.value for s in site.near) / 4 for site in sites.values()]
        for site, mean in zip(sites.values(), means):
            site.value = 0.5 * site.value + mean
    return sum(site.value**2 for site in sites.values())
