"""Items of which only the run knows the place, changed in the blocks of try statements,
of managers and of generators: what a block moves is moved behind it, too."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import IMPORTS
from tests.fuzz.checking import check_one

HEADER = """
import contextlib

class Holder:
    def __init__(self, h):
        self.h = h

    def add(self, e):
        self.h += e
"""
CHANGES = {
    "an attribute": (
        "team = [Holder(x), Holder(x * 2)]",
        "team[k % 2].h -= x * x",
        "team[0].h ** 2 + team[1].h",
    ),
    "a method": (
        "team = [Holder(x), Holder(x * 2)]",
        "team[k % 2].add(x * x)",
        "team[0].h ** 2 + team[1].h",
    ),
    "an item of a list": (
        "team = [[x], [x * 2]]",
        "team[k % 2][0] -= x * x",
        "team[0][0] ** 2 + team[1][0]",
    ),
    "the length of a list": (
        "team = [[x], [x * 2]]",
        "team[k % 2].append(x * x)",
        "sum(team[0]) ** 2 + sum(team[1])",
    ),
    "an element of an array": (
        "team = [v * x, v * 2]",
        "team[k % 2][0] -= x * x",
        "np.sum(team[0] ** 2) + team[1][0]",
    ),
    "an object with another name": (
        "a, b = Holder(x), Holder(x * 2); team = [a, b]",
        "team[k % 2].h -= x * x",
        "a.h ** 2 + b.h",
    ),
    "a list with another name": (
        "a, b = [x], [x * 2]; team = [a, b]",
        "team[k % 2][0] -= x * x",
        "a[0] ** 2 + b[0]",
    ),
    "an array with another name": (
        "a, b = v * x, v * 2; team = [a, b]",
        "team[k % 2][0] -= x * x",
        "np.sum(a**2) + b[0]",
    ),
    "a value of a dict": (
        "team = {0: Holder(x), 1: Holder(x * 2)}",
        "team[k % 2].h -= x * x",
        "team[0].h ** 2 + team[1].h",
    ),
    "a number": (
        "team = [x, x * 2]",
        "team[k % 2] -= x * x; team.append(x)",
        "team[0] ** 2 + team[-1] + len(team) * x",
    ),
    "their order": (
        "team = [Holder(x), Holder(x * 2)]",
        "team[k % 2], team[0] = team[0], team[k % 2]",
        "team[0].h ** 2 + team[1].h",
    ),
    "another object": (
        "team = [Holder(x), Holder(x * 2)]",
        "team[k % 2] = Holder(x * x)",
        "team[0].h ** 2 + team[1].h",
    ),
}
BLOCKS = {
    "finally": """
        try:
            y = x * 3
        finally:
            CHANGE
    """,
    "finally, behind a raise": """
        try:
            try:
                if x > 0.2:
                    raise ValueError
                y = x
            finally:
                CHANGE
        except ValueError:
            pass
    """,
    "finally, behind a return": """
        def result(x):
            try:
                if x > 0.2:
                    return x
                y = x
            finally:
                CHANGE
            return 2 * x
        s = result(x)
    """,
    "finally, behind a jump": """
        for i in range(3):
            try:
                if i == k:
                    continue
                if i == 2:
                    break
            finally:
                CHANGE
    """,
    "finally, on some paths": """
        try:
            y = x * 3
        finally:
            if x > 0.1:
                CHANGE
    """,
    "finally, in a loop": """
        try:
            y = x * 3
        finally:
            for i in range(2):
                CHANGE
    """,
    "finally, of what was changed": """
        try:
            try:
                CHANGE
            finally:
                CHANGE
        finally:
            x = x * 1.1
    """,
    "a try in finally": """
        try:
            y = x
        finally:
            try:
                if x > 0.1:
                    raise ValueError
            except ValueError:
                CHANGE
    """,
    "a handler": """
        try:
            if x > 0.1:
                raise ValueError
        except ValueError:
            CHANGE
    """,
    "the body": """
        try:
            CHANGE
            if x > 0.1:
                raise ValueError
        except ValueError:
            pass
    """,
    "else": """
        try:
            y = x
        except ValueError:
            pass
        else:
            CHANGE
    """,
    "suppress": """
        with contextlib.suppress(ValueError):
            CHANGE
            if x > 0.1:
                raise ValueError
    """,
    "a manager": """
        @contextlib.contextmanager
        def manager():
            y = x
            try:
                yield y
            finally:
                CHANGE
        with manager() as z:
            s = z
    """,
    "a generator": """
        def generator():
            try:
                for i in range(3):
                    yield x * i
            finally:
                CHANGE
        for e in generator():
            x = x + 0.1 * e
    """,
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("block", BLOCKS)
def test_is_right(block, change):
    start, line, result = CHANGES[change]
    lines = []
    for text in textwrap.dedent(BLOCKS[block]).strip().split("\n"):
        indent = text[: len(text) - len(text.lstrip())]
        changed = text.strip() == "CHANGE"
        lines += [indent + s for s in line.split("; ")] if changed else [text]
    body = [*start.split("; "), "s = 0.0", *lines, f"return s + {result}"]
    whole = textwrap.indent("\n".join(body), "    ")
    program = f"{IMPORTS}{HEADER}\ndef program(x, v, m, k):\n{whole}\n"
    for seed in range(2):
        outcome = check_one(program, seed, "vjp")
        assert outcome.verdict == "differentiated", (outcome.detail, outcome.text)
