"""Whole programs that change lists, dicts and objects in ways that programs do."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, value_and_grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "an object made anew keeps the list of the old one": """
        class S:
            def __init__(self, h, log):
                self.h = h
                self.log = log

        def step(s, e):
            t = S(s.h * e, s.log)
            t.log.append(s.h)
            return t

        def program(x, v):
            s = S(x, [])
            for e in v:
                old = s
                s = step(s, e)
                old.h = 100.0
            return s.h * sum(s.log)
    """,
    "two lists exchange their names in a loop": """
        def program(x, v, k):
            a, b = [x], [2.0 * x]
            for i in range(k):
                a, b = b, a
                a.append(v[i % 3] * b[-1])
                b[0] *= x
            return sum(a) * a[0] + sum(b) * len(b)
    """,
    "closures share a dict, each pair its own": """
        def make(x):
            state = {"n": 0, "s": x}
            def tick(e):
                state["s"] = state["s"] * e + x
                state["n"] += 1
                return state["s"]
            def peek():
                return state["s"] * state["n"]
            return tick, peek

        def program(x, v):
            tick, peek = make(x)
            t2, p2 = make(x * x)
            total = 0.0
            for e in v:
                total += tick(e)
                if total > 0.0:
                    total += t2(total)
            return total * peek() + p2()
    """,
    "a row is changed, replaced and appended again": """
        def program(x, v):
            grid = [[x, v[0]], [v[1], v[2]]]
            row = grid[0]
            row[1] = row[0] * x
            grid[0] = [1.0, x]
            grid[0][0] += row[1]
            row.append(x)
            flat = [e for r in grid for e in r] + row
            grid.append(row)
            row[0] = 7.0 * x
            return sum(flat) * grid[2][0] * grid[0][0]
    """,
    "objects that know their parents": """
        class Node:
            def __init__(self, e):
                self.e = e
                self.kids = []

            def add(self, kid):
                self.kids.append(kid)
                kid.parent = self
                return kid

        def program(x, v):
            root = Node(x)
            a = root.add(Node(v[0]))
            b = root.add(Node(v[1] * x))
            c = a.add(Node(v[2]))
            c.e *= c.parent.e
            a.parent.e += c.e
            for kid in root.kids:
                kid.e = kid.e * root.e + len(kid.kids)
            return root.e * a.e * b.e + c.e
    """,
    "a name holds one of several rows": """
        def program(x, v, k):
            best = None
            pool = [[x, 1.0], [x * x, 2.0], [v[0], 3.0]]
            for row in pool:
                row[0] *= 1.5
                if best is None or row[0] > best[0]:
                    best = row
            best[1] *= x
            return sum(r[0] * r[1] for r in pool)
    """,
    "operators and items of objects that hold arrays": """
        class Vec:
            def __init__(self, data):
                self.data = data
            def __iadd__(self, o):
                self.data += o.data
                return self
            def __getitem__(self, i):
                return self.data[i]
            def __setitem__(self, i, e):
                self.data[i] = e
            def __len__(self):
                return len(self.data)

        def program(x, v):
            a = Vec(v * x)
            b = Vec(v.copy())
            c = a
            a += b
            for i in range(len(a)):
                a[i] = a[i] * b[i - 1]
                b[i] += c[i]
            c += c
            return np.sum(a.data * b.data) * c[0]
    """,
    "a list made anew in each iteration outlives the loop": """
        def program(x, v, k):
            total = 0.0
            for i in range(k + 1):
                acc = []
                for e in v:
                    if e > 0.0:
                        acc.append(e * x)
                    else:
                        acc.insert(0, e)
                acc.sort()
                total += acc[0] * acc[-1] * (i + 1)
                last = acc
            last.append(total)
            return sum(last)
    """,
    "a list handed down and back, and a copy of it": """
        def walk(path, x, depth):
            path.append(x * (depth + 1))
            if depth > 0:
                path[0] += path[-1] * x
            return path

        def program(x, v):
            p = walk([], x, 0)
            q = walk(p, v[0], 1)
            r = walk(q[:], v[1], 2)
            q.append(r[0])
            return sum(p) * sum(r)
    """,
    "a dict of its own on one path": """
        def program(x, v, k):
            d = {"a": x}
            e = d
            if k > 1:
                e = {"a": v[0], "b": x}
            e["a"] *= 2.0
            d["a"] += v[1]
            return d["a"] * e["a"]
    """,
    "a stack of lists that change": """
        def program(x, v, k):
            stack = []
            for i in range(4):
                stack.append([v[i % 3], x])
            while len(stack) > 1:
                a = stack.pop()
                b = stack[-1]
                b[0] += a[0] * a[1]
                b[1] *= a[0]
            a[0] = 3.0
            return stack[0][0] * stack[0][1] + a[0] * a[1]
    """,
    "items change while they are run over": """
        def program(x, v, k):
            q = [x, v[0], v[1]]
            m = q
            for i, e in enumerate(q):
                q[(i + 1) % 3] = e * x
                m[0] += e
            w = list(q)
            w[0] = 0.0
            t = tuple(q)
            q[1] = 5.0
            return sum(q) * sum(w) + t[1]
    """,
    "layers of a network keep what they were given": """
        from dataclasses import dataclass, field

        @dataclass
        class Layer:
            w: np.ndarray
            cache: dict = field(default_factory=dict)

            def forward(self, x):
                self.cache["x"] = x
                return np.tanh(self.w * x)

            def step(self, rate):
                self.w = self.w - rate * self.cache["x"]

        def program(x, v):
            layers = [Layer(v), Layer(v * x), Layer(np.sin(v))]
            h = v * 0.5
            for _ in range(2):
                for layer in layers:
                    h = layer.forward(h)
                for layer in reversed(layers):
                    layer.step(0.1 * x)
            return np.sum(h * layers[0].w) + sum(np.sum(l.cache["x"]) for l in layers)
    """,
    "a table of lists": """
        def program(x, v):
            n = len(v)
            table = [[0.0] * (n + 1) for _ in range(n + 1)]
            for i in range(1, n + 1):
                for j in range(1, n + 1):
                    above = table[i - 1][j - 1] + np.sin(v[j - 1])
                    table[i][j] = above + v[i - 1] * x * table[i][j - 1]
            return table[n][n] * table[1][n]
    """,
    "rows at both ends of a growing list": """
        def program(x, v, k):
            stack = [[x, 1.0], [x * v[0], 2.0]]
            total = 0.0
            for i in range(k + 2):
                stack.append([v[i % 3] * stack[-1][0], total])
                top = stack[-1]
                top[0] *= 1.5
                stack[0][1] += top[0]
                if len(stack) > 3:
                    a, b = stack.pop()
                    total += a * b
            return total + stack[0][1] * stack[-1][0]
    """,
    "lists and dicts in a dict, and a shallow copy": """
        def program(x, v):
            params = {"a": [x, v[0]], "b": {"c": v}}
            for i in range(3):
                params["a"][0] *= params["a"][1]
                params["b"]["c"] = params["b"]["c"] * x
                params["a"].append(params["a"][-1] + i)
            old = params.copy()
            params["a"] = [1.0]
            old["b"]["d"] = x
            total = sum(old["a"]) * np.sum(params["b"]["c"])
            return total * params["b"]["d"] + params["a"][0]
    """,
    "keys of the run are counted, read and taken out": """
        def program(x, v, k):
            counts = {}
            for i in range(6):
                key = (i * i + k) % 4
                counts[key] = counts.get(key, 0.0) + v[i % 3] * x
            if k in counts:
                counts[k] *= x
            total = 0.0
            for key, value in counts.items():
                total += value**2 * (key + 1)
            first = counts.pop(k % 4, x)
            return total + sum(counts.values()) * first * len(counts)
    """,
    "a function that calls itself remembers its results in a dict": """
        def program(x, y, k):
            known = {}
            def walk(m, r):
                if m == 0 or r == 0:
                    return x * (m + 1)
                if (m, r) in known:
                    return known[m, r]
                value = walk(m - 1, r) * y + walk(m, r - 1)
                known[m, r] = value
                return value
            return walk(k + 1, 2) + sum(known.values())
    """,
    "a function that calls itself appends to a list": """
        def grow(log, x, n):
            if n == 0:
                return x
            log.append(x * n)
            return grow(log, x * x, n - 1) + log[-1]

        def program(x, v, k):
            log = [v[0]]
            y = grow(log, x, k)
            log.append(y)
            z = grow(log, y * 0.1, 2)
            return sum(log) * z
    """,
    "arrays in a dict are written into in a loop": """
        def program(x, v, m, k):
            p = {"w": m * x, "b": v * x}
            for i in range(k + 1):
                p["b"] -= 0.1 * x
                p["w"] -= x
            return np.sum(p["b"] ** 2) + np.sum(p["w"])
    """,
    "a generator reads the list or dict that it is put into": """
        def program(x, v):
            log = [0.5 * x]
            log.extend(e * max(log) for e in v)
            log += (e + log[-1] for e in (x, v[0]))
            d = {"a": x}
            d.update((key, d["a"] * len(d)) for key in ("b", "a", "c"))
            return sum(log) * log[-1] + d["a"] * d["b"] * d["c"]
    """,
    "iterators are put into deques and sets one by one": """
        from collections import deque
        def program(x, v):
            q = deque([x])
            q.extendleft(e * q[0] for e in v)
            q.extend(map(lambda e: e * q[-1], v))
            seen = {1}
            seen.update(i for i in (2, 3, 4) if i - 1 in seen)
            return sum(i * e for i, e in enumerate(q)) * len(seen)
    """,
    "the order of evaluation": """
        def taken(q):
            q[0] = q[0] * 2.0
            return q.pop()

        def program(x, v):
            q = [x, v[0], v[1], x * v[2]]
            a = (tuple(q), q.pop(0))
            b = [sum(q), taken(q), len(q)]
            d = {"a": x, "b": v[0]}
            values = d.values()
            d["a"] = x * x
            d["c"] = v[1]
            total = 0.0
            for i, e in enumerate(values):
                total += i * e
            total += sum(values) + max(d.values())
            return a[0][0] * a[0][3] * a[1] + b[0] * b[1] * b[2] + total
    """,
    "a list turned round while its length isn't known": """
        def program(x, v):
            path = [v[1] * x] * 3
            while len(path) > 2:
                path.pop()
            path.reverse()
            return path[0] * x
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text)


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.log = [balance]

    def deposit(self, amount):
        self.balance += amount
        self.log.append(self.balance)


def transferred(source, target, amounts, rates):
    for amount in amounts:
        source.deposit(-amount)
        target.deposit(rates["in"] * amount)
    amounts.append(target.balance)
    rates["out"] = source.balance
    rates["weights"][0] *= 2.0
    total = source.balance * target.balance * sum(amounts)
    return total * rates["out"] * np.sum(rates["weights"]) + target.log[0]


def arguments():
    rates = {"in": 0.5, "weights": np.array([1.0, 2.0])}
    return Account(3.0), Account(2.0), [0.5, 0.25], rates


def test_arguments_stay_as_they_were():
    source, target, amounts, rates = arguments()
    gradients = grad(transferred, ("source", "target", "amounts", "rates"))(
        source, target, amounts, rates
    )
    assert vars(source) == {"balance": 3.0, "log": [3.0]}
    assert vars(target) == {"balance": 2.0, "log": [2.0]}
    assert amounts == [0.5, 0.25]
    assert list(rates) == ["in", "weights"]
    np.testing.assert_array_equal(rates["weights"], [1.0, 2.0])
    assert isinstance(gradients[0], Account)
    assert gradients[1].log == [1.0]
    assert len(gradients[2]) == 2
    assert list(gradients[3]) == ["in", "weights"]


def test_the_gradient_of_an_attribute():
    step = 1e-6

    def value(balance):
        _, target, amounts, rates = arguments()
        return transferred(Account(balance), target, amounts, rates)

    expected = (value(3.0 + step) - value(3.0 - step)) / (2.0 * step)
    found, gradient = value_and_grad(transferred)(*arguments())
    assert found == value(3.0)
    assert abs(gradient.balance - expected) < 1e-6 * abs(expected)


def test_arguments_that_are_one_and_the_same():
    source, _, amounts, rates = arguments()
    with pytest.raises(ValueError, match="source and target are the same object"):
        grad(transferred)(source, source, amounts, rates)
    other = Account(2.0)
    other.log = source.log
    with pytest.raises(ValueError, match="source_log and target_log"):
        grad(transferred)(source, other, amounts, rates)


LOG = [1.0]


def test_what_belongs_to_the_module_is_not_changed():
    def logged(x):
        LOG.append(x)
        return x * len(LOG)

    with pytest.raises(UnsupportedError, match="LOG isn't the function's own"):
        grad(logged)(2.0)
    assert LOG == [1.0]


def test_an_item_that_is_not_there():
    def taken(x):
        pair = [x]
        pair.pop()
        return pair.pop()

    with pytest.raises(UnsupportedError, match="there is no item"):
        grad(taken)(2.0)


def test_a_change_where_items_are_unpacked():
    def unpacked(x):
        pair = [x, x * x]
        both = [*pair, pair.pop()]
        return sum(both) * len(pair)

    assert grad(unpacked)(2.0) == 9.0
