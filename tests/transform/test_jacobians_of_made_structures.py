"""Jacobians through calls that hand on lists, dicts and objects which they made:
adjoints that stand in these have no rows, so cotangents go one after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import grad, hessian, jacfwd, jacrev, vjp

X = np.array([0.5, 0.7, 1.1])


@dataclass
class Node:
    value: float
    children: list


def grown(t, n):
    if n == 0:
        return Node(t, [])
    return Node(math.sin(t), [grown(0.5 * t, n - 1), grown(t * t, n - 1)])


def values_of_nodes(x):
    root = grown(x[0] * x[1], 3)
    return np.array([root.value, root.children[0].value, root.children[1].value])


def total(node):
    s = node.value
    for child in node.children:
        s = s + total(child) * node.value
    return s


def totals(x):
    root = grown(x[0] * x[1], 3)
    return np.array([total(root), root.value * x[2], x[0] * x[1]])


def series(t, n):
    if n == 0:
        return [t], t
    rest, last = series(0.5 * t, n - 1)
    rest.append(math.sin(t) * last)
    return rest, last * rest[0]


def ends_of_series(x):
    values, last = series(x[0] * x[2], 3)
    return np.array([values[0] * last, values[2], 3.0])


def filled(x):
    values, last = series(x[0] * x[2], 3)
    out = np.zeros(4)
    for k in range(len(values)):
        out[k] = values[k] * last
    return out


def beside(x):
    values, last = series(x[0] * x[2], 3)
    found = x * last
    for value in values:
        found = found + value * value * last * x
    return found


def arrays(x, n):
    if n == 0:
        return [x], np.sum(x)
    rest, s = arrays(0.5 * x, n - 1)
    rest.append(np.sin(x) * s)
    return rest, s * np.sum(rest[0])


def sum_of_arrays(x):
    parts, s = arrays(x, 3)
    found = np.zeros_like(x)
    for part in parts:
        found = found + part * part * s
    return found


def inner_lists(x, n):
    if n == 0:
        return [[x, x * x]]
    rest = inner_lists(0.5 * x, n - 1)
    rest.append([np.sin(x) * rest[-1][0], x])
    return rest


def sum_of_inner_lists(x):
    found = np.zeros_like(x)
    for row in inner_lists(x, 3):
        for part in row:
            found = found + part * part
    return found


def in_dicts(t, n):
    if n == 0:
        return {"a": [t], "b": t}
    held = in_dicts(0.5 * t, n - 1)
    held["a"].append(math.sin(t) * held["b"])
    return {"a": held["a"], "b": held["b"] * t}


def ends_of_dicts(x):
    held = in_dicts(x[0] * x[2], 3)
    return np.array([held["b"], held["a"][0], held["a"][1]])


FUNCTIONS = [
    *(values_of_nodes, totals, ends_of_series, filled, beside),
    *(sum_of_arrays, sum_of_inner_lists, ends_of_dicts),
]
OPTIONS = [{}, {"inlining": False}, {"inlining": False, "scalar_replacement": False}]


@pytest.mark.parametrize("options", OPTIONS, ids=["", "calls", "calls and structures"])
@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_jacobians(function, jacobian, options):
    step = 1e-6
    columns = [
        (function(X + step * one) - function(X - step * one)) / (2.0 * step)
        for one in np.eye(3)
    ]
    found = jacobian(function, optimise=options)(X)
    np.testing.assert_allclose(found, np.stack(columns, -1), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_rows_are_pullbacks(function):
    value, pullback = vjp(function, X)
    found = jacrev(function)(X)
    for k, one in enumerate(np.eye(len(value))):
        np.testing.assert_allclose(found[k], pullback(one)[0], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_hessians(function):
    def squares(x):
        return np.sum(function(x) ** 2)

    slope, step = grad(squares), 1e-6
    rows = [(slope(X + step * e) - slope(X - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(hessian(squares)(X), rows, rtol=1e-5, atol=1e-7)
