"""Items of a list under a name, while others are appended behind them."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "objects counted from the end": """
        class Body:
            def __init__(self, h):
                self.h = h
                self.rows = [h, 2.0]

        def program(x, v, m, k):
            team = [Body(e) for e in v]
            last = team[-1]
            team.append(Body(x))
            last.h *= x
            rows = team[-2].rows
            team.append(Body(x * 2.0))
            rows.append(v[0])
            rows[0] += x
            total = sum(b.h for b in team) * sum(team[2].rows)
            return total + rows[-1] + last.rows[0]
    """,
    "lists whose place the run tells": """
        def program(x, v, m, k):
            rows = [[e] for e in v]
            for i in range(len(v)):
                row = rows[i - 1]
                rows.append([x])
                row.append(v[i] * x)
                row[0] *= 1.5
            return sum(sum(r) * len(r) for r in rows)
    """,
    "lists that stay as they are": """
        class Body:
            def __init__(self, h, c):
                self.h, self.c = h, c
                self.rows = [np.array([0.5, 1.3]) * h]

        def program(x, v, m, k):
            others = [Body(e, 0.5) for e in v]
            rows = others[-1].rows
            if k % 2:
                others[0].rows[0] += x
            others.append(Body(0.5 * x, 0.5))
            return rows[-1] * others[-1].rows[0]
    """,
    "an item that is taken out of the list": """
        class Body:
            def __init__(self, h):
                self.h = h

        def program(x, v, m, k):
            team = [Body(e) for e in v]
            last = team[-1]
            team.append(Body(x))
            team.pop()
            team.pop()
            team.append(Body(2.0 * x))
            last.h *= 3.0
            return team[-1].h * 5.0 + last.h
    """,
    "there is no such item": """
        def program(x, v, m, k):
            rows = [[e] for e in v]
            total = x
            for i in range(k + 3):
                row = rows[i]
                rows.append([x])
                row.append(v[1] * x)
                if i % 2:
                    rows.pop()
                    rows.pop()
                total += sum(rows[-1])
            return total
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=list(PROGRAMS))
def test_items_of_lists_that_grow(text):
    assert_differentiated(textwrap.dedent(text), seeds=range(4))
