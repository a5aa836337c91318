"""The programs of the table inside of others: their Jacobians, their values beside
gradients that a loop takes again and again, and single numbers of their gradients."""

from __future__ import annotations

import copy
import inspect
import itertools
import linecache
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import errors, grad, hvp, jacfwd, jacrev
from tests.run_time.programs import Program
from tests.run_time.test_modes import cases, direction, parts
from tests.run_time.test_reading import Attribute, Path, changed, numbers_in, read

_numbers = itertools.count()

WITHOUT_JACOBIAN = (
    "known rank",  # what may be a number or an array is returned
    "array that may stand in an object",
    "an exception may hold",
    "no name beside it",
    "bound at several places",
)
"""What refusals of Jacobians say: programs of which there is a gradient."""
NOT_AGAIN = (
    "can't be differentiated in reverse mode again",
    "tangent of tuples of which texts say",
    "no name beside it",
    "bound at several places",
    "writes into arrays",
    "holds unlike things there",
    "under a tuple of 1",
    "holds unknown",
    "of kind unknown",
    "too long when its calls",
    "same structure on both paths",
    "a list of arrays, in a program",
    "nothing to differentiate by",
)
"""What refusals say of gradients inside of a function that is differentiated."""


def made_of(program: Program, body: str) -> Callable[..., Any]:
    """A function with the parameters of a program, and a body that calls it."""
    parameters = ", ".join(inspect.signature(program.function).parameters)
    text = f"def made({parameters}):\n"
    text += "".join(f"    {line}\n" for line in body.splitlines())
    text = text.replace("...", parameters)
    filename = f"<made of a program {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    module = program.function.__module__
    namespace = {"f": program.function, "np": np, "s2sad": s2sad, "__name__": module}
    exec(compile(text, filename, "exec"), namespace)
    made: Callable[..., Any] = namespace["made"]
    return made


def refused(error: errors.UnsupportedError, known: tuple[str, ...]) -> None:
    """Skip what is refused for a reason that is known."""
    assert any(words in str(error) for words in known), str(error)
    pytest.skip(str(error).splitlines()[0])


@pytest.mark.sampled(1000, of_long=3)
@pytest.mark.parametrize("program", cases())
@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobians(jacobian: Any, program: Program) -> None:
    arguments, name, place = parts(program)
    expected = grad(program.function, wrt=name)(*copy.deepcopy(arguments))
    value = program.function(*copy.deepcopy(arguments))
    both = made_of(program, "value_ = f(...)\nreturn np.array([value_, value_**2])")
    try:
        found = jacobian(both, wrt=name)(*copy.deepcopy(arguments))
    except errors.UnsupportedError as error:
        refused(error, WITHOUT_JACOBIAN)
    for path in numbers_in(arguments[place]):
        slope = read(expected, path) or 0.0
        inside = path and isinstance(read(arguments[place], path[:-1]), np.ndarray)
        rows = read(found, path[:-1]) if inside else read(found, path)
        if inside and rows is not None:
            rows = np.asarray(rows)[(slice(None), *path[-1])]
        rows = np.zeros(2) if rows is None else rows
        np.testing.assert_allclose(
            rows, [slope, 2.0 * value * slope], rtol=1e-7, atol=1e-10
        )


INSIDE = {
    "value_and_grad": "value_, g_ = s2sad.value_and_grad(f, wrt=NAME)(...)",
    "vjp": "value_, pull_ = s2sad.vjp(f, ...)\n    g_ = pull_(1.0)",
}


@pytest.mark.sampled(1000, of_long=3)
@pytest.mark.parametrize("program", cases())
@pytest.mark.parametrize("transform", INSIDE)
def test_a_loop_takes_them_again_and_again(transform: str, program: Program) -> None:
    """Arguments stay as they were: each turn finds the same."""
    arguments, name, place = parts(program)
    expected = grad(program.function, wrt=name)(*copy.deepcopy(arguments))
    value = program.function(*copy.deepcopy(arguments))
    body = f"total_ = 0.0\nfor turn_ in range(3):\n    {INSIDE[transform]}\n"
    body += "    total_ = total_ + value_**2\nreturn total_"
    thrice = made_of(program, body.replace("NAME", repr(name)))
    try:
        found = grad(thrice, wrt=name)(*copy.deepcopy(arguments))
    except errors.UnsupportedError as error:
        refused(error, NOT_AGAIN)
    for path in numbers_in(arguments[place]):
        own, slope = read(found, path) or 0.0, read(expected, path) or 0.0
        assert np.isclose(own, 6.0 * value * slope, rtol=1e-7, atol=1e-10), path


def spelled(path: Path) -> str:
    """How Python reads what stands at a path."""
    return "".join(f".{k}" if isinstance(k, Attribute) else f"[{k!r}]" for k in path)


def unit(value: Any, paths: list[Path], one: Path) -> Any:
    """A tangent with 1 at one path, and 0 at the others."""
    made = (direction(value),)
    for path in (*paths, one):
        # changed() adds, so that what is found twice is none or one, too
        wanted = 1.0 if path is one else 0.0
        made = changed(made, (0, *path), wanted - (read(made[0], path) or 0.0))
    return made[0]


@pytest.mark.sampled(1000, of_long=3)
@pytest.mark.parametrize("program", cases())
def test_numbers_of_gradients(program: Program) -> None:
    arguments, name, place = parts(program)
    paths = list(numbers_in(arguments[place]))
    if not paths:
        pytest.skip("it takes no floats")
    at = paths[len(paths) // 2]
    body = f"g_ = s2sad.grad(f, wrt={name!r})(...)\nreturn 1.5 * g_{spelled(at)}"
    one = made_of(program, body)
    tangent = unit(arguments[place], paths, at)
    try:
        expected = hvp(program.function, wrt=name)(*copy.deepcopy(arguments), tangent)
        found = grad(one, wrt=name)(*copy.deepcopy(arguments))
    except errors.UnsupportedError as error:
        refused(error, NOT_AGAIN)
    for path in paths:
        own, other = read(found, path) or 0.0, read(expected, path) or 0.0
        assert np.isclose(own, 1.5 * other, rtol=1e-6, atol=1e-9), path


class Body:
    def __init__(self, x: float, m: float) -> None:
        self.x, self.m = x, m


def moments(bodies: Any, place: int = 0) -> Any:
    if place == len(bodies):
        return 0.0
    one = bodies[place]
    return one.x * one.m + 0.5 * moments(bodies, place + 1)


def led(bodies: Any, leader: Any, place: int = 0) -> Any:
    if place == 3:
        return moments(bodies) * leader.x
    return math.sin(led(bodies, leader, place + 1)) * leader.m


@pytest.mark.parametrize("optimise", [None, {"inlining": False}])
def test_what_two_arguments_share_gets_its_adjoint_once(optimise: Any) -> None:
    def squared(bodies: Any, leader: Any) -> Any:
        value, _ = s2sad.value_and_grad(led, wrt=(0, 1))(bodies, leader)
        return value**2

    bodies = [Body(0.3 + 0.1 * k, 1.0 - 0.1 * k) for k in range(6)]
    leader = bodies[2]
    value, slopes = s2sad.value_and_grad(led, wrt=(0, 1))(bodies, leader)
    found = grad(squared, wrt=(0, 1), optimise=optimise)(bodies, leader)
    pairs = zip([*found[0], found[1]], [*slopes[0], slopes[1]], strict=True)
    for own, slope in pairs:
        assert np.isclose(own.x, 2.0 * value * slope.x)
        assert np.isclose(own.m, 2.0 * value * slope.m)
