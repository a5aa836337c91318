"""What is gone over once for each call: the check, zeros for the adjoint, and the
gradient in the user's classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from s2sad import grad, ir
from s2sad.codegen.structures.written import gradient_pass, zeros_pass
from s2sad.ops.runtime.structures import as_structure, zeros_of_structure
from s2sad.source.kinds.reference_checks import holds
from s2sad.source.kinds.references import NoForm, kind_of_reference
from tests.run_time.structures import Link, Slotted, Spring, chain, springs, tree


class Tagged(NamedTuple):
    x: float
    tag: str
    spring: Spring


SHARED = Spring(1.0, 2.0, "shared")
STRUCTURES = {
    "records": springs(6),
    "one twice": [SHARED, *springs(4), SHARED],
    "tree": tree(3),
    "chain": chain(7),
    "slots": [Slotted(1.0, 2.0) for _ in range(6)],
    "dicts": {f"key {k}": Spring(1.0, 2.0) for k in range(6)},
    "tuples": [(1.0, 2, [3.0, 4.0]) for _ in range(6)],
    "named tuples": [Tagged(1.0, "a", SHARED) for _ in range(6)],
    "arrays": [{"w": np.ones((2, k + 1)), "b": 1.0} for k in range(6)],
    "numbers and words": [{"q": 1.0, "n": 2, "word": "a", "at": None}] * 6,
    "no numbers": [{"q": 1.0, "pairs": [(0, 1), (1, 2)]} for _ in range(6)],
    "empty": [Link(1.0, None), *[Link(2.0, None) for _ in range(5)]],
}


def same(a, b):
    """Whether two structures hold equal numbers in equal places."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b)
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, Slotted):
        return (a.first, a.second) == (b.first, b.second)
    if hasattr(a, "__dict__"):
        return same(vars(a), vars(b))
    return a == b


@pytest.mark.parametrize("value", STRUCTURES.values(), ids=STRUCTURES)
def test_written_passes_do_what_the_general_ones_do(value):
    kind = kind_of_reference(value, "value")
    zeros, gradient = zeros_pass(kind, "value"), gradient_pass(kind, "value")
    made = gradient(zeros(value))
    assert same(made, as_structure(value, zeros_of_structure(value)))
    assert type(made) is type(value)


@pytest.mark.parametrize("value", STRUCTURES.values(), ids=STRUCTURES)
def test_the_check_takes_what_it_was_made_for(value):
    assert holds(value, kind_of_reference(value, "value"))


@pytest.mark.parametrize(
    "other",
    [
        [*springs(5), Spring(1, 2.0)],
        [*springs(5), Spring(1.0, np.float64(2.0))],
        [*springs(5), Spring(1.0, None)],
        [*springs(5), None],
        [*springs(5), Slotted(1.0, 2.0)],
        tuple(springs(6)),
        {0: springs(1)[0]},
    ],
    ids=["int", "NumPy", "None", "no spring", "other class", "tuple", "dict"],
)
def test_the_check_tells_others(other):
    assert not holds(other, kind_of_reference(springs(6), "value"))


def test_the_check_tells_more_attributes():
    value = springs(6)
    kind = kind_of_reference(springs(6), "value")
    value[3].more = 1.0
    assert not holds(value, kind)


def test_kinds_hold_no_lengths():
    for value in (springs(1), springs(5_000)):
        kind = kind_of_reference(value, "value")
        assert isinstance(kind, ir.Reference)
        (form,) = kind.forms
        assert form.keys == (ir.EACH,)
        assert ir.kind_of_slot(form.slots[ir.EACH], "k") == ir.FLOAT


def test_long_chains_are_gone_over_without_recursion():
    value = chain(100_000)
    kind = kind_of_reference(value, "value")
    assert holds(value, kind)
    made = gradient_pass(kind, "value")(zeros_pass(kind, "value")(value))
    for _ in range(99_999):
        made = made.behind
    assert made.behind is None


def test_unlike_attributes_have_no_form():
    first, second = Link(1.0, None), Link(1.0, None)
    second.more = 2.0
    with pytest.raises(NoForm):
        kind_of_reference([first, second], "value")


def test_gradients_share_nothing_with_arguments():
    def total(items, x):
        return sum(item["b"] * item["w"].sum() for item in items) * x

    items = STRUCTURES["arrays"]
    first = grad(total)(items, 2.0)
    again = grad(total)(items, 2.0)
    for item, one, other in zip(items, first, again, strict=True):
        assert not np.shares_memory(one["w"], item["w"])
        assert not np.shares_memory(one["w"], other["w"])


@dataclass(frozen=True)
class Fixed:
    factors: tuple[float, float]
    behind: Fixed | None


def test_what_can_not_be_stored_into_is_completed_once():
    shared = Fixed((1.0, 2.0), Fixed((3.0, 4.0), None))
    value = [Fixed((1.0, 2.0), shared) for _ in range(6)]
    kind = kind_of_reference(value, "value")
    made = gradient_pass(kind, "value")(zeros_pass(kind, "value")(value))
    assert all(type(one) is Fixed and one.behind is made[0].behind for one in made)
    assert made[0].behind.behind == Fixed((0.0, 0.0), None)


@dataclass(frozen=True)
class Flat:
    x: float


def test_what_is_flat_and_stands_twice_is_made_once():
    value = [Flat(1.0), *map(Flat, (2.0, 3.0, 4.0, 5.0))] * 2
    gradient = grad(lambda items: sum(item.x**2 for item in items))(value)
    assert gradient == [Flat(4.0 * item.x) for item in value]
    assert gradient[0] is gradient[5] and type(gradient[0]) is Flat
