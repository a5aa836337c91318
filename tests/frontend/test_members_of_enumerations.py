"""Values of classes derived from Python's numbers and texts, as members of enumerations
are: what the run chooses stays of its class."""

from __future__ import annotations

from enum import Enum, IntEnum

import pytest

from s2sad import grad, hvp, value_and_grad


class Mode(str, Enum):
    FIRST = "a"
    SECOND = "b"


class Rate(float, Enum):
    LOW = 0.3
    HIGH = 0.7


class Count(IntEnum):
    ONE = 1
    TWO = 2


class Name(str):
    pass


class Whole(int):
    pass


class Measure(float):
    pass


NAME, WHOLE, MEASURE = Name("a"), Whole(1), Measure(0.3)
BY_MODE = {Mode.FIRST: 2.0, Mode.SECOND: Mode.FIRST}
BY_NAME = {"mode": Mode.FIRST}


def member_or_text(x, k):
    y = "a" if k else Mode.FIRST
    return x * x if isinstance(y, Mode) else x


def member_or_whole_number(x, k):
    y = 1 if k else Count.ONE
    return x * x if isinstance(y, Count) else x


def member_or_float(x, k):
    y = 0.3 if k else Rate.LOW
    return x * x if isinstance(y, Rate) else x


def which_text(x, k):
    y = Mode.SECOND if k else Mode.FIRST
    return x * x if y is Mode.FIRST else x


def which_whole_number(x, k):
    y = Count.TWO if k else Count.ONE
    return x * x if y is Count.ONE else x


def which_float(x, k):
    y = Rate.HIGH if k else Rate.LOW
    return x * x if y is not Rate.LOW else x


def derived_text(x, k):
    y = "a" if k else NAME
    return x * x if isinstance(y, Name) else x


def derived_whole_number(x, k):
    y = 1 if k else WHOLE
    return x * x if isinstance(y, Whole) else x


def derived_float(x, k):
    y = 0.3 if k else MEASURE
    return x * x if isinstance(y, Measure) else x


def listed_member(x, k):
    y = list(Mode)[0] if k else Mode.SECOND
    return x * x if y is Mode.FIRST else x


def made_member(x, k):
    y = Mode("a") if k else "a"
    return x * x if isinstance(y, Mode) else x


def read_from_a_dict(x, k):
    y = BY_NAME["mode"] if k else Mode.SECOND
    return x * x if y is Mode.FIRST else x


def read_by_a_member(x, k):
    y = BY_MODE[Mode.SECOND] if k else "a"
    return BY_MODE[Mode.FIRST] * x * x if isinstance(y, Mode) else x


def passed_by_a_loop(x, k):
    total, y = 0.0, "a"
    for _ in range(k + 2):
        if y is Mode.SECOND:
            total += x * x
        y = Mode.SECOND
    return total


def by_default(x, k, mode=Mode.FIRST):
    y = "a" if k else mode
    return x * x if isinstance(y, Mode) else x


WAYS = (
    member_or_text,
    member_or_whole_number,
    member_or_float,
    which_text,
    which_whole_number,
    which_float,
    derived_text,
    derived_whole_number,
    derived_float,
    listed_member,
    made_member,
    read_from_a_dict,
    read_by_a_member,
    passed_by_a_loop,
    by_default,
)


@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_a_chosen_value_stays_of_its_class(way, optimise):
    for k in (0, 1):
        value, slope = value_and_grad(way, optimise=optimise)(0.7, k)
        assert value == way(0.7, k)
        assert slope == pytest.approx((way(0.7 + 1e-6, k) - value) / 1e-6, rel=1e-4)


def test_equal_arguments_of_other_classes_have_programs_of_their_own():
    def chosen(x, mode):
        return x * x if mode is Mode.FIRST else x

    slope = grad(chosen)
    given = (Mode.FIRST, "a", Mode.SECOND, "b", Mode.FIRST)
    assert [slope(0.7, mode) for mode in given] == [1.4, 1.0, 1.0, 1.0, 1.4]


def test_members_are_numbers_to_second_order():
    def powers(x: float, k: int):
        y = x**Rate.LOW if k else Rate.HIGH
        return y * x**Rate.LOW + (Rate.LOW if k else x) * x

    for k, exact in (
        (1, 0.6 * -0.4 * 0.7**-1.4),
        (0, 0.7 * 0.3 * -0.7 * 0.7**-1.7 + 2),
    ):
        assert grad(grad(powers))(0.7, k) == pytest.approx(exact)
        assert hvp(powers, wrt="x")(0.7, k, 1.0) == pytest.approx(exact)


def test_gradients_are_plain_numbers():
    def of_a_member(x):
        return Rate.LOW * x

    def of_a_measure(x):
        return MEASURE * x

    assert [type(grad(f)(0.7)) for f in (of_a_member, of_a_measure)] == [float, float]
    assert grad(of_a_member)(0.7) == grad(of_a_measure)(0.7) == 0.3


@pytest.mark.parametrize("optimise", [True, False])
def test_a_member_in_a_try_has_the_tangent_zero(optimise):
    def attempted(x):
        try:
            y = x**0.5 if x > 0.1 else Rate.LOW
            x = y
        except ValueError:
            pass
        return x

    assert hvp(attempted, optimise=optimise)(0.05, 1.0) == 0.0
    exact = pytest.approx(-0.25 * 0.7**-1.5)
    assert hvp(attempted, optimise=optimise)(0.7, 1.0) == exact
