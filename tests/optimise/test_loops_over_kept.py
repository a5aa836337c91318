"""Reverse loops run over what the forward sweep kept, wherever each turn kept one."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from s2sad import grad, hvp, value_and_grad, vjp
from s2sad.testing import check_grads
from tests.run_time.structures import Link, Node, assert_gradient, chain, tree
from tests.support.finite_differences import assert_trees_close

OFF = {"loops_over_kept": False}


def halved(x, y):
    total = 0.0
    while x > 0.1:
        total = y * total + math.sin(x)
        x = y * x * x
    return total


def left_early(x, y):
    total = 0.0
    for k in range(20):
        x = math.sin(x + y * k) * y
        if x < 0.0:
            break
        total = total * x + 1.0
    return total


def left_at_the_end_of_a_turn(x, y):
    for _ in range(9):
        x = x * math.tanh(x * y) + 0.3
        if x * y > 0.5:
            return x * y
    return x


def passed_over(x, y):
    total = 0.0
    for k in range(6):
        x = x * math.cos(y * x)
        if k % 2:
            continue
        y = y * x + 0.1
        total = total * y + x
    return total * y


def one_in_another(x, y):
    for _ in range(3):
        x = math.sin(x * y)
        for _ in range(2):
            y = y * math.cos(x * y) + 0.1
    return x * y


def caught(x, y):
    for k in range(3):
        x = x * math.exp(-x * y)
        try:
            y = y * x / (k - 1)
        except ZeroDivisionError:
            y = y * math.sin(x)
    return x * y


def on_a_path(x, y):
    if y > 0.5:
        for _ in range(3):
            x = math.sin(x * y) * x
    else:
        while x < 2.0:
            x = x * x + y
    return x * y


def of_arrays(x, y):
    a = np.array([x, y, x * y])
    for _ in range(3):
        y = y * math.sin(y)
        a = np.tanh(a * y) * a
    return np.sum(a)


def read_before(x, y):
    total = 0.0
    for _ in range(4):
        total += math.sin(x * y)
        x = x * math.exp(-x) + total
        y = y * x
    return total * x * y


def reached_as_often(x, y):
    """The second loop has another number of turns, and uses the same names."""
    for _ in range(2):
        x = x * math.sin(x * y)
    for _ in range(5):
        x = x * math.cos(x * y) + y
    return x


PROGRAMS = (
    *(halved, left_early, left_at_the_end_of_a_turn, passed_over, one_in_another),
    *(caught, on_a_path, of_arrays, read_before, reached_as_often),
)


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("arguments", [(0.9, 0.8), (0.6, 0.3)])
def test_they_find_the_same(function, arguments):
    value, found = value_and_grad(function, (0, 1))(*arguments)
    assert value == function(*arguments)
    plain = grad(function, (0, 1), optimise=OFF)
    assert_trees_close(found, plain(*arguments), rtol=1e-14)
    assert_trees_close(vjp(function, *arguments)[1](1.0), found, rtol=1e-14)
    twice = hvp(function)(*arguments, 1.0)
    assert_trees_close(twice, hvp(function, optimise=OFF)(*arguments, 1.0), rtol=1e-13)
    assert check_grads(function, arguments, wrt=(0, 1)).passed


@pytest.mark.parametrize("function", [halved, on_a_path])
def test_it_is_over_values(function):
    text, plain = (
        grad(function, (0, 1), optimise=o).source_for(0.9, 0.8) for o in (True, OFF)
    )
    assert " in reversed(" in text.replace("reversed(range(", "") or " in zip(" in text
    assert "_saved)" in text and "_saved)" not in plain


def test_nobody_counts():
    assert "iterations" not in grad(halved, (0, 1)).source_for(0.9, 0.8)
    assert "iterations" in grad(halved, (0, 1), optimise=OFF).source_for(0.9, 0.8)


def test_arrays_are_let_go():
    text = grad(of_arrays, (0, 1)).source_for(0.9, 0.8)
    assert "a_saved.pop()" in text and "for sin in reversed(sin_saved):" in text


def test_what_stands_in_another_loop_or_a_handler_is_popped():
    for function in (one_in_another, caught):
        text = grad(function, (0, 1)).source_for(0.9, 0.8)
        assert ".pop()" in text
    assert "reversed(" not in text.replace("reversed(range(", "")


def walked(link, rate):
    total = 0.0
    while link is not None:
        total = rate * total + link.weight * link.weight
        link = link.behind
    return total


def weighed(rows, rate):
    total = 0.0
    for a, b in rows:
        total = rate * total * total + 0.001 * a * b
    return total * rate


def summed(node: Node, rate: float) -> float:
    total = node.value * rate
    for kid in node.kids:
        total = math.sin(total + summed(kid, rate * 0.9))
    return total


OF_OBJECTS = {
    walked: (chain(7), chain(300)),
    weighed: tuple([(0.1 * k, 1.0) for k in range(n)] for n in (6, 60)),
    summed: (tree(2), tree(5)),
}


@pytest.mark.parametrize("function", OF_OBJECTS, ids=lambda f: f.__name__)
def test_one_text_for_all_sizes(function):
    texts = set()
    for value in OF_OBJECTS[function]:
        derivative = grad(function, (0, 1))
        found = derivative(value, 0.7)
        plain = grad(function, (0, 1), optimise=OFF)(value, 0.7)
        if function is not weighed:
            assert_gradient(function, (value, 0.7), found)
        assert np.isclose(found[1], plain[1], rtol=1e-12)
        texts.add(derivative.source_for(value, 0.7))
    (text,) = texts
    assert "reversed(range(" not in text and ".pop()" not in text
    assert "count" not in text and "iterations" not in text


def test_a_number_is_read_once():
    text = grad(walked).source_for(chain(7), 0.7)
    assert "link_bar.weight += 2 * total_bar * link.weight" in text


def test_long_chains_have_gradients():
    first = chain(50_000)
    assert sys.getrecursionlimit() < 50_000
    found = grad(walked)(first, 1.0)
    assert isinstance(found, Link) and found.weight == 2.0 * first.weight
