import collections
import dataclasses

import numpy as np
import pytest

from s2sad.optim import StructureError, map_structure, map_structure_with_path
from tests.optim.structures import (
    BUILDERS,
    FrozenLayer,
    Layer,
    Pair,
    arrays,
    leaves_of,
    skeleton,
)


@pytest.mark.parametrize("kind", BUILDERS)
def test_maps_each_kind_into_the_same_kind(kind):
    structure = BUILDERS[kind](*arrays())
    before = [leaf.copy() for leaf in leaves_of(structure)]
    mapped = map_structure(lambda x, y: x + 2 * y, structure, structure)
    assert skeleton(mapped) == skeleton(structure)
    for old, kept, new in zip(before, leaves_of(structure), leaves_of(mapped)):
        np.testing.assert_array_equal(new, 3 * old)
        np.testing.assert_array_equal(kept, old)


def test_a_leaf_alone():
    assert map_structure(lambda x: x + 1, 2.0) == 3.0
    assert map_structure(lambda x: x, None) is None


def test_dict_follows_the_order_of_the_first():
    mapped = map_structure(lambda x, y: (x, y), {"a": 1, "b": 2}, {"b": 3, "a": 4})
    assert list(mapped.items()) == [("a", (1, 4)), ("b", (2, 3))]


def test_dict_subclass_is_kept():
    mapped = map_structure(lambda x: -x, collections.defaultdict(list, a=1.0, b=2.0))
    assert type(mapped) is collections.defaultdict
    assert mapped.default_factory is list
    assert dict(mapped) == {"a": -1.0, "b": -2.0}


def test_empty_structures():
    empty = {"a": (), "b": [], "c": {}}
    assert map_structure(lambda x: x, empty) == empty


def test_dataclass_is_not_constructed_again():
    @dataclasses.dataclass
    class Counted:
        a: float
        total: float = dataclasses.field(init=False, default=0.0)

        def __post_init__(self):
            self.total = 10 * self.a

    mapped = map_structure(lambda x: x + 1, Counted(1.0))
    assert (mapped.a, mapped.total) == (2.0, 11.0)


def test_paths():
    structure = {"layers": [Pair(0, FrozenLayer(0, (0,)))], 3: 0}
    paths = map_structure_with_path(lambda path, leaf: path, structure)
    assert leaves_of(paths) == [
        "['layers'][0].a",
        "['layers'][0].b.a",
        "['layers'][0].b.b[0]",
        "[3]",
    ]


def refused(first, second, **options):
    with pytest.raises(StructureError) as caught:
        map_structure(lambda x, y: x, first, second, **options)
    return str(caught.value)


def test_mismatch_names_path_and_both_sides():
    first = {"layers": [Pair(1.0, 2.0)]}
    second = {"layers": [Pair(1.0, (2.0,))]}
    assert refused(first, second, names=("params", "gradient")) == (
        "params and gradient differ in structure at ['layers'][0].b: "
        "params has a leaf of type float, gradient has a tuple"
    )


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ((1.0,), [1.0], "at the top: structure 1 has a tuple, structure 2 has a list"),
        ((1.0,), (1.0, 2.0), "has a tuple of length 1, structure 2 one of length 2"),
        ({"a": 1.0}, {"b": 1.0}, "structure 2 lacks 'a' and structure 2 also has 'b'"),
        ({"a": 1.0, "b": 1.0}, {"a": 1.0}, "structure 2 lacks 'b'"),
        (
            {"a": [1.0]},
            {"a": None},
            "at ['a']: structure 1 has a list, structure 2 has",
        ),
        (Pair(1.0, 2.0), (1.0, 2.0), "has a Pair, structure 2 has a tuple"),
        (Layer(1.0, 2.0), FrozenLayer(1.0, 2.0), "a Layer, structure 2 has a Frozen"),
        (
            1.0,
            {"a": 1.0},
            "structure 1 has a leaf of type float, structure 2 has a dict",
        ),
    ],
)
def test_each_mismatch(first, second, said):
    assert said in refused(first, second)


def test_needs_a_structure():
    with pytest.raises(TypeError, match="at least one structure"):
        map_structure(lambda: None)


def test_objects_are_copied_without_calling_init():
    class Model:
        def __init__(self, w, inner=None):
            self.w, self.inner, self.name = w, inner, "model"

    model = Model(1.0, Model(np.ones(2)))
    doubled = map_structure(
        lambda leaf: leaf if isinstance(leaf, str | None) else 2 * leaf, model
    )
    assert type(doubled) is Model and doubled.w == 2.0 and doubled.name == "model"
    assert doubled.inner.w.tolist() == [2.0, 2.0] and model.inner.w.tolist() == [1, 1]
