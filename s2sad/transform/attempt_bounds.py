"""Bounds of try statements: what can't raise needs no try around it.

::

    try:                                   x = mul(2.0, x)
        x = mul(2.0, x)                    try:
        y = log(x)            ->               y = log(x)
        z = add(y, x)                      except ValueError:
    except ValueError:                         ...
        ...                                else:
                                               z = add(y, x)

A handler doesn't know how far the body came (``half_done.py``); it does know what was
assigned before the first line that may raise, and that nothing behind the last one ran.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile

from s2sad.frontend.normalise.jumps import is_jump_flag
from s2sad.ir.kinds import Kind, Scalar
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    If,
    Operand,
    Statement,
    Try,
    Var,
)
from s2sad.ir.walking import direct_writes, may_raise, walk, with_blocks

_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.neg, operator.pos)
_TESTS = (
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    *(operator.is_, operator.is_not, operator.not_),
)


def with_narrow_attempts(function: Function) -> Function:
    """The function with as little as possible in the bodies of try statements; the same
    one where nothing changes.

    >>> from s2sad.ir.kinds import FLOAT
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> double = Apply(operator.mul, (Const(2.0), Var("x")))
    >>> body = (
    ...     Assign(None, Var("x"), double),
    ...     Assign(None, Var("y"), Apply(operator.truediv, (Const(1.0), Var("x")))),
    ...     Assign(None, Var("z"), double),
    ... )
    >>> from s2sad.ir.nodes import Handler
    >>> handler = Handler(Const(ZeroDivisionError), ())
    >>> attempt = Try(None, body, (handler,), (), ())
    >>> whole = attempt, Return(None, Var("z"))
    >>> function = Function("f", ("x",), whole, {"x": FLOAT})
    >>> print(function_text(with_narrow_attempts(function)))
    def f(x: float):
        x = mul(2.0, x)
        try:
            y = truediv(1.0, x)
        except ZeroDivisionError:
        else:
            z = mul(2.0, x)
        return z
    """
    changed = False

    def block(statements: Block) -> Block:
        nonlocal changed
        result: list[Statement] = []
        for s in statements:
            s = with_blocks(s, block)
            if isinstance(s, Try):
                lines = _narrowed(s, function.kinds)
                changed |= len(lines) > 1 or lines[0] is not s
                result += lines
            else:
                result.append(s)
        return tuple(result)

    body = block(function.body)
    return replace(function, body=body) if changed else function


def _narrowed(s: Try, kinds: Mapping[str, Kind]) -> list[Statement]:
    def is_free(line: Statement) -> bool:
        return _never_raises(line, kinds) and not _sets_flag(line)

    def is_free_or_flag(line: Statement) -> bool:
        constant = isinstance(line, Assign) and isinstance(line.value, Const)
        return is_free(line) or (constant and _sets_flag(line))

    start = list(takewhile(is_free_or_flag, s.body))
    first = [line for line in start if is_free(line)]
    flags = tuple(line for line in start if not is_free(line))
    rest = s.body[len(start) :]
    last = list(takewhile(is_free, reversed(rest)))
    middle = rest[: len(rest) - len(last)]
    if not s.handlers or not middle or not (first or last):
        return [s]
    behind = (*reversed(last), *s.orelse)
    return [*first, replace(s, body=(*flags, *middle), orelse=behind)]


def _sets_flag(s: Statement) -> bool:
    """True for a jump, and for what makes one ready: it belongs where it is."""
    return any(is_jump_flag(v.name) for line in walk((s,)) for v in direct_writes(line))


def _never_raises(s: Statement, kinds: Mapping[str, Kind]) -> bool:
    """True for copies and arithmetic on Python's numbers, also in branches."""
    if isinstance(s, If):
        inner = (*s.body, *s.orelse)
        return isinstance(s.test, Var | Const) and all(
            _never_raises(line, kinds) for line in inner
        )
    if not isinstance(s, Assign):
        return False
    if not may_raise(s):
        return True
    if not isinstance(s.target, Var) or not isinstance(s.value, Apply):
        return False
    function, args = s.value.function, s.value.args
    if function not in (*_ARITHMETIC, *_TESTS) or s.value.keywords:
        return False
    types = {_type_of(a, kinds) for a in args} - {"small"}
    # A large int may be too large for a float.
    return types <= {"float"} or types <= {"int", "bool"}


def _type_of(operand: Operand, kinds: Mapping[str, Kind]) -> str | None:
    """The type of a Python number; ``small`` for an int that is a float as well."""
    if isinstance(operand, Const):
        number = operand.value
        if type(number) is int and abs(number) < 2**53:
            return "small"
        return type(number).__name__ if type(number) in (float, int) else None
    kind = kinds.get(operand.name) if isinstance(operand, Var) else None
    if isinstance(kind, Scalar) and kind.type in ("float", "int", "bool"):
        return kind.type
    return None
