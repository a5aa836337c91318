"""Lines that nobody needs are dropped; what may have effects stays."""

from __future__ import annotations

from s2sad.analysis.passes.dead_code import remove_dead_code, without_dead_lines
from s2sad.ir.text import statement_text
from tests.optimise.rewriting import after, body
from tests.support.ir_text import program


def test_unread_results():
    text = "def f(x):\n    cost = x * x\n    y = x * 2.0\n    return y"
    assert after(remove_dead_code, text) == ["y = mul(x, 2.0)", "return y"]


def test_calls_that_may_have_effects_stay():
    text = "def f(x):\n    y = print(x)\n    z = np.sin(x)\n    return x"
    assert after(remove_dead_code, text) == ["y = print(x)", "return x"]


def test_random_draws_stay():
    text = "def f(x):\n    y = np.zeros_like(x)\n    z = len(y)\n    return x"
    assert after(remove_dead_code, text) == ["return x"]


def test_blocks_without_live_lines_vanish():
    text = """
    def f(x, n):
        if n:
            y = x * x
        for i in range(n):
            y = x * x
        return x
    """
    assert after(remove_dead_code, text) == ["return x"]


def test_unread_stacks_vanish():
    text = """
    def f(x, n):
        s = new_stack()
        for i in range(n):
            save(x, "s")
            x = x * x
        for i in reversed(range(n)):
            y = restore("s")
        return x
    """
    assert after(remove_dead_code, text) == [
        "for i in range(0, n, 1):",
        "    x = mul(x, x)",
        "return x",
    ]


def test_live_code_is_untouched():
    text = """
    def f(x, n):
        s = new_stack()
        for i in range(n):
            save(x, "s")
            x = x * x
        y = restore("s")
        return y
    """
    assert after(remove_dead_code, text) == body(text)


def test_a_block_for_given_results():
    lines = program("def f(x):\n    y = x * x\n    z = x + x\n    return z").body[:-1]
    (kept,) = without_dead_lines(lines, frozenset({"y"}))
    assert statement_text(kept).startswith("y = mul(x, x)")
