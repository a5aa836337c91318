"""What optimisations ask of the axes of arrays."""

from collections.abc import Mapping

from s2sad import ir


def same_length(a: ir.Axis, b: ir.Axis) -> bool:
    """True for axes that surely have one length, so that nothing is broadcast."""
    if a.length == b.length == "many":
        return True
    return a.symbol is not None and a.symbol == b.symbol


def axes_of_floats(
    kinds: Mapping[str, ir.Kind], *operands: ir.Operand
) -> list[tuple[ir.Axis, ...]] | None:
    """The axes of arrays of floats of one dtype; None where an operand is anything
    else."""
    arrays = [ir.array_kind(o, kinds) for o in operands]
    dtypes = {a.dtype for a in arrays if a is not None and a.axes is not None}
    axes = [a.axes for a in arrays if a is not None and a.axes is not None]
    plain = len(dtypes) == 1 and str(*dtypes).startswith("float")
    return axes if plain and len(axes) == len(operands) else None
