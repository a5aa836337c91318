"""Lists, dicts and objects of lists of unknown length, put where they stand already."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import assert_differentiated

CLASS = """
class Part:
    def __init__(self, h):
        self.h = h
        self.path = [h]
        self.data = {"a": h}

    def step(self, e):
        self.path += [e * self.h]
        self.data = self.data
        self.data["a"] *= e
"""

PROGRAMS = {
    "a list in a list is augmented": """
        def program(x, v, k):
            groups = [[e * x] for e in v]
            for i in range(k + 2):
                groups[i % 3] += [v[2], x]
                groups[i % 3][0] += v[1]
                groups[i % 2] = groups[i % 2]
                groups[-1] *= 2
            return sum(sum(g) ** 2 for g in groups)
    """,
    "under keys of the run": """
        def program(x, v, k):
            groups = {i * k % 3: [e] for i, e in enumerate(v)}
            for i in range(3):
                groups[i * k % 3] += [v[0] * x]
                groups[i * k % 3] = groups[i * k % 3]
            return sum(sum(g) ** 2 for g in groups.values())
    """,
    "attributes of objects": """
        def program(x, v, k):
            team = [Part(e * x) for e in v]
            team[0].path += [v[1]]
            team[k % 3].path.append(v[2])
            team[0].path = team[0].path
            for one in team:
                one.step(x)
            return sum(sum(one.path) * one.data["a"] for one in team)
    """,
    "attributes of objects that stand in two places": """
        def program(x, v, k):
            team = [Part(e * x) for e in v]
            two = team[-1]
            team.append(team[k % 3])
            for one in team:
                one.step(v[0])
            two.path += [v[1]]
            team[0].path += [v[1] * two.path[-1]]
            return sum(sum(one.path) * one.data["a"] for one in team)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_changes(name):
    assert_differentiated(CLASS + textwrap.dedent(PROGRAMS[name]))


ELSEWHERE = {
    "another place": """
        def program(x, k):
            groups = [[x * i, x] for i in range(k + 2)]
            one, i = groups[0], 1
            groups[i] = one
            one.append(x)
            return sum(sum(g) for g in groups)
    """,
    "another list stands there by then": """
        def program(x, k):
            groups = [[x * i, x] for i in range(k + 2)]

            def more():
                groups[0] = [x, x]
                return [x]

            groups[0] += more()
            return sum(sum(g) for g in groups)
    """,
    "the same name, bound anew": """
        def program(x, k):
            groups = [[x * i, x] for i in range(k + 2)]
            i = 0
            groups[i] = groups[(i := i + 1)]
            groups[0].append(x)
            return sum(sum(g) for g in groups)
    """,
    "another place, of dicts": """
        def program(x, k):
            groups = [{"a": x * i} for i in range(k)]
            one, i = groups[0], 1
            groups[i] = one
            one["a"] *= x
            return sum(g["a"] for g in groups)
    """,
    "another dict stands there by then": """
        def program(x, k):
            groups = [{"a": x * i} for i in range(k)]

            def more():
                groups[0] = {"a": x}
                return {"a": x}

            groups[0] |= more()
            return sum(g["a"] for g in groups)
    """,
    "the same name, bound anew, of dicts": """
        def program(x, k):
            groups = [{"a": x * i} for i in range(k)]
            i = 0
            groups[i] = groups[(i := i + 1)]
            groups[0]["a"] *= x
            return sum(g["a"] for g in groups)
    """,
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_held_elsewhere(name):
    assert_differentiated(textwrap.dedent(ELSEWHERE[name]))
