"""The kinds that variables have in vector mode."""

from dataclasses import replace

from s2sad import ir


def with_leading_axis(kind: ir.Kind, axis: ir.Axis) -> ir.Kind:
    """The kind of many values of a kind.

    >>> str(with_leading_axis(ir.NumPyScalar("float64"), ir.Axis("any", "k")))
    'float64[?]'
    """
    if isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Array):
        axes = ir.axes_of(kind)
        return ir.Array(ir.dtype_of(kind), None if axes is None else (axis, *axes))
    if isinstance(kind, ir.List) and kind.item is not None:
        return replace(kind, item=with_leading_axis(kind.item, axis))
    return kind


def sharper(made: ir.Kind | None, kind: ir.Kind) -> ir.Kind | None:
    """The kind that an operation gives, with what else is known of the lengths."""
    own, known = ir.axes_of(made) if made is not None else None, ir.axes_of(kind)
    if (
        not isinstance(made, ir.Array)
        or not isinstance(kind, ir.Array)
        or made.promoted
    ):
        return made
    if own is None or known is None or len(own) != len(known):
        return made
    axes = tuple(b if a.length == "any" else a for a, b in zip(own, known, strict=True))
    return replace(made, axes=axes)


def stacks_of(block: ir.Block) -> set[str]:
    lines = list(ir.walk(block))
    return {s.stack.name for s in lines if isinstance(s, ir.Save | ir.Restore)}


def kinds_of_block(function: ir.Function) -> dict[str, ir.Kind]:
    """The kinds of variables, also of those that have one only where they are
    assigned."""
    found = dict(function.kinds)
    for s in ir.walk(function.body):
        if not isinstance(s, ir.Assign) or s.kind is None:
            continue
        if isinstance(s.target, ir.Pack):
            kinds = getattr(s.kind, "items", ())
            pairs = list(zip(s.target.items, kinds, strict=False))
        else:
            pairs = [(s.target, s.kind)]
        for target, kind in pairs:
            if isinstance(target, ir.Var) and target.name not in function.kinds:
                known = found.get(target.name)
                found[target.name] = kind if known is None else ir.join(known, kind)
    return found
