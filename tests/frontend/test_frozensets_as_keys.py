"""Frozensets made in the program as keys of dicts and members of sets."""

from __future__ import annotations

import pytest

from s2sad import UnsupportedError, grad, value_and_grad
from s2sad.testing import check_grads


def under_pairs(x, a):
    g = {}
    for i, v in enumerate(x):
        g[frozenset((i, i + 1))] = v * v
    return g[frozenset((1, 0))] * a


def of_three(x, a):
    g = {}
    g[frozenset((0, 1))] = a * x[0]
    g[frozenset("ab")] = a
    return g[frozenset((1, 0))] * g[frozenset("ba")]


def displayed(x, a):
    g = {frozenset((0, 1)): a * x[0], frozenset((1, 2)): x[1]}
    return sum(g.values()) * g[frozenset((2, 1))]


def in_a_tuple(x, a):
    g = {}
    for i, v in enumerate(x):
        g[i, frozenset((i, i + 1))] = v * a
    return g[0, frozenset((0, 1))] * a


def of_frozensets(x, a):
    g = {}
    for i, v in enumerate(x):
        g[frozenset([frozenset((i, 0)), frozenset()])] = v * a
    return g[frozenset([frozenset(), frozenset([0])])] * a


def members(x, a):
    seen, total = set(), 0.0
    for i, v in enumerate(x):
        total += v * a if frozenset((i, i + 1)) in seen else a
        seen.add(frozenset((i + 1, i + 2)))
    return total * a


def removed(x, a):
    g = {}
    for i, v in enumerate(x):
        if frozenset((i, i + 1)) not in g:
            g[frozenset((i, i + 1))] = v * a
    del g[frozenset((1, 0))]
    return a * g[frozenset((1, 2))] + len(g)


PROGRAMS = (under_pairs, of_three, displayed, in_a_tuple, of_frozensets, members)


@pytest.mark.parametrize("x", [[1.0, 2.0], [1.0 + k for k in range(12)]])
@pytest.mark.parametrize("program", [*PROGRAMS, removed], ids=lambda f: f.__name__)
def test_frozensets(program, x):
    for optimise in (True, False):
        derived = value_and_grad(program, wrt=(0, 1), optimise=optimise)
        assert derived(x, 1.3)[0] == pytest.approx(program(x, 1.3), rel=1e-12)
    check_grads(program, (x, 1.3), most=5)


def under_ranges(x, a):
    g = {}
    for i, v in enumerate(x):
        g[range(i)] = v
    return g[range(0)] * a


def range_displayed(x, a):
    return {range(2): a}[range(2)] * x[0]


@pytest.mark.parametrize("program", [under_ranges, range_displayed])
def test_ranges_are_no_keys(program):
    with pytest.raises(UnsupportedError, match="a range is a key of a dict") as refused:
        grad(program)([1.0, 2.0], 1.3)
    assert "Lazy" not in str(refused.value)


def absent_range(x, a):
    g = {1: a}
    return g.get(range(0), x) * a


def test_a_range_that_is_no_key():
    check_grads(absent_range, (2.0, 1.3))
