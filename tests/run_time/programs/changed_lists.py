"""Programs that change the structure of the lists they are given: what they hold moves,
comes and goes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from tests.run_time.programs.table import Frozen, number, program, springs_of


@dataclass
class Body:
    x: float
    mass: float
    near: list = field(default_factory=list)


class Team:
    def __init__(self, members, weight):
        self.members = members
        self.weight = weight

    def leave(self):
        return self.members.pop(0)


def bodies(n):
    made = [Body(number(), number()) for _ in range(n)]
    for k, body in enumerate(made):
        body.near = [made[(k + 1) % n], made[(k * 3) % n]]
    return made


def total(items, t):
    found = 0.0
    for item in items:
        found = 0.5 * found + item.k * item.rest * t
    return found


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def swapped(s, t):
    s[0], s[1] = s[1], s[0]
    return sum((k + 1) * x.k * x.rest * t for k, x in enumerate(s))


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def ordered(s, t):
    s.sort(key=lambda x: -x.rest)
    return total(s, t)


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def ordered_by_hand(s, t):
    for i in range(1, len(s)):
        j = i
        while j > 0 and s[j - 1].rest > s[j].rest:
            s[j - 1], s[j] = s[j], s[j - 1]
            j -= 1
    return total(s, t)


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def taken_from_the_end(s, t):
    found = 0.0
    while s:
        x = s.pop()
        found = 0.5 * found + x.k * t
    return found + len(s)


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def taken_from_the_front(s, t):
    found = 0.0
    while len(s) > 1:
        a, b = s.pop(0), s[0]
        b.k = b.k + 0.5 * a.k * a.rest
        found = 0.9 * found + b.k * t
    return found + s[0].rest


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def rearranged(s, t):
    s.insert(1, s[3])
    del s[0]
    s.reverse()
    s += s[:2]
    s.extend(s[2:4])
    s.append(s[1])
    s[1:3] = s[2:4]
    del s[-2:]
    s *= 2
    return total(s, t)


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def two_names(s, t):
    r = s
    r.append(s[0])
    s.append(r[1])
    r[0] = s[2]
    return total(s, t) + len(r) * total(r, 2.0 * t)


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def on_some_paths(s, t):
    for x in list(s):
        if x.k > 1.0:
            s.append(x)
        elif x.rest < 0.8:
            s.pop(0)
    return total(s, t)


def without_first(s):
    first = s[0]
    del s[0]
    return first


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def by_a_function(s, t):
    a = without_first(s)
    b = without_first(s)
    return a.k * t + 2.0 * b.rest + total(s, t)


def summed(s, t):
    if not s:
        return 0.0
    x = s.pop()
    return x.k * t + 0.5 * summed(s, t) * x.rest


@program(lambda n: (springs_of(min(n, 30)), 0.7), ("s", "t"))
def by_recursion(s, t):
    return summed(s, t)


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def stored_and_moved(s, t):
    for x in s:
        x.k += t
    s.sort(key=lambda x: x.rest)
    for x in s:
        x.k *= t
    x = s.pop(0)
    x.k = 2.0 * x.k
    s.append(x)
    return total(s, t)


@program(lambda n: (bodies(n), 0.7), ("b", "t"))
def neighbours(b, t):
    found = 0.0
    while b:
        body = b.pop()
        found += body.x * sum(other.mass for other in body.near) * t
    return found


@program(lambda n: (bodies(n), 0.7), ("b", "t"))
def neighbours_pushed(b, t):
    found, count = 0.0, 0
    b = b[:3]
    while b and count < 20:
        body = b.pop()
        found = 0.9 * found + body.x**2 * t
        b.extend(body.near)
        count += 1
    return found


@program(lambda n: (bodies(n), 0.7), ("b", "t"))
def walked(b, t):
    del b[2:]
    found, count = 0.0, 0
    while b and count < 20:
        body = b.pop(0)
        body.x = body.x * t
        found = 0.9 * found + math.sin(body.x)
        b.extend(body.near)
        count += 1
    return found


@program(lambda n: (Team(springs_of(n), 0.4), 0.7), ("team", "t"))
def in_an_object(team, t):
    first = team.leave()
    team.members.append(first)
    return total(team.members, t) * team.weight


@program(lambda n: ({"s": springs_of(n), "w": 0.4}, 0.7), ("d", "t"))
def in_a_dict(d, t):
    d["s"].sort(key=lambda x: x.k)
    return total(d["s"], t) * d["w"]


@program(lambda n: ([(number(), f"a{k}") for k in range(n)], 0.7), ("pairs", "t"))
def pairs(pairs, t):
    pairs.sort(key=lambda pair: pair[0])
    found = 0.0
    while pairs:
        weight, name = pairs.pop()
        found = 0.5 * found + weight * t * len(name)
    return found


@program(lambda n: ([{"w": number(), "of": "a"} for _ in range(n)], 0.7), ("rows", "t"))
def dicts(rows, t):
    rows[0], rows[-1] = rows[-1], rows[0]
    rows[1]["w"] = rows[0]["w"] * t
    rows.append(rows[1])
    return sum((k + 1) * row["w"] ** 2 for k, row in enumerate(rows))


@program(lambda n: ([Frozen(number(), f"t{k % 3}") for k in range(n)], 0.7))
def frozen(rows, t):
    while len(rows) > 2:
        rows.remove(rows[1])
    rows.insert(0, rows[1])
    return sum((k + 1) * row.a * t for k, row in enumerate(rows))


@program(lambda n: ([[number(), number()] for _ in range(n)], springs_of(n), 0.7))
def two_lists(rows, s, t):
    found = 0.0
    while rows and s:
        a, b = rows.pop()
        x = s.pop()
        found = 0.5 * found + a * b * x.k * t
    return found


@program(lambda n: (springs_of(n), springs_of(n + 2), 0.7), ("s", "r", "t"))
def from_one_to_the_other(s, r, t):
    while s:
        r.append(s.pop())
    r[0], r[-1] = r[-1], r[0]
    return total(r, t)


@program(lambda n: (springs_of(n), springs_of(n + 2), 0.7), ("s", "r", "t"))
def one_of_two(s, r, t):
    longer = s if s[0].k > r[0].k else r
    longer.append(s[1])
    return total(s, t) + 2.0 * total(r, t)


@program(
    lambda n: (
        [np.array([number(), number()]) for _ in range(n)],
        springs_of(n),
        0.7,
    ),
    ("arrays", "s"),
)
def arrays_beside(arrays, s, t):
    found = 0.0
    while s:
        s.pop()
        found = found + t * arrays.pop().sum() ** 2
    return found


@program(lambda n: (springs_of(n), [f"w{k % 3}" for k in range(n)], 0.7), ("s", "t"))
def texts(s, words, t):
    words.append("w1")
    found = 0.0
    while words:
        word = words.pop(0)
        if word == "w1":
            found += s[0].k * t
    return found * s[1].rest


@program(lambda n: (springs_of(n), 0.7), ("s", "t"))
def left_early(s, t):
    found = 0.0
    while True:
        if len(s) < 2:
            break
        x = s.pop()
        if x.k < 0.7:
            continue
        found += x.k * x.rest * t
        if found > 3.0:
            return found * s[0].k
    return found


@program(lambda n: ([SimpleNamespace(xs=[number()]) for _ in range(n)], 0.7))
def lists_in_namespaces(spaces, t):
    for space in spaces:
        space.xs.append(t * space.xs[0])
    return sum(space.xs[-1] ** 2 for space in spaces)
