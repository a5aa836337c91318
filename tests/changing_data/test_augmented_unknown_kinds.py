"""Augmented assignment to what may be a number or an array: only the run tells."""

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, hvp, jvp
from tests.support.finite_differences import central_difference_gradient


def scaled_in_a_loop(y, v):
    for _ in range(2):
        table = 0
        for _ in range(2):
            table = np.array([[0.5 * e * f for e in v] for f in v])
        y *= np.sum(table, axis=0)[0]
    return np.sum(y * y)


def shifted_until_large(y, v):
    while True:
        rows = 0
        for _ in range(2):
            rows = np.array([[e + f for e in v] for f in v])
        y += sum(e * e for e in np.sum(rows, axis=0))
        if np.sum(y) > 3.0:
            break
    return np.sum(y * v[0])


@pytest.mark.sampled(12)
@pytest.mark.parametrize("program", [scaled_in_a_loop, shifted_until_large])
@pytest.mark.parametrize(
    "y", [2.0, np.float64(2.0), np.array(2.0), np.array([2.0, 3.0])], ids=repr
)
def test_numbers_are_bound_anew_and_arrays_written_into(program, y):
    v = np.array([1.1, 0.7])
    before = np.array(y)

    def on_copies(y, v):
        return program(np.array(y) if isinstance(y, np.ndarray) else y, v)

    reference = central_difference_gradient(on_copies, [y, v], (0, 1))
    for own, other in zip(grad(program, (0, 1))(y, v), reference, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-6)
    np.testing.assert_array_equal(y, before)
    tangents = (np.ones_like(y) if np.ndim(y) else 1.0, np.array([0.3, -0.4]))
    _, pushed = jvp(program, (y, v), tangents)
    expected = sum(np.sum(g * t) for g, t in zip(reference, tangents, strict=True))
    np.testing.assert_allclose(pushed, expected, rtol=1e-6)
    step = 1e-5
    ahead, behind = (grad(program, 1)(y, v + s * tangents[1]) for s in (step, -step))
    np.testing.assert_allclose(
        hvp(program, 1)(y, v, tangents[1]), (ahead - behind) / (2 * step), rtol=1e-5
    )


class Pot:
    def __init__(self, held):
        self.held = held


def counted_in_a_list(x):
    held = [0.0, 0.0]
    for i in range(4):
        held[i % 2] += x * i
    return np.sum(held[0] * held[1])


def counted_in_a_dict(x):
    held = {}
    for i in range(4):
        held.setdefault("ab"[i % 2], 0.0)
        held["ab"[i % 2]] += x * i
    return np.sum(held["a"] * held["b"])


def counted_in_objects(x):
    pots = [Pot(1.0) for _ in range(3)]
    for i in range(6):
        pots[i % 3].held -= x * i
    return np.sum(pots[0].held * pots[1].held)


@pytest.mark.parametrize(
    "program", [counted_in_a_list, counted_in_a_dict, counted_in_objects]
)
def test_arrays_that_replace_numbers_in_slots_are_not_lost(program):
    """The sum was thrown away: an array that is written into stays in its slot, but a
    number is replaced."""
    with pytest.raises(UnsupportedError, match="of one sort|of one rank"):
        grad(program)(np.array([0.7, 0.9, 0.3]))
