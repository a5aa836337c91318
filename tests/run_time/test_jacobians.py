"""Jacobians and Hessians with respect to run-time values: against differences, in the
form that small arguments have, one text and one compilation for all sizes."""

from __future__ import annotations

import copy
import inspect
import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from s2sad import errors, grad, hessian, hvp, jacfwd, jacobian, jacrev
from tests.run_time.programs import PROGRAMS, Program
from tests.run_time.structures import Link, Slotted, Spring, chain, springs
from tests.run_time.test_reading import changed, numbers_in, read
from tests.support.compilations import counted

STEP = 1e-5


@dataclass
class Body:
    mass: float
    place: np.ndarray
    near: list[Body] = field(default_factory=list)
    number: int = 1
    lift: float | None = None


def bodies(count: int) -> list[Body]:
    made = [
        Body(0.5 + 0.1 * (k % 7), np.array([0.2, 0.3]) * (k % 5)) for k in range(count)
    ]
    made[0].near.append(made[1])
    return [*made, made[2]]  # which stands there twice


def numbers(count: int) -> list[float]:
    return [0.1 * (k % 11) + 0.05 for k in range(count)]


def waves(ws: list[float]) -> np.ndarray:
    out = np.zeros((2, 3))
    for k, w in enumerate(ws):
        out = out + w * w * np.sin(0.1 * k + np.arange(6.0).reshape(2, 3))
    return np.cos(0.1 * out)


def several(ws: list[float]) -> Any:
    total, product = 0.0, 1.0
    for w in ws:
        total, product = total + math.sin(w), product * (1.0 + 0.001 * w)
    return {"total": total, "both": np.array([total, product])}


def items(ws: list[float]) -> Any:
    return [0.5 * w * w for w in ws]


def as_array(ws: list[float]) -> Any:
    x = np.array(ws)
    return np.array([np.sum(x**2), np.sum(ws) * x[0], max(ws) * len(ws)])


def of_rows(rows: list[list[float]]) -> Any:
    total = np.zeros(3)
    for row in rows:
        total = total + np.sum(row) * np.arange(3.0) * sum(row[:1])
    return total


def of_arrays(xs: list[np.ndarray]) -> Any:
    total = np.ones(2)
    for x in xs:
        total = np.sin(total * x)
    return total


def of_bodies(bs: list[Body]) -> Any:
    total = np.zeros(2)
    for b in bs:
        total = total + np.sin(b.mass * b.place) * b.number
        for other in b.near:
            total = total + other.mass * b.place
        if b.lift is not None:
            total = total * b.lift
    return total


def of_pairs(pairs: list[tuple[int, float]]) -> Any:
    total = np.zeros(2)
    for k, x in pairs:
        total[k % 2] += x * x
    return total


def of_dict(d: dict[str, float]) -> Any:
    total = 0.0
    for value in d.values():
        total += math.exp(0.1 * value)
    return np.array([total, d["k0"] * total])


def weighed(link: Link | None, rate: float) -> float:
    return 0.0 if link is None else link.weight + rate * weighed(link.behind, rate)


def of_chain(link: Link) -> Any:
    return np.array([weighed(link, 0.5), weighed(link, -0.1) ** 2])


def of_slots(parts: list[Slotted]) -> Any:
    return np.array([sum(p.first * p.second for p in parts), parts[1].first ** 2])


def arrays(count: int) -> list[np.ndarray]:
    return [np.array([0.3, 0.5]) + 0.01 * (k % 9) for k in range(count)]


MADE = {
    waves: numbers,
    several: numbers,
    items: numbers,
    as_array: numbers,
    of_rows: lambda count: [numbers(k % 3 + 2) for k in range(count)],
    of_arrays: arrays,
    of_bodies: bodies,
    of_pairs: lambda count: [(k, x) for k, x in enumerate(numbers(count))],
    of_dict: lambda count: {f"k{k}": x for k, x in enumerate(numbers(count))},
    of_chain: chain,
    of_slots: lambda count: [Slotted(x, 0.5) for x in numbers(count)],
}
everything = pytest.mark.parametrize("function", MADE, ids=lambda f: f.__name__)


def results_of(value: Any, path: tuple = ()) -> list[Any]:
    """The paths to the numbers and arrays of a result."""
    if isinstance(value, dict):
        return [p for key, v in value.items() for p in results_of(v, (*path, key))]
    if isinstance(value, list | tuple):
        return [p for k, v in enumerate(value) for p in results_of(v, (*path, k))]
    return [path]


def is_in_array(value: Any, path: tuple) -> bool:
    index = path and isinstance(path[-1], tuple)
    return bool(index and isinstance(read(value, path[:-1]), np.ndarray))


def part(structure: Any, value: Any, path: tuple, rank: int) -> Any:
    """What a Jacobian has for one number of an argument, behind ``rank`` axes."""
    if is_in_array(value, path):
        return read(structure, path[:-1])[(*[slice(None)] * rank, *path[-1])]
    return read(structure, path)


def check(function: Any, jacobian_of: Any, value: Any, most: int = 12) -> None:
    """Compare a Jacobian with central differences."""
    found = jacobian_of(value)
    paths = list(numbers_in(value))
    for path in paths[:: len(paths) // most + 1]:
        up, down = (
            function(changed(copy.deepcopy(value), path, by)) for by in (STEP, -STEP)
        )
        for place in results_of(up):
            expected = (read(up, place) - read(down, place)) / (2.0 * STEP)
            own = part(read(found, place), value, path, np.ndim(expected))
            assert np.shape(own) == np.shape(expected)
            np.testing.assert_allclose(own, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.sampled(6)
@everything
def test_jacobians(function: Any) -> None:
    for transform in (jacobian, jacrev, jacfwd):
        check(function, transform(function), MADE[function](7))


@pytest.mark.sampled(6)
@everything
def test_one_text_and_one_compilation_for_all_sizes(function: Any) -> None:
    made = jacobian(function)
    large = {items: 300, of_chain: 60}.get(function, 5000)
    text = made.source_for(MADE[function](5))
    with counted() as compiled:
        check(function, made, MADE[function](5))
        check(function, made, MADE[function](large), most=2)
    assert compiled == []
    assert made.source_for(MADE[function](large)) == text
    assert "for k in range" not in text, "one cotangent after the other"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [waves, several, items], ids=lambda f: f.__name__)
def test_the_form_is_that_of_few_items(function: Any) -> None:
    def form(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: form(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value), len(value), form(value[0])
        return np.shape(value), isinstance(value, float)

    few, more = jacobian(function)(numbers(4)), jacobian(function)(numbers(5))
    assert str(form(few)) == str(form(more)).replace("5", "4")


def test_beside_other_arguments() -> None:
    def both(ws: list[float], x: np.ndarray, s: Spring, rate: float) -> Any:
        out = x * s.k
        for w in ws:
            out = out + np.sin(w * rate * x)
        return out

    ws, x, s = numbers(6), np.array([0.3, 0.7]), springs(1)[0]
    wrt = ("ws", "x", "s", "rate")
    expected = [jacobian(both, name)(ws, x, s, 0.4) for name in wrt]
    for transform in (jacrev, jacfwd):
        found = transform(both, wrt)(ws, x, s, 0.4)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)
        np.testing.assert_allclose(found[2].k, expected[2].k, rtol=1e-12)
        np.testing.assert_allclose(found[3], expected[3], rtol=1e-12)


def test_one_object_has_one_total_and_rows_share_no_memory() -> None:
    bs = bodies(6)
    found = jacobian(of_bodies)(bs)
    assert found[2] is found[-1]
    found[0].place[:] = 7.0
    assert not np.any(found[1].place == 7.0) and bs[0].place[0] == 0.0
    assert found[0].number is None and found[0].lift is None


def test_numbers_that_carry_nothing() -> None:
    def mixed(ws: list[Any]) -> Any:
        return np.array([ws[0] * ws[1], ws[1] ** 2])

    found = jacobian(mixed)([0.5, 2, 0.25, 1.0, 3])
    np.testing.assert_allclose(found[0], [2.0, 0.0])
    np.testing.assert_allclose(found[2], [0.0, 0.0])

    def constant(ws: list[float], x: np.ndarray) -> Any:
        return 2.0 * x

    for transform in (jacrev, jacfwd):
        found = transform(constant)(numbers(5), np.ones(3))
        np.testing.assert_allclose(found, np.zeros((5, 3)))


def cases() -> list[Any]:
    return [pytest.param(program, id=program.function.__name__) for program in PROGRAMS]


HESSIANS_REFUSED = {
    "evaluated",
    "of_calls",
    "symbolic_derivative",
    "simplified_second_derivative",
    "derivative_of_a_composition",
    "partial_derivatives",
    "that_read_the_function_around",
}
"""Tangents of tuples have no texts that say what these hold, and functions can't go on
to read variables of a derivative inside."""


@pytest.mark.sampled(24, of_long=1)
@pytest.mark.parametrize("program", cases())
def test_hessians(program: Program) -> None:
    function = program.function
    arguments = program.arguments(7)
    names = list(inspect.signature(function).parameters)
    name = program.wrt[0] if program.wrt else names[0]
    place = names.index(name)
    value = arguments[place]
    if function.__name__ in HESSIANS_REFUSED:
        with pytest.raises(errors.UnsupportedError):
            hessian(function, name)(*arguments)
        return
    found = hessian(function, name)(*arguments)
    gradient = grad(function, name)
    paths = list(numbers_in(value))
    for second in paths[:: len(paths) // 4 + 1]:
        up, down = (
            gradient(*changed(copy.deepcopy(arguments), (place, *second), by))
            for by in (STEP, -STEP)
        )
        for first in paths[:: len(paths) // 8 + 1]:
            inside = is_in_array(value, first)
            outer = read(found, first[:-1] if inside else first)
            if outer is None:
                continue
            rank = len(first[-1]) if inside else 0
            own = part(outer, value, second, rank)
            own = 0.0 if own is None else own[first[-1]] if inside else own
            slope = (read(up, first) or 0.0) - (read(down, first) or 0.0)
            expected = slope / (2.0 * STEP)
            np.testing.assert_allclose(own, expected, rtol=1e-4, atol=1e-4)


def of_rows(xs: list[list[float]], c: float) -> float:
    total = 1.0
    for row in xs:
        total = total * c + sum(row) * c
    return total


def test_hessians_by_rows_of_which_some_are_empty() -> None:
    """A list by value had an axis named like that of a list of known length."""
    xs = [[1.0], [2.0, 3.0], [], [0.5, 1.0], [1.2], [3.0, 2.0]]
    by_c = hessian(of_rows, ("xs", "c"))(xs, 1.1)[1][0]
    step = 1e-6
    up, down = (grad(of_rows)(xs, 1.1 + by) for by in (step, -step))
    for row, more, less in zip(by_c, up, down, strict=True):
        slopes = [(a - b) / (2 * step) for a, b in zip(more, less, strict=True)]
        np.testing.assert_allclose(row, slopes, rtol=1e-6)


def energy(ws: list[float]) -> float:
    total = 1.0
    for w in ws:
        total = total * 0.999 + math.sin(w) * total * 0.01
    return total


def strain(parts: list[Spring]) -> float:
    total = 0.0
    for p in parts:
        total += 0.5 * p.k * (p.rest - 0.1 * total) ** 2
    return total


def test_hessians_of_any_size() -> None:
    made = hessian(energy)
    with counted() as compiled:
        assert np.shape(made(numbers(5))) == (5, 5)
        large = np.array(made(numbers(300)))
    assert len(compiled) == 1
    np.testing.assert_allclose(large, large.T, rtol=1e-12)
    assert made.source_for(numbers(5)) == made.source_for(numbers(300))
    few = hessian(energy)(numbers(4))
    np.testing.assert_allclose(
        few, hessian(lambda x: energy(x))(np.array(numbers(4))), rtol=1e-9
    )


def kept_up(d: dict[str, float], t: float) -> float:
    d["new"] = t * d["k1"] ** 2
    d["k1"] *= d.pop("k0")
    total = 0.0
    for key, value in d.items():
        total = 0.5 * total + value**2 * t * len(key)
    return total


def test_hessians_by_dicts_that_the_program_changes() -> None:
    def named(count: int) -> dict[str, float]:
        return {f"k{k}": 0.5 + 0.01 * (k % 7) for k in range(count)}

    made, product = hessian(kept_up), hvp(kept_up)
    with counted() as compiled:
        for count in (5, 60):
            found, d = made(named(count), 0.7), named(count)
            for second in ("k0", "k1", "k4"):
                up, down = (
                    grad(kept_up)({**d, second: d[second] + by}, 0.7)
                    for by in (STEP, -STEP)
                )
                for first in ("k0", "k1", "k2", "k4"):
                    expected = (up[first] - down[first]) / (2 * STEP)
                    np.testing.assert_allclose(
                        found[first][second], expected, rtol=1e-5, atol=1e-6
                    )
        large = named(5000)
        along = {key: 1.0 if key == "k1" else 0.0 for key in large}
        column = product(large, 0.7, along)
        few = product(named(60), 0.7, {key: along[key] for key in named(60)})
    assert sorted(compiled) == ["kept_up", "kept_up", "kept_up_hessian"]
    text = made.source_for(named(5), 0.7)
    assert made.source_for(large, 0.7) == text
    assert len(column) == 5000 and len(few) == 60
    np.testing.assert_allclose(few["k1"], made(named(60), 0.7)["k1"]["k1"], rtol=1e-9)


def test_hessians_by_objects_and_arguments_beside_them() -> None:
    def stretched(parts: list[Spring], x: np.ndarray) -> float:
        return strain(parts) * np.sum(x**2)

    parts, x = springs(6), np.array([0.5, 1.5])
    found = hessian(stretched, ("parts", "x"))(parts, x)
    slope = grad(stretched, ("parts", "x"))
    up, down = (
        slope([Spring(parts[0].k + by, parts[0].rest), *parts[1:]], x)
        for by in (STEP, -STEP)
    )
    for k in range(6):
        own, beside = found[0][k].rest
        expected = (up[0][k].rest - down[0][k].rest) / (2 * STEP)
        np.testing.assert_allclose(own[0].k, expected, rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(beside, found[1][0][k].rest, rtol=1e-9)
    np.testing.assert_allclose(
        found[1][1], 2 * strain(parts) * np.eye(2), rtol=1e-9, atol=1e-9
    )


def test_inside_of_a_differentiated_function_a_jacobian_is_refused() -> None:
    def size(bs: list[Body]) -> float:
        return np.sum(jacobian(of_bodies)(bs)[0].mass)

    with pytest.raises(errors.UnsupportedError):
        grad(size)(bodies(100))


def test_of_complex_results() -> None:
    def turned(ws: list[float]) -> Any:
        return np.array([np.exp(1j * ws[0]) * ws[1], ws[2] + 0j])

    found = jacobian(turned)(numbers(5))
    a, b = numbers(2)
    np.testing.assert_allclose(found[0], [1j * np.exp(1j * a) * b, 0.0])
    np.testing.assert_allclose(found[1], [np.exp(1j * a), 0.0])
    np.testing.assert_allclose(found[2], [0.0, 1.0])


def of_queue(xs):
    return np.array([sum(x * x for x in xs), xs[0] * xs[1]])


@pytest.mark.parametrize("jacobian", (jacrev, jacfwd))
def test_a_jacobian_by_a_deque_is_a_deque(jacobian):
    queue = deque([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], maxlen=9)
    found = jacobian(of_queue)(queue)
    assert type(found) is deque and found.maxlen == 9
    np.testing.assert_allclose(found[0], [2.0, 2.0])
    np.testing.assert_allclose(found[5], [12.0, 0.0])
