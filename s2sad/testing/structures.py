"""Structures of numbers: their leaves, points near them, and sizes of steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.codegen.seeds import has_derivative, seed_like
from s2sad.optim.structure import map_structure, map_structure_with_path

Numbers = dict[str, Any]
"""The leaves of a structure by path."""


def numbers_of(structure: Any) -> Numbers:
    """The leaves that can carry a derivative."""
    found: Numbers = {}

    def note(path: str, leaf: Any) -> Any:
        if has_derivative(leaf):
            found[path] = leaf
        return leaf

    map_structure_with_path(note, structure)
    return found


def with_leaf(structure: Any, path: str, new: np.ndarray) -> Any:
    """A copy of a structure with one leaf replaced."""

    def change(at: str, leaf: Any) -> Any:
        return _like(leaf, new) if at == path else _copied_leaf(leaf)

    return map_structure_with_path(change, structure)


def moved(structure: Any, directions: Any, step: float) -> Any:
    """The point that lies a step from a structure."""

    tangents = numbers_of(directions)

    def move(path: str, leaf: Any) -> Any:
        if path not in tangents or not has_derivative(leaf):
            return _copied_leaf(leaf)
        return _like(leaf, np.asarray(leaf + step * tangents[path]))

    return map_structure_with_path(move, structure)


def copied(structure: Any) -> Any:
    """A structure whose arrays are copies."""
    return map_structure(_copied_leaf, structure)


def _copied_leaf(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _like(leaf: Any, array: np.ndarray) -> Any:
    if isinstance(leaf, np.ndarray):
        return np.asarray(array, dtype=leaf.dtype)
    return type(leaf)(array[()])


def random_like(rng: np.random.Generator, structure: Any) -> Any:
    """Random numbers in a structure of the same shape; None where no derivative is."""

    def draw(leaf: Any) -> Any:
        if not has_derivative(leaf):
            return None
        return seed_like(rng.standard_normal(np.shape(leaf)), leaf, "a random seed")

    return map_structure(draw, structure)


def inner_product(a: Any, b: Any) -> float:
    """The inner product over the leaves that both structures have numbers in."""
    others = numbers_of(b)
    return float(
        sum(
            np.vdot(leaf, others[path])
            for path, leaf in numbers_of(a).items()
            if path in others
        )
    )


def largest_size(structure: Any) -> float:
    """The largest absolute value of all elements."""
    leaves = numbers_of(structure).values()
    return max((float(np.max(np.abs(x))) for x in leaves if np.size(x)), default=0.0)


def _precision(structure: Any) -> float:
    leaves = numbers_of(structure).values()
    return max((float(np.finfo(np.asarray(x).dtype).eps) for x in leaves), default=0.0)


def step_for(structure: Any) -> float:
    """The step of central differences, relative to the size of an element."""
    return float(np.cbrt(_precision(structure)))


def tolerance_for(structure: Any) -> float:
    """About 4e-8 for float64 and 2e-2 for float32: what central differences give,
    with room for large third derivatives."""
    return float(1e3 * _precision(structure) ** (2 / 3))
