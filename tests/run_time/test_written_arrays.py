"""Arrays that stand in what is kept as it is, and are written into: one text for any
number of them, what is one array stays one, and what can't be told apart raises."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from s2sad import errors, grad, jacobian, jvp, value_and_grad, vjp
from s2sad.testing import check_grads
from tests.run_time.programs import Program, shared_arrays, written_arrays
from tests.run_time.programs.table import PROGRAMS
from tests.run_time.programs.written_arrays import (
    Bank,
    Layer,
    Particle,
    moved_in_place,
    particles,
    vector,
)
from tests.run_time.test_reading import check, numbers_in, read

MODULES = (written_arrays.__name__, shared_arrays.__name__)
OF_ARRAYS = [p for p in PROGRAMS if p.function.__module__ in MODULES]
BY_SIZE = [
    p for p in OF_ARRAYS if p.function.__name__ in ("moved_in_place", "trained")
] + [p for p in OF_ARRAYS if p.function.__name__ == "in_lists_of_objects"]


@pytest.mark.parametrize("program", BY_SIZE, ids=lambda p: p.function.__name__)
def test_three_seventy_and_thousands_have_one_text(program: Program) -> None:
    derivative = grad(program.function, wrt=program.wrt or 0)
    texts = {check(program, derivative, size) for size in (3, 70, 5_000)}
    assert len(texts) == 1


@pytest.mark.parametrize("program", OF_ARRAYS, ids=lambda p: p.function.__name__)
def test_without_optimisations(program: Program) -> None:
    check(program, grad(program.function, wrt=program.wrt or 0, optimise=False), 6)


@pytest.mark.parametrize("program", OF_ARRAYS, ids=lambda p: p.function.__name__)
def test_what_is_given_stays_as_it_was(program: Program) -> None:
    given = program.arguments(6)
    before = copy.deepcopy(given)
    value, _ = value_and_grad(program.function, wrt=program.wrt or 0)(*given)
    for path in numbers_in(given):
        assert read(given, path) == read(before, path), path
    assert value == pytest.approx(program.function(*before))


def test_an_array_in_two_places_has_its_total_in_both() -> None:
    given = particles(6)
    given[4].v = given[0].x
    gradient = grad(moved_in_place)(given, 0.3)
    assert gradient[4].v is gradient[0].x
    first, last = given[0].x + 0.3 * given[0].v, given[4].x + 0.3 * given[0].x
    last = given[4].x + 0.3 * first
    np.testing.assert_allclose(gradient[0].x, 2.0 * first + 0.6 * last)


def rows_of_one_array(rows: list[Any]) -> float:
    for bank in rows:
        for row in bank.rows:
            row[0] *= row[1]
    return float(sum(row @ row for bank in rows for row in bank.rows))


def test_rows_of_one_array_are_apart() -> None:
    whole = np.arange(24.0).reshape(6, 2, 2) / 10.0
    banks = [Bank(list(part), 1.0) for part in whole]
    gradient = grad(rows_of_one_array)(banks)
    own = [Bank([row.copy() for row in part], 1.0) for part in whole]
    for found, expected in zip(gradient, grad(rows_of_one_array)(own), strict=True):
        np.testing.assert_allclose(found.rows, expected.rows)


def overlapping() -> Any:
    given = particles(6)
    whole = vector(4)
    given[0].x, given[1].x = whole[:3], whole[1:]
    return (given, 0.3)


def with_a_view() -> Any:
    given = particles(6)
    given[0].x = given[1].v[:]
    return (given, 0.3)


@pytest.mark.parametrize("arguments", [overlapping, with_a_view])
def test_views_of_one_array_raise(arguments: Any) -> None:
    given = arguments()
    with pytest.raises(ValueError, match="shares memory"):
        grad(moved_in_place)(*given)
    with pytest.raises(ValueError, match="shares memory"):
        jvp(moved_in_place, given, (None, 1.0))


def added(layers: list[Layer], x: np.ndarray) -> Any:
    for layer in layers:
        layer.b += x
    return layers[0].b @ x


SHARED = np.ones(3)


def added_shared(layers: list[Layer]) -> Any:
    for layer in layers:
        layer.b += SHARED
    return layers[0].b @ SHARED


def test_another_argument_or_data_of_the_module_may_not_be_one_of_them() -> None:
    layers = [Layer(vector((3, 3)), vector()) for _ in range(5)]
    with pytest.raises(ValueError, match="shares memory"):
        grad(added)(layers, layers[2].b)
    grad(added)(layers, vector())
    grad(added_shared)(layers)
    layers[3].b = SHARED
    with pytest.raises(ValueError, match="shares memory"):
        grad(added_shared)(layers)


def test_different_tangents_of_one_array_raise() -> None:
    given = particles(6)
    given[1].x = given[0].x
    tangent = copy.deepcopy(given)
    assert tangent[1].x is tangent[0].x
    jvp(moved_in_place, (given, 0.3), (tangent, None))
    tangent[1].x = vector()
    with pytest.raises(ValueError, match="different tangents"):
        jvp(moved_in_place, (given, 0.3), (tangent, None))


def all_moved(particles: list[Particle], dt: float) -> list[Particle]:
    for p in particles:
        p.x += dt * p.v
    return particles


def test_results_that_hold_what_was_written_into() -> None:
    given = particles(6)
    given[2].x = given[1].x
    value, pullback = vjp(all_moved, given, 0.5)
    seed = copy.deepcopy(value)
    for _ in range(2):
        gradient, slope = pullback(seed)
        np.testing.assert_allclose(gradient[1].x, seed[1].x)
        np.testing.assert_allclose(gradient[1].v, 0.5 * seed[1].x + seed[1].v)
        assert gradient[2].x is gradient[1].x
        both = [p.v @ s.x for p, s in zip(given, seed, strict=True)]
        assert slope == pytest.approx(sum(both))


def state(particles: list[Particle], k: float) -> Any:
    for p in particles:
        p.x[0] *= k
        p.v += p.x
    return np.stack([p.v for p in particles])


def test_arrays_as_results() -> None:
    check_grads(state, (particles(6), 0.5))
    rows = jacobian(state, wrt="k")(particles(6), 0.5)
    assert rows.shape == (6, 3)


def flattened(layers: list[Layer], k: float) -> float:
    total = 0.0
    for layer in layers:
        flat = layer.w.reshape(9)
        layer.w[0] = k
        total += flat[0] * k
    return total


def written_flat(layers: list[Layer], k: float) -> float:
    for layer in layers:
        layer.w.ravel()[0] = k
    return float(sum(layer.w.sum() for layer in layers))


def halved(particles: list[Particle], x: np.ndarray, count: int) -> float:
    x *= 0.5
    return float(np.sum(x)) if count == 0 else halved(particles, x, count - 1)


def halved_by_itself(particles: list[Particle], count: int) -> float:
    return halved(particles, particles[0].x, count) + float(particles[0].x[0])


def fractions(counts: list[Any], k: float) -> float:
    for c in counts:
        c.seen *= k
    return float(sum(c.weight.sum() for c in counts))


@pytest.mark.parametrize(
    "function, arguments",
    [
        (flattened, lambda: (written_arrays.layers(6), 0.5)),
        (written_flat, lambda: (written_arrays.layers(6), 0.5)),
        (halved_by_itself, lambda: (particles(6), 3)),
        (fractions, lambda: (written_arrays.counters(6), 0.5)),
    ],
)
def test_what_is_not_followed_is_refused(function: Any, arguments: Any) -> None:
    with pytest.raises(errors.UnsupportedError):
        grad(function)(*arguments())
