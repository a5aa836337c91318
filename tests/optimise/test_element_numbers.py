"""Elements that only the reverse sweep reads become Python's numbers, where nothing can
tell the difference."""

from __future__ import annotations

import linecache
import math

import numpy as np
import pytest

from s2sad import grad


def both(function, *args, wrt=0):
    """The gradient with Python's numbers and with NumPy's, and the texts."""
    derived = [
        grad(function, wrt, optimise={"element_numbers": flag})
        for flag in (True, False)
    ]
    with np.errstate(all="ignore"):
        values = [d(*args) for d in derived]
    return values, [d.source_for(*args) for d in derived]


def settled(rate, lengths):
    total = 0.0
    for length in lengths:
        guess = rate
        for _ in range(4):
            guess = rate + 0.1 * math.sin(guess)
        total = total + guess * rate * length
    return total


def of_rows(rate, table):
    total = 0.0
    for i in range(2):
        for j in range(3):
            total = total + math.sin(rate) * rate * table[i, j]
    return total


def divided(rate, lengths):
    total = 0.0
    for length in lengths:
        guess = rate
        for _ in range(8):
            guess = rate + 0.1 * math.sin(guess) + guess * rate * guess
        total = total + (rate - 0.5) * guess * length
    return total / (rate - 0.5)


LENGTHS = np.array([0.5, 1.5, 2.5])
PROGRAMS = [
    (settled, (0.3, LENGTHS)),
    (of_rows, (0.3, np.arange(6.0).reshape(2, 3))),
    (divided, (0.3, LENGTHS)),
]


@pytest.mark.parametrize("function, args", PROGRAMS)
def test_gradients_are_equal(function, args):
    (on, off), (text, other) = both(function, *args)
    assert ".item(" in text and ".item(" not in other
    assert on == pytest.approx(off, rel=1e-13)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function, args", PROGRAMS)
def test_the_text_can_be_differentiated_again(function, args):
    _, texts = both(function, *args)
    found = []
    for text in texts:
        names = {"math": math, "np": np}
        exec("from s2sad.ops.runtime.scalars import quotient", names)
        code = compile(text, f"<{function.__name__} {len(found)}>", "exec")
        lines = text.splitlines(keepends=True)
        linecache.cache[code.co_filename] = (len(text), None, lines, code.co_filename)
        exec(code, names)
        found.append(grad(names[f"{function.__name__}_grad"])(*args))
    assert found[0] == pytest.approx(found[1], rel=1e-12)


def test_what_divides_by_zero_gives_what_numpy_gives():
    def function(rate, lengths):
        total = 0.0
        for length in lengths:
            total = total + math.sqrt(rate * length) * rate * rate * 3.0 * (rate + 1.0)
        return total

    lengths = np.array([0.0, 1.5])
    (on, off), _ = both(function, 0.5, lengths, wrt=(0, 1))
    np.testing.assert_array_equal(on[1], off[1])
    assert not np.isfinite(on[1][0])


def test_lines_of_the_function_keep_numpys_numbers():
    _, (text, _) = both(settled, 0.3, LENGTHS)
    forward, reverse = text.split("    # for length in lengths:", 1)
    assert "lengths.item(" not in forward and "lengths.item(" in reverse


def test_numbers_of_another_precision_stay():
    args = (0.3, LENGTHS.astype(np.float32))
    _, (text, other) = both(settled, *args)
    assert text == other


def test_where_all_else_is_numpys_nothing_changes():
    def function(rates, lengths):
        total = 0.0
        for k in range(len(lengths)):
            total = total + rates[k] * lengths[k]
        return total

    _, (text, other) = both(function, LENGTHS, LENGTHS, wrt=(0, 1))
    assert text == other


def remembered(p, n):
    known = {}

    def walk(k):
        if k < 2:
            return p * k
        if k not in known:
            first, second = walk(k - 1), walk(k - 2)
            known[k] = p * first + math.sqrt(p * second) / (first + 1.0)
        return known[k]

    return walk(n)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("p", [0.3, 2.5, 0.0])
def test_what_a_dict_remembers_is_a_number(p):
    for n in (1, 2, 6):
        (on, off), (text, other) = both(remembered, p, n)
        assert text == other
        np.testing.assert_allclose(on, off, rtol=1e-12)


def test_a_recursion_that_is_handed_numpys_numbers_keeps_them():
    def shortened(x, weights):
        known = [0.0 * x]

        def walk(scale, k):
            if k == 0:
                return scale
            known.append(scale * x)
            found = walk(scale * weights[k - 1], k - 1)
            return found * scale / known[-1] + known[k] * x

        return walk(weights[2], 3)

    on = grad(shortened, optimise={"element_numbers": True})(1.5, LENGTHS)
    off = grad(shortened, optimise={"element_numbers": False})(1.5, LENGTHS)
    assert on == pytest.approx(off, rel=1e-12)
