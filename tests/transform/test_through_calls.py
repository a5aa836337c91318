"""What is known of values doesn't stop at a call: not where a function calls itself,
nor where calls are kept."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, hvp, jvp

KEPT = {"inlining": False}
DATA = np.array([1.0, 2.0, 3.0])


# ------------------------------------------------------------------ whole numbers


def counted(x, n):
    if n > 0:
        return counted(x, n - 1) + x
    return 0


def weighed(a, x, n):
    if n > 0:
        return weighed(a, x, n - 1)
    return (np.sum(a * x) + 0.3) * (a[0] + 0.5)


def stored_into(a, x, n):
    if n > 0:
        return stored_into(a, x, n - 1)
    a[0] = x * 0.5
    return a[0] + x * a[1]


def summed(x, n):
    total = 0
    for _ in range(n):
        total = total + x
    return total


def pair_of(s):
    return np.array([s, s])


def start_of_a_length(x, values, n):
    total = len(values)
    for _ in range(n):
        total = total + x
    a = np.array([total, total])
    a[0] = 0.5 * x
    return a[0] * x + a[1]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("optimise", [True, KEPT, False], ids=str)
@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("total", [counted, summed])
@pytest.mark.parametrize("added_before", [False, True])
def test_adjoints_of_whole_numbers_are_floats(optimise, n, total, added_before):
    """Also where the derivative of the function was made for floats before."""

    def program(x, n):
        first = grad(lambda z: weighed(pair_of(z), z, 2))(x) if added_before else 0.0
        return first + weighed(pair_of(total(x, n)), x, 2) + 0.3 * x

    slope = (program(0.7 + 1e-6, n) - program(0.7 - 1e-6, n)) / 2e-6
    assert grad(program, optimise=optimise)(0.7, n) == pytest.approx(slope)
    assert jvp(program, (0.7, n), (1.0, None))[1] == pytest.approx(slope)


def result_is_written(x, n):
    a = pair_of(counted(x, n))
    a[0] = 0.5 * x
    return a[0] * x + a[1]


def argument_is_written(x, n):
    return stored_into(pair_of(counted(x, n)), x, 2)


def argument_of_a_loop_is_written(x, n):
    return stored_into(pair_of(summed(x, n)), x, 2)


def length_is_written(x, n):
    return start_of_a_length(x, DATA, n)


@pytest.mark.parametrize("optimise", [True, KEPT, False], ids=str)
@pytest.mark.parametrize(
    "program",
    [
        *(result_is_written, argument_is_written, argument_of_a_loop_is_written),
        length_is_written,
    ],
)
def test_a_store_that_may_lose_its_fraction_is_refused(program, optimise):
    with pytest.raises(UnsupportedError, match="would lose the fractions"):
        grad(program, optimise=optimise)(0.7, 0)


# ------------------------------------------------------------------ infinite values


def logarithm(x, n):
    return logarithm(x, n - 1) if n > 0 else np.log(x)


def product(x, y, n):
    return product(x, y, n - 1) if n > 0 else x * y


def root(x, n):
    return root(x, n - 1) if n > 0 else np.sqrt(x)


def where_positive(x, z, n):
    return where_positive(x, z, n - 1) if n > 0 else np.where(x > 0, z, 0.0)


SELECTED = {
    "an infinite result": (
        lambda x, n: np.where(x > 0, x * logarithm(x, n), 0.0),
        lambda x: np.where(x > 0, x * np.log(x), 0.0),
    ),
    "an infinite argument": (
        lambda x, n: np.where(x > 0, product(x, np.log(x), n), 0.0),
        lambda x: np.where(x > 0, x * np.log(x), 0.0),
    ),
    "all in calls": (
        lambda x, n: where_positive(x, product(x, logarithm(x, n), n), n),
        lambda x: np.where(x > 0, x * np.log(x), 0.0),
    ),
    "a result of which some is selected": (
        lambda x, n: np.sqrt(where_positive(x, x, n)),
        lambda x: np.sqrt(np.where(x > 0, x, 0.0)),
    ),
    "an argument of which some is selected": (
        lambda x, n: root(np.where(x > 0, x, 0.0), n) * x,
        lambda x: np.sqrt(np.where(x > 0, x, 0.0)) * x,
    ),
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("optimise", [True, KEPT, False], ids=str)
@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("name", SELECTED)
def test_zeros_by_selection_stay_zeros(name, n, optimise):
    """A product with what may be infinite is 0, as without calls."""
    in_calls, plain = SELECTED[name]
    x, v = np.array([0.0, 0.5, 1.5]), np.array([1.0, -0.3, 0.4])

    def program(x):
        return np.sum(in_calls(x, n))

    def wanted(x):
        return np.sum(plain(x))

    with np.errstate(all="ignore"):
        slopes = grad(wanted)(x)
        assert np.all(np.isfinite(slopes))
        np.testing.assert_allclose(grad(program, optimise=optimise)(x), slopes)
        np.testing.assert_allclose(jvp(program, (x,), (v,))[1], slopes @ v)
        np.testing.assert_allclose(hvp(program)(x, v), hvp(wanted)(x, v))


# ------------------------------------------------------------------ memory


def same(t):
    return t


def changed(t, x):
    t[0] = x
    return t


def either(s, t, first):
    return s if first else t


def part(t):
    return t[1:]


def halves(t):
    return t[:1] * 2, t


def flat(a, x):
    b = a.reshape(-1)
    b[0] = x * 2
    return np.sum(a**2) + np.sum(b * 3)


def counters(n, x):
    y = x * n
    n += 1
    x *= 2
    return n, x, y


def an_argument_is_returned(x, v):
    a = v * x
    c = same(a)
    c[0] = x
    return np.sum(a * v) + c[1]


def an_argument_is_changed_and_returned(x, v):
    a = v * x
    for i in range(3):
        c = changed(a, x * i)
        a = c * 2
        c[1] = x
    return np.sum(a * v * c)


def one_of_two_is_returned(x, v):
    a, b = v * x, v + x
    d = either(a, b, x > 0.0)
    d[1] *= d[0]
    return np.sum(a * v * a) + np.sum(b**3)


def a_part_is_returned(x, v):
    a = v * x
    d = part(a)
    d[1] *= d[0] * x
    return np.sum(a * v * a)


def new_and_old_are_returned(x, v):
    a = v * x
    first, b = halves(a)
    first[0] = x * x
    b[1] *= first[0]
    return np.sum(a * v) + first[0]


def numbers_are_counted_up(x, v):
    n, y, z = counters(2, x)
    n, y, w = counters(n, y)
    return n * x * y + z * w + np.sum(v)


def columns_are_written_flat(x, v):
    a = (np.stack([v, v * 2]) * x).T
    return flat(a, x) + np.sum(a * 2)


def an_intermediate_value_is_changed(x, v):
    b = v * x
    d = changed(b * 1, x)
    return np.sum(b * d)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("optimise", [True, KEPT, False], ids=str)
@pytest.mark.parametrize(
    "program",
    [
        *(an_argument_is_returned, an_argument_is_changed_and_returned),
        *(one_of_two_is_returned, a_part_is_returned, new_and_old_are_returned),
        *(numbers_are_counted_up, columns_are_written_flat),
        an_intermediate_value_is_changed,
    ],
)
def test_what_calls_share_and_change(program, optimise):
    v = np.array([0.3, -1.2, 2.0])
    slope = (program(0.7 + 1e-6, v) - program(0.7 - 1e-6, v)) / 2e-6
    assert grad(program, optimise=optimise)(0.7, v) == pytest.approx(slope)
    assert jvp(program, (0.7, v), (1.0, np.zeros(3)))[1] == pytest.approx(slope)


@pytest.mark.parametrize(
    "program", [an_argument_is_changed_and_returned, new_and_old_are_returned]
)
def test_calls_that_are_followed_stay_calls(program):
    text = grad(program, optimise=KEPT).source_for(0.7, np.ones(3))
    assert "_forward(" in text


def test_calls_are_written_out_where_they_would_be_refused():
    text = grad(a_part_is_returned, optimise=KEPT).source_for(0.7, np.ones(3))
    assert text.count("def ") == 1


def test_a_variable_that_a_call_binds_may_share_an_argument():
    def program(x, v):
        a, b = v * x, v * x * 2

        def bound(n, t):
            nonlocal a
            if n == 0:
                t[0] = x
                a = t
                return 1.0
            return bound(n - 1, t) * 2

        c = bound(2, b)
        b[1] = x * 3
        return np.sum(a * v * b) * c

    with pytest.raises(UnsupportedError, match="writes into the array 'b'"):
        grad(program)(0.7, np.array([0.3, -1.2, 2.0]))


def data():
    return DATA


def data_at_last(n):
    return data_at_last(n - 1) if n > 0 else DATA


def sum_of_data(x, n):
    return sum_of_data(x, n - 1) if n > 0 else np.sum(DATA) * x


@pytest.mark.parametrize("optimise", [True, KEPT, False], ids=str)
@pytest.mark.parametrize("found", [data, lambda: data_at_last(2)])
def test_data_of_a_module_stays_as_it_is(found, optimise):
    def program(x):
        g = found() * x
        h = found()
        g[0] = x * x
        return np.sum(g * h)

    before = DATA.copy()
    assert grad(program, optimise=optimise)(0.7) == pytest.approx(14.4)
    np.testing.assert_array_equal(DATA, before)


@pytest.mark.parametrize("optimise", [True, KEPT, False], ids=str)
@pytest.mark.parametrize("n", [0, 2])
def test_an_argument_that_is_data_which_a_call_reads_is_refused(n, optimise):
    def program(x, a):
        a[0] = x
        return sum_of_data(x, n) * a[1]

    with pytest.raises(ValueError, match="shares memory with"):
        grad(program, optimise=optimise)(0.7, DATA)


def test_data_that_a_call_returns_is_not_written_into():
    def program(x):
        h = data_at_last(1)
        h[0] = x * x
        return np.sum(h)

    with pytest.raises(UnsupportedError, match="the caller or its module may share"):
        grad(program)(0.7)


# ------------------------------------------------------------------ draws


def count_drawn(rng, rate, n):
    return count_drawn(rng, rate, n - 1) if n > 0 else rng.poisson(rate)


def drawn_at_lengths(rng, x, n):
    return drawn_at_lengths(rng, x, n - 1) if n > 0 else rng.poisson(len(x) * 2.0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [True, KEPT, False], ids=str)
@pytest.mark.parametrize("n", [0, 2])
def test_a_count_whose_rate_varies_is_refused_in_a_call(n, optimise):
    """Though a count has no derivative, and none is asked of the call."""

    def program(x, rng):
        return x * count_drawn(rng, x * 3.0, n)

    def at_a_rate(x, rng):
        return x * count_drawn(rng, 2.0, n)

    def at_a_length(x, rng):
        return np.sum(x) * drawn_at_lengths(rng, x, n)

    rng = np.random.default_rng
    with pytest.raises(UnsupportedError, match="draws what has no derivative"):
        grad(program, optimise=optimise)(0.5, rng(0))
    drawn = rng(0).poisson(2.0)
    assert grad(at_a_rate, optimise=optimise)(0.5, rng(0)) == drawn
    slopes = grad(at_a_length, optimise=optimise)(np.ones(3), rng(0))
    np.testing.assert_array_equal(slopes, float(rng(0).poisson(6.0)))


class Metres(float):
    """A number with a class of its own."""


def scaled(m, n):
    if n > 0:
        return scaled(m, n - 1)
    return m * 2 if isinstance(m, Metres) else m * 3


@pytest.mark.parametrize("optimise", [True, KEPT, False], ids=str)
@pytest.mark.parametrize("n", [0, 2])
def test_classes_of_numbers_are_told_apart(n, optimise):
    def program(x, y):
        return scaled(x, n) * 10 + scaled(y, n)

    gradient = grad(program, ("x", "y"), optimise=optimise)
    assert gradient(Metres(0.5), 0.5) == (20.0, 3.0)
