"""Lists and dicts of the module, of a class or of a default that stand in lists, dicts
and objects which the program makes: to change one through an item of those raises when
the derivative runs, and what else stands there may be changed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from s2sad import value_and_grad
from s2sad.errors import UnsupportedError
from s2sad.testing import check_grads

ROW = [0.5, 0.25]
ENTRY = {"a": 0.5}


class Part:
    row = [0.5, 0.25]

    def __init__(self, v: float, items: Any = []) -> None:  # noqa: B006
        self.v, self.items = v, items


def of_a_default(k: int, row: Any = [0.5, 0.25]) -> Any:  # noqa: B006
    return row


def listed(x, n):
    rows = [ROW for _ in range(n)]
    for r in rows:
        r[0] += x
    return rows[0][0]


def appended(x, n):
    rows = []
    for _ in range(n):
        rows.append(ROW)
    for r in rows:
        r.append(x)
    return sum(rows[0])


def dicts(x, n):
    rows = [ENTRY for _ in range(n)]
    for r in rows:
        r["a"] += x
    return rows[0]["a"]


def under_keys(x, n):
    d = {}
    for k in range(n):
        d[k] = ROW
    for k in d:
        d[k][0] += x
    return d[0][0]


def by_setdefault(x, n):
    d = {}
    for k in range(n):
        d.setdefault(k, ROW)[0] += x
    return d[0][0]


def in_tuples(x, n):
    rows = [(k, ROW) for k in range(n)]
    for _, r in rows:
        r[0] += x
    return rows[0][1][0]


def defaults(x, n):
    rows = [of_a_default(k) for k in range(n)]
    for r in rows:
        r[0] += x
    return rows[0][0]


def defaults_of_objects(x, n):
    parts = []
    for k in range(n):
        parts.append(Part(x))
        parts[k // 2].items.append(x)
    return sum(parts[0].items)


def of_the_class(x, n):
    rows = [Part.row for _ in range(n)]
    for r in rows:
        r[0] += x
    return rows[0][0]


CHANGED: list[Any] = [
    *(listed, appended, dicts, under_keys, by_setdefault, in_tuples),
    *(defaults, defaults_of_objects, of_the_class),
]


@pytest.mark.parametrize("function", CHANGED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("optimise", [True, False])
def test_one_that_is_changed_through_an_item_raises(
    function: Callable[..., float], optimise: bool
) -> None:
    with pytest.raises(ValueError, match="put a copy there"):
        value_and_grad(function, optimise=optimise)(1.3, 4)
    assert ROW == Part.row == of_a_default(0) == [0.5, 0.25]
    assert ENTRY == {"a": 0.5}
    assert Part(1.0).items == []


def beside_others(x, n):
    rows = []
    for _ in range(n):
        rows.append([x, x])
    rows.append(ROW)
    for k in range(n):
        rows[k][0] += x
    return sum(r[0] * x + r[1] for r in rows)


def copies(x, n):
    rows = []
    for _ in range(n):
        rows.append(ROW)
    for k in range(n):
        rows.append(list(rows[k]))
        rows.append(rows[k][:])
        rows.append(rows[k] + [x])
        rows.append(rows[k].copy())
        rows.append(copy.deepcopy(rows[k]))
    for k in range(n, 6 * n):
        rows[k][0] += x
        rows[k].append(x)
    return sum(sum(r) for r in rows)


def copied_dicts(x, n):
    d = {}
    for k in range(n):
        d[k] = ENTRY
    for k in range(n):
        d[k] = dict(d[k])
    for k in range(n):
        d[k]["a"] *= x
    return sum(v["a"] for v in d.values())


def others_in_their_place(x, n):
    rows = []
    for _ in range(n):
        rows.append(ROW)
    for k in range(n):
        rows[k] = [v + x for v in rows[k]]
    for k in range(n):
        rows[k][1] *= x
    return sum(sum(r) for r in rows)


@pytest.mark.parametrize(
    "function",
    [beside_others, copies, copied_dicts, others_in_their_place],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("optimise", [True, False])
def test_what_else_stands_there_is_changed(
    function: Callable[..., float], optimise: bool
) -> None:
    check_grads(function, (1.3, 3))
    value, slope = value_and_grad(function, optimise=optimise)(1.3, 3)
    h = 1e-6
    assert value == pytest.approx(function(1.3, 3))
    difference = (function(1.3 + h, 3) - function(1.3 - h, 3)) / (2 * h)
    assert slope == pytest.approx(difference, rel=1e-6)


def repeated(x, n):
    rows = [ROW] * n
    for r in rows:
        r[0] += x
    return rows[0][0]


@pytest.mark.parametrize("optimise", [True, {"scalar_replacement": False}])
def test_one_that_is_written_out_in_a_list_is_refused(optimise: Any) -> None:
    with pytest.raises(UnsupportedError, match="put a copy|pass the object in"):
        value_and_grad(repeated, optimise=optimise)(1.3, 4)
    assert ROW == [0.5, 0.25]
