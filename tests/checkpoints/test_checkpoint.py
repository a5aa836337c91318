"""``checkpoint`` outside of derivatives, and what is refused inside."""

from __future__ import annotations

import random

import numpy as np
import pytest

import s2sad
from s2sad import ArgumentError, UnsupportedError, checkpoint, grad, hvp

# ------------------------------------------------------------ outside of derivatives


def test_a_loop_runs_over_what_it_is_given():
    assert list(checkpoint(range(3), snapshots=2)) == [0, 1, 2]
    assert list(checkpoint((c for c in "ab"), snapshots=np.int64(1))) == ["a", "b"]


def test_a_function_is_called():
    assert checkpoint(max)(3, 4, key=lambda v: -v) == 3


def test_a_block_is_run():
    with checkpoint():
        ran = True
    assert ran


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((range(3),), {}, "how many snapshots"),
        ((range(3),), {"snapshots": 0}, "at least 1"),
        ((range(3),), {"snapshots": 2.0}, "whole number"),
        ((range(3),), {"snapshots": True}, "whole number"),
        ((max,), {"snapshots": 2}, "those of a loop"),
        ((), {"snapshots": 2}, "those of a loop"),
    ],
)
def test_wrong_arguments_are_refused(arguments, keywords, message):
    with pytest.raises(ArgumentError, match=message):
        checkpoint(*arguments, **keywords)


# ------------------------------------------------------------ refusals


def random_step(x, n):
    for _ in checkpoint(range(n), snapshots=2):
        x = x * random.random()
    return x


def random_array(x, n):
    for _ in checkpoint(range(n), snapshots=2):
        x = x * np.sum(np.random.rand(3))
    return x


def random_in_a_block(x, n):
    with checkpoint():
        y = x * x * random.random()
    return y * y


def written_out(x, n):
    for c in checkpoint((1.0, 2.0), snapshots=2):
        x = np.sin(c * x)
    return x


def without_snapshots(x, n):
    for _ in checkpoint(range(n)):
        x = np.sin(x)
    return x


def no_snapshots(x, n):
    for _ in checkpoint(range(n), snapshots=0):
        x = np.sin(x)
    return x


def half_a_snapshot(x, n):
    for _ in checkpoint(range(n), snapshots=0.5 * n):
        x = np.sin(x)
    return x


def in_a_comprehension(x, n):
    return sum(x * t for t in checkpoint(range(n), snapshots=2))


def of_a_number(x, n):
    return checkpoint(x)(n)


def named_block(x, n):
    with checkpoint() as block:
        y = x * x
    return y, block


@pytest.mark.taken_apart
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (random_step, "random is called under checkpoint"),
        (random_array, "rand is called under checkpoint"),
        (random_in_a_block, "random is called under checkpoint"),
        (written_out, "written out"),
        (without_snapshots, "its number of snapshots"),
        (no_snapshots, "0 snapshots"),
        (half_a_snapshot, "no whole number"),
        (in_a_comprehension, "made here, but not run"),
        (of_a_number, "takes a function"),
        (named_block, "checkpointed block"),
    ],
)
def test_refused(function, message):
    with pytest.raises(UnsupportedError, match=message) as refused:
        grad(function)(0.3, 4)
    assert "checkpoint" in str(refused.value) or "random" in str(refused.value)
    assert "instead: " in str(refused.value)


def test_a_number_of_snapshots_is_checked_in_the_run():
    def steps(x, n, s):
        for _ in checkpoint(range(n), snapshots=s):
            x = np.sin(x)
        return x

    with pytest.raises(ValueError, match="at least 1 snapshot"):
        grad(steps)(0.3, 4, 0)


def left_early(x, n):
    for _ in checkpoint(range(n), snapshots=2):
        x = np.sin(x) + 0.5 * x
        if x > 1.0:
            break
    return x


def gradient_of_left_early(x, n):
    return grad(left_early)(x, n) * x


def test_reverse_over_reverse_needs_a_known_length():
    with pytest.raises(UnsupportedError, match="unknown length"):
        grad(gradient_of_left_early)(0.3, 9)
    assert np.isfinite(hvp(left_early)(0.3, 9, 1.0))


# ------------------------------------------------------------ effects


def shown(x, n):
    for t in checkpoint(range(n), snapshots=2):
        print("step", t)
        x = np.sin(x)
    return x


def test_nothing_is_printed_twice(capsys):
    grad(shown)(0.3, 6)
    assert (
        capsys.readouterr().out.split()
        == "step 0 step 1 step 2 step 3 step 4 step 5".split()
    )


def test_what_draws_nothing_is_not_refused():
    """A loop without anything to reverse runs once."""

    def drawn(x, n):
        for _ in checkpoint(range(n), snapshots=2):
            y = random.random()
        return x * x + 0.0 * y

    assert grad(drawn)(0.3, 4) == 0.6


def test_by_the_name_of_the_module():
    def steps(x, n):
        for _ in s2sad.checkpoint(range(n), snapshots=2):
            x = np.sin(x)
        return x

    assert "x_snapshots" in grad(steps).source_for(0.3, 4)
