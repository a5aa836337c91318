"""Results that have no derivative."""

from __future__ import annotations

from s2sad.frontend.specialise.core.values import Value, describe, kind_of
from s2sad.ir.kinds import Array, NumPyScalar, Scalar, is_real_number_kind

ADVICE = "return a float, or an array of floats"


def without_derivative(result: Value) -> str | None:
    """What a function returns that holds no float: ``"a bool"``; None for others. What
    is a float on one path and an int on another is a float."""
    kind = kind_of(result)
    if is_real_number_kind(kind):
        return None
    if isinstance(kind, Scalar):
        return f"an {kind.type}" if kind.type == "int" else f"a {kind.type}"
    if isinstance(kind, NumPyScalar):
        return f"a NumPy {kind.dtype}"
    if isinstance(kind, Array):
        return f"an array of {kind.dtype}"
    return describe(result)
