"""Values that the path which ran doesn't use: where they are singular, their infinite
partial derivatives meet no cotangent, and the gradient is that of the path.

Each program computes ``s(x)``, which is finite at 0 (or inf, for NumPy's functions) and
has no finite derivative there, and uses it only where x isn't below 1. The result is
``3 x`` there.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from s2sad import (
    checkpoint,
    custom_vjp,
    grad,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from s2sad.testing import check_grads

# ---------------------------------------------------------------- singular functions


def python_roots(x):
    """Singular at 0, of Python's numbers."""
    y = math.sqrt(x) + x**0.5 + math.cbrt(x) + math.pow(x, 0.25)
    y = y * y + math.asin(1.0 - x) * math.acos(1.0 - x) + math.acosh(1.0 + x)
    return y + 2.0 / (1.0 + y) + math.atan2(x, x) + x ** (0.5 + x)


def numpy_roots(x):
    """Singular at 0, finite values."""
    y = np.sqrt(x) + x**0.5 + np.cbrt(x) + np.power(x, 0.25)
    y = y * y + np.arcsin(1.0 - x) * np.arccos(1.0 - x) + np.arccosh(1.0 + x)
    return y + 2.0 / (1.0 + y) + np.arctan2(x, x) + np.sqrt(x**2 + x**4)


def infinite(x):
    """Infinite or nan at 0."""
    y = np.log(x) + 1.0 / x + x**-0.5
    z = y * x + y * y + x / x
    return z * np.exp(x) + np.reciprocal(x) * y + np.arctanh(1.0 - x) + np.log2(x)


# ---------------------------------------------------------------- ways not to take it


def returned(s):
    def f(x):
        y = s(x)
        if x < 1.0:
            return 3.0 * x
        return y

    return f


def conditional_expression(s):
    def f(x):
        y = s(x)
        return y if x > 1.0 else 3.0 * x

    return f


def nested_branches(s):
    def f(x):
        y = s(x)
        z = y * 2.0
        t = 3.0 * x
        if x > 1.0:
            if x > 2.0:
                t = z * z
            else:
                t = y
        return t

    return f


def item_by_index(s):
    def f(x):
        values = [s(x), 3.0 * x]
        place = 1 if x < 1.0 else 0
        return values[place]

    return f


def key_of_dict(s):
    def f(x):
        values = {"far": s(x), "near": 3.0 * x}
        return values["near" if x < 1.0 else "far"]

    return f


def loop_by_key(s):
    def f(x):
        values = {1: s(x), 2: 3.0 * x}
        total = 0.0
        for key in values:
            if x > 1.0 or key > 1:
                total += values[key]
        return total

    return f


def first_of_sorted(s):
    def f(x):
        values = sorted([(1.0 - x, 3.0 * x), (0.5, s(x))], key=lambda pair: -pair[0])
        return values[0][1]

    return f


def next_that_fits(s):
    def f(x):
        return next(v for k, v in ((0.0, s(x)), (1.0, 3.0 * x)) if k > 0.5 or x > 1.0)

    return f


def smallest_by_key(s):
    def f(x):
        pairs = [(x, 3.0 * x), (0.5, s(x))]
        return min(pairs, key=lambda pair: pair[0])[1]

    return f


def overwritten_in_loop(s):
    def f(x):
        y = s(x)
        for _ in range(2 if x < 1.0 else 0):
            y = 3.0 * x
        return y

    return f


def loop_of_no_turns(s):
    def f(x):
        y = s(x)
        total = 3.0 * x
        for k in range(0 if x < 1.0 else 2):
            total += k * y
        return total

    return f


def while_loop(s):
    def f(x):
        y = s(x)
        t = x
        while t < 1.0:
            y = 3.0 * x
            t += 1.0
        return y

    return f


def continued(s):
    def f(x):
        total = 0.0
        for k in range(3):
            y = s(x)
            if x < 1.0:
                total += k * x
                continue
            total += y
        return total

    return f


def broken(s):
    def f(x):
        total = 0.0
        for k in range(5):
            y = s(x) * k
            if x < 1.0:
                break
            total += y
        return total + 3.0 * x

    return f


def carried_over(s):
    def f(x):
        y = 0.0
        total = 3.0 * x
        for k in range(3):
            total += 0.0 if x < 1.0 else y
            y = s(x) * (k + 1.0)
        return total

    return f


@dataclasses.dataclass
class Pair:
    near: float
    far: float


class Holder:
    def __init__(self, value):
        self.value = value

    def set(self, value):
        self.value = value


def attribute(s):
    def f(x):
        pair = Pair(3.0 * x, s(x))
        if x < 1.0:
            pair.far = pair.near
        return pair.far

    return f


def attribute_of_object(s):
    def f(x):
        holder = Holder(s(x))
        if x < 1.0:
            holder.set(3.0 * x)
        return holder.value

    return f


def one_of_two_objects(s):
    def f(x):
        holders = [Holder(s(x)), Holder(3.0 * x)]
        return holders[1 if x < 1.0 else 0].value

    return f


def captured(s):
    def f(x):
        y = s(x)

        def inner():
            return 3.0 * x if x < 1.0 else y

        return inner()

    return f


def captured_and_changed(s):
    def f(x):
        y = s(x)

        def change():
            nonlocal y
            if x < 1.0:
                y = 3.0 * x

        change()
        return y

    return f


def recursion(s):
    def f(x):
        def descend(y, n):
            if n == 0:
                return 3.0 * x if x < 1.0 else y
            return descend(s(x) * n, n - 1)

        return descend(x, int(x) + 2)

    return f


def recursion_with_unused_result(s):
    def f(x):
        def both(n):
            if n == 0:
                return s(x), 3.0 * x
            first, second = both(n - 1)
            return first * 0.5, second

        far, near = both(int(x) + 2)
        return near if x < 1.0 else far

    return f


def handler(s):
    def f(x):
        y = s(x)
        try:
            if x < 1.0:
                raise ValueError
            z = y * 2.0
        except ValueError:
            z = 3.0 * x
        return z

    return f


def generator(s):
    def f(x):
        def values():
            yield 3.0 * x
            yield s(x)

        total = 0.0
        for k, value in enumerate(values()):
            if k == 0 or x > 1.0:
                total += value
        return total

    return f


def appended(s):
    def f(x):
        values = []
        for k in range(3):
            values.append(s(x) * k)
        values.append(3.0 * x)
        return values[-1] if x < 1.0 else values[1]

    return f


def popped(s):
    def f(x):
        values = [3.0 * x]
        values.append(s(x))
        if x < 1.0:
            values.pop()
        return values[-1]

    return f


def replaced_item(s):
    def f(x):
        values = [s(x), s(x) + 1.0]
        for k in range(2):
            if x < 1.0:
                values[k] = 1.5 * x
        return values[0] + values[1]

    return f


def overwritten_element(s):
    def f(x):
        values = np.zeros(3)
        values[0] = s(x)
        if x < 1.0:
            values[0] = 3.0 * x
        return np.sum(values)

    return f


def unread_element(s):
    def f(x):
        values = np.zeros(3)
        values[0] = s(x)
        values[1] = 3.0 * x
        return values[1 if x < 1.0 else 0]

    return f


def stacked(s):
    def f(x):
        values = np.array([s(x), 3.0 * x])
        return values[1 if x < 1.0 else 0]

    return f


def matched(s):
    def f(x):
        y = s(x)
        match int(x):
            case 0:
                z = 3.0 * x
            case _:
                z = y
        return z

    return f


def checkpointed(s):
    def f(x):
        def body(total):
            y = s(x)
            return total + (x if x < 1.0 else y)

        total = 0.0
        for _ in range(3):
            total = checkpoint(body)(total)
        return total

    return f


def in_while_true(s):
    def f(x):
        y = s(x)
        total = 0.0
        k = 0
        while True:
            if x < 1.0:
                total += 3.0 * x
                break
            total += y
            k += 1
            if k > 2:
                break
        return total

    return f


def with_try_finally(s):
    def f(x):
        y = s(x)
        total = 0.0
        try:
            if x < 1.0:
                return 3.0 * x
            total += y
        finally:
            total *= 2.0
        return total

    return f


@custom_vjp
def doubled(y):
    return 2.0 * y


doubled.defvjp(lambda y: (2.0 * y, None), lambda _, out_bar: 2.0 * out_bar)


def through_custom_function(s):
    def f(x):
        y = doubled(s(x))
        return 3.0 * x if x < 1.0 else y

    return f


WAYS = (
    returned,
    conditional_expression,
    nested_branches,
    item_by_index,
    key_of_dict,
    loop_by_key,
    first_of_sorted,
    next_that_fits,
    smallest_by_key,
    overwritten_in_loop,
    loop_of_no_turns,
    while_loop,
    continued,
    broken,
    carried_over,
    attribute,
    attribute_of_object,
    one_of_two_objects,
    captured,
    captured_and_changed,
    recursion,
    recursion_with_unused_result,
    handler,
    generator,
    appended,
    popped,
    replaced_item,
    overwritten_element,
    unread_element,
    stacked,
    matched,
    checkpointed,
    in_while_true,
    with_try_finally,
    through_custom_function,
)
REVERSE_ALONE = {through_custom_function}
"""What is given a pullback alone has no forward mode."""
SINGULAR = {
    "python": (python_roots, 0.0),
    "numpy": (numpy_roots, np.float64(0.0)),
    "infinite": (infinite, np.float64(0.0)),
}


def first_derivatives(f, x, forward=True):
    """The derivative of ``f`` in each mode."""
    found = {
        "grad": grad(f)(x),
        "unoptimised": grad(f, optimise=False)(x),
        "value_and_grad": value_and_grad(f)(x)[1],
        "vjp": np.ravel(vjp(f, x)[1](1.0))[0],
        "jacrev": jacrev(f)(x),
    }
    if forward:
        found["jacfwd"] = jacfwd(f)(x)
        found["jvp"] = jvp(f, (x,), (type(x)(1.0),))[1]
    return found


def second_derivatives(f, x, forward=True):
    """The second derivative of ``f``, forward and reverse over reverse."""
    found = {"reverse": grad(grad(f))(x)}
    if forward:
        found["hvp"] = hvp(f)(x, type(x)(1.0))
    return found


@pytest.mark.sampled(8)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_gradient_is_that_of_the_path(way):
    f = way(python_roots)
    derivative = grad(f)
    assert derivative(0.0) == 3.0
    assert derivative(0.25) == 3.0
    check_grads(f, (1.5,), modes=("rev",), order=1)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("way", (returned, carried_over, item_by_index, recursion))
@pytest.mark.parametrize("singular", SINGULAR)
def test_all_modes(way, singular):
    s, x = SINGULAR[singular]
    f, forward = way(s), way not in REVERSE_ALONE
    with np.errstate(all="ignore"):
        first = first_derivatives(f, x, forward)
        second = second_derivatives(f, x, forward)
    assert first == dict.fromkeys(first, 3.0)
    assert second == dict.fromkeys(second, 0.0)


@pytest.mark.sampled(2, of_long=2)
@pytest.mark.long
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("singular", SINGULAR)
def test_all_ways_in_all_modes(way, singular):
    test_all_modes(way, singular)


# ---------------------------------------------------------------- arrays


def guarded_norm(p):
    d = np.sqrt(p[0] ** 2 + p[1] ** 2)
    if d < 1e-9:
        return 5.0 * p[1]
    return p[0] / d


def guarded_array(x):
    y = np.sqrt(x)
    if np.sum(x) < 1.0:
        return 3.0 * np.sum(x)
    return np.sum(y * y)


def guarded_product(x):
    """A pullback of what isn't elementwise, by what is infinite."""
    y = np.log(x)
    z = np.outer(y, x)
    if np.sum(x) < 1.0:
        return 3.0 * np.sum(x)
    return z[0] @ y + np.sum(z @ z)


def array_before_loop(x):
    y = np.sqrt(x)
    for _ in range(int(np.sum(x)) + 1):
        y = 3.0 * x
    return np.sum(y)


def rows_of_list(x):
    rows = [np.sqrt(x), 3.0 * x]
    return np.sum(rows[int(np.sum(x)) + 1])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "f, expected",
    (
        (guarded_norm, np.array([0.0, 5.0])),
        (guarded_array, np.full(2, 3.0)),
        (guarded_product, np.full(2, 3.0)),
        (array_before_loop, np.full(2, 3.0)),
        (rows_of_list, np.full(2, 3.0)),
    ),
)
def test_arrays(f, expected):
    x = np.zeros(2)
    with np.errstate(all="ignore"):
        for derivative in (grad(f), grad(f, optimise=False), jacrev(f)):
            np.testing.assert_array_equal(derivative(x), expected)
        np.testing.assert_array_equal(hvp(f)(x, np.ones(2)), np.zeros(2))


def test_rows_of_a_jacobian():
    def f(x):
        return np.array([np.sqrt(x[0]), 3.0 * x[0] + x[1]])

    with np.errstate(all="ignore"):
        rows = jacrev(f)(np.zeros(2))
    np.testing.assert_array_equal(rows, [[np.inf, 0.0], [3.0, 1.0]])


# ---------------------------------------------------------------- what stays as it is


def test_an_infinite_derivative_of_the_path_stays():
    def f(x, n):
        y = math.sqrt(x)
        total = 0.0
        for _ in range(n):
            total += y
        return total

    derivative = grad(f)
    assert derivative(0.0, 2) == math.inf
    assert derivative(0.0, 0) == 0.0


def test_nothing_is_masked_that_is_finite():
    def f(x, scale):
        y = math.exp(x) * math.sin(x) / 2.0 + 1.0 / x + math.log(x) + x**3
        z = (np.arctan(x) - y) / scale + math.log(scale)
        if x < 1.0:
            return x
        return z

    text = grad(f, ("x", "scale")).source_for(2.0, 3.0)
    assert "== 0.0" not in text and "!= 0.0" not in text
    check_grads(f, (2.0, 3.0), order=1)


def test_masks_are_branches_where_a_number_is_added():
    def f(x):
        y = math.sqrt(x)
        if x < 1.0:
            return 3.0 * x
        return y

    assert "if y_bar != 0.0:\n        x_bar += " in grad(f).source_for(0.0)


# ---------------------------------------------------------------- zero by chance


def squared_on_a_path(x):
    y = math.sqrt(x)
    return y * y if x > -1.0 else x


def squared_in_a_nested_path(x):
    y = math.sqrt(x)
    z = 0.0
    if x < 1.0:
        if x > -1.0:
            z = y * y
        else:
            z = x
    return z


def squared_behind_a_sum(x):
    y = math.sqrt(x)
    z = x - x
    if x > -1.0:
        z = z + y * y
    if x > 5.0:
        z = z + y
    return z


def squared_in_a_loop(x):
    y = math.sqrt(x)
    z = x
    for _ in range(int(x) + 1):
        z = y * y
    return z


def moved_by_a_loop(x):
    a, b, c = math.sqrt(x), x, x
    for _ in range(int(x) + 2):
        c, b = b, a
    return c * c


def squared_in_the_second_turn(x):
    y, z = math.sqrt(x), x
    for k in range(3):
        if k == 1:
            z = y * y
    return z


def squared_before_break(x):
    y, z = math.sqrt(x), x
    k = 0
    while k < 3:
        if k == 1:
            z = y * y
            break
        k += 1
    return z


def squared_in_a_try(x):
    y = math.sqrt(x)
    try:
        z = y * y
        if x > 5.0:
            raise ValueError
    except ValueError:
        z = x
    return z


def squared_in_a_closure(x):
    y = math.sqrt(x)

    def square():
        return y * y

    return square() if x > -1.0 else x


def squared_array(x):
    y = np.sqrt(x)
    return y * y if x > -1.0 else x


def squared_where(x):
    return np.where(x > -1.0, np.sqrt(x) ** 2, x)


def squared_elsewhere(x):
    return np.where(x > 1.0, x, np.where(x < -1.0, 2.0 * x, np.sqrt(x) ** 2))


def squared_maximum(x):
    return np.maximum(np.sqrt(x), x - 1.0) ** 2


def squared_clip(x):
    return np.clip(np.sqrt(x), -1.0, 1.0) ** 2


BY_CHANCE = (
    squared_on_a_path,
    squared_in_a_nested_path,
    squared_behind_a_sum,
    squared_in_a_loop,
    moved_by_a_loop,
    squared_in_the_second_turn,
    squared_before_break,
    squared_in_a_try,
    squared_in_a_closure,
    squared_array,
    squared_where,
    squared_elsewhere,
    squared_maximum,
    squared_clip,
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", BY_CHANCE, ids=lambda f: f.__name__)
def test_zero_by_chance_is_not_masked(f):
    """Each is ``x`` at 0 and above, by the square of a root: the root's cotangent is 0
    at 0, though it is used, and times inf that is nan, not 0."""
    assert grad(f)(0.25) == pytest.approx(1.0)
    with np.errstate(all="ignore"):
        assert np.isnan(grad(f)(np.float64(0.0)))
        assert np.isnan(jacrev(f)(np.float64(0.0)))
        assert np.isnan(vjp(f, np.float64(0.0))[1](1.0)[0])


def largest(x):
    return np.max(np.sqrt(x) - x) ** 2


def of_elements(x):
    return np.sum(np.where(x >= 0.0, np.sqrt(x), x) ** 2)


def of_the_path(x):
    y = np.sqrt(x)
    return np.sum(y * y) if x[0] < 1.0 else np.sum(x)


@pytest.mark.parametrize("f", (largest, of_elements, of_the_path))
def test_zero_by_chance_in_arrays(f):
    x = np.array([0.0, 0.0])
    with np.errstate(all="ignore"):
        assert np.all(np.isnan(grad(f)(x)))
        rows = jacrev(lambda x: np.where(x >= 0.0, np.sqrt(x), x) ** 2)(x)
    np.testing.assert_array_equal(rows, [[np.nan, 0.0], [0.0, np.nan]])


def chosen_product(x):
    """The choice is of elements, the product's pullback isn't."""
    y = np.log(x)
    m = np.ones((2, 3)) * x[0]
    return np.sum(np.where(np.arange(3) > 0, y[:2] @ m, y[0]) ** 2)


def test_choice_behind_a_product():
    check_grads(chosen_product, (np.array([0.5, 1.5]),), order=2)


def two_paths_again(x):
    y = np.sqrt(x)
    z = y if x > 1.0 else 2.0 * x
    w = z * z
    return w + y if x > 2.0 else w


def choices_again(x):
    y = np.where(x > 1.0, np.log(x), x)
    z = np.maximum(y, -x)
    return np.where(x < 0.5, z * x, y * y * np.sqrt(x))


def loop_again(x):
    y, z = np.sqrt(x), x
    for k in range(3):
        if x > k + 1.0:
            z = z * y + x
        else:
            y = y * 0.5
    return z * z


@pytest.mark.sampled(6)
@pytest.mark.parametrize("f", (two_paths_again, choices_again, loop_again))
@pytest.mark.parametrize("x", (0.3, 0.7, 1.5, 2.5))
def test_flags_in_second_derivatives(f, x):
    check_grads(f, (x,), order=2)


def largest_of_rows(x, w):
    largest = np.max(x / w[:, None], axis=1) / w
    return np.sum(np.where(largest == 0, 0.0, np.sqrt(largest)))


@pytest.mark.parametrize("columns", [3, 4])
def test_what_chose_a_row_is_no_flag_of_its_elements(columns):
    x = np.arange(3.0 * columns).reshape(3, columns) - 2.0
    x[1] = -(x[1] ** 2)
    x[2, 0] = 10.0
    x[1, 2] = 0.0
    w = np.array([1.0, 2.0, 3.0])
    expected = np.zeros_like(x)
    for row, (k, value) in enumerate(zip(w, np.max(x, axis=1))):
        expected[row][x[row] == value] = 0.5 / (k * np.sqrt(value)) if value else 0.0
    np.testing.assert_allclose(grad(largest_of_rows)(x, w), expected)


def test_a_joined_part_that_no_index_reads():
    table = np.array([0.4, 0.5, 1.3])

    def first_row(x):
        y = np.sqrt(x) * np.ones((2, 3))
        return np.sum(np.concatenate([table[None], y[:1]])[-2])

    assert grad(first_row)(0.0) == 0.0
    assert grad(first_row)(4.0) == 0.0
