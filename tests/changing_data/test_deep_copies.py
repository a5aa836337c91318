"""What is one thing in what ``copy.deepcopy`` copies is one in the copy."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, value_and_grad
from s2sad.testing import check_grads
from s2sad.testing.structures import numbers_of


class Held:
    def __init__(self, v, w=None):
        self.v, self.w = v, w

    def clone(self):
        return copy.deepcopy(self)


@dataclass
class Pair:
    v: np.ndarray
    w: np.ndarray


# ------------------------------------------------------------------ arrays


def attributes(x, a):
    o = Held(np.array([a, 1.0]), np.zeros(2))
    o.w = o.v
    p = copy.deepcopy(o)
    p.w[0] *= x
    return p.v.sum() * o.w.sum()


def fields(x, a):
    v = np.array([a, 1.0])
    p = copy.deepcopy(Pair(v, v))
    p.w[0] *= x
    return p.v.sum()


def in_a_list(x, a):
    o = Held(np.array([a, 1.0]), np.zeros(2))
    o.w = [o.v, x]
    p = copy.deepcopy(o)
    p.w[0][0] *= x
    return p.v.sum() * p.w[1]


def two_objects(x, a):
    v = np.array([a, 1.0])
    p, r = copy.deepcopy((Held(v), Held(v)))
    p.v[0] *= x
    return r.v.sum()


def in_a_dict(x, a):
    d = {"v": np.array([a, 1.0])}
    d["w"] = d["v"]
    e = copy.deepcopy(d)
    e["w"][0] *= x
    return e["v"].sum() * d["w"].sum()


def by_asarray(x, a):
    v = np.array([a, 1.0])
    p = copy.deepcopy(Held(v, np.asarray(v)))
    p.w[0] *= x
    return p.v.sum() * p.w.sum()


def a_view(x, a):
    v = np.array([a, 1.0])
    p = copy.deepcopy(Held(v, v[:]))
    p.w[0] *= x
    return p.v.sum() * p.w.sum()


def a_copy(x, a):
    v = np.array([a, 1.0])
    p = copy.deepcopy(Held(v, v.copy()))
    p.w[0] *= x
    return p.v.sum() * p.w.sum()


def crossed(x, a):
    v = np.array([a, 1.0])
    w = v * x
    p, q = copy.deepcopy((Held(v, w), Held(w, v)))
    p.v[0] *= x
    q.v[1] *= a
    return q.w.sum() * p.w.sum() + v.sum() * w.sum()


def decided_by_the_run(x, a):
    o = Held(np.array([a, 1.0]), np.zeros(2))
    o.w = o.v if x > 1.5 else np.array([a, 2.0])
    o.w[1] *= a
    p = copy.deepcopy(o)
    p.w[0] *= x
    p.v[1] *= p.w[0]
    o.v[0] = a * a
    return p.v.sum() * o.w.sum()


def in_a_loop(x, a):
    o = Held(np.array([a, 1.0]), np.zeros(2))
    o.w = o.v
    for k in range(4):
        p = copy.deepcopy(o)
        p.v[0] *= x
        if k > 1:
            p.v = p.v * 2.0
        o = p
    return o.w.sum() * o.v[0]


def cloned(x, a):
    v = np.array([x, a]) * a
    m = Held(v, v)
    k = m.clone()
    k.v[0] = a
    return k.w.sum() * m.w.sum()


ARRAYS = (attributes, fields, in_a_list, two_objects, in_a_dict, by_asarray, a_view)
ARRAYS += (a_copy, crossed, decided_by_the_run, in_a_loop, cloned)


@pytest.mark.parametrize("x", [2.0, 1.2])
@pytest.mark.parametrize("program", ARRAYS, ids=lambda f: f.__name__)
def test_an_array_in_two_places_is_one_in_the_copy(program, x):
    agrees(program, x, 1.5)


def of_an_argument(v, a):
    p = copy.deepcopy(Held(v, v))
    p.w[0] *= a
    return p.v.sum() * v.sum()


def test_an_array_that_is_given():
    agrees(of_an_argument, np.array([1.0, 2.0]), 1.5)


def of_what_is_given(o):
    p = copy.deepcopy(o)
    p.w[0] *= 3.0
    return p.v.sum() * p.w.sum()


def test_arguments_that_are_one_array_are_told_when_it_runs():
    x = np.array([1.5, 2.0])
    agrees(of_what_is_given, Held(x, 2.0 * x))
    with pytest.raises(ValueError, match="'o.v' and 'o.w' are one array"):
        grad(of_what_is_given)(Held(x, x))


def copied_by_a_call(o, n):
    if n == 0:
        return o.w.sum()
    p = copy.deepcopy(o)
    p.v[0] *= 3.0
    return copied_by_a_call(p, n - 1) * o.v.sum()


def of_two(x, n):
    return copied_by_a_call(Held(2.0 * x, x), n)


def of_one(x, n):
    y = 2.0 * x
    return copied_by_a_call(Held(y, y), n)


def test_what_a_call_copies_must_be_two_arrays():
    agrees(of_two, np.array([1.5, 2.0]), 2)
    with pytest.raises(UnsupportedError, match="two arrays that may be one"):
        grad(of_one)(np.array([1.5, 2.0]), 2)


def only_bound_anew(x, n):
    y = 2.0 * x
    return bound_anew(Held(y, y), n)


def bound_anew(o, n):
    if n == 0:
        return o.w.sum()
    p = copy.deepcopy(o)
    p.v = 3.0 * p.v
    return bound_anew(p, n - 1) * o.v.sum()


def test_one_array_may_be_copied_by_a_call_that_writes_into_none():
    agrees(only_bound_anew, np.array([1.5, 2.0]), 2)


def agrees(program, *args):
    """The value; derivatives of first and second order in all modes; the gradient
    without optimisations is the one that was checked."""
    expected = program(*copy.deepcopy(args))
    gradients = []
    for optimise in (True, False):
        wrt = tuple(k for k, a in enumerate(args) if not isinstance(a, int))
        derived = value_and_grad(program, wrt=wrt, optimise=optimise)
        value, gradient = derived(*copy.deepcopy(args))
        assert np.isclose(value, expected, rtol=1e-12)
        gradients.append(numbers_of(gradient))
    for path, number in gradients[0].items():
        np.testing.assert_allclose(gradients[1][path], number, rtol=1e-12)
    check_grads(program, copy.deepcopy(args))
