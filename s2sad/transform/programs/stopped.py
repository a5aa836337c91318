"""Values through which nothing is differentiated, after the last differentiation.

::

    t = stopped(x)      ->      t = x
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.ir.nodes import Apply, Assign, Block, Function, Statement
from s2sad.ir.walking import walk, with_leaves
from s2sad.rules.steps.stopped import retained, stopped, with_derivative_of


def without_stops(function: Function) -> Function:
    """The function in which what was stopped is the value itself."""
    if not any(map(_is_stop, walk(function.body))):
        return function

    def change(s: Statement) -> Block:
        if not _is_stop(s):
            return (s,)
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        return (replace(s, value=s.value.args[0]),)

    return replace(function, body=with_leaves(function.body, change))


def _is_stop(s: Statement) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function in (stopped, retained, with_derivative_of)
    )
