"""Sweeps with many seeds: tangents or cotangents that a program carries at once, or one
after the other where it can't."""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import derivatives, errors
from s2sad.codegen.seeds import copied
from s2sad.dispatch import dispatcher, target


class CompressedSweep(derivatives.Derivative):
    """Takes the arguments of a function and seeds along one more axis in front; gives
    tangents of the result ("forward"), or adjoints of the argument ("reverse")."""

    _recipe = "compressed_sweep"
    _verb = "sweep"

    def __init__(
        self,
        function: Callable[..., Any],
        wrt: Any,
        *,
        direction: str,
        optimise: Any = None,
    ) -> None:
        super().__init__(function, wrt, optimise=optimise)
        self.direction = direction
        seeds = "seeds"
        while seeds in self._target.parameters:
            seeds += "_"
        self._form = f"{direction} {seeds}"
        self._more_keywords = (seeds,)
        self._composed = target.Target(self)
        self._dispatcher = self._composed.dispatcher(
            dispatcher.Wanted("primal", self._wanted.wrt, True, switched_off=self._off)
        )
        self._apart: set[Any] = set()
        """The kinds of arguments for which seeds can't be carried together."""

    @property
    def _off(self) -> frozenset[str]:
        return self._wanted.switched_off

    def _describe(self) -> str:
        listed = ", ".join(self._wanted.wrt or ())
        return f"Compressed sweep of {self._target.name} with respect to {listed}."

    def swept(self, values: tuple[Any, ...], seeds: np.ndarray) -> np.ndarray:
        """What becomes of the seeds, for one value for each parameter."""
        entry, ordered = self.entry_for(values, seeds)
        if entry is not None:
            return np.asarray(entry.run(*map(copied, ordered)))
        return self._one_by_one(values, seeds)

    def entry_for(
        self, values: tuple[Any, ...], seeds: np.ndarray
    ) -> tuple[dispatcher.Entry | None, tuple[Any, ...]]:
        """The compiled program and its arguments; None where there is none that carries
        all seeds."""
        from s2sad.frontend.specialise import core

        own = dict(zip(self._target.parameters, values))
        own[self._more_keywords[0]] = seeds
        ordered = tuple(own[name] for name in self._composed.parameters)
        outline = tuple(
            (type(v), getattr(v, "dtype", None), np.ndim(v)) for v in values
        )
        if outline in self._apart:
            return None, ordered
        try:
            return self._dispatcher.find(ordered), ordered
        except (core.NotBatched, errors.UnsupportedError, core.BindsOutside):
            # what isn't supported in a function inside another may be by itself
            self._apart.add(outline)
            return None, ordered

    def _one_by_one(self, values: tuple[Any, ...], seeds: np.ndarray) -> np.ndarray:
        entry = self._program_for_one(values)
        if self.direction == "forward":
            rows = [entry.run(*map(copied, values), s)[1] for s in seeds]
            return np.array([one_array(self._target.name, row) for row in rows])
        forward, reverse, *_ = entry.programs
        value, residuals = forward(*map(copied, values))
        one_array(self._target.name, value)
        return np.array([_only(reverse(residuals, s)) for s in seeds])

    def _program_for_one(self, values: tuple[Any, ...]) -> dispatcher.Entry:
        recipe = "pushforward" if self.direction == "forward" else "vjp"
        wanted = dispatcher.Wanted(recipe, self._wanted.wrt, switched_off=self._off)
        return self._target.dispatcher(wanted).find(values)

    def text_for(self, values: tuple[Any, ...], seeds: np.ndarray) -> str:
        """The generated code."""
        entry, _ = self.entry_for(values, seeds)
        return (entry or self._program_for_one(values)).specialisation.text


def one_array(name: str, result: Any) -> Any:
    """A result, or its tangent; ArgumentError where it is a structure."""
    if np.isscalar(result) or isinstance(result, np.ndarray):
        return result
    raise errors.ArgumentError(
        f"{name} returns a {type(result).__name__}, but a sparse Jacobian is that of "
        "one array: return one with np.concatenate or np.stack"
    )


def _only(found: Any) -> Any:
    return found[0] if isinstance(found, tuple) else found
