"""What procedures are given and give beside numbers and arrays: functions that hold
values, deques, iterators. With calls kept and written out."""

import math
import re

import pytest

from s2sad import compiler, grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "functions that hold others": """
        import functools
        def f(a, b):
            return a * a * b
        def g(a, b):
            return a + b * b * b
        def twice(h, x):
            return h(h(x))
        def repeated(h, x, n):
            return h(x) if n == 0 else repeated(h, h(x), n - 1)
        class Scale:
            def __init__(self, a): self.a = a
            def up(self, x): return self.a * x
            def down(self, x): return x / (2.0 + self.a * self.a)
        def program(x, y, k):
            with_x = functools.partial(f, 0.3 * x), functools.partial(f, b=0.3 * x)
            t = twice(with_x[0], y) + twice(with_x[1], 0.5 * y)
            t = t + twice(functools.partial(g, x), y) + twice(Scale(x).up, y)
            t = t + twice(Scale(y).down, x) + twice(functools.partial(with_x[0]), x)
            t = t + repeated(with_x[0], 0.1, 2) + repeated(with_x[1], 0.1, 2)
            return t + repeated(functools.partial(g, x), 0.1, 1)
    """,
    "functions made for lists that each call gives": """
        def changing(items, k):
            def changed(e):
                items[k] = items[k] * e
                return e
            return changed
        def program(x, y, k):
            a, b = [x, y], [y, 2.0 * x]
            f, g = changing(a, 1), changing(b, 1)
            t = f(x) + g(x * y) + f(y) * g(x)
            return t + a[1] * b[1] ** 2
    """,
    "deques with a maxlen, defaultdicts": """
        from collections import defaultdict, deque
        def push(d, x):
            d.append(x * x)
            return sum(d) / len(d)
        def fill(d, x, n):
            if n > 0:
                d.append(x * n)
                fill(d, 0.5 * x, n - 1)
        def count(d, key, x, n):
            d[key] += x * n
            if n > 0:
                count(d, key, x, n - 1)
        def program(x, v, k):
            d = deque([x], maxlen=3)
            t = 0.0
            for e in v:
                t += push(d, e * x) ** 2
            fill(d, x, 3)
            c = defaultdict(float)
            count(c, "a", x, 2)
            count(c, "b", t, 1)
            return t * sum(d) + c["a"] * c["b"]
    """,
    "deep copies of what others hold": """
        import copy
        def longer(rows, x):
            own = copy.deepcopy(rows)
            own[0].append(x * len(rows[0]))
            return own
        def program(x, y):
            rows = [[x], [y]]
            a = longer(rows, y)
            b = longer(a, x * y)
            rows[0][0] = x * x
            return sum(rows[0]) * sum(a[0]) * sum(b[0]) + len(rows[0])
    """,
    "structures that may be None, one of several functions": """
        def step(h, x):
            if h is None:
                return (x * x, x)
            return (h[0] * 0.5 + x * h[1], h[1] * 0.3)
        def applied(f, x):
            return f(x) * x
        def best(v, k, s):
            if k == len(v):
                return 1.0 if s is None else s[0] * s[1]
            if v[k] > 0.5:
                s = (v[k], v[k] * v[0])
            return best(v, k + 1, s) * 0.9
        def repeated(f, x, n):
            return x if n == 0 else f(repeated(f, x, n - 1))
        def program(x, v, k):
            h = None
            for e in v:
                h = step(h, e * x)
            f = math.sin if x > 0.5 else math.cos
            g = (lambda t: t * x) if v[0] > 0.0 else (lambda t: t + x * x)
            t = applied(f, x) * applied(g, x) + repeated(f, x, 2) + best(v, 0, None)
            return t if h is None else t * h[0] * h[1]
    """,
    "parameters that are bound again": """
        def applied(f, x, n):
            if x > 0.5:
                f = math.cos
            if n == 0:
                return f(x)
            return applied(f, 0.9 * x, n - 1)
        def program(x, y, k):
            return applied(math.sin, x, 2) * applied(lambda t: t * x, y, 2)
    """,
    "functions made inside": """
        def layer(w):
            s = w * w
            def run(v):
                return math.tanh(v * s) + w
            return run
        def counter(a):
            n = a
            def add(d):
                nonlocal n
                n += d * a
                return n
            def get():
                return n * n
            return add, get
        def listed(a):
            rows = [a]
            def push(v):
                rows.append(v * a)
            return rows, push
        def setter(a):
            y = 2.0 * a
            def put(k, v):
                y[k] = v
            return y, put
        def program(x, y, v):
            f, g = layer(x), layer(y)
            add, get = counter(x)
            more, other = counter(y)
            t = f(g(0.5)) + add(y) * more(x) + add(t0(f, g))
            rows, push = listed(x)
            push(y)
            push(t)
            row, also = listed(t)
            also(x)
            w, put = setter(v)
            u, set_u = setter(v * v)
            put(0, x * y)
            set_u(0, t)
            t = t * get() * other() + sum(rows) * sum(row) + np.sum(w * u)
            for k in range(3):
                t = t * 0.1 + layer(x * k)(y)
            return t
        def t0(f, g):
            return f(1.0) * g(1.0)
    """,
    "what leaves under several names": """
        from collections import defaultdict, deque
        class Node:
            def __init__(self, v):
                self.v = v
                self.other = None
        def two(a):
            rows = [a, a * a]
            return rows, {"rows": rows, "more": [rows, a]}
        def ring(a):
            p, q = Node(a), Node(a * a)
            p.other, q.other = q, p
            return p
        def recent(a):
            return deque([a, a * a], maxlen=2)
        def grouped(x, n):
            if n == 0:
                d = defaultdict(float)
                d[0] += x
                return d
            d = grouped(0.5 * x, n - 1)
            d[n % 2] += x * n
            return d
        def program(x, y, k):
            a, b = two(x)
            c, d = two(y)
            b["rows"].append(y)
            d["more"][0][0] = x * y
            p, q = ring(x), ring(y)
            p.other.v = p.other.v * y
            r, s = recent(x), recent(y)
            r.append(y * y)
            g = grouped(x, 3)
            t = sum(a) * len(a) + sum(c) + p.other.v * p.other.other.v * q.other.v
            return t + sum(r) * sum(s) + g[0] * g[1] + g[7]
    """,
    "one program for all that it changes": """
        class Node:
            def __init__(self, v, other=None):
                self.v = v
                self.other = other
        def moved(p, x):
            p.v = p.v * x + 0.1
        def given_back(p, x):
            p.v *= x
            return p
        def between(p, q, x):
            p.v *= x
            q.v += p.v
            return p if x > 0.0 else q
        def through(p, x):
            p.other.v += p.v * x
            p.v = p.other.v
        def exchanged(p, q):
            p.other, q.other = q.other, p.other
            return p.other
        def push(items, x):
            items.append(x * items[0])
            items[0] = items[0] * 0.5
        def both(items, others, x):
            items.append(x)
            others[0] = others[0] * x + len(items)
        def program(x, y, k):
            p, q, r = Node(x), Node(y), Node(x * y)
            moved(p, y), moved(q, x), moved(r, 0.5), moved(p, 2.0)
            t = given_back(q, x).v * given_back(r, y).v
            given_back(q, x).v += t
            between(p, q, x).v += 1.0
            between(q, p, y).v += x
            between(r, r, y).v += y
            a, b = Node(x, p), Node(y, q)
            through(a, x), through(b, y), through(a, y)
            ring = Node(x)
            ring.other = ring
            through(ring, y)
            exchanged(a, b).v *= y
            exchanged(b, a).v *= x
            through(a, x), through(b, y)
            one, two, three = [x], [y, x], [x, y, t]
            push(one, y), push(two, x), push(three, t), push(one, t)
            both(one, two, x), both(two, one, y), both(three, three, t)
            def own(items, v):
                items.append(v)
                one.append(2.0 * v)
                items[0] += one[-1]
            own(two, x), own(three, y), own(one, t)
            for items in (one, two):
                push(items, x)
            t += p.v * q.v + r.v * ring.v + a.v + b.v * a.other.v * b.other.v
            return t + sum(one) * len(one) + sum(two) * x + sum(three) * y
    """,
    "one of several lists and objects": """
        class Node:
            def __init__(self, v):
                self.v = v
        def moved(p, x):
            p.v = p.v * x + 0.1
            return p
        def push(items, p, x):
            items.append(x * items[0])
            p.v += items[-1]
        def total(items):
            t = 0.0
            for e in items:
                t = 0.9 * t + e
            return t
        def program(x, y, k):
            p, q, r = Node(x), Node(y), Node(x * y)
            one, two = [x, y], [y]
            for i in range(3):
                items = one if i < k else two
                first = p if i == k else (q if y > 0.0 else r)
                push(items, first, x)
                moved(first, y).v *= 0.5
                moved(r if x > y else first, x)
            last = one if x > 0.0 else two
            push(last, p, y)
            return total(one) * p.v + total(two) * q.v + r.v * total(last)
    """,
    "lists that are bound again and changed": """
        def longer(items, x):
            items = items or [x]
            items.append(x * len(items))
            return sum(items)
        def another(items, x):
            items = items + [x] if x > 0.3 else [x, x]
            items[0] *= x
            return sum(items)
        def program(x, y, k):
            one, none = [x, y], []
            t = longer(one, y) + longer(none, x) + longer(one, x)
            t += another(one, y) * another([y], x)
            return t * sum(one) + sum(none)
    """,
    "dicts that are bound again and changed": """
        def keyed(d, x):
            d = d or {7: x}
            d[8] = x * x
            both = d and [x, d[8]]
            return sum(d.values()) * len(both)
        def program(x, y, k):
            d = {}
            for i in range(k):
                d[i % 2] = x * i
            d[0] = y
            return keyed(d, y) * keyed({}, x) * len(d)
    """,
    "iterators that are given and returned": """
        import itertools
        def horner(items, x):
            t = 0.0
            for v in items:
                t = t * x + v
            return t
        def first_and_rest(items, x):
            first = next(items)
            return first * horner(items, x)
        def until(items, x):
            t = x
            for v in items:
                if v > 1.0:
                    return t
                t = t * v + x
            return t * t
        def squares(v, x):
            for e in v:
                yield e * e * x
                yield e
        def scaled(v, a):
            b = a * a
            return map(lambda e: e * b + a, v)
        def neighbours(items):
            return zip(items, items[1:])
        def counted(v, n):
            return enumerate(v, n)
        def program(x, y, v, k):
            t = horner((math.sin(e) * y for e in v), x)
            t += horner((e * t for e in v if e > 0.3), y)
            t += horner(map(math.sin, v), x) * horner(map(math.sin, [x, y]), t)
            t += horner(squares(v, x), 0.5) * horner(squares([y], t), 0.5)
            t += horner(itertools.chain(v, [x]), y) + horner(iter(v), y)
            t += first_and_rest(iter([x, y, t]), y) + until(iter(v), x)
            t += until((e * x for e in v), y) * horner(range(k), x)
            t += horner(scaled(v, x), y) * horner(scaled([y, t], 0.3), x)
            for a, b in neighbours([x, y, t]):
                t = t * 0.5 + a * b
            for i, e in counted(v, k):
                t = t * 0.5 + i * e * horner((e * b for b in v), x)
            rows = [x, y]
            later = (e * t for e in rows)
            rows[0] = t * x
            t = horner(later, y) + sum(rows)
            one = iter(v)
            t += next(one) * next(one)
            return t
    """,
    "variables that are called like those of who calls with them": """
        def applied(f, x):
            t = 2.0 * x
            return f(x) * t
        def by_helper(f, x):
            return helper(x) * f(x)
        def helper(x):
            t, values = 0.5 * x, x * x
            for s in (x, t):
                values += s * t
            return values
        def repeated(f, x, n):
            t = 2.0 * x
            return f(x) * t if n == 0 else repeated(f, 0.9 * x, n - 1) * t
        def pushed(items, x):
            rows = x * x
            values = rows * x
            items.append(rows + values)
            return helper(x) * items[0] * rows
        def read(p, x):
            v = x * x
            return p.v * v * helper(p.v)
        class P:
            def __init__(self, v):
                self.v = v
        class Squared:
            def __init__(self, x):
                x = x * x
                self.g = x
        def halves(items):
            x = 2.0
            for e in items:
                x = x * 0.5
                yield e * x
        def by_parameters(x, g):
            both = [x, g]
            t = sum(x * x for x in both) + sum([g for g in both]) + sum(halves(both))
            return Squared(t).g * x * g
        def program(x, y, k):
            t = by_parameters(x, y) * by_parameters(y, 0.5 * x) * 0.1 + x * y
            s = t * t
            values = s + y
            t1 = applied(lambda v: v * t + values, x)
            t1 += applied(lambda v: v * s, y) * by_parameters(t, x)
            t1 += by_helper(lambda v: v * t * values * s, x)
            t1 *= repeated(lambda v: v * t, y, 2)
            rows = [x, t]
            t1 += pushed(rows, y) + pushed(rows, x) * sum(rows)
            p = P(x)
            p.v *= y
            return t1 * read(p, x) + read(p, y)
    """,
    "lists that calls make longer while they are run over": """
        def push(items, x):
            items.insert(0, 2.0 * x)
        def program(x, y, k):
            items, total = [x, 3.0 * y], 0.0
            push(items, y)
            for e in items:
                total = total * x + e
                if len(items) < 6:
                    push(items, total)
            for i, e in enumerate(items):
                total = total * x + e * i
                if i < 2:
                    push(items, total)
            return total * len(items) + sum(items)
    """,
}


@pytest.fixture(params=["kept", "budget"])
def calls(request, monkeypatch):
    monkeypatch.setattr(compiler, "calls_of", lambda *_: request.param)


@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name], range(3))


LOG = [1.0, 2.0]


def log(n):
    return LOG if n == 0 else log(n - 1)


@pytest.mark.usefixtures("calls")
def test_a_list_of_the_module_stays_the_modules():
    def program(x):
        rows = [x]
        rows.append(x * x)
        return (sum(log(1)) + sum(rows)) * (1.0 if log(1) is log(2) else 0.0)

    def changed(x):
        log(1).append(x)
        return sum(LOG) * x

    assert grad(program)(0.5) == 2.0
    with pytest.raises(UnsupportedError, match="isn't the function's own"):
        grad(changed)(0.5)


@pytest.mark.usefixtures("calls")
def test_each_call_counts_as_a_change():
    def push(items, x):
        items.append(x * items[0])

    def program(x):
        items = [x, 3 * x]
        push(items, x)
        backwards = reversed(items)
        push(items, 2 * x)
        return sum(backwards)

    with pytest.raises(UnsupportedError, match="has changed its length since then"):
        grad(program)(0.5)


def test_one_pair_for_all_that_is_changed():
    class Body:
        def __init__(self, x, v):
            self.x, self.v = x, v

    def moved(body, h):
        body.v -= h * body.x
        body.x += h * body.v

    def pushed(items, x):
        items.append(x * items[0])

    def program(x):
        bodies = Body(x, x), Body(x * x, 0.5 * x), Body(3.0 * x, x)
        for body in bodies:
            moved(body, 0.1)
        moved(bodies[0], 0.2)
        one, two, three = [x], [2.0 * x], [x * x]
        pushed(one, x)
        pushed(two, x)
        pushed(three, x)
        return sum(b.x * b.v for b in bodies) * sum(one) * sum(two) * sum(three)

    text = grad(program, optimise={"inlining": False}).source_for(0.7)
    functions = re.findall(r"^def (moved|pushed)(\w*)", text, re.M)
    assert sorted(functions) == [
        (name, f"_{sweep}")
        for name in ("moved", "pushed")
        for sweep in ("forward", "reverse")
    ]


@pytest.mark.usefixtures("calls")
def test_an_iterator_that_a_call_has_run_gives_nothing_more():
    def total(items):
        t = 0.0
        for e in items:
            t += e * e
        return t

    def program(x):
        squares = (e * e for e in (x, 2.0 * x) if e > -9.0)
        return total(squares) + total(squares)

    def in_a_loop(x):
        squares, t = filter(None, [x, x * x, x]), 0.0
        for _ in range(2):
            t += total(squares)
        return t

    def followed(x):
        items, t = reversed([x, x * x, x]), 0.0
        for _ in range(2):
            t += total(items)
        return t

    assert grad(followed)(0.5) == 4.0 * 0.5 + 4.0 * 0.5**3
    assert grad(program)(0.5) == 68.0 * 0.5**3
    assert grad(in_a_loop)(0.5) == 4.0 * 0.5 + 4.0 * 0.5**3


def test_calls_with_iterators_stay_calls():
    def total(items, x):
        t = 0.0
        for e in items:
            t = t * x + e
        return t

    def pairs(items):
        return zip(items, items[1:])

    def program(x, v):
        t = total((e * x for e in v), x) * total(map(math.sin, v), x)
        t += total(map(math.sin, [x, t, x]), t)
        return t + sum(a * b for a, b in pairs(v))

    text = grad(program, optimise={"inlining": False}).source_for(0.7, [1.0, 2.0, 3.0])
    assert len(re.findall(r"^def total", text, re.M)) == 3
