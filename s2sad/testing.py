"""Checks of derivatives, for tests of one's own functions and rules.

>>> import numpy as np
>>> def f(x):
...     return np.sum(np.sin(x) ** 2)
>>> report = check_gradient(f, np.array([0.1, 2.0]))
>>> report.passed
True

Derivatives are compared with central differences, (f(x + h) - f(x - h)) / 2h. Their
error is h**2 |f'''| / 6 from truncation plus about eps |f| / h from rounding, least
near h = eps**(1/3) (Nocedal and Wright, Numerical Optimization, 2nd ed., section 8.1).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.api import grad, hvp, jvp, vjp
from s2sad.codegen.seeds import has_derivative, seed_like
from s2sad.errors import ArgumentError
from s2sad.optim.structure import map_structure, map_structure_with_path

__all__ = ["Comparison", "Report", "check_gradient", "check_rule"]

_Numbers = dict[str, Any]
"""The leaves of a structure by path."""


@dataclass(frozen=True)
class Comparison:
    """One derivative that was compared with what it should be."""

    what: str
    """``"w[2, 0]"``, an element; or what a product was taken of."""
    derivative: complex
    expected: complex
    tolerance: float
    """The largest difference that rounding and truncation explain."""

    @property
    def error(self) -> float:
        """The difference; infinite where just one of the two is finite."""
        if np.isfinite(self.derivative) and np.isfinite(self.expected):
            return float(abs(self.derivative - self.expected))
        same = self.derivative == self.expected
        both = np.isnan(self.derivative) and np.isnan(self.expected)
        return 0.0 if same or both else float("inf")

    @property
    def passed(self) -> bool:
        """Whether the two agree."""
        return self.error <= self.tolerance

    def __str__(self) -> str:
        mark = "ok" if self.passed else "WRONG"
        return (
            f"{mark:5} {self.what}: {self.derivative:.10g}, expected "
            f"{self.expected:.10g} (error {self.error:.1e})"
        )


@dataclass(frozen=True)
class Report:
    """What a check found. ``str(report)`` lists the comparisons that failed."""

    name: str
    comparisons: tuple[Comparison, ...]

    @property
    def passed(self) -> bool:
        """Whether all comparisons agree, and there were some."""
        return bool(self.comparisons) and not self.failed

    @property
    def failed(self) -> tuple[Comparison, ...]:
        """The comparisons that don't agree."""
        return tuple(c for c in self.comparisons if not c.passed)

    @property
    def largest_error(self) -> float:
        """The largest difference found."""
        return max((c.error for c in self.comparisons), default=0.0)

    def raise_if_failed(self) -> None:
        """Raise AssertionError with the comparisons that don't agree."""
        if not self.passed:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        count = len(self.comparisons)
        head = (
            f"{self.name}: {count - len(self.failed)} of {count} agree, largest error "
            f"{self.largest_error:.1e}"
        )
        return "\n".join([head, *(f"  {c}" for c in self.failed)])


def check_gradient(
    function: Callable[..., Any],
    *args: Any,
    wrt: Any = 0,
    tolerance: float | None = None,
    most: int = 100,
    seed: int = 0,
    **kwargs: Any,
) -> Report:
    """Compare the gradient of a function with central differences.

    ``most`` elements of each array are tried, drawn at random from larger ones. A
    result that isn't one number is multiplied by a random cotangent. The tolerance is
    relative to the size of the value and of the gradient; by default it follows from
    the precision of the arguments.

    Raises what ``s2sad.grad`` raises.
    """
    rng = np.random.default_rng(seed)
    gradient_of = grad(function, wrt)
    target = gradient_of._target
    names, single = target.wrt_names(wrt)
    values = target.bind(args, kwargs)
    named = dict(zip(target.parameters, values))
    value = target.call(tuple(map(_copied, values)))
    weights: Any = None
    if isinstance(value, float | np.ndarray | np.generic) and np.shape(value) == ():
        gradients = gradient_of(*args, **kwargs)
    else:
        weights = _random_like(rng, value)
        gradients = gradient_of(*args, gradient=weights, **kwargs)
    by_name = {names[0]: gradients} if single else dict(zip(names, gradients))

    def scalar(parameter: str, changed: Any) -> float:
        now = {**named, parameter: changed}
        result = target.call(tuple(_copied(now[name]) for name in target.parameters))
        return float(result) if weights is None else _dot(weights, result)

    comparisons: list[Comparison] = []
    for name in names:
        comparisons += _compare(
            name,
            named[name],
            by_name[name],
            functools.partial(scalar, name),
            rng,
            most,
            tolerance,
        )
    return Report(f"gradient of {target.name}", tuple(comparisons))


def check_rule(
    function: Callable[..., Any],
    *args: Any,
    tolerance: float | None = None,
    most: int = 30,
    seed: int = 0,
    second_order: bool = True,
    **kwargs: Any,
) -> Report:
    """Check the registered derivative of a function in all its uses.

    The pullback is compared with central differences, the pushforward with the pullback
    by the dot-product test, <w, J t> = <J^T w, t>, and products with the second
    derivative with differences of the gradient. All arguments that can carry a
    derivative are tried together.
    """
    rng = np.random.default_rng(seed)
    args = tuple(args)
    value = function(*args, **kwargs)
    weights = _random_like(rng, value)
    name = getattr(function, "__name__", repr(function))
    if not _numbers(args):
        raise ArgumentError(f"no argument of {name} can carry a derivative")
    call = _call_of(function, kwargs)
    cotangents = vjp(call, *args)[1](weights)
    comparisons = _compare(
        "argument",
        args,
        cotangents,
        lambda changed: _dot(weights, function(*changed, **kwargs)),
        rng,
        most,
        tolerance,
    )
    directions = _random_like(rng, args)
    _, tangent = jvp(call, args, directions)
    expected = _dot(cotangents, directions)
    loose = tolerance or _tolerance(args)
    comparisons.append(
        Comparison(
            "the dot-product test",
            _dot(weights, tangent),
            expected,
            loose * 1e-3 * max(1.0, abs(expected), _size(cotangents)),
        )
    )
    if second_order:
        comparisons += _second_order(
            function, args, kwargs, weights, directions, tolerance
        )
    return Report(f"rule of {name}", tuple(comparisons))


def _second_order(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    weights: Any,
    directions: Any,
    tolerance: float | None,
) -> list[Comparison]:
    weighted = _weighted_sum_of(function, kwargs, weights)
    product = hvp(weighted)(*args, directions)
    gradient = grad(weighted)
    step = _step(args) / max(1.0, _size(directions))
    above, below = (
        gradient(*_moved(args, directions, sign * step)) for sign in (1.0, -1.0)
    )
    found, upper, lower = map(_numbers, (product, above, below))
    size = max(1.0, _size(above))
    loose = tolerance or 10.0 * _tolerance(args)
    comparisons = []
    for path, leaf in found.items():
        expected = (np.asarray(upper[path]) - lower[path]) / (2.0 * step)
        for index in np.ndindex(np.shape(leaf)):
            derivative = np.asarray(leaf)[index]
            limit = loose * max(size, abs(expected[index]))
            comparisons.append(
                Comparison(
                    f"second derivative, argument{path}{_indexed(index)}",
                    derivative.item(),
                    expected[index].item(),
                    limit,
                )
            )
    return comparisons


# Compiled by s2sad. The function to check is a captured variable, so that the generated
# code has a name for it.


def _call_of(
    function: Callable[..., Any], kwargs: dict[str, Any]
) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        return function(*args, **kwargs)

    return call


def _weighted_sum_of(
    function: Callable[..., Any], kwargs: dict[str, Any], weights: Any
) -> Callable[..., Any]:
    def weighted(*args: Any) -> Any:
        return np.sum(weights * function(*args, **kwargs))

    def weighted_items(*args: Any) -> Any:
        items = function(*args, **kwargs)
        total = 0.0
        for k in range(len(weights)):
            if weights[k] is not None:
                total = total + np.sum(weights[k] * items[k])
        return total

    return weighted_items if isinstance(weights, tuple | list) else weighted


def _compare(
    name: str,
    value: Any,
    gradient: Any,
    scalar: Callable[[Any], float],
    rng: np.random.Generator,
    most: int,
    tolerance: float | None,
) -> list[Comparison]:
    """The gradient with respect to one structure, element by element."""
    relative = tolerance or _tolerance(value)
    gradients = _numbers(gradient)
    size = max(1.0, abs(scalar(value)), _size(gradient))
    comparisons = []
    for path, leaf in _numbers(value).items():
        found: Any = gradients.get(path)
        if np.shape(found) != np.shape(leaf):
            raise AssertionError(
                f"the gradient of {name}{path} has shape {np.shape(found)}, but must "
                f"have shape {np.shape(leaf)}"
            )
        for index in _indices(np.shape(leaf), most, rng):
            element = np.asarray(leaf)[index]
            step = _step(leaf) * max(1.0, float(abs(element)))
            upper, lower = np.array(leaf), np.array(leaf)
            upper[index] += step
            lower[index] -= step
            # The distance moved, which rounding makes differ from twice the step.
            distance = float(upper[index]) - float(lower[index])
            difference = scalar(_with_leaf(value, path, upper)) - scalar(
                _with_leaf(value, path, lower)
            )
            comparisons.append(
                Comparison(
                    f"{name}{path}{_indexed(index)}",
                    np.asarray(found)[index].item(),
                    difference / distance,
                    relative * size,
                )
            )
    return comparisons


def _numbers(structure: Any) -> _Numbers:
    """The leaves that can carry a derivative."""
    found: _Numbers = {}

    def note(path: str, leaf: Any) -> Any:
        if has_derivative(leaf):
            found[path] = leaf
        return leaf

    map_structure_with_path(note, structure)
    return found


def _with_leaf(structure: Any, path: str, new: np.ndarray) -> Any:
    def change(at: str, leaf: Any) -> Any:
        return _like(leaf, new) if at == path else _copied_leaf(leaf)

    return map_structure_with_path(change, structure)


def _moved(structure: Any, directions: Any, step: float) -> Any:
    tangents = _numbers(directions)

    def move(path: str, leaf: Any) -> Any:
        if path not in tangents or not has_derivative(leaf):
            return _copied_leaf(leaf)
        return _like(leaf, np.asarray(leaf + step * tangents[path]))

    return map_structure_with_path(move, structure)


def _copied(structure: Any) -> Any:
    return map_structure(_copied_leaf, structure)


def _copied_leaf(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _like(leaf: Any, array: np.ndarray) -> Any:
    if isinstance(leaf, np.ndarray):
        return np.asarray(array, dtype=leaf.dtype)
    return type(leaf)(array[()])


def _random_like(rng: np.random.Generator, structure: Any) -> Any:
    def draw(leaf: Any) -> Any:
        if not has_derivative(leaf):
            return None
        return seed_like(rng.standard_normal(np.shape(leaf)), leaf, "a random seed")

    return map_structure(draw, structure)


def _dot(a: Any, b: Any) -> float:
    """The inner product over the leaves that both structures have numbers in."""
    others = _numbers(b)
    return float(
        sum(
            np.vdot(leaf, others[path])
            for path, leaf in _numbers(a).items()
            if path in others
        )
    )


def _size(structure: Any) -> float:
    leaves = _numbers(structure).values()
    return max((float(np.max(np.abs(x))) for x in leaves if np.size(x)), default=0.0)


def _precision(structure: Any) -> float:
    leaves = _numbers(structure).values()
    return max((float(np.finfo(np.asarray(x).dtype).eps) for x in leaves), default=0.0)


def _step(structure: Any) -> float:
    return float(np.cbrt(_precision(structure)))


def _tolerance(structure: Any) -> float:
    """About 4e-8 for float64 and 2e-2 for float32: what central differences give,
    with room for large third derivatives."""
    return float(1e3 * _precision(structure) ** (2 / 3))


def _indices(
    shape: tuple[int, ...], most: int, rng: np.random.Generator
) -> Iterator[tuple[int, ...]]:
    size = int(np.prod(shape))
    if size <= most:
        yield from np.ndindex(shape)
        return
    for number in sorted(rng.choice(size, most, replace=False)):
        yield tuple(int(k) for k in np.unravel_index(number, shape))


def _indexed(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]" if index else ""
