"""Available equations: they end where an operand changes or where paths disagree."""

from __future__ import annotations

from s2sad.analysis.dataflow.available import available_equations
from tests.support.ir_text import program


def holding(equations, function):
    """The variables whose equation holds."""
    return {name for name in function.kinds if name in equations}


def at_end(text):
    function = program(text)
    facts = available_equations(function.body)
    return holding(facts.before[id(function.body[-1])], function)


def test_equations_hold_until_an_operand_changes():
    assert at_end("def f(x):\n    y = x * x\n    z = y * x\n    return z") == {"y", "z"}
    text = """
    def f(x, a):
        y = x * x
        z = a * a
        if a:
            x = a
        return y
    """
    assert at_end(text) == {"z"}


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
    function = program(
        """
        def f(x, n):
            k = 0
            for i in range(n):
                j = i * 2
                y = j * x
            return y
        """
    )
    facts = available_equations(function.body)
    first, second = function.body[1].body
    assert holding(facts.before[id(first)], function) == {"k"}
    assert holding(facts.after[id(second)], function) == {"k", "j", "y"}


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
