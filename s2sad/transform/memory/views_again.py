"""Views taken again: what the reverse sweep reads of an array that it has at hand
anyway is no residual of its own.

::

    residuals: x, c = x[:, 0], r = x[:, 1:]          residuals: x
    x.bar[:, 0] = mul(y.bar, r)               ->     r = x[:, 1:]
                                                     x.bar[:, 0] = mul(y.bar, r)

Residuals share no memory with arguments, so each of them would be a copy.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Set

import numpy as np

from s2sad.ir.kinds import Array, Kind
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Operand,
    Pack,
    Slice,
    Var,
)
from s2sad.ir.walking import direct_writes, walk

_REARRANGING = (np.transpose, np.swapaxes, np.expand_dims, np.squeeze)


def views_at_hand(forwards: Function, backwards: Block, free: Set[str]) -> Block:
    """Lines that take views again for the reverse sweep, in front of it. ``free`` are
    the variables that it reads of the forward sweep.

    >>> from s2sad.ir.kinds import Axis
    >>> x = Array("float64", (Axis("many"),))
    >>> view = Assign(None, Var("t"), Apply(operator.getitem, (Var("x"), Const(0))), x)
    >>> forwards = Function("f", ("x",), (view,), {"x": x, "t": x})
    >>> [str(s.target) for s in views_at_hand(forwards, (), {"x", "t"})]
    ['t']
    >>> views_at_hand(forwards, (), {"t"})
    ()
    """
    written = Counter(forwards.parameters)
    for s in (*walk(forwards.body), *walk(backwards)):
        written.update(v.name for v in direct_writes(s))
    kinds = forwards.kinds
    views: dict[str, tuple[str, Assign]] = {}
    """Views of a fixed place: of what, and the line."""
    for s in forwards.body:
        if not (isinstance(s, Assign) and isinstance(s.target, Var)):
            continue
        if not isinstance(s.value, Apply):
            continue
        source, *rest = s.value.args or (None,)
        if not isinstance(source, Var):
            continue
        once = written[source.name] == written[s.target.name] == 1
        arrays = _is_array(kinds.get(source.name)) and _is_array(s.kind)
        if once and arrays and _is_fixed_view(s.value, rest):
            views[s.target.name] = source.name, s
    wanted: set[str] = set()
    for name in free & views.keys():
        passed = [name]
        source_name, _ = views[name]
        while source_name not in free and source_name in views:
            passed.append(source_name)
            source_name, _ = views[source_name]
        if source_name in free:
            wanted.update(passed)
    return tuple(line for name, (_, line) in views.items() if name in wanted)


def _is_array(kind: Kind | None) -> bool:
    return isinstance(kind, Array) and not kind.promoted and bool(kind.axes)


def _is_fixed_view(value: Apply, rest: list[Operand]) -> bool:
    """True for a view of which the place is written down."""
    if value.function is operator.getitem:
        return not value.keywords and all(map(_is_fixed, rest))
    given = [*rest, *(operand for _, operand in value.keywords)]
    return value.function in _REARRANGING and all(map(_is_fixed, given))


def _is_fixed(operand: Operand) -> bool:
    match operand:
        case Const(value=value):
            return value is None or value is Ellipsis or type(value) is int
        case Slice(lower=lower, upper=upper, step=step):
            return all(p is None or _is_fixed(p) for p in (lower, upper, step))
        case Pack(constructor=constructor, items=items):
            return constructor is tuple and all(map(_is_fixed, items))
    return False
