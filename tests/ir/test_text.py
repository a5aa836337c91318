"""The printable form of programs."""

from __future__ import annotations

from s2sad.ir.nodes import Const, Restore, Save, Slice, Var, pack_tuple
from s2sad.ir.text import function_text, statement_text
from tests.support.ir_text import program


def test_every_statement_is_printed():
    text = function_text(
        program(
            """
            def f(x, n):
                s = new_stack()
                for i in reversed(range(1, n, 2)):
                    save(x, "s")
                    x = np.sum(x, axis=0)
                while True:
                    big = x > 1.0
                    if not big: break
                    x = restore("s")
                if n:
                    print(x)
                else:
                    y = (x, 2)
                return y
            """
        )
    )
    assert text.splitlines() == [
        "def f(x: float, n: float):",
        "    s = new_stack()  # float",
        "    for i in reversed range(1, n, 2):",
        "        save x on s",
        "        x = sum(x, axis=0)  # float",
        "    while:",
        "        big = gt(x, 1.0)  # float",
        "        leave unless big",
        "        restore x from s",
        "    if n:",
        "        do print(x)",
        "    else:",
        "        y = tuple(x, 2)  # float",
        "    return y",
    ]


def test_one_statement_is_printed_without_its_blocks():
    assert statement_text(Save(None, Var("s"), Var("x"))) == "save x on s"
    assert statement_text(Restore(None, Var("x"), Var("s"))) == "restore x from s"


def test_operands_are_printed():
    index = pack_tuple(Slice(Const(1), None, Const(2)), Const(None))
    assert str(index) == "tuple(1::2, None)"
