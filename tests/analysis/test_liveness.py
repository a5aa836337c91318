"""Liveness: reads count only where what they compute is live."""

from __future__ import annotations

from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.ir.text import statement_text
from s2sad.ir.walking import walk
from tests.support.ir_text import program


def dead_lines(text, must_run=lambda statement: False):
    body = program(text).body
    facts, analysis = live_variables(body, must_run)
    return [
        statement_text(s).split("  #")[0]
        for s in walk(body)
        if not analysis.is_live(s, facts.after[id(s)])
    ]


def test_what_nobody_reads_is_dead():
    text = "def f(x):\n    y = x * x\n    z = y * x\n    return x"
    assert dead_lines(text) == ["y = mul(x, x)", "z = mul(y, x)"]
    assert dead_lines(text, lambda s: s.target.name == "z") == []


def test_a_sum_that_is_only_carried_is_dead():
    text = """
    def f(x, n):
        total = 0.0
        for i in range(n):
            x = x * x
            total = total + x
        return x
    """
    assert dead_lines(text) == ["total = 0.0", "total = add(total, x)"]


def test_a_loop_of_dead_lines_is_dead_with_its_range():
    text = """
    def f(x, n):
        m = n * 2
        for i in range(m):
            y = x * x
        return x
    """
    expected = ["m = mul(n, 2)", "for i in range(0, m, 1):", "y = mul(x, x)"]
    assert dead_lines(text) == expected


def test_the_test_of_a_live_loop_is_live():
    text = """
    def f(x):
        a = x
        while True:
            big = a > 1.0
            if not big: break
            a = a * 0.5
            x = x + 1.0
        return x
    """
    assert dead_lines(text) == []


def test_a_stack_lives_as_a_whole():
    text = """
    def f(x, n):
        s = new_stack()
        for i in range(n):
            save(x, "s")
            x = x * x
        for i in reversed(range(n)):
            y = restore("s")
            z = restore("s")
        return y
    """
    assert dead_lines(text) == []
    unread = text.replace("return y", "return n")
    assert "save x on s" in dead_lines(unread)


def test_effects_and_what_they_read_are_live():
    text = "def f(x):\n    y = x * x\n    print(y)\n    return x"
    assert dead_lines(text) == []


def test_facts_around_statements():
    body = program("def f(x, a):\n    y = x * a\n    return y").body
    facts, _ = live_variables(body, lambda s: False)
    assert facts.start == {"x", "a"}
    assert facts.after[id(body[0])] == {"y"}
    facts, _ = live_variables(body, lambda s: False, frozenset({"a"}))
    assert facts.after[id(body[0])] == {"y", "a"}
