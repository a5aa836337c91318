"""Arrays without axes are written into under several names; numbers are bound anew."""

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, value_and_grad
from s2sad.testing import check_grads

X = np.array([0.3, 0.7, 1.4])


def read_before(x):
    p = np.array(x[0])
    w = p[()]
    p *= 2
    return w * p


def read_in_all_ways(x):
    p = np.array(x[0])
    w, v, u, t = p.item(), float(p), p[()], p.copy()
    p *= 2
    return w * v * u * t * p


def all_of_it(x):
    p = np.array(x[0])
    q = p[...]
    q += x[1]
    return float(p * q)


def made_of_another(x):
    p = np.full((), x[0])
    q = np.ones_like(p)
    q *= p
    p **= 2
    q[()] += p[()]
    return float(q * p)


def with_an_axis_more(x):
    p = np.array(x[0])
    q = p[None]
    q *= x[1]
    q[0] += 1
    r = np.expand_dims(p, 0)
    r += 2
    p[..., None] *= x[2]
    return p * q[0] * r[0]


def one_number_with_an_axis(x):
    p = np.array(x[0])
    p[...] = x[1:2]
    return p * x[2]


def by_masks(x):
    p, q = np.array(x[0]), np.array(x[1])
    p[p > 5] = x[1]
    q[q < 5] = x[2] * q
    return p * q


def by_masks_of_calls(x):
    p = np.array(x[0])
    np.copyto(p, x[1], where=p > 5)
    np.copyto(p, x[1] * p, where=p < 5)
    np.add(p, x[2], out=p, where=p > 5)
    return p * x[1]


def by_truth_values(x):
    p = np.array(x[0])
    p[True] = x[1]
    p[False] = x[2]
    return p * x[2]


def in_a_chain(x):
    p = np.array(x[0])
    a = p
    b = a
    b *= x[1]
    a += x[2]
    c = b[()]
    p *= c
    return a + b * p


def in_a_loop(x):
    p, y = np.array(0.0), np.zeros(3)
    for i in range(3):
        p += x[i]
        y[i] = p
        y[i] *= p[()]
    return np.sum(y * x) + p


def numbers(x):
    s = x.sum()
    t = s
    s += 1
    r = np.array(s)
    u = r
    r *= x[0]
    return s * t * u


PROGRAMS = [
    *(read_before, read_in_all_ways, all_of_it, made_of_another, with_an_axis_more),
    *(one_number_with_an_axis, by_masks, by_masks_of_calls, by_truth_values),
    *(in_a_chain, in_a_loop, numbers),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("program", PROGRAMS)
def test_first_and_second_derivatives(program):
    value, found = value_and_grad(program)(X)
    assert value == pytest.approx(program(X))
    np.testing.assert_allclose(found, grad(program, optimise=False)(X), rtol=1e-12)
    check_grads(program, (X,))


def written_argument(p):
    p += 1
    q = p[()]
    p *= q
    return p


def test_an_argument_without_axes():
    p = np.array(0.7)
    assert grad(lambda p: written_argument(p.copy()))(p) == pytest.approx(3.4)
    assert grad(written_argument)(p) == pytest.approx(3.4)
    assert p == 0.7


def axis_by_an_operator(x):
    p = np.array(x[0])
    p -= x[1:2]
    return p


def test_an_operator_with_an_axis_more_is_refused():
    with pytest.raises(ValueError, match="non-broadcastable"):
        axis_by_an_operator(X)
    with pytest.raises(UnsupportedError, match="changes it has some"):
        grad(axis_by_an_operator)(X)


def masked(x):
    p = np.array(x[0])
    return np.sum(p[p > 5]) + p


def masked_number(x):
    y = x[0]
    return np.sum(y[y > 5]) + y


@pytest.mark.parametrize("program", [masked, masked_number])
def test_what_a_mask_chooses_of_one_number_is_refused(program):
    with pytest.raises(UnsupportedError, match="np.where"):
        grad(program)(X)
