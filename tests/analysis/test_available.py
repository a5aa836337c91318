"""Available equations: they end where an operand changes or where paths disagree."""

from __future__ import annotations

from s2sad.analysis.available import available_equations
from tests.support.ir_text import program


def at_end(text):
    body = program(text).body
    return set(available_equations(body).before[id(body[-1])])


def test_equations_hold_until_an_operand_changes():
    assert at_end("def f(x):\n    y = x * x\n    z = y * x\n    return z") == {"y", "z"}
    text = "def f(x, a):\n    y = x * x\n    x = a * a\n    return y"
    assert at_end(text) == {"x"}


def test_an_equation_over_itself_says_nothing():
    assert at_end("def f(x):\n    y = 1.0\n    y = y * x\n    return y") == set()


def test_paths_must_agree():
    text = """
    def f(x, a):
        y = x * x
        if a:
            z = x
        else:
            z = y
        return z
    """
    assert at_end(text) == {"y"}


def test_a_loop_ends_what_it_changes():
    text = """
    def f(x, a, n):
        y = x * x
        z = a * a
        for i in range(n):
            x = x * a
        return z
    """
    assert at_end(text) == {"z"}


def test_inside_a_loop_the_loop_variable_is_new():
    body = program(
        """
        def f(x, n):
            k = 0
            for i in range(n):
                j = i * 2
                y = j * x
            return y
        """
    ).body
    facts = available_equations(body)
    first, second = body[1].body
    assert set(facts.before[id(first)]) == {"k"}
    assert set(facts.after[id(second)]) == {"k", "j", "y"}


def test_unpacking_and_restoring_end_equations():
    text = """
    def f(x, a):
        s = new_stack()
        y = x * x
        z = a * a
        save(x, "s")
        x = restore("s")
        return z
    """
    assert at_end(text) == {"z"}
