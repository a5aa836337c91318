"""The schedule of checkpointed loops: every step is reversed once, last first, from few
snapshots, and as few steps as possible are run again."""

from __future__ import annotations

import functools
import math

import pytest

from s2sad.ops.runtime.snapshots import (
    first_snapshots,
    snapshots_between,
    with_next_snapshot,
)


@functools.cache
def fewest(length: int, snapshots: int) -> float:
    """The fewest steps run to reverse so many, from a snapshot of the first: dynamic
    programming over where the next snapshot stands."""
    if length == 1:
        return 0
    if snapshots == 0:
        return math.inf
    return min(
        ahead + fewest(length - ahead, snapshots - 1) + fewest(ahead, snapshots)
        for ahead in range(1, length)
    )


def formula(length: int, snapshots: int) -> int:
    """t(l, s) = r l - beta(s + 1, r - 1) of Griewank and Walther."""
    repetitions = 0
    while math.comb(snapshots + repetitions, snapshots) < length:
        repetitions += 1
    beyond = math.comb(snapshots + repetitions, snapshots + 1) if repetitions else 0
    return repetitions * length - beyond


class Chain:
    """A loop whose state is the number of steps that it has done."""

    def __init__(self, steps: range, snapshots: int) -> None:
        self.steps, self.snapshots = steps, snapshots
        self.stack: list[int] = []
        self.kept: list[int] = []
        self.advances = 0
        self.most = 0
        """The most snapshots at a time, that of the last step left out."""

    def forward(self) -> None:
        self.kept = first_snapshots(self.steps, self.snapshots)
        for done, step in enumerate(self.steps):
            if step in self.kept:
                self.stack.append(done)
            self.advances += 1
        self.most = len(self.stack) - 1

    def forward_without_end(self) -> None:
        """As if the number of steps weren't known."""
        levels: dict[int, int] = {}
        for done, step in enumerate(self.steps):
            levels, place = with_next_snapshot(levels, step, self.snapshots)
            if place:
                del self.stack[place]
            self.stack.append(done)
            self.most = max(self.most, len(self.stack) - 1)
            self.advances += 1
        self.kept = list(levels)

    def reverse(self) -> list[int]:
        reversed_steps = []
        for step in reversed(self.steps):
            state = self.stack.pop()
            start = self.kept[-1]
            self.kept = snapshots_between(
                self.kept, step, self.snapshots, self.steps.step
            )
            for again in range(start, step, self.steps.step):
                if again in self.kept:
                    self.stack.append(state)
                assert self.steps[state] == again
                state += 1
                self.advances += 1
            assert self.steps[state] == step
            self.most = max(self.most, len(self.stack))
            reversed_steps.append(step)
        assert not self.stack and not self.kept
        return reversed_steps


@pytest.mark.parametrize("snapshots", range(1, 13))
def test_as_few_steps_as_possible_are_run_again(snapshots):
    for length in range(1, 61):
        chain = Chain(range(length), snapshots)
        chain.forward()
        assert chain.reverse() == list(reversed(range(length)))
        assert chain.most <= snapshots
        # The last step of the forward sweep gives the result of the loop.
        again = chain.advances - 1
        assert again == fewest(length, snapshots) == formula(length, snapshots)


@pytest.mark.parametrize(
    ("length", "snapshots"), [(1000, 10), (1000, 3), (5000, 10), (1000, 999)]
)
def test_long_loops_follow_the_formula(length, snapshots):
    chain = Chain(range(length), snapshots)
    chain.forward()
    chain.reverse()
    assert chain.most <= snapshots
    assert chain.advances - 1 == formula(length, snapshots)


def test_thousand_steps_with_ten_snapshots_cost_3_6_steps_each():
    assert formula(1000, 10) == 3636


@pytest.mark.parametrize("snapshots", range(1, 13))
def test_loops_of_unknown_length_are_reversed_from_few_snapshots(snapshots):
    for length in range(61):
        chain = Chain(range(length), snapshots)
        chain.forward_without_end()
        assert chain.reverse() == list(reversed(range(length)))
        assert chain.most <= snapshots
        if length:
            again = chain.advances - 1
            fewest_steps = formula(length, snapshots)
            assert fewest_steps <= again <= 1.5 * fewest_steps


@pytest.mark.parametrize("steps", [range(3, 40, 4), range(20, -1, -3), range(5, 5)])
@pytest.mark.parametrize("known", [True, False])
def test_numbers_of_any_range_are_followed(steps, known):
    chain = Chain(steps, 3)
    chain.forward() if known else chain.forward_without_end()
    assert chain.reverse() == list(reversed(steps))


@pytest.mark.parametrize("schedule", ["known", "unknown"])
def test_no_snapshots_are_refused(schedule):
    with pytest.raises(ValueError, match="at least 1 snapshot"):
        if schedule == "known":
            first_snapshots(range(3), 0)
        else:
            with_next_snapshot({}, 0, 0)
