"""The structure kinds that optimisers take, each built from two float arrays."""

import dataclasses
from typing import NamedTuple

import numpy as np


class Pair(NamedTuple):
    a: object
    b: object


@dataclasses.dataclass
class Layer:
    a: object
    b: object


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenLayer:
    a: object
    b: object


BUILDERS = {
    "tuple": lambda a, b: (a, b),
    "list": lambda a, b: [a, b],
    "dict": lambda a, b: {"a": a, "b": b},
    "namedtuple": Pair,
    "dataclass": Layer,
    "frozen": FrozenLayer,
    "nested": lambda a, b: {"layers": [Pair(a, (b,)), Layer(b, {"x": a})], "s": (a,)},
}


def leaves_of(structure):
    """The leaves in order."""
    if isinstance(structure, dict):
        parts = structure.values()
    elif isinstance(structure, tuple | list):
        parts = structure
    elif dataclasses.is_dataclass(structure):
        parts = [getattr(structure, f.name) for f in dataclasses.fields(structure)]
    else:
        return [structure]
    return [leaf for part in parts for leaf in leaves_of(part)]


def skeleton(structure):
    """The structure with the type of every layer spelled out and leaves as None."""
    if isinstance(structure, dict):
        return dict, {key: skeleton(value) for key, value in structure.items()}
    if isinstance(structure, tuple | list):
        return type(structure), [skeleton(value) for value in structure]
    if dataclasses.is_dataclass(structure):
        names = [f.name for f in dataclasses.fields(structure)]
        return type(structure), [skeleton(getattr(structure, n)) for n in names]
    return None


def arrays():
    return np.array([1.0, -2.0]), np.array([[0.5], [3.0], [-1.0]])
