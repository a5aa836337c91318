"""Classes whose ``__init__`` makes others of the class: trees that divide what they are
given, layers that make the next one."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.table import number, program


def numbers(n):
    return [number() for _ in range(n)]


class Cell:
    """A part of an axis, with the mass and the centre of what it holds."""

    def __init__(self, places, masses, depth=0, *, held=1):
        self.depth = depth
        self.mass = sum(masses)
        self.centre = sum(m * x for x, m in zip(places, masses)) / self.mass
        self.parts = []
        if len(places) > held:
            middle = len(places) // 2
            for low, high in ((0, middle), (middle, len(places))):
                cell = Cell(places[low:high], masses[low:high], depth + 1, held=held)
                self.parts.append(cell)

    def pull(self, x, near):
        distance = x - self.centre
        if not self.parts or abs(distance) > near:
            return self.mass / (0.1 + distance * distance)
        return sum(part.pull(x, near) for part in self.parts)


@program(lambda n: (numbers(n), numbers(n)))
def potential(places, masses):
    order = sorted(range(len(places)), key=lambda k: places[k])
    root = Cell([places[k] for k in order], [masses[k] for k in order])
    return sum(m * root.pull(x, 0.2) for x, m in zip(places[:3], masses))


@program(lambda n: (numbers(n),))
def of_two_trees(xs):
    first, second = Cell(xs, xs), Cell(xs[1:], xs[:-1], held=2)
    return first.pull(0.3, 0.1) * second.pull(0.7, 10.0)


class Segment:
    """The largest and the sum of a range: halves are made anew, or there are none."""

    def __init__(self, xs, low, high):
        self.low, self.high = low, high
        self.left = self.right = None
        if high - low == 1:
            self.total = self.most = xs[low]
        else:
            middle = (low + high) // 2
            self.left = Segment(xs, low, middle)
            self.right = Segment(xs, middle, high)
            self.total = self.left.total + self.right.total
            self.most = max(self.left.most, self.right.most)

    def query(self, low, high):
        if low <= self.low and self.high <= high:
            return self.total * self.most
        middle = (self.low + self.high) // 2
        found = 0.0
        if low < middle:
            found += self.left.query(low, min(high, middle))
        if high > middle:
            found += self.right.query(max(low, middle), high)
        return found


@program(lambda n: (numbers(n),))
def of_ranges(xs):
    tree = Segment(xs, 0, len(xs))
    return tree.query(1, len(xs)) * tree.query(0, 3) + tree.query(0, len(xs))


class Sum:
    def __init__(self, xs):
        middle = len(xs) // 2
        few = len(xs) < 3
        self.value = xs[0]
        self.parts = [] if few else [Product(xs[:middle]), Product(xs[middle:])]

    def evaluate(self):
        return self.value + 0.1 * sum(part.evaluate() for part in self.parts)


class Product:
    """Makes objects of another class, which makes such as this one."""

    def __init__(self, xs):
        self.value = xs[-1]
        self.inner = Sum(xs[1:]) if len(xs) > 1 else None

    def evaluate(self):
        return self.value * (self.inner.evaluate() if self.inner is not None else 1.0)


@program(lambda n: (numbers(n),))
def of_two_classes(xs):
    return Sum(xs).evaluate()


class Base:
    def __init__(self, xs, scale):
        middle = len(xs) // 2
        self.value = scale * xs[middle]
        self.parts = []
        if middle > 0:
            self.parts.append(type(self)(xs[:middle], 0.9 * scale))
            self.parts.append(type(self)(xs[middle:], 0.5 * scale))

    def total(self):
        return self.value + sum(part.total() for part in self.parts)


class Squared(Base):
    def __init__(self, xs, scale):
        super().__init__(xs, scale)
        self.value = self.value**2


@program(lambda n: (numbers(n), 1.2))
def of_a_base_class(xs, scale):
    return Base(xs, scale).total() * Squared(xs, scale).total()


@program(lambda n: (numbers(n),))
def changed_later(xs):
    root = Base(xs, 1.0)
    todo = [root]
    while todo:
        part = todo.pop()
        part.value = np.sin(part.value) + root.value
        todo.extend(part.parts)
    return root.total()


def divided(xs, depth):
    parts = []
    if len(xs) > 1:
        middle = len(xs) // 2
        for part in (slice(None, middle), slice(middle, None)):
            parts.append(divided(xs[part], depth + 1))
    return Part(sum(xs) * depth, parts)


class Part:
    def __init__(self, value, parts):
        self.value = value
        self.parts = parts

    def total(self):
        return self.value**2 + sum(part.total() for part in self.parts)


@program(lambda n: (numbers(n),))
def of_named_slices(xs):
    """What a function calls itself with is made anew, also by a slice with a name."""
    return divided(xs, 1).total()
