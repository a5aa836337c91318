"""The programs of the table in the other modes: tangents, pullbacks that run twice, and
products with the Hessian, against differences."""

from __future__ import annotations

import copy
import inspect
import random
from typing import Any

import numpy as np
import pytest

from s2sad import errors, grad, hvp, jvp, vjp
from tests.run_time.programs import PROGRAMS, Program
from tests.run_time.test_reading import (
    Attribute,
    Path,
    changed,
    numbers_in,
    parts_of,
    read,
)

SIZE = 7
STEP = 1e-5
REFUSED: dict[str, set[str]] = {
    "tangent": set(),
    "hessian": {
        "symbolic_derivative",
        "simplified_second_derivative",
        "derivative_of_a_composition",
        "partial_derivatives",
    },
}
"""What isn't followed yet, by mode: tangents of tuples that a program makes have no
texts that say what these hold."""


def direction(value: Any) -> Any:
    """A tangent: random numbers in place of floats, None for whole numbers."""
    draw = random.Random(5)
    made: dict[int, Any] = {}

    def turned(part: Any) -> Any:
        if type(part) is float:
            return draw.uniform(-1.0, 1.0)
        if isinstance(part, np.ndarray):
            if id(part) not in made:
                numbers = [draw.uniform(-1.0, 1.0) for _ in range(part.size)]
                made[id(part)] = np.array(numbers).reshape(part.shape)
            return made[id(part)] if part.dtype.kind == "f" else None
        if isinstance(part, int):
            return None
        if isinstance(part, np.generic):
            return type(part)(0)
        if isinstance(part, tuple):
            items = [turned(item) for item in part]
            return type(part)(*items) if hasattr(part, "_fields") else tuple(items)
        if id(part) in made or not parts_of(part):
            return made.get(id(part), part)
        own = made[id(part)] = copy.copy(part)
        for key, item in parts_of(part):
            if isinstance(key, Attribute):
                object.__setattr__(own, key, turned(item))
            else:
                own[key] = turned(item)
        return own

    return turned(value)


def moved(
    arguments: tuple[Any, ...], place: int, tangent: Any, by: float
) -> tuple[Any, ...]:
    """Arguments of which one is moved along a direction; what several of them share,
    they go on sharing."""
    own = copy.deepcopy(arguments)
    for path in list(numbers_in(arguments[place])):
        own = changed(own, (place, *path), by * read(tangent, path))
    return own


def along(gradient: Any, tangent: Any, value: Any) -> float:
    """The product of a gradient and a direction, each object counted once."""
    paths = numbers_in(value)
    return float(sum((read(gradient, p) or 0.0) * read(tangent, p) for p in paths))


def cases() -> list[Any]:
    return [pytest.param(program, id=program.function.__name__) for program in PROGRAMS]


def parts(program: Program) -> tuple[tuple[Any, ...], str, int]:
    arguments = program.arguments(SIZE)
    names = list(inspect.signature(program.function).parameters)
    name = program.wrt[0] if program.wrt else names[0]
    return arguments, name, names.index(name)


@pytest.mark.sampled(1000, of_long=1)
@pytest.mark.parametrize("program", cases())
def test_pullbacks_run_twice(program: Program) -> None:
    arguments, name, place = parts(program)
    expected = grad(program.function, wrt=name)(*arguments)
    given = copy.deepcopy(arguments)
    value, pullback = vjp(program.function, *given)
    assert np.isclose(value, program.function(*copy.deepcopy(arguments)))
    for _ in range(2):
        found = pullback(1.0)[place]
        for path in numbers_in(arguments[place]):
            own, other = read(found, path) or 0.0, read(expected, path) or 0.0
            assert np.isclose(own, other, rtol=1e-9, atol=1e-12), path
        for path in list(numbers_in(given)):  # what was given may be changed behind it
            changed(given, path, 3.0)


def with_argument(arguments: tuple[Any, ...], place: int, value: Any) -> Any:
    return (*arguments[:place], value, *arguments[place + 1 :])


@pytest.mark.sampled(1000, of_long=1)
@pytest.mark.parametrize("program", cases())
def test_tangents(program: Program) -> None:
    arguments, _, place = parts(program)
    tangent: Path | Any = direction(arguments[place])
    nothing = [None] * len(arguments)
    tangents = with_argument(tuple(nothing), place, tangent)
    _, slope = jvp(program.function, arguments, tangents)
    up, down = (
        program.function(*moved(arguments, place, tangent, by)) for by in (STEP, -STEP)
    )
    assert np.isclose(slope, (up - down) / (2.0 * STEP), rtol=1e-4, atol=1e-4)


@pytest.mark.sampled(1000, of_long=1)
@pytest.mark.parametrize("program", cases())
def test_products_with_the_hessian(program: Program) -> None:
    arguments, name, place = parts(program)
    value = arguments[place]
    tangent = direction(value)
    gradient = grad(program.function, wrt=name)
    try:
        found = hvp(program.function, wrt=name)(*arguments, tangent)
    except errors.UnsupportedError:
        assert program.function.__name__ in REFUSED["hessian"]
        return
    up, down = (
        along(
            gradient(*moved(arguments, place, tangent, by)),
            tangent,
            value,
        )
        for by in (1e-5, -1e-5)
    )
    expected = (up - down) / 2e-5
    assert np.isclose(along(found, tangent, value), expected, rtol=1e-4, atol=1e-4)
