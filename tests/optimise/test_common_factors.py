"""A product that contains an earlier one is built from it."""

from __future__ import annotations

from s2sad.analysis.passes.dead_code import remove_dead_code
from s2sad.optimise.products.common_factors import share_common_factors
from tests.optimise.rewriting import after


def shared(text):
    return after(lambda f: remove_dead_code(share_common_factors(f)), text)


def test_the_two_adjoints_of_a_quotient():
    text = """
    def f(g, out, y):
        a = derived(g / y)
        _q = derived(g * out)
        b = derived(_q / y)
        c = derived(a + b)
        return c
    """
    lines = shared(text)
    assert "a = truediv(g, y)" in lines
    assert "b = mul(a, out)" in lines or "b = mul(out, a)" in lines
    assert sum("truediv" in line for line in lines) == 1


def test_products_without_a_common_part_stay():
    text = """
    def f(g, h, y):
        a = derived(g / y)
        b = derived(h * y)
        c = derived(a + b)
        return c
    """
    assert shared(text)[:2] == ["a = truediv(g, y)", "b = mul(h, y)"]


def test_nothing_where_a_factor_changes():
    text = """
    def f(g, out, y):
        a = derived(g / y)
        if g:
            y = out * y
        _q = derived(g * out)
        b = derived(_q / y)
        c = derived(a + b)
        return c
    """
    assert sum("truediv" in line for line in shared(text)) == 2


def test_the_users_lines_stay():
    text = """
    def f(g, out, y):
        a = g / y
        q = g * out
        b = q / y
        c = a + b
        return c
    """
    assert sum("truediv" in line for line in shared(text)) == 2
