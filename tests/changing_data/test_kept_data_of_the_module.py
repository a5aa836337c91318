"""Lists and dicts of the module, of a class or of a default that are kept as they are:
a name is bound to one, which then stands in something else and is changed there, or is
changed under that name. A derivative changes none of them, and compiling ends."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from s2sad.errors import UnsupportedError

ROW = [0.5, 0.25]
ROWS = [[0.5, 0.25], [1.0, 2.0]]
LONG = [0.5 + 0.1 * k for k in range(70)]
ENTRY = {"a": 0.5, "b": 0.25}
TABLE = {f"k{k}": 0.1 * k for k in range(70)}
LISTS = {f"k{k}": [0.5, 0.1 * k] for k in range(70)}
ARRAYS = {f"k{k}": np.array([0.5, 0.1 * k]) for k in range(70)}
PAIR = ([0.5, 0.25], 1.5)


class Part:
    row = [0.5, 0.25]

    def __init__(self, v: float, items: Any = [0.5, 0.25]) -> None:  # noqa: B006
        self.v, self.items = v, items


class Box:
    held: Any


PARTS = [Part(0.1 * k, [0.5]) for k in range(70)]


def bound(x, n):
    row = ROW
    row[0] = x * x
    return row[0]


def in_a_display(x, n):
    row = ROW
    rows = [row]
    rows[0][0] = x * x
    return row[0] + rows[0][1]


def in_a_list_of_any_length(x, n):
    row = LONG
    rows = []
    for k in range(n):
        rows.append(row)
        row[k] = row[k] * x
    return row[0] * rows[0][1]


def in_a_comprehension(x, n):
    row = ROW
    rows = [row for _ in range(n)]
    rows[1][0] = x * x
    return row[0] + rows[0][1]


def in_a_dict(x, n):
    row = ROW
    d = {"k": row}
    d["k"][0] = x * x
    return row[0]


def in_a_tuple(x, n):
    row = ROW
    pair = (row, x)
    pair[0][0] = x * x
    return row[0]


def in_an_object(x, n):
    box = Box()
    box.held = LONG
    box.held[0] = x * x
    return LONG[0]


def stored_into_a_list(x, n):
    rows = [[x, x]]
    rows[0] = ROW
    rows[0][0] = x * x
    return ROW[0]


def beside_one_of_its_own(x, n):
    row = ROW if x > 0.0 else [x, x]
    rows = [row]
    rows[0][0] = x * x
    return row[0] + row[1]


def one_of_two_for_the_run(x, n):
    rows = [LONG, [x]]
    rows[n - 2][0] = x * x
    return rows[0][0] + rows[1][0]


def in_a_while_loop(x, n):
    rows = [ROWS[0]]
    while len(rows) < n + 1:
        rows.append([x, x])
    rows[0][0] = x * x
    return rows[0][0] * rows[n][0]


def run_over(x, n):
    total = 0.0
    for row in [ROW, [x, x]]:
        row[0] = row[0] + x
        total += row[0] * row[1]
    return total


def longer(x, n):
    rows = []
    rows.append(LONG)
    LONG.append(x * x)
    return rows[0][-1]


def held_in_its_items(x, n):
    table = LISTS
    rows = list(table.values())
    rows[0][0] = x * x
    return table["k0"][0]


def under_a_key(x, n):
    rows = []
    rows.append(LISTS["k1"])
    rows[0][0] = x
    return LISTS["k1"][0]


def picked(x, n):
    rows = [LISTS[k] for k in LISTS]
    rows[0][0] = x
    return LISTS["k0"][0]


def a_tuple_of_it(x, n):
    pair = PAIR
    pair[0][0] = x * x
    return PAIR[0][0]


def a_dict(x, n):
    d = ENTRY
    ds = [d]
    ds[0]["a"] = x * x
    return d["a"] + d["b"]


def a_long_dict(x, n):
    d = TABLE
    ds = []
    for _ in range(n):
        ds.append(d)
    ds[0]["k1"] = x * x
    return d["k1"]


def a_new_key(x, n):
    d = TABLE
    d["new"] = x
    return d["new"]


def arrays_in_a_dict(x, n):
    d = ARRAYS
    a = d["k1"]
    a[0] = x * x
    return d["k1"][0]


def an_object_in_a_list(x, n):
    part = PARTS[n]
    parts = []
    for p in PARTS:
        parts.append(p)
    parts[n].v = x * x
    return part.v


def of_the_class(x, n):
    rows = [Part.row]
    rows[0][0] = x * x
    return Part.row[0]


def given() -> Any:
    return ROW


def returned(x, n):
    rows = [given(), [x, x]]
    rows[n - 3][0] = x * x
    return rows[0][0] * x


def yielded():
    yield TABLE
    yield TABLE


def from_a_generator(x, n):
    for d in yielded():
        d["k0"] = d["k0"] + x
    return TABLE["k0"]


def of_a_default(x, row: Any = [0.5, 0.25]) -> Any:  # noqa: B006
    row[0] = x
    return row


def a_default(x, n):
    rows = [of_a_default(x)]
    rows[0][1] = x * x
    return rows[0][0] * rows[0][1]


def a_default_of_objects(x, n):
    parts = []
    for k in range(n):
        parts.append(Part(x * k))
        parts[k].items[0] = x * x
    return parts[0].items[0] * parts[1].v


def down(x, n, rows, row: Any = [0.5, 0.25]) -> Any:  # noqa: B006
    if n == 0:
        return rows[0][0]
    rows.append(row)
    row[0] = row[0] * x
    return down(x, n - 1, rows)


def a_default_of_a_recursion(x, n):
    return down(x, n, [])


def recursive(x, n, row, rows):
    if n == 0:
        return rows[0][0]
    rows.append(row)
    row[0] = row[0] + x
    return recursive(x, n - 1, row, rows)


def passed_to_a_recursion(x, n):
    return recursive(x, n, ROW, [])


def caught(x, n):
    d = TABLE
    try:
        d["k1"] = x
        d["other"]
    except KeyError:
        pass
    return d["k1"]


CHANGED: list[Any] = [
    *(bound, in_a_display, in_a_list_of_any_length, in_a_comprehension, in_a_dict),
    *(in_a_tuple, in_an_object, stored_into_a_list, beside_one_of_its_own),
    *(one_of_two_for_the_run, in_a_while_loop, run_over, longer, held_in_its_items),
    *(under_a_key, picked, a_tuple_of_it, a_dict, a_long_dict, a_new_key),
    *(arrays_in_a_dict, an_object_in_a_list, of_the_class, returned),
    *(from_a_generator, a_default, a_default_of_objects, a_default_of_a_recursion),
    *(passed_to_a_recursion, caught),
]


def _data() -> str:
    held: Any = [ROW, ROWS, LONG, ENTRY, TABLE, LISTS, ARRAYS, PAIR, Part.row]
    defaults = [of_a_default.__defaults__, down.__defaults__, Part(0.0).items]
    return repr([held, [vars(part) for part in PARTS], defaults])


BEFORE = _data()


@pytest.mark.parametrize("function", CHANGED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("optimise", [True, {"scalar_replacement": False}])
def test_one_that_is_changed_is_refused(
    function: Callable[..., float], optimise: Any
) -> None:
    with pytest.raises((UnsupportedError, ValueError)):
        value_and_grad(function, optimise=optimise)(1.3, 3)
    assert _data() == BEFORE


def given_what_the_module_holds(parts):
    held = PARTS
    for part in parts:
        part.v = part.v * held[1].v
    return parts[0].v + parts[2].v


def test_what_is_given_may_be_of_the_module() -> None:
    with pytest.raises(UnsupportedError, match="pass the object in"):
        value_and_grad(given_what_the_module_holds)(PARTS)
    assert _data() == BEFORE


def read_beside_its_own(x, n):
    row = LONG
    rows = {}
    for k in range(n):
        rows[k] = row[k] * x
    return sum(rows.values())


def read_from_a_list(x, n):
    rows = []
    for _ in range(n):
        rows.append(ROW)
    return rows[0][0] * x + rows[1][1] * x * x


def read_from_an_object(x, n):
    part = Part(x, LONG)
    parts = [part, Part(x * x)]
    return parts[n - 3].v * parts[0].items[1] + parts[n - 2].items[0]


def copies_changed(x, n):
    rows = []
    for _ in range(n):
        rows.append(list(ROW))
    for row in rows:
        row[0] *= x
    return sum(map(sum, rows)) + ROW[1]


@pytest.mark.parametrize(
    "function",
    [read_beside_its_own, read_from_a_list, read_from_an_object, copies_changed],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("optimise", [True, {"scalar_replacement": False}])
def test_one_that_is_read_has_the_right_derivative(
    function: Callable[..., float], optimise: Any
) -> None:
    x, h = 1.3, 1e-6
    value, slope = value_and_grad(function, optimise=optimise)(x, 3)
    assert value == pytest.approx(function(x, 3))
    difference = (function(x + h, 3) - function(x - h, 3)) / (2 * h)
    assert slope == pytest.approx(difference, rel=1e-6)
    assert _data() == BEFORE


GROWING = [0.5, 0.25]


def of_what_grows(x, n):
    rows = []
    for _ in range(n):
        rows.append(GROWING)
    rows.append([x, x])
    return sum(map(sum, rows))


def test_what_was_found_out_holds_for_other_data() -> None:
    kept = {"scalar_replacement": False}
    assert grad(of_what_grows, optimise=kept)(1.3, 3) == 2.0
    held = copy.copy(GROWING)
    try:
        GROWING[:] = [2, 3]
        assert value_and_grad(of_what_grows, optimise=kept)(1.3, 3) == (17.6, 2.0)
    finally:
        GROWING[:] = held
