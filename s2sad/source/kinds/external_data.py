"""Kinds of what a function takes from its module or closure."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import ir
from s2sad.custom import CustomFunction
from s2sad.source.kinds.attributes import attributes_of
from s2sad.source.kinds.foreign_classes import is_like_array
from s2sad.source.kinds.kinds_of_values import kind_of_value
from s2sad.source.text.resolve import (
    StaticClass,
    StaticData,
    StaticForeign,
    StaticFunction,
    StaticS2sad,
)


def data_kind(value: Any, name: str) -> ir.Kind:
    """The kind of a module's or closure's datum. Whole numbers are known by value, and
    checked again at each call; other data is read live."""
    if isinstance(value, StaticData):
        return ir.UNKNOWN
    if is_live_object(value):
        return ir.Known(value)
    static = StaticFunction | StaticClass | StaticForeign | StaticS2sad
    if isinstance(value, static | CustomFunction):
        return ir.Known(value)
    if isinstance(value, np.generic):
        return kind_of_value(value, ("global", name))
    if type(value) in (bool, int):
        return ir.Scalar(type(value).__name__, value)
    if isinstance(value, int):
        return ir.Known(value)  # a member of an IntEnum
    if type(value) in (float, complex):
        special = value if value in (np.inf, -np.inf) else None
        return ir.Scalar(type(value).__name__, special)
    if isinstance(value, np.ndarray | np.generic | tuple | list | dict):
        return kind_of_value(value, ("global", name))
    kind = kind_of_value(value, ("global", name))
    if isinstance(kind, ir.Foreign) and is_like_array(kind.cls) and not callable(value):
        return kind  # read live, as arrays are
    return ir.Known(value) if isinstance(kind, ir.Unknown) else kind


def is_live_object(value: Any) -> bool:
    """True for instances of the user's classes: the object is known, and what it holds
    is read where it is needed."""
    return attributes_of(value) is not None
