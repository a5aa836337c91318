"""Values through which nothing is differentiated, after the last differentiation.

::

    t = stopped(x)      ->      t = x
"""

from dataclasses import replace
from typing import TypeGuard

from s2sad import ir
from s2sad.rules.steps.stopped import retained, stopped, with_derivative_of


def without_stops(function: ir.Function) -> ir.Function:
    """The function in which what was stopped is the value itself."""
    if not any(map(_is_stop, ir.walk(function.body))):
        return function

    def change(s: ir.Statement) -> ir.Block:
        if not _is_stop(s):
            return (s,)
        return (replace(s, value=s.value.args[0]),)

    return replace(function, body=ir.with_leaves(function.body, change))


def _is_stop(s: ir.Statement) -> TypeGuard[ir.Result]:
    return ir.applies(s, stopped, retained, with_derivative_of)
