"""Dicts with keys of the run whose values change: lists and objects."""

from __future__ import annotations

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "dicts in a dict": """
    def program(x, v):
        inner = {}
        for i, e in enumerate(v):
            row = inner.setdefault(i % 2, {})
            row[i] = e * x
        inner[0][0] *= x
        return sum(sum(r.values()) for r in inner.values())
    """,
    "groups by setdefault": """
        def program(x, v):
            groups = {}
            for i, e in enumerate(v):
                groups.setdefault(i % 2, []).append(e * x)
            groups[0].append(groups[1][0] ** 2)
            return sum(sum(g) * len(g) for g in groups.values()) * groups[0][-1]
    """,
    "a defaultdict of lists": """
        from collections import defaultdict
        def program(x, v, k):
            totals, rows = defaultdict(float), defaultdict(list)
            for i, e in enumerate(v):
                totals[i % (k + 1)] += e * x
                rows[e > 0.0].append(totals[0] * e)
            totals[99]
            return totals[0] ** 2 * len(totals) + sum(sum(r) for r in rows.values())
    """,
    "what values() gives is taken out": """
        def program(x, v):
            d = {}
            for i, e in enumerate(v):
                d.setdefault(i % 2, []).append(e * x)
            h = d.pop(0)
            h.append(x ** 2)
            for w in d.values():
                keep = w
            d[1].append(5.0 * x)
            return sum(h) + sum(keep)
    """,
    "objects with a list, by key": """
        class Acc:
            def __init__(self, b):
                self.b, self.log = b, []
            def add(self, e):
                self.b += e
                self.log.append(self.b)
        def program(x, v):
            d = {}
            for i, e in enumerate(v):
                if i % 2 not in d:
                    d[i % 2] = Acc(x)
                d[i % 2].add(e * x)
            return sum(a.b * sum(a.log) for a in d.values())
    """,
    "a graph of objects that know their neighbours": """
        class Node:
            def __init__(self, e):
                self.e = e
                self.edges = []
        def program(x, v):
            nodes = [Node(e) for e in v]
            for a in nodes:
                for b in nodes:
                    if a is not b:
                        a.edges.append(b)
            for a in nodes:
                for b in a.edges:
                    b.e += 0.1 * x * a.e
            return sum(n.e ** 2 for n in nodes)
    """,
    "lists under keys that are known and chosen": """
        def program(x, v):
            d = {"a": [], "b": []}
            for i, e in enumerate(v):
                d["a" if e > 0 else "b"].append(e * x)
            k = "a" if x > 0 else "b"
            d[k].append(x)
            del d[k]
            return sum(sum(g) for g in d.values()) + x * len(d)
    """,
}
SHARED = {
    "a value that another took the place of": """
        def program(x, v):
            d = {}
            for i, e in enumerate(v):
                d.setdefault(i % 2, []).append(e * x)
            g = d[0]
            d[0] = [x]
            g.append(x ** 2)
            return sum(g) + sum(d[0])
        """,
    "a value beside one that was popped": """
        def program(x, v):
            d = {}
            for i, e in enumerate(v):
                d.setdefault(i % 2, []).append(e * x)
            g = d[0]
            h = d.pop(0)
            g.append(x ** 2)
            return sum(h) + sum(g)
        """,
    "get": """
        def program(x, v):
            d = {}
            for i, e in enumerate(v):
                d.setdefault(i % 2, []).append(e * x)
            n = len(d)
            if d:
                n += 1
            g = d.get(5, [x])
            g.append(x)
            return n * sum(g) * sum(d[0])
        """,
    "a copy": """
        def program(x, v):
            d = {}
            for i, e in enumerate(v):
                d.setdefault(i % 2, []).append(e * x)
            c = d.copy()
            c[0].append(x)
            return sum(d[0])
        """,
    "a list that is used on": """
        def program(x, v):
            d = {}
            row = [x]
            for i, e in enumerate(v):
                d[i % 2] = row
            d[0].append(x)
            return sum(d[1]) + sum(row)
        """,
    "a list of the values": """
        def program(x, v):
            d = {}
            for i, e in enumerate(v):
                d.setdefault(i % 2, []).append(e * x)
            a, b = d[0], d[0]
            a.append(x)
            b.append(x * 2.0)
            b[0] = x ** 3
            w = list(d.values())
            w[0].append(5.0)
            return sum(a) * sum(b) + len(w)
        """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text, range(3))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", SHARED.values(), ids=SHARED)
def test_lists_of_numbers_that_are_shared(text):
    assert_differentiated(text, range(3))
