"""Views that may be copies, and calls that write: variants of the cases."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from s2sad.testing import check_gradient
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "views of a rearranged view": """
        def program(x, m):
            a = m * x
            t = np.moveaxis(a[None], 0, -1)
            t[0, :, 0] *= a[1]
            s = np.swapaxes(a, 0, 1)[::-1]
            s[0] = x * s[1]
            np.rot90(a, -1)[0] += a[:, 0]
            np.rot90(a, 2)[1] *= x
            return np.sum(a**2) + np.sum(t) * s[2, 1]
        """,
    "transposed by a permutation": """
        def program(x, m):
            a = np.zeros((2, 2, 3))
            b = np.transpose(a, (2, 0, 1))
            b[0] = x * m[:, :2]
            b[1:, 0] = m.T[1:] * x
            a[1] *= m
            return np.sum(a**2) + np.sum(b[1, 0])
        """,
    "views under the empty index": """
        def program(x, m):
            a = m * x
            r = a[1:]
            r[()] = a[0] * 2.0
            p = a[0, ...]
            p[()] += x
            q = a.reshape(6)[1:][()]
            q *= x
            return np.sum(a**2 * m)
        """,
    "reshaped in a loop": """
        def program(x, m, k):
            a = m * x
            rows = a.reshape(3, 2)
            for i in range(3):
                rows[i] = rows[i] * x + a[0, i]
                a[1, 0] += np.sum(rows[0])
            return np.sum(a**2)
        """,
    "pieces at known places": """
        def program(x, m):
            a = m * x
            p, q, r = np.split(a, [1, 2], axis=1)
            q *= p
            r[0] = q[1] * x
            first, second = np.array_split(a.ravel(), 2)
            second -= first
            return np.sum(a**2) + np.sum(q)
        """,
    "pieces of unequal lengths": """
        def program(x, m):
            a = m * x
            one, two, three, four = np.array_split(a.reshape(-1), 4)
            two *= one
            four[:] = three * x
            return np.sum(a**2) + np.sum(one * four[0])
        """,
    "an index array in a row of a matrix": """
        def program(x, m):
            a = np.zeros((2, 2, 3))
            row = a[0]
            row[:, [0, 2]] = m[:, 1:] * x
            row[[1, 0], 1] = m[0, :2]
            return np.sum(a**2) + np.sum(row)
        """,
    "where= with operands that are spread": """
        def program(x, v, m):
            a = m * x
            np.multiply(v, x, out=a, where=m > 0.2)
            np.add(a, m[:, :1], out=a, where=v > 0.0)
            np.sqrt(np.abs(v), out=a[0], where=np.array([True, False, True]))
            return np.sum(a**2)
        """,
    "at, where places repeat": """
        def program(x, v, m):
            a = v * x + 2.0
            np.multiply.at(a, [0, 0, 2], v)
            np.divide.at(a, np.array([1, 1]), 2.0 + x * x)
            np.power.at(a, [0, 0], 2)
            b = m * x
            np.minimum.at(b, ([0, 0], [1, 1]), v[:2])
            np.negative.at(b, (0, [1, 1, 2]))
            np.multiply.at(b, (slice(None), 0), x)
            return np.sum(a) + np.sum(b**2)
        """,
    "flat of what lies by columns": """
        def program(x, v, m):
            a = (m * x).T
            a.flat[1] = x
            a.flat[-2] *= v[0]
            a.flat[::2] = v[:2]
            total = 0.0
            for i, e in enumerate(a.flat):
                total += e * e * (i + 1)
                a[2, 1] += x
            return total + np.sum(a**2)
        """,
    "parts of a sort": """
        def program(x, m):
            a = m * x
            b = a[0]
            b.sort()
            a.T.sort(axis=0)
            c = np.sin(m)
            c.partition(1, axis=1)
            return b[0] * a[1, 2] + np.sum(a[:, 1] ** 2) + np.sum(c[:, 1])
        """,
    "augmented with aliases": """
        def program(x, v, m):
            a = v * x + 3.0
            b = a[::-1]
            b **= 2
            a //= 0.5
            a += v * x
            b %= 1.7
            w = np.outer(v, v) + np.eye(3)
            rows = m * x
            first = rows[0]
            rows @= w
            return np.sum(a * v) + np.sum(b) * x + np.sum(first**2)
        """,
    "an array without axes under two names": """
        def program(x, y):
            a = np.array(x)
            b = a
            for i in range(3):
                b *= y
                a[()] += x * i
            return a * b + y
        """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=list(PROGRAMS))
def test_is_right(text):
    assert_differentiated(text, range(3))


def test_what_depends_on_the_layout_of_an_argument_is_checked():
    def flat(m):
        a = 2.0 * m
        b = a.ravel()
        b[0] = 0.0
        return np.sum(a * a)

    m = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(grad(flat)(m)[0], [0.0, 8.0, 16.0])
    with pytest.raises(ValueError, match="layout of 'm'"):
        grad(flat)(np.asfortranarray(m))


def test_an_array_that_is_not_written_into_may_have_any_layout():
    def flat(m, v):
        a = v * 1.0
        a[0] = 0.0
        return np.sum(m.ravel() ** 2) + np.sum(a)

    m = np.asfortranarray(np.ones((2, 3)))
    assert np.array_equal(grad(flat)(m, np.ones(2)), np.full((2, 3), 2.0))


def test_pieces_of_unequal_lengths_raise_as_in_numpy():
    def halves(v):
        a, b = np.split(1.0 * v, 2)
        a *= b
        return np.sum(a)

    with pytest.raises(ValueError, match="equal division"):
        grad(halves)(np.ones(3))


def written_read_only(m):
    a = 1.0 * m
    np.diagonal(a)[0] = 2.0
    return np.sum(a)


def of_unknown_layout(m):
    a = np.where(m.T > 0.5, m.T, m)
    b = a.reshape(9)
    b[0] = 2.0
    return np.sum(a)


def stored_one_by_one(m):
    a = 1.0 * m[0]
    b = a[::-1]
    np.place(a, a > 0.0, b)
    return np.sum(a)


def flat_into_itself(m):
    a = 1.0 * m[0]
    a.flat[1:] = a[:2]
    return np.sum(a)


@pytest.mark.parametrize(
    "function",
    [written_read_only, of_unknown_layout, stored_one_by_one, flat_into_itself],
)
def test_is_refused(function):
    with pytest.raises(UnsupportedError):
        grad(function)(np.ones((3, 3)))


def test_the_real_part_of_a_real_array_is_the_array():
    def f(x, v):
        a = v * x
        b = a.real
        b[1] = x**2
        a[0] *= b[1] + np.sum(a.imag)
        return np.sum(b**2)

    assert check_gradient(f, 0.7, np.array([0.5, 1.5, -0.3])).passed
