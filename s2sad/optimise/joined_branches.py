"""Joined branches: what is computed under a condition for the reverse sweep moves to
the lines there that stand under the same condition.

::

    if c:                              t = mul(y, y)
        a = getitem(x, k)              if c:
    t = mul(y, y)             ->           a = getitem(x, k)
    if c:                                  x.bar = mul(t, a)
        x.bar = mul(t, a)

Only branches of derived lines are moved. Behind a branch of the function's own the
reverse lines under its condition go on, where a function ends with one::

    if c:                              if c:
        y = mul(x, x)                      y = mul(x, x)
    if c:                     ->           x.bar = mul(2, x)
        x.bar = mul(2, x)
"""

from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.passes.purity import is_pure


def join_branches(function: ir.Function) -> ir.Function:
    """The function with derived branches under one condition joined.

    >>> import operator
    >>> def line(name, function, *args):
    ...     value = ir.Apply(function, tuple(map(ir.Var, args)))
    ...     return ir.Assign(None, ir.Var(name), value, ir.FLOAT, True)
    >>> body = (
    ...     ir.If(None, ir.Var("c"), (line("a", operator.neg, "x"),), ()),
    ...     line("t", operator.neg, "y"),
    ...     ir.If(None, ir.Var("c"), (line("b", operator.mul, "t", "a"),), ()),
    ...     ir.Return(None, ir.Var("t")),
    ... )
    >>> function = ir.Function(
    ...     "f", ("x", "y", "c"), body, dict.fromkeys("xytab", ir.FLOAT)
    ... )
    >>> print(ir.function_text(join_branches(function)))
    def f(x: float, y: float, c: ?):
        t = neg(y)  # float
        if c:
            a = neg(x)  # float
            b = mul(t, a)  # float
        return t
    """
    if sum(isinstance(s, ir.If) for s in ir.walk(function.body)) < 2:
        return function
    body = _block(function.body)
    return function if body is function.body else replace(function, body=body)


def _block(block: ir.Block) -> ir.Block:
    lines: list[ir.Statement | None] = [ir.with_blocks(s, _block) for s in block]
    for place, s in enumerate(lines):
        if not isinstance(s, ir.If):
            continue
        later = _same_condition(lines, place) if _may_move(s) else None
        if later is None and _goes_on(s, lines[place + 1 : place + 2]):
            later = place + 1
        if later is not None:
            other = lines[later]
            assert isinstance(other, ir.If)
            lines[later] = replace(
                other, body=(*s.body, *other.body), orelse=(*s.orelse, *other.orelse)
            )
            lines[place] = None
    return ir.as_block([s for s in lines if s is not None], block)


def _may_move(s: ir.If) -> bool:
    """True for a branch of derived assignments without effects."""
    lines = (*s.body, *s.orelse)
    return (
        isinstance(s.test, ir.Var)
        and bool(lines)
        and all(
            isinstance(line, ir.Assign)
            and line.derived
            and not isinstance(line.value, ir.Global)
            and (not isinstance(line.value, ir.Apply) or is_pure(line.value.function))
            for line in lines
        )
        and s.test.name not in ir.names_written_within(s)
    )


def _goes_on(s: ir.If, behind: list[ir.Statement | None]) -> bool:
    """True for a branch of the function's own behind which that of the reverse sweep
    stands, which takes nothing from stacks that the first has put there."""
    later = behind[0] if behind else None
    if not isinstance(later, ir.If) or later.test != s.test:
        return False
    if not isinstance(s.test, ir.Var) or s.test.name in ir.names_written_within(s):
        return False
    stacks = {i.stack.name for i in ir.walk((s,)) if isinstance(i, ir.Save)}
    return stacks.isdisjoint(ir.names_read_within(later))


def _same_condition(lines: list[ir.Statement | None], place: int) -> int | None:
    """The place of the next branch of derived lines under the same condition, if what
    stands in between has nothing to do with the first."""
    first = lines[place]
    assert isinstance(first, ir.If)
    written, read = ir.names_written_within(first), ir.names_read_within(first)
    for later in range(place + 1, len(lines)):
        s = lines[later]
        if s is None:
            continue
        if isinstance(s, ir.If) and s.test == first.test:
            begins = [t for branch in (s.body, s.orelse) for t in branch[:1]]
            return later if begins and all(map(_is_derived, begins)) else None
        if ir.names_read_within(s) & written or ir.names_written_within(s) & (
            written | read
        ):
            return None
    return None


def _is_derived(s: ir.Statement) -> bool:
    """True for a line or loop of the reverse sweep."""
    if isinstance(s, ir.For | ir.While):
        return any(_is_derived(line) for line in s.body)
    if isinstance(s, ir.Effect):
        return ops.takes_derivatives(s)
    return isinstance(s, ir.Assign) and s.derived
