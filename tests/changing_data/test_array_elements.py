"""Lists of views: only the run knows which part of which array an item is."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

import s2sad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a slice made before the list that holds its array": """
        def program(x, v, k):
            a = v * 2.0
            w = a[1:]
            rows = [a, v * x]
            for i in range(k % 3 + 1):
                rows[i % 2] *= w[0]
            return rows[0] * x
    """,
    "a slice of an argument that is put into a list": """
        def program(x, v, k):
            w = v[1:]
            rows = [2.0 * v for i in range(k % 3)]
            rows.append(v)
            for r in rows:
                r *= w[0]
            return rows[0] * x
    """,
    "a slice, and a list whose last item is its array": """
        def program(x, v, k):
            w = v[1:]
            rows = [v * e for e in v] + [v]
            for i in range(2):
                rows[-1] *= w[0]
            return rows[0] * x
    """,
    "a slice of one of several arrays, made before the list grows": """
        def program(x, v, k):
            a, b = v * 2.0, v * x
            rows = [a]
            w = a[1:] if k % 2 else b[:2]
            rows.append(b)
            for i in range(3):
                rows[i % 2] *= w[0]
            return rows[0] * np.sum(w)
    """,
    "a slice of what an earlier iteration put into a list": """
        def program(x, v, k):
            rows = []
            w = v[:1]
            for i in range(3):
                a = v * (x + i)
                rows.append(a)
                rows[i // 2][0] += w[0]
                w = a[1:]
                w *= 2.0
            return rows[k % 3] * w[0]
    """,
    "rows of an argument": """
        def program(x, y, v, m, r, k):
            history = list(m)
            history[1] += 0.5 * x
            return history[0] * np.sum(m**2)
    """,
    "a helper writes into a row": """
        def helper0(it, x):
            it[0] -= x

        def program(x, y, v, m, k):
            deck = helper0(it=list(m), x=0.5)
            return m * x
    """,
    "an array and another of the same name": """
        def program(x, v, m, k):
            rows = [v]
            acc6 = 0.5
            for j7 in range(3):
                acc6 = v * x
            rows[-1] += 0.5
            return acc6 * v
    """,
    "rows, and a view the wrong way round": """
        def program(x, v, m, r, k):
            rows = list(m)
            for e9 in rows[::1]:
                e9 *= x
            rows.append(v[::-1])
            rows[-1][1:] *= v[0]
            total = np.sum(m**3) + np.sum(v * v)
            return np.sum(rows[k % len(rows)] ** 2) + total
    """,
    "a list that grows with views of what it holds": """
        def program(x, y, v, k):
            rows = [np.array([e2 for e2 in v]), v]
            for e6 in rows:
                e6 *= 0.5
                if len(rows) < 7:
                    rows.extend([v[::1]])
            return 0.5 * np.sum(v**3)
    """,
    "repeated places of an item": """
        def program(x, v, m, k):
            rows = list(m)
            rows.append(v)
            i = np.array([0, 1, 0])
            rows[k % len(rows)][i] *= 1.5 * x
            rows[0][i] = v * x
            rows[1] += rows[0][i]
            np.add.at(rows[-1], i, v)
            total = np.sum(rows[-1][np.array([2, 2])])
            return np.sum(m * m) + np.sum(rows[k % 2] ** 3) * v[0] + total
    """,
    "repeated places of an item that nobody shares": """
        def program(x, v, k):
            rows = [v * x, v + x]
            i = np.array([0, 1, 0])
            rows[k % len(rows)][i] *= 1.5 * x
            rows[0][i] = v * x
            rows[1] += rows[0][i]
            np.add.at(rows[-1], i, v)
            total = np.sum(rows[-1][np.array([2, 2])])
            return np.sum(rows[k % 2] ** 3) * v[0] + total
    """,
    "transposes": """
        def program(x, v, m, k):
            rows = []
            rows.append(m.T)
            for i in range(2):
                rows.append(m.T * x)
            rows[k % 2][1:, 0] *= v[0]
            rows[0][1] += m[0, 0]
            rows[-1][:, ::-1][0] = x
            c = rows[k % len(rows)]
            c -= 0.5
            c.sort(axis=0)
            total = len(c) * c[0, 0] + rows[1].shape[0] * c[-1, k % 2]
            return np.sum(rows[0] ** 2) + np.sum(m**3) + total
    """,
    "views that overlap": """
        def program(x, v, m, k):
            rows = [v, m[0], v[1:]]
            for i, r in enumerate(rows):
                if i % 2:
                    rows[i - 1][0] += np.sum(r)
                r /= 2.0
            del rows[k % 3]
            rows.insert(1, v[::2])
            rows[1] *= x
            rows[0][rows[0] > 0.1] = x
            total = sum(np.sum(r * r) for r in rows)
            return np.sum(rows[0]) + total + np.sum(m) + np.sum(v**3)
    """,
    "rows of what is read again": """
        def program(x, m):
            m = m * x
            rows = []
            for k in range(len(m)):
                rows.append(m[k])
            rows[0][1] = x
            m[1] *= rows[0][0]
            return np.sum(m**2) + rows[1][0]
    """,
    "objects that hold the same array": """
        class Body:
            def __init__(self, h, w):
                self.h, self.w = h, w

            def step(self, x):
                self.w += self.h * x

        def program(x, v):
            team = [Body(h, v[::-1] if h > 0.3 else v) for h in v]
            for one in team:
                one.step(x)
            return np.sum(team[0].w ** 2) + np.sum(v**3)
    """,
    "in-place operators of a view in a list": """
        def program(x, m, k):
            rows = [m[:, 0], m[k % 2], m[-1, 1:]]
            for r in rows:
                r **= 2
                r -= x
            rows[k % 3][...] = rows[k % 3] * x
            rows[k % 3][0], rows[0][0] = rows[0][0], rows[k % 3][0]
            return np.sum(m**2) + sum(np.sum(r) for r in rows)
    """,
    "an index array that is written into between two reads": """
        def program(x, v, m, k):
            rows = list(m)
            r = rows[k % 2]
            idx = np.array([0, 1])
            a = r[idx] * x
            idx[0] = 2
            b = r[idx]
            rows[0][idx] *= 2.0
            idx += 0
            idx[1] = 0
            total = np.sum(rows[0][idx] ** 2) + np.sum(m)
            return np.sum(a * a) + np.sum(b**3) + total
    """,
    "a mask that is written into between two reads": """
        def program(x, v, m, k):
            rows = list(m)
            r = rows[k % 2]
            mask = r > -10.0
            a = r[mask] * x
            mask[1] = False
            b = r[mask]
            r[mask] = x
            return np.sum(a * a) + np.sum(b ** 3) + np.sum(m)
    """,
    "rows that change places, and parts of them": """
        def program(x, v, m, k):
            rows = [m[0], m[:, 0], m[1]]
            t = rows[k % 3]
            rows[0], rows[2] = rows[2], rows[0]
            t[0], t[1] = t[1], t[0] * x
            rows[0][:2] = rows[1][:2]
            w = t[::-1]
            w -= rows[2][:1]
            return np.sum(m ** 2) + np.sum(t * 2.0)
    """,
    "an array of the caller's that a loop replaces": """
        def program(x, v, m, k):
            rows = list(m)
            for i in range(3):
                rows[i % 2] = rows[(i + k) % 2] * x
                rows[k % 2][i % 2] += 1.0
            rows.sort(key=lambda r: r[0])
            return np.sum(rows[0] ** 2) * x + np.sum(m**3)
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=list(PROGRAMS))
def test_lists_of_views(text):
    assert_differentiated(textwrap.dedent(text), seeds=range(4))


def chosen(x, y, k):
    rows = [x]
    for _ in range(k):
        rows.append(y * 2.0)
    rows.append(y)
    rows[k % len(rows)] += 1.0
    return np.sum(y**2) + np.sum(rows[0] ** 3)


def rows_and_whole(m, v, k):
    rows = list(m)
    rows[k % 2] += 1.0
    return np.sum(rows[0] * v) + np.sum(m)


class Held:
    def __init__(self, w):
        self.w = w


def chosen_of_object(held, y, k):
    return chosen(held.w, y, k)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("function", "made"),
    [
        (chosen, lambda a: (a, a)),
        (chosen, lambda a: (a, a[:])),
        (rows_and_whole, lambda a: ((m := np.stack([a, a])), m[0])),
        (chosen_of_object, lambda a: (Held(a), a)),
    ],
)
def test_arguments_that_share_memory_are_refused(function, made):
    """Where arrays are told apart by places, too: an argument that is written into may
    be another one."""
    first, second = made(np.array([1.0, 2.0, 3.0]))
    gradient = s2sad.grad(function, wrt=(0, 1))
    with pytest.raises(ValueError, match="shares memory with"):
        gradient(first, second, 0)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_arrays_of_objects_have_places_too(k):
    """The gradient of an object's attribute follows from the places of its array."""
    first, second = np.array([1.0, -2.0, 3.0]), np.array([0.5, 0.3, -0.2])
    held, of_y = s2sad.grad(chosen_of_object, (0, 1))(Held(first), second, k)
    wanted = s2sad.grad(chosen, (0, 1))(first, second, k)
    np.testing.assert_array_equal(held.w, wanted[0])
    np.testing.assert_array_equal(of_y, wanted[1])
    exact = 3 * (first + (k == 0)) ** 2
    np.testing.assert_allclose(held.w, exact)
