"""What is said of values of several sorts: the line, the reason and what to write."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from s2sad.testing import check_grads


class Beam(NamedTuple):
    score: float
    path: tuple


class Pair(NamedTuple):
    x: float
    y: float


class Found(Exception):
    def __init__(self, value):
        super().__init__("found")
        self.value = value


def growing_paths(x, n):
    beams = [Beam(0.0, ())]
    for _ in range(n):
        new = [Beam(b.score + x * j, (*b.path, j)) for b in beams for j in (1, 2)]
        beams = sorted(new, key=lambda b: b.score)[:2]
    return beams[0].score


def paths_in_lists(x, n):
    scores, paths = [0.0], [[]]
    for _ in range(n):
        new = [(s + x * j, i, j) for i, s in enumerate(scores) for j in (1, 2)]
        best = sorted(new, key=lambda b: b[0])[:2]
        scores = [s for s, _, _ in best]
        paths = [paths[i] + [j] for _, i, j in best]
    return scores[0] * len(paths[0])


def computed_subscripts(x, n):
    return np.einsum("ijk"[n] + ",i->i", np.array([x]), np.array([x]))[0]


def numbers_of_exceptions(x, n):
    xs = []
    for k in range(n):
        try:
            if k % 2:
                raise Found(x * k)
            xs.append(x)
        except Found as found:
            xs.append(found.value)
    return sum(xs)


def sums_of_numbers_of_exceptions(x, n):
    total = 0.0
    for k in range(n):
        try:
            if k % 2:
                raise Found(x * k)
            total += x
        except Found as found:
            total += found.value * x
    return total


def numbers_beside_exceptions(x, n):
    xs = []
    for k in range(n):
        value = x * k
        try:
            if k % 2:
                raise Found(value)
            xs.append(x)
        except Found:
            xs.append(value)
    return sum(xs)


def growing_pair(x, n):
    t = Pair(x, 2.0 * x)
    for k in range(n):
        t = t + (x * k,)
    return t[0] * len(t)


def total(t):
    return sum(v * v for v in t)


def growing_pair_in_a_call(x, n):
    t = Pair(x, 2.0 * x)
    for k in range(n):
        t = t + (x * k,)
    return total(t)


@pytest.mark.parametrize(
    "function, line, message, advice",
    (
        (
            growing_paths,
            3,
            "an item of 'beams' holds a tuple of 0",
            "a list of its own",
        ),
        (computed_subscripts, 1, "the subscripts of np.einsum are a text", "write the"),
        (numbers_of_exceptions, 6, "such as parts of exceptions", "before the raise"),
        (sums_of_numbers_of_exceptions, 8, "an exception may hold", "before the raise"),
        (growing_pair, 3, "and a value that may be of several sorts", "on all paths"),
        (growing_pair_in_a_call, 3, "an operator on a tuple of 1", "on all paths"),
    ),
)
def test_refused(function, line, message, advice):
    first = function.__code__.co_firstlineno
    with pytest.raises(UnsupportedError, match=message) as caught:
        grad(function)(1.5, 2)
    assert f":{first + line}:" in str(caught.value)
    assert advice in str(caught.value)
    assert "may be an array" not in str(caught.value)


@pytest.mark.parametrize("function", (paths_in_lists, numbers_beside_exceptions))
def test_what_is_advised(function):
    check_grads(function, (1.5, 4))


class Model:
    def __init__(self, mu):
        self.mu = mu

    def scores(self, y):
        return y.nothing * self.mu

    def scores_on_a_path(self, y):
        if y > 1.0:
            return y.nothing * self.mu
        return self.mu

    def forward(self, scores):
        count, width = scores.shape
        steps = np.zeros((count, width))
        steps[0] = scores[0]
        for t in range(1, count):
            steps[t] = steps[t - 1] * scores[t]
        return np.sum(steps)


def in_one_call_and_read_in_another(x):
    model = Model(x)
    scores = model.scores(x)
    return model.forward(scores) + scores.mean()


def in_an_argument(x):
    model = Model(x)
    return model.forward(model.scores(x))


def on_one_path(x):
    model = Model(x)
    scores = model.scores_on_a_path(x)
    return scores + model.forward(scores)


def in_a_loop(x):
    model = Model(x)
    scores = model.scores(x)
    total = 0.0
    for k in range(3):
        total = total + scores[k] * scores.shape[0]
    return total * x


@pytest.mark.parametrize(
    "function",
    (in_one_call_and_read_in_another, in_an_argument, on_one_path, in_a_loop),
)
def test_what_follows_from_a_problem_is_left_out(function):
    with pytest.raises(UnsupportedError, match="nothing") as caught:
        grad(function)(1.5)
    assert len(caught.value.problems) == 1, str(caught.value)
