"""Plain divisions: a quotient of Python's numbers whose divisor is surely not zero is
divided by an operator, not by a function that catches what it would raise.

::

    first = truediv(1.0, root)                first = truediv(1.0, root)
    x.bar = quotient(product, root)    ->     x.bar = truediv(product, root)
"""

from __future__ import annotations

import operator
from dataclasses import replace

from s2sad import ir
from s2sad.analysis.numbers.sure_divisors import sure_divisors
from s2sad.ops.runtime.scalars import quotient


def divide_plainly(function: ir.Function) -> ir.Function:
    """The function with operators in place of ``quotient`` where nothing can raise.

    >>> def line(name, function, *args):
    ...     return ir.Assign(
    ...         None, ir.Var(name), ir.Apply(function, args), ir.FLOAT, True
    ...     )
    >>> body = (
    ...     line("t", operator.truediv, ir.Const(1.0), ir.Var("y")),
    ...     line("b", quotient, ir.Var("t"), ir.Var("y")),
    ...     line("c", quotient, ir.Var("b"), ir.Var("t")),
    ...     ir.Return(None, ir.Var("c")),
    ... )
    >>> kinds = dict.fromkeys("ytbc", ir.FLOAT)
    >>> print(ir.function_text(divide_plainly(ir.Function("f", ("y",), body, kinds))))
    def f(y: float):
        t = truediv(1.0, y)  # float
        b = truediv(t, y)  # float
        c = quotient(b, t)  # float
        return c
    """
    if not any(map(_is_quotient, ir.walk(function.body))):
        return function
    facts = sure_divisors(function)

    def change(s: ir.Statement) -> ir.Block:
        if not _is_quotient(s):
            return (s,)
        assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
        divisor = s.value.args[1]
        known = isinstance(divisor, ir.Const) and bool(divisor.value)
        if isinstance(divisor, ir.Var):
            known = divisor.name in facts.before.get(id(s), frozenset())
        if not known:
            return (s,)
        return (replace(s, value=replace(s.value, function=operator.truediv)),)

    return replace(function, body=ir.with_leaves(function.body, change))


def _is_quotient(s: ir.Statement) -> bool:
    return (
        isinstance(s, ir.Assign)
        and isinstance(s.value, ir.Apply)
        and s.value.function is quotient
    )
