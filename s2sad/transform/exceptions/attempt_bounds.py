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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from s2sad import ir, ops
from s2sad.source.normalise.jumps import is_jump_flag
from s2sad.transform.exceptions.raised_exceptions import caught_from, handler_for
from s2sad.transform.reverse.assembled_statements import is_caught


def with_narrow_attempts(function: ir.Function) -> ir.Function:
    """The function with as little as possible in the bodies of try statements; the same
    one where nothing changes.

    >>> import operator
    >>> double = ir.Apply(operator.mul, (ir.Const(2.0), ir.Var("x")))
    >>> body = (
    ...     ir.Assign(None, ir.Var("x"), double),
    ...     ir.Assign(
    ...         None,
    ...         ir.Var("y"),
    ...         ir.Apply(operator.truediv, (ir.Const(1.0), ir.Var("x"))),
    ...     ),
    ...     ir.Assign(None, ir.Var("z"), double),
    ... )
    >>> handler = ir.Handler(ir.Const(ZeroDivisionError), ())
    >>> attempt = ir.Try(None, body, (handler,), (), ())
    >>> whole = attempt, ir.Return(None, ir.Var("z"))
    >>> function = ir.Function("f", ("x",), whole, {"x": ir.FLOAT})
    >>> print(ir.function_text(with_narrow_attempts(function)))
    def f(x: float):
        x = mul(2.0, x)
        try:
            y = truediv(1.0, x)
        except ZeroDivisionError:
        else:
            z = mul(2.0, x)
        return z
    """

    reads = ir.uses_in(function.body).reads

    def lines(s: ir.Statement) -> Sequence[ir.Statement]:
        if not isinstance(s, ir.Try):
            return (s,)
        if jump := _jump(s, function.kinds, reads):
            return jump
        return _narrowed(s, function.kinds)

    return ir.altered(function, body=ir.rewritten(function.body, lines))


def _narrowed(s: ir.Try, kinds: Mapping[str, ir.Kind]) -> list[ir.Statement]:
    caught = caught_from(s.handlers, kinds)

    def is_free(line: ir.Statement) -> bool:
        return _never_raises(line, caught) and not _sets_flag(line)

    def is_free_or_flag(line: ir.Statement) -> bool:
        constant = isinstance(line, ir.Assign) and isinstance(line.value, ir.Const)
        return is_free(line) or (constant and _sets_flag(line))

    start = list(takewhile(is_free_or_flag, s.body))
    first = [line for line in start if is_free(line)]
    flags = tuple(line for line in start if not is_free(line))
    rest = s.body[len(start) :]
    last = list(takewhile(is_free, reversed(rest)))
    middle = rest[: len(rest) - len(last)]
    if s.handlers and not middle and not flags:  # nothing here is for a handler
        whole = *s.body, *s.orelse
        if not s.final:
            return [*whole]
        return [replace(s, body=whole, handlers=(), orelse=())]
    if not s.handlers or not middle or not (first or last):
        return [s]
    behind = (*reversed(last), *s.orelse)
    narrow = replace(s, body=(*flags, *middle), orelse=behind)
    if not s.final or not first:
        return [*first, narrow]
    # a line before the first that a handler is for may raise something else
    inner = replace(narrow, final=())
    return [replace(s, body=(*first, inner), handlers=(), orelse=())]


def _jump(
    s: ir.Try, kinds: Mapping[str, ir.Kind], reads: Mapping[str, int]
) -> ir.Block:
    """What a handler does that is surely for what the body raises at once; () where
    that isn't known, or somebody reads the exception."""
    match s:
        case ir.Try(body=(ir.Effect(value=operation),), final=()):
            handler = handler_for(operation, s.handlers, kinds)
            body = handler.body if handler else ()
            if is_caught(body[:1]):
                unread = not any(reads[v.name] for v in ir.direct_writes(body[0]))
                body = body[1:] if unread else ()
            return () if any(map(ops.never_returns, ir.walk(body))) else body
    return ()


def _sets_flag(s: ir.Statement) -> bool:
    """True for a jump, and for what makes one ready: it belongs where it is."""
    return any(map(is_jump_flag, ir.names_written_within(s)))


def _never_raises(s: ir.Statement, caught: Callable[[ir.Statement], bool]) -> bool:
    """True for lines that raise nothing that a handler is for, also in branches."""
    if isinstance(s, ir.If):
        inner = (*s.body, *s.orelse)
        return isinstance(s.test, ir.Var | ir.Const) and all(
            _never_raises(line, caught) for line in inner
        )
    return isinstance(s, ir.Assign) and not caught(s)
