"""Arrays that have no value where the function was left before: what reads lengths."""

import numpy as np
import pytest

from s2sad import linearize, vjp
from tests.frontend.whole_programs import assert_differentiated
from tests.support.finite_differences import central_difference_gradient


def left_before_the_sum(x, v, k):
    squared = (v**2).reshape(3)
    if k % 2 == 0:
        return squared
    for _ in v:
        v *= 0.5
    return squared + sum((v for _ in range(k)), start=v) * x


@pytest.mark.parametrize("k", [1, 2])
def test_lengths_are_not_read_off_placeholders(k):
    """The sum's array is an empty placeholder where the function was left before."""
    v = np.array([0.4, -1.2, 2.0])
    weights = np.array([1.0, 2.0, 3.0])

    def weighed(x, v):
        return np.sum(left_before_the_sum(x, v.copy(), k) * weights)

    expected = [
        central_difference_gradient(weighed, [2.0, v], place) for place in (0, 1)
    ]
    _, pullback = vjp(left_before_the_sum, 2.0, v, k)
    for own, other in zip(pullback(weights)[:2], expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-6)
    _, tangent_of = linearize(lambda x, v: left_before_the_sum(x, v, k), 2.0, v)
    tangent = np.sum(tangent_of(1.0, weights) * weights)
    np.testing.assert_allclose(
        tangent, expected[0] + np.sum(expected[1] * weights), rtol=1e-6
    )


def test_adjoints_take_no_shape_from_those_of_placeholders():
    """Two arrays change names, of which one isn't made before the second time."""
    program = """
        from typing import NamedTuple

        class Pair(NamedTuple):
            s: float
            v: np.ndarray

        def program(x, y, v, m, k):
            c = 1
            while c < 3 and (x > -9.0 and y < 9.0):
                c += 1
                pair = Pair(
                    math.sqrt(1.0 + y**2),
                    sum(
                        (
                            sum((np.maximum(v, e)[[1, 1, 2]] for _ in m), start=v)
                            for e in m
                        ),
                        start=v,
                    ),
                )
                match pair:
                    case Pair(part, v=piece) if part > 1.5:
                        v, piece = (piece, v)
                        piece.partition(1)
                    case [part, piece]:
                        pass
            return x + np.sum(v[[0, 0, 2]]) ** 2 + np.sum(v * v) + np.sum(m * m)
    """
    assert_differentiated(program, range(6))
