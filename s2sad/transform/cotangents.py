"""Cotangents of variables, as they stand at places of the reverse sweep."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from s2sad.frontend.specialise.values import Leaf


class Masked(IntEnum):
    """Whether a cotangent may hold structural zeros, which a singular partial mustn't
    turn into nan."""

    NO = 0
    UNIT = 1
    """All elements of a unit cotangent but one are zero; sums over them aren't."""
    GATHERED = 2
    """Elements that an index didn't read are zero; sums over them aren't."""
    OVERWRITTEN = 3
    """Elements that a store replaced are zero."""
    SELECTED = 4
    """Parts that ``where``, a mask or ``clip`` selected away are zero; so is all of it
    where nothing contributed to it on the path that ran."""


@dataclass(frozen=True)
class Cotangent:
    """The cotangent of a variable, as it stands at one place of the reverse sweep."""

    value: Leaf
    masked: Masked = Masked.NO
    only_if: str = ""
    """A jump's flag: where it is false at this place, the cotangent is zero."""
    full: bool = False
    """True where it surely has the shape of the variable's value, which its kind may
    not tell."""
