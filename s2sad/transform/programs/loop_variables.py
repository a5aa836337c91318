"""Loop variables under the user's own name.

A name that an earlier loop has bound keeps that value where a later loop over the same
name runs not even once. So the later loop counts by a variable of its own::

    for i.1 in range(0, n, 1):                   for i~2 in range(0, n, 1):
        i~2 = i.1                       ->           y = getitem(x, i~2)
        y = getitem(x, i~2)

which is needless where nobody reads the name behind the loop.
"""

from dataclasses import replace

from s2sad import ir


def with_own_loop_variables(function: ir.Function) -> ir.Function:
    """The function, of webs, with loops that count by the names they are read by.

    >>> body = (
    ...     ir.Assign(None, ir.Var("i~2"), ir.Var("i.1")),
    ...     ir.Assign(None, ir.Var("y"), ir.Apply(abs, (ir.Var("i~2"),))),
    ... )
    >>> loop = ir.For(None, ir.Var("i.1"), ir.Const(0), ir.Var("n"), ir.Const(1), body)
    >>> function = ir.Function(
    ...     "f", ("n",), (loop, ir.Return(None, ir.Const(0))), {"i~2": ir.INT}
    ... )
    >>> print(ir.function_text(with_own_loop_variables(function)))
    def f(n: ?):
        for i~2 in range(0, n, 1):
            y = abs(i~2)
        return 0
    """
    uses = ir.uses_in(function.body)

    def renamed(s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.For) or not s.body:
            return (s,)
        first, *rest = s.body
        if not isinstance(first, ir.Assign) or first.value != s.target:
            return (s,)
        name = first.target
        if not isinstance(name, ir.Var) or uses.writes[name.name] != 1:
            return (s,)
        inside = ir.Uses(tuple(rest)).reads[name.name]
        if uses.reads[s.target.name] != 1 or uses.reads[name.name] != inside:
            return (s,)
        return (replace(s, target=name, body=tuple(rest)),)

    return ir.altered(function, body=ir.rewritten(function.body, renamed))
