"""Sums into untouched zeros become assignments."""

from __future__ import annotations

import pytest

from s2sad.optimise.buffers.scatters import simplify_scatters
from tests.optimise.rewriting import after
from tests.support.ir_text import vector

KINDS = dict.fromkeys(("c", "bar", "rows"), vector("n"))


def scattered(text):
    return after(simplify_scatters, text, KINDS)


def loop(line, header="reversed(range(n))", ahead="bar = np.zeros_like(c)"):
    return f"""
    def f(c, v, n, j):
        {ahead}
        for k in {header}:
            {line}
        return bar
    """


def test_a_sum_at_the_loop_variable_is_an_assignment():
    lines = scattered(loop("bar = index_add(bar, k, v)"))
    assert "    bar = index_set(bar, k, v)" in lines


@pytest.mark.parametrize(
    "changes",
    [
        {"line": "bar = index_add(bar, j, v)"},
        {"line": "bar = index_add(bar, k, v)", "header": "range(j, n)"},
        {"line": "bar = index_add(bar, k, v)", "header": "range(1, n, j)"},
        {"line": "bar = index_add(bar, k, v)", "ahead": "bar = np.exp(c)"},
        {
            "line": "bar = index_add(bar, k, v)",
            "ahead": "bar = np.zeros_like(c); v = bar",
        },
    ],
    ids=["other index", "negative start", "unknown step", "not zeros", "seen"],
)
def test_a_sum_stays(changes):
    line = changes["line"]
    text = loop(**changes)
    if ";" in changes.get("ahead", ""):
        first, second = changes["ahead"].split("; ")
        text = loop(line, ahead=f"{first}\n        {second}")
    expected = "    " + line.replace(" = ", " = ")
    assert expected in scattered(text)


def test_two_scatters_stay_sums():
    text = loop("bar = index_add(bar, k, v)\n            bar = index_add(bar, k, v)")
    assert scattered(text).count("    bar = index_add(bar, k, v)") == 2


def test_an_index_that_counts_has_no_repeats():
    text = """
    def f(c, labels, v, n):
        rows = np.arange(n)
        bar = np.zeros_like(c)
        bar = index_add(bar, (rows, labels), v, True)
        bar = index_add(bar, labels, v, True)
        return bar
    """
    kinds = {**KINDS, "labels": vector("n")}
    lines = after(simplify_scatters, text, kinds)
    assert "bar = index_set(bar, tuple(rows, labels), v)" in lines
    assert "bar = index_add(bar, labels, v, True)" in lines


@pytest.mark.parametrize(
    ("first", "second", "assigned"),
    [
        ("3", "2", True),
        ("-1", "-2", True),
        ("(0, 1)", "(1, 1)", True),
        ("(k, 1)", "(k, 2)", False),
        ("3", "3", False),
        ("3", "-1", False),
        ("(1, 2)", "1", False),
        ("j", "2", False),
    ],
)
def test_elements_of_zeros_one_after_the_other(first, second, assigned):
    text = f"""
    def f(c, v, j, k):
        bar = np.zeros_like(c)
        bar = index_add(bar, {first}, v)
        bar = index_add(bar, {second}, v)
        return bar
    """
    functions = [line.partition("(")[0] for line in scattered(text)[1:3]]
    added = "bar = index_set" if assigned else "bar = index_add"
    assert functions == ["bar = index_set", added]


def test_what_was_read_in_between_is_added_to():
    text = """
    def f(c, v):
        bar = np.zeros_like(c)
        bar = index_add(bar, 0, v)
        v = np.sum(bar)
        bar = index_add(bar, 1, v)
        return bar
    """
    assert "bar = index_add(bar, 1, v)" in scattered(text)
