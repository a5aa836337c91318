"""Programs that change which objects lead to which, what lists hold, and objects in
recursion; each with its adjoint by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.structure_programs import (
    AIM_OF_OBJECTS,
    AIM_OF_TREES,
    Case,
    Node,
    Spring,
    of_springs,
    of_tree,
    springs,
    trees,
)


class Link:
    def __init__(self, value: float, next: Link | None) -> None:
        self.value, self.next = value, next


def chains(size: int, rng: np.random.Generator) -> tuple[Link, float]:
    head = None
    for value in rng.uniform(0.5, 1.5, size).tolist():
        head = Link(value, head)
    assert head is not None
    return head, 0.999


def of_chain(head: Link | None) -> list[float]:
    found = []
    while head is not None:
        found.append(head.value)
        head = head.next
    return found


def chain_of(values: list[float]) -> Link | None:
    head = None
    for value in reversed(values):
        head = Link(value, head)
    return head


def walked(head, rate):
    total = 0.0
    while head is not None:
        total = rate * total + head.value * head.value
        head = head.next
    return total


def walked_grad(head, rate):
    bar, total_bar = None, 1.0
    for value in reversed(of_chain(head)):
        bar = Link(2.0 * total_bar * value, bar)
        total_bar *= rate
    return bar


def turned(head):
    before = None
    while head is not None:
        behind = head.next
        head.next = before
        before, head = head, behind
    return before


def turned_twice(head, rate):
    last = turned(head)
    total = walked(last, rate)
    turned(last)
    return total


def turned_twice_grad(head, rate):
    bars, total_bar = [], 1.0
    for value in of_chain(head):
        bars.append(2.0 * total_bar * value)
        total_bar *= rate
    return chain_of(bars)


def put_in_front(xs, head):
    for x in xs:
        head = Link(x * x, head)
    return walked(head, 0.999)


def put_in_front_grad(xs, head):
    total_bar = 0.999 ** len(of_chain(head))
    bars = []
    for x in xs:
        bars.append(4.0 * total_bar * x * x * x)
        total_bar *= 0.999
    return bars


def numbers_and_a_chain(size: int, rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.uniform(0.5, 1.5, size).tolist(), chains(10, rng)[0]


def visited(root, rate):
    total = 0.0
    stack = [root]
    while stack:
        node = stack.pop()
        total = rate * total + node.value * node.value
        stack.extend(node.kids)
    return total


def visited_grad(root, rate):
    root_bar = Node("", 0.0, [])
    stack, order = [(root, root_bar)], []
    while stack:
        node, bar = both = stack.pop()
        order.append(both)
        bar.kids = [Node("", 0.0, []) for _ in node.kids]
        stack += zip(node.kids, bar.kids)
    total_bar = 1.0
    for node, bar in reversed(order):
        bar.value = 2.0 * total_bar * node.value
        total_bar *= rate
    return root_bar


def trees_and_a_rate(size: int, rng: np.random.Generator) -> tuple[Node, float]:
    return (*trees(size, rng), 0.999)


@dataclass
class Joint:
    length: float
    angle: float
    x: float = 0.0
    y: float = 0.0
    children: list[Joint] = field(default_factory=list)


def skeletons(size: int, rng: np.random.Generator) -> tuple[Joint]:
    joints = [Joint(*row) for row in rng.uniform(0.5, 1.5, (size, 2)).tolist()]
    for place, joint in enumerate(joints[1:], 1):
        joints[(place - 1) // 2].children.append(joint)
    return (joints[0],)


def placed(joint, x, y, angle):
    angle = angle + joint.angle
    joint.x = x + joint.length * math.cos(angle)
    joint.y = y + joint.length * math.sin(angle)
    for child in joint.children:
        placed(child, joint.x, joint.y, angle)


def reach(joint):
    found = joint.x * joint.y
    for child in joint.children:
        found += reach(child)
    return found


def kinematics(root):
    placed(root, 0.0, 0.0, 0.1)
    return reach(root)


def kinematics_grad(root):
    def bars_of(joint, x, y, angle):
        angle += joint.angle
        cos, sin = math.cos(angle), math.sin(angle)
        x += joint.length * cos
        y += joint.length * sin
        bars, x_bar, y_bar, angle_bar = [], y, x, 0.0
        for child in joint.children:
            bar, *more = bars_of(child, x, y, angle)
            bars.append(bar)
            x_bar += more[0]
            y_bar += more[1]
            angle_bar += more[2]
        angle_bar += joint.length * (cos * y_bar - sin * x_bar)
        bar = Joint(cos * x_bar + sin * y_bar, angle_bar, 0.0, 0.0, bars)
        return bar, x_bar, y_bar, angle_bar

    return bars_of(root, 0.0, 0.0, 0.1)[0]


def reached_grad(joint):
    bars = list(map(reached_grad, joint.children))
    return Joint(0.0, 0.0, joint.y, joint.x, bars)


def of_joints(root: Joint) -> list[float]:
    found, waiting = [], [root]
    while waiting:
        joint = waiting.pop()
        found += (joint.length, joint.angle, joint.x, joint.y)
        waiting += joint.children
    return found


def records(size: int, rng: np.random.Generator) -> tuple[Any, ...]:
    rows = rng.uniform(0.5, 1.5, (size, 2)).tolist()
    return [{"x": x, "v": v} for x, v in rows], 0.1


def pushed(rows, dt):
    for row in rows:
        row["v"] -= dt * math.sin(row["x"])
        row["x"] += dt * row["v"]
    return sum(row["x"] * row["v"] for row in rows)


def pushed_grad(rows, dt):
    bars = []
    for row in rows:
        v = row["v"] - dt * math.sin(row["x"])
        x_bar, v_bar = v, row["x"] + 2.0 * dt * v
        x_bar -= v_bar * dt * math.cos(row["x"])
        bars.append({"x": x_bar, "v": v_bar})
    return bars


def of_records(rows: list[dict[str, float]]) -> list[float]:
    return [number for row in rows for number in row.values()]


def numbers_and_a_rate(size: int, rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.uniform(0.5, 1.5, size).tolist(), 0.999


def in_order(xs, rate):
    xs.sort()
    total = 0.0
    for x in xs:
        total = rate * total + x * x
    return total


def in_order_grad(xs, rate):
    bars, total_bar = [0.0] * len(xs), 1.0
    for place in sorted(range(len(xs)), key=xs.__getitem__, reverse=True):
        bars[place] = 2.0 * total_bar * xs[place]
        total_bar *= rate
    return bars


def taken(xs, rate):
    total = 0.0
    while xs:
        x = xs.pop()
        total = rate * total + x * x
    return total


def taken_grad(xs, rate):
    bars, total_bar = [], 1.0
    for x in xs:
        bars.append(2.0 * total_bar * x)
        total_bar *= rate
    return bars


def spread(xs, rate):
    for k in range(1, len(xs)):
        xs[k] = xs[k] + rate * xs[k - 1]
    return sum(x * x for x in xs)


def spread_grad(xs, rate):
    xs = xs.copy()
    for k in range(1, len(xs)):
        xs[k] += rate * xs[k - 1]
    bars = [2.0 * x for x in xs]
    for k in reversed(range(1, len(xs))):
        bars[k - 1] += rate * bars[k]
    return bars


def springs_in_order(items, rate):
    items.sort(key=lambda s: s.rest)
    total = 0.0
    for s in items:
        total = rate * total + s.stiffness * s.rest
    return total


def springs_in_order_grad(items, rate):
    bars, total_bar = [None] * len(items), 1.0
    rests = [s.rest for s in items]
    for place in sorted(range(len(items)), key=rests.__getitem__, reverse=True):
        s = items[place]
        bars[place] = Spring(total_bar * s.rest, total_bar * s.stiffness)
        total_bar *= rate
    return bars


def springs_taken(items, rate):
    total = 0.0
    while items:
        s = items.pop()
        total = rate * total + s.stiffness * s.rest
    return total


def springs_taken_grad(items, rate):
    bars, total_bar = [], 1.0
    for s in items:
        bars.append(Spring(total_bar * s.rest, total_bar * s.stiffness))
        total_bar *= rate
    return bars


def own_list(items: list[Any], rate: float) -> tuple[Any, ...]:
    return items.copy(), rate


_OBJECTS = AIM_OF_OBJECTS
CASES = (
    Case(in_order, in_order_grad, numbers_and_a_rate, own=own_list),
    Case(taken, taken_grad, numbers_and_a_rate, own=own_list),
    Case(spread, spread_grad, numbers_and_a_rate, own=own_list),
    Case(pushed, pushed_grad, records, numbers=of_records),
    Case(walked, walked_grad, chains, _OBJECTS, of_chain),
    Case(turned_twice, turned_twice_grad, chains, _OBJECTS, of_chain),
    Case(put_in_front, put_in_front_grad, numbers_and_a_chain, _OBJECTS),
    Case(
        springs_in_order, springs_in_order_grad, springs, _OBJECTS, of_springs, own_list
    ),
    Case(springs_taken, springs_taken_grad, springs, _OBJECTS, of_springs, own_list),
    Case(visited, visited_grad, trees_and_a_rate, _OBJECTS, of_tree),
    Case(reach, reached_grad, skeletons, AIM_OF_TREES, of_joints),
    Case(kinematics, kinematics_grad, skeletons, AIM_OF_TREES, of_joints),
)
