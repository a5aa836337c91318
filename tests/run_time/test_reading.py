"""Programs that read run-time values, at two sizes, against central differences."""

from __future__ import annotations

import copy
import inspect
from collections import deque
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from s2sad import grad
from tests.run_time.programs import PROGRAMS, Program

MOST_COMPARED = 10
"""So many numbers of an argument are compared."""
STEP = 1e-6
Path = tuple[Any, ...]


def numbers_in(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths to the real numbers that a value holds, each object and array walked
    once."""
    seen: set[int] = set()
    waiting: list[tuple[Any, Path]] = [(value, path)]
    while waiting:
        held, path = waiting.pop()
        if type(held) is float:
            yield path
        elif isinstance(held, np.ndarray):
            if id(held) not in seen and held.dtype.kind == "f":
                yield from ((*path, index) for index in np.ndindex(held.shape))
            seen.add(id(held))
        elif id(held) not in seen or isinstance(held, tuple):
            seen.add(id(held))
            waiting += [(part, (*path, key)) for key, part in parts_of(held)]


def parts_of(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list | tuple | deque):
        return list(enumerate(value))
    of_user = type(value).__module__.startswith("tests.") and not callable_only(value)
    if of_user or isinstance(value, SimpleNamespace):
        slots = getattr(type(value), "__slots__", ())
        names = [*getattr(value, "__dict__", {}), *slots]
        held = [name for name in names if hasattr(value, name)]
        return [(Attribute(name), getattr(value, name)) for name in held]
    return []


def callable_only(value: Any) -> bool:
    return inspect.isfunction(value) or inspect.isclass(value)


class Attribute(str):
    """A key that is the name of an attribute."""


def read(value: Any, path: Path) -> Any:
    """What stands at a path; None where something on the way isn't there."""
    for key in path:
        if value is None:
            return None
        value = getattr(value, key) if isinstance(key, Attribute) else value[key]
    return value


def changed(value: Any, path: Path, by: float) -> Any:
    """The value with one number changed, in place where it can be."""
    if not path:
        return value + by
    key, *rest = path
    part = changed(read(value, (key,)), tuple(rest), by)
    if isinstance(key, Attribute):
        object.__setattr__(value, key, part)
    elif isinstance(value, tuple):
        items = [part if k == key else item for k, item in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    else:
        value[key] = part
    return value


def difference(function: Any, arguments: tuple[Any, ...], path: Path) -> float:
    values = [
        function(*changed(copy.deepcopy(arguments), path, by)) for by in (STEP, -STEP)
    ]
    return float(values[0] - values[1]) / (2.0 * STEP)


def check(program: Program, derivative: Any, size: int) -> str:
    """Compare a gradient with central differences; gives its text."""
    arguments = program.arguments(size)
    names = list(inspect.signature(program.function).parameters)
    found = derivative(*arguments)
    gradients = dict(
        zip(program.wrt or names[:1], found if program.wrt else (found,), strict=True)
    )
    for name, gradient in gradients.items():
        place = names.index(name)
        paths = list(numbers_in(arguments[place]))
        for path in paths[:: len(paths) // MOST_COMPARED + 1]:
            expected = difference(program.function, arguments, (place, *path))
            own = read(gradient, path)
            assert np.isclose(own or 0.0, expected, rtol=1e-4, atol=1e-4), path
    return str(derivative.source_for(*arguments))


def cases() -> list[Any]:
    return [pytest.param(program, id=program.function.__name__) for program in PROGRAMS]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("program", cases())
def test_one_text_serves_data_of_any_size(program: Program) -> None:
    derivative = grad(program.function, wrt=program.wrt or 0)
    assert check(program, derivative, 7) == check(program, derivative, 60)
