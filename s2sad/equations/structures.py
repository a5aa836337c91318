"""The unknown of an equation as it runs: a number, an array or a structure of these,
and its numbers and arrays alone."""

from typing import Any

import numpy as np

from s2sad.errors import ArgumentError
from s2sad.optim.structure import StructureError, map_structure


def leaves_of(structure: Any) -> list[Any]:
    """What a structure holds, in order."""
    found: list[Any] = []
    map_structure(found.append, structure)
    return found


def flat_parts(z: Any) -> Any:
    """The numbers and arrays of a structure as a tuple; a single one as it is."""
    parts = leaves_of(z)
    for part in parts:
        if not _is_part(part):
            raise ArgumentError(
                f"the unknown of an equation holds {part!r}; pass real numbers, arrays "
                "or structures of these"
            )
    if len(parts) == 1 and parts[0] is z:
        return z
    return tuple(parts)


def _is_part(part: Any) -> bool:
    number = isinstance(part, int | float | np.number | np.ndarray)
    return (
        number and not isinstance(part, bool) and np.asarray(part).dtype.kind in "fiu"
    )


def with_parts(z: Any, parts: Any) -> Any:
    """A structure like ``z`` with other numbers and arrays, as :func:`flat_parts` gives
    them."""
    if not isinstance(parts, tuple):
        return parts
    remaining = iter(parts)
    return map_structure(lambda leaf: next(remaining), z)


def own_parts(parts: Any) -> Any:
    """The same numbers and arrays, with arrays that nobody else holds."""
    if isinstance(parts, tuple):
        return tuple(own_parts(part) for part in parts)
    return parts.copy() if isinstance(parts, np.ndarray) else parts


def check_same_form(z: Any, new: Any, problem: str) -> Any:
    """The parts of ``new``; raises ArgumentError where its structure, or the shape of
    an array, differs from that of ``z``."""

    def shapes_differ(a: Any, b: Any) -> bool:
        return np.shape(a) != np.shape(b)

    try:
        different = map_structure(shapes_differ, z, new)
    except StructureError as error:
        raise ArgumentError(f"{problem}: {error}") from None
    if any(leaves_of(different)):
        shapes = [tuple(np.shape(part) for part in leaves_of(s)) for s in (z, new)]
        raise ArgumentError(f"{problem}: shapes {shapes[1]} and {shapes[0]}")
    return flat_parts(new)
