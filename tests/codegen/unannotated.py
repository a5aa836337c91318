"""Programs without annotations over lists, dicts and objects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Link:
    def __init__(self, weight, behind):
        self.weight = weight
        self.behind = behind

    @property
    def squared(self):
        return self.weight**2


def chained(link, scale):
    total = 0.0
    while link is not None:
        total = scale * total + link.squared
        link = link.behind
    return total


class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


class Model:
    def __init__(self, layers, scale=1.0):
        self.layers = layers
        self.scale = scale

    def loss(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.scale * np.sum(x * x)


def loss(model, x):
    return model.loss(x)


def net(layers, x):
    for layer in layers:
        x = layer(x)
    return np.sum(x)


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r**2


class Square:
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2


def areas(shapes):
    return sum(shape.area() ** 2 for shape in shapes)


def told_apart(shapes, k):
    total = 0.0
    for shape in shapes:
        if isinstance(shape, Circle):
            total += k * shape.r**3
        else:
            total -= shape.a
    return total


def rates(table, w):
    total = 0.0
    for name, xs in table.items():
        for x in xs:
            total += x**2
    for k, v in w.items():
        if v is not None:
            total += k * v
    return total


def paced(steps, spans):
    total = 0.0
    for step, (times, span) in zip(steps, spans):
        total = math.sin(total) + step["rate"] * span * times
    return total


class Task:
    def __init__(self, cost, after):
        self.cost = cost
        self.after = after


def visited(root, rate):
    total = 0.0
    stack = [root]
    while stack:
        task = stack.pop()
        total = rate * total + task.cost**2
        stack.extend(task.after)
    return total


class Particle:
    def __init__(self, pos, mass):
        self.pos = pos
        self.mass = mass


def attracted(particles, g):
    total = 0.0
    for k, p in enumerate(particles):
        for q in particles[k + 1 :]:
            d = p.pos - q.pos
            total -= g * p.mass * q.mass / math.sqrt(d @ d + 0.01)
    return total


class Job:
    def __init__(self, cost, waited_for):
        self.cost = cost
        self.waited_for = waited_for


def scheduled(jobs, rate):
    ends = []
    for job in jobs:
        start = max((ends[k] for k in job.waited_for), default=0.0)
        ends.append(start + job.cost * rate)
    return sum(end**2 for end in ends)


class Node:
    def __init__(self, sort, value, kids):
        self.sort = sort
        self.value = value
        self.kids = kids


def evaluated(node):
    if node.sort == "leaf":
        return math.sin(node.value)
    left, right = evaluated(node.kids[0]), evaluated(node.kids[1])
    return math.tanh(left + right) if node.sort == "sum" else left * right


def scored(weights, text):
    state = 0.0
    for word in text.split():
        if word in weights:
            state = math.tanh(0.9 * state + weights[word])
    return state


def dist(points):
    total = 0.0
    for (x, y), (u, v) in zip(points, points[1:]):
        total += math.hypot(x - u, y - v)
    return total


def moving(xs, n):
    total = 0.0
    for i in range(len(xs) - n):
        m = sum(xs[i : i + n]) / n
        total += m * m
    return total


def shares(orders):
    total = 0.0
    for order in orders:
        for item in order["items"]:
            total += item["price"] * item["count"]
        if order["paid"]:
            total -= order["discount"]
    return total


def mlp(params, x):
    h = np.tanh(params["w1"] @ x + params["b1"])
    return np.sum(params["w2"] @ h) * params["scale"]


def neighbours(values, graph):
    total = 0.0
    for name, others in graph.items():
        for other in others:
            total += (values[name] - values[other]) ** 2
    return total


class Point(NamedTuple):
    x: float
    y: float


def spread(points):
    return sum(p.x**2 + p.y * p.x for p in points)


def row_sums(rows, w):
    total = 0.0
    for row in rows:
        total = total + np.sum(row * w)
    return total


def squares(xs):
    total = 0.0
    for x in xs:
        total = math.sin(total) + x * x
    return total


def steps(xs, rate):
    total = 0.0
    for k in range(1, len(xs)):
        total += rate * xs[k] * xs[k - 1]
    return total


def popped(xs):
    total = 0.0
    while xs:
        total = 0.5 * total + xs.pop() ** 2
    return total


@dataclass
class Spring:
    k: float
    rest: float


def energy(springs, scale):
    total = 0.0
    for s in springs:
        total += scale * s.k * s.rest**2
    return total


def by_key(d):
    total = 0.0
    for name in d:
        total += d[name] ** 2
    return total


def looked_up(weights, words):
    total = 0.0
    for word in words:
        total += weights[word]
    return total


def gathered(values, order):
    total = 0.0
    for k in order:
        total += values[k] * values[k - 1]
    return total


def highest(rows):
    best = None
    for row in rows:
        if best is None or row[0] > best:
            best = row[0]
    return best * best


def ends(xs):
    ordered = sorted(xs)
    return ordered[0] * ordered[-1]


def eldest(people):
    return max(people, key=lambda p: p["age"])["age"] ** 2


def weighted(xs, w):
    def of(x):
        return w * x

    return sum(of(x) for x in xs)


class Told:
    def __init__(self, x: float, other):
        self.x = x
        self.other = other


def half_told(items: list[Told]):
    return sum(item.x * item.other for item in items)


class Base:
    def __init__(self, w):
        self.w = w

    def out(self, x):
        return self.w * x


class Derived(Base):
    def __init__(self, w, b):
        super().__init__(w)
        self.b = b

    def out(self, x):
        return super().out(x) + self.b**2


def of_bases(bases):
    total = 0.0
    for base in bases:
        total += base.out(2.0)
    return total


class Cell:
    def __init__(self, v, next):
        self.v = v
        self.next = next


def linked(cell):
    s = 0.0
    while cell:
        s = math.sin(s) + cell.v
        cell = cell.next
    return s


class Leaf:
    def __init__(self, value):
        self.value = value


class Sum:
    def __init__(self, left, right):
        self.left = left
        self.right = right


class Prod:
    def __init__(self, left, right):
        self.left = left
        self.right = right


def evaluated_by_class(e):
    if isinstance(e, Leaf):
        return e.value
    if isinstance(e, Sum):
        return evaluated_by_class(e.left) + evaluated_by_class(e.right)
    return evaluated_by_class(e.left) * evaluated_by_class(e.right)


def moved(particles, dt):
    for p in particles:
        p.x = p.x + dt * p.v
    return sum(p.x**2 for p in particles)


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v


@dataclass
class Machine:
    """Has the attributes that a Task has, annotated as something else."""

    cost: float
    after: list[int]
