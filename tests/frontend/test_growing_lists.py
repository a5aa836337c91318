"""Lists and tuples that a loop lengthens, or that have other lengths on other paths."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a tuple grows": """
        def program(x, v):
            c = ()
            for a in v:
                c += (a * x,)
            return sum(c) * c[-1] + len(c)
    """,
    "a list grows": """
        def program(x, v):
            c = [x]
            for a in v:
                c = c + [c[-1] * a]
            return sum(c)
    """,
    "at its front": """
        def program(x, v):
            c = (x,)
            for a in v:
                c = (a * c[0], *c)
            return c[0] + c[1] * c[-1]
    """,
    "several at once": """
        def program(x, v):
            c = (x,)
            for a in v:
                c = (*c, a * c[-1], math.sin(a))
            total = 0.0
            for k, item in enumerate(c):
                total += item * (k + 1)
            return total
    """,
    "no iteration at all": """
        def program(x, k):
            c = (x, 2.0 * x)
            for i in range(k):
                c += (c[i] * c[i + 1],)
            return c[-1] * c[0]
    """,
    "the old one is kept": """
        def program(x, v):
            c = (x,)
            for a in v:
                old = c
                c += (a * x,)
                x = x * 0.5 + sum(old)
            return sum(c) * len(old)
    """,
    "an old list is kept": """
        def program(x, v):
            c = [x]
            for a in v:
                old = c
                c = [*c, a * x]
                x = x * 0.5 + sum(old)
            return sum(c) * len(old)
    """,
    "only now and then": """
        def program(x, v):
            c = ()
            for a in v:
                if a > 0.0:
                    c += (a * x,)
            for a in v:
                if len(c) > 1:
                    c = c[:-1]
            return sum(c) + x
    """,
    "in one branch": """
        def program(x, y):
            c = (x, y)
            if x > y:
                c += (x * y,)
            return sum(c) * c[-1]
    """,
    "lists in two branches": """
        def program(x, y, v):
            if x > y:
                c = [x, y * y]
            else:
                c = [a * x for a in v]
            return sum(c) + c[1] ** 2
    """,
    "starts empty in a branch": """
        def program(x, v):
            for k, a in enumerate(v):
                if k == 0:
                    c, d = (a * x,), (x,)
                else:
                    c += (a * c[-1],)
                    d += (c[-1] - d[-1],)
            return c[-1] * d[-1]
    """,
    "until a break": """
        def program(x, v):
            c = (x,)
            while True:
                c = (*c, 0.5 * c[-1])
                if len(c) > 4 or c[-1] < 0.1:
                    break
            return sum(c) * c[len(c) // 2]
    """,
    "replaced in each round": """
        def program(x, v):
            row = (x,)
            for n in range(3):
                new = (x * (n + 1.0),)
                for k, old in enumerate(row):
                    new = (*new, new[-1] + old / (k + 1.0))
                row = new
            return row[-1] + row[0]
    """,
    "of arrays": """
        def program(x, v):
            c = ()
            for k in range(3):
                c += (v * x + k,)
                x = x * 0.5
            return np.sum(np.stack(c) ** 2) + np.sum(c[0] * c[-1])
    """,
    "of pairs": """
        def program(x, v):
            path = ((x, 0.0),)
            for a in v:
                p, q = path[-1]
                path += ((p + a * q, q + x),)
            return sum(p * q for p, q in path)
    """,
    "pairs at the front": """
        def program(x, v):
            path = []
            for a in v:
                path = [(a * x, x), *path]
            total = 0.0
            for p, q in path:
                total = total * q + p
            return total
    """,
    "repeated": """
        def program(x, v, k):
            c = [x * x] * k + [x]
            d = (1.0,) * len(v)
            return sum(c) + sum(a * b for a, b in zip(v, d)) * c[0]
    """,
    "several repeated": """
        def program(x, v, k):
            c = [x, x * x] * (k + len(v))
            total = 0.0
            for k, item in enumerate(c):
                total += k * item
            return total
    """,
    "returned by a helper": """
        def roots(b, c):
            d = b * b - c
            if d < 0.0:
                return ()
            if d > 1.0:
                return (b + math.sqrt(d), b - math.sqrt(d))
            return (b,)

        def program(x, y, v):
            total = x
            for a in v:
                for root in roots(x * a, y):
                    total += root * root
            return total
    """,
    "any item of a known one": """
        def program(x, y, v):
            c = (x, y, x * y)
            total = 0.0
            for k in range(len(v)):
                total += c[k] * v[k]
            for k in range(2):
                total = total * sum(c[k:])
            return total
    """,
    "a list of a tuple": """
        def program(x, v):
            c = ()
            for a in v:
                c += (a * x,)
            d = [x, *c]
            e = (*d, x)
            return sum(d) * e[-1] * e[1]
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_list_of_changing_length_is_differentiated(text):
    assert_differentiated(text, range(6))


ARRAYS = {
    "cut": "c = c[:-1]",
    "turned": "c = c[::-1]",
    "turned and weighed": "c = c[::-1] * c",
    "chosen": "c = c[[2, 0, 2]]",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("line", ARRAYS.values(), ids=ARRAYS)
def test_an_array_that_is_indexed_again_and_again(line):
    """The adjoint of the new array is added into that of the old one, which has the
    same name."""
    assert_differentiated(
        f"""
        def program(x, v):
            c = v * x
            for k in range(3):
                if len(c) > 1:
                    {line}
            return np.sum(c * c) * c[0]
        """,
        range(4),
    )


def test_the_code_is_what_one_would_write():
    def powers(x, n):
        found = (x,)
        for _ in range(n):
            found += (found[-1] * x,)
        return sum(found)

    text = grad(powers).source_for(2.0, 3)
    assert "found = (*found, item * x)" in text
    assert grad(powers)(2.0, 2) == 1.0 + 4.0 + 12.0


def test_a_list_extended_in_place():
    def extended(x, n):
        found = [x]
        for _ in range(n):
            found = [*found, x]
        same = found
        found += [x]
        return sum(same)

    assert grad(extended)(2.0, 2) == 4.0


def test_items_of_different_kinds_are_refused_where_they_are_read():
    def mixed(x, n):
        found = (x,)
        for _ in range(n):
            found += ("text",)
        return found[0] * x

    with pytest.raises(UnsupportedError, match="different kinds"):
        grad(mixed)(2.0, 2)


def test_a_missing_item_is_refused_where_it_is_surely_missing():
    def missing(x, n):
        pair = (x, x)
        total = 0.0
        for _ in range(n):
            total += pair[2]
        return total

    with pytest.raises(UnsupportedError, match="no item 2") as caught:
        grad(missing)(2.0, 2)
    assert len(caught.value.problems) == 1


def test_the_number_of_items_decides_at_run_time():
    def positive_part(x, v):
        kept = [x]
        for a in v:
            if a > 0.0:
                kept = [*kept, a * x]
        if len(kept) == 1:
            return x
        return sum(kept) / len(kept)

    derived = grad(positive_part)
    assert derived(2.0, -np.ones(3)) == 1.0
    assert derived(2.0, np.array([1.0, -1.0, 3.0])) == pytest.approx(5.0 / 3.0)


MIXED = {
    "grow in try": """
        def program(x, v):
            c = ()
            for a in v:
                try:
                    c += (math.sqrt(a) * x,)
                except ValueError:
                    c = (x, *c)
            return sum(k * e for k, e in enumerate(c)) + x
    """,
    "closure over growing": """
        def program(x, v):
            c = (x,)
            def last():
                return c[-1]
            for a in v:
                c += (last() * a,)
            return sum(c) * last()
    """,
    "generator of growing": """
        def prefixes(v):
            seen = ()
            for a in v:
                seen += (a,)
                yield seen
        def program(x, v):
            total = x
            for seen in prefixes(v):
                total = total + sum(seen) * x * len(seen)
            return total
    """,
    "recursion returning lists": """
        def build(x, n):
            if n == 0:
                return (x,)
            return (*build(x * 0.5, n - 1), x)
        def program(x, k):
            c = build(x, k)
            return sum(c) * c[0]
    """,
    "nonlocal growing": """
        def program(x, v):
            log = ()
            def note(a):
                nonlocal log
                log += (a * x,)
                return len(log)
            n = 0
            for a in v:
                if a > 0:
                    n = note(a)
            return sum(log) * n + x
    """,
    "while pop from tuple": """
        def program(x, v):
            todo = (x, 2.0 * x, x * x)
            total = 0.0
            while todo:
                head, *rest = todo
                todo = tuple(rest)
                total = total * 0.5 + head
                if total > 3.0 and len(todo) < 4:
                    todo = todo[:1]
            return total
    """,
    "stack machine": """
        def program(x, y, k):
            stack = [x]
            for i in range(k + 2):
                if i % 2:
                    stack = [*stack, stack[-1] * y]
                elif len(stack) > 1:
                    a, b, *others = stack
                    stack = [a + b, *others]
                else:
                    stack = stack + [y]
            return sum(s * s for s in stack)
    """,
    "two grow together": """
        def program(x, v):
            a, b = [], ()
            for e in v:
                a, b = [*a, sum(b) + e * x], b + (sum(a) * e + x,)
            return sum(p * q for p, q in zip(a, b))
    """,
    "dict of growing": """
        def program(x, v):
            d = {"a": (x,), "b": ()}
            for e in v:
                if e > 0:
                    d = {"a": d["a"] + (e * x,), "b": d["b"]}
                else:
                    d = {"a": d["a"], "b": (*d["b"], e)}
            return sum(d["a"]) * (sum(d["b"]) + 1.0)
    """,
    "sorted growing": """
        def program(x, v):
            c = ()
            for e in v:
                c = tuple(sorted((*c, e * x)))
            return c[0] * 3.0 + c[-1] - c[len(c) // 2]
    """,
    "late in while/else": """
        def program(x, v):
            i = 0
            while i < 3:
                if i:
                    if prev > v[i]:
                        break
                    x = x * prev
                prev = v[i] * x
                i += 1
            else:
                x = x + prev
            return x * prev
    """,
    "late structure": """
        def program(x, v):
            for i in range(3):
                if i:
                    x = x + best[0] * best[1]["w"]
                    if best[1]["w"] < 0:
                        continue
                best = (v[i] * x, {"w": v[i]})
            return x
    """,
    "late function": """
        def program(x, v):
            for i in range(3):
                if i:
                    x = f(x)
                f = math.sin if v[i] > 0 else math.cos
            return x * v[0]
    """,
    "combos dynamic": """
        import itertools
        def program(x, v, k):
            t = 0.0
            for size in range(1, k + 1):
                for c in itertools.combinations(v, size):
                    t += math.prod(c) * x
            return t + x
    """,
    "product list pool": """
        import itertools
        def program(x, v, k):
            pool = [a for a in v if a > 0.0]
            t = x
            for p in itertools.product(pool, repeat=k):
                t += sum(p) * x
            return t
    """,
    "takewhile growing": """
        import itertools
        def program(x, v):
            t = x
            def gen(z):
                while True:
                    yield z
                    z = z * 0.7
            for z in itertools.takewhile(lambda q: abs(q) > 0.2, gen(x)):
                t = t * 0.9 + z * v[0]
            return t
    """,
    "star unknown": """
        def f(a, b, c):
            return a * b - c
        def program(x, v):
            rows = [v * x, v + x]
            return sum(f(*r) for r in rows) + max(*v) * x
    """,
    "listed index loop": """
        def program(x, y, k):
            c = [x, y, x * y]
            t = 0.0
            for i in range(k + 3):
                t = t * c[i % 3] + c[(i + 1) % 3]
            return t
    """,
    "early return tuple lengths": """
        def split(x, v):
            for e in v:
                if e > 0.5:
                    return (e * x, x)
            return (x,)
        def program(x, v):
            parts = split(x, v)
            return sum(parts) * parts[0]
    """,
    "growing arrays concat": """
        def program(x, v):
            rows = []
            for i in range(3):
                rows = [*rows, v * x ** i]
            m = np.array(rows)
            return np.sum(m @ v) + np.sum(rows[1] * v)
    """,
    "list equality alias": """
        def program(x, v):
            c = [x]
            d = c
            for e in v:
                c = c + [e]
                x = x + sum(d)
            return sum(c) * sum(d) * x
    """,
    "finally growth": """
        def program(x, v):
            c = ()
            for e in v:
                try:
                    if e < 0:
                        continue
                    x = x * e
                finally:
                    c += (x,)
            return sum(c)
    """,
    "match growth": """
        def program(x, v):
            c = ()
            for i in range(4):
                match c:
                    case ():
                        c = (x,)
                    case (a,):
                        c = (a, a * v[0])
                    case (a, b, *rest):
                        c = (b, a * x, *rest, v[1])
            return sum(c)
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", MIXED.values(), ids=MIXED)
def test_growing_beside_everything_else(text):
    assert_differentiated(text, range(3))
