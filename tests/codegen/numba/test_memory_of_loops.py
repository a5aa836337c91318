"""Arrays of loops: what turns save are rows of one array, what they compute for
themselves has one buffer, and what doesn't change is read once."""

import numpy as np
import pytest

from s2sad import grad
from tests.codegen.numba.comparing import assert_same

pytest.importorskip("numba")


def chain(x, a, steps):
    """Products that each turn saves."""
    y = np.tanh(x)
    for _ in range(steps):
        z = a @ y
        y = np.tanh(z) * y
    return np.sum(y)


def rows_now_and_then(x, a):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1):
            if (i + j) % 2 == 0:
                y = np.exp(a * x[j])
                total += total * np.sum(y * y) * 0.01 + y[0]
    return total


def sums_by_turns(x, n):
    """Zeros that each turn fills again."""
    total = 1.0
    for i in range(n):
        kept = np.zeros(x.shape[0])
        for j in range(i % 3):
            kept[j] = x[j] * total
        total = total + np.sum(np.sin(kept))
    return total


def shrinking(x, steps):
    """No two turns have arrays of one length."""
    y = x
    for _ in range(steps):
        y = np.sin(y[1:]) * y[:-1]
    return np.sum(y)


def kept_in_a_list(x, n):
    """What lists hold needs memory of its own."""
    found = []
    for i in range(n):
        y = x * (i + 1.0)
        found.append(y)
    return np.sum(found[0] * found[n - 1] * found[n - 1])


def carried(x, n):
    """A turn reads what the one before it has made."""
    last = x
    total = 0.0
    for _ in range(n):
        new = np.sin(x) + 0.5 * last
        total += np.sum(new * last)
        last = new
    return total


X = np.linspace(0.2, 1.1, 5)
MATRIX = np.cos(np.arange(25.0)).reshape(5, 5)
CASES = (
    (chain, (X, MATRIX, 3), (0, 1)),
    (chain, (X, MATRIX, 0), (0, 1)),
    (rows_now_and_then, (MATRIX, X), (0, 1)),
    (sums_by_turns, (X, 6), 0),
    (shrinking, (X, 3), 0),
    (kept_in_a_list, (X, 3), 0),
    (carried, (X, 4), 0),
)


def text_of(function, arguments, wrt):
    return grad(function, wrt, backend="numba").source_for(*arguments)


@pytest.mark.long
def test_gradients_stay_what_they_are():
    for function, arguments, wrt in CASES:
        checked = grad(function, wrt, backend="numba", options={"boundscheck": True})
        found = checked(*arguments)
        assert_same(found, grad(function, wrt)(*arguments))
        assert_same(checked(*arguments), found)


def test_products_are_written_into_their_rows():
    text = text_of(*CASES[0])
    assert "np.dot(a, y, " in text
    body = text[text.index("for _ in range(steps):") :]
    assert ".append(z)" not in body and "np.empty(z.shape)" not in body


def test_zeros_are_filled_in_one_buffer():
    text = text_of(*CASES[3])
    assert text.index("kept_bar = np.empty(") < text.index("for i in range(n - 1")
    assert "kept = kept_saved[i]\n        kept[:] = 0.0" in text
    assert "np.zeros(" not in text and ".append(" not in text


def test_elements_that_stay_are_read_once():
    def normed(x):
        return np.sum((x / np.sum(x, axis=1, keepdims=True)) ** 2)

    text = text_of(normed, (MATRIX,), 0)
    assert "= sum_value[i, 0]\n        for j in" in text
    assert "x[i, j] / sum_value[i, 0]" not in text
    assert_same(grad(normed, backend="numba")(MATRIX), grad(normed)(MATRIX))


@pytest.mark.long
def test_sums_at_several_places_run_forwards():
    def stencil(x):
        total = 0.0
        for i in range(1, len(x) - 1):
            total += (x[i - 1] - 2.0 * x[i] * x[i + 1]) ** 2
        return total

    def carried_on(x):
        total = 0.0
        for i in range(1, len(x) - 1):
            total = total * x[i] + x[i - 1] * x[i + 1]
        return total

    def wraps(x):
        total = 0.0
        for i in range(len(x)):
            total += (x[i - 1] * x[i]) ** 2
        return total

    def own_order(x):
        y = np.zeros(len(x))
        for i in reversed(range(len(x) - 1)):
            y[i + 1] += x[i] * x[i]
            y[i] += x[i + 1]
        return np.sum(y * y)

    for function in (stencil, carried_on, wraps, own_order):
        checked = grad(function, backend="numba", options={"boundscheck": True})
        for x in (X, X[:1]):
            assert_same(checked(x), grad(function)(x))
    text = text_of(stencil, (X,), 0)
    ahead, here, behind = (
        text.index(f"x_bar[{i}] ") for i in ("total_2", "i", "difference")
    )
    assert "-1, 0, -1" not in text and ahead < here < behind
    assert ", -1)" in text_of(carried_on, (X,), 0)
