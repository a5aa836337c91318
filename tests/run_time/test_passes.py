"""What is gone over once for each call: the check, zeros for the adjoint, and the
gradient in the user's classes."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

from s2sad import grad, ir
from s2sad.codegen.structures.written import (
    check_pass,
    checking_copy_pass,
    checking_zeros_pass,
    copy_pass,
    gradient_pass,
    zeros_pass,
)
from s2sad.errors import ArgumentError, OtherForms
from s2sad.ops.runtime.structures import (
    as_structure,
    own_structure,
    zeros_of_structure,
)
from s2sad.source.kinds.references import NoForm, kind_of_reference
from tests.run_time.programs import PROGRAMS
from tests.run_time.structures import Link, Slotted, Spring, chain, springs, tree

COPIES, CHECKING_COPIES = (
    [partial(write, items=True, arrays=arrays) for arrays in (False, True)]
    for write in (copy_pass, checking_copy_pass)
)


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
    "tuple of named tuples": tuple(Tagged(k + 1.0, "a", SHARED) for k in range(6)),
    "tuple of slots": tuple(Slotted(1.0, 2.0) for _ in range(6)),
    "tuples in a tuple": ((1.0, (2.0, 3)), (4.0, (5.0, 6)), (7.0, (8.0, 9))),
    "tuple of lists of tuples": ([(1.0, 2.0), (3.0, 4.0)], [(5.0, 6.0)]),
    "arrays": [{"w": np.ones((2, k + 1)), "b": 1.0} for k in range(6)],
    "numbers and words": [{"q": 1.0, "n": 2, "word": "a", "at": None}] * 6,
    "no numbers": [{"q": 1.0, "pairs": [(0, 1), (1, 2)]} for _ in range(6)],
    "deque": deque(springs(6), maxlen=8),
    "numbers in deques": [deque([1.0, 2.0], maxlen=3) for _ in range(6)],
    "whole numbers in arrays": [{"q": 1.0, "at": [np.arange(k)]} for k in range(6)],
    "empty": [Link(1.0, None), *[Link(2.0, None) for _ in range(5)]],
}


def holds(value, kind):
    """Whether a value is of a kind, as both passes tell that look at it."""
    try:
        check_pass(kind, "value")(value)
        found = True
    except Exception:
        found = False
    for write in (checking_zeros_pass, *CHECKING_COPIES):
        checking = write(kind, "value")
        if checking is not None:
            try:
                checking(value)
                assert found
            except OtherForms:
                assert not found
    return found


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
def test_copies_are_like_what_they_are_of(value):
    kind = kind_of_reference(value, "value")
    for write in (*COPIES, *CHECKING_COPIES):
        copied = write(kind, "value")
        if copied is not None:
            made = copied(value)
            assert same(made, value)
            assert made is not value or isinstance(value, tuple)


def test_what_stands_twice_among_arrays_is_copied_once():
    first, second = np.ones(2), np.zeros(3)
    values = [{"a": first, "b": second} for _ in range(6)]
    kind = kind_of_reference(values, "value")
    whole = partial(copy_pass, items=True, arrays=True)(kind, "value")(values)
    bars = zeros_pass(kind, "value", arrays=True)(values)
    for made in (whole, bars, own_structure(values)):
        assert made[0]["a"] is made[5]["a"] and made[0]["a"] is not first
        assert made[0]["b"] is made[2]["b"] and made[0]["b"].shape == (3,)
    assert same(whole, values) and not bars[0]["a"].any()


def test_views_are_copied_as_views_of_one_copy():
    whole = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    values = [whole, whole[1], whole.T[::2, 1:]]
    made = own_structure(values, views=True)
    assert all(np.array_equal(a, b) for a, b in zip(made, values, strict=True))
    made[0][1, 2] = -1.0
    assert made[1][2] == made[2][1, 0] == -1.0 and whole[1, 2] == 6.0


@pytest.mark.sampled(24)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.function.__name__)
def test_checks_take_the_arguments_of_all_programs(program):
    for value in program.arguments(7):
        try:
            kind = kind_of_reference(value, "value")
        except NoForm:
            continue
        if isinstance(kind, ir.Reference):
            assert holds(value, kind)


def test_a_copy_shares_what_is_shared():
    values = STRUCTURES["one twice"]
    kind = kind_of_reference(values, "value")
    for write in (*COPIES, *CHECKING_COPIES):
        made = write(kind, "value")(values)
        assert made[0] is made[-1] and made[0] is not values[0]


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


def test_dicts_with_an_order_get_gradients_with_one():
    value = OrderedDict((f"key {k}", float(k)) for k in range(6))
    kind = kind_of_reference(value, "value")
    made = gradient_pass(kind, "value")(zeros_pass(kind, "value")(value))
    assert type(made) is OrderedDict and list(made) == list(value)


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


def test_an_attribute_may_be_absent():
    first, second = Link(1.0, None), Link(1.0, None)
    second.more = 2.0
    for held in ([first, second], [second, first]):
        kind = kind_of_reference(held, "value")
        (form,) = kind.forms[0].slots[ir.EACH].forms
        assert form.optional == {"more"}
        assert holds([first], kind) and holds([second], kind)
        adjoint = zeros_pass(kind, "value")(held)
        one, other = (adjoint[held.index(link)] for link in (first, second))
        assert not hasattr(one, "more") and other.more == 0.0
    second.another = 2.0
    assert not holds([second], kind)
    second.more = "text"
    assert not holds([second], kind)
    second.more, second.another = 2.0, None
    del second.another
    assert holds([second], kind)
    del second.weight
    assert not holds([second], kind)


def test_fields_that_were_never_set_have_no_form():
    @dataclass
    class Late:
        x: float
        y: float = field(init=False)

    first, second = Late(1.0), Late(1.0)
    first.y = 2.0
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


def weights(link):
    total = 0.0
    while link is not None:
        total = 0.5 * total + link.weight**2
        link = link.behind
    return total


def all_weights(link):
    found = []
    while link is not None:
        found.append(link.weight)
        link = link.behind
    return found


def test_calls_with_other_forms_in_turns_are_told_apart():
    gradient = grad(weights)
    plain, other = chain(5), chain(5)
    other.behind.behind.weight = np.float64(other.behind.behind.weight)
    whole = chain(5)
    whole.behind.weight = 2
    for _ in range(3):
        found = [all_weights(gradient(link)) for link in (plain, other)]
        assert found[0] == found[1]
        gradient_of_int = all_weights(gradient(whole))
        assert gradient_of_int[1] is None and gradient_of_int[0] is not None
        with pytest.raises(ArgumentError):
            gradient(3)
        for link in (other, plain):
            assert all_weights(gradient(link=link)) == found[0]
    assert len(gradient._dispatcher.entries) == 3


@dataclass
class Tied:
    weight: float
    numbers: list[float]
    others: list[float]
    behind: list[Tied] = field(default_factory=list)


def tied_sum(root):
    total = root.weight * sum(root.numbers) * sum(n**2 for n in root.others)
    for one in root.behind:
        total += tied_sum(one)
    return total


def test_lists_that_stand_at_places_of_two_forms_are_looked_at_as_both():
    numbers = [1.0, 2.0]
    tied = Tied(3.0, numbers, numbers, [Tied(1.0, [1.0], [2.0]) for _ in range(2)])
    gradient = grad(tied_sum)
    for _ in range(2):
        found = gradient(tied)
        assert found.numbers is found.others
        assert found.numbers == [3.0 * (5.0 + 3.0 * 2 * x) for x in numbers]
    kind = kind_of_reference(tied, "value")
    tied.behind[1].numbers = tied.behind
    assert not holds(tied, kind)
    mixed = Tied(1.0, [1.0], [2.0], [])
    assert holds(mixed, kind)
    mixed.behind = mixed.numbers
    assert not holds(mixed, kind)


def test_values_that_lead_to_themselves_are_gone_over_once():
    tied = Tied(3.0, [1.0], [2.0], [])
    tied.behind.append(tied)
    kind = kind_of_reference(tied, "value")
    assert holds(tied, kind)
    zeros = checking_zeros_pass(kind, "value")(tied)
    assert zeros.behind[0] is zeros and zeros.weight == 0.0
    del tied.others
    assert not holds(tied, kind)


@pytest.mark.parametrize("slots", [("a", "b"), ("a",)])
def test_attributes_in_slots_and_beside_them_are_counted(slots):
    base = type("Base", (), {"__slots__": slots})
    classes = [base] if len(slots) == 2 else [type("Both", (base,), {})]
    (cls,) = classes

    def made(**more):
        value = cls()
        for name, number in {"a": 1.0, "b": 2.0, **more}.items():
            setattr(value, name, number)
        return value

    kind = kind_of_reference([made() for _ in range(6)], "value")
    assert holds([made(), made()], kind) and holds([], kind)
    assert not holds([made(), made(b=2)], kind)
    lacking = made()
    del lacking.b
    assert not holds([made(), lacking], kind)
    if len(slots) == 1:
        assert not holds([made(), made(c=1.0)], kind)


@dataclass
class Settled:
    w: float
    t: float = field(init=False, default=0.5)


def test_fields_that_stand_in_the_class_alone_are_attributes():
    def settled(objects):
        return sum(s.w**2 * s.t for s in objects)

    objects = [Settled(k + 1.0) for k in range(6)]
    kind = kind_of_reference(objects, "value")
    assert holds(objects, kind)
    derived = grad(settled)
    for own in (0.5, 2.0):
        objects[2].t = own
        assert holds(objects, kind)
        found = derived(objects)
        assert [(s.w, s.t) for s in found] == [
            (2.0 * s.w * s.t, s.w**2) for s in objects
        ]
    objects[1].more = 1.0  # beside w alone: as many as there should be
    assert not holds(objects, kind)


SUM = ("add", ("x",), ("c", 2.0))
EXPRESSION = ("add", ("neg", SUM), ("neg", ("add", ("c", 2.0), SUM)))


@pytest.mark.parametrize(
    "other",
    [("add", ("x",), ("c", 2)), ("pow", ("x",)), ("add", ("x",)), ("c",), (), 1],
)
def test_tuples_told_by_a_text_are_told_apart(other):
    kind = kind_of_reference(EXPRESSION, "value")
    assert holds(EXPRESSION, kind) and holds(("neg", SUM), kind)
    assert not holds(other, kind) and not holds(("add", SUM, other), kind)


def test_a_number_may_stand_where_others_have_arrays():
    value = [{"b": 1.0 if k % 2 else np.ones(2), "n": k} for k in range(6)]
    kind = kind_of_reference(value, "value")
    assert holds(value, kind) and holds(value[:1], kind) and holds(value[1:2], kind)
    for other in (np.ones((2, 2)), 1, None, np.ones(2, np.float32), np.float64(1.0)):
        assert not holds([*value, {"b": other, "n": 1}], kind)


@pytest.mark.parametrize(
    "other", [np.ones(3), np.ones((3, 3), int), 1, [1], None], ids=str
)
@pytest.mark.parametrize("made", [list, tuple, deque])
def test_what_has_no_derivative_is_looked_at_in_lists(made, other):
    def rows(last):
        return [(1.0, made([np.arange(3), last])) for _ in range(6)]

    kind = kind_of_reference(rows(np.arange(4)), "value")
    assert holds(rows(np.arange(2)), kind)
    assert not holds(rows(other), kind)


def test_functions_and_arrays_are_told():
    def layers(function=np.tanh, **more):
        last = {"w": np.ones((2, 3)), "function": function, **more}
        return [{"w": np.ones((3, 2)), "function": np.sin}, last]

    kind = kind_of_reference(layers(), "value")
    assert holds(layers(), kind) and holds(layers(np.sin), kind)
    for other in (
        layers(np.cos),
        layers(w=np.ones(2)),
        layers(w=np.ones((1, 2))),
        layers(w=np.ones((2, 3), np.float32)),
        layers(w=[[1.0]]),
    ):
        assert not holds(other, kind)
