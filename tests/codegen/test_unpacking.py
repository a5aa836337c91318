"""Tuples of which a text reads every item by a name are unpacked."""

from __future__ import annotations

import numpy as np

from s2sad import grad


def differences(x, pairs):
    total = 0.0
    for i, j in pairs:
        total += (x[i] - x[j]) ** 2
    return total


def first_items(x, pairs):
    total = 0.0
    for pair in pairs:
        total += x[pair[0]] ** 2
    return total


PAIRS = [(k, k + 1) for k in range(6)]
X = np.arange(7.0) ** 2


def test_a_pair_is_unpacked() -> None:
    derivative = grad(differences)
    steps = 2.0 * np.diff(X)
    expected = np.r_[0.0, steps] - np.r_[steps, 0.0]
    assert np.allclose(derivative(X, PAIRS), expected)
    assert "for i, j in reversed(pairs):" in derivative.source_for(X, PAIRS)


def test_one_item_is_read_by_its_place() -> None:
    derivative = grad(first_items)
    assert np.allclose(derivative(X, PAIRS), 2.0 * np.r_[X[:6], 0.0])
    assert "[0]" in derivative.source_for(X, PAIRS)
