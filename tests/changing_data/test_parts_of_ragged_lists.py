"""Lists whose items differ in shape under several names, and sums of parts of them."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "shorter on some paths": """
        def program(x, v, k):
            rows = [v[[1, 1, k]], v]
            if k % 3 == 0:
                rows = [x * v]
            elif k % 3 == 1:
                pass
            else:
                rows.pop()
            return rows[-1] * x
    """,
    "another list on some paths": """
        def program(x, v, k):
            rows = [v[:k] * x, v, v * x]
            others = [v**2]
            if k:
                rows.pop()
                others = rows
            return others[-1] * x + others[0][-1]
    """,
    "lists of objects that a loop makes anew": """
        class Body:
            def __init__(self, h, w):
                self.h = h
                self.w = w
                self.path = [h, 0.1]

            def note(self, e):
                self.path[1] *= self.h

        def program(x, v, r, k):
            team = [Body(np.clip(x, -0.9, 1.05), v), Body(np.sum(v[:k]), v * x)]
            c = 1
            while True:
                c += 1
                if c >= 4:
                    break
                team[-1].note(k * x)
                team = [Body(e, team[-1].h * np.ones(3)) for e in np.ravel(r)]
            two = team[0]
            total = two.path[-1] + two.path[0] + two.h + np.sum(two.w**2)
            return total + sum(one.h for one in team) + np.sum(v * v)
    """,
    "sums of slices": """
        def program(x, v, k):
            rows = [v, v[1:], v * x, x * v[:2]]
            return sum(rows[::3][:1]) + sum(rows[2 : k % 2 + 3][:1])
    """,
    "sums of slices of what a loop has made": """
        def program(x, v, k):
            rows = []
            for i in range(len(v)):
                rows.append(v[: i + 1] * x)
            return sum(rows[:1]) + sum(rows[1:][-1:]) * sum(np.sum(r) for r in rows[1:])
    """,
    "sums of lists in a list": """
        def program(x, v, m, k):
            rows = [[v * x] for e in v]
            rows[1].append(rows[0][-1] / v[1])
            rows[k % 2] += [v, m[0] * 1.0]
            return sum(rows[0]) * sum(rows[1]) + sum(sum(r) for r in rows)
    """,
    "sums of as many rows as a row is long": """
        def program(x, v, k):
            rows = [[v * e, v + e, v / (2.0 + e)] for e in v]
            rows[1].append(rows[0][-1] * v[1])
            return sum(rows[0]) * x + sum(rows[1])
    """,
    "lists of rows that become those of another shape": """
        TABLE = np.array([1.3])

        class Body:
            def __init__(self, h):
                self.h = h
                self.path = [0.1]
                self.rows = [TABLE]

            def note(self, e):
                self.h += e

        def program(x, v, m, k):
            team = [Body(0.5) for e in v]
            for e in team[0].path:
                team[0] = Body(x)
            for one, e in zip(team, team[1].rows):
                if one.path:
                    one.note(team[1].rows[0].max())
                one.rows = list(m * x)
            return sum(one.h * np.sum(one.rows[0]) for one in team)
    """,
    "an item of one of two rows": """
        TABLE = [1.3]

        def program(x, v, k):
            groups = [[e * x for other in TABLE] for e in v]
            log = groups[1]
            groups[1].append(0.5 * x)
            found = ()
            for j in range(k + 1):
                found += (log[0] if log else groups[0][0],)
            return sum(found) * groups[1][1]
    """,
    "a slice of a list that an object holds": """
        class Body:
            def __init__(self, h, w):
                self.h = h
                self.path = [0.5, h]

        def program(x, v, k):
            team = [Body(np.sum(v), 0.5) for e in v]
            team[k % 3].h = 0.5 * x
            grid = [0.5, team[0].path[:]]
            return grid[1][1] * team[0].h
    """,
    "lists that only some paths make": """
        def program(x, v, m, k):
            if x > 0.3:
                log = [0.0] * 4
            grid = [[e for other in m] for e in m[k % 2]]
            grid[2] = grid[0]
            grid[2][0] += 0.5 * x
            return grid[0][1] * grid[0][0]
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=list(PROGRAMS))
def test_parts_of_ragged_lists(text):
    assert_differentiated(textwrap.dedent(text), seeds=range(4))
