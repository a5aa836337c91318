"""Sums that start as 0, and may end so: what is made of them may be of ints when the
program runs, their adjoints are of floats."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, jvp


def counted(x, n):
    total = 0
    for _ in range(n):
        total = total + x
    return total


def summed(x, n):
    return sum([x for _ in range(n)])


SUMS = {"counted": counted, "summed": summed}
MAKERS = {
    "array": lambda s, x: np.array([s, s]),
    "full": lambda s, x: np.full(2, s),
    "stacked": lambda s, x: np.stack([s, s]),
    "summed up": lambda s, x: np.cumsum(np.array([s, s])),
    "copied": lambda s, x: np.array([s, s]).copy(),
    "of a list": lambda s, x: np.array([2 * s for _ in range(2)]),
    "joined": lambda s, x: np.array([s] + [s]),
    "as floats": lambda s, x: np.array([s, s], dtype=float),
}
USES = {
    "all, then one": lambda a, x: (np.sum(a * x) + 0.3) * (a[0] + 0.5),
    "a part, then one": lambda a, x: (np.sum(a[1:] * x) + 0.3) * (a[0] + 0.5),
    "one, then all": lambda a, x: (a[1] * x + 0.3) * np.sum(a + 0.5),
    "in a loop": lambda a, x: sum([(np.sum(a * x) + 0.4) * a[i] for i in range(2)]),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", SUMS)
def test_adjoints_are_floats(name, make, use, optimise):
    add_up, made, used = SUMS[name], MAKERS[make], USES[use]

    def program(x, n):
        return used(made(add_up(x, n), x), x) + 0.3 * x

    for n in (0, 2):
        slope = (program(0.7 + 1e-6, n) - program(0.7 - 1e-6, n)) / 2e-6
        assert grad(program, optimise=optimise)(0.7, n) == pytest.approx(slope)
        _, tangent = jvp(program, (0.7, n), (1.0, None))
        assert tangent == pytest.approx(slope)


def test_a_list_of_sums_of_nothing():
    none = np.array([])

    def program(x, r):
        for _ in r:
            items = []
            for _ in range(2):
                items = [sum([f for _, f in zip((3,), x * none)]), *items]
                x = sum(items[1:])
        return 0.5 + sum(items)

    for optimise in (True, False):
        assert grad(program, optimise=optimise)(0.7, np.ones(2)) == 0.0


@pytest.mark.parametrize("make", [m for m in MAKERS if m != "as floats"])
def test_a_store_that_may_lose_its_fraction_is_refused(make):
    made = MAKERS[make]

    def program(x, n):
        a = made(counted(x, n), x)
        a[1] = x
        return np.sum(a * a)

    with pytest.raises(UnsupportedError, match="lose the fractions"):
        grad(program)(1.7, 0)


REARRANGED = {
    "rolled": lambda a: np.roll(a, 1),
    "moved": lambda a: np.swapaxes(np.stack([a, a]), 0, 1)[0],
    "padded": lambda a: np.pad(a, 1),
    "taken": lambda a: np.take(a, np.array([1, 0])),
}


@pytest.mark.parametrize("name", REARRANGED)
def test_what_moves_whole_numbers_gives_whole_numbers(name):
    moved = REARRANGED[name]

    def program(x, n):
        s = counted(x, n)
        a = moved(np.array([s, s]))
        a[0] = 0.5 * x
        return a[0]

    with pytest.raises(UnsupportedError, match="lose the fractions"):
        grad(program)(1.4, 0)


def test_stores_into_floats_are_right():
    def program(x, n):
        a = np.array([counted(x, n), 0.0])
        a[1] = x
        b = np.array([counted(x, n), 1], dtype=float)
        b[1] = x
        c = np.zeros(2)
        c[1] = a[0]
        return np.sum(a * b) + np.sum(c * x)

    for n in (0, 2):
        slope = (program(1.7 + 1e-6, n) - program(1.7 - 1e-6, n)) / 2e-6
        assert grad(program)(1.7, n) == pytest.approx(slope)
