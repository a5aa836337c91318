"""``ys[i:j] *= n`` and ``ys[i:j] += items`` of lists: the slice is a new list, which is
put where it stood."""

from __future__ import annotations

import pytest

from s2sad import value_and_grad
from s2sad.testing import check_grads


class Held:
    def __init__(self, v):
        self.v = v


def behind_a_deletion(x, a):
    ys = [a, x, 2.0]
    del ys[::2]
    ys[-1:] *= 2
    return sum(ys) * len(ys)


def of_many(x, a):
    ys = [a, x, 2.0] * 20
    del ys[::2]
    ys[-1:] *= 1
    ys[:3] *= 0
    return sum(ys) * len(ys)


def under_two_names(x, a):
    ys = [a, 2.0 * a]
    zs = ys
    ys[1:] += (x, a * a)
    ys[:1] *= 0
    return sum(y * (k + 1) for k, y in enumerate(zs))


def of_lists(x, a):
    rows = [[a, 1.0], [2.0, x], [a, a]]
    rows[1:] *= 2
    rows[1][0] *= a
    return sum(map(sum, rows))


def of_any_length(x, a):
    ys = [a * k for k in range(int(x))]
    for _ in range(int(x) + 2):
        ys.append(x)
    ys[::2] *= 1
    ys[1:3] += [a]
    return sum(ys) * len(ys)


def under_a_key(x, a):
    d = {"k": [a, x]}
    for _ in range(int(x)):
        d["k"][1:] *= 2
    return sum(d["k"]) * a


def of_an_iterator(x, a):
    o = Held([a])
    for k in range(int(x) + 1):
        o.v.append(a * k)
    o.v[1:] += map(lambda t: t * x, o.v[:2])
    return sum(o.v)


def where_it_is_decided(x, a):
    ys = [a, 2.0 * a, x]
    ys[x > 2.0 :] *= 2
    return sum(ys) * a


PROGRAMS = (behind_a_deletion, of_many, under_two_names, of_lists, of_any_length)
PROGRAMS += (under_a_key, of_an_iterator, where_it_is_decided)


@pytest.mark.parametrize("kept", ["", "scalar_replacement,unrolling"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_slices(program, kept, monkeypatch):
    monkeypatch.setenv("S2SAD_NO_OPT", kept)
    agrees(program, 2.5, 1.3)


def of_what_is_given(xs, a):
    for k, x in enumerate(xs):
        if x > 2.0:
            xs[k:] *= 1
    xs[:1] += [a]
    return sum(x * a for x in xs)


@pytest.mark.parametrize("count", [3, 12])
def test_a_list_that_is_given(count):
    agrees(of_what_is_given, [1.5 + k for k in range(count)], 1.3)


def agrees(program, *args):
    expected = program(*(a.copy() if isinstance(a, list) else a for a in args))
    for optimise in (True, False):
        derived = value_and_grad(program, wrt=(0, 1), optimise=optimise)
        assert derived(*args)[0] == pytest.approx(expected, rel=1e-12)
    check_grads(program, args, most=5)
