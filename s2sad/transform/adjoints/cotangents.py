"""Cotangents of variables, as they stand at places of the reverse sweep."""

from dataclasses import dataclass
from enum import IntEnum

from s2sad import ir
from s2sad.frontend.specialise import core


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


def is_one_flag(contributed: core.Leaf | None) -> bool:
    """True for a flag that tells of a whole cotangent, not of each element."""
    return contributed is not None and ir.axes_of(contributed.kind) == ()


@ir.quickly_made
@dataclass(frozen=True, slots=True)
class Cotangent:
    """The cotangent of a variable, as it stands at one place of the reverse sweep."""

    value: core.Leaf
    masked: Masked = Masked.NO
    only_if: str = ""
    """A jump's flag: where it is false at this place, the cotangent is zero."""
    contributed: core.Leaf | None = None
    """A flag of the reverse sweep (an adjoint that is a number: that it isn't zero).
    Where it is false, nothing has contributed, and all that is zero by structure is
    zero for that. A zero where it is true is so by chance, and a product with inf is
    nan there. None for a mark that the zeros alone tell."""
    full: bool = False
    """True where it surely has the shape of the variable's value, which its kind may
    not tell."""

    @property
    def told(self) -> bool:
        """True where one flag tells all that is zero by structure."""
        return not self.masked or is_one_flag(self.contributed)
