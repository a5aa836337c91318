"""Structures of numbers: their leaves, points near them, and sizes of steps."""

from collections.abc import Iterator
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
        drawn = rng.standard_normal(np.shape(leaf))
        if np.iscomplexobj(leaf):
            drawn = drawn + 1j * rng.standard_normal(np.shape(leaf))
        return seed_like(drawn, leaf, "a random seed")

    return map_structure(draw, structure)


def zeros_like(structure: Any) -> Any:
    """Zeros in a structure of the same shape; None where no derivative is."""

    def zeros(leaf: Any) -> Any:
        if not has_derivative(leaf):
            return None
        return seed_like(np.zeros(np.shape(leaf)), leaf, "zeros")

    return map_structure(zeros, structure)


def with_element(structure: Any, path: str, index: tuple[int, ...], by: Any) -> Any:
    """A copy of a structure with one element moved; a complex step makes its leaf
    complex."""

    def change(at: str, leaf: Any) -> Any:
        if at != path:
            return _copied_leaf(leaf)
        if isinstance(leaf, np.ndarray):
            new = leaf.astype(np.result_type(leaf, by)) if np.iscomplexobj(by) else leaf
            new = np.array(new)
            new[index] += by
            return new
        return leaf + by if isinstance(by, complex) else type(leaf)(leaf + by)

    return map_structure_with_path(change, structure)


def weighed(weights: Any, structure: Any) -> Any:
    """The sum of the leaves of a structure times their weights; complex weights are
    those of the real and imaginary parts."""
    known = numbers_of(weights)
    terms: list[Any] = []

    def note(path: str, leaf: Any) -> Any:
        if path in known:
            weight = np.asarray(known[path])
            if np.iscomplexobj(weight):
                terms.append(np.sum(np.real(np.conj(weight) * leaf)))
            else:
                terms.append(np.sum(weight * leaf))
        return leaf

    map_structure_with_path(note, structure)
    return sum(terms)


def inner_product(a: Any, b: Any) -> float:
    """The inner product over the leaves that both structures have numbers in; of
    complex numbers that of their parts, as of vectors of two real numbers."""
    others = numbers_of(b)
    return float(
        sum(
            np.vdot(leaf, others[path]).real
            for path, leaf in numbers_of(a).items()
            if path in others
        )
    )


def terms_of(weights: Any, structure: Any) -> float:
    """The sum of the absolute values of what :func:`weighed` adds."""

    def size(leaf: Any) -> Any:
        return np.abs(leaf) if has_derivative(leaf) else leaf

    return float(weighed(map_structure(size, weights), map_structure(size, structure)))


def rounded(rng: np.random.Generator, structure: Any, precision: float) -> Any:
    """A structure whose elements differ by some roundings: many enough for derivatives
    that are multiples of one rounding to differ."""

    def change(leaf: Any) -> Any:
        if not has_derivative(leaf):
            return _copied_leaf(leaf)
        factors = 1.0 + 32.0 * precision * rng.uniform(-1.0, 1.0, np.shape(leaf))
        return _like(leaf, np.asarray(leaf * factors))

    return map_structure(change, structure)


def largest_size(structure: Any) -> float:
    """The largest absolute value of all elements; nan where one is."""
    leaves = numbers_of(structure).values()
    return float(np.max([0.0, *(np.max(np.abs(x)) for x in leaves if np.size(x))]))


def precision_of(structure: Any) -> float:
    """The relative rounding error of the coarsest of the leaves."""
    leaves = numbers_of(structure).values()
    return max((float(np.finfo(np.asarray(x).dtype).eps) for x in leaves), default=0.0)


def step_for(structure: Any) -> float:
    """The step of central differences, relative to the size of an element."""
    return float(np.cbrt(precision_of(structure)))


def tolerance_for(structure: Any) -> float:
    """About 4e-8 for float64 and 2e-2 for float32: what central differences give,
    with room for large third derivatives."""
    return float(1e3 * precision_of(structure) ** (2 / 3))


def indices_of(
    shape: tuple[int, ...], most: int, rng: np.random.Generator
) -> Iterator[tuple[int, ...]]:
    """The indices of all elements, or of ``most`` that are drawn at random."""
    size = int(np.prod(shape))
    if size <= most:
        yield from np.ndindex(shape)
        return
    for number in sorted(rng.choice(size, most, replace=False)):
        yield tuple(int(k) for k in np.unravel_index(number, shape))


def indexed(index: tuple[int, ...]) -> str:
    """An index as it is written: ``[2, 0]``, or nothing."""
    return f"[{', '.join(map(str, index))}]" if index else ""
