"""Objects of one class of which some lack an attribute."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.table import number, program


class Part:
    """Has a weight or none."""

    def __init__(self, x, weight=None):
        self.x = x
        if weight is not None:
            self.weight = weight

    def load(self):
        return self.x * getattr(self, "weight", 0.5)

    @property
    def heavy(self):
        return hasattr(self, "weight")


class Loose:
    """Holds what it is given."""

    def __init__(self, **held):
        self.__dict__.update(held)


class Rated(Part):
    """What its objects lack the class has."""

    rate = 0.25


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x, y=None):
        self.x = x
        if y is not None:
            self.y = y


def parts_of(n):
    return [Part(number(), number() if k % 3 else None) for k in range(n)]


@program(lambda n: (parts_of(n),))
def a_default(parts):
    return sum(p.x * getattr(p, "weight", 2.0) ** 2 for p in parts)


@program(lambda n: (parts_of(n),))
def a_asked(parts):
    total = 0.0
    for p in parts:
        if hasattr(p, "weight"):
            total += p.x * p.weight
        else:
            total += p.x**2
    return total


@program(lambda n: (parts_of(n),))
def a_tried(parts):
    total = 0.0
    for p in parts:
        try:
            w = p.weight * 2.0
        except AttributeError:
            w = total
        total += w * p.x
    return total


@program(lambda n: (parts_of(n),))
def a_methods(parts):
    return sum(p.load() for p in parts) + sum(p.weight for p in parts if p.heavy)


@program(lambda n: (parts_of(n),))
def a_matched(parts):
    total = 0.0
    for p in parts:
        match p:
            case Part(x=x, weight=w) if w > 0.7:
                total += x * w
            case Part(weight=w):
                total += w**3
            case Part(x=x):
                total -= x
    return total


def rated_of(n):
    made = [Rated(number()) for _ in range(n)]
    for k, p in enumerate(made):
        if k % 2:
            p.rate = number()
    return made


@program(lambda n: (rated_of(n),))
def a_class_has_it(parts):
    return sum(p.x * p.rate * getattr(p, "rate", 7.0) for p in parts)


@program(
    lambda n: ([Slotted(number(), number() if k % 2 else None) for k in range(n)],)
)
def a_slots(parts):
    return sum(p.x * (p.y if hasattr(p, "y") else 3.0) for p in parts)


@program(
    lambda n: (
        [
            Loose(x=number(), w=np.array([number()] * 3))
            if k % 2
            else Loose(x=number(), next=Loose(x=number()))
            for k in range(n)
        ],
    )
)
def a_unlike(parts):
    total = 0.0
    for p in parts:
        if hasattr(p, "w"):
            total += p.x * p.w.sum()
        else:
            total += p.next.x**2
    return total


def chain_of(n):
    first = Part(number())
    last = first
    for k in range(n):
        last.behind = Part(number(), number() if k % 2 else None)
        last = last.behind
    return first


@program(lambda n: (chain_of(n),))
def a_chain(part):
    total = part.x
    while hasattr(part, "behind"):
        part = part.behind
        total = total * 0.9 + part.load() ** 2
    return total


class Group:
    """Has a name instead."""

    def __init__(self, x, members):
        self.x = x
        self.members = members


@program(
    lambda n: (
        [
            Group(number(), [number()] * 2)
            if k % 3 == 0
            else Part(number(), number() if k % 3 == 1 else None)
            for k in range(n)
        ],
    )
)
def a_union(items):
    total = 0.0
    for p in items:
        total += p.x * getattr(p, "weight", 2.0)
        if hasattr(p, "members"):
            total += p.members[0] * p.members[1]
        elif not hasattr(p, "weight"):
            total *= p.x
    return total


@program(lambda n: (parts_of(n),))
def a_stored(parts):
    total = 0.0
    for _ in range(2):
        for p in parts:
            if hasattr(p, "weight"):
                p.weight = p.weight * p.x
                p.x += 0.5 * p.weight
            else:
                p.x *= 0.7
            total += p.x**2
    return total
