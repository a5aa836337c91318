"""Lists of numbers of which only the run can tell which one a name or an item is: all
of them are kept in one list, and names and items hold places in it."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from s2sad import UnsupportedError, grad
from tests.changing_data.test_cases import IMPORTS
from tests.fuzz.checking import check

KEPT = []

PROGRAMS = {
    "an item is appended again": """
        def program(x, v, k):
            grid = [[e * x, x] for e in v]
            grid.append(grid[0])
            grid[0][1] *= v[1]
            grid[-1].append(x * x)
            return sum(sum(g) for g in grid) * grid[3][2]
    """,
    "an item stands at two places": """
        def program(x, v, k):
            grid = [[e * x, x, x] for e in v]
            grid[len(grid) // 2] = grid[-1]
            grid[k % 3][0] += x
            grid[1][1] *= v[2]
            return sum(g[0] * g[1] for g in grid)
    """,
    "one of two items": """
        def program(x, v, k):
            grid = [[e * x, x] for e in v]
            log = grid[0] if k in (0, 2, 3) else grid[-1]
            grid[0].sort()
            log.append(grid[1][0] * x)
            return sum(log) + sum(len(g) * g[-1] for g in grid)
    """,
    "one list many times": """
        def program(x, v, k):
            row = [x]
            rows = []
            for _ in range(k + 1):
                rows.append(row)
            rows[0][0] = 2.0 * v[0] * x
            row.append(x)
            return sum(r[0] * r[-1] for r in rows)
    """,
    "a display times n": """
        def program(x, v, k):
            rows = [[x, v[0]]] * (k + 2)
            rows[0][0] *= x
            rows[-1][1] += rows[0][0]
            return sum(r[0] * r[1] for r in rows)
    """,
    "a name walks through a list": """
        def program(x, v, k):
            rows = [[x, v[0]], [v[1], x]]
            cur = rows[0]
            for j in range(k + 1):
                cur[0] = cur[0] * x + cur[1]
                cur = rows[(j + k) % 2]
            cur.append(x)
            return sum(sum(r) for r in rows)
    """,
    "the best list, or None": """
        def program(x, v, k):
            best = None
            for j in range(k + 2):
                y = [x * i + v[j % 3] for i in range(j + 1)]
                if best is None or sum(y) > sum(best):
                    best = y
            best[0] *= x
            return sum(best) * best[-1]
    """,
    "an item is held while it moves": """
        def program(x, v, k):
            grid = [[e * x, x] for e in v]
            first = grid[0]
            del grid[0]
            first.append(x * v[0])
            grid.insert(0, first)
            for i, e in enumerate(grid[0]):
                grid[0][i] = e * x
            return sum(g[0] * g[1] for g in grid) * first[2]
    """,
    "attributes of objects": """
        class A:
            def __init__(self, p):
                self.path = [p, 2.0 * p]
        def program(x, v, k):
            others = [A(e) for e in v]
            p = others[0].path if k % 2 else others[-1].path
            q = others[1].path
            others[1].path = p
            p[0] += x
            q.append(x * v[0])
            others.pop(0)
            return sum(sum(o.path) for o in others) + p[0] * q[2]
    """,
    "comparisons": """
        def program(x, v, k):
            rows = [[x, v[0]], [v[1], x]]
            rows.append(rows[k % 2])
            rows[2][0] += 1.0
            total = 0.0
            if rows[0] == rows[2]:
                total += x
            if rows[1] is rows[2]:
                total += v[0] * x
            if [x, v[0]] in rows:
                total += v[1]
            if rows[0] < rows[1]:
                total += 2.0 * x
            best = max(rows, key=sum)
            low = min(rows)
            for r in sorted(rows, key=lambda r: r[0]):
                total = total * 0.5 + r[0] * r[1]
            return total + best[0] * low[1] + len(rows[0] + rows[1])
    """,
    "copies": """
        import copy
        def program(x, v, k):
            rows = [[x, v[0]], [v[1], x]]
            rows.append(rows[k % 2])
            other = list(rows)
            third = rows[:2]
            deep = [list(r) for r in rows]
            other[0].append(x)
            third[1][0] *= 2.0
            deep[0][0] *= 3.0
            a, b, *c = rows[0]
            return sum(sum(r) for r in rows) + deep[0][0] * a + deep[1][0] * sum(c)
    """,
    "made into arrays": """
        def program(x, v, k):
            rows = [[x, v[0]], [v[1], x]]
            rows.append(rows[k % 2])
            rows[2][0] *= x
            m = np.array([rows[0], rows[1]])
            return np.sum(m @ m) + np.sum(np.array(rows[2]) * v[:2])
    """,
    "returned": """
        def program(x, v, k):
            rows = [[x, v[0]], [v[1], x]]
            cur = rows[k % 2]
            rows.append(cur)
            rows[2][0] *= x
            return cur[0], sum(rows[0])
    """,
    "a function that calls itself": """
        def walk(rows, j, x):
            if j == 0:
                return rows[0][0]
            rows[j % 2][0] *= x
            rows[j % 2].append(x)
            return walk(rows, j - 1, x) + rows[0][-1]
        def program(x, v, k):
            rows = [[x, v[0]], [v[1], x]]
            rows.append(rows[k % 2])
            return walk(rows, k, x) * rows[1][0]
    """,
    "in place operators": """
        def program(x, v, k):
            row = [x, v[0]]
            rows = [row for _ in range(k + 1)]
            row += [x * x]
            other = row
            row = row + [v[1]]
            other[0] *= 2.0
            rows.append(row)
            rows[0] *= 2
            rows[-1][0] += x
            return sum(sum(r) * len(r) for r in rows) + other[0] * row[3]
    """,
    "in tuples": """
        def program(x, v, k):
            row = [x, v[0]]
            pairs = []
            for j in range(k + 2):
                pairs.append((row, x * j))
                if v[j % 3] > 0.0:
                    row = [v[j % 3], x]
            for r, w in pairs:
                r[0] += w * r[1]
            return sum(r[0] * w for r, w in pairs) + row[0]
    """,
    "swapped and sorted": """
        def program(x, v, k):
            rows = [[e, x * e] for e in v]
            held = rows[1]
            rows[0], rows[1] = rows[1], rows[0]
            rows.append(held)
            rows.reverse()
            held[0] *= x
            rows.sort(key=lambda r: r[1])
            last = rows.pop()
            last.append(x)
            held.insert(0, v[0])
            return sum(r[0] * r[1] * len(r) for r in rows) + last[-1] * held[0]
    """,
    "run over while they grow": """
        def program(x, v, k):
            rows = [[e, x * e] for e in v]
            rows.append(rows[k % 3])
            total = 0.0
            for i, row in enumerate(rows):
                if len(rows) < 7:
                    rows.append(row)
                row[0] += x
                for e in row:
                    if len(row) < 4:
                        row.append(e * x)
                    total = total * 0.9 + e
            for a, b in zip(rows, rows[1:]):
                a[1] += b[0]
            return total + sum(r[1] for r in rows)
    """,
    "changed by a nested function": """
        def program(x, v, k):
            rows = [[e, x * e] for e in v]
            kept = []
            def push(row, e):
                kept.append(row)
                row[0] *= e
                return row
            for j in range(k + 2):
                push(rows[j % 3], x).append(v[j % 3])
            kept[0][1] += x
            return sum(sum(r) for r in rows) + sum(r[0] for r in kept)
    """,
    "in a deque": """
        from collections import deque
        def program(x, v, k):
            rows = deque([[e, x * e] for e in v])
            for j in range(k + 2):
                row = rows.popleft()
                row[0] += rows[0][1] * x
                rows.append(row)
                rows.append(rows[0]) if len(rows) < 5 else None
            return sum(r[0] * r[1] for r in rows)
    """,
    "in a dict with keys of the run": """
        def program(x, v, k):
            row = [x, v[0]]
            d = {}
            for j in range(k + 1):
                d[j] = row
                d.setdefault(j + 10, [x * j, 1.5]).append(v[1])
            d[0][0] *= x
            return sum(sum(r) for r in d.values()) + row[0]
    """,
    "beside lists of whole numbers": """
        def program(x, v, k):
            counts = [0] * 3
            rows = [[e, x * e] for e in v]
            rows.append(rows[0])
            for j in range(k + 2):
                counts[j % 3] += 1
                rows[counts[j % 3] % 4][0] *= x
            order = [2, 0, 1]
            total = np.sum(v[[0, 2]] * rows[3][0])
            return total + sum(rows[i][0] * c for i, c in zip(order, counts))
    """,
    "as a default": """
        def program(x, v, k):
            row = [x, v[0]]
            def f(e, r=row):
                r.append(e)
                return r
            rows = [f(v[j % 3]) for j in range(k + 1)]
            rows[0][0] *= x
            row[1] += rows[-1][2]
            return sum(sum(r) for r in rows) + row[0]
    """,
    "drained": """
        def program(x, v, k):
            rows = [[e, x * e] for e in v]
            rows.append(rows[k % 3])
            total = 0.0
            while rows:
                row = rows.pop()
                while len(row) > 1:
                    total += row.pop() * x
                row.append(total)
                row[0] *= 0.5
                total += row[0]
            return total
    """,
    "beside a try": """
        def program(x, v, k):
            rows = [[e, x * e] for e in v]
            rows.append(rows[0])
            rows[0][0] *= x
            try:
                y = math.log(v[0])
            except ValueError:
                y = rows[3][0]
            return y * rows[1][0] + rows[3][0]
    """,
    "slices and methods": """
        def program(x, v, k):
            rows = [[e, x * e, x] for e in v]
            rows.append(rows[k % 3])
            rows[-1][1:] = [x * x, v[0], v[1]]
            del rows[0][0]
            rows[1][:] = [e * 2.0 for e in rows[1]]
            rows[2].reverse()
            rows[2].extend(rows[0])
            rows[0].clear()
            rows[0].append(x)
            return sum(sum(r) for r in rows) + rows[0][0] * rows[2][0]
    """,
    "the one before, or None": """
        def program(x, v, k):
            prev = None
            rows = []
            for j in range(k + 2):
                row = [x * j, v[j % 3]]
                if prev is not None:
                    row[0] += prev[1]
                    prev[1] *= x
                rows.append(row)
                prev = row if v[j % 3] < 0.5 else None
            return sum(r[0] * r[1] for r in rows)
    """,
    "made empty": """
        def program(x, v, k):
            row = []
            rows = []
            for j in range(k + 1):
                rows.append(row)
                row.append(x * v[j % 3])
                if v[j % 3] > 0.3:
                    row = []
            rows[0].append(x)
            return sum(sum(r) for r in rows) + len(rows[-1])
    """,
    "tests on one that may be None": """
        def program(x, v, k):
            best = None
            for j in range(k):
                y = [x * v[j % 3]] if v[j % 3] > 0 else []
                if not best or (y and y[0] > best[0]):
                    best = y
            return best[0] if best else x
    """,
}


@pytest.mark.sampled(6, of_long=2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_right(name):
    text = IMPORTS + textwrap.dedent(PROGRAMS[name])
    known: dict = {}
    outcomes = [check(text, seed, 120, known=known) for seed in range(4)]
    assert {outcome.verdict for outcome in outcomes} == {"differentiated"}, outcomes


def passed(a, b, x):
    rows = [a if x > 0.0 else b]
    for row in (a, b, a):
        rows.append(row)
    rows[0][1] *= x
    rows[1][0] += rows[2][1]
    return sum(row[0] * row[1] for row in rows)


def test_arguments():
    a, b = [1.0, 2.0], [3.0, -1.0]
    for x in (1.5, -0.5):
        gradients = grad(passed, wrt=("a", "b", "x"))(a, b, x)
        flat = [*gradients[0], *gradients[1], gradients[2]]
        for place, got in enumerate(flat):
            values = []
            for step in (1e-6, -1e-6):
                given = [*a, *b, x]
                given[place] += step
                values.append(passed(given[:2], given[2:4], given[4]))
            assert got == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-6)
    assert (a, b) == ([1.0, 2.0], [3.0, -1.0])


@pytest.mark.taken_apart
def test_one_list_as_two_arguments():
    a = [1.0, 2.0]
    with pytest.raises(ValueError, match="same"):
        grad(passed)(a, a, 1.0)


def test_lists_that_hold_numbers_and_arrays_are_refused():
    def mixed(x, v):
        rows = [[e] for e in v]
        rows.append(rows[0])
        rows[0].append(v)
        return rows[0][0] * x

    with pytest.raises(UnsupportedError, match="another one holds np.float64"):
        grad(mixed)(2.0, np.ones(3))


def test_a_list_of_the_module_is_not_put_into_lists_of_objects():
    class Walk:
        def __init__(self, start):
            self.path = [start]

    def program(x):
        walks = [Walk(start) for start in x]
        walks[0].path += [KEPT]
        return np.sum(x) + len(KEPT)

    with pytest.raises(UnsupportedError, match="under the name it had before"):
        grad(program)(np.ones(3))


def test_a_list_that_adds_itself_stays_a_list():
    def doubled(x, n):
        held = [x]
        for _ in range(n):
            held += held
        held[-1] *= x
        return sum(held)

    def twenty_times(x):
        held = [x]
        for _ in (1,) * 20:
            held += held
        return held[0]

    def forty_times(x):
        held = [x]
        for _ in (1,) * 40:
            held += held
        return held[0]

    for n in (3, 12):
        assert grad(doubled)(1.5, n) == pytest.approx(2**n - 1 + 2 * 1.5)
    few, many = (
        len(grad(function).source_for(1.5).splitlines())
        for function in (twenty_times, forty_times)
    )
    assert many - few == few - 10 == 180  # each time has the same lines
