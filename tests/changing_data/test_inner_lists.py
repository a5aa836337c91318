"""Lists in lists that are changed where they stand: who else sees them, and that the
length of a list costs nothing."""

from __future__ import annotations

import re

import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a table by its elements": """
        def program(x, v, k):
            t = [[0.0] * (k + 2) for _ in range(k + 2)]
            for i in range(k + 2):
                for j in range(k + 2):
                    t[i][j] = x * (i + j)
                    if j > 0:
                        t[i][j] += t[i][j - 1] * t[i - 1][j] * v[0]
            return t[-1][-1] + t[0][1] ** 2
    """,
    "a row has a name while its list changes": """
        def program(x, v, k):
            t = [[x, v[0]] for _ in range(k + 1)]
            total = 0.0
            for i in range(k):
                row = t[i]
                first = row[0]
                t[i][0] = row[1] * x
                row[1] = first * t[i][0]
                total += row[0] * row[1]
            return total + t[0][1]
    """,
    "a row is kept before its list changes": """
        def program(x, v, k):
            t = [[x, v[0]], [v[1], x]]
            kept = list(t[0])
            for i in range(k):
                t[i % 2][0] = t[i % 2][1] * kept[0]
                kept = list(t[i % 2])
            return kept[0] * kept[1] + t[0][0]
    """,
    "a list of lists is copied before it changes": """
        def program(x, v, k):
            t = [[x, v[0]] for _ in range(k + 1)]
            before = [list(row) for row in t]
            for i in range(k + 1):
                t[i][0] = t[i][1] * x
            return sum(a[0] * b[0] for a, b in zip(t, before))
    """,
    "a row of numbers is needed as it was": """
        def program(x, v, k):
            t = [[x * j for j in range(3)] for _ in range(k + 1)]
            total = 0.0
            for i in range(k):
                total += sum(value * value for value in t[i])
                t[i][1] = total * v[0]
                t[i + 1][2] = t[i][1] + x
            return total
    """,
    "an array is made of the rows": """
        def program(x, v, k):
            t = [[x, v[0]] for _ in range(k + 1)]
            total = 0.0
            for i in range(k):
                total += np.sum(np.array(t) ** 2)
                t[i][1] = total * 0.1 * x
            return total + np.sum(np.array(t))
    """,
    "items come and go": """
        def program(x, v, k):
            rows = [[v[0]] for _ in range(3)]
            total = 0.0
            for i in range(2 * k):
                rows[i % 3].append(x * rows[i % 3][-1] + i)
                if i % 3 == 1:
                    total += rows[0].pop() * v[1]
                if i % 4 == 3:
                    total += rows[1].pop(0) * x
            return total + sum(r[-1] if r else 0.0 for r in rows)
    """,
    "lists by keys of the run": """
        def program(x, v, k):
            groups = {}
            for i in range(2 * k):
                groups.setdefault(i % 3, []).append(x * i + v[i % 3])
                groups[i % 3][0] = groups[i % 3][-1] * x
            return sum(g[0] * g[-1] for g in groups.values())
    """,
    "a row is put into another list": """
        def program(x, v, k):
            rows = [[x, v[0]] for _ in range(k + 1)]
            others = []
            for i in range(k):
                others.append(list(rows[i]))
                rows[i][0] = v[1] * others[-1][1]
                others[-1][1] = rows[i][0] * x
            return sum(a[0] * b[1] for a, b in zip(rows, others))
    """,
    "a recursion fills a table": """
        def program(x, v, k):
            t = [[0.0] * 3 for _ in range(k + 1)]

            def fill(i):
                if i <= k:
                    for j in range(3):
                        t[i][j] = x * v[j] + (t[i - 1][j] if i else 0.0)
                    fill(i + 1)

            fill(0)
            return t[k][0] * t[0][1]
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_lists_in_lists(name):
    assert_differentiated(PROGRAMS[name], range(4))


def triangle(x, n):
    rows = [[0.0] * n for _ in range(n)]
    for i in range(1, n):
        rows[i][0] = x * rows[i - 1][0] * rows[i - 1][0] + i
    return rows[n - 1][0]


def grown(x, n):
    rows = [[], []]
    for i in range(n):
        rows[i % 2].append(x * i)
    return rows[0][-1] * rows[1][-1]


@pytest.mark.parametrize("function", [triangle, grown])
def test_no_list_is_copied(function):
    on, off = (grad(function, optimise={"inner_lists": flag}) for flag in (True, False))
    assert on(1.1, 4) == pytest.approx(off(1.1, 4))
    assert not re.search(r"\.copy\(\)", on.source_for(1.1, 4))
    assert re.search(r"\.copy\(\)", off.source_for(1.1, 4))
