"""Lists that are somebody else's are copied once, in front of the loops that change
them; those that nobody else holds are extended where they are."""

from __future__ import annotations

import re

import pytest

from s2sad import grad, value_and_grad
from tests.run_time.programs.table import number
from tests.run_time.structures import assert_gradient


def taken(xs, t):
    total = 0.0
    while xs:
        x = xs.pop()
        total = t * total + x * x
    return total


def spread(xs, t):
    for k in range(1, len(xs)):
        xs[k] = xs[k] + t * xs[k - 1]
    return sum(x * x for x in xs)


def spread_on_a_path(xs, t):
    for _ in range(2):
        if t > 0.0:
            for k in range(1, len(xs)):
                xs[k] = xs[k] * t * xs[k - 1]
    return sum(x * x for x in xs)


def grown_in_turns(xs, t):
    total = 0.0
    for _ in range(3):
        ys = xs
        for x in xs:
            ys = [*ys, t * x]  # xs stays as it is
        total = t * total + sum(ys) * ys[-1]
    return total


def two_names(xs, t):
    ys = xs
    for k in range(len(xs)):
        ys[k] = ys[k] * t
        xs[-1] = xs[-1] + ys[k]
    return sum(x * y for x, y in zip(xs, ys))


def numbers(n):
    return [0.5 + number() for _ in range(n)]


PROGRAMS = (taken, spread, spread_on_a_path, grown_in_turns, two_names)


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("size", [5, 40])
def test_gradients_of_lists_that_are_copied_first(function, size):
    xs, t = numbers(size), 0.7
    value, found = value_and_grad(function, (0, 1))(xs.copy(), t)
    assert value == function(xs.copy(), t)
    assert_gradient(lambda xs, t: function(xs.copy(), t), (xs, t), found)


@pytest.mark.parametrize("function", [taken, spread, spread_on_a_path, two_names])
def test_no_turn_copies_a_list(function):
    text = grad(function).source_for(numbers(6), 0.7)
    first_loop = re.search(r"^ +(for|while|if) ", text, re.M)
    assert text.index("xs.copy()") < first_loop.start()
    assert text.count(".copy()") == 1


class Task:
    def __init__(self, cost, after):
        self.cost, self.after = cost, after


def tasks(n):
    made = []
    for k in range(n):
        made.append(Task(number(), made[max(0, k - 3) : k : 2]))
    return made[-1]


def deep_first(root, rate):
    total = 0.0
    stack = [root]
    while stack and total < 1e6:
        task = stack.pop()
        total = rate * total + task.cost**2
        stack.extend(task.after)
    return total


def wide_first(root, rate):
    total = 0.0
    queue = [root]
    while queue:
        task = queue.pop(0)
        total = rate * total + task.cost**2
        queue = queue + task.after
    return total


@pytest.mark.parametrize("function", [deep_first, wide_first])
def test_lists_are_extended_where_they_are(function):
    root = tasks(9)
    found = grad(function, (0, 1))(root, 0.8)
    assert_gradient(function, (root, 0.8), found)
    text = grad(function).source_for(root, 0.8)
    name = "stack" if function is deep_first else "queue"
    assert f"{name} += " in text and f"{name}_bar += " in text
    assert "enumerate" not in text


def test_what_is_kept_is_not_extended():
    def kept(root, rate):
        stacks, stack, total = [], [root], 0.0
        for _ in range(4):
            stack = stack + stack[-1].after
            stacks.append(stack)
        for k, stack in enumerate(stacks):
            for task in stack:
                total = rate * total + (k + 1) * task.cost**2
        return total

    root = tasks(9)
    assert_gradient(kept, (root, 0.8), grad(kept, (0, 1))(root, 0.8))


def test_an_item_is_taken_where_it_was_read():
    def taken(items, rate):
        left = [item * rate for item in items]
        place, total = 0, 0.0
        while place < len(left) - 2:
            item = left[place]
            place = place + 1
            del left[place]
            total += item * item * place
        return total + sum(left)

    items = [0.5 + 0.07 * k for k in range(9)]
    assert_gradient(taken, (items, 0.8), grad(taken, (0, 1))(items, 0.8))
