"""Infinite cotangents and values are seen where they go through memory: views of arrays
that are stored into, and what objects hold that functions change."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad

KEPT = {"inlining": False}
OPTIONS = [KEPT, {**KEPT, "preaccumulation": False}, None, False]


def squared_at_first(x: float, y: float) -> float:
    """By y its partial derivative is zero by structure, at first."""
    if x <= 0.5:
        return x * x
    return x * y


class Holder:
    def __init__(self, values):
        self.values = values


class Node:
    def __init__(self, value, *children):
        self.value, self.children = value, list(children)
        self.values = np.ones(2)


def fill(row, x, y):
    row[:] = squared_at_first(x, y)


def first_row(rows):
    return rows[0]


def root_behind_a_row(x, y):
    rows = np.ones((2, 3))
    row = rows[0]
    row[1] = squared_at_first(x, y)
    return np.sqrt(rows).sum() + y


def root_behind_a_transpose(x, y):
    values = np.ones(4)
    values.reshape(2, 2).T[0, 1] = squared_at_first(x, y)
    return np.sqrt(values).sum() + y


def root_behind_a_row_that_a_function_gives(x, y):
    rows = np.ones((2, 2))
    first_row(rows)[0] = squared_at_first(x, y)
    return np.sqrt(rows).sum() + y


def root_behind_a_row_that_a_function_fills(x, y):
    rows = np.ones((2, 2))
    fill(rows[0], x, y)
    return np.sqrt(rows).sum() + y


def root_behind_rows_in_a_list(x, y):
    rows = np.ones((2, 2))
    parts = [rows[0], rows[1]]
    parts[0][:] = squared_at_first(x, y)
    return np.sqrt(rows).sum() + y


def root_behind_an_attribute(x, y):
    values = np.zeros(2)
    holder = Holder(values)
    holder.values += squared_at_first(x, y)
    return np.sqrt(values).sum() + y


def set_values(node, x, y):
    node.value = squared_at_first(x, y)
    for child in node.children:
        set_values(child, x, y)


def store_values(node, x, y):
    node.values[0] = squared_at_first(x, y)
    for child in node.children:
        store_values(child, x, y)


def total(node):
    found = node.value
    for child in node.children:
        found += total(child)
    return found


def roots(node):
    found = math.sqrt(node.value)
    for child in node.children:
        found += roots(child)
    return found


def roots_of_arrays(node):
    found = float(np.sqrt(node.values).sum())
    for child in node.children:
        found += roots_of_arrays(child)
    return found


def tree():
    return Node(1.0, Node(2.0), Node(3.0))


def root_of_a_total(x, y, node):
    set_values(node, x, y)
    return math.sqrt(total(node)) + y


def roots_in_a_function(x, y, node):
    set_values(node, x, y)
    return roots(node) + y


def roots_of_arrays_in_a_function(x, y, node):
    store_values(node, x, y)
    return roots_of_arrays(node) + y


@pytest.mark.parametrize("optimise", OPTIONS, ids=str)
@pytest.mark.parametrize(
    "program",
    [root_of_a_total, roots_in_a_function, roots_of_arrays_in_a_function],
    ids=lambda program: program.__name__,
)
def test_infinite_cotangents_are_seen_through_objects(program, optimise):
    with np.errstate(divide="ignore", invalid="ignore"):
        _, by_y = grad(program, ("x", "y"), optimise=optimise)(0.0, 0.7, tree())
    assert by_y == 1.0


@pytest.mark.parametrize("optimise", OPTIONS, ids=str)
@pytest.mark.parametrize(
    "program",
    [
        root_behind_a_row,
        root_behind_a_transpose,
        root_behind_a_row_that_a_function_gives,
        root_behind_a_row_that_a_function_fills,
        root_behind_rows_in_a_list,
        root_behind_an_attribute,
    ],
    ids=lambda program: program.__name__,
)
def test_infinite_cotangents_are_seen_through_views(program, optimise):
    with np.errstate(divide="ignore", invalid="ignore"):
        assert grad(program, "y", optimise=optimise)(0.0, 0.7) == 1.0
        assert grad(program, ("x", "y"), optimise=optimise)(0.0, 0.7)[1] == 1.0


def positive_products(values, x):
    return np.where(x > 0, values * x, 0.0).sum()


def of_a_log_in_a_row(x):
    rows = np.ones((2, 2))
    row = rows[0]
    row[0] = np.log(0.0 * len(rows))
    return positive_products(rows, x)


@pytest.mark.parametrize("optimise", OPTIONS, ids=str)
def test_infinite_values_are_seen_through_views(optimise):
    with np.errstate(divide="ignore", invalid="ignore"):
        assert grad(of_a_log_in_a_row, optimise=optimise)(-1.0) == 0.0


def set_logs(node, c):
    node.value = float(np.log(c))
    for child in node.children:
        set_logs(child, c)


def store_logs(node, c):
    node.values[0] = float(np.log(c))
    for child in node.children:
        store_logs(child, c)


def positive_products_below(node, x):
    found = float(positive_products(node.value, x))
    for child in node.children:
        found += positive_products_below(child, x)
    return found


def of_logs_in_objects(x, c, node):
    set_logs(node, c)
    return positive_products_below(node, x)


def of_logs_in_one_object(x, c, node):
    set_logs(node, c)
    return np.where(x > 0, node.value * x, 0.0)


def of_logs_in_an_array(x, c, node):
    store_logs(node, c)
    return np.where(x > 0, node.values * x, 0.0).sum()


def changed_and_read(x, c, node):
    return of_logs_in_objects(x, c, node) + of_logs_in_one_object(x, c, node)


def of_logs_in_functions(x, c, node):
    return 2.0 * changed_and_read(x, c, node)


@pytest.mark.parametrize("optimise", OPTIONS, ids=str)
@pytest.mark.parametrize(
    "program",
    [
        of_logs_in_objects,
        of_logs_in_one_object,
        of_logs_in_an_array,
        of_logs_in_functions,
    ],
    ids=lambda program: program.__name__,
)
def test_infinite_values_are_seen_through_objects(program, optimise):
    with np.errstate(divide="ignore", invalid="ignore"):
        assert grad(program, optimise=optimise)(-1.0, 0.0, tree()) == 0.0
