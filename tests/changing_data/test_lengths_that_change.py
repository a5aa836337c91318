"""What is known of lengths, where lists, arrays and rows get longer or shorter."""

from __future__ import annotations

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "an array of another length behind the loop that carries it": """
        def program(x, v, k):
            a = v
            for i in range(2):
                a = a * v
            if k > 1:
                a = np.array([x]) * k
            return np.sum(a * v)
    """,
    "a list as it was, beside what it became": """
        def program(x, v, k):
            a = [x]
            for i in range(0, k - 2):
                a.append(x * 2.0)
            b = a.copy()
            b.append(x * 3.0)
            c = b[:]
            c.append(b[0] ** 2)
            c.pop()
            return np.sum(np.array(a) * np.array(b)) + np.sum(
                np.array(b) * np.array(c)
            )
    """,
    "arrays made before and after a pop": """
        def program(x, v, k):
            a = [e * x for e in v if e > -9.0] + [x]
            while len(a) > 2:
                a.pop()
            longer = np.array(a)
            a.pop()
            return np.sum(longer * np.array(a)) + np.sum(longer * longer)
    """,
    "repeated by numbers of the run": """
        def program(x, v, k):
            a = [x]
            for i in range(k - 4):
                a.append(x)
            once, often = a * (k // k if k else 1), a * (k + 1)
            return np.sum(np.array(once) * np.array(often))
    """,
    "joined to lists that may be empty": """
        def program(x, v, k):
            found = []
            for i in range(3):
                found.append(x * (i + 1))
                if i >= k:
                    break
            one = [x * 1.0 for i in range(1)]
            if k > 1:
                one = one + found[:0]
                found = found + one
            return np.sum(np.array(found) * np.array(one))
    """,
    "a stack of arrays until it is empty": """
        def program(x, v, k):
            stack = [v * x]
            total = 0.0
            while stack:
                top = stack.pop()
                total += np.sum(top * top)
                if len(stack) < 3 and total < k:
                    stack.append(top * x + 0.5)
                    stack.insert(0, np.sin(top) * v)
            return total
    """,
    "objects whose lists of arrays are empty at first": """
        class Node:
            def __init__(self, w):
                self.w = w
                self.rows = []

            def push(self, e):
                self.rows.append(self.w * e)

        def program(x, v, k):
            team = [Node(v * e) for e in v]
            team[-1].push(x)
            for i in range(k + 1):
                team[0].rows.append(v * x)
            first = np.sum(team[-1].rows[0] ** 2)
            return first + np.sum(team[0].rows[-1]) ** 2 * x
    """,
    "a row of a global beside rows of an argument": """
        TABLE = np.array([0.4, -0.9, 1.3])

        class Node:
            def __init__(self, h, w):
                self.h = h
                self.w = w
                self.rows = [TABLE * 0.5]

            def __iadd__(self, e):
                if len(self.rows) < 7:
                    self.rows.append(-self.w)
                return self

        def program(x, v, k):
            team = [Node(e, v) for e in v]
            team[-1] += 0.5
            for i in range(k):
                team[0].rows.append(v * v * x)
            total = np.sum(team[-1].rows[0]) + np.sum(team[0].rows[-1]) ** 2
            return total + np.sum(team[-1].rows[-1] * v) ** 2
    """,
    "a list of lists, of which one grows beyond the others": """
        TABLE = np.array([0.4, -0.9, 1.3])

        def program(x, v, k):
            groups = [[e * x for _ in TABLE[1:]] for e in v]
            for i in range(k):
                groups[1].append(groups[0][i % 2] * x)
            return groups[0][1] * sum(groups[1]) + sum(groups[2]) ** 2
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_lengths_are_followed(name):
    assert_differentiated(PROGRAMS[name])
