"""The solver: facts meet at branches and loops come to their fixed point."""

from __future__ import annotations

from s2sad.analysis.dataflow.dataflow import Analysis, solve_backward, solve_forward
from s2sad.ir.walking import direct_reads, direct_writes
from tests.support.ir_text import program


class Assigned(Analysis):
    """Names assigned on some path."""

    def join(self, a, b):
        return a | b

    def leaf(self, statement, fact):
        return fact | {v.name for v in direct_writes(statement)}

    def iteration(self, statement, fact):
        return fact | {statement.target.name}

    def test(self, statement, fact):
        return fact | {"tested"}


class Read(Analysis):
    """Names that some later statement reads."""

    def join(self, a, b):
        return a | b

    def leaf(self, statement, fact):
        return fact | {v.name for v in direct_reads(statement)}

    def test(self, statement, fact):
        return fact | {v.name for v in direct_reads(statement)}


def assigned_before(text, path):
    """The fact in front of a statement, which is found by its places in nested
    blocks."""
    body = program(text).body
    facts = solve_forward(body, frozenset(), Assigned())
    statement = body[path[0]]
    for place in path[1:]:
        statement = statement.body[place]
    return facts.before[id(statement)]


def test_straight_line():
    text = "def f(x):\n    y = x\n    z = y\n    return z"
    assert assigned_before(text, [0]) == set()
    assert assigned_before(text, [2]) == {"y", "z"}


def test_branches_meet():
    text = "def f(x):\n    if x:\n        y = x\n    else:\n        z = x\n    return x"
    assert assigned_before(text, [0, 0]) == {"tested"}
    assert assigned_before(text, [1]) == {"tested", "y", "z"}


def test_a_loop_sees_its_own_end():
    text = (
        "def f(x):\n    for i in range(x):\n        y = x\n        z = y\n    return x"
    )
    assert assigned_before(text, [0, 0]) == {"tested", "i", "y", "z"}
    assert assigned_before(text, [1]) == {"tested", "i", "y", "z"}


def test_a_while_loop_is_left_behind_its_test():
    text = """
    def f(x):
        while True:
            y = x
            if not y: break
            z = x
        return x
    """
    assert assigned_before(text, [0, 0]) == {"tested", "y", "z"}
    assert assigned_before(text, [1]) == {"tested", "y", "z"}


def test_backwards():
    text = """
    def f(x, a, n):
        y = a
        for i in range(n):
            y = x
            x = y
        return y
    """
    body = program(text).body
    facts = solve_backward(body, frozenset(), Read())
    assert facts.after[id(body[-1])] == set()
    assert facts.before[id(body[-1])] == {"y"}
    assert facts.after[id(body[1].body[1])] == {"x", "y"}
    assert facts.start == {"a", "n", "x", "y"}


def test_facts_at_both_ends():
    body = program("def f(x):\n    y = x\n    return y").body
    assert solve_forward(body, frozenset({"x"}), Assigned()).end == {"x", "y"}
    assert solve_backward(body, frozenset({"out"}), Read()).start == {"out", "x", "y"}
