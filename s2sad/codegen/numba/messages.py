"""Messages of exceptions that the program computes, as texts.

::

    a = format_value(x, '', '')
    b = format_string('x is ', a)    ->      do raise_exception(ValueError, 'x is ...')
    do raise_exception(ValueError, b)

Numba raises exceptions of the same class, and formats nothing.
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.codegen.numba.programs import Facts
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    Function,
    Operand,
    Statement,
    Var,
)
from s2sad.ir.walking import with_leaves
from s2sad.ops.effects import RAISING, format_string, format_value, raise_exception

UNKNOWN_PART = "..."
"""What a message shows in the place of what it would compute."""


def with_plain_messages(function: Function) -> Function:
    """The program with exceptions whose arguments are constants."""
    facts = Facts(function)

    def text(operand: Operand) -> Const:
        if isinstance(operand, Const):
            return operand
        made = facts.made_by.get(operand.name) if isinstance(operand, Var) else None
        if made is None or made.function is not format_string:
            return Const(UNKNOWN_PART)
        parts = [p.value if isinstance(p, Const) else UNKNOWN_PART for p in made.args]
        return Const("".join(map(str, parts)))

    def change(s: Statement) -> Block:
        if isinstance(s, Effect) and s.value.function in RAISING:
            kept = 1 if s.value.function is raise_exception else 0
            named = s.value.args[:kept]
            if s.value.keywords or not all(isinstance(a, Const) for a in named):
                return (s,)
            args = (*named, *map(text, s.value.args[kept:]))
            return (replace(s, value=replace(s.value, args=args)),)
        formats = isinstance(s, Assign) and isinstance(s.value, Apply)
        if formats and s.value.function in (format_string, format_value):  # type: ignore[attr-defined]
            return () if _only_raised(s, facts) else (s,)
        return (s,)

    return replace(function, body=with_leaves(function.body, change))


def _only_raised(s: Statement, facts: Facts) -> bool:
    """True for a text that only messages hold."""
    from s2sad.ir.walking import direct_reads, walk

    assert isinstance(s, Assign)
    for other in walk(facts.function.body):
        if s.target not in direct_reads(other):
            continue
        if isinstance(other, Effect) and other.value.function in RAISING:
            continue
        formats = isinstance(other, Assign) and isinstance(other.value, Apply)
        if not formats or other.value.function is not format_string:  # type: ignore[attr-defined]
            return False
        if not _only_raised(other, facts):
            return False
    return True
