"""Dicts of results that functions which call themselves fill."""

from __future__ import annotations

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "of an enclosing function, empty at first": """
        def program(x, y, k):
            memo = {}

            def ways(n):
                if n in memo:
                    return memo[n]
                if n < 2:
                    value = x * (n + 1)
                else:
                    value = ways(n - 1) * y + np.sin(ways(n - 2))
                memo[n] = value
                return value

            return ways(k + 2) * x + len(memo) + sum(memo.values())
    """,
    "handed down": """
        def ways(n, x, y, memo):
            if n not in memo:
                memo[n] = ways(n - 1, x, y, memo) * y + np.sin(ways(n - 2, x, y, memo))
            return memo[n]

        def program(x, y, k):
            memo = {0: x, 1: y}
            return ways(k + 2, x, y, memo) * x + sum(memo.values())
    """,
    "of pairs": """
        def program(x, y, k):
            memo = {}

            def paths(i, j):
                if i == 0 or j == 0:
                    return x
                if (i, j) not in memo:
                    memo[i, j] = paths(i - 1, j) * y + paths(i, j - 1) * 0.5
                return memo[i, j]

            return paths(k + 1, 2) * len(memo) + sum(v * v for v in memo.values())
    """,
    "of arrays": """
        def program(x, v, k):
            memo = {0: v * x}

            def state(n):
                if n not in memo:
                    memo[n] = np.tanh(state(n - 1)) * v + x
                return memo[n]

            return np.sum(state(k + 1) ** 2) + np.sum(memo[0] * memo[k])
    """,
    "by get": """
        def program(x, y, k):
            memo = {0: x}

            def ways(n):
                known = memo.get(n)
                if known is None:
                    known = ways(n - 1) * y + x
                    memo[n] = known
                return known

            return ways(k + 2) * ways(1) + memo[k]
    """,
    "kept by an object": """
        class Table:
            def __init__(self, x, y):
                self.x, self.y, self.memo, self.calls = x, y, {}, 0

            def ways(self, n):
                self.calls += 1
                if n < 2:
                    return self.x * (n + 1)
                if n not in self.memo:
                    self.memo[n] = self.ways(n - 1) * self.y + self.ways(n - 2)
                return self.memo[n]

        def program(x, y, k):
            table = Table(x, y)
            return table.ways(k + 2) * x + table.calls + sum(table.memo.values())
    """,
    "of counts, beside what is returned": """
        def program(x, y, k):
            calls = {}

            def power(n):
                calls[n] = calls.get(n, 0.0) + x
                if n == 0:
                    return x
                half = power(n // 2)
                return half * np.cos(half) + (y * half if n % 2 else 0.0)

            return power(k + 3) + sum(c * (n + 1) for n, c in calls.items())
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_memos(name):
    assert_differentiated(PROGRAMS[name])
