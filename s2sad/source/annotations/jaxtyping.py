"""Kinds of the arrays that jaxtyping's annotations describe."""

import dataclasses
import re
from collections.abc import Hashable

from s2sad import ir


def axis_of_length(length: int) -> ir.Axis:
    return ir.ONE if length == 1 else ir.Axis("many", ("dim", length))


_ANY_OF = ("Float", "Int", "UInt", "Integer", "Complex", "Inexact", "Real", "Num")
_JAXTYPING = re.compile(r"(?:Float|Int|UInt|Complex)\d+|BFloat16|Bool|Shaped")


def is_jaxtyping(cls: type) -> bool:
    return type(cls).__module__.startswith("jaxtyping") and hasattr(cls, "dim_str")


@dataclasses.dataclass(frozen=True)
class JaxtypingArray:
    """``Float32[Array, "n 3"]``: the name of the dtype, and the shape."""

    name: str
    dimensions: str


def jaxtyping_kind(array: JaxtypingArray, path: Hashable) -> ir.Kind:
    name = array.name
    if name not in _ANY_OF and not _JAXTYPING.fullmatch(name):
        return ir.UNKNOWN
    dtype = None if name in (*_ANY_OF, "Shaped") else name.lower()
    return ir.Array(dtype, _dimensions(array.dimensions, path))


def _dimensions(text: str, path: Hashable) -> tuple[ir.Axis, ...] | None:
    """The axes that a shape in jaxtyping's notation describes."""
    axes = []
    for k, word in enumerate(text.split()):
        if "..." in word or word.startswith("*") or word[1:2] == "*":
            return None
        name = word.rpartition("=")[2]
        if name.isdecimal():
            axes.append(axis_of_length(int(name)))
        elif word.isidentifier() and not word.startswith("_"):
            axes.append(ir.Axis("any", ("dim", word)))
        else:  # "_", "#n" (n or 1), "?n" (differs from leaf to leaf), "n+1"
            axes.append(ir.Axis("any", (path, k)))
    return tuple(axes)
