"""Arrays of the module and of classes that the program puts into given lists and
objects: what is written into beside them is differentiated, a store into one of them
raises, and they stay as they are."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import value_and_grad
from s2sad.testing import check_grads

START = np.array([1.0, 2.0, 3.0])


class Layer:
    start = np.array([1.0, 2.0, 1.5])

    def __init__(self, w: Any, v: Any) -> None:
        self.w, self.v = w, v

    def reset(self) -> None:
        self.w = self.start


def layers() -> list[Layer]:
    return [Layer(np.arange(3.0) + k, np.ones(3) * k) for k in range(6)]


def rows(count: int = 6) -> list[Any]:
    return [np.ones(3) * k for k in range(count)]


def beside(x: float, given: list[Layer]) -> float:
    for o in given:
        o.w = START
        o.v += x
    return sum(sum(o.w * o.v) for o in given) * x


def made_anew(x: float, given: list[Layer]) -> float:
    for o in given:
        o.reset()
        o.v[0] *= x
    given[0].w = given[0].w * x
    given[0].w[1] += x
    return sum(sum(o.w * o.v) for o in given) * x


def on_some_paths(x: float, given: list[Layer]) -> float:
    for k, o in enumerate(given):
        if x > k:
            o.w = START
        o.v += o.w * x
    return sum(given[0].w) * x + sum(sum(o.v) for o in given)


def appended(x: float, given: list[Any]) -> float:
    given.append(START)
    given[0][0] = x
    given[1] += given[-1] * x
    return sum(sum(v * v) for v in given)


def under_a_key(x: float, given: dict[str, Any]) -> float:
    given["z"] = START
    given["a"] += x * given["z"]
    return sum(sum(v * v) for v in given.values())


def compared(x: float, given: list[Layer]) -> float:
    for o in given:
        o.w = START
        o.v += x
    given[2].w = given[2].v
    count = 0
    for o in given:
        w = o.w
        if w is START:
            count += 1
        if w is not START:
            w[0] += 2.0
            count += 10
        if w is o.v:
            count += 100
    return count * x + sum(o.v[0] for o in given)


DICT = {key: np.ones(3) * k for k, key in enumerate("abcde")}


@pytest.mark.parametrize(
    ("function", "given"),
    [
        *((f, layers()) for f in (beside, made_anew, on_some_paths, compared)),
        (appended, rows()),
        (appended, rows(2)),
        (under_a_key, DICT),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
@pytest.mark.parametrize("optimise", [True, False])
def test_what_stands_beside_them_is_written_into(
    function: Callable[..., float], given: Any, optimise: bool
) -> None:
    check_grads(function, (1.3, copy.deepcopy(given)))
    derivative = value_and_grad(function, optimise=optimise)
    before, h = START.copy(), 1e-6
    value, slope = derivative(1.3, copy.deepcopy(given))
    up, down = (function(1.3 + e, copy.deepcopy(given)) for e in (h, -h))
    assert value == pytest.approx(function(1.3, copy.deepcopy(given)))
    assert slope == pytest.approx((up - down) / (2 * h), rel=1e-6)
    assert np.array_equal(START, before)


def an_attribute(x: float, given: Layer) -> float:
    given.w = START
    given.w[0] = x
    return sum(given.w)


def of_the_class(x: float, given: Layer) -> float:
    given.reset()
    given.w += x
    return sum(given.w)


def an_item(x: float, given: list[Any]) -> float:
    given[0] = START
    given[0][0] = x
    return sum(given[0])


def the_last(x: float, given: list[Any]) -> float:
    given.append(START)
    given[-1][0] = x
    return sum(given[-1])


def through_another(x: float, given: list[Layer]) -> float:
    for o in given:
        o.w = START
    given[0].w += x
    return sum(given[1].w)


def in_a_part(x: float, given: list[Layer]) -> float:
    for o in given:
        o.w = START
    part = given[0].w[1:]
    part[0] = x
    return sum(given[1].w)


def on_one_path(x: float, given: Layer) -> float:
    if x > 1.0:
        given.w = START
    given.w[0] = x
    return sum(given.w)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        *((f, layers()[0]) for f in (an_attribute, of_the_class, on_one_path)),
        *((f, rows(2)) for f in (an_item, the_last)),
        *((f, rows()) for f in (an_item, the_last)),
        *((f, layers()) for f in (through_another, in_a_part)),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
@pytest.mark.parametrize("optimise", [True, False])
def test_a_store_into_one_of_them_raises(
    function: Callable[..., float], given: Any, optimise: bool
) -> None:
    before = START.copy(), Layer.start.copy()
    with pytest.raises(ValueError, match="is read-only") as caught:
        value_and_grad(function, optimise=optimise)(1.3, given)
    assert "instead: put a copy there" in caught.value.__notes__[0]
    assert np.array_equal(START, before[0])
    assert np.array_equal(Layer.start, before[1])


def test_the_path_without_it_writes_into_what_is_given() -> None:
    given = layers()[0]
    assert value_and_grad(on_one_path)(0.5, given) == pytest.approx((3.5, 1.0))
