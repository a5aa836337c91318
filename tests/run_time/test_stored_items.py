"""Stores into lists and dicts that are given: sizes, names that lead to one, and what
is refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from s2sad import errors, grad, jvp
from tests.run_time.programs.stored_items import cells, rows, weights
from tests.support.finite_differences import (
    directional_difference,
    tree_dot,
    tree_random_like,
)


def drift(rows, steps):
    for _ in range(steps):
        for r in rows:
            r["v"] -= 0.01 * r["x"]
            r["x"] += 0.01 * r["v"]
    return sum(r["x"] ** 2 for r in rows)


@pytest.mark.parametrize("size", (0, 1, 5, 5000))
def test_one_derivative_serves_all_sizes(size):
    derivative = grad(drift)
    text = derivative.source_for(rows(9), 2)
    assert "for r_bar in reversed(rows_bar):" in text
    if size > 4:
        assert derivative.source_for(rows(size), 2) == text
    given = rows(size)
    before = copy.deepcopy(given)
    gradient = derivative(given, 2)
    assert len(gradient) == size and given == before
    if not size:
        return
    tangent = tree_random_like(np.random.default_rng(1), given)
    expected = directional_difference(
        lambda r: drift(copy.deepcopy(r), 2), (given,), (tangent,)
    )
    np.testing.assert_allclose(
        tree_dot(gradient, tangent), expected, rtol=1e-5, atol=1e-9
    )


TABLE = {"x": 1.0, "v": 2.0, "name": "p"}
NUMBERS = [1.0, 2.0, 3.0]


def first_row(first, rows):
    rows[0]["x"] = 2.0 * rows[0]["x"]
    return first["x"] * sum(r["x"] for r in rows)


def first_list(first, cells):
    cells[0].values[0] = 2.0 * cells[0].values[0]
    return first[0] * sum(c.values[0] for c in cells)


def table(other, rows):
    rows[0]["x"] = 2.0 * rows[0]["x"]
    return other * TABLE["x"] * sum(r["x"] for r in rows)


def numbers(other, cells):
    cells[0].values[0] = 2.0 * cells[0].values[0]
    return other * NUMBERS[0] * sum(c.values[0] for c in cells)


@pytest.mark.taken_apart
@pytest.mark.parametrize(
    ("function", "made", "first", "put"),
    [
        (first_row, rows, lambda given: given[0], None),
        (first_list, cells, lambda given: given[0].values, None),
        (table, rows, lambda given: 1.5, lambda given: given.append(TABLE)),
        (
            numbers,
            cells,
            lambda given: 1.5,
            lambda given: setattr(given[3], "values", NUMBERS),
        ),
    ],
    ids=["row", "list", "dict of the module", "list of the module"],
)
def test_what_has_a_name_of_its_own_is_refused(function, made, first, put):
    given = made(80)
    derivative = grad(function)
    assert derivative(copy.deepcopy(first(given)), given)
    if put is not None:
        put(given)
    with pytest.raises(ValueError, match="pass a copy"):
        derivative(first(given), given)


def both(left, right):
    for name in left:
        left[name] = 2.0 * left[name]
    return sum(a * b for a, b in zip(left.values(), right.values(), strict=True))


def test_a_dict_may_be_given_twice():
    w = weights(9)
    left, right = grad(both, wrt=("left", "right"))(w, w)
    assert left == right
    for name, value in w.items():
        np.testing.assert_allclose(left[name], 8.0 * value)


def test_products_with_the_hessian_go_through_items():
    given = rows(9)
    tangent = tree_random_like(np.random.default_rng(2), given)
    _, product = jvp(lambda r: grad(drift)(r, 3), (given,), (tangent,))
    expected = directional_difference(
        lambda r: grad(drift)(copy.deepcopy(r), 3), (given,), (tangent,)
    )
    got = [[r["x"], r["v"]] for r in product]
    np.testing.assert_allclose(got, [[r["x"], r["v"]] for r in expected], rtol=1e-5)


def new_key(tables):
    tables[1]["new"] = 2.0 * tables[1]["w0"]
    return sum(tables[1].values())


def deleted(tables):
    tables[1]["w1"] = tables[1].pop("w0") ** 2
    tables[1]["w0"] = tables[1]["w1"]
    return sum(tables[1].values())


def test_keys_that_come_and_go_leave_what_is_given_as_it_was():
    given = [weights(3) for _ in range(80)]
    w0 = given[1]["w0"]
    slopes = {new_key: [3.0, 1.0, 1.0], deleted: [4.0 * w0, 0.0, 1.0]}
    for function, expected in slopes.items():
        found = grad(function)(given)
        assert [list(t) for t in found] == [["w0", "w1", "w2"]] * 80
        assert list(given[1]) == ["w0", "w1", "w2"]
        np.testing.assert_allclose(list(found[1].values()), expected)


def compared(rows):
    total = 0.0
    for r in rows:
        r["x"] = 1.5 * r["x"]
        if r == rows[0]:
            total += r["x"]
    return total


def of_text(rows):
    for r in rows:
        r["name"] = "other" if r["x"] > 1.0 else r["name"]
    return sum(r["x"] ** 2 for r in rows if r["name"] == "other")


@pytest.mark.parametrize("size", [3, 80])
def test_a_text_is_stored(size):
    given = rows(size)
    gradient = grad(of_text)(given)
    expected = [2.0 * r["x"] if r["x"] > 1.0 else 0.0 for r in given]
    assert [r["x"] for r in gradient] == pytest.approx(expected)
    assert "other" not in {r["name"] for r in given}


def number_for_text(rows):
    for r in rows:
        r["name"] = 2.0 * r["x"]
    return sum(r["x"] for r in rows)


def text_for_number(rows):
    for r in rows:
        r["x"] = r["name"]
    return sum(r["v"] for r in rows)


@pytest.mark.parametrize(
    ("function", "made"),
    [
        (compared, rows),
        (number_for_text, rows),
        (text_for_number, rows),
    ],
    ids=lambda value: value.__name__,
)
def test_what_is_not_followed_is_refused(function, made):
    with pytest.raises(errors.UnsupportedError):
        grad(function)(made(80))
