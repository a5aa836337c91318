"""Objects that only the run can tell apart: lists, linked structures, choices."""

from __future__ import annotations

import copy
import textwrap

import numpy as np
import pytest

from s2sad import ArgumentError, grad, vjp
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "texts that differ between objects": """
        class P:
            def __init__(self, q, name):
                self.q, self.name = q, name
        def program(x, v):
            ps = [P(e, "a" if e > 0 else "b") for e in v]
            ps.append(ps[0])
            ps[-1].q *= x
            ps[1].name = "c"
            return sum(p.q ** 2 for p in ps if p.name != "b")
    """,
    "a text of one of several objects": """
        class P:
            def __init__(self, q, name):
                self.q, self.name = q, name
        def program(x, v):
            ps = [P(x, "a"), P(v[0], "b")]
            for e in v:
                ps.append(ps[len(ps) - 2])
            ps[-1].q *= x
            return sum(p.q ** 2 for p in ps if p.name == "b")
    """,
    "a linked list is walked and changed": """
        class Node:
            def __init__(self, e, link):
                self.e, self.link = e, link

        def program(x, v, k):
            head = None
            for i in range(k + 2):
                head = Node(v[i % 3] * x, head)
            head.link.e *= 2.0
            total, node = 0.0, head
            while node:
                total = total * 0.5 + node.e**2
                node = node.link
            return total
    """,
    "an object twice in a list": """
        class Particle:
            def __init__(self, q, p):
                self.q, self.p = q, p

        def program(x, v):
            cloud = [Particle(e, x * e) for e in v]
            cloud.append(cloud[0])
            for step in range(2):
                centre = sum(c.q for c in cloud) / len(cloud)
                for c in cloud:
                    c.p -= 0.2 * np.sin(c.q - centre)
                    c.q += 0.2 * c.p
            return sum(c.q**2 + c.p * x for c in cloud)
    """,
    "an object has a name, and is in a list": """
        class A:
            def __init__(self, h):
                self.h = h
        def program(x, v):
            t = []
            for e in v:
                b = A(e)
                t.append(b)
                b.h += x
            t[0].h *= t[1].h
            return sum(a.h ** 2 for a in t)
    """,
    "the best and the worst of a list are changed": """
        class A:
            def __init__(self, h):
                self.h = h
        def program(x, v):
            t = [A(e * x) for e in v]
            best = t[0]
            for a in t:
                if a.h > best.h:
                    best = a
            best.h *= x
            worst = min(t, key=lambda a: a.h)
            worst.h += best.h
            return sum(a.h ** 2 for a in t) + best.h
    """,
    "a search tree that its own method grows": """
        class Tree:
            def __init__(self, e):
                self.e = e
                self.left = None
                self.right = None
            def add(self, e):
                if e < self.e:
                    if self.left is None:
                        self.left = Tree(e)
                    else:
                        self.left.add(e)
                elif self.right is None:
                    self.right = Tree(e)
                else:
                    self.right.add(e)
        def total(tree, depth):
            if tree is None:
                return 0.0
            left = total(tree.left, depth + 1) * 0.5
            return tree.e ** depth + left + total(tree.right, depth + 1)
        def program(x, v):
            root = Tree(x)
            for e in v:
                root.add(e * x)
            root.add(x * 0.5)
            root.e += 1.0
            return total(root, 1)
    """,
    "accounts by a key of the run pay each other": """
        class Account:
            def __init__(self, b):
                self.balance = b
            def pay(self, other, amount):
                self.balance -= amount
                other.balance += amount
        def program(x, v):
            people = {}
            for i, e in enumerate(v):
                people[i] = Account(e)
            for i in range(len(v)):
                people[i].pay(people[(i + 1) % len(v)], x * people[i].balance)
            richest = max(people.values(), key=lambda p: p.balance)
            richest.balance *= 2.0
            return sum(p.balance ** 2 for p in people.values())
    """,
    "a stack of linked items": """
        class Stack:
            def __init__(self):
                self.top = None
                self.size = 0
            def push(self, e):
                self.top = Cell(e, self.top)
                self.size += 1
            def pop(self):
                e = self.top.e
                self.top = self.top.below
                self.size -= 1
                return e
        class Cell:
            def __init__(self, e, below):
                self.e = e
                self.below = below
        def program(x, v):
            s = Stack()
            for e in v:
                s.push(e * x)
                if e > 0:
                    s.push(s.pop() * x)
            total = 0.0
            while s.size > 0:
                total = total * x + s.pop()
            return total
    """,
    "a pair that is exchanged in each iteration": """
        class V:
            def __init__(self, e, parents=()):
                self.e = e
                self.g = 0.0
        def program(x, v):
            a, b = V(x), V(x * 2)
            pair = (a, b) if v[0] > 0 else (b, a)
            for i in range(3):
                first, second = pair
                first.e += second.e * v[i]
                pair = (second, first)
            a.g += b.e
            return a.e * b.e + a.g
    """,
    "the nearest of all others": """
        class Body:
            def __init__(self, q, name):
                self.q, self.name, self.near = q, name, None
        def program(x, v):
            bodies = [Body(e, "b") for e in v]
            for b in bodies:
                for c in bodies:
                    if c is b:
                        continue
                    if b.near is None or abs(c.q - b.q) < abs(b.near.q - b.q):
                        b.near = c
            for b in bodies:
                b.near.q += x * b.q
            return sum(b.q ** 2 for b in bodies if b.name == "b")
    """,
    "a function that calls itself builds a tree": """
        class Tree:
            def __init__(self, left, e, right):
                self.left, self.e, self.right = left, e, right
        def build(n, x):
            if n == 0:
                return None
            return Tree(build(n - 1, x), x * n, build(n - 1, x * 0.5))
        def total(t):
            if t is None:
                return 1.0
            return total(t.left) * np.sin(t.e) + total(t.right)
        def scale(t, s):
            if t is not None:
                t.e *= s
                scale(t.left, s)
                scale(t.right, s * 0.5)
        def program(x, k):
            t = build(k + 1, x)
            scale(t, x)
            return total(t) * t.e
    """,
    "a doubly linked list, from which items are taken": """
        class Node:
            def __init__(self, e):
                self.e, self.prev, self.next = e, None, None
        class Chain:
            def __init__(self):
                self.first = self.last = None
                self.count = 0
            def push(self, e):
                n = Node(e)
                if self.last is None:
                    self.first = self.last = n
                else:
                    n.prev, self.last.next = self.last, n
                    self.last = n
                self.count += 1
            def remove(self, n):
                if n.prev is not None:
                    n.prev.next = n.next
                else:
                    self.first = n.next
                if n.next is not None:
                    n.next.prev = n.prev
                else:
                    self.last = n.prev
                self.count -= 1
        def program(x, v):
            c = Chain()
            for e in v:
                c.push(e * x)
                c.push(e ** 2)
            n = c.first
            while n is not None:
                if n.e < 0:
                    c.remove(n)
                n = n.next
            total, n = 0.0, c.last
            while n is not None:
                total = total * x + n.e
                n = n.prev
            return total * c.count
    """,
    "a linked list is reversed in place": """
        class Node:
            def __init__(self, e, link):
                self.e, self.link = e, link
        def program(x, v):
            head = None
            for e in v:
                head = Node(e * x, head)
            back = None
            while head is not None:
                head.link, back, head = back, head, head.link
            total = 0.0
            while back is not None:
                total = total * x + back.e
                back = back.link
            return total
    """,
    "objects that are compared and added": """
        from dataclasses import dataclass
        @dataclass
        class P:
            a: float
            b: float = 1.0
            def __add__(self, o):
                return P(self.a + o.a, self.b * o.b)
            @property
            def norm(self):
                return self.a * self.b
        def program(x, v):
            ps = [P(e) for e in v]
            ps.append(ps[1])
            ps[3].a += x
            s = ps[0]
            for p in ps:
                if p == ps[1]:
                    p.b *= x
                s = s + p
            return s.norm + ps[1].norm
    """,
    "a copy of one of several objects": """
        import copy
        class A:
            def __init__(self, h): self.h = h
        def program(x, v):
            t = [A(e) for e in v]
            t.append(t[0])
            c = copy.copy(t[0])
            c.h *= x
            t.append(c)
            t[0].h += 1.0
            return sum(q.h ** 2 for q in t)
    """,
    "the best of a list, or None": """
        class A:
            def __init__(self, h): self.h = h
        def program(x, v, k):
            t = [A(e) for e in v]
            best = None
            for a in t:
                if a.h > 0.2 and (best is None or a.h > best.h):
                    best = a
            if best is not None:
                best.h *= x
            d = {"x": t[0], "y": t[k % 3]}
            d["y"].h += x
            d["x"].h *= d["y"].h
            return sum(q.h ** 2 for q in t)
    """,
    "a class with a base class": """
        class A:
            def __init__(self, h): self.h = h
        class B(A):
            def __init__(self, h, g):
                super().__init__(h)
                self.g = g
        def program(x, v):
            t = [B(e, x) for e in v]
            t.append(t[0])
            for b in t:
                b.h *= b.g
                b.g += b.h
            return sum(q.h ** 2 + q.g for q in t)
    """,
    "a dict of one while others are made": """
        class A:
            def __init__(self, p):
                self.data = {"a": p}
        def made(x):
            a = A(x)
            return a.data["a"] * x
        def program(x, v, k):
            others = [A(x), A(v[0])]
            others.append(others[k % 2])
            others[0].data["a"] *= made(x)
            d = others[2].data
            others.append(A(d["a"]))
            d["a"] += 2.0 * x
            return sum(o.data["a"] ** 2 for o in others)
    """,
    "another one stands there by then": """
        class A:
            def __init__(self, p): self.p = p
            def __iadd__(self, e):
                self.p += e
                return self
        def program(x, v, k):
            parts = [A(e) for e in v]
            parts.append(parts[k % 3])
            def more():
                parts[0] = A(x * x)
                return x
            parts[0] += more()
            return sum(a.p ** 2 for a in parts)
    """,
}


@pytest.mark.sampled(6, of_long=2)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text, range(3))


class Part:
    def __init__(self, size, weight=1.0):
        self.size, self.weight = size, weight


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second


class Node:
    def __init__(self, value, link):
        self.value, self.link = value, link


def chosen(a, b, v):
    parts = []
    for e in v:
        parts.append(a if e > 0 else b)
    for part in parts:
        part.size *= 1.5
    parts[0].size += b.weight
    return sum(part.size**2 for part in parts) + a.size * b.size


def difference(function, args, place, name, step=1e-6):
    values = []
    for sign in (1.0, -1.0):
        changed = copy.deepcopy(args)
        part = changed[place]
        setattr(part, name, getattr(part, name) + sign * step)
        values.append(function(*changed))
    return (values[0] - values[1]) / (2.0 * step)


def test_arguments():
    args = (Part(1.3), Part(0.7, 2.0), np.array([1.0, -2.0, 3.0]))
    gradients = grad(chosen, wrt=("a", "b"))(*args)
    for place, gradient in enumerate(gradients):
        assert isinstance(gradient, Part)
        for name in ("size", "weight"):
            expected = difference(chosen, args, place, name)
            assert getattr(gradient, name) == pytest.approx(expected, abs=1e-7)
    assert vars(args[0]) == {"size": 1.3, "weight": 1.0}


def test_arguments_that_are_the_same_object():
    v = np.array([1.0, -2.0])

    def of_one(part):
        return chosen(part, part, v)

    part = Part(1.3)
    gradient = grad(chosen)(part, part, v)
    for name in ("size", "weight"):
        expected = difference(of_one, (part,), 0, name)
        assert getattr(gradient, name) == pytest.approx(expected, abs=1e-7)


def test_objects_in_an_argument():
    def scaled(pair, v):
        parts = [pair.first]
        for e in v:
            parts.append(pair.second if e > 0 else pair.first)
        for part in parts:
            part.size *= 1.1
        return sum(part.size**2 for part in parts)

    v = np.array([1.0, -2.0, 3.0])
    gradient = grad(scaled)(Pair(Part(1.0), Part(2.0)), v)
    first, second = 2 * 1.1**4, 2 * 2 * 2.0 * 1.1**4
    assert gradient.first.size == pytest.approx(2 * first)
    assert gradient.second.size == pytest.approx(second)
    part = Part(1.0)
    gradient = grad(scaled)(Pair(part, part), v)
    assert gradient.first.size == pytest.approx(4 * 2 * 1.1**8)


@pytest.mark.taken_apart
def test_one_object_twice_in_an_argument():
    def longer(parts):
        parts = list(parts)
        parts.append(parts[0])
        for part in parts:
            part.size *= 1.1
        return sum(part.size**2 for part in parts)

    parts = [Part(1.0), Part(2.0)]
    gradient = grad(longer)(parts)
    assert gradient[0].size == pytest.approx(4 * 1.1**4)
    with pytest.raises(ValueError, match="are the same object"):
        grad(longer)([*parts, parts[0]])


def test_a_linked_list_as_argument():
    def walked(node, x):
        total = 0.0
        while node is not None:
            node.value *= x
            total += node.value**2
            node = node.link
        return total

    given = Node(1.0, Node(2.0, None))
    assert grad(walked, wrt="x")(given, 1.5) == pytest.approx(15.0)
    assert (given.value, given.link.value) == (1.0, 2.0)


def test_a_result_that_is_one_of_several():
    def chosen_one(x):
        parts = [Part(x), Part(2 * x)]
        for i in range(3):
            parts.append(parts[i] if x > 0 else parts[0])
        parts[3].size *= x
        return parts[0].size, parts[3]

    (size, part), pullback = vjp(chosen_one, 1.5)
    assert (size, part.size) == (1.5, 4.5)
    (gradient,) = pullback((1.0, Part(1.0, 0.0)))
    assert gradient == pytest.approx(7.0)


def test_what_is_none_where_an_object_is_needed():
    def last(x, v):
        node = None
        for e in v:
            if e > 0:
                node = Node(e * x, node)
        node.value += x
        return node.value

    assert grad(last)(2.0, np.array([-1.0, 3.0])) == pytest.approx(4.0)
    with pytest.raises(AttributeError):
        grad(last)(2.0, np.array([-1.0, -3.0]))


def test_different_attributes_are_refused():
    def mixed(x, v):
        parts = [Part(e) for e in v]
        parts.append(parts[0])
        parts[0].size *= x
        parts.append(Part(Part(x)))
        return parts[0].size

    with pytest.raises(ArgumentError, match="returns float64 or .* or Part, and"):
        grad(mixed)(2.0, np.ones(3))


MEMBER = """
class Member:
    def __init__(self, h):
        self.h = h
"""
NAMED_BEFORE = {
    "before loops that append": """
        def program(x, v, k):
            team = [Member(x) for e19 in range(2)]
            one = team[1]
            for i in range(3):
                team.append(Member(2 * x))
                for e in team:
                    e.h *= 0.5
            return one.h
    """,
    "of two written out, before loops that append": """
        def program(x, v, k):
            team = [Member(x), Member(x)]
            one = team[1]
            for i in range(3):
                team.append(Member(2 * x))
                for e in team:
                    e.h *= 0.5
            return one.h
    """,
    "and one that the loop changes by its place": """
        def program(x, v, k):
            team = [Member(x), Member(x)]
            one = team[1]
            for i in range(3):
                team.append(Member(2 * x))
                team[i].h *= 0.5
            return one.h
    """,
    "and the loop changes it": """
        def program(x, v, k):
            team = [Member(x), Member(x)]
            one = team[1]
            while x > 0.0:
                if len(team) > 4:
                    break
                team.append(Member(2 * x))
                one.h = one.h * 0.5
            return one.h + sum(e.h for e in team)
    """,
    "and it is changed behind the loop": """
        def program(x, v, k):
            team = [Member(x), Member(x)]
            one = team[1]
            for i in range(k):
                team.append(Member(2 * x))
            one.h = one.h * 0.5
            return one.h + sum(e.h for e in team)
    """,
    "before a loop in a loop that appends": """
        def program(x, v, k):
            team = [Member(x), Member(x)]
            one = team[1]
            for i in range(3):
                for j in range(2):
                    team.append(Member(2 * x))
                for e in team:
                    e.h *= 0.5
            return one.h
    """,
    "before a loop in a loop that appends at times": """
        def program(x, v, k):
            team = [Member(x), Member(x)]
            one = team[1]
            for i in range(3):
                for j in range(2):
                    if len(team) < 6:
                        team.append(Member(2 * x))
                one.h = one.h * 0.5
            return one.h + sum(e.h for e in team)
    """,
    "before a loop over its own list": """
        class Member:
            def __init__(self, h):
                self.h = h
                self.rows = [h, h]
        def program(x, v, k):
            team = [Member(x), Member(x)]
            left = team[-1]
            for i in range(3):
                for j in left.rows:
                    if len(team) < 6:
                        team.append(Member(2 * x))
                left.h = left.h * 0.5
            return left.h + sum(e.h for e in team)
    """,
    "before a while loop": """
        def program(x, v, k):
            team = [Member(x), Member(x)]
            one = team[-1]
            n = 0
            while True:
                n += 1
                a = max(e.h for e in team)
                team.append(Member(2 * x))
                one.h = -one.h
                if n >= 2:
                    break
            return one.h + sum(e.h for e in team)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", NAMED_BEFORE.values(), ids=NAMED_BEFORE)
def test_an_object_of_a_list_has_a_name_before_the_list_grows(text):
    assert_differentiated(MEMBER + textwrap.dedent(text), range(3))


def test_dicts_with_keys_in_another_order():
    def ordered(x, v):
        parts = [Part({"a": e, "b": x}) for e in v]
        parts.append(Part({"b": x, "a": x}))
        total = 0.0
        for part in parts:
            part.size["a"] *= 2.0
            for item in part.size.values():
                total = 0.5 * total + item
        return total

    ends = [ordered(2.0 + step, np.ones(3)) for step in (1e-6, -1e-6)]
    found = grad(ordered)(2.0, np.ones(3))
    assert found == pytest.approx((ends[0] - ends[1]) / 2e-6)
