"""Activity: varied and useful."""

from __future__ import annotations

from s2sad.analysis.reverse.activity import (
    active_variables,
    carries_derivative,
    varied_variables,
)
from s2sad.ir.nodes import Var
from s2sad.ir.walking import walk
from tests.support.ir_text import program


def active(text, independents, dependents, fixed=()):
    body = program(text).body
    return active_variables(
        body, independents, dependents, lambda name: name not in fixed
    )


LINE = """
def f(x, a):
    y = x * a
    z = a * a
    unused = x * x
    total = y + z
    return total
"""


def test_varied_and_useful():
    assert active(LINE, {"x"}, {"total"}) == {"x", "y", "total"}
    assert active(LINE, {"a"}, {"total"}) == {"a", "y", "z", "total"}


def test_varied_alone():
    body = program(LINE).body
    varied = varied_variables(body, {"x"}, lambda name: True)
    assert varied == {"x", "y", "unused", "total"}


def test_what_carries_no_derivative_ends_activity():
    text = """
    def f(x):
        big = x > 1.0
        y = np.sign(x)
        n = np.size(x)
        total = y * n
        return total
    """
    assert active(text, {"x"}, {"total"}) == set()
    values = [s.value for s in walk(program(text).body[:3])]
    assert not any(map(carries_derivative, values))
    assert carries_derivative(Var("x"))


def test_kinds_end_activity():
    assert active(LINE, {"x"}, {"total"}, fixed={"y"}) == {"x"}


def test_activity_goes_round_loops_and_through_stacks():
    text = """
    def f(x, n):
        s = new_stack()
        y = 0.0
        z = 0.0
        for i in range(n):
            z = y
            y = x
            save(y, "s")
        w = restore("s")
        return w
    """
    assert active(text, {"x"}, {"w"}) == {"x", "y", "s", "w"}
    assert active(text, {"x"}, {"z"}) == {"x", "y", "z"}
