"""All derivatives of a function at one point, compared with differences and with one
another.

>>> report = check_grads(lambda x, y: np.sin(x) * y, (np.array([0.1, 2.0]), 3.0))
>>> report.passed
True
>>> report = check_grads(lambda x, y: abs(x) + y, (0.0, 1.0))  # no derivative by x
>>> report.passed, [c.what for c in report.undecided]
(False, ['x', 'x, forward', 'second derivative, x'])
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from s2sad.api import grad, hvp, jvp
from s2sad.errors import ArgumentError
from s2sad.testing import points, weighted_sums
from s2sad.testing.differences import (
    Differences,
    complex_step,
    differentiated,
    supported_by_other_steps,
)
from s2sad.testing.reports import Comparison, Report
from s2sad.testing.structures import (
    indexed,
    indices_of,
    inner_product,
    largest_size,
    moved,
    numbers_of,
    with_element,
    zeros_like,
)

MODES = ("fwd", "rev")
_COARSE = 0.05
"""An error of differences that, relative to the derivative, decides nothing."""
_UNSEEN = 1e-6
"""What, relative to the largest derivative, is too small to matter."""
_ORDERS = {2: "second derivative", 3: "third derivative"}
KINK = "the slopes on the two sides differ: there is a kink or a step"
NOT_FINITE = "the function isn't finite around this point"
INFINITE = "a derivative at this point is infinite"
OTHER_STEPS = "differences over other steps are for the derivative"
TOO_COARSE = "the differences are uncertain by {:.1e}"


def check_grads(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    modes: Collection[str] = MODES,
    order: int = 2,
    *,
    wrt: Any = None,
    keywords: Mapping[str, Any] | None = None,
    tolerance: float | None = None,
    most: int = 100,
    seed: int = 0,
) -> Report:
    """Compare the derivatives of a function with differences and with one another.

    Raises AssertionError if one is wrong, or if nothing could be decided, with a line
    for each: the argument and element, both figures, the tolerance. Otherwise returns
    the report. ``report.passed`` is False where something is undecided, and
    ``report.undecided`` says what and why: a kink, a value that isn't finite, rounding
    that hides the differences.

    ``args`` are the positional arguments, floats, arrays and structures of them among
    others, and ``keywords`` those by name. All parameters that hold floats are
    differentiated, or those of ``wrt``. A result that isn't one number is multiplied by
    a random cotangent. Of the elements of an array ``most`` are tried.

    - ``"rev"``: each element of the gradient against differences.
    - ``"fwd"``: the tangent along each element against the same differences.
    - both: <w, J t> = <J^T w, t> for a random t, the dot-product test.
    - ``order=2``: products of the second derivative with a random vector against
      differences of the gradient, and its symmetry <u, H v> = <v, H u>.
    - ``order=3`` and higher: so for each order. The derivative of order k, applied to
      k - 1 random vectors (forward mode, again and again, over reverse mode), against
      differences of that of order k - 1. Code for high orders is long.

    The tolerance follows from the error that the differences estimate of themselves,
    see :mod:`s2sad.testing.differences`; ``tolerance``, relative, is what is allowed at
    least, by default the root of the precision of the arguments. Where differences are
    too coarse to decide, a complex step may confirm a derivative.

    Raises ArgumentError for modes or orders that aren't there, or if no argument holds
    a float, and what ``s2sad.grad``, ``jvp`` and ``hvp`` raise.
    """
    report = grads_report(
        function,
        args,
        modes,
        order,
        wrt=wrt,
        keywords=keywords,
        tolerance=tolerance,
        most=most,
        seed=seed,
    )
    report.raise_if_failed()
    return report


def grads_report(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    modes: Collection[str] = MODES,
    order: int = 2,
    *,
    wrt: Any = None,
    keywords: Mapping[str, Any] | None = None,
    tolerance: float | None = None,
    most: int = 100,
    seed: int = 0,
) -> Report:
    """What :func:`check_grads` finds, without raising for what is wrong."""
    unknown = set(modes) - {*MODES}
    if unknown or not modes or isinstance(modes, str):
        raise ArgumentError(f"modes must be some of {MODES}, not {modes!r}")
    if not isinstance(order, int) or order < 1:
        raise ArgumentError(f"order must be a whole number from 1 on, not {order!r}")
    with np.errstate(all="ignore"):
        point = _Comparisons(function, args, dict(keywords or {}), wrt, tolerance, seed)
        comparisons = point.elements(modes, most)
        if {*modes} == {*MODES}:
            comparisons.append(point.dot_product())
        for one in range(2, order + 1):
            comparisons += point.of_order(one)
    return Report(f"derivatives of {point.target.name}", tuple(comparisons))


class _Comparisons(points.Point):
    """What is compared at a point."""

    # ---------------------------------------------------------------- first order

    def elements(self, modes: Collection[str], most: int) -> list[Comparison]:
        """Each element in each mode, against differences."""
        comparisons = []
        for name in self.names:
            for path, leaf in numbers_of(self.values[name]).items():
                gradient: Any = numbers_of(self.gradients[name]).get(path)
                if np.shape(gradient) != np.shape(leaf):
                    raise AssertionError(
                        f"the gradient of {name}{path} has shape {np.shape(gradient)}, "
                        f"but must have shape {np.shape(leaf)}"
                    )
                for index in indices_of(np.shape(leaf), most, self.rng):
                    reverse = np.asarray(gradient)[index].item()
                    for unit, part in _parts_of(reverse, np.iscomplexobj(leaf)):
                        comparisons += self.element(
                            name, path, index, unit, part, modes
                        )
        return comparisons

    def element(
        self,
        name: str,
        path: str,
        index: tuple[int, ...],
        unit: complex,
        reverse: float,
        modes: Collection[str],
    ) -> list[Comparison]:
        def along(t: Any) -> Any:
            changed = with_element(self.values[name], path, index, t * unit)
            return self.projected({**self.values, name: changed})

        element = np.asarray(numbers_of(self.values[name])[path])[index]
        step = self.step_for(float(abs(element)))
        differences = differentiated(along, step, self.precision)
        what = f"{name}{path}{indexed(index)}{'.imag' * (unit == 1j)}"
        found = {}
        if "rev" in modes:
            found[what] = reverse
        if "fwd" in modes:
            zeros = zeros_like(self.values[name])
            direction = with_element(zeros, path, index, unit)
            found[f"{what}, forward"] = self.tangent({name: direction})
        return [
            self.compared(label, number, along, step, differences)
            for label, number in found.items()
        ]

    def compared(
        self,
        what: str,
        found: float,
        along: Callable[[Any], Any],
        step: float,
        differences: Differences,
    ) -> Comparison:
        """One derivative against the differences along a line."""
        expected, error = float(differences.derivative), float(differences.error)
        size = max(abs(found), abs(expected)) if np.isfinite(found) else abs(expected)
        tolerance = error + self.relative * max(size, self.finite_size)
        undecided = _undecided(expected, error, bool(differences.kink))
        right = abs(found - expected) <= tolerance
        value = abs(float(self.projected(self.values)))
        if not undecided and not np.isfinite(found) and not np.isfinite(self.size):
            undecided = INFINITE
        elif not undecided and right and error > _COARSE * size:
            if error > _UNSEEN * max(self.size, value):
                undecided = TOO_COARSE.format(error)
        elif not undecided and not right:
            if supported_by_other_steps(
                along, step, found, differences, self.precision
            ):
                undecided = OTHER_STEPS
        if undecided and undecided not in (KINK, NOT_FINITE, INFINITE):
            exact = complex_step(along, along(0.0))
            if exact is not None and abs(exact - found) <= self.relative * size:
                expected, tolerance, undecided = float(exact), self.relative * size, ""
        return Comparison(what, found, expected, tolerance, undecided)

    def dot_product(self) -> Comparison:
        """<w, J t> against <J^T w, t>."""
        directions = self.random_directions()

        def products(values: dict[str, Any]) -> tuple[float, float]:
            reverse = inner_product(self.gradient_at(values), directions)
            return self.tangent(directions, values), reverse

        return self.products(
            "the dot-product test", products, largest_size(self.gradients), directions
        )

    def products(
        self,
        what: str,
        products_at: Callable[[dict[str, Any]], tuple[float, float]],
        largest: float,
        directions: dict[str, Any],
    ) -> Comparison:
        """A product of a mode against that of another, which differ by rounding: of
        what is added there, ``largest`` times the directions, or, where that is
        rounding itself, of what cancelled in the function."""
        found, expected = products_at(self.values)
        terms = largest * largest_size(directions)
        tolerance = 0.01 * self.relative * max(abs(expected), terms)
        finite = np.isfinite(found) and np.isfinite(expected)
        if finite and abs(found - expected) > tolerance:
            scale = largest_size(directions)
            room = self.room((found, expected), products_at, scale)
            tolerance = max(tolerance, float(np.max(room)))
        return Comparison(
            what,
            found,
            expected,
            tolerance,
            "" if finite else INFINITE,
            mutual=True,
        )

    # --------------------------------------------------------------- higher orders

    def of_order(self, order: int) -> list[Comparison]:
        """The derivative of an order, applied to random vectors, against differences of
        the one below, and its symmetry: <u, H v> = <v, H u> for the second."""
        name = _ORDERS.get(order, f"derivative of order {order}")
        u, v = self.random_directions(), self.random_directions()
        others = [self.random_directions() for _ in range(order - 2)]
        try:
            first, second = (self.applied([*others, last]) for last in (u, v))
        except _NotSummed as reason:
            nan = float("nan")
            return [Comparison(name, nan, nan, 0.0, str(reason))]
        comparisons = self.against_lower_order(name, second, v, others)
        what = "the Hessian" if order == 2 else f"the {name}"

        def products(values: dict[str, Any]) -> tuple[float, float]:
            if values is self.values:
                return inner_product(second, u), inner_product(first, v)
            by_u, by_v = (self.applied([*others, last], values) for last in (u, v))
            return inner_product(by_v, u), inner_product(by_u, v)

        comparisons.append(
            self.products(f"symmetry of {what}", products, largest_size(first), v)
        )
        return comparisons

    def applied(
        self, directions: list[dict[str, Any]], values: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The derivative of the projected result that is one order above the number of
        vectors, applied to these, as a gradient."""
        values = self.values if values is None else values
        if not directions:
            return self.gradient_at(values)
        if len(directions) == 1 and values is self.values:
            return self.product(directions[0])
        positional, keywords = self.called(values)
        plain = self._summed(positional)
        given = [tuple(self._vector(d, n) for n in plain) for d in directions]
        known, below = self._known_derivative[0], directions[:-1]
        same = known is not None and len(known) == len(below)
        if not same or any(a is not b for a, b in zip(known, below)):
            weights = 1.0 if self.is_number else self.weights
            function = weighted_sums.weighted_sum_of(self.function, keywords, weights)
            derivative: Any = grad(weighted_sums.of_one_tuple(function))
            for vector in given[:-1]:
                derivative = weighted_sums.along_vectors(derivative, vector)
            self._known_derivative = below, derivative
        _, found = jvp(self._known_derivative[1], (positional,), (given[-1],))
        return {n: part for n, part in zip(plain, found) if n in self.names}

    _known_derivative: tuple[Any, Any] = (None, None)
    """That of the order below, by the vectors it is applied to."""

    def _vector(self, directions: dict[str, Any], name: str) -> Any:
        return directions.get(name, zeros_like(self.values[name]))

    def _summed(self, positional: tuple[Any, ...]) -> list[str]:
        """The parameters of a sum of results, which takes positional arguments."""
        by_position = self.target.by_name(positional)
        if set(self.names) - set(by_position) or self.target.bound:
            raise _NotSummed(
                "higher derivatives by keyword-only parameters aren't tried"
            )
        if not _is_flat(self.weights):
            raise _NotSummed("higher derivatives of nested results aren't tried")
        return [n for n in by_position if n in self.values][: len(positional)]

    def product(self, directions: dict[str, Any]) -> dict[str, Any]:
        """The second derivative of the projected result times a vector."""
        positional, keywords = self.called(self.values)
        if self.is_number:
            vector = tuple(directions.values())
            found = hvp(self.function, self.names)(*positional, vector, **keywords)
            return dict(zip(self.names, found))
        plain = self._summed(positional)
        function = weighted_sums.weighted_sum_of(self.function, keywords, self.weights)
        vectors = tuple(self._vector(directions, n) for n in plain)
        found = hvp(function)(*positional, vectors)
        return {n: part for n, part in zip(plain, found) if n in self.names}

    def against_lower_order(
        self,
        name: str,
        product: dict[str, Any],
        directions: dict[str, Any],
        others: list[dict[str, Any]],
    ) -> list[Comparison]:
        """The derivative along ``directions`` against differences of that which is
        applied to the ``others`` alone."""

        def along(t: float) -> np.ndarray:
            changed = {
                n: moved(self.values[n], directions[n], t) if n in directions else v
                for n, v in self.values.items()
            }
            return _flat(self.applied(others, changed))

        size = largest_size([self.values[n] for n in self.names])
        step = self.step_for(size) / max(1.0, largest_size(directions))
        differences = differentiated(along, step, self.precision)
        found = _flat(product)
        wider = supported_by_other_steps(
            along, step, found, differences, self.precision
        )
        largest = max(float(np.max(np.abs(found), initial=0.0)), self.size)

        def products_at(values: dict[str, Any]) -> np.ndarray:
            return _flat(self.applied([*others, directions], values))

        room: Any = None
        comparisons = []
        for k, label in enumerate(_labels(product)):
            expected, error = differences.derivative[k], differences.error[k]
            kink = bool(differences.kink[k])
            undecided = _undecided(expected, error, kink)
            size = max(abs(found[k]), abs(expected))
            tolerance = error + 10.0 * self.relative * max(size, _UNSEEN * largest)
            right = abs(found[k] - expected) <= tolerance
            if not undecided and right and error > _COARSE * size:
                if error > _UNSEEN * largest:
                    undecided = TOO_COARSE.format(error)
            elif not undecided and not right and wider[k]:
                undecided = OTHER_STEPS
            if not undecided and abs(found[k] - expected) > tolerance:
                if room is None:
                    room = self.room(found, products_at, largest_size(directions))
                tolerance = max(tolerance, room[k])
            comparisons.append(
                Comparison(
                    f"{name}, {label}",
                    float(found[k]),
                    float(expected),
                    float(tolerance),
                    undecided,
                )
            )
        return comparisons


class _NotSummed(Exception):
    """Says which higher derivatives aren't tried."""


def _undecided(expected: float, error: float, kink: bool) -> str:
    """Why differences can't decide, if so."""
    if kink:
        return KINK
    if not (np.isfinite(expected) and np.isfinite(error)):
        return NOT_FINITE
    return ""


def _is_flat(weights: Any) -> bool:
    """True for a number or array, or a tuple, list or dict of them."""
    items = weights
    if isinstance(weights, dict):
        items = tuple(weights.values())
    if not isinstance(items, tuple | list):
        return True
    plain = type(items) in (tuple, list)
    return plain and all(
        w is None or isinstance(w, float | np.ndarray | np.generic) for w in items
    )


def _flat(parts: dict[str, Any]) -> np.ndarray:
    leaves = [np.ravel(leaf) for leaf in numbers_of(parts).values()]
    return np.concatenate(
        [
            np.stack((x.real, x.imag), -1).ravel() if _is_complex(x) else x
            for x in leaves
        ]
    ).astype(np.float64)


def _labels(parts: dict[str, Any]) -> list[str]:
    return [
        f"{name}{path}{indexed(index)}{part}"
        for name, structure in parts.items()
        for path, leaf in numbers_of(structure).items()
        for index in np.ndindex(np.shape(leaf))
        for part in (("", ".imag") if _is_complex(leaf) else ("",))
    ]


def _is_complex(leaf: Any) -> bool:
    return bool(np.iscomplexobj(leaf))


def _parts_of(gradient: complex, is_complex: bool) -> list[tuple[complex, float]]:
    """The units along which an element may move, and its derivative along each."""
    if not is_complex:
        return [(1.0, gradient)]  # type: ignore[list-item]
    return [(1.0, gradient.real), (1j, gradient.imag)]
