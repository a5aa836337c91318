"""Loops over what is reversed run backwards, and their reverse forwards."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import checkpoint, grad, hvp
from s2sad.testing import check_grads

XS = [1.0, 0.5, 0.7, 2.0, 0.3, 0.9, 1.1]


def over_items(xs, k):
    t = 0.0
    for x in reversed(xs):
        t = t * k + math.sin(x)
    return t


def in_place(xs, k):
    w = np.array(xs)
    for i in reversed(range(1, len(xs))):
        w[i - 1] += k * w[i] * w[i]
    return np.sum(w * w)


def by_twos(xs, k):
    t = k
    for i in reversed(range(0, len(xs), 2)):
        t = t * 0.5 + xs[i] * t * i
    return t


def reversed_twice(xs, k):
    t = k
    for i in reversed(range(len(xs) - 1, 1, -2)):
        t = t * 0.5 + xs[i] * t * i
    return t


def nested(xs, k):
    t = 0.0
    for i in reversed(range(len(xs))):
        for j in reversed(range(i)):
            t = t * 0.9 + xs[i] * xs[j] * k
            if j == 1:
                break
        else:
            t += xs[i]
    return t


def left_by_twos(xs, k):
    t = 0.1
    for i in reversed(range(1, len(xs), 2)):
        t = t * k + math.sin(xs[i]) * i
        if i == 3:
            break
    return t


def left_downwards(xs, k):
    t = 0.0
    for i in reversed(range(len(xs), 0, -2)):
        t = t * k + math.sin(xs[i - 1]) * i
        if i == 3:
            break
    return t


def returned(xs, k):
    for x in reversed(xs):
        if x * k > 0.8:
            return x * x * k
    return k


def rebound(xs, k):
    i, t = 0, 0.0
    for i in reversed(range(len(xs))):
        t = t + xs[i] * k * i
        i = i + 1
        t = t * i
    return t * i


def side_by_side(xs, k):
    t = sum(a * b for a, b in zip(reversed(xs), xs)) * k
    for i, x in enumerate(reversed(xs)):
        t += x * k**i
    return t


def snapshots(xs, k):
    t = 0.1
    for i in checkpoint(reversed(range(1, len(xs), 2)), snapshots=2):
        t = t * k + math.sin(xs[i]) * t * i
    for x in checkpoint(reversed(xs), snapshots=2):
        t = t * k + math.sin(x) * t
        if t > 1.0:
            break
    return t


PROGRAMS = [
    *(over_items, in_place, by_twos, reversed_twice, nested, left_by_twos),
    *(left_downwards, returned, rebound, side_by_side, snapshots),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("number", [2, 7])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program, number):
    if program is not snapshots or number > 4:  # few items are taken apart
        check_grads(program, (XS[:number], 0.7))
    v = np.array(XS[:number])
    check_grads(program, (v, 0.7))
    wanted = grad(program, (0, 1))(v, 0.7)
    for other in ({"optimise": False}, {"backend": "numba"}):
        if program is snapshots and "backend" in other:
            continue
        for a, b in zip(grad(program, (0, 1), **other)(v, 0.7), wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", PROGRAMS)
def test_second_derivatives(program):
    v, d, h = np.array(XS), np.linspace(0.1, 1.0, 7), 1e-5
    derived = grad(program, (0, 1))
    above, below = (derived(v + s * d, 0.7 + s * 0.3) for s in (h, -h))
    product = hvp(program, (0, 1))(v, 0.7, (d, 0.3))
    for found, a, b in zip(product, above, below, strict=True):
        np.testing.assert_allclose(found, (a - b) / (2 * h), rtol=1e-5, atol=1e-6)


def test_the_text():
    text = grad(over_items, (0, 1)).source_for(XS, 0.7)
    assert "for x in reversed(xs):" in text.partition("# for")[0]
    text = grad(in_place, (0, 1)).source_for(np.array(XS), 0.7)
    forward, _, backward = text.partition("# for")
    assert "for i in reversed(range(1, len(xs))):" in forward
    assert "for i in range(1, len(xs)):" in backward


def test_a_filled_array_is_made_at_once():
    def filled(xs):
        x = np.zeros(len(xs))
        for i in reversed(range(len(xs) - 1)):
            x[i] = xs[i] + x[i + 1] * x[i + 1]
        return np.sum(x)

    v = np.array(XS)
    assert "x_bar = np.full(x.shape, 1.0)" in grad(filled).source_for(v)
    check_grads(filled, (v,))


def falling(v, k):
    n = len(v)
    w = np.array(v)
    for i in range(n - 2, -1, -1):
        w[i] = w[i] * k + w[i + 1]
    t = k
    for i in range(n - 1, -1, -1):
        n = n - 1
        t = t * w[i] + n * k
        if i == 1:
            break
    last = n + 2
    n = 2
    for i in range(last - 1, -1, -1):
        t = t * w[i % 2] + n * k
        n = n + 1
    for i in checkpoint(range(len(w) - 1, -1, -1), snapshots=2):
        t = t * w[i] + i * k
    return t * n


@pytest.mark.parametrize("optimise", [None, False])
def test_falling_ranges(optimise):
    v = np.array(XS)
    check_grads(falling, (v, 0.7))
    found = grad(falling, (0, 1), optimise=optimise)(v, 0.7)
    wanted = grad(falling, (0, 1))(v, 0.7)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_the_text_of_falling_ranges():
    def squared(v, k):
        n = len(v)
        t = k
        for i in range(n - 1, -1, -1):
            t = t * v[i] + k
        return t

    text = grad(squared, (0, 1)).source_for(np.array(XS), 0.7)
    assert "for i in reversed(range(n)):" in text
    assert "for i in range(n):" in text
