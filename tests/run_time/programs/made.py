"""Programs that make objects and put them among those they are given."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from tests.run_time.programs.table import number, program


@dataclass
class Particle:
    x: float
    m: float


class Leaf:
    """Counts what is made of it; its names are in another order than its arguments."""

    def __init__(self, scale, x, name="leaf"):
        self.name = name
        self.x = x * scale
        self.scale = scale

    def value(self):
        return self.scale * math.sin(self.x)

    def grown(self, rate):
        return Leaf(self.scale * rate, self.x, self.name)


class Guarded:
    __slots__ = ("_x",)

    def __init__(self, x):
        self._x = x

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        self._x = math.tanh(value)

    def __add__(self, other):
        return Guarded(self._x + other._x * self._x)


@dataclass
class Body:
    at: np.ndarray
    mass: float
    label: str = "body"


@dataclass
class Node:
    value: float
    left: Node | None = None
    right: Node | None = None


@dataclass
class Link:
    value: float
    next: Link | None = None


@dataclass(frozen=True)
class Checked:
    x: float
    twice: float = field(init=False, default=0.0)

    def __post_init__(self):
        if self.x < 0.0:
            raise ValueError("negative")
        object.__setattr__(self, "twice", 2.0 * self.x)


@dataclass
class Square:
    side: float

    def area(self):
        return self.side**2


@dataclass
class Disc:
    radius: float

    def area(self):
        return 3.0 * self.radius**2


def particles(n):
    return [Particle(number(), 1.0 + number()) for _ in range(n)]


def moments(ps):
    total = 0.0
    for p in ps:
        total = 0.5 * total + p.x * p.m
    return total


def tree(n):
    if n <= 0:
        return None
    return Node(number(), tree((n - 1) // 2), tree(n // 2))


def chain(n):
    head = None
    for _ in range(n):
        head = Link(number(), head)
    return head


@program(lambda n: (particles(n), 0.3))
def added_in_front_and_behind(ps, t):
    first = Particle(t, 2.0 * t)
    return moments([first, *ps, Particle(t * t, 1.0), first])


@program(lambda n: (particles(n), 0.3))
def the_best_so_far(ps, t):
    best = Particle(0.0, 1.0)
    for p in ps:
        if p.x > best.x:
            best = p
        elif p.m > 1.9:
            best = Particle(best.x * t, p.m)
    return best.x * best.m * t


@program(lambda n: (particles(n), 0.3, 3))
def moved_step_by_step(ps, dt, steps):
    for _ in range(steps):
        ps = [Particle(p.x + dt * p.m, 0.9 * p.m) for p in ps]
    return moments(ps)


@program(lambda n: (particles(n), 0.3))
def some_split(ps, t):
    out = []
    for p in ps:
        if p.x > 0.1:
            out.append(replace(p, x=p.x * t))
            out.append(Particle(p.x, p.m * t))
        else:
            out.append(p)
    return moments(out)


@program(lambda n: (particles(n), 0.3))
def merged_in_order(ps, t):
    heap = sorted(ps, key=lambda p: p.x)
    while len(heap) > 1:
        a = heap.pop(0)
        b = heap.pop(0)
        heap.append(Particle(a.x + b.x * t, a.m))
    return heap[0].x * heap[0].m


@program(lambda n: (particles(n), 0.3))
def made_ones_change(ps, t):
    qs = [Particle(p.x, p.m) for p in ps] + ps
    for q in qs:
        q.x = q.x * q.m * t
    return moments(qs) + moments(ps)


@program(lambda n: ([Leaf(number(), number()) for _ in range(n)], 0.3))
def plants(leaves, rate):
    for _ in range(2):
        grown = [leaf.grown(rate) for leaf in leaves if leaf.x > 0.0]
        leaves = leaves + grown
    return sum(leaf.value() for leaf in leaves)


@program(lambda n: ([Guarded(number()) for _ in range(n)],))
def sums_of_guarded(gs):
    total = gs[0]
    for g in gs:
        total = total + g
    return total.x**2


@program(
    lambda n: ([Body(np.array([number(), number()]), number()) for _ in range(n)], 0.3)
)
def bodies_merge(bodies, t):
    heaviest = bodies[0]
    for b in bodies:
        if b.mass > heaviest.mass:
            at = (heaviest.at + t * b.at) / 2.0
            heaviest = Body(at, heaviest.mass + 0.1 * b.mass)
    return np.sum(heaviest.at**2) * heaviest.mass


@program(lambda n: (tree(n), 0.3))
def path_to_the_right(root, t):
    new = root
    node = root
    while node is not None:
        new = Node(node.value * t + new.value, node.left, new)
        node = node.right
    total = 0.0
    while new is not None:
        total = 0.9 * total + new.value
        new = new.right
    return total


def inserted(node, value):
    if node is None:
        return Node(value, None, None)
    if value < node.value:
        return Node(0.9 * node.value, inserted(node.left, value), node.right)
    return Node(node.value, node.left, inserted(node.right, value))


def sum_of(node):
    if node is None:
        return 0.0
    return node.value**2 + 0.5 * sum_of(node.left) + 0.7 * sum_of(node.right)


@program(lambda n: (tree(n), 0.3))
def a_tree_that_grows(root, x):
    for k in range(3):
        root = inserted(root, x * (k + 1))
    return sum_of(root)


@program(lambda n: (chain(n), 0.3))
def links_in_front(head, x):
    first = Link(x, head)
    node = Link(x * x, first)
    total = 0.0
    while node is not None:
        total = 0.8 * total + node.value**2
        node = node.next
    return total


@program(lambda n: ([Checked(number()) for _ in range(n)], 0.3))
def frozen_ones(cs, t):
    last = Checked(t)
    for c in cs:
        if c.x > last.x:
            last = c
        else:
            last = Checked(math.tanh(last.x * c.twice))
    return last.twice * last.x


@program(lambda n: ([(Square if k % 2 else Disc)(number()) for k in range(n + 2)], 0.3))
def shapes(shapes, t):
    grown = [Square(s.area()) if s.area() < 0.3 else s for s in shapes]
    grown.append(Disc(t))
    return sum(s.area() for s in grown)


@program(lambda n: (particles(n), 0.3))
def chosen_by_keys(ps, t):
    cells = {}
    for k, p in enumerate(ps):
        place = k % 4
        if place in cells:
            cells[place] = Particle(cells[place].x + p.x, p.m * t)
        else:
            cells[place] = p
    return sum(c.x * c.m for c in cells.values())


@program(lambda n: (particles(n), 0.3))
def a_branch_that_makes(ps, t):
    p = ps[0] if t < 0.0 else Particle(np.float64(t) * 2.0, 3)
    return p.x / p.m + np.sin(p.x) * moments(ps)


@dataclass
class Branch:
    value: float
    kids: list
    weights: list


def branches(n):
    kids = [branches((n - 1) // 2), branches((n - 1) // 3)] if n > 3 else []
    if n == 3:
        kids = [branches(1)]
    return Branch(number(), kids, [number(), number()])


def sum_of_branches(branch):
    total = branch.value * branch.weights[0] + branch.weights[1]
    for kid in branch.kids:
        total += 0.5 * sum_of_branches(kid)
    return total


@program(lambda n: (branches(n + 3), 0.3))
def roots_of_roots(branch, t):
    root = Branch(t, [branch, branch], [t, 2.0])
    for _ in range(3):
        root = Branch(root.value * t, [root], [1.0, root.weights[0]])
    return sum_of_branches(root)


@program(lambda n: (branches(n + 3), 0.3))
def same_kids_of_another(branch, t):
    other = Branch(t, branch.kids, branch.weights)
    chosen = other if t > 0.0 else branch
    chosen.weights[0] = 3.0 * t
    chosen.kids[0].value *= t
    return sum_of_branches(chosen) + sum_of_branches(branch)


@program(lambda n: (branches(n + 3), 0.3))
def kids_that_are_large(branch, t):
    kept = [Branch(k.value * t, k.kids, [t, 1.0]) for k in branch.kids]
    kept = [k for k in kept if k.value > 0.1] + branch.kids
    return sum_of_branches(Branch(branch.value, kept, [1.0, t]))


@dataclass
class Stage:
    at: np.ndarray
    before: Stage | None


def stages(n):
    made = [Stage(np.array([number(), number()]), None)]
    for _ in range(n):
        made.append(Stage(np.array([number(), number()]), made[-1]))
    return made[1:]


@program(lambda n: (stages(n), 0.3))
def stages_that_lead_back(stages, t):
    for _ in range(3):
        stages = [Stage(s.at + 0.1 * t * np.sin(s.at), s) for s in stages]
    total = 0.0
    for s in stages:
        total = 0.8 * total + np.sum(s.at * s.before.before.at)
    return total


@program(lambda n: (particles(n + 2), 0.3))
def sorted_swapped_and_filled(ps, t):
    ps.sort(key=lambda p: p.x)
    ps[0], ps[-1] = ps[-1], ps[0]
    ps[0].x *= t
    last = ps.pop()
    ps.insert(1, Particle(last.x, t))
    ps[1].x *= last.m
    ps.extend([last, ps[1]])
    last.x += t
    return moments(ps)
