"""Views taken again: what the reverse sweep reads of an array that it has at hand
anyway is no residual of its own.

::

    residuals: x, c = x[:, 0], r = x[:, 1:]          residuals: x
    x.bar[:, 0] = mul(y.bar, r)               ->     r = x[:, 1:]
                                                     x.bar[:, 0] = mul(y.bar, r)

Residuals share no memory with arguments, so each of them would be a copy.
"""

import operator
from collections import Counter
from collections.abc import Set

from s2sad import ir, ops


def views_at_hand(
    forwards: ir.Function, backwards: ir.Block, free: Set[str]
) -> ir.Block:
    """Lines that take views again for the reverse sweep, in front of it. ``free`` are
    the variables that it reads of the forward sweep.

    >>> x = ir.Array("float64", (ir.Axis("many"),))
    >>> view = ir.Assign(
    ...     None, ir.Var("t"), ir.Apply(operator.getitem, (ir.Var("x"), ir.Const(0))), x
    ... )
    >>> forwards = ir.Function("f", ("x",), (view,), {"x": x, "t": x})
    >>> [str(s.target) for s in views_at_hand(forwards, (), {"x", "t"})]
    ['t']
    >>> views_at_hand(forwards, (), {"t"})
    ()
    """
    written = Counter(forwards.parameters)
    for s in (*ir.walk(forwards.body), *ir.walk(backwards)):
        written.update(v.name for v in ir.direct_writes(s))
    kinds = forwards.kinds
    views: dict[str, tuple[str, ir.Assign]] = {}
    """Views of a fixed place: of what, and the line."""
    for s in forwards.body:
        if not (isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)):
            continue
        if not isinstance(s.value, ir.Apply):
            continue
        source, *rest = s.value.args or (None,)
        if not isinstance(source, ir.Var):
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


def _is_array(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Array) and not kind.promoted and bool(kind.axes)


def _is_fixed_view(value: ir.Apply, rest: list[ir.Operand]) -> bool:
    """True for a view of which the place is written down."""
    if value.function is operator.getitem:
        return not value.keywords and all(map(_is_fixed, rest))
    given = [*rest, *(operand for _, operand in value.keywords)]
    return ops.rearranges(value.function) and all(map(_is_fixed, given))


def _is_fixed(operand: ir.Operand) -> bool:
    match operand:
        case ir.Const(value=value):
            return value is None or value is Ellipsis or type(value) is int
        case ir.Slice(lower=lower, upper=upper, step=step):
            return all(p is None or _is_fixed(p) for p in (lower, upper, step))
        case ir.Pack(constructor=constructor, items=items):
            return constructor is tuple and all(map(_is_fixed, items))
    return False
