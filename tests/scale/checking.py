"""One program at one size: its derivatives against differences and each other."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from s2sad import hvp, jvp, value_and_grad, vjp
from s2sad.codegen.seeds import has_derivative
from s2sad.optim.structure import map_structure
from s2sad.testing.structures import (
    copied,
    inner_product,
    moved,
    numbers_of,
    random_like,
    weighed,
)
from tests.scale.program import Program
from tests.support.compilations import counted

EXACT = 1e-9
OF_DIFFERENCES = 2e-6
STEP = 2e-6


class Checked:
    """Derivatives of a program, for arguments of any size."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.parameters = tuple(inspect.signature(program.function).parameters)
        self.texts: set[str] = set()
        self.compiled: list[str] = []
        self.derivatives: dict[str, Any] = {}

    def check(self, size: int) -> None:
        """Compare all derivatives; raises AssertionError where one is wrong."""
        arguments = self.program.arguments(size, np.random.default_rng(size))
        wrt = self.program.wrt or tuple(
            name
            for name, value in zip(self.parameters, arguments, strict=True)
            if numbers_of(value)
        )
        rng = np.random.default_rng([size, 1])
        before = copied(arguments)
        case = _Case(self, wrt, arguments, rng)
        with counted() as found:
            case.first_order()
            if self.program.second and case.is_number:
                case.second_order()
        self.compiled += found
        assert _same(arguments, before), f"{self.program.name} changed its arguments"

    def derivative(self, make: Any, wrt: tuple[str, ...]) -> Any:
        """A derivative, made once."""
        name = make.__name__
        if name not in self.derivatives:
            self.derivatives[name] = make(self.program.function, wrt)
        return self.derivatives[name]


class _Case:
    def __init__(
        self,
        checked: Checked,
        wrt: tuple[str, ...],
        arguments: tuple[Any, ...],
        rng: np.random.Generator,
    ) -> None:
        self.checked, self.wrt, self.arguments = checked, wrt, arguments
        self.function = checked.program.function
        self.places = [checked.parameters.index(name) for name in wrt]
        self.primals = tuple(arguments[k] for k in self.places)
        self.directions = [
            tuple(random_like(rng, p) for p in self.primals) for _ in range(2)
        ]
        self.value = self.function(*copied(arguments))
        self.is_number = np.ndim(_plain(self.value)) == 0
        self.weights = random_like(rng, self.value)
        self.whole = tuple(  # directions for all arguments, zero for the others
            self.directions[0][self.places.index(k)]
            if k in self.places
            else map_structure(_zero, value)
            for k, value in enumerate(arguments)
        )

    def at(self, direction: Any, step: float) -> tuple[Any, ...]:
        """The arguments, moved."""
        found = list(copied(self.arguments))
        for place, tangent in zip(self.places, direction, strict=True):
            found[place] = moved(self.arguments[place], tangent, step)
        return tuple(found)

    def first_order(self) -> None:
        direction = self.directions[0]
        with_value = jvp(self.function, self.arguments, self.whole)
        assert _same(with_value[0], self.value), "jvp gives another value"
        forward = _weighed(self.weights, with_value[1])
        ends = [self.function(*self.at(direction, s * STEP)) for s in (1.0, -1.0)]
        ahead, behind = (_weighed(self.weights, end) for end in ends)
        _close(forward, (ahead - behind) / (2.0 * STEP), OF_DIFFERENCES, "jvp")
        value, pullback = vjp(self.function, *self.arguments)
        assert _same(value, self.value), "vjp gives another value"
        for factor in (1.0, -2.0, 1.0):
            weights = map_structure(lambda w, by=factor: _times(w, by), self.weights)
            bars = pullback(weights)
            found = sum(
                inner_product(bars[k], d)
                for k, d in zip(self.places, direction, strict=True)
            )
            _close(found, factor * forward, EXACT, "vjp")
        if self.is_number:
            derivative = self.checked.derivative(value_and_grad, self.wrt)
            value, gradient = derivative(*self.arguments)
            assert _same(value, self.value), "value_and_grad gives another value"
            self.checked.texts.add(derivative.source_for(*self.arguments))
            found = inner_product(gradient, direction) * _plain(self.weights)
            _close(found, forward, EXACT, "value_and_grad")
            for bar, primal in zip(gradient, self.primals, strict=True):
                _check_structure(bar, primal)

    def second_order(self) -> None:
        first, second = self.directions
        derivative = self.checked.derivative(value_and_grad, self.wrt)
        product = self.checked.derivative(hvp, self.wrt)
        found = inner_product(product(*self.arguments, first), second)
        other = inner_product(product(*self.arguments, second), first)
        _close(found, other, EXACT, "hvp isn't symmetrical")
        ahead, behind = (
            inner_product(derivative(*self.at(first, s * STEP))[1], second)
            for s in (1.0, -1.0)
        )
        _close(found, (ahead - behind) / (2.0 * STEP), OF_DIFFERENCES, "hvp")


def _close(found: float, wanted: float, tolerance: float, what: str) -> None:
    bound = tolerance * (1.0 + abs(wanted))
    assert abs(found - wanted) <= bound, f"{what}: {found!r}, not {wanted!r}"


def _check_structure(bar: Any, primal: Any) -> None:
    """The gradient has the structure of the argument."""
    assert type(bar) is type(primal), f"{type(bar)} for {type(primal)}"
    if isinstance(primal, list | tuple):
        assert len(bar) == len(primal)
        for item, other in zip(bar, primal, strict=True):
            if isinstance(other, list | tuple | np.ndarray):
                _check_structure(item, other)
    elif isinstance(primal, np.ndarray):
        assert bar.shape == primal.shape and bar.dtype == primal.dtype


def _plain(value: Any) -> Any:
    return (
        value if isinstance(value, int | float | np.generic | np.ndarray) else [value]
    )


def _weighed(weights: Any, value: Any) -> float:
    return float(weighed(weights, value))


def _zero(leaf: Any) -> Any:
    return np.zeros_like(leaf)[()] * 1.0 if has_derivative(leaf) else None


def _times(leaf: Any, factor: float) -> Any:
    return None if leaf is None else factor * leaf


def _same(a: Any, b: Any) -> bool:
    """True for equal structures of equal numbers."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float):
        return bool(np.isclose(a, b, 1e-13, 1e-14))
    return bool(a == b)
