"""Webs: independent rebindings get names of their own."""

from __future__ import annotations

from s2sad.analysis.passes.verify import verify
from s2sad.ir.kinds import FLOAT
from s2sad.ir.text import block_lines
from s2sad.transform.programs.webs import split_webs
from tests.support.ir_text import program, vector


def split(text, kinds=None):
    function = split_webs(program(text, kinds))
    verify(function)
    return [line.split("  #")[0] for line in block_lines(function.body)]


def test_straight_line():
    text = "def f(x):\n    h = x * x\n    h = h * x\n    h = h * h\n    return h"
    assert split(text) == [
        "h = mul(x, x)",
        "h~2 = mul(h, x)",
        "h~3 = mul(h~2, h~2)",
        "return h~3",
    ]


def test_a_loop_carries_one_variable():
    text = """
    def f(x, n):
        h = x
        for i in range(n):
            t = h * x
            h = t * t
        h = h * x
        return h
    """
    assert split(text) == [
        "h = x",
        "for i in range(0, n, 1):",
        "    t = mul(h, x)",
        "    h = mul(t, t)",
        "h~2 = mul(h, x)",
        "return h~2",
    ]


def test_what_an_iteration_defines_anew_is_not_carried():
    text = """
    def f(x, n):
        t = x * x
        y = t
        for i in range(n):
            t = y * x
            y = t
        return y
    """
    assert "    t~2 = mul(y, x)" in split(text)


def test_branches_meet_where_somebody_reads():
    text = """
    def f(x, n):
        if n:
            y = x * x
            z = x
        else:
            y = x + x
            z = n
        z = y * x
        return z
    """
    lines = split(text)
    assert "    y = mul(x, x)" in lines and "    y = add(x, x)" in lines
    assert lines[-1] == "return z~3"


def test_parameters_keep_their_name():
    text = "def f(x):\n    x = x * x\n    return x"
    assert split(text) == ["x~2 = mul(x, x)", "return x~2"]


def test_stacks_are_not_defined_anew():
    text = """
    def f(x):
        s = new_stack()
        save(x, "s")
        save(x, "s")
        y = restore("s")
        return y
    """
    assert sum("on s" in line for line in split(text)) == 2


def test_kinds_and_temporaries_follow():
    text = "def f(x, v):\n    _t = v\n    y = x\n    y = v\n    _t = y\n    return _t"
    function = split_webs(program(text, {"v": vector("n"), "_t": vector("n")}))
    assert function.temporaries == {"_t", "_t~2"}
    assert function.kinds["_t~2"] == vector("n") and function.kinds["x"] == FLOAT


def test_splitting_again_changes_nothing_but_names():
    text = "def f(x):\n    h = x * x\n    h = h * x\n    return h"
    once = split_webs(program(text))
    again = split_webs(once)
    assert list(block_lines(again.body)) == list(block_lines(once.body))
