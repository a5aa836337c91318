"""Records that are copied with other fields in chains and loops, and chains that begin
with an object."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from tests.run_time.programs.table import number, program


def numbers(n):
    return ([number() for _ in range(n + 1)],)


class Link(NamedTuple):
    value: float
    rest: Link | None


class Other(NamedTuple):
    value: float
    rest: Link | Other | None


@dataclass(frozen=True)
class State:
    x: float
    v: float
    parent: State | None = None


@dataclass
class Open:
    x: float
    v: float
    parent: Open | None = None


@dataclass(frozen=True)
class Doubled:
    x: float
    v: float
    parent: object = None


def walked(s):
    total = 0.0
    while s is not None:
        total = 0.9 * total + s.x * s.v
        s = s.parent
    return total


@program(numbers)
def head_of_a_chain(xs):
    head = None
    for x in xs:
        head = Link(x, head)
    for x in xs:
        head = head._replace(value=head.value * x)
    total = 0.0
    while head is not None:
        total = total * 0.5 + head.value
        head = head.rest
    return total


@program(numbers)
def one_of_two_classes(xs):
    head = None
    for k, x in enumerate(xs):
        head = Link(x, head) if k % 2 else Other(x, head)
    total = 0.0
    while head is not None:
        now = head._replace(value=head.value * head.value)
        total = 0.5 * total + (
            now.value if isinstance(now, Link) else math.sin(now.value)
        )
        head = head.rest
    return total


@program(numbers)
def one_of_two_dataclasses(xs):
    states = []
    for k, x in enumerate(xs):
        if k % 2:
            states.append(State(x, 1.0))
        else:
            states.append(Doubled(x, 1.0))
    states = [replace(s, v=s.v * s.x) for s in states]
    return sum(s.v if isinstance(s, State) else 2.0 * s.v * s.x for s in states)


@program(numbers)
def chain_from_an_object(xs):
    s = State(1.0, 0.0)
    for x in xs:
        s = State(s.x + 0.1 * x, s.v - x * s.x, s)
    return walked(s)


@program(numbers)
def replaced_on_one_path(xs):
    s = Open(1.0, 0.0)
    for x in xs:
        s = Open(s.x + 0.1 * x, s.v - x * s.x, s)
        if x > 0.9:
            s = replace(s, v=s.v * 0.5)
    return walked(s)
