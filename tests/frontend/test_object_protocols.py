"""Objects that are iterated over, measured, indexed and searched."""

from __future__ import annotations

import pytest

import s2sad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "__iter__ as a generator": """
        class Ladder:
            def __init__(self, a, n):
                self.a, self.n = a, n
            def __iter__(self):
                for i in range(self.n):
                    yield self.a * i
        def program(x, y, k):
            l = Ladder(x, k)
            total = y
            for v in l:
                total = total + np.sin(v)
            return total + sum(l) * max([y, *l]) + len(list(l))
    """,
    "__iter__ of the items, __len__, __getitem__, __contains__": """
        class Bag:
            def __init__(self, items):
                self.items = items
            def __iter__(self):
                return iter(self.items)
            def __len__(self):
                return len(self.items)
            def __getitem__(self, k):
                return self.items[k]
            def __contains__(self, v):
                return v in self.items
        def program(x, y, k):
            b = Bag((x, y, x*y))
            c = Bag([x * i for i in range(k)])
            p, q, r = b
            s, *t = b
            total = sum(b) + len(b) * sum(c) + p * q * r + s * t[-1] + b[0] * b[-1]
            for i, v in enumerate(b):
                total = total + i * v
            for u, v in zip(b, c):
                total = total + u * v
            if x in b:
                total = total * 2.0
            return total + sum(v * v for v in b) + max(b) + max(*b) + len(c)
    """,
    "membership by __iter__": """
        class Seq:
            def __init__(self, items):
                self.items = items
            def __iter__(self):
                yield from self.items
        def program(x, y):
            s = Seq((x, 2.0*x))
            return y * x if x in s else x
    """,
    "a generator with a while loop": """
        class Countdown:
            def __init__(self, n):
                self.n = n
            def __iter__(self):
                n = self.n
                while n > 0:
                    yield n
                    n -= 1
        def program(x, k):
            return sum(x ** i for i in Countdown(k)) + x
    """,
    "__iter__ that returns a map": """
        class Count:
            def __init__(self, items):
                self.items = items
            def __iter__(self):
                return map(np.sin, self.items)
        def program(x, y, v):
            return sum(Count(v)) * x + sum(Count((x, y)))
    """,
    "reversed, slices, any and sorted": """
        class Stack:
            def __init__(self, *items):
                self.items = items
            def __len__(self):
                return len(self.items)
            def __getitem__(self, k):
                return self.items[k]
            def __iter__(self):
                return iter(self.items)
            def __reversed__(self):
                return reversed(self.items)
        def program(x, y):
            s = Stack(x, y, x * y)
            total = 0.0
            for v in reversed(s):
                total = total * x + v
            return total + s[1:][0] + sorted(s)[0]*2 + any(v > 0 for v in s)
    """,
    "__len__ and __getitem__ alone": """
        class Seq:
            def __init__(self, items):
                self.items = items
            def __len__(self):
                return len(self.items)
            def __getitem__(self, k):
                return 2.0 * self.items[k]
        def program(x, v):
            s = Seq(v)
            total = x
            for i in range(len(s)):
                total = total + s[i] * x
            return total * s[-1]
    """,
    "unpacked, starred, empty and of one item": """
        class Bag:
            def __init__(self, *items):
                self.items = items
            def __iter__(self):
                yield from self.items
        class Evens:
            def __init__(self, values):
                self.values = values
            def __iter__(self):
                return (v for k, v in enumerate(self.values) if k % 2 == 0)
        def add(a, b):
            return a * b + a
        def program(x, y, k):
            first, second = Bag(x, y)
            head, *tail = Evens([x, y, x * y])
            grown = Evens([x * i for i in range(k)])
            empty, one = Bag(), Bag(y)
            total = add(*Bag(first, second)) + head * tail[0] + sum(grown)
            total = total + sum(empty) + sum(one)
            for u, v in zip(list(Bag(x, y)), [y]):
                total = total + u * v
            for a in empty:
                total = total * a
            for g in grown:
                if g > 1.0:
                    break
                total = total + g * x
            return total + sum(v * w for v in Bag(x, y) for w in Bag(y, x))
    """,
    "nested objects and inheritance": """
        class Base:
            def __iter__(self):
                for name in self.names:
                    yield getattr(self, name)
            def __len__(self):
                return len(self.names)
        class Pair(Base):
            names = ("a", "b")
            def __init__(self, a, b):
                self.a, self.b = a, b
        class Many:
            def __init__(self, pairs):
                self.pairs = pairs
            def __iter__(self):
                for pair in self.pairs:
                    for value in pair:
                        yield value * 2.0
        def program(x, y):
            many = Many([Pair(x, y), Pair(y, x * y)])
            a, b = Pair(x, y)
            return sum(many) * a + b * len(Pair(x, x)) + (1.0 if Pair(x, y) else 0.0)
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name])


class WithoutIter:
    def __len__(self):
        return 2


class WithNext:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self.n / (self.n - 2.0)
        except ZeroDivisionError:
            raise StopIteration from None


class WithoutIterator:
    def __iter__(self):
        return [1.0, 2.0]


@pytest.mark.parametrize(
    "make, message",
    [
        (WithoutIter, "has no __iter__"),
        (lambda: WithNext(2), "a __next__ that returns or stops in a try"),
        (WithoutIterator, "no iterator"),
    ],
)
def test_refused(make, message):
    def f(x):
        total = x
        for v in make():
            total = total * v
        return total

    with pytest.raises(UnsupportedError, match=message):
        s2sad.grad(f)(1.0)
