"""What a program changes may stand in an argument that is kept, in a list of lists or
in data of its module: that is refused when the derivative runs."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import s2sad
from tests.support.finite_differences import (
    directional_difference,
    tree_dot,
    tree_leaves,
    tree_random_like,
)

TABLE = [1.0, 2.0]
RATES = {"a": 1.0}
LONG = [1.0 + k for k in range(100)]
ROWS = [{"x": [1.0 + k, 2.0], "of": "a"} for k in range(100)]


def item_of_dict(first, rows):
    first["x"] = first["x"] * 2.0
    return sum(r["x"] ** 2 for r in rows)


def item_of_list(first, rows):
    first[0] = first[0] * 2.0
    return sum(r[0] ** 2 for r in rows)


def item_of_list_in_rows(first, rows):
    rows[0][0] = rows[0][0] * 2.0
    return first[0] * sum(r[0] ** 2 for r in rows)


def list_in_record(first, rows):
    first[0] = 3.0 * first[0]
    return sum(r["x"][0] ** 2 for r in rows)


def appended(first, rows):
    first.append(1.0)
    return sum(len(r) * r[0] for r in rows)


def appended_in_pair(pair, rows):
    pair[0].append(1.0)
    return sum(len(r) * r[0] for r in rows)


def weights_of_layers(first, rows):
    first[0] = first[0] * 2.0
    return sum((r["w"][0] * 3.0).sum() for r in rows)


def of_dicts(n):
    return [{"x": 1.0 + k, "y": 2.0} for k in range(n)]


def of_lists(n):
    return [[1.0 + k, 2.0] for k in range(n)]


def of_records(n):
    return [{"x": [1.0 + k, 2.0], "of": "a"} for k in range(n)]


def of_layers(n):
    return [{"w": [np.ones(2) + k], "of": "a"} for k in range(n)]


CASES = [
    (item_of_dict, of_dicts, lambda rows: rows[0]),
    (item_of_list, of_lists, lambda rows: rows[0]),
    (item_of_list_in_rows, of_lists, lambda rows: rows[0]),
    (list_in_record, of_records, lambda rows: rows[0]["x"]),
    (appended, of_lists, lambda rows: rows[0]),
    (appended_in_pair, of_lists, lambda rows: (rows[0], 1.0)),
    (weights_of_layers, of_layers, lambda rows: rows[0]["w"]),
]


@pytest.mark.taken_apart
@pytest.mark.parametrize("n", [2, 6, 500])
@pytest.mark.parametrize(
    ("function", "made", "first"), CASES, ids=[c[0].__name__ for c in CASES]
)
def test_what_stands_in_rows_is_refused(function, made, first, n):
    rows = made(n)
    with pytest.raises(ValueError, match="and the function changes it: pass a cop"):
        s2sad.grad(function, wrt=1)(first(rows), rows)
    own = copy.deepcopy(first(rows))
    kept = copy.deepcopy((own, rows))
    gradient = s2sad.grad(function, wrt=1)(own, rows)
    np.testing.assert_equal((own, rows), kept)
    tangent = tree_random_like(np.random.default_rng(1), rows)
    expected = directional_difference(
        lambda r: function(copy.deepcopy(own), copy.deepcopy(r)), (rows,), (tangent,)
    )
    np.testing.assert_allclose(tree_dot(gradient, tangent), expected, rtol=1e-6)


def with_table(xs):
    xs[0] = 2.0 * xs[0]
    return TABLE[0] * xs[0]


def with_long_list(xs):
    xs[0] = 2.0 * xs[0]
    return LONG[0] * xs[0]


def with_rates(rates):
    rates["a"] = 2.0 * rates["a"]
    return RATES["a"] * rates["a"]


def with_rows(xs):
    xs[0] = 2.0 * xs[0]
    return sum(row["x"][0] for row in ROWS) * xs[0]


@pytest.mark.parametrize(
    ("function", "data"),
    [
        (with_table, TABLE),
        (with_long_list, LONG),
        (with_rates, RATES),
        (with_rows, ROWS[3]["x"]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_data_of_the_module_that_is_given_is_refused(function, data):
    gradient = s2sad.grad(function)
    with pytest.raises(ValueError, match="and the function changes it: pass a copy"):
        gradient(data)
    assert tree_leaves(gradient(copy.deepcopy(data)))[0] != 0.0
