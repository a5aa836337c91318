"""What tests say of values, and slots that hold values of several sorts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.none import Obs, tree_of
from tests.run_time.programs.table import (
    RANDOM,
    Spring,
    number,
    program,
)


@program(lambda n: (tree_of(n),))
def leftmost(n):
    t = n.value
    while n.left is not None:
        n = n.left
        t = t * 0.5 + n.value**2
    return t


@program(lambda n: (tree_of(n),))
def rebound(n):
    t = 0.0
    while n is not None:
        if n.left is not None:
            t += n.left.value**2
            n = n.left
            if n.left is not None:
                t += n.left.value
        if n.right is None:
            t += n.value
        n = n.left
    return t


class Cell1:
    def __init__(self, a, nxt):
        self.a = a
        self.nxt = nxt


class Cell2:
    def __init__(self, b, nxt):
        self.b = b
        self.nxt = nxt


def cells_of(n):
    c = None
    for k in range(n):
        c = (Cell1 if k % 3 else Cell2)(number(), c)
    return c


@program(lambda n: (cells_of(n),))
def union_chain(x):
    t = 0.0
    while x is not None:
        if isinstance(x, Cell1):
            t += x.a**2
            x = x.nxt
            if isinstance(x, Cell2):
                t += x.b
        else:
            t += x.b**3
            x = x.nxt
    return t


@program(lambda n: (cells_of(n),))
def union_type(x):
    t = 0.0
    while x is not None:
        if type(x) is Cell1:
            t += x.a**2
        else:
            t += x.b**3
        x = x.nxt
    return t


@program(
    lambda n: (
        [
            ("neg", ("num", number()), 1) if k % 2 else ("pos", ("num", number()), 2)
            for k in range(n)
        ],
    )
)
def tag_kept(es):
    t = 0.0
    for e in es:
        op = e[0]
        e = e[1]
        if op == "neg":
            t -= e[1]
        else:
            t += e[1] ** 2
    return t


@program(
    lambda n: (
        [
            ("sq", number())
            if k % 3 == 0
            else (
                ("cube", number(), number())
                if k % 3 == 1
                else ("pair", ("sq", number()))
            )
            for k in range(n)
        ],
    )
)
def tags(es):
    t = 0.0
    for e in es:
        if e[0] == "sq":
            t += e[1] ** 2
        elif e[0] == "pair":
            t += e[1][1]
        else:
            t += e[1] ** 3 * e[2]
    return t


@program(
    lambda n: (
        [
            ("sq", number())
            if k % 3 == 0
            else (
                ("cube", number(), number())
                if k % 3 == 1
                else ("pair", ("sq", number()))
            )
            for k in range(n)
        ],
    )
)
def tags_match(es):
    t = 0.0
    for e in es:
        match e:
            case ("sq", v):
                t += v**2
            case ("pair", (_, v)):
                t += v
            case ("cube", a, b):
                t += a**3 * b
    return t


@program(
    lambda n: ([Obs(number(), None if k % 3 == 0 else number()) for k in range(n)],)
)
def opt_default(obs):
    t = 0.0
    for o in obs:
        y = o.y
        if y is None:
            y = 0.5
        t += o.x * y
        z = o.y if o.y is not None else 2.0
        t += z**2
        t += o.y or 1.0
    return t


@program(
    lambda n: ([Obs(number(), None if k % 3 == 0 else number()) for k in range(n)],)
)
def opt_eq(obs):
    return sum(o.x * o.y for o in obs if o.y != None)  # noqa: E711


@program(lambda n: ([Spring(1 if k % 2 else number(), 2) for k in range(n)],))
def int_or_float(s):
    return sum(x.k**2 * x.rest for x in s)


@program(lambda n: ([Spring(np.float64(number()), np.float32(1.5)) for k in range(n)],))
def np_scalars(s):
    return sum(x.k**2 * x.rest for x in s)


@dataclass
class Lay:
    w: object
    b: object


@program(
    lambda n: (
        [
            Lay(RANDOM.uniform(size=(3, 3)), RANDOM.uniform(size=1 if k % 2 else 3))
            for k in range(n)
        ],
        RANDOM.uniform(size=3),
    )
)
def bias_one(ls, x):
    for l in ls:
        x = np.tanh(l.w @ x + l.b)
    return x.sum()


@program(
    lambda n: (
        [
            Lay(RANDOM.uniform(size=(3, 3)), None if k % 2 else RANDOM.uniform(size=3))
            for k in range(n)
        ],
        RANDOM.uniform(size=3),
    )
)
def bias_none(ls, x):
    for l in ls:
        x = l.w @ x
        if l.b is not None:
            x = x + l.b
        x = np.tanh(x)
    return x.sum()


@program(
    lambda n: (
        [
            Lay(
                RANDOM.uniform(size=(3, 3)),
                number() if k % 2 else RANDOM.uniform(size=3),
            )
            for k in range(n)
        ],
        RANDOM.uniform(size=3),
    )
)
def bias_number_or_array(ls, x):
    for l in ls:
        x = np.tanh(l.w @ x + l.b)
    return x.sum()


@program(
    lambda n: (
        [
            Lay(RANDOM.uniform(size=(2 + k % 3, 2 + (k + 1) % 3)), None)
            for k in range(n)
        ],
    )
)
def unlike_shapes(ls):
    t = 0.0
    for l in ls:
        t += (l.w**2).sum() * l.w[0, 0] + np.sum(l.w, axis=0)[1]
    return t
