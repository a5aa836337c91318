"""Copies are read from their originals."""

from __future__ import annotations

import math

from s2sad import grad
from s2sad.analysis.passes.copies import propagate_copies
from tests.optimise.rewriting import after


def copied(text):
    return after(propagate_copies, text)


def test_reads_of_a_copy():
    text = "def f(x):\n    _t = x\n    y = _t * _t\n    return y"
    assert copied(text) == ["_t = x", "y = mul(x, x)", "return y"]


def test_a_result_is_named_at_once():
    text = "def f(x):\n    _t = x * x\n    y = _t\n    return y"
    assert copied(text) == ["y = mul(x, x)", "return y"]


def test_a_derived_copy_names_a_line():
    text = "def f(x):\n    _t = x * x\n    y = derived(_t)\n    return y"
    assert copied(text) == ["y = mul(x, x)", "return y"]


def test_what_a_call_gives_is_not_called_like_a_cotangent():
    def scaled(x):
        return math.sin(x) * x

    def twice(x, k):
        return k * scaled(x)

    off = {"inlining": False, "preaccumulation": False}
    text = grad(twice, (0, 1), optimise=off).source_for(0.3, 2.0)
    assert "scaled, residuals = scaled_forward(x)" in text


def test_a_temporary_read_twice_keeps_its_line():
    text = "def f(x):\n    _t = x * x\n    y = _t\n    z = _t * y\n    return z"
    assert copied(text)[:2] == ["_t = mul(x, x)", "y = _t"]


def test_constants_replace_temporaries_but_not_names():
    text = """
    def f(x):
        _t = 2.0
        rate = 3.0
        y = x * _t
        z = y * rate
        return z
    """
    lines = copied(text)
    assert "y = mul(x, 2.0)" in lines and "z = mul(y, rate)" in lines


def test_nothing_where_the_original_changes():
    text = """
    def f(x, a):
        _t = x
        if a:
            x = a * a
        y = _t * x
        return y
    """
    assert "y = mul(_t, x)" in copied(text)


def test_nothing_for_what_is_assigned_twice():
    text = """
    def f(x, a, n):
        _t = x
        if n:
            _t = a
        y = _t * x
        return y
    """
    assert "y = mul(_t, x)" in copied(text)


def test_inside_blocks():
    text = """
    def f(x, n):
        _m = n
        _t = x
        for i in range(_m):
            y = _t * _t
        while True:
            _big = _t > 1.0
            if not _big: break
            y = _t
        return y
    """
    lines = copied(text)
    assert "for i in range(0, n, 1):" in lines
    assert "    y = mul(x, x)" in lines and "    y = x" in lines
