"""Plain divisions: a quotient of Python's numbers whose divisor is surely not zero is
divided by an operator, not by a function that catches what it would raise.

::

    first = truediv(1.0, root)                first = truediv(1.0, root)
    x.bar = quotient(product, root)    ->     x.bar = truediv(product, root)
"""

from __future__ import annotations

import operator
from dataclasses import replace

from s2sad.analysis.numbers.sure_divisors import sure_divisors
from s2sad.ir.nodes import Apply, Assign, Block, Const, Function, Statement, Var
from s2sad.ir.walking import walk, with_leaves
from s2sad.ops.runtime.scalars import quotient


def divide_plainly(function: Function) -> Function:
    """The function with operators in place of ``quotient`` where nothing can raise.

    >>> from s2sad.ir.kinds import FLOAT
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> def line(name, function, *args):
    ...     return Assign(None, Var(name), Apply(function, args), FLOAT, True)
    >>> body = (
    ...     line("t", operator.truediv, Const(1.0), Var("y")),
    ...     line("b", quotient, Var("t"), Var("y")),
    ...     line("c", quotient, Var("b"), Var("t")),
    ...     Return(None, Var("c")),
    ... )
    >>> kinds = dict.fromkeys("ytbc", FLOAT)
    >>> print(function_text(divide_plainly(Function("f", ("y",), body, kinds))))
    def f(y: float):
        t = truediv(1.0, y)  # float
        b = truediv(t, y)  # float
        c = quotient(b, t)  # float
        return c
    """
    if not any(map(_is_quotient, walk(function.body))):
        return function
    facts = sure_divisors(function)

    def change(s: Statement) -> Block:
        if not _is_quotient(s):
            return (s,)
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        divisor = s.value.args[1]
        known = isinstance(divisor, Const) and bool(divisor.value)
        if isinstance(divisor, Var):
            known = divisor.name in facts.before.get(id(s), frozenset())
        if not known:
            return (s,)
        return (replace(s, value=replace(s.value, function=operator.truediv)),)

    return replace(function, body=with_leaves(function.body, change))


def _is_quotient(s: Statement) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function is quotient
    )
