"""What exceptions hold has no derivative: to compute with it is refused."""

from __future__ import annotations

import pytest

from s2sad import grad, jvp
from s2sad.errors import UnsupportedError


class Found(Exception):
    def __init__(self, value):
        super().__init__("found")
        self.value = value


def by_its_arguments(x):
    try:
        if x > 1.0:
            raise ValueError(x * x)
    except ValueError as error:
        return error.args[0] * x
    return x


def by_an_attribute(x):
    found = Found(x * x)
    try:
        raise found
    except Found as error:
        return error.value * x


def used(error, x):
    return error.value * x


def in_a_function(x):
    try:
        raise Found(x * x)
    except Found as error:
        return used(error, x)


def caught(x):
    try:
        if x > 1.0:
            raise Found(x * x)
    except Found as error:
        return error
    return None


def of_a_function(x):
    error = caught(x)
    return x if error is None else error.value * x


def in_the_next_turn(x):
    last, total = None, 0.0
    for k in range(3):
        if last is not None:
            total += last.value
        try:
            raise Found(x * k)
        except Found as error:
            last = error
    return total


@pytest.fixture(params=["written out", "kept"])
def calls(request, monkeypatch):
    """Both ways of compiling calls."""
    if request.param == "kept":
        monkeypatch.setenv("S2SAD_NO_OPT", "inlining")


REFUSED = [by_its_arguments, by_an_attribute, in_a_function, of_a_function]


@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize("function", [*REFUSED, in_the_next_turn])
def test_refused(function):
    for derivative in (grad(function), lambda x: jvp(function, (x,), (1.0,))):
        with pytest.raises(UnsupportedError):
            derivative(2.0)


def of_a_whole_number(x, k):
    try:
        if x > 1.0:
            raise Found(k)
    except Found as error:
        return error.value * x * x
    return x


def of_a_message(x, k):
    try:
        if x > 1.0:
            raise ValueError(f"too large: {x}", x)
    except ValueError as error:
        if "large" in str(error) and len(error.args) == 2:
            return x * x * k
    return x


@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize("function", [of_a_whole_number, of_a_message])
def test_followed(function):
    assert grad(function)(2.0, 3) == 12.0
    assert jvp(function, (2.0, 3), (1.0, None))[1] == 12.0
