"""Programs that store into the objects they are given in functions that call
themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tests.run_time.programs.table import names_of, number, program


@dataclass
class Joint:
    length: float
    angle: float
    x: float = 0.0
    y: float = 0.0
    children: list = field(default_factory=list)


class Link:
    def __init__(self, weight, state, behind):
        self.weight = weight
        self.state = state
        self.behind = behind

    def settle(self, signal):
        self.state = math.tanh(self.weight * self.state + signal)
        if self.behind is not None:
            self.behind.settle(self.state)

    def relax(self, signal):
        self.state = 0.5 * (self.state + signal)
        if self.behind is None:
            return self.state
        return self.behind.relax(self.state) * self.weight


@dataclass
class Grid:
    values: np.ndarray
    coarser: Grid | None


def skeleton(n):
    joints = [Joint(number(), number()) for _ in range(n)]
    for place, joint in enumerate(joints[1:], 1):
        joints[(place - 1) // 2].children.append(joint)
    return joints[0]


def chain(n):
    link = None
    for _ in range(n):
        link = Link(number(), number(), link)
    return link


def grids(n):
    grid = None
    for _ in range(n):
        grid = Grid(np.array([number(), number(), number()]), grid)
    return grid


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


@program(lambda n: (skeleton(n), 0.1))
def forward_kinematics(root, angle):
    placed(root, 0.0, 0.0, angle)
    return reach(root)


@program(lambda n: (skeleton(n), 0.1), wrt=("root", "angle"))
def kinematics_twice(root, angle):
    placed(root, 0.0, 0.0, angle)
    first = reach(root)
    placed(root, root.x, root.y, 2.0 * angle)
    return first * reach(root)


@program(lambda n: (chain(n), 0.2), wrt=("link", "signal"))
def settled(link, signal):
    for _ in range(3):
        link.settle(signal)
    total = 0.0
    while link is not None:
        total += link.state**2
        link = link.behind
    return total


@program(lambda n: (chain(n), 0.2), wrt=("link", "signal"))
def relaxed(link, signal):
    first = link.relax(signal)
    return first + link.relax(first) * link.state


@program(lambda n: ((skeleton(n), 0.1),))
def placed_in_a_pair(both):
    """Both stand in one tuple, and so do their tangents."""
    root, angle = both
    placed(root, 0.0, 0.0, angle)
    placed(root, root.x, root.y, 2.0 * angle)
    return reach(root)


def brought_down(joint):
    """Numbers go down into the slots and come back out of them."""
    lowest = joint.length
    for child in joint.children:
        child.length = child.length * joint.length
        lowest += brought_down(child)
    joint.length = lowest
    return lowest * joint.angle


@program(lambda n: (skeleton(n),))
def sums_below(root):
    return brought_down(root) + root.length


def doubled(joint):
    """It is called for what it stores alone, and reads nothing that was stored."""
    joint.x = 2.0 * joint.length
    for child in joint.children:
        doubled(child)


@program(lambda n: (skeleton(n),))
def stored_alone(root):
    doubled(root)
    return reach(root) + sum(child.x**2 for child in root.children)


@program(lambda n: (skeleton(n),))
def overwritten(root):
    """What is stored depends on nothing: what stood there has no derivative."""

    def cleared(joint):
        joint.length = 1.5
        for child in joint.children:
            cleared(child)

    before = root.length**2
    cleared(root)
    return before + root.length * root.angle


def smoothed(grid, weight):
    if grid.coarser is None:
        return
    grid.coarser.values = weight * grid.values + (1.0 - weight) * grid.coarser.values
    smoothed(grid.coarser, weight)


@program(lambda n: (grids(n), 0.3), wrt=("grid", "weight"))
def multigrid(grid, weight):
    smoothed(grid, weight)
    total = 0.0
    while grid is not None:
        total += np.sum(grid.values**2)
        grid = grid.coarser
    return total


def shifted(rows, k, by):
    if k == len(rows):
        return by
    row = rows[k]
    row["x"] = row["x"] * by
    return shifted(rows, k + 1, row["x"])


@program(
    lambda n: ([{"x": number(), "y": number()} for _ in range(n)], 0.9),
    wrt=("rows", "by"),
)
def stored_in_records(rows, by):
    last = shifted(rows, 0, by)
    return last + sum(row["x"] * row["y"] for row in rows)


def decayed(weights, names, k, rate):
    if k < len(names):
        weights[names[k]] *= rate
        decayed(weights, names, k + 1, rate * rate)


@program(lambda n: (names_of(n), 0.99), wrt=("weights", "rate"))
def stored_under_keys(weights, rate):
    decayed(weights, list(weights), 0, rate)
    return sum(w**2 for w in weights.values())


def turned_round(link, behind):
    """References are stored."""
    ahead = link.behind
    link.behind = behind
    link.state = link.state * link.weight
    if ahead is None:
        return link
    return turned_round(ahead, link)


@program(lambda n: (chain(n), 0.7), wrt=("link", "rate"))
def turned_by_recursion(link, rate):
    link = turned_round(link, None)
    total = 0.0
    while link is not None:
        total = rate * total + link.state * link.weight
        link = link.behind
    return total


def mirrored(joint):
    """References are stored into lists, and nothing comes back."""
    kids = joint.children
    if len(kids) > 1:
        kids[0], kids[1] = kids[1], kids[0]
    for child in kids:
        mirrored(child)


@program(lambda n: (skeleton(n), 0.4), wrt=("root", "angle"))
def mirrored_trees(root, angle):
    mirrored(root)
    placed(root, 0.0, 0.0, angle)
    total, joint = 0.0, root
    while len(joint.children) > 0:
        joint = joint.children[0]
        total = 0.5 * total + joint.x
    return total + root.y


@program(lambda n: (chain(n), 0.3), wrt=("link", "by"))
def stored_between(link, by):
    """What a function reads changes between two calls of it."""

    def weighed(link):
        if link is None:
            return 0.0
        return link.weight * link.state + weighed(link.behind)

    before = weighed(link)
    link.state = link.state * by
    return before * weighed(link)


@program(lambda n: (chain(n), 0.3), wrt=("link", "by"))
def through_another_name(link, by):
    """A number that was read is stored into by a call that gets another name."""
    first = link

    def scaled(link, by):
        if link is not None:
            link.state *= by
            scaled(link.behind, 0.9 * by)

    before = first.state
    scaled(link, by)
    return before * first.state


def hung(link, t):
    """Objects are made, too."""
    if link.behind is not None:
        hung(link.behind, 0.9 * t)
    link.behind = Link(t * link.weight, link.state, link.behind)


@program(lambda n: (chain(n), 0.3), wrt=("link", "t"))
def grown_by_recursion(link, t):
    hung(link, t)
    total = 0.0
    while link is not None:
        total = 0.9 * total + link.weight * link.state
        link = link.behind
    return total
