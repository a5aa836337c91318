"""Keys and places that aren't there, which a handler waits for."""

from __future__ import annotations

import pytest

from s2sad import grad, jvp, value_and_grad
from s2sad.errors import UnsupportedError

SCALES = {"a": 2.0, "b": 3.0}


def of_module(x, key):
    try:
        return SCALES[key] * x
    except KeyError:
        return 5.0 * x


def of_argument(x, key, scales):
    try:
        w = scales[key]
    except KeyError:
        w = 5.0
    return w * x


def looked_up(scales, key):
    return scales[key]


def in_a_call(x, key):
    try:
        y = x * x
        y = y * looked_up(SCALES, key)
    except (KeyError, ValueError) as error:
        y = 3.0 * y if isinstance(error, Exception) else x
    else:
        y = 7.0 * y
    return y


def in_a_loop(x, names):
    total = 0.0
    for name in names:
        try:
            total = total + SCALES[name] * x
        except LookupError:
            total = total + x * x
    return total


def popped(x, key):
    scales = {"a": x, "b": 2.0 * x}
    try:
        y = scales.pop(key)
    except KeyError:
        y = 3.0 * x
    return y * sum(scales.values())


def place(x, k):
    items = (x, 2.0 * x)
    try:
        return items[k]
    except IndexError:
        return 4.0 * x


def with_finally(x, key):
    y = x
    try:
        try:
            y = y * SCALES[key]
        finally:
            y = y * x
    except KeyError:
        y = y * 3.0
    return y


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("f", "args", "slope"),
    [
        (of_module, ("b",), 3.0),
        (of_module, ("z",), 5.0),
        (of_argument, ("a", {"a": 2.0}), 2.0),
        (of_argument, ("z", {"a": 2.0}), 5.0),
        (in_a_call, ("a",), 2 * 2.0 * 7.0 * 1.5),
        (in_a_call, ("z",), 2 * 3.0 * 1.5),
        (in_a_loop, (("a", "z", "b"),), 5.0 + 2 * 1.5),
        (popped, ("a",), 2 * 2.0 * 1.5),
        (popped, ("z",), 2 * 9.0 * 1.5),
        (place, (1,), 2.0),
        (place, (2,), 4.0),
        (with_finally, ("a",), 2 * 2.0 * 1.5),
        (with_finally, ("z",), 2 * 3.0 * 1.5),
    ],
)
def test_a_handler_goes_on_from_what_is_missing(f, args, slope):
    x = 1.5
    assert grad(f)(x, *args) == pytest.approx(slope)
    value, gradient = value_and_grad(f)(x, *args)
    assert (value, gradient) == (pytest.approx(f(x, *args)), pytest.approx(slope))
    tangents = [None] * len(args)
    if f is of_argument:
        tangents[1] = {"a": 0.0}
    assert jvp(f, (x, *args), (1.0, *tangents))[1] == pytest.approx(slope)


def other_handler(x, key):
    try:
        return SCALES[key] * x
    except ValueError:
        return x


def behind_the_handler(x, key):
    try:
        y = x * x
    except KeyError:
        y = x
    return y * SCALES[key]


@pytest.mark.taken_apart
@pytest.mark.parametrize("f", (other_handler, behind_the_handler))
def test_what_nothing_catches_is_refused(f):
    with pytest.raises(UnsupportedError, match="there is no item 'z' in a dict of 2"):
        grad(f)(1.5, "z")
