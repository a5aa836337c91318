"""Loop variables under the user's own name.

A name that an earlier loop has bound keeps that value where a later loop over the same
name runs not even once. So the later loop counts by a variable of its own::

    for i.1 in range(0, n, 1):                   for i~2 in range(0, n, 1):
        i~2 = i.1                       ->           y = getitem(x, i~2)
        y = getitem(x, i~2)

which is needless where nobody reads the name behind the loop.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from s2sad.ir.nodes import Assign, Block, For, Function, Statement, Var
from s2sad.ir.walking import altered, direct_reads, direct_writes, walk, with_blocks


def with_own_loop_variables(function: Function) -> Function:
    """The function, of webs, with loops that count by the names they are read by.

    >>> from s2sad.ir.kinds import INT
    >>> from s2sad.ir.nodes import Apply, Const, Return
    >>> from s2sad.ir.text import function_text
    >>> body = (Assign(None, Var("i~2"), Var("i.1")),
    ...         Assign(None, Var("y"), Apply(abs, (Var("i~2"),))))
    >>> loop = For(None, Var("i.1"), Const(0), Var("n"), Const(1), body)
    >>> function = Function("f", ("n",), (loop, Return(None, Const(0))), {"i~2": INT})
    >>> print(function_text(with_own_loop_variables(function)))
    def f(n: ?):
        for i~2 in range(0, n, 1):
            y = abs(i~2)
        return 0
    """
    writes: Counter[str] = Counter()
    reads: Counter[str] = Counter()
    for s in walk(function.body):
        writes.update(v.name for v in direct_writes(s))
        reads.update(v.name for v in direct_reads(s))

    def changed(block: Block) -> Block:
        return tuple(renamed(with_blocks(s, changed)) for s in block)

    def renamed(s: Statement) -> Statement:
        if not isinstance(s, For) or not s.body:
            return s
        first, *rest = s.body
        if not isinstance(first, Assign) or first.value != s.target:
            return s
        name = first.target
        if not isinstance(name, Var) or writes[name.name] != 1:
            return s
        inside = sum(list(direct_reads(r)).count(name) for r in walk(tuple(rest)))
        if reads[s.target.name] != 1 or reads[name.name] != inside:
            return s
        return replace(s, target=name, body=tuple(rest))

    return altered(function, body=changed(function.body))
