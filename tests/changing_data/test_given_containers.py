"""Lists and dicts that a program is given and whose structure it changes, under several
names and in several places: one stays one, or is refused when the derivative runs."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import s2sad
from tests.run_time.structures import assert_gradient
from tests.support import compilations

SIZES = [5, 300]
REFUSED = "and the function changes it: pass a copy"


@dataclass
class Body:
    x: float
    mass: float
    group: Any = field(default=None, repr=False)


def bodies(n, draw=None):
    random = np.random.default_rng(3)
    return [
        Body(float(random.uniform(0.5, 1.5)), float(random.uniform(1.0, 2.0)))
        for _ in range(n)
    ]


LONG = bodies(80)


def summed(items, t):
    found = 0.0
    for item in items:
        found = 0.5 * found + item.x * item.mass * t
    return found


def by_two_names(a, b, t):
    a.append(b[0])
    return summed(b, t)


def both_changed(a, b, t):
    a.append(b.pop())
    return summed(b, t) + len(a) * t


def in_another_list(a, lists, t):
    a.append(a[0])
    return summed(lists[0], t) + summed(lists[-1], t)


def in_a_dict(a, table, t):
    a.pop()
    return sum(summed(group, t) for group in table.values())


def in_an_object(a, holder, t):
    a.pop()
    return summed(holder.group, t)


def in_its_items(a, t):
    a.pop()
    return summed(a[0].group, t)


def in_their_lists(a, others, t):
    others[0], others[1] = others[1], others[0]
    a.append(a[1])
    return summed(others[0].group, t)


def named(n):
    return {f"b{k}": body for k, body in enumerate(bodies(n))}


def dicts_by_two_names(a, b, t):
    a["new"] = a["b0"]
    return summed(b.values(), t)


def dict_in_an_object(a, holder, t):
    del a["b0"]
    return summed(holder.group.values(), t)


def dict_in_a_list(a, dicts, t):
    a.pop("b1")
    return summed(dicts[0].values(), t)


def stored_in_place(a, dicts, t):
    dicts[0]["b1"].x = t
    a.pop("b1")
    return summed(dicts[0].values(), t) + len(a)


CASES = [
    (by_two_names, lambda a: (a, a)),
    (both_changed, lambda a: (a, a)),
    (in_another_list, lambda a: (a, [a] + [bodies(3) for _ in range(6)])),
    (in_a_dict, lambda a: (a, {f"g{k}": a if k == 3 else a[:2] for k in range(7)})),
    (in_an_object, lambda a: (a, Body(1.0, 2.0, a))),
    (in_their_lists, lambda a: (a, [Body(1.0, 2.0, a) for _ in range(7)])),
]
OF_DICTS = [
    (dicts_by_two_names, lambda a: (a, a)),
    (dict_in_an_object, lambda a: (a, Body(1.0, 2.0, a))),
    (dict_in_a_list, lambda a: (a, [a] + [named(6) for _ in range(6)])),
    (stored_in_place, lambda a: (a, [a] + [named(6) for _ in range(6)])),
]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    ("function", "given"), CASES, ids=[case[0].__name__ for case in CASES]
)
def test_what_stands_elsewhere_is_refused(function, given, n):
    gradient = s2sad.grad(function)
    arguments = given(bodies(n))
    with pytest.raises(ValueError, match=REFUSED):
        gradient(*arguments, 0.7)
    arguments = (copy.deepcopy(arguments[0]), *arguments[1:])
    assert_right(function, arguments)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    ("function", "given"), OF_DICTS, ids=[case[0].__name__ for case in OF_DICTS]
)
def test_a_dict_that_stands_elsewhere_changes_there_too(function, given, n):
    arguments = given(named(n))
    before = copy.deepcopy(arguments)
    ends = [function(*copy.deepcopy(arguments), 0.7 + step) for step in (1e-6, -1e-6)]
    found = s2sad.grad(function, wrt="t")(*arguments, 0.7)
    assert found == pytest.approx((ends[0] - ends[1]) / 2e-6)
    assert repr(arguments) == repr(before)
    assert_right(function, (copy.deepcopy(arguments[0]), *arguments[1:]))


def assert_right(function, arguments):
    gradient = s2sad.grad(function)
    before = copy.deepcopy(arguments)
    found = gradient(*arguments, 0.7)
    assert repr(arguments) == repr(before)
    assert len(found) == len(arguments[0])

    def fresh(*values):
        return function(*copy.deepcopy(values))

    everything = s2sad.grad(function, wrt=tuple(range(len(arguments) + 1)))
    assert_gradient(fresh, (*arguments, 0.7), everything(*arguments, 0.7))


@pytest.mark.parametrize("n", SIZES)
def test_a_list_that_its_items_lead_to_is_refused(n):
    gradient = s2sad.grad(in_its_items)
    given = bodies(n)
    for body in given:
        body.group = given
    with pytest.raises(ValueError, match=REFUSED):
        gradient(given, 0.7)
    for body in given:
        body.group = list(given)
    found = gradient(given, 0.7)
    expected = 0.7 * given[-1].mass  # the group is whole
    assert found[-1].x == pytest.approx(expected)


def dict_of_its_items(d, t):
    d["new"] = d["b1"]
    return len(d["b1"].group) * d["b0"].x * t


@pytest.mark.parametrize("n", SIZES)
def test_a_dict_that_its_values_lead_to(n):
    gradient = s2sad.grad(dict_of_its_items)
    given = named(n)
    for body in given.values():
        body.group = given
    assert gradient(given, 0.7)["b0"].x == pytest.approx(0.7 * (n + 1))
    assert "new" not in given
    for body in given.values():
        body.group = dict(given)
    assert gradient(given, 0.7)["b0"].x == pytest.approx(0.7 * n)


def of_the_module(a, t):
    a.append(a[0])
    return summed(LONG, t)


def test_a_list_of_the_module_that_is_given_is_refused():
    gradient = s2sad.grad(of_the_module, wrt="t")
    with pytest.raises(ValueError, match=REFUSED):
        gradient(LONG, 0.7)
    assert gradient(list(LONG), 0.7) == pytest.approx(summed(LONG, 1.0))
    assert len(LONG) == 80


TABLE = named(80)


def table_of_the_module(d, t):
    del d["b0"]
    return summed(TABLE.values(), t)


def test_a_dict_of_the_module_beside_one_that_changes_is_refused():
    gradient = s2sad.grad(table_of_the_module, wrt="t")
    with pytest.raises(s2sad.UnsupportedError, match="an object of the module"):
        gradient(TABLE, 0.7)


def test_a_captured_list_that_is_given_is_refused():
    held = bodies(80)

    def function(a, t):
        a.append(a[0])
        return summed(held, t)

    gradient = s2sad.grad(function, wrt="t")
    with pytest.raises(ValueError, match=REFUSED):
        gradient(held, 0.7)
    assert gradient(list(held), 0.7) == pytest.approx(summed(held, 1.0))


def changes_the_module(t):
    LONG.append(LONG[0])
    return summed(LONG, t)


def changes_a_table(t):
    TABLE["new"] = TABLE["b0"]
    return summed(TABLE.values(), t)


def put_into_itself(bodies, t):
    bodies[0].group = bodies
    bodies.append(bodies[1])
    return summed(bodies[0].group, t)


def grouped(n):
    made = bodies(n)
    for body in made:
        body.group = bodies(3)
    return made


NOT_ITS_OWN = [
    (changes_the_module, lambda: (), "of the module is changed"),
    (changes_a_table, lambda: (), "of the module is changed"),
]


@pytest.mark.parametrize(
    ("function", "given", "why"),
    NOT_ITS_OWN,
    ids=[case[0].__name__ for case in NOT_ITS_OWN],
)
def test_what_is_no_argument_is_refused(function, given, why):
    with pytest.raises(s2sad.UnsupportedError, match=why):
        s2sad.grad(function, wrt="t")(*given(), t=0.7)


@pytest.mark.parametrize("n", [3, 80])
def test_a_list_that_is_put_into_what_it_holds(n):
    ends = [put_into_itself(grouped(n), 0.7 + step) for step in (1e-6, -1e-6)]
    found = s2sad.grad(put_into_itself, wrt="t")(grouped(n), 0.7)
    assert found == pytest.approx((ends[0] - ends[1]) / 2e-6)


def reordered(items, table, t):
    items.sort(key=lambda body: body.mass)
    items[0], items[-1] = items[-1], items[0]
    table["new"] = table.pop("b0")
    return summed(items, t) + summed(table.values(), t)


def test_one_text_and_one_compilation_serve_all_sizes():
    gradient = s2sad.grad(reordered, wrt=("items", "table", "t"))
    texts = set()
    for n in (5, 5000, 6, 70):
        given = (bodies(n), named(n))
        texts.add(gradient.source_for(*given, 0.7))
        with compilations.counted() as compiled:
            found = gradient(*given, 0.7)
        assert compiled == []
        assert [len(part) for part in found[:2]] == [n, n]
        assert "new" not in found[1]
    assert len(texts) == 1
