"""A function at a point: its value there and nearby, and its derivatives from s2sad.

Takes a function and the arguments of a call; gives the value, gradients and tangents,
as numbers where a random cotangent multiplies the result.

>>> point = Point(lambda x, y: x * y, (2.0, 3.0), {}, None, None, 0)
>>> point.names, point.gradients
(('x', 'y'), {'x': 3.0, 'y': 2.0})
>>> point.tangent({"x": 1.0, "y": 1.0})
5.0
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.api import grad
from s2sad.codegen.seeds import seed_like
from s2sad.dispatch.dispatcher import Wanted
from s2sad.errors import ArgumentError
from s2sad.testing import rounding, structures


class Point:
    """A function at one point, with a cotangent of its result."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        keywords: dict[str, Any],
        wrt: Any,
        tolerance: float | None,
        seed: int,
    ) -> None:
        self.function = function
        self.target = grad(function)._target
        self.rng = np.random.default_rng(seed)
        parameters = self.target.parameters
        self.values = dict(zip(parameters, self.target.bind(tuple(args), keywords)))
        if wrt is None:
            self.names = tuple(
                n for n in parameters if structures.numbers_of(self.values[n])
            )
        else:
            self.names = self.target.wrt_names(wrt)[0]
        if not self.names:
            raise ArgumentError(f"no argument of {self.target.name} holds a float")
        self.gradient = grad(function, self.names)
        self.value = self.call(self.values)
        plain = isinstance(self.value, float | np.ndarray | np.generic)
        real = plain and not np.iscomplexobj(self.value)
        self.is_number = real and np.shape(self.value) == ()
        self.weights = (
            1.0 if self.is_number else structures.random_like(self.rng, self.value)
        )
        if not structures.numbers_of(self.weights):
            raise ArgumentError(f"the result of {self.target.name} holds no float")
        active = [self.values[name] for name in self.names]
        self.precision = structures.precision_of(active)
        self.relative = tolerance or float(np.sqrt(self.precision))
        self.gradients = self.gradient_at(self.values)
        self.size = structures.largest_size([*self.gradients.values()])
        self.finite_size = self.size if np.isfinite(self.size) else 0.0

    # ---------------------------------------------------------------- calls

    def call(self, values: dict[str, Any]) -> Any:
        return self.target.call(tuple(structures.copied(v) for v in values.values()))

    def projected(self, values: dict[str, Any]) -> Any:
        """The result times the cotangent, a number."""
        return structures.weighed(self.weights, self.call(values))

    def called(self, values: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Values of parameters as arguments of a call."""
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for parameter in self.target.signature.parameters.values():
            value = structures.copied(values[parameter.name])
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional += value
            elif parameter.kind is parameter.VAR_KEYWORD:
                keywords |= value
            elif parameter.kind is parameter.KEYWORD_ONLY:
                keywords[parameter.name] = value
            else:
                positional.append(value)
        return tuple(positional[len(self.target.bound) :]), keywords

    def gradient_at(self, values: dict[str, Any]) -> dict[str, Any]:
        """The gradient of the projected result."""
        positional, keywords = self.called(values)
        if not self.is_number:
            keywords["gradient"] = self.weights
        return dict(zip(self.names, self.gradient(*positional, **keywords)))

    def tangent(
        self, directions: dict[str, Any], values: dict[str, Any] | None = None
    ) -> float:
        """The projected tangent of the result along directions, in which ints beside
        floats have a zero, as in tangents that callers give."""
        values = self.values if values is None else values
        wanted = Wanted("pushforward", tuple(directions), switched_off=frozenset())
        args = tuple(structures.copied(v) for v in values.values())
        entry = self.target.dispatcher(wanted).find(args)
        given = [seed_like(d, values[n], n) for n, d in directions.items()]
        _, tangent = entry.run(*args, *given)
        return float(structures.weighed(self.weights, tangent))

    def room(
        self, figures: Any, figures_at: Callable[[dict[str, Any]], Any], scale: float
    ) -> Any:
        """How far rounding may move derivatives of this point, see
        :func:`~s2sad.testing.rounding.room_for_rounding`."""

        def at(near: dict[str, Any]) -> Any:
            return figures_at({**self.values, **near})

        active = {name: self.values[name] for name in self.names}
        terms = structures.terms_of(self.weights, self.call(self.values))
        return rounding.room_for_rounding(figures, at, active, terms, scale)

    def random_directions(self) -> dict[str, Any]:
        return {n: structures.random_like(self.rng, self.values[n]) for n in self.names}

    def step_for(self, size: float) -> float:
        return float(64.0 * np.cbrt(self.precision) * max(1.0, size))
