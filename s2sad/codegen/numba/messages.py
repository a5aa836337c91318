"""Messages of exceptions that the program computes, as texts.

::

    a = format_value(x, '', '')
    b = format_string('x is ', a)    ->      do raise_exception(ValueError, 'x is ...')
    do raise_exception(ValueError, b)

Numba raises exceptions of the same class, and formats nothing.
"""

from dataclasses import replace

from s2sad import ir, ops
from s2sad.codegen.numba.programs import Facts

UNKNOWN_PART = "..."
"""What a message shows in the place of what it would compute."""


def with_plain_messages(function: ir.Function) -> ir.Function:
    """The program with exceptions whose arguments are constants."""
    facts = Facts(function)

    def text(operand: ir.Operand) -> ir.Const:
        if isinstance(operand, ir.Const):
            return operand
        made = facts.made_by.get(operand.name) if isinstance(operand, ir.Var) else None
        if made is None or made.function is not ops.format_string:
            return ir.Const(UNKNOWN_PART)
        parts = [
            p.value if isinstance(p, ir.Const) else UNKNOWN_PART for p in made.args
        ]
        return ir.Const("".join(map(str, parts)))

    def change(s: ir.Statement) -> ir.Block:
        if isinstance(s, ir.Effect) and s.value.function in ops.RAISING:
            kept = 1 if s.value.function is ops.raise_exception else 0
            named = s.value.args[:kept]
            if s.value.keywords or not all(isinstance(a, ir.Const) for a in named):
                return (s,)
            args = (*named, *map(text, s.value.args[kept:]))
            return (replace(s, value=replace(s.value, args=args)),)
        formats = ir.applies(s)
        if formats and s.value.function in (ops.format_string, ops.format_value):  # type: ignore[attr-defined]
            return () if _only_raised(s, facts) else (s,)
        return (s,)

    return replace(function, body=ir.with_leaves(function.body, change))


def _only_raised(s: ir.Statement, facts: Facts) -> bool:
    """True for a text that only messages hold."""

    assert isinstance(s, ir.Assign)
    for other in ir.walk(facts.function.body):
        if s.target not in ir.direct_reads(other):
            continue
        if isinstance(other, ir.Effect) and other.value.function in ops.RAISING:
            continue
        formats = ir.applies(other)
        if not formats or other.value.function is not ops.format_string:  # type: ignore[attr-defined]
            return False
        if not _only_raised(other, facts):
            return False
    return True
