"""What is one thing in what ``copy.deepcopy`` copies is one in the copy."""

from __future__ import annotations

import copy
from collections import deque
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


# ------------------------------------------------------------------ values of the run

MODULE = [1.0, 2.0]


def grown(x, a):
    r = [a, 1.0]
    c = copy.deepcopy([r, r])
    for _ in range(int(x)):
        c.append([x, a])
    c[1][1] += a
    return c[0][1] * c[1][0] * r[0]


def repeated(x, a):
    c = copy.deepcopy([[a, 1.0]] * 2)
    for _ in range(int(x)):
        c.append([x, a])
    c[1][1] += a
    return c[0][1] * c[1][0]


def in_a_deque(x, a):
    r = [a, 1.0]
    c = copy.deepcopy(deque([r, r, [x, x]]))
    for _ in range(int(x)):
        c.append([x, a])
    c[1][0] *= a
    return c[0][0] * c[2][0] + r[0]


def nested(x, a):
    r = [a, 1.0]
    c = copy.deepcopy([[r, [x, a]], [r, r]])
    for _ in range(int(x)):
        c.append([[x, a], r])
    c[1][0][0] *= a
    return c[0][0][0] * c[1][1][0] * c[2][1][0]


def in_tuples(x, a):
    r = [a, 1.0]
    c = copy.deepcopy([(r, 1.0), (r, x)])
    for _ in range(int(x)):
        c.append(([x, a], a))
    c[1][0][0] *= a
    return c[0][0][0] * c[1][1]


def under_keys(x, a):
    r = [a, 1.0]
    c = copy.deepcopy({"p": r, "q": r})
    for k in range(int(x)):
        c[k] = [x, a]
    c["p"][0] *= a
    return c["q"][0] * r[0]


def dicts(x, a):
    r = {"u": a, "v": 1.0}
    c = copy.deepcopy([r, r])
    for _ in range(int(x)):
        c.append({"u": x, "v": a})
    c[1]["u"] *= a
    return c[0]["u"] * c[2]["v"]


def objects(x, a):
    r = Held(a, 1.0)
    c = copy.deepcopy([r, r])
    for _ in range(int(x)):
        c.append(Held(x, a))
    c[1].v *= a
    return c[0].v * c[2].v * r.v


def arrays_that_stay(x, a):
    r = np.array([a, 1.0])
    c = copy.deepcopy([r, r])
    for _ in range(int(x)):
        c.append(np.array([x, a]))
    c[1][0] *= a
    return c[0][0] * c[2][1] * r[0]


def arrays_in_objects(x, a):
    v = np.array([a, 1.0])
    r = Held(v, x)
    c, w = copy.deepcopy(([r, Held(v, a)], v))
    for _ in range(int(x)):
        c.append(Held(np.array([x, a]), x))
    w[0] *= a
    return c[0].v[0] * c[1].v[0] * c[2].v[1] * w[0]


def held_apart(x, a):
    r, s = [a, 1.0], [x, a]
    c = [r, s]
    for _ in range(int(x)):
        c.append([x, a])
    d, p = copy.deepcopy((c, Held(r, s)))
    d[0][0] *= a
    return p.v[0] * d[1][1] * r[0]


def decided_by_a_branch(x, a):
    r, s = [a, 1.0], [a * a, 2.0]
    d = copy.deepcopy([r, s, r if x > 1.5 else s])
    for _ in range(int(x)):
        d.append([x, a])
    d[2][0] *= x
    return d[0][0] * d[1][0] * r[0]


def not_shared(x, a):
    r, s = [a, 1.0], [1.0, 2.0]
    c = copy.deepcopy([r, s])
    for _ in range(int(x)):
        c.append([x, a])
    c[1][1] *= a
    return c[0][0] * c[1][1] * r[0] * s[1]


def of_the_module(x, a):
    c = copy.deepcopy([MODULE, MODULE])
    c[1][0] *= a
    return c[0][0] * x


def in_turns(x, a):
    r = [a, 1.0]
    c = [r, r]
    for _ in range(int(x)):
        c = copy.deepcopy(c)
        c.append([x, a])
        c[1][0] *= a
    return c[0][0] * c[-1][0] * r[0]


GROWING = (grown, repeated, in_a_deque, nested, in_tuples, under_keys, dicts, objects)
GROWING += (arrays_that_stay, arrays_in_objects, held_apart, decided_by_a_branch)
GROWING += (not_shared, of_the_module, in_turns)


@pytest.mark.parametrize("x", [2.0, 1.2])
@pytest.mark.parametrize("program", GROWING, ids=lambda f: f.__name__)
def test_a_list_in_two_places_is_one_in_a_copy_that_grows(program, x):
    agrees(program, x, 1.5)


def items_of_what_is_kept(rows, a):
    c = copy.deepcopy([rows[0], rows[1]])
    c[0][0] *= a
    return c[1][0] * rows[0][0]


@pytest.mark.parametrize("program", GROWING[:4], ids=lambda f: f.__name__)
def test_all_structures_kept(program, monkeypatch):
    monkeypatch.setenv("S2SAD_NO_OPT", "scalar_replacement,unrolling")
    agrees(program, 2.0, 1.5)


def test_items_of_a_list_that_is_kept(monkeypatch):
    monkeypatch.setenv("S2SAD_NO_OPT", "scalar_replacement,unrolling")
    agrees(items_of_what_is_kept, [[1.0 + k, 2.0] for k in range(6)], 1.5)


# ------------------------------------------------------------------ chosen by the run


def one_of_two(x, a):
    o, q = Held(np.array([a, 1.0]), a), Held(np.array([a, 2.0]), a * a)
    m = o if x > 1.5 else q
    p = copy.deepcopy(m)
    p.v[0] *= x
    p.w *= a
    return m.v.sum() * p.v.sum() * p.w * m.w


def one_of_two_lists(x, a):
    o, q = [a, 1.0], [a * a, 2.0]
    m = o if x > 1.5 else q
    p, r = copy.deepcopy(m), copy.copy(m)
    p[0] *= x
    r[1] *= a
    r.append(x)
    return sum(m) * sum(p) * sum(r) * o[0]


def beside_the_others(x, a):
    v = np.array([a, 1.0])
    o, q = Held(v, a), Held(v, a * a)
    m = o if x > 1.5 else q
    p, r = copy.deepcopy((m, o))
    p.v[0] *= x
    p.w *= a
    return m.v.sum() * p.v.sum() * r.w * r.v.sum()


def the_best_so_far(x, a):
    state = best = Held(np.array([a, 1.0]), a)
    for _ in range(3):
        new = copy.deepcopy(state)
        new.v[0] *= x - 0.5
        if new.v.sum() > best.v.sum():
            best = new
        state = new
    c = copy.deepcopy(best)
    c.v[1] *= a
    return best.v.sum() * c.v.sum()


@pytest.mark.parametrize("x", [2.0, 1.2])
@pytest.mark.parametrize(
    "program",
    [one_of_two, one_of_two_lists, beside_the_others, the_best_so_far],
    ids=lambda f: f.__name__,
)
def test_what_the_run_chooses_is_copied(program, x):
    agrees(program, x, 1.5)


# ------------------------------------------------------------------ lists of arrays


def rows_of(x, a):
    rows = []
    for k in range(int(x) + 1):
        rows.append(np.array([a, 1.0 * k]))
    return rows


def of_any_length(x, a):
    rows = rows_of(x, a)
    c = copy.deepcopy(rows)
    c[0][0] *= x
    rows[1][0] *= a
    return rows[0].sum() * c[0].sum() * c[1].sum() * rows[1].sum()


def of_lists(x, a):
    rows = []
    for k in range(int(x) + 1):
        rows.append([np.array([a, 1.0 * k]), np.array([x, a])])
    c = copy.deepcopy(rows)
    c[0][0][0] *= x
    return rows[0][0].sum() * c[0][0].sum() * c[1][1].sum()


def kept_in_turns(x, a):
    rows, kept = rows_of(x, a), []
    for k in range(int(x)):
        kept.append(copy.deepcopy(rows))
        rows[k][0] *= a
    return kept[0][0].sum() * kept[-1][0].sum() * rows[0].sum()


def not_written(x, a):
    v, rows = np.array([a, 1.0]), []
    for _ in range(int(x) + 1):
        rows.append(v)
    p = copy.deepcopy(Held(rows, rows[0]))
    w = np.zeros(2)
    w[0] = a
    return rows[0].sum() * p.v[0].sum() * p.w.sum() * w.sum()


@pytest.mark.parametrize("x", [2.0, 1.2])
@pytest.mark.parametrize(
    "program",
    [of_any_length, of_lists, kept_in_turns, not_written],
    ids=lambda f: f.__name__,
)
def test_arrays_in_a_list_of_any_length(program, x):
    agrees(program, x, 1.5)


def one_array_twice(x, a):
    v, rows = np.array([a, 1.0]), []
    for _ in range(int(x)):
        rows.append(v)
    c = copy.deepcopy(rows)
    c[0][0] *= x
    return c[1].sum()


def a_list_and_its_item(x, a):
    rows = rows_of(x, a)
    p = copy.deepcopy(Held(rows, rows[0]))
    p.w[0] *= x
    return p.v[0].sum()


def test_an_array_that_is_one_with_an_item_is_told():
    with pytest.raises(ValueError, match="holds one array twice"):
        grad(one_array_twice)(2.0, 1.5)
    with pytest.raises(UnsupportedError, match="one stands in a list"):
        grad(a_list_and_its_item)(2.0, 1.5)


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


# ------------------------------------------------------------------ given twice


def of_two_lists(p, q, a):
    c = copy.deepcopy([p, q])
    c[0][0] *= a
    return c[1][0]


def of_a_dict(d, a):
    c = copy.deepcopy(d)
    c["p"].append(a)
    return c["q"][-1] * a


def of_attributes(o, a):
    c = copy.deepcopy(o)
    c.v[0] *= a
    return c.w[0]


def of_objects(os, a):
    c = copy.deepcopy(os)
    c[0].v *= a
    return c[1].v


def of_rows(rows, a):
    c = copy.deepcopy(rows)
    c[0][0] *= a
    return c[1][0]


def of_some_rows(rows, a):
    c = copy.deepcopy([rows[0], rows[1]])
    c[0][0] *= a
    return c[1][0]


def in_a_call(p, q, a, n):
    if n > 0:
        return in_a_call(p, q, a, n - 1)
    return of_two_lists(p, q, a)


def twice(program, count):
    xs = [1.0 + k for k in range(count)]
    return {
        of_two_lists: (xs, xs, 2.0),
        of_a_dict: ({"p": xs, "q": xs}, 2.0),
        of_attributes: (Held(xs, xs), 2.0),
        of_objects: ([Held(1.5)] * 2, 2.0),
        of_rows: ([xs, xs] + [[1.0]] * (count > 2), 2.0),
        of_some_rows: ([xs, xs] + [[1.0] for _ in range(count)], 2.0),
        in_a_call: (xs, xs, 2.0, 2),
    }[program]


GIVEN = (
    *(of_two_lists, of_a_dict, of_attributes, of_objects, of_rows, of_some_rows),
    in_a_call,
)


@pytest.mark.parametrize("count", [2, 70])
@pytest.mark.parametrize("program", GIVEN)
def test_what_is_given_twice_raises_or_is_one(program, count):
    """Copied deeply it is one thing again, and what is changed in one place is changed
    in the other."""
    given = twice(program, count)
    expected = program(*copy.deepcopy(given))
    for optimise in (None, False, {"inlining": False}):
        try:
            value, _ = value_and_grad(program, "a", optimise=optimise)(*given)
        except ValueError as error:
            assert "the same object" in str(error) or "one list twice" in str(error)
        else:
            assert value == pytest.approx(expected)


@pytest.mark.parametrize("count", [2, 70])
@pytest.mark.parametrize("program", GIVEN)
def test_what_is_given_once_is_differentiated(program, count):
    given = [
        [copy.deepcopy(part) for part in item] if isinstance(item, list) else item
        for item in map(copy.deepcopy, twice(program, count))
    ]
    for name in ("p", "q"):
        if isinstance(given[0], dict):
            given[0][name] = list(given[0][name])
    if isinstance(given[0], Held):
        given[0].w = list(given[0].w)
    value, found = value_and_grad(program, "a")(*given)
    h = 1e-6
    place = 2 if program in (of_two_lists, in_a_call) else 1
    moved = [
        program(
            *(v + s if k == place else v for k, v in enumerate(copy.deepcopy(given)))
        )
        for s in (h, -h)
    ]
    assert value == pytest.approx(program(*copy.deepcopy(given)))
    assert found == pytest.approx((moved[0] - moved[1]) / (2 * h), abs=1e-8)


def of_what_is_only_read(p, q, a):
    c = copy.deepcopy([p, q])
    return c[0][0] * c[1][0] * a


def of_its_own(p, q, a):
    grid = [[a, 1.0], [a, 2.0]]
    c = copy.deepcopy(grid)
    c[0][0] *= a
    return c[0][0] + p[0] + q[0]


@pytest.mark.parametrize("program", [of_what_is_only_read, of_its_own])
def test_one_list_as_two_arguments_is_taken_where_that_changes_nothing(program):
    xs = [1.0, 2.0]
    value, _ = value_and_grad(program, "a")(xs, xs, 2.0)
    assert value == pytest.approx(program(xs, xs, 2.0))
