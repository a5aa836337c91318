"""Arrays that are None at first are written into where a test says that they aren't."""

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from s2sad.testing import check_grads

M = np.array([[0.3, -0.5, 0.8], [1.1, 0.7, -0.4], [0.2, 1.3, 0.9], [-0.6, 0.45, 0.35]])


def sum_of_rows(m):
    s = None
    for r in m:
        s = r.copy() if s is None else s + r * r
    if s is None:
        s = m[0].copy()
    else:
        s += m[0]
    return np.sum(s * s)


def single_elements(m):
    best = None
    for r in m:
        if best is None:
            best = r.copy()
        else:
            for i in range(len(r)):
                if r[i] > best[i]:
                    best[i] = r[i] * best[0]
    return np.sum(best * best)


def velocity(m):
    velocity = None
    x = m[0].copy()
    for r in m:
        g = 2 * (x - r)
        if velocity is None:
            velocity = np.zeros_like(g)
        velocity *= 0.9
        velocity += g
        x -= 0.1 * velocity
    return np.sum(x * x)


def state_in_a_dict(m):
    state = {}
    x = m[0]
    for r in m:
        v = state.get("v")
        if v is None:
            v = np.zeros_like(x)
            state["v"] = v
        v *= 0.9
        v += r * x
        x = x - 0.1 * v
    return np.sum(x * x)


def sums_by_key(m):
    sums = {}
    for k, r in enumerate(m):
        if sums.get(k % 2) is None:
            sums[k % 2] = r.copy()
        else:
            sums[k % 2] += r * r
    return np.sum(sums[0] * sums[1])


def by_calls(m):
    s = None
    for r in m:
        if s is None:
            s = np.zeros(3)
            s.fill(r[0])
        np.add(s, r * r, out=s)
        np.copyto(s, s * r, where=s > 0.2)
        s[np.arange(2)] += r[:2]
        np.add.at(s, [0, 0, 1], r)
    return np.sum(s**3)


def told_by_its_class(m):
    s = None
    for r in m:
        if not isinstance(s, np.ndarray):
            s = r * 2
            first = s
        else:
            s /= 1 + r * r
    return first.sum() * s[0]


def views_of_it(m):
    s = None
    if m[0, 0] > 0:
        s = m.copy()
    turned = s.T
    turned += m.T[:, :1]
    turned[0] *= turned[1]
    flat = s.reshape(-1)
    flat[2] = flat[3] * 2
    row = s[1:]
    row *= 2
    return np.sum(s * m)


def two_names(m):
    p = q = None
    for r in m:
        if p is None:
            p = r.copy()
            q = p
        p += r * r
    q[0] *= 2
    return np.sum(p * q)


def two_names_one_later(m):
    a = b = None
    for r in m:
        if a is None:
            a = r.copy()
        elif b is None:
            b = a
            b += r
        else:
            a *= r
            b += a
    return np.sum(a * b)


def row_of_an_argument(m):
    s = None
    for r in m:
        if s is None:
            s = r
        s += r
    return np.sum(m * m) + s.sum()


def kept_in_a_list(m):
    s, rows = None, []
    for r in m:
        if s is None:
            s = np.zeros_like(r)
        s += r * r
        rows.append(s.copy())
        rows.append(s)
    return sum(np.sum(x * x) for x in rows)


def of_the_iteration_before(m):
    before, total = None, 0.0
    for r in m:
        now = r.copy()
        if before is not None:
            before += now * now
            total += np.sum(before)
            before[0] = 0.0
        before = now
    return total


def none_again(m):
    s = None
    for r in m:
        if s is None:
            s = r * 1
        elif r[0] > 1:
            s = None
        else:
            s *= r
            s -= 1
    return np.sum(m) if s is None else np.sum(s)


def exchanged(m):
    s = t = None
    for r in m:
        if s is None:
            s, t = r.copy(), np.ones_like(r)
        s, t = t, s
        s += r
        t *= r
    return np.sum(s * s * t)


def of_an_enclosing_function(m):
    s = None

    def add(r):
        nonlocal s
        if s is None:
            s = np.zeros_like(r)
        s += r * r

    for r in m:
        add(r)
    s -= s.mean()
    return np.sum(s * m[0])


def without_axes(m):
    p = None
    for r in m:
        if p is None:
            p = np.array(r[0])
        else:
            p += r[1] * p
    return p * p


def bound_where_it_raised(m):
    p = q = None
    for k in range(6):
        try:
            p = m[k] * 2
        except IndexError:
            pass
        if p is not None and q is None:
            q = p
        if q is not None:
            q += m[0]
    return np.sum(p * q)


def elements_read_alone(m):
    before, total = None, 0.0
    for r in m:
        if before is not None:
            total = total + before[0] * before[1] + before[1:].sum()
        before = r * 1
    return total


def element_read_behind_the_loop(m):
    now = largest = None
    for r in m:
        now = r.copy() if now is None else now * 0.5 + r
        if largest is None:
            largest = now.copy()
        np.maximum(largest, now, out=largest)
    return largest.sum() * now[0]


class Momentum:
    def __init__(self):
        self.v = None

    def step(self, x, g):
        if self.v is None:
            self.v = np.zeros_like(x)
        v = self.v
        v *= 0.9
        v += g
        return x - 0.1 * self.v


def attribute(m):
    momentum, x = Momentum(), m[0]
    for r in m:
        x = momentum.step(x, 2 * (x - r) * x)
    return np.sum(x * x)


PROGRAMS = [
    *(sum_of_rows, single_elements, velocity, state_in_a_dict, sums_by_key, by_calls),
    *(told_by_its_class, views_of_it, two_names, two_names_one_later),
    *(row_of_an_argument, kept_in_a_list, of_the_iteration_before, none_again),
    *(exchanged, of_an_enclosing_function, without_axes, bound_where_it_raised),
    *(elements_read_alone, element_read_behind_the_loop, attribute),
]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("program", PROGRAMS)
def test_first_and_second_derivatives(program):
    before = M.copy()
    value, found = value_and_grad(program)(M)
    np.testing.assert_array_equal(M, before)
    assert value == pytest.approx(program(M.copy()))
    np.testing.assert_allclose(found, grad(program, optimise=False)(M), rtol=1e-12)
    check_grads(lambda m: program(m * 1.0), (M,))


def written_into_none(m):
    s = None
    if m[0, 0] > 1:
        s = m[0].copy()
    s += m[1]
    s[0] = 0.0
    return np.sum(s)


def read_of_none(m):
    s = None
    if m[0, 0] > 1:
        s = m[0].copy()
    return s.sum()


@pytest.mark.parametrize(
    "program, error, words",
    [
        (written_into_none, TypeError, "NoneType"),
        (read_of_none, AttributeError, "'NoneType' object has no attribute 'sum'"),
    ],
)
def test_what_python_raises_for_none(program, error, words):
    for function in (program, grad(program)):
        with pytest.raises(error, match=words):
            function(M)
    np.testing.assert_allclose(grad(program)(M + 1)[0], [program is read_of_none, 1, 1])
