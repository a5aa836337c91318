"""Kinds of what a function takes from its module or closure."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from s2sad import custom, ir
from s2sad.source.kinds import attributes, kinds_of_values, references
from s2sad.source.kinds.foreign_classes import is_like_array
from s2sad.source.kinds.kinds_of_values import LONGEST_STRUCTURE
from s2sad.source.text import resolve


def data_kind(value: Any, name: str) -> ir.Kind:
    """The kind of a module's or closure's datum. Whole numbers are known by value, and
    checked again at each call; other data is read live."""
    if isinstance(value, resolve.StaticData):
        return ir.UNKNOWN
    if is_live_object(value):
        return ir.Known(value)
    static = (
        resolve.StaticFunction
        | resolve.StaticClass
        | resolve.StaticForeign
        | resolve.StaticS2sad
    )
    if isinstance(value, static | custom.CustomFunction):
        return ir.Known(value)
    if isinstance(value, np.generic):
        return kinds_of_values.kind_of_value(value, ("global", name))
    if type(value) in (bool, int):
        return ir.Scalar(type(value).__name__, value)
    if isinstance(value, int):
        return ir.Known(value)  # a member of an IntEnum
    if type(value) in (float, complex):
        special = value if value in (np.inf, -np.inf) else None
        return ir.Scalar(type(value).__name__, special)
    if isinstance(value, tuple | list | dict) and len(value) > LONGEST_STRUCTURE:
        return _kind_of_many(value, ("global", name))
    if isinstance(value, np.ndarray | np.generic | tuple | list | dict):
        return kinds_of_values.kind_of_value(value, ("global", name))
    kind = kinds_of_values.kind_of_value(value, ("global", name))
    if isinstance(kind, ir.Foreign) and is_like_array(kind.cls) and not callable(value):
        return kind  # read live, as arrays are
    return ir.Known(value) if isinstance(kind, ir.Unknown) else kind


def _kind_of_many(value: Any, path: Hashable) -> ir.Kind:
    """The kind of a long list or dict: it is kept as it is if it may hold numbers that
    count."""
    try:
        kept = references.kind_of_reference(value, path)
        if kept.leads_to_numbers():
            return kept
    except references.NoForm:
        pass
    return kinds_of_values.kind_of_value(value, path)


def is_live_object(value: Any) -> bool:
    """True for instances of the user's classes: the object is known, and what it holds
    is read where it is needed."""
    return attributes.attributes_of(value) is not None
