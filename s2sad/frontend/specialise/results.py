"""Results that have no derivative."""

from s2sad import ir
from s2sad.frontend.specialise import core

ADVICE = "return a float, or an array of floats"


def without_derivative(result: core.Value) -> str | None:
    """What a function returns that holds no float: ``"a bool"``; None for others. What
    is a float on one path and an int on another is a float."""
    kind = core.kind_of(result)
    if ir.is_real_number_kind(kind):
        return None
    if isinstance(kind, ir.Scalar):
        return f"an {kind.type}" if kind.type == "int" else f"a {kind.type}"
    if isinstance(kind, ir.NumPyScalar):
        return f"a NumPy {kind.dtype}"
    if isinstance(kind, ir.Array):
        return f"an array of {kind.dtype}"
    return core.describe(result)
