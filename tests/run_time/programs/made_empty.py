"""Objects that are used while their ``__init__`` runs, or have other attributes on
other paths: trees whose nodes know their parents, registries, lists that link
themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.run_time.programs.table import number, program


def numbers(n):
    return [number() for _ in range(n)]


def an_array(n):
    return np.array(numbers(n))


class Node:
    def __init__(self, part, parent=None):
        self.parent = parent
        self.depth = 0 if parent is None else parent.depth + 1
        self.value = part[0]
        self.kids = []
        if len(part) > 1:
            middle = len(part) // 2
            halves = (part[:middle], part[middle:])
            self.kids = [Node(half, parent=self) for half in halves]

    def total(self):
        above = self.parent.value if self.parent is not None else 1.0
        below = sum(kid.total() for kid in self.kids)
        return self.value * above + 0.5**self.depth * below


@program(lambda n: (numbers(n),))
def of_parents(xs):
    return Node(xs).total()


class Item:
    """Puts itself among the items of the one above, and adds to its weight."""

    def __init__(self, xs, k, above=None):
        self.x = xs[k]
        self.weight = xs[k] ** 2
        self.below = []
        self.above = above
        for other in (2 * k + 1, 2 * k + 2):
            if other < len(xs):
                Item(xs, other, self)
        if above is not None:
            above.below.append(self)
            above.weight += 0.9 * self.weight

    def place(self):
        return self.x if self.above is None else self.x * self.above.place()

    def total(self):
        return self.weight * self.place() + sum(item.total() for item in self.below)


@program(lambda n: (numbers(n),))
def of_items_above(xs):
    return Item(xs, 0).total()


class Entry:
    """In a list and a dict of all; the parts are there for some alone."""

    def __init__(self, xs, entries, by_name, name):
        entries.append(self)
        by_name[name] = self
        self.mean = sum(xs) / len(xs)
        self.up = by_name[name // 2] if name > 1 else None
        if len(xs) > 1:
            middle = len(xs) // 2
            self.first = Entry(xs[:middle], entries, by_name, 2 * name)
            self.second = Entry(xs[middle:], entries, by_name, 2 * name + 1)


@program(lambda n: (numbers(n),))
def of_registries(xs):
    entries, by_name = [], {}
    root = Entry(xs, entries, by_name, 1)
    total = root.first.mean * by_name[3].mean
    for entry in entries:
        up = entry.up.mean if entry.up is not None else 2.0
        total += entry.mean**2 * up
    return total


class Volume:
    """Returns early where it isn't divided: the parts, or the points, aren't there."""

    def __init__(self, xs):
        self.low, self.high = min(xs), max(xs)
        if len(xs) <= 2:
            self.is_leaf = True
            self.points = xs
            return
        self.is_leaf = False
        middle = len(xs) // 2
        self.left = Volume(xs[:middle])
        self.right = Volume(xs[middle:])

    def near(self, x):
        if x < self.low - 0.8 or x > self.high + 0.8:
            return 0.0
        if self.is_leaf:
            return sum(np.exp(-((x - point) ** 2)) for point in self.points)
        return self.left.near(x) + self.right.near(x)


@program(lambda n: (numbers(n), 0.9), wrt=("xs", "x"))
def of_early_returns(xs, x):
    return Volume(xs).near(x) * Volume(xs[1:]).near(x + 0.1)


class Part:
    scale = 0.7

    def __init__(self, xs, root=None):
        self.root = self if root is None else root
        if len(xs) % 2:
            self.scale = xs[0]
        self.x = xs[-1] * self.scale + getattr(self, "late", 2.0)
        self.next = Part(xs[1:], self.root) if len(xs) > 1 else None
        self.late = self.x**2

    def total(self):
        own = self.x * self.scale * self.root.late
        return own if self.next is None else own + 0.9 * self.next.total()


@program(lambda n: (numbers(n),))
def of_roots(xs):
    return Part(xs).total()


class Link:
    """The one in front gets its next one from this one."""

    __slots__ = ("x", "last", "next")

    def __init__(self, xs, k, last):
        self.x = xs[k]
        self.last = last
        if last is not None:
            last.next = self
        if k + 1 < len(xs):
            Link(xs, k + 1, self)


@program(lambda n: (numbers(n),))
def of_links(xs):
    link = Link(xs, 0, None)
    total = 0.0
    while hasattr(link, "next"):
        total = 0.5 * total + link.x * link.next.x
        link = link.next
    return total * link.last.x


class Layer:
    """Arrays: of other lengths, of one that is stored anew, and None beside one."""

    def __init__(self, v, above=None):
        self.above = above
        self.force = np.zeros(2)
        self.last = None
        if len(v) == 1:
            self.last = v * v
            return
        self.w = v * 2.0
        middle = len(v) // 2
        self.kids = [Layer(v[:middle], self), Layer(v[middle:], self)]
        if above is not None:
            first = np.tanh(self.kids[0].sum())
            above.force = above.force * 0.8 + np.array([self.w[0], first])

    def sum(self):
        if self.last is not None:
            return self.last[0] * self.above.w.sum()
        below = sum(kid.sum() for kid in self.kids)
        return self.w @ self.w + self.force @ self.force + 0.1 * below


@program(lambda n: (an_array(n),))
def of_layers(v):
    return Layer(v).sum()


class Shape:
    def __init__(self, xs, world):
        self.xs = xs
        world.append(self)
        self.size = self.measured()
        if len(xs) > 1:
            (Round if len(xs) % 2 else Flat)(xs[1:], world)

    def measured(self):
        return self.xs[0]


class Round(Shape):
    def measured(self):
        return 3.0 * self.xs[0] ** 2


class Flat(Shape):
    def __init__(self, xs, world):
        super().__init__(xs, world)
        self.size = self.size * 1.5


@program(lambda n: (numbers(n),))
def of_base_classes(xs):
    world = []
    Round(xs, world)
    return sum(shape.size**2 for shape in world)


@dataclass
class Field:
    x: float
    rest: list
    above: Field | None = None
    below: list = field(default_factory=list)

    def __post_init__(self):
        if self.above is not None:
            self.above.below.append(self)
        if self.rest:
            Field(self.rest[0] * self.x, self.rest[1:], self)

    def total(self):
        return self.x + 0.5 * sum(f.total() for f in self.below)


@program(lambda n: (numbers(n),))
def of_dataclasses(xs):
    return Field(xs[0], xs[1:]).total()


class Tried:
    """In the log also where it isn't finished."""

    def __init__(self, xs, log):
        log.append(self)
        self.x = xs[0]
        if xs[0] > 1.3:
            raise ValueError("large")
        self.next = Tried(xs[1:], log) if len(xs) > 1 else None


@program(lambda n: (numbers(n),))
def of_attempts(xs):
    log = []
    try:
        Tried(xs, log)
    except ValueError:
        pass
    total = 1.0
    for tried in log:
        total = 0.5 * total + tried.x**2
    return total


class Either:
    def __init__(self, xs):
        if xs[0] > 1.0:
            self.large = xs[0] ** 2
        else:
            self.small = xs[0] * 3.0
        self.next = Either(xs[1:]) if len(xs) > 1 else None

    def get(self):
        try:
            own = self.large
        except AttributeError:
            own = self.small
        return own if self.next is None else 0.5 * own + self.next.get()


@program(lambda n: (numbers(n),))
def of_missing_attributes(xs):
    return Either(xs).get()


class Lazy:
    """Divided where somebody asks for a part."""

    def __init__(self, xs, low, high):
        self.xs, self.low, self.high = xs, low, high
        self.total = sum(xs[low:high])

    def get(self, place):
        if self.high - self.low == 1:
            return self.total**2
        middle = (self.low + self.high) // 2
        if not hasattr(self, "left"):
            self.left = Lazy(self.xs, self.low, middle)
            self.right = Lazy(self.xs, middle, self.high)
        part = self.left if place < middle else self.right
        return 0.5 * part.get(place) + self.total


@program(lambda n: (numbers(n),))
def of_late_attributes(xs):
    tree = Lazy(xs, 0, len(xs))
    return tree.get(1) * tree.get(2) + tree.get(0)
