"""What checkpoints cost: memory follows the snapshots, and the steps that are run again
are as few as the binomial schedule allows."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest

from s2sad import checkpoint, differentiate, grad
from s2sad.ops.runtime import snapshots as schedule
from tests.codegen.test_snapshots import formula

SIZE = 20_000


def map_of_arrays(x, n, s):
    for _ in checkpoint(range(n), snapshots=s):
        x = 1.01 * np.sin(x)
    return np.sum(x)


def map_without_end(x, n, s):
    for t in checkpoint(itertools.count(), snapshots=s):
        if t >= n:
            break
        x = 1.01 * np.sin(x)
    return np.sum(x)


def map_in_place(x, n, s):
    x = x.copy()
    for t in checkpoint(range(n), snapshots=s):
        x[1:] = 1.01 * np.sin(x[:-1])
    return np.sum(x)


def map_in_blocks(x, n, s):
    for _ in range(n):
        with checkpoint():
            y = np.sin(x)
            z = np.cos(y) * y
            x = np.tanh(z) * np.sin(z)
    return np.sum(x)


def map_in_one_block(x, n, s):
    for _ in range(n):
        y = np.sin(x)
        z = np.cos(y) * y
        x = np.tanh(z) * np.sin(z)
    return np.sum(x)


def peak(function, n, s):
    """The most memory that a gradient takes, in arrays of the state's size."""
    x, gradient = np.linspace(0.1, 1.0, SIZE), grad(function)
    gradient(x, 2, s)
    tracemalloc.start()
    try:
        gradient(x, n, s)
        return tracemalloc.get_traced_memory()[1] / x.nbytes
    finally:
        tracemalloc.stop()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [map_of_arrays, map_without_end, map_in_place])
@pytest.mark.parametrize("s", [2, 10])
def test_memory_follows_the_snapshots(function, s):
    assert peak(function, 100, s) <= s + 8


def test_a_block_keeps_what_it_reads():
    assert peak(map_in_blocks, 20, 0) < 20 + 10 < peak(map_in_one_block, 20, 0)


@pytest.mark.parametrize(("n", "s"), [(1, 1), (7, 1), (50, 3), (1000, 10), (1000, 3)])
def test_steps_are_run_as_often_as_the_formula_says(n, s):
    found = grad(map_of_arrays).source_for(np.ones(2), n, s)
    steps = 0

    class Counting:
        def __getattr__(self, name):
            nonlocal steps
            steps += name == "sin"
            return getattr(np, name)

    names = {"np": Counting(), **vars(schedule)}
    exec(found, names)
    names["map_of_arrays_grad"](np.ones(2), n, s)
    # The reverse of a step needs no sine: these are the steps on the way to it, and the
    # last of the forward sweep, which gives the result.
    assert steps == formula(n, s) + 1


def test_steps_of_both_sweeps_share_no_memory_with_the_arguments():
    function = differentiate(map_in_place)
    x = np.linspace(0.1, 1.0, 5)
    _, pullback = function.vjp(x, 6, 2)
    expected = function.grad(x, 6, 2)
    x[:] = 7.0
    np.testing.assert_allclose(pullback(1.0)[0], expected)
